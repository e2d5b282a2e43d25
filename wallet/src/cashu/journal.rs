//! What is about to happen at a mint, durable before it happens.
//!
//! One SQLite file beside the wallet's own. Every row says enough to make the same request again.

mod schema;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::WalletError;

/// A commit survives a power failure. Tests kill processes, never the power, and commit a lot.
const SYNCHRONOUS: &str = if cfg!(test) { "OFF" } else { "FULL" };
/// How long another process may hold the file before that is an error.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

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

    /// One durable commit. The work runs on a thread that may block.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, rusqlite::Error> + Send + 'static,
    ) -> Result<T, WalletError> {
        let journal = self.clone();
        let written = tokio::task::spawn_blocking(move || {
            // A panic of an earlier writer has rolled its transaction back.
            let mut connection = journal.connection.lock().unwrap_or_else(PoisonError::into_inner);
            let result = connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(
                |transaction| {
                    let value = work(&transaction)?;
                    transaction.commit()?;
                    Ok(value)
                },
            );
            result.map_err(|error| storage(&journal.path, &error))
        });
        written.await.map_err(WalletError::internal)?
    }
}

fn storage(path: &Path, error: &rusqlite::Error) -> WalletError {
    WalletError::Storage { path: path.to_owned(), reason: error.to_string() }
}

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
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
