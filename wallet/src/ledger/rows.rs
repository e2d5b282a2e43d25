//! Rows of the ledger's file as values.

use std::sync::Arc;

use rusqlite::Row;

use super::entry::{Entry, Key, State, Transition};
use super::error::LedgerError;
use crate::amount::Sats;
use crate::budget::{Budget, Contribution};

/// One thing that happened, as `history` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryRow {
    /// Order of all things in the ledger.
    pub sequence: i64,
    /// Milliseconds since 1970.
    pub at_unix_ms: i64,
    /// What happened.
    pub event: HistoryEvent,
}

/// What a [`HistoryRow`] is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryEvent {
    /// The run was opened, or its limit raised.
    Limit(Sats),
    /// Something happened to a reservation.
    Reservation {
        /// Which one.
        key: Key,
        /// What.
        transition: Transition,
    },
}

/// A run and where its sats are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunBudget {
    /// The run.
    pub run: Arc<str>,
    /// Milliseconds since 1970.
    pub opened_at_unix_ms: i64,
    /// Where its sats are.
    pub budget: Budget,
}

pub(super) type RunColumns = (i64, i64, Sats, Contribution);

pub(super) fn run_columns(row: &Row<'_>) -> rusqlite::Result<RunColumns> {
    let share = Contribution {
        spent: sats(row, 3)?,
        fees: sats(row, 4)?,
        reserved: sats(row, 5)?,
        pending_refund: sats(row, 6)?,
    };
    Ok((row.get(0)?, row.get(1)?, sats(row, 2)?, share))
}

/// Nothing if the state is unknown.
pub(super) fn entry_columns(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Entry>> {
    let state: String = row.get(first)?;
    let entry = |state| {
        Ok(Entry {
            state,
            published: row.get(first + 1)?,
            amount: sats(row, first + 2)?,
            actual: sats(row, first + 3)?,
            fees: sats(row, first + 4)?,
        })
    };
    State::from_name(&state).map(entry).transpose()
}

pub(super) type HistoryColumns = (i64, (i64, i64, Option<HistoryEvent>));

pub(super) fn history_columns(row: &Row<'_>, unnamed: &Arc<str>) -> rusqlite::Result<HistoryColumns> {
    let kind: String = row.get(5)?;
    let (amount, fees) = (sats(row, 6)?, sats(row, 7)?);
    let subtask: Option<u32> = row.get(3)?;
    let attempt: Option<u32> = row.get(4)?;
    let event = match (subtask, attempt) {
        (Some(subtask), Some(attempt)) => Transition::from_parts(&kind, amount, fees).map(|transition| {
            let key = Key { run: unnamed.clone(), subtask, attempt };
            HistoryEvent::Reservation { key, transition }
        }),
        _ => (kind == "limit").then_some(HistoryEvent::Limit(amount)),
    };
    Ok((row.get(2)?, (row.get(0)?, row.get(1)?, event)))
}

fn sats(row: &Row<'_>, column: usize) -> rusqlite::Result<Sats> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map(Sats).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

pub(super) fn to_sql(amount: Sats) -> Result<i64, LedgerError> {
    i64::try_from(amount.0).map_err(|_| LedgerError::AmountTooLarge { amount })
}
