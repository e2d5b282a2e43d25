//! What counts as the same question, and what does not.

use super::Compound;
use crate::dialect::testing::{ORDERS, SHOP, fragment};
use crate::ingest::Fragment;

/// Why the parts do not count, or `None`.
fn rejected(question: &str, texts: &[&str]) -> Option<String> {
    over(&[fragment("orders.log", ORDERS), fragment("shop.log", SHOP)], question, texts)
}

fn over(fragments: &[Fragment], question: &str, texts: &[&str]) -> Option<String> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    Compound::of_close_parts(question, &texts, fragments).err().map(|error| error.to_string())
}

/// Code does not read what begins with this.
fn loosely(question: &str) -> String {
    format!("I am preparing a talk. {question}")
}

const WHO: &str = "which user has the most failed orders";
const FIRST: &str = "what is the first order of that user";
const LARGEST: &str = "what is the largest amount of that user";

#[test]
fn what_asks_the_same_in_other_words_counts() {
    for (question, texts) in [
        (
            "Whoever has the most failed orders, what is their first order, and what is their largest amount?",
            &[WHO, FIRST, LARGEST][..],
        ),
        (
            "I am preparing a talk about this shop. Which user has the most failed orders, and what is the first order of that user?",
            &[WHO, FIRST],
        ),
        (
            "Please tell me who has the most failed orders. Then, what was their first order? Thanks!",
            &[WHO, "what was the first order of that user"],
        ),
        (
            "Are there more failed or more shipped orders?",
            &["how many failed orders are there", "how many shipped orders are there"],
        ),
        (
            "What are the largest and the smallest amount of shipped orders?",
            &[
                "what is the largest amount of shipped orders",
                "what is the smallest amount of shipped orders",
            ],
        ),
        (
            "Did user mara.lindt or user tom.okafor have more failed orders?",
            &[
                "how many failed orders of user mara.lindt are there",
                "how many failed orders of user tom.okafor are there",
            ],
        ),
        (
            "Which user has the largest amount? Then, list their orders.",
            &["which user has the largest amount", "list the orders of that user"],
        ),
        (
            "For order 40101, what are the status and the amount?",
            &["what is the status of order 40101", "what is the amount of order 40101"],
        ),
        (
            "For the order with the largest amount, who has it?",
            &["which order has the largest amount", "which user has that order"],
        ),
        (
            "What is the number of failed orders, and are there any refunded orders? Besides, who has the most orders?",
            &[
                "what is the number of failed orders",
                "are there any refunded orders",
                "which user has the most orders",
            ],
        ),
        (
            "I wonder what the status of order 40101 is and what is the status of order 40104",
            &["what is the status of order 40101", "what is the status of order 40104"],
        ),
    ] {
        assert_eq!(rejected(question, texts), None, "{question}");
    }
}

#[test]
fn what_asks_something_else_does_not() {
    let question =
        "Whoever has the most failed orders, what is their first order, and what is their largest amount?";
    for (texts, why) in [
        (&[WHO, "what is the last order of that user", LARGEST][..], "last"),
        (&[WHO, FIRST, "what is the smallest amount of that user"], "largest"),
        (&[WHO, FIRST, "what is the largest amount"], "2 times"),
        (&[WHO, LARGEST, FIRST], "in the same order"),
        (&[WHO, FIRST], "largest"),
        (&[WHO, FIRST, LARGEST, LARGEST], "in the same order"),
        (
            &["which user has the most orders", "what is the first failed order of that user", LARGEST],
            "in the same order",
        ),
    ] {
        let error = rejected(question, texts).unwrap_or_default();
        assert!(error.contains(why), "{texts:?}: {error}");
    }
}

#[test]
fn values_stay_with_the_part_that_they_were_said_in() {
    let question = "How many shipped orders of user mara.lindt are there, and how many failed orders of user tom.okafor?";
    let moved = [
        "how many orders of user mara.lindt are there",
        "how many failed orders of user tom.okafor are there",
    ];
    let apart =
        "How many failed orders of user mara.lindt are there, and how many orders of user tom.okafor?";
    assert!(rejected(apart, &moved).is_some());
    let right = [
        "how many shipped orders of user mara.lindt are there",
        "how many failed orders of user tom.okafor are there",
    ];
    assert_eq!(rejected(question, &right), None);
    for wrong in [
        [
            "how many shipped orders of user tom.okafor are there",
            "how many failed orders of user mara.lindt are there",
        ],
        [
            "how many failed orders of user mara.lindt are there",
            "how many shipped orders of user tom.okafor are there",
        ],
    ] {
        assert!(rejected(question, &wrong).is_some(), "{wrong:?}");
    }
}

#[test]
fn a_word_that_nobody_accounts_for_turns_the_parts_down() {
    for (question, why) in [
        ("Whoever has the most failed orders on weekends, what is their first order?", "weekends"),
        ("Only look at March. Whoever has the most failed orders, what is their first order?", "only"),
        (
            "Ignore what was written at night! Whoever has the most failed orders, what is their first order?",
            "ignore",
        ),
        ("Whoever has the most failed orders, what is their first order, and why?", "why"),
        ("Whoever has the most failed orders per page, what is their first order?", "per"),
        ("Whoever does not have the most failed orders, what is their first order?", "not"),
    ] {
        let error = rejected(question, &[WHO, FIRST]).unwrap_or_default();
        assert!(error.to_lowercase().contains(why), "{question}: {error}");
    }
}

#[test]
fn what_one_part_is_asked_another_is_not() {
    let found = "which user has the most failed orders";
    for (question, texts) in [
        // What is found, and who "who" is.
        (
            "Who has the most failed orders, which user has the last order, and which status is the most common?",
            &[found, "which status has the last order", "which user is the most common"][..],
        ),
        (
            "Who has the largest amount, and which order has the smallest amount?",
            &["which order has the largest amount", "which user has the smallest amount"],
        ),
        (
            "Who has the most failed orders, and how many orders do they have?",
            &["which currency has the most failed orders", "how many orders of that currency are there"],
        ),
        // Where one part ends and another begins.
        (
            "How many orders of user mara.lindt are there, and list the failed orders.",
            &["how many orders of user mara.lindt failed", "list the orders"],
        ),
        (
            "How many orders are there, and list the failed orders of user mara.lindt.",
            &["how many failed orders are there", "list the orders of user mara.lindt"],
        ),
        (
            "Which orders of user mara.lindt failed and have an amount over 100?",
            &["which orders of user mara.lindt failed", "which orders have an amount over 100"],
        ),
        // What is done with it.
        (
            "Are there any refunded orders, and list the failed orders.",
            &["list the refunded orders", "are there any failed orders"],
        ),
        (
            "What is the number of failed orders, and list the shipped orders.",
            &["how many failed orders are there", "how many shipped orders are there"],
        ),
        (
            "Count the orders that failed, and who has the most orders?",
            &["which orders failed", "which user has the most orders"],
        ),
        (
            "Who has the most failed orders, and how many orders are there by user?",
            &[found, "how many orders are there"],
        ),
        // Of whom.
        (
            "Whoever has the most failed orders, what do they have as their first order, and what is the largest amount?",
            &[found, FIRST, LARGEST],
        ),
        (
            "Who has the most failed orders, which order has the largest amount, and what is the total amount of that user?",
            &[found, "which order has the largest amount", "what is the total amount of that order"],
        ),
        (
            "Who has the most failed orders, which order has the largest amount, and what is their total amount?",
            &[found, "which order has the largest amount", "what is the total amount of that order"],
        ),
        (
            "Who has the most failed orders, who has the most paid orders, and what is their first order?",
            &[found, "which user has the most paid orders", FIRST],
        ),
        (
            "Whoever has the most failed orders, how many of my orders are shipped?",
            &[found, "how many orders are shipped"],
        ),
        (
            "Whoever has the most failed orders, what is their first and last order?",
            &[found, "what is the last order of that user"],
        ),
    ] {
        assert!(rejected(&loosely(question), texts).is_some(), "{question}");
    }
}

#[test]
fn what_restricts_one_part_does_not_go_to_another_or_turn_round() {
    for (question, texts) in [
        (
            "How many failed orders of user mara.lindt are there, and how many orders of user tom.okafor?",
            &[
                "how many failed orders of user mara.lindt are there",
                "how many failed orders of user tom.okafor are there",
            ][..],
        ),
        (
            "How many orders have an amount > 100, and who has the most failed orders?",
            &["how many orders have an amount < 100", WHO],
        ),
        (
            "How many orders have status != failed, and who has the most paid orders?",
            &["how many orders have status = failed", "which user has the most paid orders"],
        ),
        (
            "How many orders failed besides those of user mara.lindt, and who has the most paid orders?",
            &["how many orders failed of user mara.lindt", "which user has the most paid orders"],
        ),
        (
            "Who has the most failed orders, and what was the status after order 40101?",
            &[WHO, "what was the status of order 40101"],
        ),
        (
            "Which pages have more errors than user tom.okafor, and how many warnings are there?",
            &["which pages have errors of user tom.okafor", "how many warnings are there"],
        ),
    ] {
        assert!(rejected(&loosely(question), texts).is_some(), "{question}");
    }
    let name = "I am looking at March. Whoever has the most failed orders, what is their first order?";
    assert!(rejected(name, &[WHO, FIRST]).unwrap_or_default().contains("march"));
}

#[test]
fn long_values_distinct_amounts_and_other_records_stay_in_place() {
    let towns = "order=1 city=\"New York\" status=failed amount=5.10 latency=7\norder=2 city=\"Los Angeles\" status=shipped amount=6.20 latency=8\n\
                 order=3 city=\"New York\" status=shipped amount=7.30 latency=9\norder=4 city=\"Los Angeles\" status=failed amount=8.40 latency=3";
    let towns = [fragment("orders.log", towns)];
    let question = loosely(
        "How many failed orders of city New York are there, and how many shipped orders of city Los Angeles?",
    );
    let right = [
        "how many failed orders of city New York are there",
        "how many shipped orders of city Los Angeles are there",
    ];
    assert_eq!(over(&towns, &question, &right), None);
    let swapped = [
        "how many failed orders of city Los Angeles are there",
        "how many shipped orders of city New York are there",
    ];
    assert!(over(&towns, &question, &swapped).is_some());
    let question = loosely("What is the largest amount and what is the smallest latency?");
    assert_eq!(
        over(&towns, &question, &["what is the largest amount", "what is the smallest latency"]),
        None
    );
    for wrong in [
        ["what is the largest latency", "what is the smallest amount"],
        ["what is the largest latency", "what is the smallest latency"],
    ] {
        assert!(over(&towns, &question, &wrong).is_some(), "{wrong:?}");
    }

    let orders =
        "order=1 user=ada status=failed\norder=2 user=ben status=paid\norder=3 user=ada status=failed";
    let tickets =
        "ticket=7 user=ada status=failed\nticket=8 user=ben status=failed\nticket=9 user=ben status=open";
    let both = [fragment("orders.log", orders), fragment("tickets.log", tickets)];
    let question = loosely("Who has the most failed orders, and how many tickets do they have?");
    let right = [WHO, "how many tickets of that user are there"];
    assert_eq!(over(&both, &question, &right), None);
    let swapped = ["which user has the most failed tickets", "how many orders of that user are there"];
    assert!(over(&both, &question, &swapped).is_some());
}

#[test]
fn code_reads_the_parts_after_an_opening_that_asks_nothing() {
    let pieces = [fragment("orders.log", ORDERS), fragment("shop.log", SHOP)];
    let behind = |question: &str| {
        let compound = Compound::read_behind(question, &pieces)?;
        Some(compound.parts.into_iter().map(|part| part.text).collect::<Vec<_>>())
    };
    let question =
        loosely("Which user has the most failed orders, and what is the first order of that user?");
    assert_eq!(Compound::read(&question, &pieces), None, "the beginning is no question");
    assert_eq!(
        behind(&question).unwrap(),
        ["Which user has the most failed orders", "what is the first order of that user"]
    );
    for unread in [
        // One part is no question of several.
        "I am preparing a talk. Which user has the most failed orders?",
        // The beginning asks, restricts or names somebody.
        "How many orders failed? Which user has the most failed orders, and what is the first order of that user?",
        "Ignore what was refunded. Which user has the most failed orders, and what is the first order of that user?",
        "I am asking for Mara. Which user has the most failed orders, and what is the first order of that user?",
        "This is about last month. Which user has the most failed orders, and what is the first order of that user?",
        // It belongs to the first question.
        "Of refunded orders, which user has the most, and what is the first order of that user?",
        "",
    ] {
        assert_eq!(behind(unread), None, "{unread}");
    }
    assert_eq!(behind(&format!("{} {question}", "Well. ".repeat(400))), None, "it is too long");
}
