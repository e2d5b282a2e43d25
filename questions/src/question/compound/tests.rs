//! What is read in parts, and what is not.

use super::{Closing, Compound, Contrast};
use crate::dialect::testing::{ORDERS, SERVICE, SHOP, fragment};
use crate::ingest::Fragment;
use crate::query::{Condition, Reduction};

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
        "\"in orders.log\" is nothing that the parser reads"
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
        let closing = Compound::read(question, &shop()).unwrap().closings;
        assert_eq!(closing, [Closing { asks: Contrast::Which, of: [0, 1], text: None }], "{question}");
    }
    assert!(Compound::read(FAILED, &shop()).unwrap().closings.is_empty());
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
fn more_or_fewer_than_is_two_counts_and_each_side_completes_the_other() {
    for (question, contrast) in [
        ("Are there more failed orders than refunded orders?", Contrast::More),
        ("Are there more failed than refunded orders?", Contrast::More),
        ("were there fewer failed orders than refunded ones?", Contrast::Fewer),
        ("Do we have more orders with status failed than with status refunded?", Contrast::More),
        ("How many more failed than refunded orders are there?", Contrast::Difference),
        ("how many fewer failed orders than refunded orders were there?", Contrast::Difference),
    ] {
        assert_eq!(
            written(question, &shop()),
            ["count  @orders.log: status = failed", "count  @orders.log: status = refunded"],
            "{question}"
        );
        let closing = Compound::read(question, &shop()).unwrap().closings;
        assert_eq!(closing, [Closing { asks: contrast, of: [0, 1], text: None }], "{question}");
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

/// What is asked of which parts, counted from 0.
fn closings(question: &str) -> Option<Vec<(Contrast, [usize; 2])>> {
    let compound = Compound::read(question, &shop())?;
    Some(compound.closings.iter().map(|closing| (closing.asks, closing.of)).collect())
}

#[test]
fn what_is_asked_of_two_answers_is_asked_of_nobody() {
    let two = "Which user has the most failed orders, how many errors did the log show for that user, how many orders of that user are shipped";
    for (end, asks) in [
        ("and which of the two is larger?", Contrast::Which),
        ("and which is the larger one, and by how much?", Contrast::Which),
        ("and which one is smaller?", Contrast::Smaller),
        ("and what is the difference?", Contrast::Difference),
        ("and what's the difference between the two?", Contrast::Difference),
        ("how much do they differ?", Contrast::Difference),
        ("and what is the sum of the two?", Contrast::Sum),
        ("and what do they add up to?", Contrast::Sum),
    ] {
        let question = format!("{two}, {end}");
        assert_eq!(closings(&question), Some(vec![(asks, [1, 2])]), "{question}");
        assert_eq!(written(&question, &shop()).len(), 3, "{question}");
    }
    let several = format!("{two}, which of them is larger, and what is the sum?");
    assert_eq!(closings(&several), Some(vec![(Contrast::Which, [1, 2]), (Contrast::Sum, [1, 2])]));
    let compound = Compound::read(&several, &shop()).unwrap();
    assert_eq!((compound.parts.len(), compound.questions()), (3, 5));
    assert!(compound.describe().ends_with(
        "part 3 needs the answer to part 1; what is asked of parts 2 and 3 together code tells from their answers"
    ));
    let amounts = "What is the largest amount, what is the smallest amount, and what is the difference?";
    assert_eq!(closings(amounts), Some(vec![(Contrast::Difference, [0, 1])]));
}

#[test]
fn that_is_held_against_a_part_of_its_own() {
    for (end, asks) in [
        ("and is that more than the number of refunded orders?", Contrast::More),
        ("and is this fewer than the number of refunded orders?", Contrast::Fewer),
        ("is it above the number of refunded orders?", Contrast::More),
    ] {
        let question = format!("How many orders failed, {end}");
        assert_eq!(
            written(&question, &shop()),
            ["count  @orders.log: status = failed", "count  @orders.log: status = refunded"],
            "{question}"
        );
        assert_eq!(closings(&question), Some(vec![(asks, [0, 1])]), "{question}");
    }
    let compound = Compound::read(
        "Which user has the most failed orders, how many orders of that user are shipped, and is that more than the number of errors for that user?",
        &shop(),
    )
    .unwrap();
    let needs: Vec<Option<usize>> =
        compound.parts.iter().map(|part| part.needs.as_ref().map(|need| need.part)).collect();
    assert_eq!((needs, compound.questions()), (vec![None, Some(0), Some(0)], 3));
    assert_eq!(&*compound.parts[2].documents[0], "shop.log");
}

#[test]
fn nothing_is_read_where_the_two_compared_are_unclear_or_unlike() {
    let failed = "How many orders failed";
    for question in [
        format!("{failed}, and which of the two is larger?"),
        format!(
            "{failed}, how many orders were refunded, how many errors are there, and which of the two is larger?"
        ),
        format!("{failed}, what is the largest amount, and which of the two is larger?"),
        format!("{failed}, how many orders failed, and what is the sum of the two?"),
        format!(
            "{failed}, which user has the most failed orders, and is that more than the number of refunded orders?"
        ),
        format!("{failed}, and is that more than 5?"),
        format!("{failed}, and is that more than the largest amount?"),
        format!("{failed}, and is that more than the number of failed orders?"),
        // Of the sum, or of the refunded ones?
        format!(
            "{failed}, how many orders were refunded, what is the sum, and is that more than the number of shipped orders?"
        ),
        format!("{failed}, how many orders were refunded, which is larger, and how many errors are there?"),
        // The larger order by its number, by its amount?
        "What is the first order, what is the last order, and which of the two is larger?".to_owned(),
        "Which of the two is larger, how many orders failed, and how many orders were refunded?".to_owned(),
        format!("{failed}, how many orders were refunded, and which of the two is nicer?"),
    ] {
        assert_eq!(closings(&question), None, "{question}");
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
