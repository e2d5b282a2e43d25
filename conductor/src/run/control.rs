//! What the user of a run may order while it is under way, besides stopping it (seed: frlm-architecture.md, "query
//! lanes").
//!
//! An order that comes too late (the subtask was verified meanwhile, the run is over) changes
//! nothing.

use frlm_wallet::{LedgerError, Sats};
use tokio::sync::mpsc;

use super::decide;
use super::driver::Run;
use super::subtasks::{Progress, SubtaskRecord};
use crate::scheduler::{FailureReason, SubtaskId};
use crate::trace::TraceEvent;

/// Orders that may wait. People give them, so these are few.
const MOST_WAITING: usize = 64;

/// One order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunCommand {
    /// Cancels a subtask: its jobs that are out are cancelled and cost nothing, and the answer says
    /// what is missing.
    Cancel(SubtaskId),
    /// Asks all providers again about a subtask that was given up.
    AskAgain(SubtaskId),
    /// Raises the budget to so many sats in all. Providers and subtasks that were excluded for lack of sats are
    /// used again.
    RaiseBudget(Sats),
}

/// Gives orders to one run. Clones give them to the same run.
#[derive(Debug, Clone)]
pub struct Control(mpsc::Sender<RunCommand>);

impl Control {
    /// A control and where its orders arrive.
    pub(super) fn new() -> (Self, mpsc::Receiver<RunCommand>) {
        let (commands, arriving) = mpsc::channel(MOST_WAITING);
        (Self(commands), arriving)
    }

    /// Gives an order; `false` if the run is over, or too many orders are waiting.
    pub fn give(&self, command: RunCommand) -> bool {
        self.0.try_send(command).is_ok()
    }
}

impl Run {
    /// What gives orders to this run.
    pub fn control(&self) -> Control {
        self.ports.control.clone()
    }

    pub(super) fn handle_command(&mut self, command: RunCommand) {
        match command {
            RunCommand::Cancel(id) => {
                if self.scheduler.entries.is_open(id) {
                    self.journal.decide(
                        "control",
                        "proceed",
                        &format!("subtask {} is cancelled by the user", id.0),
                    );
                    self.scheduler.give_up(id, FailureReason::Cancelled);
                }
            }
            RunCommand::AskAgain(id) => {
                if decide::open_again(&mut self.subtasks, &mut self.scheduler, id) {
                    let words = format!("subtask {} is asked again, as the user wishes", id.0);
                    self.journal.decide("control", "retry", &words);
                }
            }
            // The ledger has the higher limit before anything is said or asked under it.
            RunCommand::RaiseBudget(limit) => self.errands.outbox.push(self.money.begin_to_raise(limit)),
        }
    }

    /// The ledger has the higher limit, by so much, or says why it stays as it is.
    pub(super) fn on_raised(&mut self, limit: Sats, raised: Result<Sats, LedgerError>) {
        match raised {
            Ok(more) => self.money.left.add(more),
            Err(error) => {
                self.journal.decide("control", "proceed", &format!("the budget stays as it is: {error}"));
                return;
            }
        }
        let cap = limit;
        self.setup.policy.budget.limit = cap;
        self.journal.emit(TraceEvent::BudgetRaised { limit_sats: cap.0 });
        for (index, capacity) in self.providers.peers.readmit_too_dear() {
            self.scheduler.providers.upsert(index, capacity);
        }
        let lacks =
            |record: &SubtaskRecord| matches!(record.state, Progress::GaveUp(FailureReason::OverBudget));
        let lacking = (0_u32..).zip(self.subtasks.iter()).filter(|(_, record)| lacks(record));
        let lacking: Vec<SubtaskId> = lacking.map(|(id, _)| SubtaskId(id)).collect();
        let again = lacking
            .into_iter()
            .filter(|id| decide::open_again(&mut self.subtasks, &mut self.scheduler, *id))
            .count();
        let words = format!("the user raised the budget to {cap}; {again} parts are asked again");
        self.journal.decide("control", "proceed", &words);
    }
}
