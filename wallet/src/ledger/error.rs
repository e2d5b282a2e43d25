//! What can go wrong with the ledger.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entry::{Key, State};
use super::limits::Limit;
use crate::amount::Sats;

/// Why the ledger did not do what it was asked. Nothing of a refused request is written.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LedgerError {
    /// The run's limit does not cover the reservation.
    #[error("over budget: {needed} needed, {available} of {limit} available; raise the budget")]
    BudgetExceeded {
        /// What was to be reserved, in all.
        needed: Sats,
        /// What was free.
        available: Sats,
        /// The run's limit.
        limit: Sats,
    },
    /// One of the owner's limits does not cover the reservation.
    #[error(
        "over the limit {}: {needed} needed, {used} of {most} used{}; raise {} under [limits] in config.toml",
        in_words(*.limit),
        soon(*.free_in_hours),
        .limit.name()
    )]
    LimitReached {
        /// Which one.
        limit: Limit,
        /// The limit.
        most: Sats,
        /// What was used of it.
        used: Sats,
        /// What was to be reserved.
        needed: Sats,
        /// In how many hours some of it is free again, where time frees it.
        free_in_hours: Option<u64>,
    },
    /// No such run.
    #[error("run {run} is not in the ledger")]
    UnknownRun {
        /// The run.
        run: Arc<str>,
    },
    /// The run is there with another limit.
    #[error("run {run} is already in the ledger with a limit of {limit}; raise that limit instead")]
    RunExists {
        /// The run.
        run: Arc<str>,
        /// Its limit.
        limit: Sats,
    },
    /// Limits only rise.
    #[error("run {run}: a limit of {limit} cannot be lowered to {asked}")]
    LimitLowered {
        /// The run.
        run: Arc<str>,
        /// Its limit.
        limit: Sats,
        /// What was asked for.
        asked: Sats,
    },
    /// No such reservation.
    #[error("{key} was never reserved")]
    UnknownKey {
        /// The reservation.
        key: Key,
    },
    /// The key is used up; another attempt needs another number.
    #[error("{key} was reserved before; another attempt needs another number")]
    KeyExists {
        /// The reservation.
        key: Key,
    },
    /// Somebody holds the reservation.
    #[error("{key} is held by {}", if *.in_other_process { "another running process" } else { "another task" })]
    InUse {
        /// The reservation.
        key: Key,
        /// Whether another process holds it.
        in_other_process: bool,
    },
    /// The state machine does not allow it.
    #[error("{key}: cannot {action}, it is {}", state.name())]
    WrongState {
        /// The reservation.
        key: Key,
        /// What was asked for.
        action: &'static str,
        /// Where it is.
        state: State,
    },
    /// The cost is beyond the reservation.
    #[error("{key} cost {actual} and {fees} in fees, but only {reserved} were reserved")]
    OverReservation {
        /// The reservation.
        key: Key,
        /// The cost without fees.
        actual: Sats,
        /// The fees.
        fees: Sats,
        /// What was reserved.
        reserved: Sats,
    },
    /// Beyond what the file can hold.
    #[error("{amount} is more than the ledger can hold; name a smaller amount")]
    AmountTooLarge {
        /// The amount.
        amount: Sats,
    },
    /// No room.
    #[error(
        "{}: the disk is full; free some space or choose another place with --home (nothing was lost)",
        path.display()
    )]
    DiskFull {
        /// The ledger's file.
        path: PathBuf,
    },
    /// Another process holds the file.
    #[error("{}: locked by another process for over {} s; try again when it is done", path.display(), waited_secs)]
    Locked {
        /// The ledger's file.
        path: PathBuf,
        /// How long it was waited for.
        waited_secs: u64,
    },
    /// The file was written by a later version.
    #[error("{}: written by a newer version (schema {found}, this one knows {known})", path.display())]
    NewerSchema {
        /// The ledger's file.
        path: PathBuf,
        /// The file's version.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// A row does not make sense.
    #[error("{}: damaged ({what}); run the audit", path.display())]
    Damaged {
        /// The ledger's file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// Any other trouble with the file.
    #[error(
        "{}: {source}; check the disk (space, quota, rights) or choose another place with --home (what was \
         recorded before is safe)",
        path.display()
    )]
    Storage {
        /// The ledger's file.
        path: PathBuf,
        /// The database's reason.
        source: Arc<rusqlite::Error>,
    },
    /// Any other trouble with the folder.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: Arc<std::io::Error>,
    },
    /// The ledger's thread is gone.
    #[error("{}: the ledger has stopped", path.display())]
    Stopped {
        /// The ledger's file.
        path: PathBuf,
    },
}

fn in_words(limit: Limit) -> &'static str {
    match limit {
        Limit::Subtask => "per subtask",
        Limit::Day => "per day",
        Limit::Provider => "per provider and day",
        Limit::Mint => "per mint and day",
    }
}

fn soon(free_in_hours: Option<u64>) -> String {
    free_in_hours.map_or(String::new(), |hours| format!(" (some of it is available again within {hours} h)"))
}

impl LedgerError {
    /// Whether the money is not there, or not allowed: the run's budget or one of the owner's limits.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::BudgetExceeded { .. } | Self::LimitReached { .. })
    }

    pub(super) fn storage(path: &Path, waited_secs: u64, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path, waited_secs },
            _ => Self::Storage { path, source: Arc::new(source) },
        }
    }

    pub(super) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source: Arc::new(source) }
    }

    /// Whether the file failed, as opposed to the request: nothing of the batch is written.
    pub(super) fn is_storage(&self) -> bool {
        matches!(
            self,
            Self::DiskFull { .. }
                | Self::Locked { .. }
                | Self::NewerSchema { .. }
                | Self::Damaged { .. }
                | Self::Storage { .. }
                | Self::Io { .. }
                | Self::Stopped { .. }
        )
    }
}
