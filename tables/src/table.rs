//! A table: typed columns, rows that know their lines, the lines they came from.

use std::cell::{Cell as StdCell, OnceCell};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::column::Column;
use crate::error::LoadError;
use crate::lines::Lines;
use crate::load::{self, Loaded, Storage};
use crate::options::LoadOptions;
use crate::raw::RawTable;
use crate::read::{self, Format};
use crate::source::Source;
use crate::values::ValueIndex;
use crate::words;

/// Bytes from which the format of a large file is told.
const START_BYTES: u64 = 1 << 20;

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
    pub(crate) lines: Lines,
    pub(crate) storage: Storage,
    pub(crate) connection: Connection,
    pub(crate) index: OnceCell<ValueIndex>,
    /// The lines of rows that look like totals of others; none if that took too long.
    pub(crate) totals: OnceCell<Option<Vec<u32>>>,
    pub(crate) has_lines: StdCell<bool>,
    pub(crate) query_steps: u64,
}

/// What is unsure about the rows of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        Self::build(name, format, &raw, Lines::Text(text), options)
    }

    /// Reads a file; see [`Table::load_source`].
    pub fn load_file(path: &Path, options: &LoadOptions) -> Result<Self, LoadError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self::load_source(&name, Arc::new(File::open(path)?), options)
    }

    /// Reads a file's bytes. If they are more than `options.memory_bytes`, and of a format whose records are lines or rows, they
    /// are read block by block into a database in a file of its own, so that they never are in memory as a whole.
    pub fn load_source(
        name: &str,
        source: Arc<dyn Source>,
        options: &LoadOptions,
    ) -> Result<Self, LoadError> {
        match Self::blocks_of(name, source.as_ref(), options)? {
            Some(format) => Self::load_blocks(name, source, format, options, None),
            None => Self::load_whole(name, source.as_ref(), options),
        }
    }

    /// The format of a file, if it is to be read block by block.
    pub(crate) fn blocks_of(
        name: &str,
        source: &dyn Source,
        options: &LoadOptions,
    ) -> Result<Option<Format>, LoadError> {
        let bytes = source.bytes()?;
        if bytes > options.limit_bytes as u64 {
            return Err(LoadError::TooLarge { limit_bytes: options.limit_bytes });
        }
        if bytes <= options.memory_bytes {
            return Ok(None);
        }
        let mut start = Vec::new();
        source.reader()?.take(START_BYTES.min(bytes)).read_to_end(&mut start)?;
        let is_whole = start.len() as u64 == bytes;
        let line_end = start.iter().rposition(|byte| *byte == b'\n').map_or(start.len(), |at| at + 1);
        let text = String::from_utf8_lossy(&start[..if is_whole { start.len() } else { line_end }]);
        let format = options.format.unwrap_or_else(|| read::detect(name, &text));
        // The beginning of a JSON document is no JSON.
        let is_document = !is_whole
            && text.trim_start().starts_with(['{', '['])
            && !matches!(format, Format::JsonLines | Format::Log);
        // Where lines end with `\r` alone, no block ends with a line.
        let is_old = text.contains('\r') && !text.contains('\n');
        Ok((read::blocks::can_stream(format) && !is_document && !is_old).then_some(format))
    }

    /// Reads a file's bytes into memory.
    pub(crate) fn load_whole(
        name: &str,
        source: &dyn Source,
        options: &LoadOptions,
    ) -> Result<Self, LoadError> {
        if source.bytes()? > options.whole_bytes as u64 {
            return Err(LoadError::TooLarge { limit_bytes: options.whole_bytes });
        }
        let mut whole = Vec::new();
        source.reader()?.read_to_end(&mut whole)?;
        let text = String::from_utf8(whole)
            .unwrap_or_else(|error| error.into_bytes().into_iter().map(words::western).collect());
        Self::load(name, text, options)
    }

    /// Reads a file's bytes block by block, into a database without a name, or at this path, where more may then be written into it.
    pub(crate) fn load_blocks(
        name: &str,
        source: Arc<dyn Source>,
        format: Format,
        options: &LoadOptions,
        path: Option<&Path>,
    ) -> Result<Self, LoadError> {
        let (name, nouns) = load::names(name);
        let (loaded, survey) = load::load_blocks(&name, source.as_ref(), format, options, path)?;
        let (storage, lines) = (Storage::File, Lines::Source(source));
        let table =
            Self::of(name, nouns, format, loaded, &survey.whole, survey.rows, storage, lines, options);
        if path.is_none() {
            load::close(&table.connection)?;
        }
        Ok(table)
    }

    /// Takes rows that somebody else read: of a sheet, a page, a document.
    pub fn from_rows(name: &str, raw: &RawTable, options: &LoadOptions) -> Result<Self, LoadError> {
        if raw.len() == 0 {
            return Err(LoadError::NoRecords);
        }
        let mut without_total = None;
        if raw.ends_in_a_total() {
            without_total.insert(raw.clone()).drop_total();
        }
        let raw = without_total.as_ref().unwrap_or(raw);
        Self::build(name, Format::Rows, raw, Lines::Text(String::new()), options)
    }

    fn build(
        name: &str,
        format: Format,
        raw: &RawTable,
        lines: Lines,
        options: &LoadOptions,
    ) -> Result<Self, LoadError> {
        let (name, nouns) = load::names(name);
        let loaded = load::load(&name, raw, options, Storage::Memory)?;
        Ok(Self::of(name, nouns, format, loaded, raw, raw.len() as u64, Storage::Memory, lines, options))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a table, each once")]
    fn of(
        name: String,
        nouns: Vec<String>,
        format: Format,
        loaded: Loaded,
        whole: &RawTable,
        rows: u64,
        storage: Storage,
        lines: Lines,
        options: &LoadOptions,
    ) -> Self {
        Self {
            name,
            nouns,
            format,
            columns: loaded.columns,
            rows,
            notes: whole.notes.clone(),
            flaws: Flaws {
                header_is_doubtful: whole.header_is_doubtful,
                has_total_row: whole.has_total_row,
                uneven_rows: whole.extra_rows + whole.short_rows,
                unreadable_lines: whole.unreadable_lines,
                unmatched_rows: 0,
            },
            lines,
            storage,
            connection: loaded.connection,
            index: OnceCell::new(),
            totals: OnceCell::new(),
            has_lines: StdCell::new(false),
            query_steps: options.query_steps,
        }
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
    pub fn line(&self, number: u32) -> Option<String> {
        self.lines.get(number)
    }

    /// The values of a column that hold a word among others.
    pub(crate) fn values_with_word(&self, column: usize, word: &str) -> Vec<String> {
        self.values().with_word(column, word)
    }

    pub(crate) fn values(&self) -> &ValueIndex {
        self.index.get_or_init(|| ValueIndex::of(&self.name, &self.columns, &self.connection))
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
