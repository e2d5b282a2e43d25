//! The learner in a run (seeds/super-llm-block.md).
//!
//! ```text
//!   run begins ─► a model proposes parts where code knows none (2) ─► plan, trace; the user's own, or the small one
//!   parts ─► policy: in which order and words they are asked (2) ─► plan, trace
//!   words may be needed ─► in which words readers are asked (2) ─► plan, trace
//!   words are needed ─► has something to be found out first (2)? the user's own model, or a provider ─► plan, trace
//!   words are needed ─► simple enough for all of a short text at once? (6) ─► plan, trace
//!   plan grows ─► steps weighed (7), hints (3) ─► trace
//!   parts are answered ─► the small model says them in one sentence (5) ─► answer
//!   run ends   ─► what served it evaluated (4), the way it was taken apart rewarded (2) ─► account, trace
//! ```
//!
//! A hint is only advice. The verification policy, which the user chose, decides how many providers answer. The learner
//! counts how often policy and hint agree, and how often the hint would have been right.

mod analyse;
mod choose;
mod evaluation;
mod moment;
mod phrase;
mod prose;
mod say;
mod steps;
mod take_apart;

use std::time::Duration;

pub(super) use analyse::{Said, analyse, on_simplicity};
pub(super) use choose::choose_plan;
pub(super) use evaluation::record_service;
use frlm_learning::planning::account::Chosen;
use frlm_learning::planning::account::memory::{LearnerError, LearnerMemory};
use frlm_learning::planning::analyse::Analysis;
use frlm_learning::planning::performance::{Stopwatch, Synthesis};
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::Subtask;
use frlm_questions::small_model::SmallModel;
use frlm_questions::stage::RunStage;
use frlm_scheduler::SubtaskId;
pub(super) use phrase::choose_words;
pub(super) use prose::{ask_as_it_is, plan_no_more};
pub(super) use say::in_short;
pub(super) use steps::Step;
pub(super) use take_apart::take_apart;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::decide::DecisionDesk;
use super::equipment::Equipment;
use super::journal::Journal;
use super::subtasks::SubtaskRecord;
use super::{RunError, RunSetup};

/// What the learner knows of a run.
#[derive(Debug, Default)]
pub(super) struct LearnerDesk {
    /// How the question is taken apart, where the policy chose.
    pub chosen: Option<Chosen>,
    /// How readers are asked, where the question may need words.
    phrased: Option<phrase::Put>,
    /// How simple the question is, once that was looked at.
    pub analysis: Option<Analysis>,
    /// Whether all of the text is asked at once.
    pub direct: bool,
    /// Whether the user's own model did not answer when it was asked about the question: it is left alone then.
    pub model_silent: bool,
    /// Whether what was learned was damaged: the run plans without it, as if there were no policy.
    pub damaged: bool,
    /// What earlier runs have taught, and where this one leaves what it shows.
    pub advisor: Option<LearnerMemory>,
    /// A small model of this program's own, for what the user has no model for.
    pub small: Option<SmallModel>,
    /// How busy the providers were that it found, and how long the quickest trip to one and back took.
    load: f64,
    trip: Option<Duration>,
    /// Where its time goes.
    pub watch: Stopwatch,
    /// How its answer was put together, once it was.
    pub pattern: Option<Synthesis>,
    /// Cancelled when the run is stopped: no model that is asked for the learner is awaited any longer.
    pub stop: CancellationToken,
    /// What the plan waits for.
    pub asking: Asking,
}

/// What is asked for the plan beside the loop.
#[derive(Debug, Default)]
pub(super) struct Asking {
    /// The user's own model.
    model: JoinSet<analyse::Said>,
    /// Whether something is known since that lets the plan go on.
    has_news: bool,
}

impl Asking {
    /// Whether the plan waits for anything.
    pub fn is_open(&self) -> bool {
        !self.model.is_empty()
    }

    /// Whether something is known since this was last asked that lets the plan go on.
    pub fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.has_news)
    }
}

/// What planning works on: it sends nothing, and moves no money.
pub(super) struct Planning<'run> {
    pub(in crate::run) learner: &'run mut LearnerDesk,
    pub(in crate::run) setup: &'run mut RunSetup,
    pub(in crate::run) journal: &'run mut Journal,
    /// Whose model, if the user has one, is asked.
    pub(in crate::run) decisions: &'run DecisionDesk,
    pub(in crate::run) subtasks: &'run [SubtaskRecord],
    /// The steps of the plan so far.
    pub(in crate::run) steps: &'run [Step],
    pub(in crate::run) began: Instant,
}

impl Planning<'_> {
    /// That the run was stopped while a model was thinking.
    fn interrupted(&self) -> RunError {
        RunError::Interrupted(self.setup.id.clone())
    }

    /// How long the own model may think: as long as about any decision, and no longer than the run has left.
    fn timeout(&self) -> Duration {
        let left = self.setup.policy.timeout.total.saturating_sub(self.began.elapsed());
        self.setup.policy.decisions.timeout.min(left)
    }

    fn pieces(&self) -> Vec<Fragment> {
        self.setup.fragments.iter().map(|fragment| (**fragment).clone()).collect()
    }
}

impl LearnerDesk {
    pub fn new(equipment: &mut Equipment) -> Self {
        let (advisor, small) = (equipment.advisor.take(), equipment.small_model.take());
        Self { advisor, small, ..Self::default() }
    }
}

/// The steps of subtasks that are about to join the plan.
pub(super) fn weigh(setup: &RunSetup, subtasks: &[Subtask], first: SubtaskId) -> Vec<Step> {
    let compound = setup.compound.as_deref();
    let needs = |part: usize| match compound {
        Some(compound) => Some(compound.parts.get(part)?.needs.as_ref()?.part),
        None => setup.plan.steps()?.steps().each().get(part)?.needs.last().copied(),
    };
    steps::steps_of(subtasks, first, needs)
}

/// Looks at what earlier runs have taught. What cannot be read costs experience, not the run.
pub(super) async fn recall_learner(run: &mut Planning<'_>) {
    let Some(advisor) = run.learner.advisor.clone() else { return };
    let read = tokio::task::spawn_blocking(move || advisor.load().map(drop)).await;
    let error = match read {
        Ok(Ok(())) => return,
        // It is out of the way, and a new account begins with what this run shows.
        Ok(Err(error @ LearnerError::Quarantined { .. })) => {
            run.learner.damaged = true;
            error.to_string()
        }
        Ok(Err(error)) => {
            run.learner.advisor = None;
            error.to_string()
        }
        Err(error) => error.to_string(),
    };
    run.journal.notice(RunStage::Learn, &format!("the plan is made without experience: {error}"));
}
