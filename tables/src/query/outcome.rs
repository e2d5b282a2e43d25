//! What a query found: cells under headings, the rows that they rest on, and the rows that were left out.

use std::fmt;

use rusqlite::types::ValueRef;
use rust_decimal::{Decimal, RoundingStrategy};

use super::ast::{Aggregate, Bucket, Function, Part};
use super::describe::part_word;
use super::statement::Statement;
use crate::column::{Column, Kind, Unit};
use crate::value::unit;

/// The result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What was run.
    pub statement: Statement,
    /// What the cells of each row are.
    pub headings: Vec<Heading>,
    /// The rows, in order.
    pub rows: Vec<Vec<Cell>>,
    /// Whether more rows were found than are kept.
    pub is_cut: bool,
    /// How many records or lines the filter let through.
    pub matched: u64,
    /// Rows that matched and have no usable value in a column that is measured.
    pub left_out: Vec<LeftOut>,
    /// Lines of the file that the result rests on, in order; the first of many.
    pub lines: Vec<u32>,
    /// Whether it rests on more lines than are named.
    pub has_more_lines: bool,
}

/// Rows without a usable value in a measured column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The column.
    pub column: usize,
    /// Nothing stands there.
    pub missing: u64,
    /// Something else stands there.
    pub misfits: u64,
}

/// What the cells of a column of the result are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Its name.
    pub name: String,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Plain,
    /// Numbers with as many decimals at most, all of them shown or not, and a unit behind.
    Number {
        decimals: u32,
        pads: bool,
        unit: String,
    },
    Boolean {
        yes: &'static str,
        no: &'static str,
    },
    /// Moments whose year is none.
    WithoutYear,
    /// Numbers of weekdays, Monday is 1.
    Weekday,
}

/// One value of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Missing,
    /// A number.
    Number(Decimal),
    /// A text or a moment.
    Text(String),
    /// Yes or no.
    Boolean(bool),
}

/// Decimals of a number that has no natural end, such as an average.
const RATIO_DECIMALS: u32 = 2;

/// Decimals of the smallest number that is shown as more than zero.
const LEAST_DECIMALS: u32 = 6;

impl Outcome {
    /// Turns lengths of time and sizes into another unit of theirs.
    pub(crate) fn turn_into(&mut self, wanted: &str) {
        let Some(measure) = unit::measure_of(wanted) else { return };
        let Some(by) = unit::factor(wanted, measure) else { return };
        for (column, heading) in self.headings.iter_mut().enumerate() {
            let Shape::Number { decimals, unit, .. } = &mut heading.shape else { continue };
            let Some(times) = unit::factor(unit, measure) else { continue };
            if times == by && !unit::is_clock(unit) {
                continue;
            }
            *decimals = (*decimals).max(RATIO_DECIMALS);
            unit::shown(by, measure).clone_into(unit);
            for cell in self.rows.iter_mut().filter_map(|row| row.get_mut(column)) {
                if let Cell::Number(number) = cell
                    && let Some(turned) =
                        number.checked_mul(times.into()).and_then(|number| number.checked_div(by.into()))
                {
                    *number = turned
                        .round_dp_with_strategy(*decimals, RoundingStrategy::MidpointAwayFromZero)
                        .normalize();
                }
            }
        }
    }
}

impl Outcome {
    /// Writes lengths of time as the cells of the file do, where these are written as a clock shows them.
    pub(crate) fn show_clocks(&mut self) {
        for (column, heading) in self.headings.iter_mut().enumerate() {
            let Shape::Number { unit, .. } = &heading.shape else { continue };
            if !unit::is_clock(unit) {
                continue;
            }
            for cell in self.rows.iter_mut().filter_map(|row| row.get_mut(column)) {
                if let Cell::Number(number) = cell
                    && let Some(shown) = unit::in_clock(*number, unit)
                {
                    *cell = Cell::Text(shown);
                }
            }
            heading.shape = Shape::Plain;
        }
    }
}

impl Heading {
    pub(super) fn plain(name: &str) -> Self {
        Self { name: name.to_owned(), shape: Shape::Plain }
    }

    pub(super) fn of_column(column: &Column) -> Self {
        let shape = match &column.kind {
            Kind::Number { scale, unit } => {
                let pads = matches!(unit, Unit::Currency(_) | Unit::Currencies);
                Shape::Number { decimals: scale.unwrap_or(12), pads, unit: column.unit_label().to_owned() }
            }
            Kind::Duration { scale, .. } | Kind::Size { scale, .. } => {
                Shape::Number { decimals: *scale, pads: false, unit: column.unit_label().to_owned() }
            }
            Kind::Boolean { yes, no } => Shape::Boolean { yes, no },
            Kind::DateTime { has_year: false, .. } => Shape::WithoutYear,
            _ => Shape::Plain,
        };
        Self { name: column.name.clone(), shape }
    }

    /// The heading of stretches of a column's time.
    pub(super) fn of_bucket(bucket: Bucket, name: &str, column: &Column) -> Self {
        match bucket {
            Bucket::Weekday => Self { name: name.to_owned(), shape: Shape::Weekday },
            _ => Self::of_column(column).named(name),
        }
    }

    pub(super) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    pub(super) fn of_aggregate(aggregate: &Aggregate, column: Option<&Column>) -> Self {
        let name = column.map_or("", |column| column.name.as_str());
        let scale = column.and_then(Column::scale);
        let unit = column.map_or("", Column::unit_label);
        let number =
            |decimals: u32, pads: bool, unit: &str| Shape::Number { decimals, pads, unit: unit.to_owned() };
        let ratio = || number(scale.unwrap_or(4).max(RATIO_DECIMALS), false, unit);
        let (name, shape) = match &aggregate.function {
            Function::Count if name.is_empty() => ("count".to_owned(), number(0, false, "")),
            Function::Count => (format!("count of {name}"), number(0, false, "")),
            Function::CountDistinct => (format!("different {name}"), number(0, false, "")),
            Function::Sum => (format!("total {name}"), number(scale.unwrap_or(6), unit.len() == 3, unit)),
            Function::Average => (format!("average {name}"), ratio()),
            Function::Median => (format!("median {name}"), ratio()),
            Function::Percentile(percent) => (format!("{percent}th percentile of {name}"), ratio()),
            Function::StandardDeviation => (format!("standard deviation of {name}"), ratio()),
            Function::Min | Function::Max => {
                let word = if aggregate.function == Function::Min { "smallest" } else { "largest" };
                let shape = column.map_or(Shape::Plain, |column| Self::of_column(column).shape);
                (format!("{word} {name}"), shape)
            }
            Function::Difference => (format!("range of {name}"), number(scale.unwrap_or(6), false, unit)),
            Function::Share => ("share".to_owned(), number(RATIO_DECIMALS, false, "%")),
            Function::Rate { .. } => ("rate".to_owned(), number(RATIO_DECIMALS, false, "")),
            Function::PerValue => (format!("per {name}"), number(RATIO_DECIMALS, false, "")),
        };
        Self { name, shape }
    }

    pub(super) fn cell(&self, value: ValueRef<'_>) -> Cell {
        match (value, &self.shape) {
            (ValueRef::Integer(value), Shape::Boolean { .. }) => Cell::Boolean(value != 0),
            (ValueRef::Integer(value), Shape::Weekday) => Cell::Text(part_word(Part::Weekday, value)),
            (ValueRef::Integer(value), _) => Cell::Number(Decimal::from(value)),
            (ValueRef::Real(value), shape) => match value.to_string().parse::<Decimal>() {
                Ok(decimal) => {
                    let decimals = if let Shape::Number { decimals, .. } = shape { *decimals } else { 12 };
                    Cell::Number(rounded(decimal, decimals))
                }
                Err(_) => Cell::Text(value.to_string()),
            },
            (ValueRef::Text(bytes), Shape::WithoutYear) => {
                let text = String::from_utf8_lossy(bytes);
                Cell::Text(text.get(5..).unwrap_or(&text).to_owned())
            }
            (ValueRef::Text(bytes), Shape::Number { .. }) => {
                let text = String::from_utf8_lossy(bytes);
                text.parse().map_or_else(|_| Cell::Text(text.into_owned()), Cell::Number)
            }
            (ValueRef::Text(bytes), _) => Cell::Text(String::from_utf8_lossy(bytes).into_owned()),
            (ValueRef::Null | ValueRef::Blob(_), _) => Cell::Missing,
        }
    }

    /// A cell under this heading as people read it, with its unit.
    pub fn shown(&self, cell: &Cell) -> String {
        match (cell, &self.shape) {
            (Cell::Number(_), Shape::Number { unit, .. }) if !unit.is_empty() => {
                let space = if unit == "%" { "" } else { " " };
                format!("{}{space}{unit}", self.plain_text(cell))
            }
            _ => self.plain_text(cell),
        }
    }

    /// The same without its unit.
    pub fn plain_text(&self, cell: &Cell) -> String {
        match (cell, &self.shape) {
            (Cell::Number(number), Shape::Number { decimals, pads: true, .. }) => {
                format!("{number:.*}", usize::try_from(*decimals).unwrap_or(2))
            }
            (Cell::Boolean(value), Shape::Boolean { yes, no }) => {
                (if *value { *yes } else { *no }).to_owned()
            }
            _ => cell.to_string(),
        }
    }
}

/// A number with so many decimals; one that would be hardly more than zero keeps two digits: 0.0033 % are some.
fn rounded(number: Decimal, decimals: u32) -> Decimal {
    let strategy = RoundingStrategy::MidpointAwayFromZero;
    let smallest = Decimal::new(1, decimals.saturating_sub(1).min(Decimal::MAX_SCALE));
    // Below that a double has nothing but what its last digits leave.
    let is_some = number.abs() >= Decimal::new(1, LEAST_DECIMALS);
    if number.abs() < smallest && is_some && decimals > 0 {
        return number.round_sf_with_strategy(2, strategy).unwrap_or(number);
    }
    number.round_dp_with_strategy(decimals, strategy)
}

impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => formatter.write_str("(missing)"),
            Self::Number(number) => write!(formatter, "{}", number.normalize()),
            Self::Text(text) => formatter.write_str(text),
            Self::Boolean(value) => formatter.write_str(if *value { "yes" } else { "no" }),
        }
    }
}

impl Outcome {
    /// The only cell of the result, if there is one.
    pub fn single(&self) -> Option<&Cell> {
        match self.rows.as_slice() {
            [row] if row.len() == 1 => row.first(),
            _ => None,
        }
    }

    /// The rows as CSV with a header.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let _ = writer.write_record(self.headings.iter().map(|heading| heading.name.as_str()));
        for row in &self.rows {
            let _ = writer.write_record(row.iter().zip(&self.headings).map(|(cell, heading)| match cell {
                Cell::Missing => String::new(),
                _ => heading.plain_text(cell),
            }));
        }
        writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
    }
}
