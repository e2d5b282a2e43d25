//! Moments at which the scheduler must look again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::{AttemptId, SubtaskId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TimerKind {
    /// The attempt has failed if it is still out.
    Timeout(AttemptId),
    /// The attempt is a straggler if it is still out.
    Hedge(AttemptId),
    /// A paused provider may be asked again.
    Wake,
    /// Nobody new came for this subtask, if no more attempts are over than these.
    Newcomer { tried: u32 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Timer {
    pub at: Duration,
    pub subtask: SubtaskId,
    pub kind: TimerKind,
}

/// A heap with lazy deletion: a timer whose attempt has ended does nothing when it fires.
///
/// Most attempts end long before their timers do, so the dead ones are swept out whenever the heap
/// has doubled: it stays in proportion to what is out, not to what was ever sent.
#[derive(Debug)]
pub(super) struct Timers {
    heap: BinaryHeap<Reverse<Timer>>,
    sweep_at: usize,
}

/// Fewer timers than this are not worth a sweep.
const FEWEST_SWEPT: usize = 1_024;

impl Default for Timers {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), sweep_at: FEWEST_SWEPT }
    }
}

impl Timers {
    pub fn push(&mut self, timer: Timer) {
        self.heap.push(Reverse(timer));
    }

    /// Removes timers that are not `alive` any more, if there are many.
    pub fn sweep(&mut self, alive: impl Fn(&Timer) -> bool) {
        if self.heap.len() >= self.sweep_at {
            self.heap.retain(|Reverse(timer)| alive(timer));
            self.sweep_at = (2 * self.heap.len()).max(FEWEST_SWEPT);
            self.heap.shrink_to(self.sweep_at);
        }
    }

    pub fn next(&self) -> Option<Duration> {
        self.heap.peek().map(|Reverse(timer)| timer.at)
    }

    pub fn pop_due(&mut self, now: Duration) -> Option<Timer> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(timer)| timer)
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.heap.len()
    }
}
