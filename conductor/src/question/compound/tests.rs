//! What is read in parts, and what is not.

use super::{Compound, Contrast};
use crate::dialect::testing::{ORDERS, SERVICE, SHOP, fragment};
use crate::ingest::Fragment;
use crate::question::{Condition, Reduction};

/// The question of `frlm demo --compound`.
const FAILED: &str = "Which user has the most failed orders, how many errors did the log show for that user, \
                      and was the largest of that user's orders shipped?";

fn shop() -> Vec<Fragment> {
    vec![fragment("orders.log", ORDERS), fragment("shop.log", SHOP)]
}

/// `1 count ← 0 @shop.log: level = ERROR; user = …`
fn written(question: &str, fragments: &[Fragment]) -> Vec<String> {
    let Some(compound) = Compound::read(question, fragments) else { return Vec::new() };
    let condition = |condition: &Condition, waits: bool| {
        let value = if waits { "…" } else { &condition.value };
        format!("{} {} {value}", condition.field, condition.comparison.symbol())
    };
    compound
        .parts
        .iter()
        .map(|part| {
            let query = &part.query;
            let needs = part.needs.as_ref();
            let conditions: Vec<String> = (0..)
                .zip(&query.conditions)
                .map(|(at, it)| condition(it, needs.is_some_and(|need| need.condition == at)))
                .collect();
            let needed = needs.map_or(String::new(), |need| format!(" ← {}", need.part));
            let asked = [&query.measure, &query.report, &part.check].into_iter().flatten().cloned();
            let reduction = format!("{:?}", query.reduction).to_lowercase();
            let files = part.documents.join(",");
            format!(
                "{reduction} {}{needed} @{files}: {}",
                asked.collect::<Vec<_>>().join(","),
                conditions.join("; ")
            )
        })
        .collect()
}

#[test]
fn parts_find_their_documents_and_wait_for_each_other() {
    assert_eq!(
        written(FAILED, &shop()),
        [
            "most user @orders.log: status = failed",
            "count  ← 0 @shop.log: level = error; user = …",
            "max amount,status,shipped ← 0 @orders.log: user = …",
        ]
    );
}

#[test]
fn a_part_that_waits_is_asked_with_the_answer() {
    let compound = Compound::read(FAILED, &shop()).unwrap();
    let errors = &compound.parts[1];
    assert_eq!(errors.query_given(None), None);
    let query = errors.query_given(Some("ines.costa")).unwrap();
    assert_eq!(query.reduction, Reduction::Count);
    assert!(
        query.conditions.iter().any(|condition| condition.field == "user" && condition.value == "ines.costa")
    );
    assert_eq!(compound.parts[2].holds("Shipped"), Some(true));
    assert_eq!(compound.parts[2].holds("delivered"), Some(false));
    assert_eq!(errors.holds("3"), None);
    assert_eq!(
        compound.describe(),
        "the question has 3 parts: part 2 needs the answer to part 1, part 3 needs the answer to part 1"
    );
}

#[test]
fn the_latest_answer_that_fits_is_meant() {
    assert_eq!(
        written(
            "Which user has the largest amount? What is the first order of that user? And what is the status of that order?",
            &shop()
        ),
        [
            "max amount,user @orders.log: ",
            "first order ← 0 @orders.log: user = …",
            "find status ← 1 @orders.log: order = …",
        ]
    );
}

#[test]
fn parts_that_do_not_depend_are_read_as_alone() {
    assert_eq!(
        written("How many orders failed, and what is the largest latency?", &shop()),
        ["count  @orders.log: status = failed", "max latency @shop.log: "]
    );
    let service = [fragment("orders.log", ORDERS), fragment("service.log", SERVICE)];
    assert_eq!(
        written("How many orders were refunded and how many errors are there?", &service),
        ["count  @orders.log: status = refunded", "count  @service.log: level = error"]
    );
}

#[test]
fn documents_that_name_no_fields_are_asked_in_parts_too() {
    let line = |at: usize| {
        let status = ["paid", "failed"][at % 2];
        format!("order {} by user u{} amount {at}.50 status {status}\n", 4000 + at, at % 7)
    };
    let words = (0..40).map(line).collect::<Vec<_>>().concat();
    assert_eq!(
        written(
            "Which user has the most failed orders, how many orders of that user have status paid, and what is the largest amount of orders of that user?",
            &[fragment("words.log", &words)]
        ),
        [
            "most user @words.log: status = failed",
            "count  ← 0 @words.log: user = …; status = paid",
            "max amount ← 0 @words.log: user = …",
        ]
    );
}

#[test]
fn the_document_that_is_named_is_meant() {
    let fragments =
        [fragment("orders.log", ORDERS), fragment("more/orders2.log", ORDERS), fragment("shop.log", SHOP)];
    assert_eq!(
        written("How many lines in orders.log mention ines.costa? How many orders failed?", &fragments),
        [] as [&str; 0],
        "«in orders.log» is nothing that the parser reads"
    );
    assert_eq!(
        written("How many orders failed? Which user has the most orders?", &fragments),
        ["count  @orders.log: status = failed", "most user @orders.log: "],
        "orders are what orders.log is named after"
    );
    let fragments = [fragment("a.log", ORDERS), fragment("b.log", ORDERS), fragment("shop.log", SHOP)];
    assert_eq!(
        written("How many lines have status failed? Which status is the most common?", &fragments),
        ["count  @a.log,b.log: status = failed", "most status @a.log,b.log: "]
    );
}

#[test]
fn a_comparison_is_two_questions_of_one_kind() {
    for question in [
        "Compare the number of failed orders with the number of refunded orders.",
        "compare how many orders failed and how many orders were refunded",
    ] {
        assert_eq!(
            written(question, &shop()),
            ["count  @orders.log: status = failed", "count  @orders.log: status = refunded"],
            "{question}"
        );
        let compares = Compound::read(question, &shop()).unwrap().compares;
        assert_eq!(compares, Some(Contrast::Which), "{question}");
    }
    assert_eq!(Compound::read(FAILED, &shop()).unwrap().compares, None);
    for question in [
        "Compare the number of failed orders with the largest amount.",
        "Compare the number of failed orders with the number of failed orders.",
        "Compare failed and refunded orders.",
        "Compare the mood of the users with the weather.",
        "Compare ",
        &format!("Compare {}", "the number of failed orders with ".repeat(50)),
    ] {
        assert_eq!(Compound::read(question, &shop()), None, "{question}");
    }
}

#[test]
fn more_or_fewer_than_is_two_counts_and_what_one_side_leaves_out_the_other_says() {
    for (question, contrast) in [
        ("Are there more failed orders than refunded orders?", Contrast::More),
        ("Are there more failed than refunded orders?", Contrast::More),
        ("were there fewer failed orders than refunded ones?", Contrast::Fewer),
        ("Do we have more orders with status failed than with status refunded?", Contrast::More),
    ] {
        assert_eq!(
            written(question, &shop()),
            ["count  @orders.log: status = failed", "count  @orders.log: status = refunded"],
            "{question}"
        );
        assert_eq!(Compound::read(question, &shop()).unwrap().compares, Some(contrast), "{question}");
    }
    for question in [
        "Are there more than 5 failed orders?",
        "Are there more failed orders than 5?",
        "Are there more failed orders than unhappy users?",
        "Are there more failed orders than failed orders?",
        // Whose orders failed, all or those of one user?
        "Are there more failed orders than refunded orders of ines.costa?",
        "Are there more failed orders than refunded orders than shipped orders?",
        &format!("Are there more failed orders than refunded orders {}", "in the log ".repeat(5)),
        "Are there more ",
        &format!("Are there more failed orders than {}", "refunded orders ".repeat(40)),
    ] {
        assert_eq!(Compound::read(question, &shop()), None, "{question}");
    }
}

#[test]
fn what_is_not_understood_as_a_whole_is_not_read_at_all() {
    for question in [
        "How many orders failed?",
        "How many orders failed and why do people like cats?",
        "How many orders failed, and how many errors did that user have?",
        "Which user has the most failed orders, and how happy is that user?",
        "Which user has the fewest orders, and how many errors did the log show for that user?",
        "How many errors did the log show for that user, and which user has the most failed orders?",
        "Which user has the most orders and was that user's largest order of that user shipped?",
    ] {
        assert_eq!(written(question, &shop()), [] as [&str; 0], "{question}");
    }
    let endless = "How many orders failed? ".repeat(200);
    assert!(Compound::read(&endless, &shop()).is_none());
}
