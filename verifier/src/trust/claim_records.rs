//! Records of those who read and review prose, in the reputation's file: a table of its own, which older programs do not see
//! and which is made in older files when it is first written.
//!
//! ```text
//!   row: provider, record as JSON, when it was last added to
//!   write ─► add ─► drop what nobody has added to for a year ─► drop the oldest beyond ten thousand
//! ```

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::store::{ReputationStore, ReputationStoreError};
use crate::claims::{ClaimRecord, Observation};

/// Seconds after which a record is dropped that nobody has added to.
const KEPT_SECS: u64 = 365 * 86_400;
/// Records that are kept.
const MOST_KEPT: u32 = 10_000;

impl ReputationStore {
    /// Who is known by claims and reviews of earlier runs. A record that cannot be read is none. Blocks.
    pub fn load_claims(&self) -> Result<HashMap<String, ClaimRecord>, ReputationStoreError> {
        let connection = self.open()?;
        let rows = || -> Result<Vec<(String, String)>, rusqlite::Error> {
            if !exists(&connection)? {
                return Ok(Vec::new());
            }
            let mut select = connection.prepare("SELECT name, record FROM claim_record")?;
            select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let rows = rows().map_err(|source| self.database(source))?;
        Ok(rows.into_iter().filter_map(|(name, text)| Some((name, parsed(&text)?))).collect())
    }

    /// Adds what a run saw of its readers and reviewers to what the file holds by now. Blocks.
    pub fn record_claims(
        &self,
        now: u64,
        seen: &[(String, Vec<Observation>)],
    ) -> Result<(), ReputationStoreError> {
        if seen.iter().all(|(_, seen)| seen.is_empty()) {
            return Ok(());
        }
        let mut connection = self.open()?;
        let mut write = || -> Result<(), rusqlite::Error> {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute_batch(
                "CREATE TABLE IF NOT EXISTS claim_record
                   (name TEXT PRIMARY KEY, record TEXT NOT NULL, seen_at INTEGER NOT NULL) STRICT;",
            )?;
            for (name, seen) in seen {
                add(&transaction, now, name, seen)?;
            }
            transaction
                .execute("DELETE FROM claim_record WHERE seen_at < ?1", [now.saturating_sub(KEPT_SECS)])?;
            transaction.execute(
                "DELETE FROM claim_record WHERE name NOT IN
                   (SELECT name FROM claim_record ORDER BY seen_at DESC, name LIMIT ?1)",
                [MOST_KEPT],
            )?;
            transaction.commit()
        };
        write().map_err(|source| self.database(source))
    }

    /// Forgets a reader and reviewer; `false` if nothing was known of it. Blocks.
    pub(super) fn forget_claims(&self, provider: &str) -> Result<bool, ReputationStoreError> {
        let connection = self.open()?;
        let forget = || -> Result<bool, rusqlite::Error> {
            let is_there = exists(&connection)?;
            Ok(is_there && connection.execute("DELETE FROM claim_record WHERE name = ?1", [provider])? > 0)
        };
        forget().map_err(|source| self.database(source))
    }
}

fn exists(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let name = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'claim_record'";
    Ok(connection.query_row(name, [], |row| row.get::<_, String>(0)).optional()?.is_some())
}

fn add(connection: &Connection, now: u64, name: &str, seen: &[Observation]) -> Result<(), rusqlite::Error> {
    let select = "SELECT record FROM claim_record WHERE name = ?1";
    let before = connection.query_row(select, [name], |row| row.get::<_, String>(0)).optional()?;
    let mut record = before.and_then(|text| parsed(&text)).unwrap_or_default();
    for seen in seen {
        record.observe(*seen);
    }
    let text = serde_json::to_string(&record)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    connection.execute(
        "INSERT INTO claim_record (name, record, seen_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (name) DO UPDATE SET record = ?2, seen_at = ?3",
        params![name, text, now],
    )?;
    Ok(())
}

fn parsed(text: &str) -> Option<ClaimRecord> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Verdict;
    use crate::trust::Evidence;

    fn store(folder: &tempfile::TempDir) -> ReputationStore {
        ReputationStore::at(folder.path().join("reputation.db"))
    }

    fn of(name: &str, seen: Observation, times: usize) -> Vec<(String, Vec<Observation>)> {
        vec![(name.to_owned(), vec![seen; times])]
    }

    const TRUE: Observation = Observation::Claim { p_false: 0.0 };

    #[test]
    fn what_two_runs_saw_of_a_reader_is_added_up() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        assert!(store.load_claims().unwrap().is_empty(), "a file of an earlier version has none");
        store.record_claims(0, &of("a", TRUE, 8)).unwrap();
        store.record_claims(0, &of("a", TRUE, 8)).unwrap();
        let known = store.load_claims().unwrap();
        assert!((known["a"].reader().claims() - 16.0).abs() < 1e-9);
        assert!(store.load(0).unwrap().is_empty(), "what is known by other answers is not touched");
        assert!(store.forget(0, "a").unwrap() && store.load_claims().unwrap().is_empty());
        assert!(!store.forget(0, "a").unwrap());
    }

    #[test]
    fn a_rubber_stamp_stays_found_and_what_is_old_goes() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        let lie = Evidence::ProvenLie { provider: "b".to_owned() };
        store.record(0, &[], &[lie]).unwrap();
        let passed = Observation::Gold { is_false: true, p_false: 1.0, verdict: Verdict::Supported };
        store.record_claims(0, &of("stamp", passed, 8)).unwrap();
        assert!(store.load_claims().unwrap()["stamp"].reviews_blindly());
        store.record_claims(KEPT_SECS, &of("a", TRUE, 1)).unwrap();
        assert!(store.load_claims().unwrap()["stamp"].reviews_blindly());
        store.record_claims(KEPT_SECS + 1, &of("a", TRUE, 1)).unwrap();
        assert!(!store.load_claims().unwrap().contains_key("stamp"));
        assert_eq!(store.load(0).unwrap().export().providers.len(), 1);
    }

    #[test]
    fn a_damaged_record_is_none_and_the_number_of_records_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        store.record_claims(1, &of("a", TRUE, 1)).unwrap();
        let connection = store.open().unwrap();
        connection.execute("UPDATE claim_record SET record = 'no record'", []).unwrap();
        assert!(store.load_claims().unwrap().is_empty());
        let many: Vec<(String, Vec<Observation>)> =
            (0..MOST_KEPT).map(|at| (format!("p{at}"), vec![TRUE])).collect();
        store.record_claims(2, &many).unwrap();
        let known = store.load_claims().unwrap();
        assert_eq!(known.len(), MOST_KEPT as usize);
        assert!(!known.contains_key("a"), "the oldest went");
    }
}
