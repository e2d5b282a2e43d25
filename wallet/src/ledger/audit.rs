//! The sums, proved from the log.

use std::collections::HashMap;
use std::sync::Arc;

use super::entry::{Entry, Key, apply};
use super::error::LedgerError;
use super::rows::HistoryEvent;
use super::store::Store;
use crate::amount::Sats;
use crate::budget::{Budget, Contribution};

/// What an audit found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// Rows of the log that were folded.
    pub transitions: u64,
    /// Runs that were compared.
    pub runs: u64,
    /// Reservations that were compared.
    pub reservations: u64,
    /// Where the file contradicts its log; empty if all is well.
    pub mismatches: Vec<Mismatch>,
}

impl Audit {
    /// Whether every sum follows from the log.
    pub fn is_clean(&self) -> bool {
        self.mismatches.is_empty()
    }
}

/// One contradiction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// A row of the log cannot follow the rows before it.
    #[error("transition {sequence} of {key} cannot have happened")]
    Impossible {
        /// The row.
        sequence: i64,
        /// Whose.
        key: Key,
    },
    /// A reservation is not where the log says.
    #[error("{key}: the log gives {logged:?}, the ledger holds {stored:?}")]
    Entry {
        /// Which one.
        key: Key,
        /// From the log.
        logged: Option<Entry>,
        /// From the table.
        stored: Option<Entry>,
    },
    /// A run's sums are not what the log gives.
    #[error("run {run}: the log gives {logged:?}, the ledger holds {stored:?}")]
    Run {
        /// Which one.
        run: Arc<str>,
        /// From the log; nothing if it exceeds the limit.
        logged: Option<Budget>,
        /// From the table.
        stored: Option<Budget>,
    },
    /// What an hour has taken of a limit is not what the log gives.
    #[error("{scope} of hour {hour}: the log gives {logged}, the ledger holds {stored}")]
    Hour {
        /// Hours since 1970.
        hour: i64,
        /// The limit.
        scope: String,
        /// From the log.
        logged: Sats,
        /// From the table.
        stored: Sats,
    },
    /// The file itself is broken.
    #[error("the file is damaged: {what}")]
    File {
        /// What the database says.
        what: String,
    },
}

/// Folds the whole log and compares.
pub(super) fn audit(store: &Store) -> Result<Audit, LedgerError> {
    let names = store.run_names()?;
    let name = |run: i64| names.get(&run).cloned().unwrap_or_else(|| format!("#{run}").into());
    let mut audit = Audit { transitions: 0, runs: 0, reservations: 0, mismatches: Vec::new() };
    let mut limits: HashMap<i64, Sats> = HashMap::new();
    let mut entries: HashMap<(i64, u32, u32), Entry> = HashMap::new();
    let mut reserved_at: HashMap<(i64, u32, u32), i64> = HashMap::new();
    store.each_transition(None, |run, row| {
        audit.transitions += 1;
        match row.event {
            HistoryEvent::Limit(limit) => {
                limits.insert(run, limit);
            }
            HistoryEvent::Reservation { key, transition } => {
                let place = (run, key.subtask, key.attempt);
                if let Ok(entry) = apply(entries.get(&place).copied(), transition) {
                    reserved_at.entry(place).or_insert(row.at_unix_ms);
                    entries.insert(place, entry);
                } else {
                    let key = Key { run: name(run), ..key };
                    audit.mismatches.push(Mismatch::Impossible { sequence: row.sequence, key });
                }
            }
        }
        Ok(())
    })?;

    compare_runs(store, &limits, &entries, &names, &mut audit)?;
    compare_hours(store, &entries, &reserved_at, &mut audit)?;
    compare_entries(store, entries, name, &mut audit)?;
    let check: String =
        store.sql(|connection| connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))?;
    if check != "ok" {
        audit.mismatches.push(Mismatch::File { what: check });
    }
    Ok(audit)
}

fn compare_runs(
    store: &Store,
    limits: &HashMap<i64, Sats>,
    entries: &HashMap<(i64, u32, u32), Entry>,
    names: &HashMap<i64, Arc<str>>,
    audit: &mut Audit,
) -> Result<(), LedgerError> {
    let mut shares: HashMap<i64, Option<Contribution>> = HashMap::new();
    for ((run, _, _), entry) in entries {
        let share = shares.entry(*run).or_insert(Some(Contribution::default()));
        *share = share.and_then(|share| share.checked_add(entry.share()));
    }
    for (id, run) in names {
        audit.runs += 1;
        let share = shares.get(id).copied().unwrap_or(Some(Contribution::default()));
        let logged = limits.get(id).zip(share).and_then(|(limit, share)| Budget::new(*limit, share));
        let stored = match store.find_run(run) {
            Ok(row) => row.map(|row| row.budget),
            Err(LedgerError::Damaged { .. }) => None,
            Err(error) => return Err(error),
        };
        if logged.is_none() || logged != stored {
            audit.mismatches.push(Mismatch::Run { run: run.clone(), logged, stored });
        }
    }
    Ok(())
}

fn compare_hours(
    store: &Store,
    entries: &HashMap<(i64, u32, u32), Entry>,
    reserved_at: &HashMap<(i64, u32, u32), i64>,
    audit: &mut Audit,
) -> Result<(), LedgerError> {
    let dated = entries
        .iter()
        .map(|(place, entry)| (*place, (reserved_at.get(place).copied().unwrap_or_default(), *entry)))
        .collect();
    let mut logged = store.hours_of(&dated)?;
    let mut compare = |(hour, scope, _), logged: Sats, stored: Sats| {
        if logged != stored {
            audit.mismatches.push(Mismatch::Hour { hour, scope, logged, stored });
        }
    };
    for (place, stored) in store.hours()? {
        let found = logged.remove(&place).unwrap_or(Sats::ZERO);
        compare(place, found, stored);
    }
    for (place, found) in logged {
        compare(place, found, Sats::ZERO);
    }
    Ok(())
}

fn compare_entries(
    store: &Store,
    mut logged: HashMap<(i64, u32, u32), Entry>,
    name: impl Fn(i64) -> Arc<str>,
    audit: &mut Audit,
) -> Result<(), LedgerError> {
    let mut compare =
        |(run, subtask, attempt): (i64, u32, u32), logged: Option<Entry>, stored: Option<Entry>| {
            audit.reservations += 1;
            if logged != stored {
                audit.mismatches.push(Mismatch::Entry {
                    key: Key::new(name(run), subtask, attempt),
                    logged,
                    stored,
                });
            }
        };
    for (place, stored) in store.entries()? {
        compare(place, logged.remove(&place), stored);
    }
    for (place, entry) in logged {
        compare(place, Some(entry), None);
    }
    Ok(())
}
