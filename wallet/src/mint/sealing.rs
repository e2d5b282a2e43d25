//! Files of earlier versions, in which what is spendable stood in the clear, sealed once at an opening.
//!
//! ```text
//!  in the clear ─► tokens ─► proofs ─► exchanges ─► both files rewritten ─► noted in the journal
//! ```
//!
//! Each step is one commit and may be done again. A process that dies in between leaves some of it sealed and some not,
//! both of which can be read, and the next process that has the wallet alone goes on. What is noted is not checked again.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, params};

use super::sealed_store::SealedStore;
use super::swap::plans;
use crate::error::WalletError;
use crate::failpoint;
use crate::journal::{self, Journal, now_ms};
use crate::seed::KeyAtRest;
use crate::seed::at_rest::MARK;

/// Seals what stands in the clear. For a process that has the wallet alone.
pub(super) async fn seal_old(
    store_file: &Path,
    store: &SealedStore,
    journal: &Journal,
    key: &KeyAtRest,
) -> Result<(), WalletError> {
    if journal.write(is_noted).await? {
        return Ok(());
    }
    failpoint::hit("seal.0");
    store.seal_old_sagas().await.map_err(WalletError::internal)?;
    failpoint::hit("seal.1");
    let in_store = {
        let (file, key) = (store_file.to_owned(), key.clone());
        move || seal_proofs(&file, &key)
    };
    tokio::task::spawn_blocking(in_store).await.map_err(WalletError::internal)??;
    failpoint::hit("seal.2");
    let key = key.clone();
    journal.write(move |transaction| plans::seal_old(transaction, &key)).await?;
    failpoint::hit("seal.3");
    let file = store_file.to_owned();
    let rewritten =
        tokio::task::spawn_blocking(move || rewrite(&file)).await.map_err(WalletError::internal)??;
    if !(rewritten && journal.rewrite().await?) {
        tracing::debug!(
            "the files of the wallet are read by somebody else; they are rewritten at the next opening"
        );
        return Ok(());
    }
    failpoint::hit("seal.4");
    journal.write(note).await
}

fn is_noted(transaction: &Transaction<'_>) -> Result<bool, rusqlite::Error> {
    transaction.query_row("SELECT EXISTS (SELECT 1 FROM at_rest)", [], |row| row.get(0))
}

fn note(transaction: &Transaction<'_>) -> Result<(), rusqlite::Error> {
    transaction.execute("INSERT INTO at_rest (sealed_at_ms) VALUES (?1)", [now_ms()]).map(drop)
}

/// All secrets in one commit.
fn seal_proofs(file: &Path, key: &KeyAtRest) -> Result<(), WalletError> {
    let seal = || {
        let mut connection = Connection::open(file)?;
        connection.busy_timeout(journal::BUSY_TIMEOUT)?;
        let transaction = connection.transaction()?;
        let bare: Vec<(Vec<u8>, String)> = {
            let mut statement =
                transaction.prepare("SELECT y, secret FROM proof WHERE substr(secret, 1, ?1) <> ?2")?;
            let rows =
                statement.query_map(params![MARK.len(), MARK], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<_, _>>()?
        };
        for (y, secret) in bare {
            let sealed = key.seal(&hex::encode(&y), &secret);
            transaction.execute("UPDATE proof SET secret = ?2 WHERE y = ?1", params![y, sealed])?;
        }
        transaction.commit()
    };
    seal().map_err(|error: rusqlite::Error| storage(file.to_owned(), &error))
}

fn rewrite(file: &Path) -> Result<bool, WalletError> {
    let rewrite = || {
        let connection = Connection::open(file)?;
        connection.busy_timeout(journal::BUSY_TIMEOUT)?;
        journal::rewrite(&connection)
    };
    rewrite().map_err(|error| storage(file.to_owned(), &error))
}

fn storage(path: PathBuf, error: &rusqlite::Error) -> WalletError {
    WalletError::Storage { path, reason: error.to_string() }
}
