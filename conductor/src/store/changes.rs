//! Whether a SQLite file has changed since it was last looked at, by any process.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::StoreError;

/// A look at a database file: SQLite itself counts the commits of all other connections, those of other
/// processes too, so that nothing need be read again to know that there is something to read.
#[derive(Debug)]
pub struct Changes {
    connection: Connection,
    seen: i64,
    path: std::path::PathBuf,
}

impl Changes {
    /// Begins to look at a database that is there; what was written before counts as seen.
    pub fn of(path: &Path) -> Result<Self, StoreError> {
        let failed =
            |error: &rusqlite::Error| StoreError::Read { path: path.to_owned(), reason: error.to_string() };
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|error| failed(&error))?;
        let seen = version(&connection).map_err(|error| failed(&error))?;
        Ok(Self { connection, seen, path: path.to_owned() })
    }

    /// Whether somebody has committed something since the last look.
    pub fn any(&mut self) -> Result<bool, StoreError> {
        let now = version(&self.connection)
            .map_err(|error| StoreError::Read { path: self.path.clone(), reason: error.to_string() })?;
        Ok(std::mem::replace(&mut self.seen, now) != now)
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "data_version", |row| row.get(0))
}
