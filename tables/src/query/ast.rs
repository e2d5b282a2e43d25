//! A question in a form that code can finish. Columns are named by their index in the table.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

/// What is asked of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// What the rows are.
    pub source: Source,
    /// Which rows count.
    pub filter: Option<Filter>,
    /// What rows are put together by.
    pub groups: Vec<Key>,
    /// What is shown, in order.
    pub outputs: Vec<Output>,
    /// Which groups count.
    pub having: Vec<Having>,
    /// What comes first.
    pub order: Vec<Order>,
    /// How many are shown.
    pub limit: Option<Limit>,
    /// Whether equal results are shown once.
    pub distinct: bool,
    /// The limit counts in each of these groups: the first three of each squad.
    pub limited_in: Vec<Key>,
    /// Whether only the number of the results is shown.
    pub is_counted: bool,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// A record.
    #[default]
    Records,
    /// A line of the file, blank ones too.
    Lines,
}

/// A condition on a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// All hold.
    And(Vec<Filter>),
    /// At least one holds.
    Or(Vec<Filter>),
    /// It does not hold. A row without a value is neither.
    Not(Box<Filter>),
    /// A column's value compared with another.
    Compare {
        /// The column.
        column: usize,
        /// How.
        comparison: Comparison,
        /// With what.
        value: Literal,
    },
    /// One of several values.
    In {
        /// The column.
        column: usize,
        /// The values.
        values: Vec<Literal>,
    },
    /// From one value to another.
    Between {
        /// The column.
        column: usize,
        /// The least.
        from: Literal,
        /// The most.
        to: Literal,
        /// Whether `to` itself counts.
        includes_end: bool,
    },
    /// A test of a column's text, case folded.
    Text {
        /// The column.
        column: usize,
        /// Which test.
        test: TextTest,
        /// The text or pattern.
        text: String,
    },
    /// A test of the text of a line, case folded. Only where rows are lines.
    Line {
        /// Which test.
        test: TextTest,
        /// The text or pattern.
        text: String,
    },
    /// Nothing stands there.
    Missing(usize),
    /// Something stands there that is not of the column's type.
    Misfit(usize),
    /// A part of a moment is one of these numbers.
    Part {
        /// The column.
        column: usize,
        /// Which part.
        part: Part,
        /// The numbers.
        values: Vec<i64>,
    },
    /// What the text of a column means. Code cannot tell: the lines of the records are known from readers.
    Means {
        /// The column.
        column: usize,
        /// What its text is to mean, in words.
        says: String,
        /// The first lines of the records of which that is known.
        lines: BTreeSet<u32>,
    },
    /// A time of day from one minute to before another, which may be on the next day.
    Clock {
        /// The column.
        column: usize,
        /// Minutes since midnight.
        from: i64,
        /// Minutes since midnight, not included.
        to: i64,
    },
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The same.
    Equal,
    /// Not the same.
    NotEqual,
    /// More, later.
    Greater,
    /// Less, earlier.
    Less,
    /// No less.
    AtLeast,
    /// No more.
    AtMost,
}

/// How a text is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextTest {
    /// It stands somewhere in the text.
    Contains,
    /// It stands there as a whole word or as whole words.
    Word,
    /// The text begins with it.
    StartsWith,
    /// The text ends with it.
    EndsWith,
    /// `%` and `_` stand for any text and any letter.
    Like,
    /// A regular expression.
    Regex,
}

/// A part of a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The year.
    Year,
    /// 1 to 12.
    Month,
    /// 1 to 4.
    Quarter,
    /// 1 to 31.
    Day,
    /// Monday is 1.
    Weekday,
    /// 0 to 23.
    Hour,
}

/// A value in a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// A number, in the unit of the column.
    Number(Decimal),
    /// A text, as it stands in the column.
    Text(String),
    /// A day or a moment, in the form of the column: `2026-03-04`, `2026-03-04 10:00:00`, `10:00:00`.
    Moment(String),
    /// Yes or no.
    Boolean(bool),
    /// What stands in another column of the same row.
    Column(usize),
}

/// What rows are put together by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// The value of a column.
    Column(usize),
    /// A stretch of time.
    Bucket(usize, Bucket),
}

/// Stretches of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bucket {
    /// `2026`
    Year,
    /// `2026-Q1`
    Quarter,
    /// `2026-03`
    Month,
    /// `2026-W10`, as ISO 8601 counts.
    Week,
    /// `2026-03-04`
    Day,
    /// `2026-03-04 10:00`
    Hour,
    /// `2026-03-04 10:11`
    Minute,
    /// Monday to Sunday, of all weeks.
    Weekday,
    /// 0 to 23, of all days.
    HourOfDay,
    /// 1 to 12, of all years.
    MonthOfYear,
}

/// A column of the result.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// What the rows are put together by: an index into the groups.
    Key(usize),
    /// A column's value, row by row.
    Column(usize),
    /// The whole line. Only where rows are lines.
    Line,
    /// A number made of many rows.
    Aggregate(Aggregate),
    /// One such number less another.
    Difference {
        /// The first.
        of: Aggregate,
        /// The other.
        less: Aggregate,
        /// Whether it is below zero where the other is larger; else it is how far they are apart.
        is_signed: bool,
    },
}

/// A number made of many rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// How.
    pub function: Function,
    /// Of which column; none for a count of rows.
    pub column: Option<usize>,
    /// Only of rows that this holds for too.
    pub only: Option<Filter>,
}

/// How a number is made of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Function {
    /// How many rows, or values.
    Count,
    /// How many different values.
    CountDistinct,
    /// All added.
    Sum,
    /// The mean.
    Average,
    /// The middle value.
    Median,
    /// The value that so many of a hundred do not exceed, interpolated.
    Percentile(u8),
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// Of a sample: divided by one less than the count.
    StandardDeviation,
    /// The largest less the smallest.
    Difference,
    /// Rows that `only` holds for, of a hundred; with a column, its sum.
    Share,
    /// Rows per so many seconds, from the first moment of the column to the last.
    Rate {
        /// The length of the stretch.
        seconds: u32,
    },
    /// Rows per different value of the column.
    PerValue,
}

/// A condition on a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Having {
    /// What of the group.
    pub aggregate: Aggregate,
    /// How.
    pub comparison: Comparison,
    /// With what.
    pub value: Decimal,
}

/// What comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Which output.
    pub output: usize,
    /// Largest first.
    pub descending: bool,
}

/// How many results are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// How many.
    pub count: u32,
    /// Whether all that are equal to the last are shown too.
    pub with_ties: bool,
}

impl Output {
    /// The numbers it is made of.
    pub fn aggregates(&self) -> impl Iterator<Item = &Aggregate> {
        let (first, second) = match self {
            Self::Aggregate(aggregate) => (Some(aggregate), None),
            Self::Difference { of, less, .. } => (Some(of), Some(less)),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

impl Aggregate {
    /// How many rows.
    pub fn count() -> Self {
        Self { function: Function::Count, column: None, only: None }
    }

    /// A function of a column.
    pub fn of(function: Function, column: usize) -> Self {
        Self { function, column: Some(column), only: None }
    }
}

impl Query {
    /// A query with one number as its result.
    pub fn number(aggregate: Aggregate, filter: Option<Filter>) -> Self {
        Self { filter, outputs: vec![Output::Aggregate(aggregate)], ..Self::default() }
    }

    /// Whether it makes one result of many rows.
    pub fn is_aggregate(&self) -> bool {
        let is_made = |output: &Output| matches!(output, Output::Aggregate(_) | Output::Difference { .. });
        self.is_counted || !self.groups.is_empty() || self.outputs.iter().any(is_made)
    }

    /// The columns whose values it uses, in order, once each.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns = Vec::new();
        if let Some(filter) = &self.filter {
            filter.push_columns(&mut columns);
        }
        for key in self.groups.iter().chain(&self.limited_in) {
            let (Key::Column(column) | Key::Bucket(column, _)) = key;
            columns.push(*column);
        }
        let aggregates = self
            .outputs
            .iter()
            .flat_map(Output::aggregates)
            .chain(self.having.iter().map(|having| &having.aggregate));
        for aggregate in aggregates {
            columns.extend(aggregate.column);
            if let Some(only) = &aggregate.only {
                only.push_columns(&mut columns);
            }
        }
        for output in &self.outputs {
            if let Output::Column(column) = output {
                columns.push(*column);
            }
        }
        let mut seen = std::collections::HashSet::new();
        columns.retain(|column| seen.insert(*column));
        columns
    }

    /// The columns whose values are measured: added, averaged, compared for the largest.
    pub(crate) fn measured(&self) -> Vec<usize> {
        let mut measured: Vec<usize> = self
            .outputs
            .iter()
            .flat_map(Output::aggregates)
            .filter_map(|aggregate| aggregate.column)
            .collect();
        for order in &self.order {
            if let Some(Output::Column(column)) = self.outputs.get(order.output) {
                measured.push(*column);
            }
        }
        measured.sort_unstable();
        measured.dedup();
        measured
    }
}

impl Filter {
    /// Both conditions, either of which may be absent.
    pub fn both(left: Option<Self>, right: Option<Self>) -> Option<Self> {
        match (left, right) {
            (Some(left), Some(right)) => Some(Self::And(vec![left, right])),
            (left, right) => left.or(right),
        }
    }

    /// All of some conditions.
    pub fn all(mut filters: Vec<Self>) -> Option<Self> {
        match filters.len() {
            0 => None,
            1 => filters.pop(),
            _ => Some(Self::And(filters)),
        }
    }

    /// Whether it demands something and that the same is not so.
    pub(crate) fn contradicts(&self) -> bool {
        let Self::And(parts) = self else { return false };
        let is_denied = |part: &Self| matches!(part, Self::Not(inner) if parts.contains(inner));
        // No cell holds one of some values and one of others, and one that is not there is in no month.
        let is_another = |part: &Self, other: &Self| match (part, other) {
            (Self::Missing(column), Self::Not(inner)) => **inner == Self::Missing(*column),
            (
                Self::Compare { column, comparison: Comparison::Equal, value },
                Self::Compare { column: same, comparison: Comparison::Equal, value: other },
            ) => column == same && value != other,
            (
                Self::Missing(column),
                Self::Compare { .. } | Self::In { .. } | Self::Between { .. } | Self::Part { .. },
            ) => other.column() == Some(*column),
            (Self::In { column, values }, Self::In { column: same, values: others }) => {
                column == same && !values.iter().any(|value| others.contains(value))
            }
            _ => false,
        };
        parts.iter().any(|part| is_denied(part) || parts.iter().any(|other| is_another(part, other)))
    }

    pub(crate) fn push_columns(&self, columns: &mut Vec<usize>) {
        match self {
            Self::And(filters) | Self::Or(filters) => {
                for filter in filters {
                    filter.push_columns(columns);
                }
            }
            Self::Not(filter) => filter.push_columns(columns),
            Self::Compare { column, value: Literal::Column(other), .. } => columns.extend([*column, *other]),
            Self::Compare { column, .. }
            | Self::In { column, .. }
            | Self::Between { column, .. }
            | Self::Text { column, .. }
            | Self::Part { column, .. }
            | Self::Means { column, .. }
            | Self::Clock { column, .. }
            | Self::Missing(column)
            | Self::Misfit(column) => columns.push(*column),
            Self::Line { .. } => {}
        }
    }

    /// The texts that columns must equal, each with its column.
    pub(crate) fn push_texts<'a>(&'a self, texts: &mut Vec<(usize, &'a str)>) {
        match self {
            Self::And(filters) | Self::Or(filters) => {
                for filter in filters {
                    filter.push_texts(texts);
                }
            }
            Self::Not(filter) => filter.push_texts(texts),
            Self::In { column, values } => texts.extend(values.iter().filter_map(|value| match value {
                Literal::Text(text) => Some((*column, text.as_str())),
                _ => None,
            })),
            _ => {}
        }
    }

    /// The column of a condition on one column.
    pub(crate) fn column(&self) -> Option<usize> {
        let mut columns = Vec::new();
        self.push_columns(&mut columns);
        columns.dedup();
        (columns.len() == 1).then(|| columns[0])
    }

    /// Whether it says somewhere that something does not hold.
    pub(crate) fn negates(&self) -> bool {
        match self {
            Self::And(filters) | Self::Or(filters) => filters.iter().any(Self::negates),
            Self::Not(_) => true,
            Self::Compare { comparison, .. } => *comparison == Comparison::NotEqual,
            _ => false,
        }
    }
}
