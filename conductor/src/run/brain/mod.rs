//! The brain in a run (seeds/super-llm-block.md).
//!
//! ```text
//!   plan grows ─► steps weighed (7), hints (3) ─► trace
//! ```
//!
//! A hint is advice. How many providers answer is the verification policy's word, which is the user's; how often the
//! two agree, and how often the hint would have been right, is counted.

mod steps;

pub(super) use steps::Step;

use super::driver::Run;
use crate::plan::Subtask;
use crate::scheduler::SubtaskId;

/// What the brain knows of a run.
#[derive(Debug, Default)]
pub(super) struct BrainDesk {
    /// The steps of the plan so far.
    pub steps: Vec<Step>,
}

impl Run {
    /// The steps of subtasks that are about to join the plan.
    pub(super) fn weigh(&self, subtasks: &[Subtask], first: SubtaskId) -> Vec<Step> {
        steps::steps_of(subtasks, first, self.setup.compound.as_deref())
    }

    /// Steps have joined the plan.
    pub(super) fn note_steps(&mut self, steps: Vec<Step>) {
        for step in &steps {
            self.journal.emit(step.event());
        }
        self.brain.steps.extend(steps);
    }
}
