//! What its user may ask of a run under way, beyond stopping it (seed: frlm-architecture.md, «query
//! lanes»).
//!
//! Orders are wishes: one that comes too late (the subtask was verified meanwhile, the run is over)
//! changes nothing.

use tokio::sync::mpsc;

use super::driver::Run;
use crate::scheduler::{GaveUp, SubtaskId};

/// Orders that may wait. People give them, so these are few.
const MOST_WAITING: usize = 64;

/// One wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Asks nobody any more for a subtask: jobs that are out are cancelled and cost nothing, and the
    /// answer says what is missing.
    CallOff(SubtaskId),
    /// Asks everyone afresh for a subtask that was given up.
    AskAgain(SubtaskId),
}

/// Gives orders to one run. Clones give them to the same run.
#[derive(Debug, Clone)]
pub struct Control(mpsc::Sender<Order>);

impl Control {
    /// A control and where its orders arrive.
    pub(super) fn new() -> (Self, mpsc::Receiver<Order>) {
        let (orders, arriving) = mpsc::channel(MOST_WAITING);
        (Self(orders), arriving)
    }

    /// Gives an order; `false` if the run is over or has more orders waiting than anybody can mean.
    pub fn give(&self, order: Order) -> bool {
        self.0.try_send(order).is_ok()
    }
}

impl Run {
    /// What gives orders to this run.
    pub fn control(&self) -> Control {
        self.control.clone()
    }

    pub(super) fn obey(&mut self, order: Order) {
        match order {
            Order::CallOff(id) => {
                if self.scheduler.is_open(id) {
                    self.decide("control", "proceed", &format!("subtask {} is called off by the user", id.0));
                    self.scheduler.give_up(id, GaveUp::CalledOff);
                }
            }
            Order::AskAgain(id) => self.ask_again(id),
        }
    }

    fn ask_again(&mut self, id: SubtaskId) {
        if !self.open_again(id) {
            return;
        }
        self.decide("control", "retry", &format!("subtask {} is asked again, as the user wishes", id.0));
    }
}
