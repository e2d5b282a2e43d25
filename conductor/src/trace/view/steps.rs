//! The steps of a plan: how simple each is, who should answer it, and what became of that advice.

use frlm_learning::planning::account::Appraisal;
use frlm_learning::planning::hints::{HintRecord, hindsight};
use frlm_learning::planning::reward::Outcome;
use frlm_learning::planning::steps::Weighed;

use super::{AttemptEnding, RunView, SubtaskState, SubtaskView};

/// A step of the plan: what is asked once, of however many fragments.
#[derive(Debug, Clone, PartialEq)]
pub struct StepView {
    /// Position of its first subtask in [`RunView::subtasks`].
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// What is asked.
    pub text: String,
    /// Which part of the question it is, from 0, where that has several.
    pub part: Option<usize>,
    /// The part whose answer it speaks of.
    pub needs: Option<usize>,
    /// How simple it is, and who should answer it.
    pub weighed: Weighed,
}

/// How well a run was served, and what the way to take its question apart was worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvaluatedView {
    /// The evaluation, and the reward.
    pub appraisal: Appraisal,
    /// What the reward is made of.
    pub outcome: Outcome,
    /// What became of the hints.
    pub hints: HintRecord,
    /// Whether it was added to what earlier runs have taught.
    pub kept: bool,
}

impl RunView {
    /// A step joins the plan. A resumed run plans again, from the first one on.
    pub(super) fn weighed(&mut self, step: StepView) {
        let at = self.steps.partition_point(|known| known.first < step.first);
        match self.steps.get_mut(at) {
            Some(known) if known.first == step.first => *known = step,
            _ => self.steps.insert(at, step),
        }
    }

    /// The step that a subtask belongs to.
    pub fn step_of(&self, subtask: u32) -> Option<&StepView> {
        let before = self.steps.partition_point(|step| step.first <= subtask).checked_sub(1)?;
        self.steps.get(before).filter(|step| subtask - step.first < step.count)
    }

    /// The subtasks of a step, as far as they are known.
    pub fn subtasks_of(&self, step: &StepView) -> &[SubtaskView] {
        let (first, count) = (step.first as usize, step.count as usize);
        let end = first.saturating_add(count).min(self.subtasks.len());
        self.subtasks.get(first..end).unwrap_or_default()
    }

    /// Subtasks of a step with an accepted answer.
    pub fn verified_of(&self, step: &StepView) -> usize {
        self.subtasks_of(step).iter().filter(|lane| lane.state == SubtaskState::Verified).count()
    }

    /// What became of a step's hint: whether it was followed, and whether that would have been right, for each
    /// subtask that has ended.
    pub fn hint_record(&self, step: &StepView) -> HintRecord {
        let mut record = HintRecord::default();
        let ended =
            |lane: &&SubtaskView| matches!(lane.state, SubtaskState::Verified | SubtaskState::GaveUp(_));
        for lane in self.subtasks_of(step).iter().filter(ended) {
            let answered = |attempt: &&super::AttemptView| attempt.ending == Some(AttemptEnding::Answered);
            let answers = lane.attempts.iter().filter(answered).count();
            let stood = lane.state == SubtaskState::Verified && !lane.dissent;
            let (done, best) = hindsight(answers, stood);
            record.note(step.weighed.hint.suggested, done, best);
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::plan::facts::weigh;
    use crate::plan::{CompileTask, Task};
    use crate::question::FieldHints;
    use crate::scheduler::SubtaskId;
    use crate::trace::{TraceEvent, TraceRecord};

    fn step(first: u32, count: u32, text: &str) -> TraceEvent {
        let task = CompileTask { question: text.to_owned(), hints: FieldHints::default() };
        let weighed = Box::new(weigh(&Task::Compile(Arc::new(task))));
        let text = text.to_owned();
        TraceEvent::Weighed { first: SubtaskId(first), count, text, part: None, needs: None, weighed }
    }

    #[test]
    fn a_subtask_finds_its_step_and_a_resumed_plan_replaces_the_old_one() {
        let mut view = RunView::default();
        let events = [step(4, 2, "later"), step(0, 4, "first"), step(0, 3, "first, again")];
        for (seq, event) in (0_u64..).zip(events) {
            // As the journal stores it.
            let stored = serde_json::to_string(&TraceRecord { seq, at_ms: seq, event }).unwrap();
            view.apply(&serde_json::from_str(&stored).unwrap());
        }
        assert_eq!(view.steps.len(), 2);
        let text = |subtask| view.step_of(subtask).map(|step| step.text.as_str());
        assert_eq!(text(2), Some("first, again"));
        assert_eq!((text(3), text(4), text(5), text(6)), (None, Some("later"), Some("later"), None));
        assert_eq!(view.hint_record(&view.steps[0]), HintRecord::default(), "nothing has ended yet");
    }
}
