//! Recorded runs in SQLite: one row per run, one row per trace event.
//!
//! A writer thread owns the connection and commits what has queued up in one transaction, so that
//! a run with thousands of events costs a handful of commits. WAL with `synchronous = NORMAL`: a
//! killed process loses nothing that was committed; only a power cut can lose the last moments,
//! and money has its own ledger with `FULL` (wallet/).

mod changes;
mod reader;
mod writer;

use std::path::{Path, PathBuf};

pub use changes::Changes;
pub use reader::{LoadedTrace, StoredRun};
use serde::{Deserialize, Serialize};

use crate::trace::TraceRecord;

/// How a recorded run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It runs, or the process that ran it died: `runs resume` goes on.
    Running,
    /// It has an answer.
    Done,
    /// It ended without one.
    Failed,
    /// The user stopped it.
    Interrupted,
}

impl RunState {
    fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    fn from_name(name: &str) -> Self {
        match name {
            "done" => Self::Done,
            "failed" => Self::Failed,
            "interrupted" => Self::Interrupted,
            _ => Self::Running,
        }
    }
}

/// What is written when a run begins.
#[derive(Clone)]
pub struct NewRun {
    /// The run's id.
    pub id: String,
    /// Unix milliseconds.
    pub started_at_ms: u64,
    /// As asked.
    pub question: String,
    /// Everything needed to start it again, as JSON that the caller defines.
    pub request: serde_json::Value,
    /// The run's secret key, hex: a resumed run goes on under the same key.
    pub secret_key: String,
}

impl std::fmt::Debug for NewRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewRun")
            .field("id", &self.id)
            .field("question", &self.question)
            .finish_non_exhaustive()
    }
}

/// Why the store could not do its work.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be opened.
    #[error("cannot open the run store {path}: {reason}; choose another place with --home")]
    Open {
        /// Where.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// A write failed; nothing that was written before is lost.
    #[error(
        "cannot write to the run store {path}: {reason}; free some space or choose another place \
         with --home (what was recorded before is safe)"
    )]
    Write {
        /// Where.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// A read failed.
    #[error("cannot read the run store {path}: {reason}")]
    Read {
        /// Where.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// No run has this id.
    #[error("no recorded run begins with \"{0}\"; frlm runs list shows them")]
    NoSuchRun(String),
    /// Several runs have ids that begin like this.
    #[error("\"{prefix}\" fits {count} runs; give more of the id")]
    Ambiguous {
        /// As given.
        prefix: String,
        /// How many fit.
        count: usize,
    },
}

/// A handle to the store; clones share the writer thread, which ends with the last of them.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    writer: writer::Writer,
}

/// Of the schema below.
const VERSION: i64 = 1;
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS runs (
        id TEXT PRIMARY KEY,
        started_at_ms INTEGER NOT NULL,
        question TEXT NOT NULL,
        state TEXT NOT NULL,
        request TEXT NOT NULL,
        secret_key TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS trace (
        run TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (run, seq)
    ) STRICT, WITHOUT ROWID;
";

impl Store {
    /// Opens or creates the database file.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = connect(path)?;
        Ok(Self { path: path.to_owned(), writer: writer::Writer::start(connection, path.to_owned()) })
    }

    /// Records that a run begins; durable when it returns.
    pub async fn begin(&self, run: NewRun) -> Result<(), StoreError> {
        self.writer.begin(run).await
    }

    /// Queues events for writing. Waits only while the queue is full; after a failed write of the run's every
    /// further call for it fails, so that a run that cannot be recorded stops.
    pub async fn append(&self, run: &str, records: Vec<TraceRecord>) -> Result<(), StoreError> {
        self.writer.append(run, records).await
    }

    /// Returns when everything queued so far is committed, or with the run's first failure.
    pub async fn flush(&self, run: &str) -> Result<(), StoreError> {
        self.writer.flush(run).await
    }

    /// Changes how a run stands; durable when it returns.
    pub async fn set_state(&self, run: &str, state: RunState) -> Result<(), StoreError> {
        self.writer.set_state(run, state).await
    }

    /// Deletes a run with its trace; what stood there is overwritten.
    pub async fn delete(&self, run: &str) -> Result<(), StoreError> {
        self.delete_and_rewrite(run, Vec::new()).await
    }

    /// The same, and the records of these other runs hold these requests from now on: all of it or nothing.
    pub async fn delete_and_rewrite(
        &self,
        run: &str,
        requests: Vec<(String, serde_json::Value)>,
    ) -> Result<(), StoreError> {
        self.writer.delete(run, requests).await
    }

    /// All runs, newest first.
    pub fn list(&self, limit: usize) -> Result<Vec<StoredRun>, StoreError> {
        reader::list(&self.path, limit)
    }

    /// The run whose id begins with `prefix`.
    pub fn find(&self, prefix: &str) -> Result<StoredRun, StoreError> {
        reader::find(&self.path, prefix)
    }

    /// At most `most` events of a run's trace from `from_seq` on, as far as they can be read. Fewer
    /// without damage: the trace ends there.
    pub fn trace_page(&self, run: &str, from_seq: u64, most: u32) -> Result<LoadedTrace, StoreError> {
        reader::page(&self.path, run, from_seq, most)
    }

    /// A run's trace, as far as it can be read.
    pub fn trace(&self, run: &str) -> Result<LoadedTrace, StoreError> {
        reader::trace(&self.path, run)
    }
}

fn connect(path: &Path) -> Result<rusqlite::Connection, StoreError> {
    let open = || -> rusqlite::Result<rusqlite::Connection> {
        let connection = rusqlite::Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", "ON")?;
        // A run that the user deletes is gone from the file, too.
        connection.pragma_update(None, "secure_delete", "ON")?;
        // A reader writes nothing: others would take it for a change.
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version != VERSION {
            connection.execute_batch(SCHEMA)?;
            connection.pragma_update(None, "user_version", VERSION)?;
        }
        Ok(connection)
    };
    open().map_err(|error| StoreError::Open { path: path.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests;
