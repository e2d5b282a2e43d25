//! A reputation in SQLite, so that it outlives the run.
//!
//! A run reads it once, and at its end applies what it saw to whatever the file holds by then: two runs
//! at the same time lose none of each other's evidence. Time is an argument, as everywhere in this crate.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior, params};

use super::evidence::{Evidence, ProviderTraits};
use super::reputation::{ExportedRecord, ImportError, Pair, Reputation, ReputationExport};

/// The form of the tables, in `user_version`.
const VERSION: u32 = 1;
/// How long a write waits for another process.
const BUSY: Duration = Duration::from_secs(10);
const SECONDS_PER_DAY: f64 = 86_400.0;
/// Fewer checked answers than this, and no lie: nothing worth keeping is left of a record.
const FORGOTTEN_CHECKS: f64 = 0.05;

/// Why a reputation could not be read or written. What was there before is untouched.
#[derive(Debug, thiserror::Error)]
pub enum ReputationStoreError {
    /// SQLite's own words.
    #[error(
        "the reputation file {path}: {source}; check that it can be written, or move it away to start over"
    )]
    Database {
        /// Where.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// Another program wrote it.
    #[error(
        "the reputation file {path} has form {found}, and this program reads form {VERSION}; update it, or move the file away to start over"
    )]
    Version {
        /// Where.
        path: PathBuf,
        /// The file's form.
        found: u32,
    },
    /// What was to be taken in cannot be.
    #[error("nothing was taken in: {0}")]
    Import(#[from] ImportError),
    /// A row that is not what this program writes.
    #[error("the reputation file {path} is damaged: {reason}; move it away to start over")]
    Damaged {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// The file.
#[derive(Debug, Clone)]
pub struct ReputationStore {
    path: PathBuf,
}

impl ReputationStore {
    /// Names the file; the first to open it creates the tables in it. Rights are the caller's matter.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is known at `now`, in seconds since 1970: everything but proven lies has faded since it was
    /// seen. Blocks.
    pub fn load(&self, now: u64) -> Result<Reputation, ReputationStoreError> {
        let mut connection = self.open()?;
        let transaction = connection.transaction().map_err(|source| self.database(source))?;
        self.read(&transaction, now)
    }

    /// Applies what a run saw, with what its providers said of themselves. Blocks.
    pub fn record(
        &self,
        now: u64,
        providers: &[(String, ProviderTraits)],
        evidence: &[Evidence],
    ) -> Result<(), ReputationStoreError> {
        if evidence.is_empty() {
            return Ok(());
        }
        self.change(now, |reputation| {
            for (name, traits) in providers {
                reputation.enrol(name, traits.clone());
            }
            for evidence in evidence {
                reputation.observe(evidence);
            }
            reputation.relearn();
        })
    }

    /// Takes in a reputation from elsewhere; who is known already is left as it is. Blocks.
    pub fn import(&self, now: u64, export: ReputationExport) -> Result<(), ReputationStoreError> {
        export.check()?;
        let mut outcome = Ok(());
        self.change(now, |reputation| outcome = reputation.import(export))?;
        Ok(outcome?)
    }

    /// Forgets a provider, its lies included; `false` if nothing was known of it. Blocks.
    pub fn forget(&self, now: u64, provider: &str) -> Result<bool, ReputationStoreError> {
        let had_claims = self.forget_claims(provider)?;
        let mut connection = self.open()?;
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|source| self.database(source))?;
        let mut export = self.read(&transaction, now)?.export();
        let before = export.providers.len();
        export.providers.retain(|record| record.provider != provider);
        export.pairs.retain(|pair| pair.left != provider && pair.right != provider);
        self.write(&transaction, now, &export)?;
        transaction.commit().map_err(|source| self.database(source))?;
        Ok(had_claims || export.providers.len() < before)
    }

    fn change(&self, now: u64, change: impl FnOnce(&mut Reputation)) -> Result<(), ReputationStoreError> {
        let mut connection = self.open()?;
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|source| self.database(source))?;
        let mut reputation = self.read(&transaction, now)?;
        change(&mut reputation);
        self.write(&transaction, now, &reputation.export())?;
        transaction.commit().map_err(|source| self.database(source))
    }

    pub(super) fn open(&self) -> Result<Connection, ReputationStoreError> {
        let connection = Connection::open(&self.path).map_err(|source| self.database(source))?;
        let prepare = || {
            connection.busy_timeout(BUSY)?;
            connection.query_row("PRAGMA user_version", [], |row| row.get::<_, u32>(0))
        };
        match prepare().map_err(|source| self.database(source))? {
            VERSION => {}
            0 => connection
                .execute_batch(&format!(
                    "BEGIN IMMEDIATE;
                     CREATE TABLE IF NOT EXISTS provider
                       (name TEXT PRIMARY KEY, record TEXT NOT NULL, seen_at INTEGER NOT NULL) STRICT;
                     CREATE TABLE IF NOT EXISTS pair
                       (left TEXT NOT NULL, right TEXT NOT NULL, shared_errors INTEGER NOT NULL,
                        PRIMARY KEY (left, right)) STRICT;
                     PRAGMA user_version = {VERSION};
                     COMMIT;"
                ))
                .map_err(|source| self.database(source))?,
            found => return Err(ReputationStoreError::Version { path: self.path.clone(), found }),
        }
        Ok(connection)
    }

    fn read(&self, connection: &Connection, now: u64) -> Result<Reputation, ReputationStoreError> {
        let rows = || {
            let mut providers = connection.prepare("SELECT record, seen_at FROM provider ORDER BY name")?;
            let providers = providers
                .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?)))?
                .collect::<Result<Vec<_>, _>>()?;
            let mut pairs = connection.prepare("SELECT left, right, shared_errors FROM pair")?;
            let pairs = pairs
                .query_map([], |row| {
                    Ok(Pair { left: row.get(0)?, right: row.get(1)?, shared_errors: row.get(2)? })
                })?
                .collect::<Result<Vec<_>, _>>()?;
            Ok((providers, pairs))
        };
        let (rows, pairs) = rows().map_err(|source| self.database(source))?;
        let mut export =
            ReputationExport { version: super::reputation::VERSION, providers: Vec::new(), pairs };
        for (record, seen_at) in rows {
            let mut record: ExportedRecord =
                serde_json::from_str(&record).map_err(|error| self.damaged(&error))?;
            record.decay(now.saturating_sub(seen_at) as f64 / SECONDS_PER_DAY);
            export.providers.push(record);
        }
        let mut reputation = Reputation::new();
        reputation.import(export).map_err(|error| self.damaged(&error))?;
        Ok(reputation)
    }

    fn write(
        &self,
        connection: &Connection,
        now: u64,
        export: &ReputationExport,
    ) -> Result<(), ReputationStoreError> {
        let write = || -> Result<(), rusqlite::Error> {
            connection.execute_batch("DELETE FROM provider; DELETE FROM pair;")?;
            let mut insert =
                connection.prepare("INSERT INTO provider (name, record, seen_at) VALUES (?1, ?2, ?3)")?;
            for record in &export.providers {
                let worth_keeping =
                    record.proven_lie || record.excluded || record.overall.checks() > FORGOTTEN_CHECKS;
                if worth_keeping {
                    let text = serde_json::to_string(record)
                        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
                    insert.execute(params![record.provider, text, now])?;
                }
            }
            let mut insert =
                connection.prepare("INSERT INTO pair (left, right, shared_errors) VALUES (?1, ?2, ?3)")?;
            for pair in &export.pairs {
                insert.execute(params![pair.left, pair.right, pair.shared_errors])?;
            }
            Ok(())
        };
        write().map_err(|source| self.database(source))
    }

    pub(super) fn database(&self, source: rusqlite::Error) -> ReputationStoreError {
        ReputationStoreError::Database { path: self.path.clone(), source }
    }

    fn damaged(&self, reason: &impl std::fmt::Display) -> ReputationStoreError {
        ReputationStoreError::Damaged { path: self.path.clone(), reason: reason.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::evidence::TaskClass;
    use super::*;
    use crate::audit::Calibrations;

    const DAY: u64 = 86_400;

    fn class() -> TaskClass {
        TaskClass::new("map", "general", 0)
    }

    fn agreement(names: &[&str]) -> Evidence {
        Evidence::Comparison {
            class: class(),
            groups: vec![names.iter().map(|name| (*name).to_owned()).collect()],
            accepted: Some(0),
            certainty: 1.0,
            audited: false,
        }
    }

    fn checks(store: &ReputationStore, name: &str, now: u64) -> f64 {
        let reputation = store.load(now).unwrap();
        reputation.member(name).map_or(0.0, |member| reputation.checks(member, &class()))
    }

    #[test]
    fn what_two_runs_saw_is_added_up_and_fades() {
        let folder = tempfile::tempdir().unwrap();
        let store = ReputationStore::at(folder.path().join("reputation.db"));
        assert!(store.load(0).unwrap().is_empty());
        store.record(0, &[], &vec![agreement(&["a", "b"]); 20]).unwrap();
        store.record(0, &[], &vec![agreement(&["a", "c"]); 20]).unwrap();
        assert!((checks(&store, "a", 0) - 40.0).abs() < 1e-6);
        assert!((checks(&store, "a", 30 * DAY) - 20.0).abs() < 1e-6, "half of it after thirty days");
        store.record(30 * DAY, &[], &[agreement(&["a", "b"])]).unwrap();
        assert!((checks(&store, "a", 30 * DAY) - 21.0).abs() < 1e-6, "reading does not make it fade twice");
    }

    #[test]
    fn a_foreign_import_cannot_damage_the_trust_store_and_is_not_mixed_in() {
        let folder = tempfile::tempdir().unwrap();
        let store = ReputationStore::at(folder.path().join("reputation.db"));
        store.record(0, &[], &[agreement(&["a", "b"])]).unwrap();
        let known = store.load(0).unwrap().export();
        let refused = |export: ReputationExport| {
            let error = store.import(0, export).unwrap_err().to_string();
            assert!(!error.contains("move it away"), "{error}");
            assert_eq!(store.load(0).unwrap().export(), known);
            error
        };
        let newer = ReputationExport { version: 99, ..known.clone() };
        assert!(refused(newer).contains("form 99"));
        let changes: [fn(&mut ExportedRecord); 5] = [
            |record| record.overall.wrong = 1e308,
            |record| record.overall.right = -1.0,
            |record| record.classes[0].1.right = -1.0,
            |record| record.gold_wrong = 1e308,
            |record| record.score.fitness = 7.0,
        ];
        for change in changes {
            let mut export = known.clone();
            export.providers[0].provider = "\u{1b}[31mother".to_owned();
            change(&mut export.providers[0]);
            assert!(!refused(export).contains('\u{1b}'));
        }
        let mut other = known.clone();
        other.providers[0].provider = "other".to_owned();
        store.import(0, other).unwrap();
        assert!(store.load(0).unwrap().member("other").is_some());
    }

    #[test]
    fn a_proven_lie_stays_and_what_has_faded_goes() {
        let folder = tempfile::tempdir().unwrap();
        let store = ReputationStore::at(folder.path().join("reputation.db"));
        let lie = Evidence::ProvenLie { provider: "liar".to_owned() };
        let traits = ProviderTraits { weights_hash: Some("w".to_owned()), operator: None };
        store.record(0, &[("liar".to_owned(), traits.clone())], &[lie, agreement(&["a", "b"])]).unwrap();
        store.record(3_650 * DAY, &[], &[agreement(&["c", "d"])]).unwrap();
        let reputation = store.load(3_650 * DAY).unwrap();
        assert!(reputation.is_out(reputation.member("liar").unwrap()));
        assert_eq!(reputation.export().providers.len(), 3, "a and b are forgotten");
        assert!(reputation.export().providers.iter().any(|record| record.traits == traits));
    }

    #[test]
    fn audits_go_on_where_the_last_run_left_off() {
        let folder = tempfile::tempdir().unwrap();
        let store = ReputationStore::at(folder.path().join("reputation.db"));
        let weights_hash = Calibrations::shipped().calibrations.remove(0).weights_hash;
        // One answer may be so far apart, ten may not.
        let apart = |provider: &str| Evidence::Audited {
            provider: provider.to_owned(),
            weights_hash: weights_hash.clone(),
            score_nats: 0.004,
        };
        let is_out = || {
            let reputation = store.load(0).unwrap();
            reputation.is_out(reputation.member("a").unwrap())
        };
        store.record(0, &[], &[agreement(&["a", "b"]), apart("a")]).unwrap();
        assert!(!is_out());
        store.record(0, &[], &vec![apart("a"); 9]).unwrap();
        assert!(is_out(), "ten answers in two runs");
        let text = serde_json::to_string(&store.load(0).unwrap().export()).unwrap();
        assert_eq!(text.matches("\"audits\"").count(), 1, "who was not audited has no audits: {text}");
    }

    #[test]
    fn who_was_put_out_by_few_but_sure_answers_is_still_out_in_the_next_run() {
        let folder = tempfile::tempdir().unwrap();
        let store = ReputationStore::at(folder.path().join("reputation.db"));
        let gold = Evidence::Comparison {
            class: class(),
            groups: vec![vec!["liar".to_owned()], vec!["honest".to_owned()]],
            accepted: Some(1),
            certainty: 1.0,
            audited: true,
        };
        let mut answers = 0;
        let is_out = |now: u64| {
            let reputation = store.load(now).unwrap();
            reputation.member("liar").is_some_and(|liar| reputation.is_out(liar))
        };
        while !is_out(0) {
            store.record(0, &[], std::slice::from_ref(&gold)).unwrap();
            answers += 1;
            assert!(answers < 10, "wrong every time, and still asked");
        }
        assert!(is_out(10 * DAY), "{answers} answers put it out, and ten days do not undo that");
        assert!(!is_out(3_650 * DAY));
    }

    #[test]
    fn a_file_of_another_form_is_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reputation.db");
        Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 9;").unwrap();
        let error = ReputationStore::at(&path).load(0).unwrap_err().to_string();
        assert!(error.contains("form 9") && error.contains("move the file away"), "{error}");
        std::fs::write(&path, "no database, and long enough to be read as one".repeat(40)).unwrap();
        assert!(ReputationStore::at(&path).load(0).is_err());
    }
}
