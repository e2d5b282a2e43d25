//! A run as it stands and as it stood, folded from its trace. Pure: the same events in any batches
//! give the same view, live or replayed.
//!
//! - [`subtask`]: one subtask over time
//! - [`money`]: the run's money over time
//! - [`route`]: where its subtasks went
//! - [`steps`]: what the brain thinks of its plan
//! - this module: the whole run

mod fold;
pub mod money;
pub mod route;
pub mod steps;
pub mod subtask;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use frlm_learning::planning::account::Chosen;
use frlm_learning::planning::analyse::Analysis;
use frlm_protocol::printable;
pub use money::{MoneyCurve, MoneyPoint};
use nostr::{PublicKey, ToBech32 as _};
pub use route::RouteView;
pub use steps::{EvaluatedView, StepView};
pub use subtask::{AttemptEnding, AttemptView, GivenUp, Said, SubtaskState, SubtaskView};

use super::{DecisionBasis, TraceRecord};
use crate::answer::{Answer, Decision};

/// A provider as screens show it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProviderView {
    /// Its key.
    pub key: String,
    /// What it calls itself.
    pub name: String,
    /// The model it claims to run.
    pub model: String,
    /// Its price.
    pub price_msats_per_1k: u64,
    /// Whether it can be asked now.
    pub here: bool,
    /// Jobs it got.
    pub asked: u32,
    /// Answers of it that were accepted.
    pub agreed: u32,
    /// Answers of it that were not.
    pub dissented: u32,
}

impl ProviderView {
    /// Its name for people, or the beginning of its key.
    pub fn display_name(&self) -> String {
        if self.name.is_empty() { self.key.chars().take(8).collect() } else { self.name.clone() }
    }

    /// The beginning of its key, for names that say too little.
    pub fn short_key(&self) -> String {
        let npub = PublicKey::parse(&self.key).ok().and_then(|key| key.to_bech32().ok());
        npub.as_deref().unwrap_or(&self.key).chars().take(13).collect()
    }
}

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

/// A decision and when it fell.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionView {
    /// Milliseconds since the run began.
    pub at_ms: u64,
    /// What was decided, after which stage, and why.
    pub decision: Decision,
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

/// How many answers each tier of verification let through, and what it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TierView {
    /// Passed.
    pub passed: u64,
    /// Turned down.
    pub failed: u64,
    /// What checking cost beyond a single answer, in sats.
    pub cost_sats: u64,
}

/// A run as it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunView {
    /// Its id.
    pub run_id: String,
    /// As asked.
    pub question: String,
    /// Unix milliseconds.
    pub started_at_ms: u64,
    /// The budget, as it is now.
    pub limit_sats: u64,
    /// The verification policy's name.
    pub policy: String,
    /// File names.
    pub documents: Vec<String>,
    /// How many fragments they were cut into.
    pub fragments: usize,
    /// The money over time.
    pub money: MoneyCurve,
    /// By id.
    pub subtasks: Vec<SubtaskView>,
    /// How simple the question is, where that was looked at.
    pub analysis: Option<Analysis>,
    /// How the question is taken apart, where the policy chose.
    pub chosen: Option<Chosen>,
    /// The steps of the plan, in the order of their subtasks.
    pub steps: Vec<StepView>,
    /// How well it was served, once it has ended.
    pub evaluated: Option<EvaluatedView>,
    /// What is said of those who answered each kind of task, once it has ended.
    pub clusters: Vec<ClusterView>,
    /// Where subtasks went, in the order in which that was first decided.
    pub routes: Vec<RouteView>,
    /// In the order in which they were first heard of.
    pub providers: Vec<ProviderView>,
    /// In the order in which they were first heard of.
    pub relays: Vec<RelayView>,
    /// In order.
    pub decisions: Vec<DecisionView>,
    /// Latest event's time, in milliseconds since the start.
    pub at_ms: u64,
    /// Events folded.
    pub events: u64,
    /// When each subtask was verified, in order.
    pub verified_ms: Vec<u64>,
    /// Subtasks given up.
    pub gave_up: usize,
    /// Comparisons in which somebody dissented.
    pub dissents: usize,
    /// Things that arrived and did not count.
    pub strays: usize,
    /// Single answers: format, quotes, bounds.
    pub checked_alone: TierView,
    /// Comparisons of replicas.
    pub compared: TierView,
    /// Answers that were judged by the methods of the verification level; of what nothing could tell, neither.
    pub judged: TierView,
    /// Answers that nobody agreed on, and that a model of the user's settled, or did not.
    pub arbitrated: TierView,
    /// Answers that the weights which their providers claim have read; what could not be read is neither.
    pub audited: TierView,
    /// Whole answers: every part used, nothing contradicted, everything claimed found.
    pub checked_whole: TierView,
    /// How it ended, once it has.
    pub ending: Option<Ending>,
    /// Provider keys → positions. Ordered: a view reads the same wherever it is printed.
    positions: BTreeMap<String, u32>,
    /// Every budget, each with the moment from which on it held.
    budgets: Vec<(u64, u64)>,
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

    /// A provider's name for people, or the beginning of its key.
    pub fn provider_name(&self, key: &str) -> String {
        match self.positions.get(key).and_then(|position| self.providers.get(*position as usize)) {
            Some(provider) => self.name_of(provider),
            None => key.chars().take(8).collect(),
        }
    }

    /// A provider's name for people, with the beginning of its key where another one shows the same name: anybody
    /// may call itself anything.
    pub fn name_of(&self, provider: &ProviderView) -> String {
        let name = provider.display_name();
        let shown = printable(&provider.name);
        let namesake = |other: &ProviderView| other.key != provider.key && printable(&other.name) == shown;
        if provider.name.is_empty() || !self.providers.iter().any(namesake) {
            return name;
        }
        format!("{name} ({})", provider.short_key())
    }

    /// The budget as it was `at_ms` into the run.
    pub fn limit_at(&self, at_ms: u64) -> u64 {
        let after = self.budgets.partition_point(|(from_ms, _)| *from_ms <= at_ms);
        after.checked_sub(1).map_or(self.limit_sats, |last| self.budgets[last].1)
    }

    /// Subtasks with an accepted answer.
    pub fn verified(&self) -> usize {
        self.verified_ms.len()
    }

    /// Subtasks that had an accepted answer `at_ms` into the run.
    pub fn verified_at(&self, at_ms: u64) -> usize {
        self.verified_ms.partition_point(|moment| *moment <= at_ms)
    }

    /// What the run will have cost if the open subtasks cost what the verified ones did; `None`
    /// before the first was verified.
    pub fn projected_sats(&self) -> Option<u64> {
        let verified = u64::try_from(self.verified()).ok().filter(|verified| *verified > 0)?;
        let open = (self.subtasks.len() - self.gave_up.min(self.subtasks.len())) as u64;
        let spent = u128::from(self.money.now().spent);
        u64::try_from(spent.saturating_mul(u128::from(open.max(verified))).div_ceil(u128::from(verified)))
            .ok()
    }
}
