//! The steps of a plan: how simple each is, who should answer it, and what became of that advice.

use frlm_learning::planning::account::Appraisal;
use frlm_learning::planning::hints::{HintRecord, hindsight};
use frlm_learning::planning::reward::Outcome;
use frlm_learning::planning::steps::Weighed;

use super::{AttemptEnding, SubtaskState, SubtaskView};

/// A step of the plan: what is asked once, of however many fragments.
#[derive(Debug, Clone, PartialEq)]
pub struct StepView {
    /// Position of its first subtask in [`RunView::subtasks`](super::RunView::subtasks).
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

impl StepView {
    /// Those of the run's subtasks that are of this step, as far as they are known.
    pub fn subtasks<'run>(&self, all: &'run [SubtaskView]) -> &'run [SubtaskView] {
        let (first, count) = (self.first as usize, self.count as usize);
        let end = first.saturating_add(count).min(all.len());
        all.get(first..end).unwrap_or_default()
    }

    /// Those of its subtasks with an accepted answer.
    pub fn verified(&self, all: &[SubtaskView]) -> usize {
        self.subtasks(all).iter().filter(|lane| lane.state == SubtaskState::Verified).count()
    }

    /// What became of its hint: whether it was followed, and whether that would have been right, for each
    /// subtask that has ended.
    pub fn hint_record(&self, all: &[SubtaskView]) -> HintRecord {
        let mut record = HintRecord::default();
        let ended =
            |lane: &&SubtaskView| matches!(lane.state, SubtaskState::Verified | SubtaskState::GaveUp(_));
        for lane in self.subtasks(all).iter().filter(ended) {
            let answered = |attempt: &&super::AttemptView| attempt.ending == Some(AttemptEnding::Answered);
            let answers = lane.attempts.iter().filter(answered).count();
            let stood = lane.state == SubtaskState::Verified && !lane.dissent;
            let (done, best) = hindsight(answers, stood);
            record.note(self.weighed.hint.suggested, done, best);
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use frlm_questions::plan::facts::weigh;
    use frlm_questions::plan::{CompileTask, Task};
    use frlm_questions::question::FieldHints;
    use frlm_scheduler::SubtaskId;

    use super::super::RunView;
    use super::*;
    use frlm_conductor::trace::{TraceEvent, TraceRecord};

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
        assert_eq!(view.plan.steps.len(), 2);
        let text = |subtask| view.plan.step_of(subtask).map(|step| step.text.as_str());
        assert_eq!(text(2), Some("first, again"));
        assert_eq!((text(3), text(4), text(5), text(6)), (None, Some("later"), Some("later"), None));
        assert_eq!(
            view.plan.steps[0].hint_record(&view.subtasks),
            HintRecord::default(),
            "nothing has ended yet"
        );
    }
}
