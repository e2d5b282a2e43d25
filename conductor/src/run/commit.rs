//! What the loop has written, and what follows once it is on disk.
//!
//! ```text
//!  what is owed (ledger, wallet) ─► events (store) ─► jobs leave ─► Written::Committed
//! ```
//!
//! A commit holds everything that was recorded before the commit was made. A debt for work is in ledger and wallet before the
//! trace says that the work counts.

use frlm_wallet::{LedgerError, Sats};

use super::RunError;
use super::claims::LookedUp;
use super::dispatch::Dispatch;
use super::driver::Run;
use super::events::Handed;
use super::journal::Unwritten;
use super::money::{Finished, Held, Reserved};
use super::pay_after::NewDebts;
use crate::payment::Cost;
use crate::plan::Subtask;
use crate::swarm::{Address, ProviderId, Ticket};
use crate::trace::TraceEvent;

/// Something that is on disk, or that a provider was told.
#[derive(Debug)]
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
    debts: Option<NewDebts>,
    records: Option<Unwritten>,
}

impl Commit {
    fn is_empty(&self) -> bool {
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

impl Run {
    /// Has everything written that was recorded.
    pub(super) fn commit(&mut self) {
        let commit = self.take_commit();
        if commit.is_empty() {
            return;
        }
        self.errands
            .outbox
            .push(async move { Ok(Written::Committed { owed: commit.write().await?, left: Vec::new() }) });
    }

    /// What was recorded, for a step that writes it before it does something else.
    pub(super) fn take_commit(&mut self) -> Commit {
        let counts = self
            .attempts
            .ended
            .iter()
            .filter(|(ticket, cost)| cost.is_some() && self.money.is_on_credit(*ticket));
        let address = |ticket: Ticket| self.ports.swarm.as_ref()?.address(ticket);
        let owed: Vec<(Ticket, Address)> =
            counts.filter_map(|(ticket, _)| Some((*ticket, address(*ticket)?))).collect();
        let debts = self.money.begin_to_owe(owed).map(|(events, debts)| {
            for event in events {
                self.journal.emit(event);
            }
            debts
        });
        Commit { debts, records: self.journal.take() }
    }

    /// A step is done; `true` if there is something to do for a round of the loop.
    pub(super) fn on_written(&mut self, written: Written) -> bool {
        match written {
            Written::Nothing => return false,
            Written::Committed { owed, left } => {
                for ticket in left {
                    if let Some(sent) = self.attempts.sent.get_mut(&ticket) {
                        sent.has_left = true;
                    }
                }
                let is_news = !owed.is_empty();
                self.money.owed(owed);
                return is_news;
            }
            Written::Reserved { jobs, reserved } => return self.on_reserved(jobs, reserved),
            Written::Finished(finished) => self.on_finished(finished),
            Written::Acknowledged(settled) => {
                let events = self.money.after.acknowledged(settled);
                self.note_settled(events);
            }
            Written::Reclaimed(events) => self.money.note_refunds(&mut self.journal, events),
            Written::Handed(handed) => self.on_handed(handed),
            Written::Raised { limit, raised } => self.on_raised(limit, raised),
            Written::Looked { subtasks, found } => {
                let kept = self.answers.claims.looked_up(&mut self.journal, found, subtasks.len());
                self.add_subtasks(subtasks, kept);
            }
        }
        true
    }

    /// Waits until everything is written that is on its way. After a failure the rest can be written again.
    pub(super) async fn drain(&mut self) -> Result<(), RunError> {
        let mut first = Ok(());
        while let Some(written) = self.errands.outbox.next().await {
            match written {
                Ok(written) => drop(self.on_written(written)),
                Err(error) => first = first.and(Err(error)),
            }
        }
        self.errands.outbox.mend();
        first
    }
}
