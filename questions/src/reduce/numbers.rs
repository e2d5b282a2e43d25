//! Totals, means and extremes of measured values, in exact decimals.

use std::cmp::Ordering;

use rust_decimal::Decimal;

use super::ROUNDED;
use crate::dialect::{Quantity, Scalar, Unit};

/// Values that can be compared with each other: numbers of one kind of unit, or moments.
#[derive(Debug)]
pub struct Group {
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    /// Position in the list the group was made from.
    at: usize,
    scalar: Scalar,
}

/// Values sorted into groups that can be compared, in order of appearance.
#[derive(Debug)]
pub struct Grouped {
    /// The groups.
    pub groups: Vec<Group>,
    /// Values that are neither numbers nor moments.
    pub unreadable: usize,
}

/// An exact amount and the unit it is shown in.
#[derive(Debug)]
pub struct Amount {
    value: Decimal,
    unit: Option<Unit>,
    rounded: bool,
}

/// Sorts values into groups.
pub fn grouped<'text>(values: impl Iterator<Item = &'text str>) -> Grouped {
    let mut groups: Vec<Group> = Vec::new();
    let mut unreadable = 0;
    for (at, text) in values.enumerate() {
        let scalar = Scalar::parse(text);
        if !matches!(scalar, Scalar::Number(_) | Scalar::Moment(_)) {
            unreadable += 1;
            continue;
        }
        let member = Member { at, scalar };
        match groups.iter_mut().find(|group| group.takes(&member.scalar)) {
            Some(group) => group.members.push(member),
            None => groups.push(Group { members: vec![member] }),
        }
    }
    Grouped { groups, unreadable }
}

impl Group {
    /// Whether the value is of the group's kind. Numbers with and without a unit are two kinds:
    /// nobody said that they mean the same.
    fn takes(&self, scalar: &Scalar) -> bool {
        match (&self.members[0].scalar, scalar) {
            (Scalar::Number(first), Scalar::Number(other)) => kind(first) == kind(other),
            (Scalar::Moment(_), Scalar::Moment(_)) => true,
            _ => false,
        }
    }

    /// How many values it has; never 0.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it holds a number below zero.
    pub fn has_negative(&self) -> bool {
        self.quantities().any(|quantity| quantity.amount.is_sign_negative() && !quantity.amount.is_zero())
    }

    /// Positions of the values that nothing in the group exceeds in the given direction.
    pub fn extremes(&self, direction: Ordering) -> Vec<usize> {
        let mut best: Vec<&Member> = Vec::new();
        for member in &self.members {
            let order = best.first().map_or(Some(direction), |first| member.scalar.order(&first.scalar));
            if order == Some(direction) {
                best = vec![member];
            } else if order == Some(Ordering::Equal) {
                best.push(member);
            }
        }
        best.iter().map(|member| member.at).collect()
    }

    /// The total; `None` for moments, and where it does not fit exactly into 28 digits.
    pub fn total(&self) -> Option<Amount> {
        let quantities: Vec<&Quantity> = self.quantities().collect();
        if quantities.len() < self.members.len() {
            return None;
        }
        let unit = quantities
            .iter()
            .filter_map(|quantity| quantity.unit.as_ref())
            .min_by(|left, right| left.measure.factor.cmp(&right.measure.factor))
            .cloned();
        let mut total = Decimal::ZERO;
        for quantity in quantities {
            let amount = match (&quantity.unit, &unit) {
                (Some(own), Some(shown)) if own.measure.factor != shown.measure.factor => {
                    let ratio = own.measure.factor.checked_div(shown.measure.factor)?;
                    exactly(quantity.amount.scale(), quantity.amount.checked_mul(ratio))?
                }
                _ => quantity.amount,
            };
            total = exactly(total.scale().max(amount.scale()), total.checked_add(amount))?;
        }
        Some(Amount { value: total, unit, rounded: false })
    }

    /// The mean, rounded to two places more than the values have.
    pub fn mean(&self) -> Option<Amount> {
        let total = self.total()?;
        let exact = total.value.checked_div(Decimal::from(self.members.len()))?;
        let value = exact.round_dp(total.value.scale() + 2);
        Some(Amount { value: value.normalize(), rounded: value != exact, unit: total.unit })
    }

    fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        self.members.iter().filter_map(|member| match &member.scalar {
            Scalar::Number(quantity) => Some(quantity),
            _ => None,
        })
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.rounded {
            out.write_str(ROUNDED)?;
        }
        match &self.unit {
            None => write!(out, "{}", self.value),
            Some(unit) if unit.before => {
                let sign = if self.value.is_sign_negative() { "-" } else { "" };
                let space = if unit.text.chars().all(char::is_alphabetic) { " " } else { "" };
                write!(out, "{sign}{}{space}{}", unit.text, self.value.abs())
            }
            Some(unit) if unit.text == "%" => write!(out, "{}%", self.value),
            Some(unit) => write!(out, "{} {}", self.value, unit.text),
        }
    }
}

fn kind(quantity: &Quantity) -> Option<&'static str> {
    quantity.unit.as_ref().map(|unit| unit.measure.kind.name())
}

/// The decimal type gives up decimal places before it gives up: such a result is not exact.
fn exactly(scale: u32, result: Option<Decimal>) -> Option<Decimal> {
    result.filter(|value| value.scale() >= scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only_group(values: &[&str]) -> Group {
        let mut grouped = grouped(values.iter().copied());
        assert_eq!((grouped.groups.len(), grouped.unreadable), (1, 0), "{values:?}");
        grouped.groups.remove(0)
    }

    #[test]
    fn totals_are_exact_and_keep_their_places_and_unit() {
        let total = |values: &[&str]| only_group(values).total().map(|amount| amount.to_string());
        assert_eq!(total(&["0.1", "0.2"]).as_deref(), Some("0.3"));
        assert_eq!(total(&["118.40", "1.60"]).as_deref(), Some("120.00"));
        assert_eq!(total(&["$6,288.95", "-$8.95"]).as_deref(), Some("$6280.00"));
        assert_eq!(total(&["1 s", "250ms"]).as_deref(), Some("1250 ms"));
        assert_eq!(total(&["100 EUR", "5 EUR"]).as_deref(), Some("105 EUR"));
        assert_eq!(total(&["2026-03-02"]), None);
        let huge = "9".repeat(28);
        assert_eq!(total(&[&huge, "0.001"]), None, "27 digits and three places do not fit");
    }

    #[test]
    fn means_say_when_they_are_rounded() {
        let mean = |values: &[&str]| only_group(values).mean().map(|amount| amount.to_string());
        assert_eq!(mean(&["1", "2"]).as_deref(), Some("1.5"));
        assert_eq!(mean(&["1.00", "1.00", "2.00"]).as_deref(), Some("about 1.3333"));
    }

    #[test]
    fn units_that_nobody_can_convert_stay_apart() {
        let grouped = grouped(["5 EUR", "5 USD", "7", "soon", "6€"].into_iter());
        assert_eq!(grouped.groups.iter().map(Group::len).collect::<Vec<_>>(), [2, 1, 1]);
        assert_eq!(grouped.unreadable, 1);
    }

    #[test]
    fn extremes_keep_ties_and_know_units_and_dates() {
        assert_eq!(only_group(&["3", "9", "9.0", "-10"]).extremes(Ordering::Greater), [1, 2]);
        assert_eq!(only_group(&["3", "9", "-10"]).extremes(Ordering::Less), [2]);
        assert_eq!(only_group(&["900ms", "1 s"]).extremes(Ordering::Greater), [1]);
        assert_eq!(only_group(&["2026-03-02", "2026-11-01"]).extremes(Ordering::Less), [0]);
    }
}
