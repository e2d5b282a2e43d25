//! Raw records → a database, in memory or in a file that is gone when it is closed.

use std::path::Path;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ToSql};

use crate::column::{Column, Kind, Misfit, Unit};
use crate::error::LoadError;
use crate::infer::{self, Reader, Stored};
use crate::options::LoadOptions;
use crate::raw::RawTable;
use crate::read::Format;
use crate::read::blocks::Blocks;
use crate::source::Source;
use crate::sql::{functions, guard, identifier};
use crate::survey::Survey;
use crate::value::unit;
use crate::values::Counts;
use crate::vocabulary;

/// Misfits that are kept to be shown, per column.
const MAX_SAMPLES: usize = 20;

/// Most currencies of a table.
const MOST_CURRENCIES: u32 = 40;

/// Most characters of a misfit that are kept.
const MAX_SAMPLE_CHARS: usize = 60;

/// The columns of the database that are not the file's.
pub(crate) const LINE: &str = "_line";
pub(crate) const LAST_LINE: &str = "_last_line";

/// The table of cells that do not fit their columns.
pub(crate) const MISFITS: &str = "_misfits";

/// The table of the file's lines.
pub(crate) const LINES: &str = "lines";

pub(crate) struct Loaded {
    pub columns: Vec<Column>,
    pub connection: Connection,
}

/// The table's name after a file, and the words that name one of its records.
pub(crate) fn names(file: &str) -> (String, Vec<String>) {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = base.split('.').find(|part| !part.is_empty()).unwrap_or("records");
    let mut name: String = stem.chars().filter(|letter| !letter.is_control()).take(80).collect();
    if name.is_empty()
        || name.to_lowercase() == LINES
        || name.to_lowercase().starts_with("sqlite")
        || name.starts_with('_')
    {
        name = format!("table {name}");
    }
    let nouns = crate::words::parts(stem).into_iter().filter(|word| word.chars().count() > 2).collect();
    (name, nouns)
}

/// Decides the columns, then stores every row.
pub(crate) fn load(
    name: &str,
    raw: &RawTable,
    options: &LoadOptions,
    place: Storage,
) -> Result<Loaded, LoadError> {
    let mut survey = Survey::of(raw);
    let mut filling = Filling::begin(name, &survey, options, place, None)?;
    filling.add(&mut survey, raw, 0)?;
    let loaded = filling.end()?;
    close(&loaded.connection)?;
    Ok(loaded)
}

/// Decides the columns of a file that is read block by block, and stores every row when it is read again: at this path, else in
/// a file without a name. The database is not closed yet.
pub(crate) fn load_blocks(
    name: &str,
    source: &dyn Source,
    format: Format,
    options: &LoadOptions,
    path: Option<&Path>,
) -> Result<(Loaded, Survey), LoadError> {
    let mut survey = Survey::default();
    let mut notes = Vec::new();
    let mut blocks = Blocks::new(source.reader()?, format);
    while let Some(block) = blocks.next()? {
        if format == Format::Delimited {
            notes.extend(block.raw.notes.iter().cloned());
        }
        survey.add(&block.raw, block.lines_before);
    }
    survey.note(notes);
    if survey.rows == 0 {
        return Err(LoadError::NoRecords);
    }
    drop(blocks);
    let mut filling = Filling::begin(name, &survey, options, Storage::File, path)?;
    let mut blocks = Blocks::new(source.reader()?, format);
    while let Some(block) = blocks.next()? {
        filling.add(&mut survey, &block.raw, block.lines_before).map_err(|error| room(error, options))?;
    }
    Ok((filling.end().map_err(|error| room(error, options))?, survey))
}

/// Says of a full database how large it may be.
fn room(error: LoadError, options: &LoadOptions) -> LoadError {
    match error {
        LoadError::Store(rusqlite::Error::SqliteFailure(failure, _))
            if failure.code == rusqlite::ErrorCode::DiskFull =>
        {
            LoadError::NoRoom { disk_bytes: options.disk_bytes }
        }
        other => other,
    }
}

/// Where a table's rows are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    Memory,
    /// A file that nobody else can read: without a name, so that SQLite deletes it when it opens it, or kept. What is in use stays
    /// in memory, bounded.
    File,
}

/// Most memory for pages of a table in a file, in KiB.
const CACHE_KIB: u32 = 64 << 10;

/// Bytes of a page of a table in a file.
const PAGE_BYTES: u32 = 8192;

/// What is in use of a table in a file.
pub(crate) fn bound_memory(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!("PRAGMA temp_store=FILE; PRAGMA cache_size=-{CACHE_KIB};"))
}

/// A database with an empty table, ready to be filled; one in a file is at this path, or has no name.
pub(crate) fn open(
    name: &str,
    columns: &[Column],
    storage: Storage,
    path: Option<&Path>,
) -> rusqlite::Result<Connection> {
    let connection = match storage {
        Storage::Memory => {
            let connection = Connection::open_in_memory()?;
            connection.execute_batch("PRAGMA temp_store=MEMORY;")?;
            connection
        }
        Storage::File => {
            let connection = Connection::open(path.unwrap_or(Path::new("")))?;
            connection.execute_batch(&format!("PRAGMA page_size={PAGE_BYTES};"))?;
            bound_memory(&connection)?;
            connection
        }
    };
    connection.execute_batch("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF;")?;
    connection.execute_batch(&create_statement(name, columns))?;
    connection.execute_batch("BEGIN")?;
    Ok(connection)
}

/// From here on the database is only read.
pub(crate) fn close(connection: &Connection) -> rusqlite::Result<()> {
    functions::register(connection)?;
    guard::restrict(connection)
}

/// A name that no column of the database's own has.
fn unreserved(name: &str) -> String {
    let folded = name.to_lowercase();
    if folded == LINE || folded == LAST_LINE || folded == "rowid" || folded == "_rank" {
        format!("{name} (of the file)")
    } else {
        name.to_owned()
    }
}

/// Amounts in several currencies get a column that names the currency.
fn add_currency_columns(columns: &mut Vec<Column>) {
    for index in 0..columns.len() {
        if !matches!(columns[index].kind, Kind::Number { unit: Unit::Currencies, .. }) {
            continue;
        }
        let mut name = format!("{} currency", columns[index].name);
        while columns.iter().any(|column| column.name.to_lowercase() == name.to_lowercase()) {
            name.push('_');
        }
        columns[index].currency_column = Some(columns.len());
        columns.push(Column::made(name, Kind::Text { is_enumeration: true }));
    }
}

fn create_statement(name: &str, columns: &[Column]) -> String {
    let mut sql = format!("CREATE TABLE {} (", identifier(name));
    for column in columns.iter().filter(|column| column.computed.is_none()) {
        // Without a type, so that SQLite converts nothing.
        sql.push_str(&identifier(&column.name));
        sql.push_str(", ");
    }
    sql + &format!("{LINE}, {LAST_LINE}); CREATE TABLE {MISFITS} (record, column_name, cell, line);")
}

/// A stored cell as SQLite takes it, without copying its text.
struct Bound<'a>(Stored<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match &self.0 {
            Stored::Missing | Stored::Misfit => ToSqlOutput::Owned(Value::Null),
            Stored::Integer(value) => ToSqlOutput::Owned(Value::Integer(*value)),
            Stored::Real(value) => ToSqlOutput::Owned(Value::Real(*value)),
            Stored::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

/// The second look at all records: every cell is stored as its column is typed.
struct Filling {
    connection: Connection,
    name: String,
    columns: Vec<Column>,
    readers: Vec<Reader>,
    /// Columns of amounts, and of their currencies.
    currencies: Vec<(usize, usize)>,
    records: u64,
    /// The values of a table in a file.
    counts: Option<Counts>,
}

impl Filling {
    fn begin(
        name: &str,
        survey: &Survey,
        options: &LoadOptions,
        storage: Storage,
        path: Option<&Path>,
    ) -> Result<Self, LoadError> {
        let decided = infer::decide(&survey.censuses, survey.whole.delimiter, options);
        let mut columns: Vec<Column> = survey
            .whole
            .names
            .iter()
            .zip(&decided)
            .map(|(name, decided)| Column {
                name: unreserved(name),
                kind: decided.kind.clone(),
                missing: 0,
                misfits: 0,
                misfit_samples: Vec::new(),
                doubt: decided.doubt,
                notes: decided.notes.clone(),
                currency_column: None,
                is_repeated: false,
                may_be_thousands: decided.may_be_thousands,
                computed: None,
            })
            .collect();
        add_currency_columns(&mut columns);
        let readers = decided
            .iter()
            .zip(columns.iter())
            .map(|(decided, column)| Reader::new(decided, &column.kind))
            .collect();
        let currencies = columns
            .iter()
            .enumerate()
            .filter_map(|(index, column)| Some((index, column.currency_column?)))
            .collect();
        let connection = open(name, &columns, storage, path)?;
        let mut counts = None;
        if storage == Storage::File {
            let most_pages = options.disk_bytes / u64::from(PAGE_BYTES);
            connection.execute_batch(&format!("PRAGMA max_page_count={most_pages}"))?;
            counts = Some(Counts::of(&columns));
        }
        Ok(Self { connection, name: name.to_owned(), columns, readers, currencies, records: 0, counts })
    }

    fn add(&mut self, survey: &mut Survey, raw: &RawTable, lines_before: u32) -> Result<(), LoadError> {
        let mut own: Vec<Option<usize>> = vec![None; self.readers.len()];
        for (column, place) in survey.places(raw).into_iter().enumerate() {
            // A file that grows while it is read may have more columns than were found first.
            if let Some(slot) = place.and_then(|place| own.get_mut(place)) {
                *slot = Some(column);
            }
        }
        let count = self.columns.len();
        let places = vec!["?"; count + 2].join(", ");
        let mut insert = self
            .connection
            .prepare_cached(&format!("INSERT INTO {} VALUES ({places})", identifier(&self.name)))?;
        let mut insert_misfit =
            self.connection.prepare_cached(&format!("INSERT INTO {MISFITS} VALUES (?, ?, ?, ?)"))?;
        for row in raw.rows() {
            self.records += 1;
            let (first, last) = row.lines();
            let (first, last) = (first.saturating_add(lines_before), last.saturating_add(lines_before));
            for (index, reader) in self.readers.iter_mut().enumerate() {
                let cell = own[index].map_or("", |column| row.cell(column));
                let stored = reader.read(cell);
                match stored {
                    Stored::Missing => self.columns[index].missing += 1,
                    Stored::Misfit => {
                        let column = &mut self.columns[index];
                        column.misfits += 1;
                        let text = frlm_util::text::shortened(cell, MAX_SAMPLE_CHARS);
                        insert_misfit.execute((self.records, &column.name, &text, first))?;
                        if column.misfit_samples.len() < MAX_SAMPLES {
                            column.misfit_samples.push(Misfit { line: first, text });
                        }
                    }
                    Stored::Text(text) => {
                        if let Some(counts) = &mut self.counts {
                            counts.see(index, text);
                        }
                    }
                    Stored::Integer(_) | Stored::Real(_) => {}
                }
                insert.raw_bind_parameter(index + 1, Bound(stored))?;
            }
            for (amount, currency) in &self.currencies {
                let cell = own[*amount].map_or("", |column| row.cell(column));
                let code = infer::currency_of(cell);
                if let (Some(counts), Some(code)) = (&mut self.counts, code) {
                    counts.see(*currency, code);
                }
                insert.raw_bind_parameter(currency + 1, code)?;
            }
            insert.raw_bind_parameter(count + 1, first)?;
            insert.raw_bind_parameter(count + 2, last)?;
            insert.raw_execute()?;
        }
        Ok(())
    }

    /// Amounts beside a column that names their currencies: never added across these.
    fn link_currencies(&mut self) -> rusqlite::Result<()> {
        let names = |column: &Column, concept: &str| {
            crate::words::parts(&column.name).iter().any(|part| vocabulary::are_synonyms(concept, part))
        };
        let mut texts: Vec<usize> =
            (0..self.columns.len()).filter(|column| self.columns[*column].is_text()).collect();
        texts.sort_by_key(|column| !names(&self.columns[*column], "currency"));
        let mut currency = None;
        for column in texts {
            if self.holds_currencies(column)? {
                currency = Some(column);
                break;
            }
        }
        let Some(currency) = currency else { return Ok(()) };
        for column in &mut self.columns {
            let is_money = vocabulary::names_money(&crate::words::parts(&column.name));
            if is_money && matches!(column.kind, Kind::Number { unit: Unit::None, .. }) {
                column.currency_column = Some(currency);
            }
        }
        Ok(())
    }

    /// Whether the cells of a column, whatever it is called, are currencies, and several.
    fn holds_currencies(&self, column: usize) -> rusqlite::Result<bool> {
        let (own, name) = (identifier(&self.columns[column].name), identifier(&self.name));
        // The first cells tell of most columns that they hold something else.
        for (what, most) in [("", 10), ("DISTINCT ", MOST_CURRENCIES)] {
            let mut read = self
                .connection
                .prepare(&format!("SELECT {what}{own} FROM {name} WHERE {own} IS NOT NULL LIMIT {most}"))?;
            let found: Vec<String> = read.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            if found.is_empty() || !found.iter().all(|code| unit::is_currency_code(code)) {
                return Ok(false);
            }
            if !what.is_empty() && found.len() < 2 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn end(mut self) -> Result<Loaded, LoadError> {
        self.link_currencies()?;
        if let Some(counts) = &self.counts {
            counts.store(&self.connection, &self.columns)?;
        }
        self.connection.execute_batch("COMMIT")?;
        Ok(Loaded { columns: self.columns, connection: self.connection })
    }
}
