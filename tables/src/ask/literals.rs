//! What a number of a question means in a column: in its unit, its currency, its percent.

use jiff::civil::Time;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::conditions::is_money;
use super::frame::Parser;
use super::pieces::Meaning;
use super::times::Span;
use super::tokens::Quantity;
use crate::column::{Column, Kind, Unit};
use crate::query::{Filter, Literal};
use crate::value::unit::{self, Measure};
use crate::vocabulary;

impl Parser<'_> {
    /// A number of the question in the unit of a column.
    pub(super) fn literal(&mut self, column: usize, quantity: &Quantity) -> Option<Literal> {
        let described = &self.table.columns[column];
        if quantity.is_doubtful {
            self.frame
                .doubt
                .notes
                .push(format!("a number of the question was read as {}", quantity.value.normalize()));
            self.frame.doubt.guesses += 4;
        }
        let (measure, unit) = match &described.kind {
            Kind::Duration { unit, .. } => (Measure::Duration, *unit),
            Kind::Size { unit, .. } => (Measure::Size, *unit),
            Kind::Number { unit: own, .. } => {
                if quantity.percent != (*own == Unit::Percent) && quantity.percent {
                    return None;
                }
                if *own == Unit::Percent
                    && !quantity.percent
                    && quantity.value < Decimal::ONE
                    && !quantity.value.is_zero()
                {
                    self.frame
                        .doubt
                        .notes
                        .push(format!("{} was read as percent, not as a part of one", quantity.value));
                    self.frame.doubt.guesses += 4;
                }
                let same_currency = match (quantity.currency, own) {
                    (Some(code), Unit::Currency(other)) => code == *other,
                    (Some(_), _) => is_money(described),
                    _ => true,
                };
                // `an hour` of a column `minutes`
                if let (Some(name), Some(own)) = (&quantity.unit, duration_in_name(described))
                    && let (Some(from), Some(to)) =
                        (unit::factor(name, Measure::Duration), unit::factor(&own, Measure::Duration))
                {
                    let value =
                        quantity.value.checked_mul(Decimal::from(from))?.checked_div(Decimal::from(to))?;
                    return Some(Literal::Number(value));
                }
                // `half a kilo` of grams
                if let Some(name) = &quantity.unit
                    && let Some(sign) = vocabulary::sign_of(&name.to_lowercase())
                    && !sign.eq_ignore_ascii_case(described.unit_label())
                    && let Some(power) = unit::power_between(sign, described.unit_label())
                {
                    let ten = Decimal::from(10_i64.checked_pow(power.unsigned_abs())?);
                    let value = if power < 0 {
                        quantity.value.checked_div(ten)?
                    } else {
                        quantity.value.checked_mul(ten)?
                    };
                    return Some(Literal::Number(value));
                }
                let same_unit = quantity.unit.as_ref().is_none_or(|unit| {
                    described.unit_label().eq_ignore_ascii_case(unit)
                        || vocabulary::names_unit(&unit.to_lowercase(), described.unit_label())
                        || column_names_unit(described, unit)
                });
                return (same_currency && same_unit).then_some(Literal::Number(quantity.value));
            }
            // `longer than an hour` of `0:42:09`: a time of day, or a length of time where no other column holds such.
            Kind::Time => {
                if self.table.columns.iter().any(|other| matches!(other.kind, Kind::Duration { .. })) {
                    return None;
                }
                let factor = unit::factor(quantity.unit.as_deref()?, Measure::Duration)?;
                let nanoseconds = quantity.value.checked_mul(Decimal::from(factor))?.to_i64()?;
                let seconds = nanoseconds / 1_000_000_000;
                self.frame.doubt.guesses += 3;
                let time = Time::new(
                    i8::try_from(seconds / 3600).ok()?,
                    i8::try_from(seconds / 60 % 60).ok()?,
                    i8::try_from(seconds % 60).ok()?,
                    0,
                );
                return Some(Literal::Moment(time.ok()?.to_string()));
            }
            _ => return None,
        };
        let Some(name) = &quantity.unit else {
            self.frame
                .doubt
                .notes
                .push(format!("no unit was named for {}: read as {unit}", quantity.value.normalize()));
            self.frame.doubt.guesses += if described.notes.is_empty() { 1 } else { 3 };
            return Some(Literal::Number(quantity.value));
        };
        let from = unit::factor(name, measure)?;
        let to = unit::factor(unit, measure)?;
        Some(Literal::Number(
            quantity.value.checked_mul(Decimal::from(from))?.checked_div(Decimal::from(to))?,
        ))
    }
}

impl Parser<'_> {
    /// `3:45:00` of a race: a length of time where the column holds such.
    pub(super) fn as_length(&self, column: usize, meaning: Meaning) -> Meaning {
        let (Kind::Duration { unit, .. }, Meaning::Time(Span::Clock(clock))) =
            (&self.table.columns[column].kind, &meaning)
        else {
            return meaning;
        };
        let parts = [clock.hour(), clock.minute(), clock.second()].map(i64::from);
        // `24:18` of minutes and seconds
        let seconds = if *unit != unit::CLOCK && unit::is_clock(unit) && parts[2] == 0 {
            parts[0] * 60 + parts[1]
        } else {
            parts[0] * 3600 + parts[1] * 60 + parts[2]
        };
        Meaning::Number(Quantity { unit: Some("s".to_owned()), ..Quantity::of(seconds) })
    }

    /// `more than 5,000 EUR` of amounts in several currencies: only of those in that one.
    pub(super) fn in_its_currency(&self, filter: Filter, column: usize, quantity: &Quantity) -> Filter {
        let (Some(code), Some(currencies)) = (quantity.currency, self.table.columns[column].currency_column)
        else {
            return filter;
        };
        let hits = self.table.values().whole(&[code.to_lowercase()]);
        let spelled = hits.iter().find(|hit| hit.column == currencies).map_or_else(
            || vec![code.to_owned()],
            |hit| hit.spellings.iter().map(|(spelling, _)| spelling.clone()).collect(),
        );
        let values = spelled.into_iter().map(Literal::Text).collect();
        Filter::And(vec![filter, Filter::In { column: currencies, values }])
    }
}

/// The unit of time that a column's name says: `minutes`, `latency_ms`.
pub(super) fn duration_in_name(column: &Column) -> Option<String> {
    let is_unit = |part: &String| part.len() > 1 && unit::measure_of(part) == Some(Measure::Duration);
    words_for_units(column).into_iter().find(is_unit).filter(|_| column.unit_label().is_empty())
}

/// The words of a column's name that may be units. `HR` alone, or beside small letters, is a heart rate and no hour.
pub(super) fn words_for_units(column: &Column) -> Vec<String> {
    let name = &column.name;
    let is_rate = name == "HR" || name.contains("HR") && name.contains(char::is_lowercase);
    let words = crate::words::parts(name).into_iter();
    words.filter(|word| !(is_rate && word == "hr")).collect()
}

/// `latency_ms` counts milliseconds.
pub(super) fn column_names_unit(column: &Column, unit: &str) -> bool {
    words_for_units(column)
        .iter()
        .any(|part| part.eq_ignore_ascii_case(unit) || vocabulary::are_synonyms(part, unit) && part.len() < 4)
}
