//! What is asked of the ledger's file without a change.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::params;

use super::entry::{Entry, Key};
use super::error::LedgerError;
use super::rows::{HistoryEvent, HistoryRow, entry_columns, history_columns};
use super::store::Store;

type Result<T> = std::result::Result<T, LedgerError>;

impl Store {
    /// The entries of all attempts at a subtask.
    pub fn entries_of_subtask(&self, run: i64, subtask: u32) -> Result<Vec<Entry>> {
        let found: Vec<Option<Entry>> = self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT state, published, amount_sats, actual_sats, fees_sats FROM entries
                     WHERE run = ?1 AND subtask = ?2",
                )?
                .query_map(params![run, subtask], |row| entry_columns(row, 0))?
                .collect()
        })?;
        let known =
            |entry: Option<Entry>| entry.ok_or_else(|| self.damaged("an entry is in an unknown state"));
        found.into_iter().map(known).collect()
    }

    /// Owners that still have reservations under way.
    pub fn owners_with_open_entries(&self) -> Result<Vec<i64>> {
        self.sql(|connection| {
            connection
                .prepare_cached("SELECT DISTINCT owner FROM entries WHERE state IN ('reserved', 'locked')")?
                .query_map([], |row| row.get(0))?
                .collect()
        })
    }

    /// The reservations that an owner has under way.
    pub fn open_entries(&self, owner: i64) -> Result<Vec<Key>> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT runs.name, subtask, attempt FROM entries JOIN runs ON runs.id = entries.run
                     WHERE owner = ?1 AND state IN ('reserved', 'locked') ORDER BY run, subtask, attempt",
                )?
                .query_map([owner], |row| Ok(Key::new(row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))?
                .collect()
        })
    }

    /// The reservations of which the books behind the ledger say what became of them, oldest runs first.
    pub fn undecided(&self) -> Result<Vec<Key>> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT runs.name, subtask, attempt FROM entries JOIN runs ON runs.id = entries.run
                     WHERE state IN ('released', 'doubtful', 'reclaimed') ORDER BY run, subtask, attempt",
                )?
                .query_map([], |row| Ok(Key::new(row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))?
                .collect()
        })
    }

    pub fn history(&self, run: &Arc<str>) -> Result<Vec<HistoryRow>> {
        let id = self.run(run)?.id;
        let mut rows = Vec::new();
        self.each_transition(Some(id), |_, row| {
            rows.push(row);
            Ok(())
        })?;
        // The rows share the name that was asked for.
        for row in &mut rows {
            if let HistoryEvent::Reservation { key, .. } = &mut row.event {
                key.run = run.clone();
            }
        }
        Ok(rows)
    }

    /// Walks the log of one run or of all, in order; keys carry no run name here.
    pub fn each_transition(
        &self,
        run: Option<i64>,
        mut visit: impl FnMut(i64, HistoryRow) -> Result<()>,
    ) -> Result<()> {
        let unnamed: Arc<str> = "".into();
        let fail = |source| LedgerError::storage(&self.path, self.busy_timeout.as_secs(), source);
        let mut statement = self
            .connection
            .prepare_cached(
                // The bounds let the index find one run, which `?1 IS NULL OR …` would not.
                "SELECT sequence, at_ms, run, subtask, attempt, kind, amount_sats, fees_sats FROM transitions
                 WHERE run BETWEEN ?1 AND ?2 ORDER BY sequence",
            )
            .map_err(fail)?;
        let (first, last) = run.map_or((i64::MIN, i64::MAX), |run| (run, run));
        let mut rows = statement.query([first, last]).map_err(fail)?;
        while let Some(row) = rows.next().map_err(fail)? {
            let (run, row) = history_columns(row, &unnamed).map_err(fail)?;
            let sequence = row.0;
            let event = row.2.ok_or_else(|| self.damaged(format!("transition {sequence} is unknown")))?;
            visit(run, HistoryRow { sequence, at_unix_ms: row.1, event })?;
        }
        Ok(())
    }

    /// All entries, by run.
    pub fn entries(&self) -> Result<HashMap<(i64, u32, u32), Option<Entry>>> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT run, subtask, attempt, state, published, amount_sats, actual_sats, fees_sats FROM entries",
                )?
                .query_map([], |row| Ok(((row.get(0)?, row.get(1)?, row.get(2)?), entry_columns(row, 3)?)))?
                .collect()
        })
    }

    /// The names of all runs.
    pub fn run_names(&self) -> Result<HashMap<i64, Arc<str>>> {
        self.sql(|connection| {
            connection
                .prepare_cached("SELECT id, name FROM runs")?
                .query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?.into())))?
                .collect()
        })
    }
}
