//! A question in words that may take several steps: a planner is asked, its steps are proposed, and asked one after the other.

use std::sync::Arc;

use frlm_scheduler::SubtaskId;

use super::{FragmentMap, PlanError, Stage};
use crate::dialect::MapAnswer;
use crate::dialect::claims::Parts;
use crate::plan::planning::StepsTask;
use crate::plan::steps::StepMap;
use crate::plan::{Outcome, Settled, Subtask};
use crate::question::steps::{Steps, seems_to_have_steps};
use crate::reduce::FragmentRef;

/// What the writer of the answer is told where the question took several steps.
const OF_STEPS: &str = "The notes were taken for several steps towards the answer. Say what each of them found, with its notes, and \
     what follows.";

impl FragmentMap {
    /// The same where a planner is asked first whether the question takes several steps, if it seems to. One reader of all of it
    /// needs no other, and what is judged as a whole is not taken apart.
    #[must_use]
    pub fn in_steps(mut self) -> Self {
        let mut names: Vec<&str> = self.fragments.iter().map(|fragment| &*fragment.file).collect();
        names.dedup();
        if self.fragments.len() > 1 && !self.as_one && seems_to_have_steps(&self.question, &names) {
            let fragments = self.fragments.iter().map(AsRef::as_ref);
            self.planner = Some(Arc::new(StepsTask::of(&self.question, fragments)));
        }
        self
    }

    /// What a planner says, once it has.
    pub(super) fn hear_planner(
        &mut self,
        verified: &[Settled<'_>],
        first_id: SubtaskId,
    ) -> Result<Vec<Subtask>, PlanError> {
        let planned = verified.iter().find_map(|settled| match settled.outcome {
            Outcome::Planned(steps) => Some(steps),
            _ => None,
        });
        let Some(texts) = planned else { return Ok(Vec::new()) };
        // A planner's answer was checked when it came.
        if let Ok(Some(steps)) = Steps::of(texts) {
            self.propose(steps);
            return Ok(Vec::new());
        }
        self.notes.push("a planner finds that the question takes no steps".to_owned());
        self.map(None, first_id)
    }

    pub(super) fn propose(&mut self, steps: Steps) {
        let (fragments, form) = (self.fragments.clone(), self.form(Parts::of(&self.fragments)));
        self.planner = None;
        self.steps = Some(Box::new(StepMap::new(steps, fragments, form, self.guide.as_ref())));
        self.stage = Stage::Proposed;
    }

    /// What is asked after what the steps have come to.
    pub(super) fn next_of_steps(&mut self, first_id: SubtaskId) -> Result<Vec<Subtask>, PlanError> {
        let Some(steps) = &mut self.steps else { return Ok(Vec::new()) };
        let subtasks = steps.next(first_id);
        if !subtasks.is_empty() || !steps.is_done() {
            return Ok(subtasks);
        }
        if steps.found_nothing() {
            let why = "nothing was found for the steps that were planned: the question is asked as it is";
            self.notes.push(why.to_owned());
            return self.map(None, first_id);
        }
        let confidences = steps.confidences();
        Ok(self.combine(Vec::new(), &confidences, first_id))
    }

    /// What was found for the steps, if there were any, and what the writer is told of it.
    pub(super) fn found_in_steps(&self) -> (Vec<(FragmentRef, MapAnswer)>, &'static str) {
        let Some(steps) = &self.steps else { return (Vec::new(), "") };
        (steps.evidence(), if steps.found_nothing() { "" } else { OF_STEPS })
    }
}
