//! Which column a number of a question is compared with, where none is named.

use super::conditions::{is_money, is_year};
use super::frame::Parser;
use super::lexicon::Word;
use super::literals::{column_names_unit, duration_in_name, words_for_units};
use super::pieces::Meaning;
use super::superlatives::{is_age, time_taken};
use super::tokens::Quantity;
use crate::column::{Column, Kind, Unit};
use crate::query::{Comparison, Query};
use crate::table::Table;
use crate::value::unit::{self, Measure};
use crate::vocabulary;

impl Table {
    /// Whether what a query measures can be said in a unit: lengths of time are no sizes.
    pub(super) fn may_be_told_in(&self, query: &Query, wanted: &str) -> bool {
        let Some(measure) = unit::measure_of(wanted) else { return true };
        let is_of_another = |column: &usize| {
            let described = &self.columns[*column];
            let own = match &described.kind {
                Kind::Duration { .. } => Some(Measure::Duration),
                Kind::Size { .. } => Some(Measure::Size),
                _ => words_for_units(described)
                    .iter()
                    .filter(|part| part.len() > 1)
                    .find_map(|part| unit::measure_of(part)),
            };
            own.is_some_and(|own| own != measure)
        };
        !query.measured().iter().any(is_of_another)
    }
}

/// Whether a column of money holds a part of another one's.
pub(super) fn is_part_of_total(column: &Column) -> bool {
    const PARTS: &str = "discount rabatt nachlass tax vat mwst ust steuer tip trinkgeld shipping versand versandkosten deposit kaution \
        anzahlung refund erstattung unit stückpreis einzelpreis surcharge zuschlag commission provision net netto cost \
        balance rest saldo subtotal zwischensumme";
    let is_part = |part: &String| PARTS.split_whitespace().any(|other| other == part);
    crate::words::parts(&column.name).iter().any(is_part)
}

impl Parser<'_> {
    /// The only column that a free number can be of: of its unit, the one asked about, or the only measure.
    pub(super) fn measure_for(&mut self, quantity: &Quantity) -> Option<usize> {
        let table = self.table;
        if let Some(name) = &quantity.unit {
            let measure = unit::measure_of(name);
            let found = self.only_column(|column| match (&column.kind, measure) {
                (Kind::Duration { .. } | Kind::Time, Some(Measure::Duration))
                | (Kind::Size { .. }, Some(Measure::Size)) => true,
                (Kind::Number { .. }, _) => {
                    column.unit_label().eq_ignore_ascii_case(name)
                        || !column.unit_label().is_empty()
                            && vocabulary::names_unit(&name.to_lowercase(), column.unit_label())
                        || vocabulary::sign_of(&name.to_lowercase())
                            .is_some_and(|sign| unit::power_between(sign, column.unit_label()).is_some())
                        || column_names_unit(column, name)
                        || duration_in_name(column).is_some() && measure == Some(Measure::Duration)
                }
                _ => false,
            });
            let is_length = |column: &Column| matches!(column.kind, Kind::Duration { .. });
            return found
                .or_else(|| (measure == Some(Measure::Duration)).then(|| self.only_column(is_length))?)
                .or_else(|| (measure == Some(Measure::Duration)).then(|| time_taken(table))?)
                .or_else(|| self.end_of_range_for(name));
        }
        if let Some(code) = quantity.currency {
            let with = self.only_column(|column| matches!(&column.kind, Kind::Number { unit: Unit::Currency(other), .. } if *other == code));
            return with.or_else(|| self.only_column(is_money)).or_else(|| self.main_money());
        }
        let is_amount = |column: &usize| table.columns[*column].is_numeric() && !self.is_identifier(*column);
        let named: Vec<usize> = self.frame.named.columns.iter().copied().filter(is_amount).collect();
        if let [column] = named.as_slice() {
            return Some(*column);
        }
        self.frame.doubt.guesses += 2;
        if let [column] = table.measures().as_slice() {
            Some(*column)
        } else {
            self.frame.doubt.guesses += 1;
            self.only_column(is_money)
        }
    }

    /// Of several columns of money the only one that is no part of another: the total, and not the discount.
    fn main_money(&mut self) -> Option<usize> {
        let found = self.only_column(|column| is_money(column) && !is_part_of_total(column))?;
        self.frame.doubt.guesses += 3;
        Some(found)
    }

    /// `30 degrees or more`, where each row has a least and a most: what is above is said of the most.
    fn end_of_range_for(&mut self, unit: &str) -> Option<usize> {
        let (least, most) = self.table.ends_of_a_range()?;
        let described = &self.table.columns[most];
        let is_of_unit = described.unit_label().eq_ignore_ascii_case(unit)
            || column_names_unit(described, unit)
            || crate::vocabulary::names_unit(&unit.to_lowercase(), described.unit_label());
        let compares = |at: usize| match self.pieces.get(at) {
            Some(Meaning::Word(Word::Compare(comparison))) => Some(*comparison),
            _ => None,
        };
        let comparison = compares(self.at).or_else(|| compares(self.at.checked_sub(1)?))?;
        self.frame.doubt.guesses += 3;
        is_of_unit.then_some(match comparison {
            Comparison::Greater | Comparison::AtLeast => most,
            _ => least,
        })
    }

    /// `older than 2015` of a column of years or days is before it.
    pub(super) fn of_age(&mut self, column: usize, comparison: Comparison, offset: usize) -> Comparison {
        let text = self.texts[self.at + offset].to_lowercase();
        let speaks_of_age =
            ["older than", "younger than", "newer than", "älter als", "jünger als", "neuer als"]
                .contains(&text.as_str());
        let described = &self.table.columns[column];
        // Whether a larger number is older, only a column that is called so tells.
        if speaks_of_age && !is_year(described) && !described.is_moment() && !is_age(described) {
            self.frame.doubt.guesses += 3;
        }
        match comparison {
            Comparison::Greater if speaks_of_age && (is_year(described) || described.is_moment()) => {
                Comparison::Less
            }
            Comparison::Less if speaks_of_age && (is_year(described) || described.is_moment()) => {
                Comparison::Greater
            }
            other => other,
        }
    }

    pub(super) fn only_column(&self, fits: impl Fn(&Column) -> bool) -> Option<usize> {
        let mut found =
            self.table.columns.iter().enumerate().filter(|(_, column)| fits(column)).map(|(index, _)| index);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}
