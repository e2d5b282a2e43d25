//! What the cells say against adding or comparing numbers: other units, the same amount once more, a state at another time.

use rust_decimal::Decimal;

use super::phrases::{CUMULATIVE, NOT_ADDED, STOCKS};
use super::said;
use crate::query::{Aggregate, Cell, Filter, Function, Outcome, Query};
use crate::table::Table;
use crate::value::unit;
use crate::{vocabulary, words};

/// Most different values of a column that names units.
const MOST_UNITS: usize = 40;

/// Fewest keys with several rows that show that a number belongs to the key.
const FEWEST_KEYS: u64 = 2;

/// Fewest rows that are larger than the row before that show a meter.
const FEWEST_RISES: u64 = 6;

/// Numbers from which on a whole number may be that of a record: `order=501`.
const SMALLEST_KEY: u32 = 100;

impl Table {
    /// Whether the numbers of a column are in one unit, and none is perhaps a thousand times as large.
    pub(super) fn is_of_one_unit(&self, column: usize) -> bool {
        !self.columns[column].may_be_thousands && !self.has_units_apart(column)
    }

    /// Whether numbers are in units or currencies that stand in a column of their own and differ. A column that is known to hold
    /// the currencies of an amount is kept apart elsewhere.
    fn has_units_apart(&self, measure: usize) -> bool {
        let measured = &self.columns[measure];
        let is_of_units = |column: usize| {
            let described = &self.columns[column];
            let parts = words::parts(&described.name);
            let is_called_unit =
                parts.iter().any(|part| matches!(part.as_str(), "unit" | "units" | "einheit" | "uom"));
            let distinct = self.values().distinct[column];
            if is_called_unit && distinct > 1 {
                return true;
            }
            let is_told = measured.currency_column == Some(column) || !measured.unit_label().is_empty();
            if is_told || !(2..=MOST_UNITS).contains(&distinct) || !described.is_text() {
                return false;
            }
            let texts = self.first_texts(column);
            let counts_things = vocabulary::names_quantity(&words::parts(&measured.name));
            are_units(&texts) || !counts_things && texts.iter().all(|text| unit::is_currency_code(text))
        };
        (0..self.columns.len()).any(is_of_units)
    }

    /// Whether a number tells how much there is at a time, and rows are of several times.
    pub(super) fn is_state(&self, column: usize) -> bool {
        let parts = words::parts(said::bare(&self.columns[column].name));
        let has = |listed: &[&str]| {
            parts.iter().any(|part| listed.iter().any(|word| words::same_but_plural(part, word)))
        };
        has(CUMULATIVE) || has(STOCKS) && self.has_several_times()
    }

    /// Whether rows are of several times, and no name stands once: each place has a row for each year.
    fn has_several_times(&self) -> bool {
        let names_time = |column: usize| {
            let described = &self.columns[column];
            let parts = words::parts(&described.name);
            described.is_moment() || parts.iter().any(|part| vocabulary::names_time(part) || is_stretch(part))
        };
        let columns = 0..self.columns.len();
        let has_times = columns.clone().any(|column| names_time(column) && self.distinct(column) > 1);
        let is_name =
            |column: usize| self.columns[column].is_text() && !names_time(column) && self.is_unique(column);
        has_times && !columns.clone().any(is_name)
    }

    /// Whether a number is that of a larger thing and stands again in each of its rows, or grows in the rows of each thing.
    pub(super) fn is_repeated_number(&self, column: usize, filter: Option<&Filter>) -> bool {
        (0..self.columns.len()).filter(|key| *key != column && self.may_be_key(*key)).any(|key| {
            let Ok(all) = self.repeats(key, column, None) else { return true };
            let is_of_key = all.repeated >= FEWEST_KEYS && all.differing == 0 && !all.is_constant;
            let is_meter = all.differing >= FEWEST_KEYS && all.falls == 0 && all.rises >= FEWEST_RISES;
            // Of each thing, the condition may have left one row.
            (is_of_key || is_meter)
                && !matches!(self.repeats(key, column, filter), Ok(found) if found.repeated == 0)
        })
    }

    /// Whether rows with the same value in a column may be of one thing.
    fn may_be_key(&self, column: usize) -> bool {
        let described = &self.columns[column];
        if described.is_text() || described.is_moment() {
            return true;
        }
        if !described.is_numeric() || described.scale() != Some(0) || !described.unit_label().is_empty() {
            return false;
        }
        let parts = words::parts(&described.name);
        let is_amount = vocabulary::names_money(&parts)
            || vocabulary::names_quantity(&parts)
            || parts
                .iter()
                .any(|part| NOT_ADDED.contains(&part.as_str()) && part != "year" && part != "jahr");
        self.holds_codes(column)
            || !is_amount && self.number_of(Function::Min, column) >= Decimal::from(SMALLEST_KEY)
    }

    fn distinct(&self, column: usize) -> u64 {
        let found = self.number_of(Function::CountDistinct, column);
        u64::try_from(found).unwrap_or(u64::MAX)
    }

    /// A number of a whole column; zero if there is none.
    fn number_of(&self, function: Function, column: usize) -> Decimal {
        let outcome = self.run(&Query::number(Aggregate::of(function, column), None));
        match outcome.ok().as_ref().and_then(Outcome::single) {
            Some(Cell::Number(number)) => *number,
            _ => Decimal::ZERO,
        }
    }
}

fn is_stretch(part: &str) -> bool {
    let stretches = [
        "year", "quarter", "month", "week", "day", "date", "season", "period", "jahr", "quartal", "monat",
        "woche", "tag", "datum", "saison", "zeitraum",
    ];
    stretches.iter().any(|stretch| words::same_but_plural(part, stretch))
}

/// Whether texts are units of amounts. Single letters alone may as well be sizes or sexes: S, M, L; m, w.
fn are_units(texts: &[String]) -> bool {
    let is_letter = |text: &String| matches!(text.to_lowercase().as_str(), "s" | "m" | "l" | "w" | "d");
    !texts.is_empty() && texts.iter().all(|text| unit::is_of_amounts(text)) && !texts.iter().all(is_letter)
}
