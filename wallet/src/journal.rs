//! What is about to happen at a mint, durable before it happens.
//!
//! One SQLite file beside the wallet's own. Every row says enough to make the same request again.

mod schema;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use frlm_util::clock::unix_millis_signed as now_ms;
use rusqlite::{Connection, Row, Transaction, TransactionBehavior};

use crate::amount::Sats;
use crate::error::WalletError;

/// A commit survives a power failure. Tests kill processes, never the power, and commit a lot.
const SYNCHRONOUS: &str = if cfg!(test) { "OFF" } else { "FULL" };
/// How long another process may hold the file before that is an error.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// A handle on the file; clones share one connection.
#[derive(Debug, Clone)]
pub struct Journal {
    connection: Arc<Mutex<Connection>>,
    path: PathBuf,
}

impl Journal {
    /// Opens the file, or makes it.
    pub fn open(path: &Path) -> Result<Self, WalletError> {
        let fail = |error: rusqlite::Error| storage(path, &error);
        let mut connection = Connection::open(path).map_err(fail)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(fail)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(fail)?;
        connection.pragma_update(None, "synchronous", SYNCHRONOUS).map_err(fail)?;
        schema::create(&mut connection, path)?;
        Ok(Self { connection: Arc::new(Mutex::new(connection)), path: path.to_owned() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the database finds wrong with itself.
    pub async fn check(&self) -> Result<Vec<String>, WalletError> {
        let check = |transaction: &Transaction<'_>| {
            let mut statement = transaction.prepare("PRAGMA quick_check(8)")?;
            let found = statement.query_map([], |row| row.get::<_, String>(0))?;
            found.filter(|what| !matches!(what, Ok(what) if what == "ok")).collect()
        };
        self.write(check).await
    }

    /// Rewrites the file, so that nothing is left in it of what was overwritten. `false` if somebody else reads it.
    pub async fn rewrite(&self) -> Result<bool, WalletError> {
        let journal = self.clone();
        let rewritten = tokio::task::spawn_blocking(move || {
            let connection = journal.connection.lock().unwrap_or_else(PoisonError::into_inner);
            rewrite(&connection).map_err(|error| storage(&journal.path, &error))
        });
        rewritten.await.map_err(WalletError::internal)?
    }

    /// One durable commit. The work runs on a thread that may block.
    ///
    /// If the future is dropped, the commit has happened by the time the drop returns, or it never
    /// will: what the books do not say then was not done, and nobody does it behind the back of
    /// the next reader. The drop waits for a commit that is under way.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, rusqlite::Error> + Send + 'static,
    ) -> Result<T, WalletError> {
        let journal = self.clone();
        let waiting = Waiting::default();
        let wanted = Arc::clone(&waiting.0);
        let written = tokio::task::spawn_blocking(move || {
            // A panic of an earlier writer has rolled its transaction back.
            let mut connection = journal.connection.lock().unwrap_or_else(PoisonError::into_inner);
            if !*wanted.lock().unwrap_or_else(PoisonError::into_inner) {
                return Err(given_up());
            }
            let fail = |error: rusqlite::Error| storage(&journal.path, &error);
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
            let value = work(&transaction).map_err(fail)?;
            // Held until the commit is over, so that giving up waits for it.
            let wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner);
            if !*wanted {
                return Err(given_up());
            }
            transaction.commit().map_err(fail)?;
            Ok(value)
        });
        written.await.map_err(WalletError::internal)?
    }
}

/// As [`Journal::rewrite`], of any database.
pub fn rewrite(connection: &Connection) -> Result<bool, rusqlite::Error> {
    connection.execute_batch("VACUUM")?;
    // The log beside the file has the old pages, too.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| Ok(row.get::<_, i64>(0)? == 0))
}

/// Somebody waits for a commit, until it is dropped.
struct Waiting(Arc<Mutex<bool>>);

impl Default for Waiting {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(true)))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }
}

/// Nobody hears it.
fn given_up() -> WalletError {
    WalletError::internal("nobody waits for this commit any more")
}

fn storage(path: &Path, error: &rusqlite::Error) -> WalletError {
    WalletError::Storage { path: path.to_owned(), reason: error.to_string() }
}

/// A value that is kept as JSON.
pub fn to_json<T: serde::Serialize>(value: &T) -> Result<String, rusqlite::Error> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// A value that was kept as JSON.
pub fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, rusqlite::Error> {
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
    })
}

/// An amount in a column.
pub fn sats(row: &Row<'_>, column: usize) -> Result<Sats, rusqlite::Error> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map(Sats).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

/// Amounts and moments beyond 63 bits do not exist.
pub fn sql(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use futures::poll;
    use tokio::sync::oneshot;

    use super::*;

    fn insert(transaction: &Transaction<'_>) -> Result<(), rusqlite::Error> {
        transaction
            .execute("INSERT INTO mints (url, added_at_ms) VALUES ('https://mint.example', 0)", [])
            .map(drop)
    }

    async fn rows(journal: &Journal) -> i64 {
        let count = |transaction: &Transaction<'_>| {
            transaction.query_row("SELECT COUNT(*) FROM mints", [], |row| row.get(0))
        };
        journal.write(count).await.unwrap()
    }

    #[tokio::test]
    async fn a_write_that_was_given_up_while_it_waited_never_happens() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(&folder.path().join("journal.sqlite")).unwrap();
        // Somebody else is writing.
        let (begun, begins) = oneshot::channel();
        let (go_on, waits) = std::sync::mpsc::channel();
        let other = journal.clone();
        let busy = tokio::spawn(async move {
            let work = move |_: &Transaction<'_>| {
                begun.send(()).unwrap();
                waits.recv().unwrap();
                Ok(())
            };
            other.write(work).await.unwrap();
        });
        begins.await.unwrap();
        let (alive, over) = oneshot::channel::<()>();
        let mut write = Box::pin(journal.write(move |transaction| {
            let _alive = alive;
            insert(transaction)
        }));
        assert!(poll!(&mut write).is_pending());
        drop(write);
        go_on.send(()).unwrap();
        busy.await.unwrap();
        assert!(over.await.is_err(), "its turn has come and gone");
        assert_eq!(rows(&journal).await, 0);
    }

    #[tokio::test]
    async fn a_write_that_was_given_up_while_it_worked_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(&folder.path().join("journal.sqlite")).unwrap();
        let (begun, begins) = oneshot::channel();
        let (go_on, waits) = std::sync::mpsc::channel();
        let mut write = Box::pin(journal.write(move |transaction| {
            insert(transaction)?;
            begun.send(()).unwrap();
            waits.recv().unwrap();
            Ok(())
        }));
        assert!(poll!(&mut write).is_pending());
        begins.await.unwrap();
        drop(write);
        go_on.send(()).unwrap();
        assert_eq!(rows(&journal).await, 0);
        journal.write(insert).await.unwrap();
        assert_eq!(rows(&journal).await, 1);
    }
}
