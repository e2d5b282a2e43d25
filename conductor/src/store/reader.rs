//! Reading recorded runs. Each call opens its own connection: WAL readers never block the writer.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row};

use super::{RunState, StoreError};
use crate::trace::TraceRecord;

/// A recorded run.
#[derive(Clone)]
pub struct StoredRun {
    /// Its id.
    pub id: String,
    /// Unix milliseconds.
    pub started_at_ms: u64,
    /// As asked.
    pub question: String,
    /// How it stands.
    pub state: RunState,
    /// What is needed to start it again.
    pub request: serde_json::Value,
    /// The run's secret key, hex.
    pub secret_key: String,
}

impl std::fmt::Debug for StoredRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredRun").field("id", &self.id).field("state", &self.state).finish_non_exhaustive()
    }
}

/// A trace and whether all of it could be read.
#[derive(Debug, Clone)]
pub struct LoadedTrace {
    /// The events up to the first missing or unreadable one: what a fold may show.
    pub records: Vec<TraceRecord>,
    /// Readable events after that. Verified answers among them stand on their own, so a resumed run
    /// uses them.
    pub beyond: Vec<TraceRecord>,
    /// The next free event number; never one that was used, readable or not.
    pub next_seq: u64,
    /// Why not everything could be read.
    pub damage: Option<String>,
}

const COLUMNS: &str = "id, started_at_ms, question, state, request, secret_key";

pub(super) fn list(path: &Path, limit: usize) -> Result<Vec<StoredRun>, StoreError> {
    query(path, |connection| {
        let sql = format!("SELECT {COLUMNS} FROM runs ORDER BY started_at_ms DESC, id LIMIT ?1");
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        connection.prepare(&sql)?.query_map([limit], run)?.collect()
    })
}

pub(super) fn find(path: &Path, prefix: &str) -> Result<StoredRun, StoreError> {
    let mut found: Vec<StoredRun> = query(path, |connection| {
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE substr(id, 1, length(?1)) = ?1 LIMIT 50");
        connection.prepare(&sql)?.query_map([prefix], run)?.collect()
    })?;
    match found.len() {
        1 if !prefix.is_empty() => Ok(found.remove(0)),
        0 => Err(StoreError::NoSuchRun(prefix.to_owned())),
        count => Err(StoreError::Ambiguous { prefix: prefix.to_owned(), count }),
    }
}

pub(super) fn trace(path: &Path, id: &str) -> Result<LoadedTrace, StoreError> {
    page(path, id, 0, u32::MAX)
}

pub(super) fn page(path: &Path, id: &str, from_seq: u64, most: u32) -> Result<LoadedTrace, StoreError> {
    let bodies: Vec<(u64, String)> = query(path, |connection| {
        connection
            .prepare("SELECT seq, body FROM trace WHERE run = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3")?
            .query_map((id, from_seq, most), |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    })?;
    let mut loaded = LoadedTrace {
        records: Vec::with_capacity(bodies.len()),
        beyond: Vec::new(),
        next_seq: from_seq,
        damage: None,
    };
    for (seq, body) in bodies {
        if seq != loaded.next_seq {
            loaded.damage.get_or_insert_with(|| format!("event {} is missing", loaded.next_seq));
        }
        loaded.next_seq = seq + 1;
        match serde_json::from_str::<TraceRecord>(&body) {
            Ok(record) if loaded.damage.is_none() => loaded.records.push(record),
            Ok(record) => loaded.beyond.push(record),
            Err(error) => {
                loaded.damage.get_or_insert_with(|| format!("event {seq} is not readable: {error}"));
            }
        }
    }
    Ok(loaded)
}

fn run(row: &Row<'_>) -> rusqlite::Result<StoredRun> {
    let (state, request): (String, String) = (row.get(3)?, row.get(4)?);
    Ok(StoredRun {
        id: row.get(0)?,
        started_at_ms: row.get(1)?,
        question: row.get(2)?,
        state: RunState::from_name(&state),
        request: serde_json::from_str(&request).unwrap_or(serde_json::Value::Null),
        secret_key: row.get(5)?,
    })
}

fn query<T>(path: &Path, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
    let read = || {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        work(&connection)
    };
    read().map_err(|error| StoreError::Read { path: path.to_owned(), reason: error.to_string() })
}
