//! What counts as the same question, and what does not.

use super::Compound;
use crate::dialect::testing::{ORDERS, SHOP, fragment};

/// Why the parts do not count, or `None`.
fn turned_down(question: &str, texts: &[&str]) -> Option<String> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let fragments = [fragment("orders.log", ORDERS), fragment("shop.log", SHOP)];
    Compound::of_close_parts(question, &texts, &fragments).err().map(|error| error.to_string())
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
            "I wonder what the status of order 40101 is and what is the status of order 40104",
            &["what is the status of order 40101", "what is the status of order 40104"],
        ),
    ] {
        assert_eq!(turned_down(question, texts), None, "{question}");
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
        let error = turned_down(question, texts).unwrap_or_default();
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
    assert!(turned_down(apart, &moved).is_some());
    let right = [
        "how many shipped orders of user mara.lindt are there",
        "how many failed orders of user tom.okafor are there",
    ];
    assert_eq!(turned_down(question, &right), None);
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
        assert!(turned_down(question, &wrong).is_some(), "{wrong:?}");
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
        let error = turned_down(question, &[WHO, FIRST]).unwrap_or_default();
        assert!(error.to_lowercase().contains(why), "{question}: {error}");
    }
}
