//! What the loop has written, and what follows once it is on disk.
//!
//! ```text
//!  what is owed (ledger, wallet) ─► events (store) ─► jobs leave ─► Written::Committed
//! ```
//!
//! A commit holds everything that was recorded before the commit was made. A debt for work is in ledger and wallet before the
//! trace says that the work counts.

use frlm_questions::plan::Subtask;
use frlm_wallet::{LedgerError, Sats};

use super::RunError;
use super::claims::LookedUp;
use super::dispatch::Dispatch;
use super::journal::Unwritten;
use super::money::{Finished, Held, Reserved};
use super::pay::Handed;
use super::pay_after::NewDebts;
use crate::payment::Cost;
use crate::swarm::{ProviderId, Ticket};
use crate::trace::TraceEvent;

/// Something that is on disk, or that a provider was told.
pub(super) enum Written {
    /// Nothing follows.
    Nothing,
    /// What was recorded: which attempts have a debt from here on, and which jobs have left.
    Committed { owed: Vec<(Ticket, Held)>, left: Vec<Ticket> },
    /// Reservations for jobs.
    Reserved { jobs: Vec<(Dispatch, Option<Cost>)>, reserved: Reserved },
    /// The end of reservations.
    Finished(Finished),
    /// Payments after the verdict, of which the providers were told.
    Acknowledged(Vec<(ProviderId, TraceEvent)>),
    /// What providers returned.
    Reclaimed(Vec<TraceEvent>),
    /// A token was handed to its provider.
    Handed(Handed),
    /// A higher budget, or why it stays as it is.
    Raised { limit: Sats, raised: Result<Sats, LedgerError> },
    /// Readings that earlier runs verified, of subtasks that are to join the plan.
    Looked { subtasks: Vec<Subtask>, found: LookedUp },
}

/// What is to be written in one step.
#[derive(Debug, Default)]
pub(super) struct Commit {
    pub debts: Option<NewDebts>,
    pub records: Option<Unwritten>,
}

impl Commit {
    pub fn is_empty(&self) -> bool {
        self.debts.is_none() && self.records.is_none()
    }

    /// Writes it.
    pub async fn write(self) -> Result<Vec<(Ticket, Held)>, RunError> {
        let owed = match self.debts {
            Some(debts) => debts.write().await?,
            None => Vec::new(),
        };
        if let Some(records) = self.records {
            records.write().await?;
        }
        Ok(owed)
    }
}
