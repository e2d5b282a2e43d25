//! What is known of a kept table beside its rows: written into its database, and read from there.

use std::cell::{Cell as StdCell, OnceCell};
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};

use crate::column::Column;
use crate::error::LoadError;
use crate::lines::Lines;
use crate::load::{self, Storage};
use crate::options::LoadOptions;
use crate::read::Format;
use crate::source::Source;
use crate::table::{Flaws, Table};

/// The table with the one [`Description`].
const DESCRIPTION: &str = "_table";

#[derive(Serialize, Deserialize)]
struct Description {
    format: Format,
    columns: Vec<Column>,
    rows: u64,
    notes: Vec<String>,
    flaws: Flaws,
}

/// Writes down what a table is, in its database. `file`: the name of its file.
pub(crate) fn describe(table: &Table, file: &str) -> Result<(), LoadError> {
    let description = Description {
        format: table.format,
        columns: table.columns.clone(),
        rows: table.rows,
        notes: table.notes.clone(),
        flaws: table.flaws,
    };
    let text = serde_json::to_string(&description).map_err(|error| LoadError::Read(error.into()))?;
    table.connection.execute_batch(&format!("CREATE TABLE {DESCRIPTION} (file, description)"))?;
    table.connection.execute(&format!("INSERT INTO {DESCRIPTION} VALUES (?, ?)"), (file, text))?;
    Ok(())
}

/// The table at a path, if it is whole. `source`: the bytes that it was made of.
pub(crate) fn open(path: &Path, name: &str, source: Arc<dyn Source>, options: &LoadOptions) -> Option<Table> {
    let connection = connect(path)?;
    load::bound_memory(&connection).ok()?;
    let text: String =
        connection.query_row(&format!("SELECT description FROM {DESCRIPTION}"), [], |row| row.get(0)).ok()?;
    let Description { format, columns, rows, notes, flaws } = serde_json::from_str(&text).ok()?;
    load::close(&connection).ok()?;
    let (name, nouns) = load::names(name);
    Some(Table {
        name,
        nouns,
        format,
        columns,
        rows,
        notes,
        flaws,
        lines: Lines::Source(source),
        storage: Storage::File,
        connection,
        index: OnceCell::new(),
        totals: OnceCell::new(),
        has_lines: StdCell::new(false),
        query_steps: options.query_steps,
    })
}

/// The name of the file that a kept table was made of.
pub(crate) fn file_name(path: &Path) -> Option<String> {
    connect(path)?.query_row(&format!("SELECT file FROM {DESCRIPTION}"), [], |row| row.get(0)).ok()
}

fn connect(path: &Path) -> Option<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).ok()
}
