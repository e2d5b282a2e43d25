//! What two verified figures come to: which is the larger, how far they are apart, what they are together. By code.

use std::cmp::Ordering;

use rust_decimal::Decimal;

use crate::dialect::{Quantity, Unit};
use crate::question::compound::{Closing, Contrast};
use crate::reduce::ROUNDED;

/// The line of the answer that says it, given every part's figure; `None` where there is nothing to say and nobody asked in
/// so many words.
pub(super) fn told(closing: &Closing, figures: &[Option<String>]) -> Option<String> {
    let figure = |at: usize| figures.get(at)?.as_deref();
    let [one, other] = closing.of;
    let both = figure(one).zip(figure(other));
    let Some(heading) = closing.heading() else {
        let (one, other) = both?;
        return compared(closing.asks, ["The first", "The second"], one, other);
    };
    let names = [format!("Part {}", one + 1), format!("Part {}", other + 1)];
    let said = both
        .and_then(|(one, other)| compared(closing.asks, names.each_ref().map(String::as_str), one, other))
        .unwrap_or_else(|| {
            format!(
                "That cannot be told: it takes an exact figure of parts {} and {}, in one unit.",
                one + 1,
                other + 1
            )
        });
    Some(format!("{heading} {said}"))
}

/// What there is to say of two figures; `None` where they cannot be held against each other: both stand there all the same.
fn compared(asks: Contrast, names: [&str; 2], one: &str, other: &str) -> Option<String> {
    // How far it may be from what is exact.
    let figure = |text: &str| match text.strip_prefix(ROUNDED) {
        None => Some((Quantity::parse(text)?, Decimal::ZERO)),
        Some(rounded) => {
            let quantity = Quantity::parse(rounded)?;
            let last_place = Decimal::new(1, quantity.amount.scale());
            Some((quantity, last_place))
        }
    };
    let ((one, off), (other, other_off)) = (figure(one)?, figure(other)?);
    let off = off + other_off;
    let same_unit = one.unit == other.unit;
    let written = |amount: Decimal| with_unit(amount, one.unit.as_ref(), !off.is_zero());
    if asks == Contrast::Sum {
        let sum = one.amount.checked_add(other.amount).filter(|_| same_unit)?;
        return Some(format!("{}.", written(sum)));
    }
    let order = one.order(&other)?;
    let difference =
        one.amount.checked_sub(other.amount).filter(|_| same_unit).map(|difference| difference.abs());
    if !off.is_zero() && difference.is_none_or(|difference| difference <= off) {
        // It may be the other way round.
        return None;
    }
    let by = difference.map_or(String::new(), |difference| format!(", by {}", written(difference)));
    let [first, second] = names;
    let (larger, smaller) = if order == Ordering::Greater { (first, second) } else { (second, first) };
    Some(match (asks, order) {
        (Contrast::Which | Contrast::Smaller, Ordering::Equal) => "Both are the same.".to_owned(),
        (Contrast::Which, _) => format!("{larger} is larger{by}."),
        (Contrast::Smaller, _) => format!("{smaller} is smaller{by}."),
        (Contrast::Difference, Ordering::Equal) => "None: both are the same.".to_owned(),
        (Contrast::Difference, _) => format!("{larger} is larger, by {}.", written(difference?)),
        (Contrast::More | Contrast::Fewer, Ordering::Equal) => "No: both are the same.".to_owned(),
        (Contrast::More, Ordering::Greater) => format!("Yes, more{by}."),
        (Contrast::Fewer, Ordering::Less) => format!("Yes, fewer{by}."),
        (Contrast::More, Ordering::Less) => format!("No, fewer{by}."),
        (Contrast::Fewer, Ordering::Greater) => format!("No, more{by}."),
        (Contrast::Sum, _) => return None,
    })
}

fn with_unit(amount: Decimal, unit: Option<&Unit>, is_rounded: bool) -> String {
    let about = if is_rounded { ROUNDED } else { "" };
    match unit {
        None => format!("{about}{amount}"),
        Some(unit) if unit.before => format!("{about}{}{amount}", unit.text),
        Some(unit) => format!("{about}{amount} {}", unit.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(asks: Contrast, one: &str, other: &str) -> Option<String> {
        compared(asks, ["The first", "The second"], one, other)
    }

    #[test]
    fn figures_that_are_rounded_are_told_apart_only_where_that_is_sure() {
        let which = |one, other| said(Contrast::Which, one, other);
        assert_eq!(which("$6280.00", "$80.50").as_deref(), Some("The first is larger, by $6199.50."));
        assert_eq!(which("900 ms", "1 s").as_deref(), Some("The second is larger."));
        assert_eq!(which("5 EUR", "5.00 EUR").as_deref(), Some("Both are the same."));
        assert_eq!(which("5 EUR", "7 USD"), None);
        assert_eq!(which("about 1.3333", "5").as_deref(), Some("The second is larger, by about 3.6667."));
        assert_eq!(which("about 1.3333", "1.3333"), None, "either may be the larger");
        assert_eq!(which("about 1.3333", "about 1.3334"), None);
        assert_eq!(which("about 900 ms", "1 s"), None, "how far off is known in its own unit alone");
        let more = |one, other| said(Contrast::More, one, other);
        assert_eq!(more("3", "3").as_deref(), Some("No: both are the same."));
        assert_eq!(more("3", "many"), None);
    }

    #[test]
    fn a_difference_or_a_sum_is_given_in_the_unit_of_both() {
        for (asks, one, other, words) in [
            (Contrast::Difference, "4", "12", Some("The second is larger, by 8.")),
            (Contrast::Difference, "5 EUR", "1.50 EUR", Some("The first is larger, by 3.50 EUR.")),
            (Contrast::Difference, "5", "5", Some("None: both are the same.")),
            (Contrast::Difference, "900 ms", "1 s", None),
            (Contrast::Smaller, "4", "12", Some("The first is smaller, by 8.")),
            (Contrast::Smaller, "12", "4", Some("The second is smaller, by 8.")),
            (Contrast::Smaller, "4", "4", Some("Both are the same.")),
            (Contrast::Sum, "5 EUR", "1.50 EUR", Some("6.50 EUR.")),
            (Contrast::Sum, "about 1.3333", "5", Some("about 6.3333.")),
            (Contrast::Sum, "5 EUR", "5 USD", None),
            (Contrast::Sum, "5", "paid", None),
        ] {
            assert_eq!(said(asks, one, other).as_deref(), words, "{asks:?} {one} {other}");
        }
        let largest = Decimal::MAX.to_string();
        assert_eq!(said(Contrast::Sum, &largest, &largest), None, "it is too large to be added up");
    }

    #[test]
    fn who_asked_in_so_many_words_is_told_that_it_cannot_be_told() {
        let asked =
            |text: Option<&str>| Closing { asks: Contrast::Which, of: [1, 2], text: text.map(str::to_owned) };
        let figures = |other: Option<&str>| {
            [Some("ida.holm".to_owned()), Some("4 EUR".to_owned()), other.map(str::to_owned)]
        };
        let question = asked(Some("which of the two is larger"));
        let told_of = |other| told(&question, &figures(other)).unwrap();
        assert_eq!(told_of(Some("12 EUR")), "Which of the two is larger? Part 3 is larger, by 8 EUR.");
        for other in [None, Some("12 USD"), Some("paid")] {
            assert_eq!(
                told_of(other),
                "Which of the two is larger? That cannot be told: it takes an exact figure of parts 2 and 3, in one unit."
            );
        }
        assert_eq!(told(&asked(None), &figures(None)), None);
    }
}
