//! What a run works with beside its ports: models, a rail, and what earlier runs left. A run works without any of it.

use std::sync::Arc;

use frlm_inference::LanguageModel;
use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_questions::small_model::SmallModel;
use frlm_verifier::decisions::Priors;
use frlm_verifier::trust::ReputationStore;
use frlm_verifier::validation::ground_truth::KnownAnswers;
use frlm_verifier::validation::program::CodeRunner;
use nostr::Keys;

use super::checks::prefill::WeightsAtHand;
use super::route::Routing;
use crate::claim_cache::ClaimCache;
use crate::payment::PaymentRail;

/// What a run works with; `None` where there is nothing of the kind.
#[derive(Default)]
pub struct Equipment {
    /// Pays providers. Without one, prices are accounted and nothing moves.
    pub rail: Option<Arc<dyn PaymentRail>>,
    /// As whose run it is known to the providers that it pays, and how many locks that identity has released to each of
    /// them before: they do more unreleased work for whom they know (design.md, section 5).
    pub identity: Option<(Keys, Vec<(String, u32)>)>,
    /// What earlier runs know of providers. What this run sees of them is added.
    pub reputation: Option<ReputationStore>,
    /// The answer is compared with these.
    pub known_answers: Option<Arc<dyn KnownAnswers>>,
    /// Claims that earlier runs verified are used, and this run keeps its own there.
    pub claims: Option<ClaimCache>,
    /// Everything is read again, and what is verified stands in the place of the claims that were kept.
    pub reads_afresh: bool,
    /// Decides role and venue of each subtask; without it, any provider with room gets them.
    pub routing: Option<Routing>,
    /// Decides after each stage where its word is valid; code decides where it is not. A model that only copies fields cannot.
    pub decider: Option<Arc<dyn LanguageModel>>,
    /// Says what to think of an answer that is judged as a whole, where the level asks for an opinion. If it may also answer
    /// itself, it reviews claims. One that only copies fields cannot.
    pub judge: Option<Arc<dyn LanguageModel>>,
    /// Runs checks of the asker's.
    pub sandbox: Option<Arc<dyn CodeRunner>>,
    /// Read answers of providers that claim them, as many as tier 3 looks at.
    pub weights: Option<WeightsAtHand>,
    /// Advises the run by what earlier ones have shown, and learns what it shows itself of swarm and plan.
    pub advisor: Option<LearnerMemory>,
    /// Takes questions apart where the user gave no model that can, or one that says nothing, and says in one sentence what
    /// the parts came to. What it writes counts where code finds nothing wrong with it.
    pub small_model: Option<SmallModel>,
    /// Thresholds in the place of the shipped ones, by which the run's stages are judged.
    pub priors: Option<Priors>,
    /// The run goes on with what is there wherever a person would have to decide: one has.
    pub accepted_by_person: bool,
}
