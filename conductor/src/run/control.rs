//! What the user of a run may order while it is under way, besides stopping it (seed: frlm-architecture.md, "query
//! lanes").
//!
//! An order that comes too late (the subtask was verified meanwhile, the run is over) changes
//! nothing.

use frlm_scheduler::SubtaskId;
use frlm_wallet::Sats;
use tokio::sync::mpsc;

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
