//! The file: one row for each part, question and strength.
//!
//! ```text
//!   opened ─► its form is known and it is whole ──────────────► used
//!        └──► it is damaged, or of a newer program ─► set aside ─► an empty one is used
//! ```
//!
//! Runs read it when they plan and write it when they end, each in one transaction. What is deleted is overwritten. All of it
//! blocks.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use frlm_protocol::shown_path;
use frlm_util::text::shortened;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::key::{Key, Strength};
use super::reading::KeptReading;

/// The form of the table, in `user_version`.
const VERSION: u32 = 1;
/// How long a write waits for another process.
const BUSY: Duration = Duration::from_secs(10);
/// Bytes of one reading at most.
const MOST_ENTRY_BYTES: usize = 64 << 10;
/// Characters of a question and of a file's name, for lists.
const MOST_NAME_CHARS: usize = 200;
/// Readers that are named of a part that says nothing.
const MOST_READERS: usize = 8;

/// Why claims could not be kept or looked up. The run goes on without.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// SQLite's own words.
    #[error("the verified claims of earlier runs in {path}: {source}; frlm cache clear begins with none")]
    Database {
        /// Where.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// A file that is of no use cannot be moved or deleted.
    #[error("{path} cannot be set aside or deleted: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// How much is kept; what was used longest ago goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Parts.
    pub(super) entries: u64,
    /// Bytes of what is kept of them.
    pub(super) bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { entries: 20_000, bytes: 64 << 20 }
    }
}

/// A part that was read, to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What it is found by.
    pub key: Key,
    /// The file that it is of, for lists.
    pub file: String,
    /// What it says.
    pub reading: KeptReading,
}

/// What is kept of one question in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// As asked.
    pub question: String,
    /// The file's name when it was read.
    pub file: String,
    /// Parts of it.
    pub parts: u64,
    /// Claims about them.
    pub claims: u64,
    /// What they were paid.
    pub sats: u64,
    /// When one was kept or used last, in seconds since 1970.
    pub used_at: u64,
}

/// The verified claims of earlier runs.
#[derive(Debug, Clone)]
pub struct ClaimCache {
    path: PathBuf,
    bounds: Bounds,
}

impl ClaimCache {
    /// Names the file; the first one to open it creates the table. The caller sets its rights.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), bounds: Bounds::default() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same within other bounds.
    #[cfg(test)]
    pub(super) fn within(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// Sets a file aside that cannot be read, or that a newer program wrote, and says so.
    pub fn make_ready(&self) -> Result<Option<String>, CacheError> {
        let (aside, what) = match self.state() {
            Ok(State::Usable) => return Ok(None),
            Ok(State::Newer(found)) => {
                ("newer", format!("is of a newer program (form {found}, this one reads {VERSION})"))
            }
            Err(error) if is_damage(&error) => ("damaged", format!("is damaged ({error})")),
            Err(error) => return Err(self.database(error)),
        };
        let aside = self.path.with_extension(aside);
        std::fs::rename(&self.path, &aside)
            .map_err(|source| CacheError::File { path: self.path.clone(), source })?;
        remove(&self.journal())?;
        Ok(Some(format!(
            "{} {what}: it was moved to {}, and the verified claims of earlier runs begin with none",
            shown_path(&self.path),
            shown_path(&aside)
        )))
    }

    /// What is kept under these keys, verified at least so strictly. What is found counts as used `now`, in seconds since
    /// 1970.
    pub fn find(
        &self,
        keys: &[Key],
        strength: Strength,
        now: u64,
    ) -> Result<HashMap<Key, KeptReading>, CacheError> {
        if keys.is_empty() || !self.path.exists() {
            return Ok(HashMap::new());
        }
        self.change(|connection| {
            let mut select = connection.prepare(
                "SELECT id, reading FROM reading WHERE key = ?1 AND level >= ?2 AND fidelity >= ?3
                 ORDER BY level DESC, fidelity DESC",
            )?;
            let mut used =
                connection.prepare("UPDATE reading SET used_at = MAX(used_at, ?2) WHERE id = ?1")?;
            let mut found = HashMap::new();
            for key in keys {
                let rows = select
                    .query_map(params![key.bytes(), strength.level, strength.fidelity], |row| {
                        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
                    })?;
                for row in rows {
                    let (id, reading) = row?;
                    let reading = serde_json::from_str(&reading).ok();
                    if let Some(reading) = reading.filter(KeptReading::is_verified) {
                        used.execute(params![id, now])?;
                        found.insert(*key, reading);
                        break;
                    }
                }
            }
            Ok(found)
        })
    }

    /// Keeps what a run verified.
    pub fn keep(
        &self,
        run: &str,
        question: &str,
        entries: &[Entry],
        strength: Strength,
        now: u64,
    ) -> Result<(), CacheError> {
        if entries.is_empty() {
            return Ok(());
        }
        let question = shortened(question, MOST_NAME_CHARS);
        self.change(|connection| {
            for entry in entries {
                put(connection, run, &question, entry, strength, now)?;
            }
            connection.execute(
                "DELETE FROM reading WHERE id IN
                   (SELECT id FROM
                     (SELECT id, ROW_NUMBER() OVER latest AS place, SUM(bytes) OVER latest AS total FROM reading
                      WINDOW latest AS (ORDER BY used_at DESC, id DESC ROWS UNBOUNDED PRECEDING))
                    WHERE place > ?1 OR total > ?2)",
                params![self.bounds.entries, self.bounds.bytes],
            )?;
            Ok(())
        })
    }

    /// What is kept, used last first.
    pub fn list(&self) -> Result<Vec<Listed>, CacheError> {
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        self.change(|connection| {
            let mut select = connection.prepare(
                "SELECT question, file, COUNT(*), SUM(claims), SUM(sats), MAX(used_at) FROM reading
                 GROUP BY question, file ORDER BY MAX(used_at) DESC, question, file",
            )?;
            let row = |row: &rusqlite::Row<'_>| {
                Ok(Listed {
                    question: row.get(0)?,
                    file: row.get(1)?,
                    parts: row.get(2)?,
                    claims: row.get(3)?,
                    sats: row.get(4)?,
                    used_at: row.get(5)?,
                })
            };
            select.query_map([], row)?.collect()
        })
    }

    /// Deletes everything that is kept, what was set aside too, and says how many parts that were.
    pub fn clear(&self) -> Result<u64, CacheError> {
        self.delete(None)
    }

    /// Deletes what a run left, and what was set aside: nobody can tell whose that was.
    pub fn forget_run(&self, run: &str) -> Result<u64, CacheError> {
        self.delete(Some(run))
    }

    /// What a run left, or everything.
    fn delete(&self, run: Option<&str>) -> Result<u64, CacheError> {
        let mut count = 0;
        if self.path.exists() {
            self.make_ready()?;
            count = self.change(|connection| {
                connection.execute("DELETE FROM reading WHERE ?1 IS NULL OR run = ?1", [run])
            })?;
        }
        for aside in ["damaged", "newer"] {
            remove(&self.path.with_extension(aside))?;
        }
        Ok(count as u64)
    }

    fn change<T>(&self, change: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, CacheError> {
        let work = || {
            let mut connection = self.open()?;
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let changed = change(&transaction)?;
            transaction.commit()?;
            Ok(changed)
        };
        work().map_err(|source| self.database(source))
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open(&self.path)?;
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "secure_delete", true)?;
        if version(&connection)? == 0 {
            connection.execute_batch(&format!(
                "BEGIN IMMEDIATE;
                 CREATE TABLE IF NOT EXISTS reading
                   (id INTEGER PRIMARY KEY, key BLOB NOT NULL, level INTEGER NOT NULL, fidelity INTEGER NOT NULL,
                    run TEXT NOT NULL, question TEXT NOT NULL, file TEXT NOT NULL, reading TEXT NOT NULL,
                    claims INTEGER NOT NULL, sats INTEGER NOT NULL, bytes INTEGER NOT NULL, used_at INTEGER NOT NULL,
                    UNIQUE (key, level, fidelity)) STRICT;
                 CREATE INDEX IF NOT EXISTS by_use ON reading (used_at);
                 CREATE INDEX IF NOT EXISTS by_run ON reading (run);
                 PRAGMA user_version = {VERSION};
                 COMMIT;"
            ))?;
        }
        Ok(connection)
    }

    fn state(&self) -> rusqlite::Result<State> {
        if !self.path.exists() {
            return Ok(State::Usable);
        }
        let connection = Connection::open(&self.path)?;
        connection.busy_timeout(BUSY)?;
        let found = version(&connection)?;
        if found > VERSION {
            return Ok(State::Newer(found));
        }
        let checked: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if checked != "ok" {
            let damage = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            return Err(rusqlite::Error::SqliteFailure(damage, Some(shortened(&checked, MOST_NAME_CHARS))));
        }
        Ok(State::Usable)
    }

    fn journal(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push("-journal");
        name.into()
    }

    fn database(&self, source: rusqlite::Error) -> CacheError {
        CacheError::Database { path: self.path.clone(), source }
    }
}

enum State {
    Usable,
    /// Of a newer program: its form.
    Newer(u32),
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn is_damage(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt))
}

/// Puts a reading in the place of another. That somebody found nothing never stands in the place of verified claims; it is
/// added to who found nothing before.
fn put(
    connection: &Connection,
    run: &str,
    question: &str,
    entry: &Entry,
    strength: Strength,
    now: u64,
) -> rusqlite::Result<()> {
    let mut reading = entry.reading.clone();
    if reading.claims.is_empty() {
        let before: Option<String> = connection
            .prepare_cached("SELECT reading FROM reading WHERE key = ?1 AND level = ?2 AND fidelity = ?3")?
            .query_row(params![entry.key.bytes(), strength.level, strength.fidelity], |row| row.get(0))
            .optional()?;
        let before = before.and_then(|before| serde_json::from_str::<KeptReading>(&before).ok());
        if let Some(before) = before {
            if !before.claims.is_empty() {
                return Ok(());
            }
            reading.sats = reading.sats.saturating_add(before.sats);
            reading.readers.extend(before.readers);
            reading.readers.sort();
            reading.readers.dedup();
            reading.readers.truncate(MOST_READERS);
        }
    }
    // Strings, numbers and lists of them: nothing in it can fail to serialise.
    let content = serde_json::to_string(&reading).unwrap_or_default();
    let file = shortened(&entry.file, MOST_NAME_CHARS);
    let bytes = content.len() + question.len() + file.len() + run.len() + entry.key.bytes().len();
    if content.is_empty() || bytes > MOST_ENTRY_BYTES {
        return Ok(());
    }
    let sats = i64::try_from(reading.sats).unwrap_or(i64::MAX);
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO reading
               (key, level, fidelity, run, question, file, reading, claims, sats, bytes, used_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            entry.key.bytes(),
            strength.level,
            strength.fidelity,
            run,
            question,
            file,
            content,
            reading.claims.len(),
            sats,
            bytes,
            now
        ])?;
    Ok(())
}

fn remove(path: &Path) -> Result<(), CacheError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(CacheError::File { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}
