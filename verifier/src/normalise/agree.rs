//! Whether two normalised answers say the same.

use std::cmp::Ordering;

use super::{Normalised, Sentence};
use crate::value::{Kind, Quantity, Scalar};

/// Whether the question leaves room for a rounded value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Only the exact value will do.
    Refused,
    /// A value rounded to fewer decimal places agrees, for partial credit.
    Allowed,
}

/// How two answers stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// The same value.
    Same,
    /// The left one is the right one rounded.
    LeftIsRounded,
    /// The right one is the left one rounded.
    RightIsRounded,
    /// Two different values. No similarity of the words around them changes that.
    Different,
    /// The exact values agree and the words do not: only their meaning can tell.
    Undecided,
}

impl Agreement {
    /// Whether they agree, rounded or not.
    pub fn agrees(self) -> bool {
        matches!(self, Self::Same | Self::LeftIsRounded | Self::RightIsRounded)
    }

    fn reversed(self) -> Self {
        match self {
            Self::LeftIsRounded => Self::RightIsRounded,
            Self::RightIsRounded => Self::LeftIsRounded,
            other => other,
        }
    }
}

/// Compares two answers; exchanging them exchanges left and right and nothing else.
pub fn agreement(left: &Normalised, right: &Normalised, rounding: Rounding) -> Agreement {
    use Normalised::{Json, List, Scalar as Value, Sentence as Words, Verbatim};
    match (left, right) {
        (Value(left), Value(right)) => scalars(left, right, rounding),
        (Words(left), Words(right)) => sentences(left, right, rounding),
        (Value(value), Words(sentence)) => value_in(value, sentence, rounding),
        (Words(sentence), Value(value)) => value_in(value, sentence, rounding).reversed(),
        (List(left), List(right)) => {
            let pairs: Vec<_> = left.items().zip(right.items()).collect();
            if left.items().len() == right.items().len() {
                all(pairs.into_iter().map(|(left, right)| scalars(left, right, rounding)))
            } else {
                Agreement::Different
            }
        }
        (Json(left), Json(right)) if left.canonical() == right.canonical() => Agreement::Same,
        (Json(left), Json(right)) if !left.differs_in_words_only(right) => Agreement::Different,
        (Verbatim(left), Verbatim(right)) if left == right => Agreement::Same,
        _ => Agreement::Undecided,
    }
}

/// The verdict over parts that must all agree.
fn all(parts: impl IntoIterator<Item = Agreement>) -> Agreement {
    let mut whole = Agreement::Same;
    for part in parts {
        whole = match (whole, part) {
            (Agreement::Same, part) if part != Agreement::Different => part,
            (whole, Agreement::Same) => whole,
            // Each is the rounder in one place: neither is the other rounded.
            (_, Agreement::Different)
            | (Agreement::LeftIsRounded, Agreement::RightIsRounded)
            | (Agreement::RightIsRounded, Agreement::LeftIsRounded) => return Agreement::Different,
            (_, Agreement::Undecided) | (Agreement::Undecided, _) => Agreement::Undecided,
            (whole, _) => whole,
        };
    }
    whole
}

fn scalars(left: &Scalar, right: &Scalar, rounding: Rounding) -> Agreement {
    match (left, right) {
        (Scalar::Number(left), Scalar::Number(right)) => numbers(left, right, rounding),
        (Scalar::Moment(left), Scalar::Moment(right)) => {
            if left.canonical() == right.canonical() {
                Agreement::Same
            } else {
                Agreement::Different
            }
        }
        (Scalar::Truth(left), Scalar::Truth(right)) => same(left == right),
        (Scalar::Word(left), Scalar::Word(right)) => match left == right {
            true => Agreement::Same,
            // A name with digits in it (user3) is as exact as a number.
            false if has_digit(left) || has_digit(right) => Agreement::Different,
            false => Agreement::Undecided,
        },
        (Scalar::Word(word), _) | (_, Scalar::Word(word)) if !has_digit(word) => Agreement::Undecided,
        _ => Agreement::Different,
    }
}

fn numbers(left: &Quantity, right: &Quantity, rounding: Rounding) -> Agreement {
    if equal(left, right) {
        return Agreement::Same;
    }
    if rounding == Rounding::Refused || !units_meet(left, right) {
        return Agreement::Different;
    }
    match (is_rounded(left, right), is_rounded(right, left)) {
        (true, false) => Agreement::LeftIsRounded,
        (false, true) => Agreement::RightIsRounded,
        _ => Agreement::Different,
    }
}

fn equal(left: &Quantity, right: &Quantity) -> bool {
    left.order(right) == Some(Ordering::Equal) || is_share(left, right) || is_share(right, left)
}

/// 25 % and 0.25 are one value.
fn is_share(percentage: &Quantity, share: &Quantity) -> bool {
    let is_percentage = percentage.unit.as_ref().is_some_and(|unit| unit.measure.kind == Kind::Percent);
    is_percentage
        && share.unit.is_none()
        && share.amount.checked_mul(rust_decimal::Decimal::ONE_HUNDRED) == Some(percentage.amount)
}

/// Rounding happens in the unit that was written: 1.5 km is not 1,499 m rounded.
fn units_meet(left: &Quantity, right: &Quantity) -> bool {
    match (&left.unit, &right.unit) {
        (Some(left), Some(right)) => left.measure == right.measure,
        _ => true,
    }
}

/// Whether `coarse` is `fine` rounded to the decimal places that `coarse` has.
fn is_rounded(coarse: &Quantity, fine: &Quantity) -> bool {
    use rust_decimal::RoundingStrategy::{MidpointAwayFromZero, MidpointNearestEven};
    coarse.amount.scale() < fine.amount.scale()
        && [MidpointAwayFromZero, MidpointNearestEven]
            .into_iter()
            .any(|way| fine.amount.round_dp_with_strategy(coarse.amount.scale(), way) == coarse.amount)
}

fn sentences(left: &Sentence, right: &Sentence, rounding: Rounding) -> Agreement {
    if left.canonical() == right.canonical() {
        return Agreement::Same;
    }
    if left.truth().zip(right.truth()).is_some_and(|(left, right)| left != right) {
        return Agreement::Different;
    }
    if let Some(pairs) = left.values_in_place(right) {
        let whole = all(pairs.into_iter().map(|(left, right)| scalars(left, right, rounding)));
        if whole.agrees() {
            return whole;
        }
    }
    match values(left, right, rounding) {
        Agreement::Different => Agreement::Different,
        // The same values elsewhere, or other words around them: who owes 5 and who owes 7 only meaning can tell.
        _ => Agreement::Undecided,
    }
}

/// Whether the values of one sentence are those of the other, whatever their order.
fn values(left: &Sentence, right: &Sentence, rounding: Rounding) -> Agreement {
    let (mut left, mut right): (Vec<&Scalar>, Vec<&Scalar>) =
        (left.values().collect(), right.values().collect());
    if left.len() == right.len() {
        left.sort_by_cached_key(|value| value.canonical());
        right.sort_by_cached_key(|value| value.canonical());
        return all(left.into_iter().zip(right).map(|(left, right)| scalars(left, right, rounding)));
    }
    // One says more than the other: what the shorter says must at least stand in the longer.
    let (shorter, mut longer) = if left.len() < right.len() { (left, right) } else { (right, left) };
    for value in shorter {
        let at = longer.iter().position(|other| scalars(value, other, rounding).agrees());
        let Some(at) = at else { return Agreement::Different };
        longer.swap_remove(at);
    }
    Agreement::Undecided
}

/// A bare value against a sentence: a different value is told at once, the same one is for a model
/// to judge, since the sentence may say "not 42".
fn value_in(value: &Scalar, sentence: &Sentence, rounding: Rounding) -> Agreement {
    match value {
        Scalar::Truth(truth) => match sentence.truth() {
            Some(said) if said != *truth => Agreement::Different,
            _ => Agreement::Undecided,
        },
        Scalar::Word(word) if !has_digit(word) => Agreement::Undecided,
        _ => {
            let mut others = sentence.values().peekable();
            let silent = others.peek().is_none();
            let stands = others.any(|other| scalars(value, other, rounding).agrees());
            if silent || stands { Agreement::Undecided } else { Agreement::Different }
        }
    }
}

fn has_digit(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

fn same(same: bool) -> Agreement {
    if same { Agreement::Same } else { Agreement::Different }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ExpectedFormat;
    use super::*;

    fn compare(left: &str, right: &str, rounding: Rounding) -> Agreement {
        let of = |text| Normalised::of(text, ExpectedFormat::Explanation);
        agreement(&of(left), &of(right), rounding)
    }

    /// seeds/verifier-block.md, `normalize_answer`: `6288.95`, `6,288.95` and `$6288.95` match.
    #[test]
    fn the_same_value_agrees_in_every_spelling() {
        for (left, right) in [
            ("6288.95", "6,288.95"),
            ("6,288.95", "$6288.95"),
            ("$6,288.95", "6288.95"),
            ("6288.95", "6 288,95 USD"),
            ("$6,288.95", "6 288,95 USD"),
            ("25%", "0.25"),
            ("25 percent", "25"),
            ("1 km", "1000 metres"),
            ("1500 ms", "1.5 s"),
            ("yes", "True"),
            ("2 March 2026", "2026/03/02"),
            ("[3, 1, 2]", "- 1\n- 2\n- 3"),
            ("{\"total\": \"$5\"}", "{ \"total\" : \"5 USD\" }"),
            ("Anna owes $5 and Ben owes $7", "Anna owes 5 USD, and Ben owes 7.00 USD."),
            ("x = 5", "x: 5"),
        ] {
            assert_eq!(compare(left, right, Rounding::Refused), Agreement::Same, "{left} / {right}");
        }
    }

    /// seed-arithmetic.md, rules: the printed `normalize_answer` deletes ".", by which 4.2 would be 42.
    #[test]
    fn different_values_never_agree_whatever_the_words() {
        for (left, right) in [
            ("42", "43"),
            ("4.2", "42"),
            ("$5", "5 EUR"),
            ("The answer is 42", "The answer is 43"),
            ("42", "The answer is 43"),
            ("completed in 1889", "The Eiffel Tower was completed in 1887"),
            ("yes", "no"),
            ("Yes, it was paid", "No, it was not paid"),
            ("user3", "user4"),
            ("the culprit is user3", "it was user4"),
            ("[1, 2]", "[1, 2, 3]"),
            ("[1, 2]", "[1, 3]"),
            ("{\"a\": 1}", "{\"a\": 2}"),
            ("{\"a\": 1}", "{\"b\": 1}"),
            ("2026-03-02", "2026-03-03"),
            ("5", "yes"),
        ] {
            for rounding in [Rounding::Refused, Rounding::Allowed] {
                assert_eq!(compare(left, right, rounding), Agreement::Different, "{left} / {right}");
            }
        }
    }

    /// seeds/verifier-block.md, "Scenario 1", node C, and seed-arithmetic.md: $6,289 is $6,288.95 rounded.
    #[test]
    fn a_rounded_value_agrees_only_where_the_question_allows_it() {
        assert_eq!(compare("$6,288.95", "6,289", Rounding::Refused), Agreement::Different);
        assert_eq!(compare("$6,288.95", "6,289", Rounding::Allowed), Agreement::RightIsRounded);
        assert_eq!(compare("about $6,289", "$6,288.95", Rounding::Allowed), Agreement::LeftIsRounded);
        assert_eq!(compare("6,288", "$6,288.95", Rounding::Allowed), Agreement::Different);
        assert_eq!(compare("42", "43", Rounding::Allowed), Agreement::Different);
    }

    #[test]
    fn only_meaning_can_tell_other_words_around_the_same_values() {
        for (left, right) in [
            ("It was finished in 1889", "The tower was completed in 1889"),
            ("42", "it is 42"),
            ("42", "it is not 42"),
            ("card declined", "the bank refused the card"),
            ("{\"why\": \"card declined\", \"n\": 3}", "{\"why\": \"refused by bank\", \"n\": 3}"),
            ("42 = 6 x 7", "the total is 42"),
            ("Anna owes 5 EUR and Ben owes 7 EUR", "Anna owes 7 EUR and Ben owes 5 EUR"),
            ("user3 paid for user4", "user4 paid for user3"),
            ("orders 5 and 7 failed", "orders 7 and 5 failed"),
        ] {
            assert_eq!(compare(left, right, Rounding::Refused), Agreement::Undecided, "{left} / {right}");
        }
    }

    proptest! {
        #[test]
        fn exchanging_two_answers_exchanges_left_and_right(
            left in "[a-c0-9.,$ %-]{0,12}", right in "[a-c0-9.,$ %-]{0,12}"
        ) {
            let forth = compare(&left, &right, Rounding::Allowed);
            prop_assert_eq!(forth, compare(&right, &left, Rounding::Allowed).reversed());
        }

        #[test]
        fn different_integers_never_agree(left in any::<i64>(), right in any::<i64>()) {
            prop_assume!(left != right);
            let sentence = format!("The result is {right}.");
            for right in [right.to_string(), sentence] {
                prop_assert_eq!(
                    compare(&left.to_string(), &right, Rounding::Allowed),
                    Agreement::Different
                );
            }
        }
    }
}
