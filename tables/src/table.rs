//! A table in memory: typed columns, rows that know their lines, the text they came from.

use std::cell::{Cell as StdCell, OnceCell};

use rusqlite::Connection;

use crate::column::Column;
use crate::error::LoadError;
use crate::load;
use crate::raw::RawTable;
use crate::read::{self, Format};
use crate::value::moment::DateOrder;
use crate::value::number::Separator;
use crate::values::ValueIndex;

/// What a user may say about a file before it is read.
#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// What stands before the decimals, if the user said so.
    pub separator: Option<Separator>,
    /// What comes first in a date, if the user said so.
    pub date_order: Option<DateOrder>,
    /// The format, if it is known.
    pub format: Option<Format>,
    /// Most bytes that are read.
    pub limit_bytes: usize,
    /// Most steps of SQLite's machine that a query may take.
    pub query_steps: u64,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            separator: None,
            date_order: None,
            format: None,
            limit_bytes: 2 << 30,
            query_steps: 4_000_000_000,
        }
    }
}

/// Records with typed columns, ready for queries.
pub struct Table {
    pub(crate) name: String,
    /// Words that name one record: of the file's name, singular and plural.
    pub(crate) nouns: Vec<String>,
    pub(crate) format: Format,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: u64,
    pub(crate) notes: Vec<String>,
    /// What is unsure about the rows themselves.
    pub(crate) flaws: Flaws,
    pub(crate) text: String,
    pub(crate) connection: Connection,
    pub(crate) index: OnceCell<ValueIndex>,
    pub(crate) has_lines: StdCell<bool>,
    pub(crate) query_steps: u64,
}

/// What is unsure about the rows of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flaws {
    /// The first row could be a record.
    pub header_is_doubtful: bool,
    /// A last row was left out as a total.
    pub has_total_row: bool,
    /// Rows with more or fewer cells than columns.
    pub uneven_rows: u64,
    /// Lines that belong to no record.
    pub unreadable_lines: u64,
    /// Rows without a partner in a table that was joined.
    pub unmatched_rows: u64,
}

impl Flaws {
    /// Whether nothing is unsure.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Table {
    /// Reads a file's text. `name` is the file's name.
    pub fn load(name: &str, text: impl Into<String>, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut text: String = text.into();
        if text.len() > options.limit_bytes {
            return Err(LoadError::TooLarge { limit_bytes: options.limit_bytes });
        }
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        if text.contains('\r') && !text.contains('\n') {
            text = text.replace('\r', "\n");
        }
        let format = options.format.unwrap_or_else(|| read::detect(name, &text));
        let raw = read::read(format, &text)?;
        Self::build(name, format, &raw, text, options)
    }

    /// Takes rows that somebody else read: of a sheet, a page, a document.
    pub fn from_rows(name: &str, raw: &RawTable, options: &LoadOptions) -> Result<Self, LoadError> {
        if raw.len() == 0 {
            return Err(LoadError::NoRecords);
        }
        Self::build(name, Format::Rows, raw, String::new(), options)
    }

    fn build(
        name: &str,
        format: Format,
        raw: &RawTable,
        text: String,
        options: &LoadOptions,
    ) -> Result<Self, LoadError> {
        let (name, nouns) = load::names(name);
        let loaded = load::load(&name, raw, options)?;
        Ok(Self {
            name,
            nouns,
            format,
            columns: loaded.columns,
            rows: raw.len() as u64,
            notes: raw.notes.clone(),
            flaws: Flaws {
                header_is_doubtful: raw.header_is_doubtful,
                has_total_row: raw.has_total_row,
                uneven_rows: raw.extra_rows + raw.short_rows,
                unreadable_lines: raw.unreadable_lines,
                unmatched_rows: 0,
            },
            text,
            connection: loaded.connection,
            index: OnceCell::new(),
            has_lines: StdCell::new(false),
            query_steps: options.query_steps,
        })
    }

    /// The name of the table in SQL, after the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the file was read as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The columns, in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many records there are.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What a person should know about how the file was read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What is unsure about the rows.
    pub fn flaws(&self) -> Flaws {
        self.flaws
    }

    /// A line of the file, counted from 1.
    pub fn line(&self, number: u32) -> Option<&str> {
        self.text.lines().nth(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    pub(crate) fn values(&self) -> &ValueIndex {
        self.index.get_or_init(|| ValueIndex::of(self))
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Table")
            .field("name", &self.name)
            .field("rows", &self.rows)
            .field("columns", &self.columns)
            .finish_non_exhaustive()
    }
}
