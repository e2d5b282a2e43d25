//! Raw records → a database in memory.

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ToSql};

use crate::column::{Column, Kind, Misfit, Unit};
use crate::error::LoadError;
use crate::infer::{self, Census, Decided, Reader, Stored};
use crate::query::{functions, identifier};
use crate::raw::RawTable;
use crate::table::LoadOptions;

/// Misfits that are kept to be shown, per column.
const MAX_SAMPLES: usize = 20;

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
pub(crate) fn load(name: &str, raw: &RawTable, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let mut censuses: Vec<Census> = raw.names.iter().map(|name| Census::new(name)).collect();
    for row in raw.rows() {
        for (column, census) in censuses.iter_mut().enumerate() {
            census.see(row.cell(column));
        }
    }
    let decided = infer::decide(&censuses, raw.delimiter, options);
    let mut columns: Vec<Column> = raw
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
        })
        .collect();
    add_currency_columns(raw, &mut columns);
    let connection = open(name, &columns)?;
    fill(&connection, name, raw, &decided, &mut columns)?;
    close(&connection)?;
    Ok(Loaded { columns, connection })
}

/// A database in memory with an empty table, ready to be filled.
pub(crate) fn open(name: &str, columns: &[Column]) -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY; PRAGMA foreign_keys=OFF;",
    )?;
    connection.execute_batch(&create_statement(name, columns))?;
    connection.execute_batch("BEGIN")?;
    Ok(connection)
}

/// Ends the filling. From here on the database is only read.
pub(crate) fn close(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("COMMIT")?;
    functions::register(connection)?;
    functions::restrict(connection)
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
fn add_currency_columns(raw: &RawTable, columns: &mut Vec<Column>) {
    for index in 0..raw.names.len() {
        if !matches!(columns[index].kind, Kind::Number { unit: Unit::Currencies, .. }) {
            continue;
        }
        let mut name = format!("{} currency", columns[index].name);
        while columns.iter().any(|column| column.name.to_lowercase() == name.to_lowercase()) {
            name.push('_');
        }
        columns[index].currency_column = Some(columns.len());
        columns.push(Column {
            name,
            kind: Kind::Text { is_enumeration: true },
            missing: 0,
            misfits: 0,
            misfit_samples: Vec::new(),
            doubt: None,
            notes: Vec::new(),
            currency_column: None,
            is_repeated: false,
        });
    }
}

fn create_statement(name: &str, columns: &[Column]) -> String {
    let mut sql = format!("CREATE TABLE {} (", identifier(name));
    for column in columns {
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

fn fill(
    connection: &Connection,
    name: &str,
    raw: &RawTable,
    decided: &[Decided],
    columns: &mut [Column],
) -> rusqlite::Result<()> {
    let places = vec!["?"; columns.len() + 2].join(", ");
    let mut insert = connection.prepare(&format!("INSERT INTO {} VALUES ({places})", identifier(name)))?;
    let mut insert_misfit = connection.prepare(&format!("INSERT INTO {MISFITS} VALUES (?, ?, ?, ?)"))?;
    let mut readers: Vec<Reader> = decided
        .iter()
        .zip(columns.iter())
        .map(|(decided, column)| Reader::new(decided, &column.kind))
        .collect();
    let currencies: Vec<(usize, usize)> = columns
        .iter()
        .enumerate()
        .filter_map(|(index, column)| Some((index, column.currency_column?)))
        .collect();
    for (record, row) in raw.rows().enumerate() {
        let (first, last) = row.lines();
        for (index, reader) in readers.iter_mut().enumerate() {
            let cell = row.cell(index);
            let stored = reader.read(cell);
            match stored {
                Stored::Missing => columns[index].missing += 1,
                Stored::Misfit => {
                    let column = &mut columns[index];
                    column.misfits += 1;
                    let text = frlm_util::text::shortened(cell, MAX_SAMPLE_CHARS);
                    insert_misfit.execute((record + 1, &column.name, &text, first))?;
                    if column.misfit_samples.len() < MAX_SAMPLES {
                        column.misfit_samples.push(Misfit { line: first, text });
                    }
                }
                _ => {}
            }
            insert.raw_bind_parameter(index + 1, Bound(stored))?;
        }
        for (amount, currency) in &currencies {
            insert.raw_bind_parameter(currency + 1, infer::currency_of(row.cell(*amount)))?;
        }
        insert.raw_bind_parameter(columns.len() + 1, first)?;
        insert.raw_bind_parameter(columns.len() + 2, last)?;
        insert.raw_execute()?;
    }
    Ok(())
}
