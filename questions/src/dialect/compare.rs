//! Whether a condition holds for a value.

use std::cmp::Ordering;

use frlm_verifier::value::{Scalar, word};
use unicode_normalization::UnicodeNormalization;

use crate::query::{Comparison, Condition};

/// Whether the condition holds for a field's value as it stands in the record.
///
/// Values without a common order (a word and a number, euros and metres) satisfy no ordering.
pub fn holds(condition: &Condition, actual: &str) -> bool {
    let wanted = condition.value.as_str();
    let order = || Scalar::parse(actual).order(&Scalar::parse(wanted));
    match condition.comparison {
        Comparison::Equal => equal(actual, wanted),
        Comparison::NotEqual => !equal(actual, wanted),
        Comparison::Greater => order() == Some(Ordering::Greater),
        Comparison::Less => order() == Some(Ordering::Less),
        Comparison::AtLeast => order().is_some_and(Ordering::is_ge),
        Comparison::AtMost => order().is_some_and(Ordering::is_le),
        Comparison::Contains => contains(actual, wanted),
    }
}

/// Equal as numbers, moments or truths where both are such; else as words without regard to case.
pub fn equal(left: &str, right: &str) -> bool {
    match (Scalar::parse(left), Scalar::parse(right)) {
        (Scalar::Truth(left), Scalar::Truth(right)) => left == right,
        (Scalar::Word(left), Scalar::Word(right)) => level(&left) == level(&right),
        (left @ Scalar::Number(_), right @ Scalar::Number(_))
        | (left @ Scalar::Moment(_), right @ Scalar::Moment(_)) => {
            left.order(&right) == Some(Ordering::Equal)
        }
        _ => word(left) == word(right),
    }
}

/// The short forms of level words are the same level: people ask for warnings, logs say WARN.
fn level(word: &str) -> &str {
    match word {
        "warning" => "warn",
        "err" => "error",
        other => other,
    }
}

/// Whether the text contains the words, without regard to case. A number is not contained in a
/// longer one: "order 4001" does not stand in "order 40017".
pub fn contains(text: &str, words: &str) -> bool {
    let text: String = text.nfc().flat_map(char::to_lowercase).collect();
    let words: String = words.trim().nfc().flat_map(char::to_lowercase).collect();
    if words.is_empty() {
        return false;
    }
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (opens, closes) = (digit(words.chars().next()), digit(words.chars().next_back()));
    text.match_indices(&words).any(|(at, _)| {
        let before = digit(text[..at].chars().next_back());
        let after = digit(text[at + words.len()..].chars().next());
        !(opens && before || closes && after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(comparison: Comparison, value: &str) -> Condition {
        Condition { field: "field".into(), comparison, value: value.into() }
    }

    #[test]
    fn numbers_differ_where_their_digits_look_alike() {
        for (left, right) in [
            ("42", "43"),
            ("4.2", "42"),
            ("42", "420"),
            ("1.5", "1,500"),
            ("5 EUR", "5 USD"),
            ("5 s", "5 ms"),
        ] {
            assert!(!equal(left, right), "{left} {right}");
        }
        for (left, right) in [
            ("42", "42.0"),
            ("6,288.95", "6 288,95"),
            ("1 s", "1000ms"),
            ("007", "7"),
            ("yes", "TRUE"),
            ("Failed", "FAILED"),
            ("WARN", "warning"),
        ] {
            assert!(equal(left, right), "{left} {right}");
        }
    }

    #[test]
    fn orderings_hold_only_between_values_that_have_an_order() {
        let cases = [
            (Comparison::Greater, "100", "118.40", true),
            (Comparison::Greater, "100", "100.00", false),
            (Comparison::AtLeast, "100", "100.00", true),
            (Comparison::Less, "1,000 EUR", "999.99", true),
            (Comparison::AtMost, "2 s", "2001ms", false),
            (Comparison::Greater, "2026-03-02", "2026-03-03T00:00:01Z", true),
            (Comparison::Greater, "2026-03-02", "2026-03-02T23:00:00Z", false),
            (Comparison::Less, "100", "failed", false),
            (Comparison::Greater, "100 EUR", "200 USD", false),
            (Comparison::NotEqual, "failed", "shipped", true),
            (Comparison::NotEqual, "failed", "Failed", false),
            (Comparison::Contains, "müll", "Jürgen MÜLLER", true),
        ];
        for (comparison, wanted, actual, expected) in cases {
            assert_eq!(
                holds(&condition(comparison, wanted), actual),
                expected,
                "{actual} {comparison:?} {wanted}"
            );
        }
    }

    #[test]
    fn a_number_is_not_contained_in_a_longer_one() {
        assert!(contains("order 4001 by user1", "ORDER 4001"));
        assert!(!contains("order 40017 by user1", "order 4001"));
        assert!(contains("order 40017, order 4001", "order 4001"));
        assert!(contains("paid by user10", "user"));
        assert!(!contains("paid by user10", "user1"));
        assert!(!contains("anything", "  "));
    }
}
