//! A run as it stands and as it stood, folded from its trace. Pure: the same events in any batches
//! give the same view, live or replayed.
//!
//! - [`subtask`]: one subtask over time
//! - [`money`]: the run's money over time
//! - [`plan`]: how its question is taken apart
//! - [`steps`]: how simple each step is, and what became of that advice
//! - [`route`]: where its subtasks went
//! - [`providers`]: who was heard of
//! - [`checks`]: what verification came to
//! - this module: the whole run

pub mod checks;
mod fold;
pub mod money;
pub mod plan;
pub mod providers;
pub mod route;
pub mod steps;
pub mod subtask;

#[cfg(test)]
mod tests;

pub use checks::{ChecksView, TierView};
use frlm_questions::answer::Answer;
use frlm_questions::stage::RunStage;
pub use money::{BudgetView, MoneyCurve, MoneyPoint};
pub use plan::PlanView;
pub use providers::{ProviderView, ProvidersView};
pub use route::RouteView;
pub use steps::{EvaluatedView, StepView};
pub use subtask::{AttemptEnding, AttemptView, GivenUp, ProgressView, Said, SubtaskState, SubtaskView};

use frlm_conductor::trace::{DecisionBasis, TraceRecord};
use frlm_verifier::decisions::Verb;

/// A relay as screens show it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RelayView {
    /// Its address.
    pub address: String,
    /// Whether the connection stands.
    pub online: bool,
    /// Why not: its own words or the error.
    pub reason: String,
}

/// A decision or a notice.
#[derive(Debug, Clone, PartialEq)]
pub struct TellingView {
    /// Milliseconds since the run began.
    pub at_ms: u64,
    /// In which stage; a decision falls after it.
    pub stage: RunStage,
    /// What the notice says, or why it was decided so.
    pub says: String,
    /// What was decided; `None` in a notice.
    pub decided: Option<DecidedView>,
}

/// What was decided after a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct DecidedView {
    /// What follows.
    pub verb: Verb,
    /// What it rests on, where a stage was weighed.
    pub basis: Option<Box<DecisionBasis>>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With an answer.
    Answered(Box<Answer>),
    /// Without one.
    Failed {
        /// In words.
        error: String,
        /// The exit code that went with it.
        exit_code: u8,
    },
}

/// How well a run was served.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EvaluationView {
    /// All of it.
    pub run: Option<EvaluatedView>,
    /// What is said of those who answered each kind of task.
    pub clusters: Vec<ClusterView>,
}

/// What is said of all who answered one kind of task, taken together.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterView {
    /// `extract`, `read`, …
    pub kind: String,
    /// Replica sets that it is about.
    pub sets: u32,
    /// In a word, in figures, and what would help.
    pub feedback: frlm_verifier::fitness::ClusterFeedback,
}

/// What a run began with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StartView {
    /// Its id.
    pub run_id: String,
    /// As asked.
    pub question: String,
    /// Unix milliseconds.
    pub started_at_ms: u64,
    /// The verification policy's name.
    pub policy: String,
    /// File names.
    pub documents: Vec<String>,
    /// How many fragments they were cut into.
    pub fragments: usize,
}

/// A run as it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunView {
    /// What it began with.
    pub start: StartView,
    /// What it may cost.
    pub budget: BudgetView,
    /// The money over time.
    pub money: MoneyCurve,
    /// How its question is taken apart.
    pub plan: PlanView,
    /// By id.
    pub subtasks: Vec<SubtaskView>,
    /// How far it is.
    pub progress: ProgressView,
    /// In the order in which they were first heard of.
    pub providers: ProvidersView,
    /// In the order in which they were first heard of.
    pub relays: Vec<RelayView>,
    /// In order.
    pub tellings: Vec<TellingView>,
    /// What verification came to.
    pub checks: ChecksView,
    /// Things that arrived and did not count.
    pub strays: usize,
    /// How well it was served, once it has ended.
    pub evaluation: EvaluationView,
    /// Latest event's time, in milliseconds since the start.
    pub at_ms: u64,
    /// Events folded.
    pub events: u64,
    /// How it ended, once it has.
    pub ending: Option<Ending>,
}

impl RunView {
    /// Folds a whole trace.
    pub fn of(records: &[TraceRecord]) -> Self {
        let mut view = Self::default();
        for record in records {
            view.apply(record);
        }
        view
    }

    /// What the run will have cost if the open subtasks cost what the verified ones did; `None`
    /// before the first was verified.
    pub fn projected_sats(&self) -> Option<u64> {
        let verified = u64::try_from(self.progress.verified()).ok().filter(|verified| *verified > 0)?;
        let open = (self.subtasks.len() - self.progress.gave_up.min(self.subtasks.len())) as u64;
        let spent = u128::from(self.money.now().spent);
        u64::try_from(spent.saturating_mul(u128::from(open.max(verified))).div_ceil(u128::from(verified)))
            .ok()
    }
}
