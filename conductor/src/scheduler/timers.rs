//! Moments at which the scheduler must look again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::{AttemptId, SubtaskId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TimerKind {
    /// The attempt has failed if it is still out.
    Timeout,
    /// The attempt is a straggler if it is still out.
    Hedge,
    /// A paused provider may be asked again.
    Wake,
    /// Nobody new came for this subtask.
    Newcomer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Timer {
    pub at: Duration,
    pub subtask: SubtaskId,
    pub attempt: AttemptId,
    pub kind: TimerKind,
}

/// A heap with lazy deletion: a timer whose attempt has ended does nothing when it fires.
#[derive(Debug, Default)]
pub(super) struct Timers(BinaryHeap<Reverse<Timer>>);

impl Timers {
    pub fn push(&mut self, timer: Timer) {
        self.0.push(Reverse(timer));
    }

    pub fn next(&self) -> Option<Duration> {
        self.0.peek().map(|Reverse(timer)| timer.at)
    }

    pub fn pop_due(&mut self, now: Duration) -> Option<Timer> {
        if self.next()? > now {
            return None;
        }
        self.0.pop().map(|Reverse(timer)| timer)
    }
}
