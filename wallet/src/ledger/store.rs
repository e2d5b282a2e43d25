//! The ledger's file: what is in it, and how it changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) use frlm_util::clock::unix_millis_signed as now_ms;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::entry::{Entry, Key, Refused, Transition, apply};
use super::error::LedgerError;
use super::owner::Owner;
use super::rows::{RunBudget, RunColumns, entry_columns, run_columns, to_sql};
use super::schema::{SCHEMA, STEPS};
use crate::amount::Sats;
use crate::budget::{Budget, Contribution};

/// A commit survives a power failure. Tests kill processes, never the power, and commit a lot.
const SYNCHRONOUS: &str = if cfg!(test) { "OFF" } else { "FULL" };

pub(super) struct RunRow {
    pub id: i64,
    pub opened_at_ms: i64,
    pub budget: Budget,
}

#[derive(Debug)]
pub(super) struct Store {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) busy_timeout: Duration,
    /// Who writes; 0 until an owner is claimed.
    pub owner: i64,
}

type Result<T> = std::result::Result<T, LedgerError>;

impl Store {
    pub fn open(path: &Path, busy_timeout: Duration) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|source| LedgerError::io(folder, source))?;
        }
        let until = Instant::now() + busy_timeout;
        loop {
            match Self::try_open(path, busy_timeout) {
                // Two processes that switch a new file to WAL at once are told so without a wait.
                Err(LedgerError::Locked { .. }) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                result => return result,
            }
        }
    }

    fn try_open(path: &Path, busy_timeout: Duration) -> Result<Self> {
        let fail = |source| LedgerError::storage(path, busy_timeout.as_secs(), source);
        let connection = Connection::open(path).map_err(fail)?;
        connection.busy_timeout(busy_timeout).map_err(fail)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(fail)?;
        connection.pragma_update(None, "synchronous", SYNCHRONOUS).map_err(fail)?;
        connection.set_prepared_statement_cache_capacity(32);
        let mut store = Self { connection, path: path.to_owned(), busy_timeout, owner: 0 };
        store.create_tables()?;
        Ok(store)
    }

    fn create_tables(&mut self) -> Result<()> {
        self.write(|store| {
            let found: i64 =
                store.sql(|connection| connection.query_row("PRAGMA user_version", [], |row| row.get(0)))?;
            let steps = usize::try_from(found).ok().and_then(|found| STEPS.get(found..));
            let Some(steps) = steps else {
                return Err(LedgerError::NewerSchema { path: store.path.clone(), found, known: SCHEMA });
            };
            if steps.is_empty() {
                return Ok(());
            }
            store.sql(|connection| {
                steps.iter().try_for_each(|step| connection.execute_batch(step))?;
                connection.pragma_update(None, "user_version", SCHEMA)
            })
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Registers a new owner: its row and its lock appear together.
    pub fn claim_owner(&mut self) -> Result<Owner> {
        let owner = self.write(|store| {
            store.sql(|connection| {
                connection.execute(
                    "INSERT INTO owners (pid, opened_at_ms) VALUES (?1, ?2)",
                    params![std::process::id(), now_ms()],
                )
            })?;
            let id = store.connection.last_insert_rowid();
            Owner::claim(&store.path, id).map_err(|source| LedgerError::io(&store.path, source))
        })?;
        self.owner = owner.id;
        Ok(owner)
    }

    /// One durable commit. The work must not run twice; what it returns counts only with `Ok`.
    pub fn write<T>(&mut self, work: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        self.begin(TransactionBehavior::Immediate)?;
        match work(self)
            .and_then(|value| self.sql(|connection| connection.execute_batch("COMMIT")).map(|()| value))
        {
            Ok(value) => Ok(value),
            Err(error) => {
                // SQLite has rolled back by itself after some errors.
                if !self.connection.is_autocommit()
                    && let Err(rollback) = self.connection.execute_batch("ROLLBACK")
                {
                    tracing::warn!(%rollback, path = %self.path.display(), "the ledger could not roll back");
                }
                Err(error)
            }
        }
    }

    /// A consistent view of several tables.
    pub fn read<T>(&mut self, work: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        self.begin(TransactionBehavior::Deferred)?;
        let result = work(self);
        let ended = self.sql(|connection| connection.execute_batch("ROLLBACK"));
        result.and_then(|value| ended.map(|()| value))
    }

    fn begin(&self, behavior: TransactionBehavior) -> Result<()> {
        let begin =
            if matches!(behavior, TransactionBehavior::Immediate) { "BEGIN IMMEDIATE" } else { "BEGIN" };
        self.sql(|connection| connection.execute_batch(begin))
    }

    pub fn sql<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        work(&self.connection)
            .map_err(|source| LedgerError::storage(&self.path, self.busy_timeout.as_secs(), source))
    }

    pub fn damaged(&self, what: impl Into<String>) -> LedgerError {
        LedgerError::Damaged { path: self.path.clone(), what: what.into() }
    }

    pub fn find_run(&self, run: &str) -> Result<Option<RunRow>> {
        let found = self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT id, opened_at_ms, limit_sats, spent_sats, fees_sats, reserved_sats, pending_refund_sats
                     FROM runs WHERE name = ?1",
                )?
                .query_row([run], run_columns)
                .optional()
        })?;
        found.map(|columns| self.run_row(run, columns)).transpose()
    }

    fn run_row(&self, run: &str, (id, opened_at_ms, limit, share): RunColumns) -> Result<RunRow> {
        let budget = Budget::new(limit, share)
            .ok_or_else(|| self.damaged(format!("the sums of run {run} exceed its limit")))?;
        Ok(RunRow { id, opened_at_ms, budget })
    }

    pub fn run(&self, run: &Arc<str>) -> Result<RunRow> {
        self.find_run(run)?.ok_or_else(|| LedgerError::UnknownRun { run: run.clone() })
    }

    pub fn runs(&self) -> Result<Vec<RunBudget>> {
        let rows: Vec<(String, RunColumns)> = self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT id, opened_at_ms, limit_sats, spent_sats, fees_sats, reserved_sats, pending_refund_sats,
                            name FROM runs ORDER BY id",
                )?
                .query_map([], |row| Ok((row.get(7)?, run_columns(row)?)))?
                .collect()
        })?;
        let budget = |(name, columns): (String, RunColumns)| {
            let row = self.run_row(&name, columns)?;
            Ok(RunBudget { run: name.into(), opened_at_unix_ms: row.opened_at_ms, budget: row.budget })
        };
        rows.into_iter().map(budget).collect()
    }

    pub fn open_run(&self, run: &Arc<str>, limit: Sats) -> Result<Budget> {
        if let Some(row) = self.find_run(run)? {
            if row.budget.limit == limit {
                return Ok(row.budget);
            }
            return Err(LedgerError::RunExists { run: run.clone(), limit: row.budget.limit });
        }
        let sats = to_sql(limit)?;
        self.sql(|connection| {
            connection
                .prepare_cached("INSERT INTO runs VALUES (NULL, ?1, ?2, ?3, 0, 0, 0, 0)")?
                .execute(params![run, now_ms(), sats])
        })?;
        self.log_limit(self.connection.last_insert_rowid(), sats)?;
        Ok(self.run(run)?.budget)
    }

    pub fn raise_limit(&self, run: &Arc<str>, limit: Sats) -> Result<Budget> {
        let row = self.run(run)?;
        if limit < row.budget.limit {
            return Err(LedgerError::LimitLowered {
                run: run.clone(),
                limit: row.budget.limit,
                asked: limit,
            });
        }
        let sats = to_sql(limit)?;
        self.sql(|connection| {
            connection
                .prepare_cached("UPDATE runs SET limit_sats = ?2 WHERE id = ?1")?
                .execute([row.id, sats])
        })?;
        self.log_limit(row.id, sats)?;
        Ok(self.run(run)?.budget)
    }

    fn log_limit(&self, run: i64, limit: i64) -> Result<()> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "INSERT INTO transitions VALUES (NULL, ?1, ?2, ?3, NULL, NULL, 'limit', ?4, 0)",
                )?
                .execute(params![now_ms(), self.owner, run, limit])
        })?;
        Ok(())
    }

    /// The entry and its owner.
    pub fn entry(&self, run: i64, key: &Key) -> Result<Option<(Entry, i64)>> {
        let found = self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT state, published, amount_sats, actual_sats, fees_sats, owner FROM entries
                     WHERE run = ?1 AND subtask = ?2 AND attempt = ?3",
                )?
                .query_row(params![run, key.subtask, key.attempt], |row| {
                    Ok((entry_columns(row, 0)?, row.get::<_, i64>(5)?))
                })
                .optional()
        })?;
        match found {
            None => Ok(None),
            Some((Some(entry), owner)) => Ok(Some((entry, owner))),
            Some((None, _)) => Err(self.damaged(format!("{key} is in an unknown state"))),
        }
    }

    /// Applies a transition: the log row, the entry and the run's sums change together.
    pub fn apply(&self, key: &Key, transition: Transition) -> Result<Entry> {
        self.apply_at(key, transition, now_ms())
    }

    /// As [`Store::apply`], at a moment in milliseconds since 1970.
    pub fn apply_at(&self, key: &Key, transition: Transition, now_ms: i64) -> Result<Entry> {
        let run = self.run(&key.run)?;
        let before = self.entry(run.id, key)?.map(|(entry, _)| entry);
        let after = apply(before, transition).map_err(|refused| refusal(key, transition, refused))?;
        let budget = self.rebalanced(&run.budget, before, &after)?;
        self.save_entry(run.id, key, &after)?;
        // What is free moves no sats.
        if budget != run.budget {
            self.save_budget(run.id, &budget)?;
        }
        self.count(
            run.id,
            key,
            before.map_or(Contribution::default(), |entry| entry.share()),
            after.share(),
        )?;
        let (amount, fees) = transition.amounts();
        let (amount, fees) = (to_sql(amount)?, to_sql(fees)?);
        self.sql(|connection| {
            connection
                .prepare_cached("INSERT INTO transitions VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
                .execute(params![
                    now_ms,
                    self.owner,
                    run.id,
                    key.subtask,
                    key.attempt,
                    transition.name(),
                    amount,
                    fees
                ])
        })?;
        Ok(after)
    }

    /// The run's budget after one of its entries changed.
    fn rebalanced(&self, budget: &Budget, before: Option<Entry>, after: &Entry) -> Result<Budget> {
        let exceeded = || LedgerError::BudgetExceeded {
            needed: after.amount,
            available: budget.available,
            limit: budget.limit,
        };
        let before = before.map_or(Contribution::default(), |entry| entry.share());
        let others = budget
            .shares()
            .checked_sub(before)
            .ok_or_else(|| self.damaged("an entry exceeds its run's sums"))?;
        others
            .checked_add(after.share())
            .and_then(|share| Budget::new(budget.limit, share))
            .ok_or_else(exceeded)
    }

    fn save_entry(&self, run: i64, key: &Key, entry: &Entry) -> Result<()> {
        let (amount, actual, fees) = (to_sql(entry.amount)?, to_sql(entry.actual)?, to_sql(entry.fees)?);
        self.sql(|connection| {
            connection
                .prepare_cached("INSERT OR REPLACE INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?
                .execute(params![
                    run,
                    key.subtask,
                    key.attempt,
                    entry.state.name(),
                    entry.published,
                    amount,
                    actual,
                    fees,
                    self.owner
                ])
        })?;
        Ok(())
    }

    fn save_budget(&self, run: i64, budget: &Budget) -> Result<()> {
        let (spent, fees) = (to_sql(budget.spent)?, to_sql(budget.fees)?);
        let (reserved, pending) = (to_sql(budget.reserved)?, to_sql(budget.pending_refund)?);
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "UPDATE runs SET spent_sats = ?2, fees_sats = ?3, reserved_sats = ?4, pending_refund_sats = ?5
                     WHERE id = ?1",
                )?
                .execute([run, spent, fees, reserved, pending])
        })?;
        Ok(())
    }
}

fn refusal(key: &Key, transition: Transition, refused: Refused) -> LedgerError {
    let key = key.clone();
    match refused {
        Refused::Exists => LedgerError::KeyExists { key },
        Refused::Unknown => LedgerError::UnknownKey { key },
        Refused::State(state) => LedgerError::WrongState { key, action: transition.name(), state },
        Refused::OverReservation(reserved) => {
            let (actual, fees) = transition.amounts();
            LedgerError::OverReservation { key, actual, fees, reserved }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_and_nothing_of_the_transaction_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.sqlite");
        let mut store = Store::open(&path, Duration::from_millis(10)).unwrap();
        let run: Arc<str> = "run".into();
        store.write(|store| store.open_run(&run, Sats(100_000))).unwrap();
        // As small as the file is now: SQLite says the same as when the disk has no room.
        store.sql(|connection| connection.execute_batch("PRAGMA max_page_count = 1")).unwrap();
        let reserve = |store: &Store, count: u32| {
            (0..count).try_for_each(|subtask| {
                store.apply(&Key::new("run", subtask, 0), Transition::Reserve(Sats(1))).map(drop)
            })
        };
        let error = store.write(|store| reserve(store, 1_000)).unwrap_err();
        assert!(matches!(error, LedgerError::DiskFull { .. }), "{error}");
        assert!(error.to_string().contains("ledger.sqlite: the disk is full"));
        assert_eq!(store.run(&run).unwrap().budget.available, Sats(100_000));

        store.sql(|connection| connection.execute_batch("PRAGMA max_page_count = 100000")).unwrap();
        store.write(|store| reserve(store, 1_000)).unwrap();
        assert_eq!(store.run(&run).unwrap().budget.reserved, Sats(1_000));
    }
}
