//! The subtasks of a run, and what is known of each.

use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use frlm_questions::plan::{Outcome, Subtask, Task};
use frlm_questions::reduce::words::NoteBatch;
use frlm_scheduler::{AttemptId, FailureReason, SubtaskId};
use frlm_verifier::Replica;
use frlm_wallet::Sats;

use crate::route::roles::Role;

/// How many new subtasks one trace event names.
pub(super) const MOST_PER_PLAN_EVENT: usize = 1_000;

/// A subtask and what is known of it. There may be 100,000: what few have at a time stands apart, and is read and changed
/// as if it stood here.
pub(super) struct SubtaskRecord {
    pub subtask: Subtask,
    pub state: Progress,
    /// The role that it was routed to, as far as a general model is told.
    pub role: Option<&'static Role>,
    /// The price of its first job, which decides how much trust an answer needs.
    pub first_price: Option<Sats>,
    /// `None` before its first answer or failure, and again once it is accepted if nothing went wrong.
    tries: Option<Box<Tries>>,
}

/// What a subtask's attempts have come to so far.
#[derive(Default)]
pub(super) struct Tries {
    /// The answers to it that passed the checks of their own.
    pub replicas: Vec<(AttemptId, Replica<Outcome>)>,
    /// Why the latest attempt failed, for the message if all do.
    pub last_failure: Option<Box<str>>,
    /// What was wrong with the latest rejected answer, for the next attempt.
    pub lesson: Option<&'static str>,
    /// Whether the user's own model was asked for it as the last resort.
    pub fell_back: bool,
    /// Whether code corrected much of an answer to it, or an answer was more likely wrong than right.
    pub doubtful: bool,
    /// Attempts that failed.
    pub failures: u16,
    /// Attempts that nobody answered in time.
    pub timeouts: u16,
}

static NOTHING_TRIED: LazyLock<Tries> = LazyLock::new(Tries::default);

impl Tries {
    /// Whether nothing went wrong.
    fn went_well(&self) -> bool {
        let Self { replicas: _, last_failure, lesson, fell_back, doubtful, failures, timeouts } = self;
        failures.max(timeouts) == &0 && !fell_back && !doubtful && last_failure.is_none() && lesson.is_none()
    }
}

impl Deref for SubtaskRecord {
    type Target = Tries;

    fn deref(&self) -> &Tries {
        self.tries.as_deref().unwrap_or(&NOTHING_TRIED)
    }
}

impl DerefMut for SubtaskRecord {
    fn deref_mut(&mut self) -> &mut Tries {
        self.tries.get_or_insert_default()
    }
}

impl SubtaskRecord {
    /// A subtask that nobody was asked for yet.
    pub fn new(subtask: Subtask, state: Progress) -> Self {
        Self { subtask, state, role: None, first_price: None, tries: None }
    }

    /// Takes its answers from it, and gives back the room that they had.
    pub fn take_replicas(&mut self) -> Vec<(AttemptId, Replica<Outcome>)> {
        let replicas = std::mem::take(&mut self.replicas);
        self.tries.take_if(|tries| tries.went_well());
        replicas
    }

    /// Whether a missing answer counts against coverage. `false` once it was given up for a review (claims are settled without
    /// it, too), a second reading (the part was read once) or a plan (the question is asked without one).
    pub fn is_missed(&self) -> bool {
        let may_lack = matches!(self.task(), Task::Review(_) | Task::Reread { .. } | Task::Plan(_));
        !(may_lack && matches!(self.state, Progress::GaveUp(_)))
    }

    pub fn task(&self) -> &frlm_questions::plan::Task {
        &self.subtask.task
    }

    /// What was accepted for it.
    pub fn accepted(&self) -> Option<&Accepted> {
        if let Progress::Accepted(accepted) = &self.state { Some(accepted) } else { None }
    }

    /// The same, to be changed.
    pub fn accepted_mut(&mut self) -> Option<&mut Accepted> {
        match &mut self.state {
            Progress::Accepted(accepted) => Some(accepted),
            Progress::Open | Progress::GaveUp(_) => None,
        }
    }
}

/// The subtasks of a run.
#[derive(Default)]
pub(super) struct Subtasks {
    all: Vec<SubtaskRecord>,
    /// Accepted since the plan was last asked to grow.
    pub fresh: Vec<SubtaskId>,
}

impl Deref for Subtasks {
    type Target = [SubtaskRecord];

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

impl Subtasks {
    /// Makes room for so many more, and for none beyond them: there may be 100,000.
    pub fn make_room(&mut self, more: usize) {
        self.all.reserve_exact(more);
    }

    pub fn push(&mut self, record: SubtaskRecord) {
        self.all.push(record);
    }

    /// The id of the next one.
    pub fn next_id(&self) -> SubtaskId {
        SubtaskId(u32::try_from(self.all.len()).unwrap_or(u32::MAX))
    }

    pub fn of(&self, id: SubtaskId) -> Option<&SubtaskRecord> {
        self.all.get(id.0 as usize)
    }

    pub fn of_mut(&mut self, id: SubtaskId) -> Option<&mut SubtaskRecord> {
        self.all.get_mut(id.0 as usize)
    }

    pub fn is_accepted(&self, id: SubtaskId) -> bool {
        self.of(id).is_some_and(|record| matches!(record.state, Progress::Accepted(_)))
    }

    /// Whether somebody writes about what was read, or has.
    pub fn is_written_about(&self) -> bool {
        self.iter().any(|record| matches!(record.task(), Task::Combine(_)))
    }

    /// What the writer read in the place of the notes.
    pub fn batch_of_the_answer(&self) -> NoteBatch {
        let written = self.iter().rev().find_map(|record| match record.task() {
            Task::Combine(task) if task.is_last() => Some(task.batch.clone()),
            _ => None,
        });
        written.unwrap_or_default()
    }

    /// Those who try one next are told what was wrong.
    pub fn teach(&mut self, id: SubtaskId, lesson: &'static str) {
        if let Some(record) = self.of_mut(id) {
            record.lesson = Some(lesson);
        }
    }

    /// Fixes what trust one takes, by the price of its first job.
    pub fn note_price(&mut self, id: SubtaskId, price: Sats) {
        if let Some(record) = self.of_mut(id) {
            record.first_price.get_or_insert(price);
        }
    }
}

pub(super) enum Progress {
    Open,
    Accepted(Accepted),
    GaveUp(FailureReason),
}

/// An accepted answer with what the final report needs of it.
pub(super) struct Accepted {
    pub outcome: Outcome,
    pub agreement: f64,
    pub confidence: Option<f64>,
    pub replicas: u32,
    pub local: bool,
    pub cached: bool,
}

impl Accepted {
    /// How far it is believed against other answers of its kind: by how many said it and how many did not (Laplace's rule
    /// of succession); this machine's own model needs nobody beside it. What providers say of themselves is no measure:
    /// a lie would be the surest.
    pub fn smoothed_agreement(&self) -> f64 {
        if self.local {
            return 1.0;
        }
        let answers = f64::from(self.replicas);
        (self.agreement * answers + 1.0) / (answers + 2.0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use frlm_questions::plan::CompileTask;
    use frlm_questions::question::FieldHints;
    use frlm_questions::question::compile::Compiled;

    use super::*;

    /// A run of 100,000 subtasks may take 1,024 bytes for each (design.md, section 10). `frlm-lab bench` measures all of
    /// it; this is what stays from the plan to the answer, so that a field too many is seen here.
    #[test]
    fn what_a_run_keeps_of_a_subtask_is_a_seventh_of_what_it_may_take() {
        assert!(size_of::<SubtaskRecord>() <= 144, "{} bytes", size_of::<SubtaskRecord>());
    }

    #[test]
    fn an_accepted_subtask_keeps_of_its_attempts_only_that_one_went_wrong() {
        let task =
            Task::Compile(Arc::new(CompileTask { question: String::new(), hints: FieldHints::default() }));
        let mut record = SubtaskRecord {
            subtask: Subtask::new(task),
            state: Progress::Open,
            role: None,
            first_price: None,
            tries: None,
        };
        let answer = || {
            let answer = Outcome::Compiled(Compiled::Free);
            let (provider, key) = (String::new(), answer.agreement_key());
            (
                AttemptId(0),
                Replica { provider, key, trusted: false, confidence: None, attested: None, answer },
            )
        };
        assert_eq!((record.replicas.len(), record.failures, record.tries.is_none()), (0, 0, true));
        record.replicas.push(answer());
        assert_eq!((record.take_replicas().len(), record.tries.is_none()), (1, true));
        record.failures += 1;
        record.replicas.push(answer());
        assert_eq!((record.take_replicas().len(), record.failures, record.replicas.len()), (1, 1, 0));
    }

    #[test]
    fn agreement_of_more_providers_outweighs_one_models_confidence() {
        let confidence = |agreement: f64, replicas: u32, confidence: Option<f64>| {
            let outcome = Outcome::Combined(String::new());
            Accepted { outcome, agreement, confidence, replicas, local: false, cached: false }
                .smoothed_agreement()
        };
        let alone = confidence(1.0, 1, Some(1.0));
        assert!((alone - confidence(1.0, 1, None)).abs() < 1e-9, "its own word adds nothing");
        assert!(
            confidence(1.0, 2, None) > alone
                && confidence(1.0, 3, None) > confidence(2.0 / 3.0, 3, Some(1.0))
        );
    }
}
