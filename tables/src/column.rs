//! What a column is: its type, decided by all its cells, and what does not fit it.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::sql::identifier;
use crate::value::moment::DateOrder;
use crate::value::number::Separator;
use crate::value::{boolean, unit};

/// A word that this crate has itself, such as a unit's.
pub type Word = &'static str;

/// One of these words, as a kept table names it.
fn known_word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
    let word = String::deserialize(deserializer)?;
    let found = unit::known(&word).or_else(|| boolean::known(&word));
    found.ok_or_else(|| D::Error::custom(format!("unknown word {word}")))
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// As the file names it, made different from all others.
    pub name: String,
    /// What its cells are.
    pub kind: Kind,
    /// Cells in which nothing stands.
    pub missing: u64,
    /// Cells that are none of `kind`. They count as missing in every calculation, and are said.
    pub misfits: u64,
    /// The first of those.
    pub misfit_samples: Vec<Misfit>,
    /// What the column's cells leave open. The user is asked back about questions that use the column.
    pub doubt: Option<Doubt>,
    /// How it was read, where a person might wonder.
    pub notes: Vec<String>,
    /// The column with the currencies of this one, if they differ.
    pub currency_column: Option<usize>,
    /// Whether a value that stands once in its own file stands in several rows here, since two tables were joined.
    pub is_repeated: bool,
    /// Whether all its numbers have three digits behind a point, which may as well part thousands.
    #[serde(default)]
    pub may_be_thousands: bool,
    /// How it is computed from other columns of the row, in SQL; none for a column of the file.
    #[serde(default)]
    pub computed: Option<String>,
}

/// The type of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Numbers.
    Number {
        /// Most decimals of a cell; `None` if the cells have more digits than are kept, so that sums are rounded.
        scale: Option<u32>,
        /// What the numbers count.
        unit: Unit,
    },
    /// Lengths of time, all in one unit.
    Duration {
        /// `ms`, `s`, …
        #[serde(deserialize_with = "known_word")]
        unit: Word,
        /// Most decimals in that unit.
        scale: u32,
    },
    /// Sizes of data, all in one unit.
    Size {
        /// `B`, `KB`, `MiB`, …
        #[serde(deserialize_with = "known_word")]
        unit: Word,
        /// Most decimals in that unit.
        scale: u32,
    },
    /// Days.
    Date,
    /// Days with a time.
    DateTime {
        /// Which clock they show.
        zone: Zone,
        /// Digits behind the seconds.
        fraction_digits: u8,
        /// Whether the cells name a year.
        has_year: bool,
    },
    /// Times of a day.
    Time,
    /// Yes and no, in the words of the column.
    Boolean {
        /// The word for yes.
        #[serde(deserialize_with = "known_word")]
        yes: Word,
        /// The word for no.
        #[serde(deserialize_with = "known_word")]
        no: Word,
    },
    /// Everything else.
    Text {
        /// Whether few values stand again and again.
        is_enumeration: bool,
    },
}

/// What the numbers of a column count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Nothing that is written.
    None,
    /// Hundredths.
    Percent,
    /// One currency.
    Currency(#[serde(deserialize_with = "known_word")] Word),
    /// Several, which are never added.
    Currencies,
    /// A word behind each number.
    Other(String),
}

/// Which clock a column of times shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Zone {
    /// The cells do not say.
    Unknown,
    /// All are as many seconds east of UTC.
    Fixed(i32),
    /// They differ, and are turned into UTC.
    TurnedToUtc,
}

/// A cell that is not of its column's type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misfit {
    /// Where it stands.
    pub line: u32,
    /// The cell, shortened.
    pub text: String,
}

/// What a column's cells leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Doubt {
    /// Day or month first.
    DateOrder {
        /// The order that is used meanwhile.
        assumed: DateOrder,
    },
    /// Decimal point or decimal comma.
    Separator {
        /// The separator that is used meanwhile.
        assumed: Separator,
    },
}

impl Column {
    /// A column that this crate makes itself: no cell is missing, and all are of its kind.
    pub(crate) fn made(name: String, kind: Kind) -> Self {
        Self {
            name,
            kind,
            missing: 0,
            misfits: 0,
            misfit_samples: Vec::new(),
            doubt: None,
            notes: Vec::new(),
            currency_column: None,
            is_repeated: false,
            may_be_thousands: false,
            computed: None,
        }
    }

    /// What its values are in SQL.
    pub(crate) fn sql(&self) -> String {
        self.computed.clone().unwrap_or_else(|| identifier(&self.name))
    }

    /// Whether its values can be added and compared as numbers.
    pub fn is_numeric(&self) -> bool {
        matches!(self.kind, Kind::Number { .. } | Kind::Duration { .. } | Kind::Size { .. })
    }

    /// Whether its values are moments that can be put in order.
    pub fn is_moment(&self) -> bool {
        matches!(self.kind, Kind::Date | Kind::DateTime { .. })
    }

    /// Whether it holds words.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text { .. })
    }

    /// Most decimals of its numbers, if they are exact.
    pub fn scale(&self) -> Option<u32> {
        match self.kind {
            Kind::Number { scale, .. } => scale,
            Kind::Duration { scale, .. } | Kind::Size { scale, .. } => Some(scale),
            _ => None,
        }
    }

    /// The unit behind its numbers, empty if there is none.
    pub fn unit_label(&self) -> &str {
        match &self.kind {
            Kind::Number { unit: Unit::Percent, .. } => "%",
            Kind::Number { unit: Unit::Currency(code), .. } => code,
            Kind::Number { unit: Unit::Other(unit), .. } => unit,
            Kind::Duration { unit, .. } | Kind::Size { unit, .. } => unit,
            _ => "",
        }
    }
}

impl Kind {
    /// What one cell of the column is, in a word for people.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Number { .. } => "number",
            Self::Duration { .. } => "duration",
            Self::Size { .. } => "size",
            Self::Date => "date",
            Self::DateTime { .. } | Self::Time => "time",
            Self::Boolean { .. } => "yes or no",
            Self::Text { .. } => "text",
        }
    }
}

impl Doubt {
    /// What is asked back, and the two ways to answer.
    pub fn question(&self, column: &str) -> (String, [&'static str; 2]) {
        match self {
            Self::DateOrder { .. } => (
                format!(
                    "In the dates of \"{column}\", does the day or the month come first? No date of the column tells."
                ),
                ["the day first", "the month first"],
            ),
            Self::Separator { .. } => (
                format!(
                    "In the numbers of \"{column}\", is the sign before three digits a thousands or a decimal separator? No number of the column tells."
                ),
                ["a decimal point", "a decimal comma"],
            ),
        }
    }
}
