//! What a run holds, grouped by purpose.

use std::collections::HashMap;
use std::sync::Arc;

use frlm_verifier::validation::ground_truth::KnownAnswers;
use tokio::sync::mpsc;

use super::RunSetup;
use super::checks::Checks;
use super::claims::ClaimDesk;
use super::commit::Written;
use super::control::{Control, RunCommand};
use super::equipment::Equipment;
use super::finish::Finished;
use super::money::Mints;
use super::outbox::Outbox;
use super::recheck::Rechecks;
use super::score::Verdicts;
use super::validate::Validation;
use crate::answer::UsageReport;
use crate::scheduler::SubtaskId;
use crate::swarm::{ProviderId, ProviderInfo, Swarm, SwarmEvent};

/// Whom a run speaks to, and what it hears.
pub(super) struct Ports {
    pub swarm: Option<Arc<dyn Swarm>>,
    /// The user's own model.
    pub local: Option<Arc<dyn Swarm>>,
    /// The engines and endpoints of the user's that are venues, by the provider that stands for each.
    pub own: HashMap<ProviderId, Arc<dyn Swarm>>,
    pub events: mpsc::Receiver<SwarmEvent>,
    pub control: Control,
    pub commands: mpsc::Receiver<RunCommand>,
}

impl Ports {
    /// Where a provider's jobs go.
    pub fn venue(&self, provider: &ProviderInfo) -> Option<Arc<dyn Swarm>> {
        if provider.trusted {
            self.own.get(&provider.id).or(self.local.as_ref()).cloned()
        } else {
            self.swarm.clone()
        }
    }
}

/// What is done beside the loop.
#[derive(Debug, Default)]
pub(super) struct Errands {
    /// What mints are asked for.
    pub mints: Mints,
    /// What is being written, and what leaves once it is.
    pub outbox: Outbox<Written>,
}

/// What becomes of answers.
pub(super) struct AnswerDesk {
    /// Answers that are checked beside the loop.
    pub checks: Checks,
    /// Answers in words, and the claims that they are made of.
    pub claims: ClaimDesk,
    /// Answers that wait for the policy's validator.
    pub validation: Validation,
    /// Accepted answers that others are asked for, too.
    pub rechecks: Rechecks,
    /// What providers have to be told of their answers.
    pub verdicts: Verdicts,
    /// What the user knows to be true.
    pub known: Option<Arc<dyn KnownAnswers>>,
    /// Verified since the plan was last asked to grow.
    pub fresh: Vec<SubtaskId>,
}

impl AnswerDesk {
    pub fn new(setup: &mut RunSetup, equipment: &mut Equipment) -> Self {
        Self {
            checks: Checks::new(setup, equipment),
            claims: ClaimDesk::new(equipment.claims.take(), equipment.reads_afresh),
            validation: Validation::under(&setup.policy.verification),
            rechecks: Rechecks::default(),
            verdicts: Verdicts::default(),
            known: equipment.known_answers.take(),
            fresh: Vec::new(),
        }
    }
}

/// What the answer says of the run beside its text.
pub(super) struct Notes {
    /// The policy's name as it was asked for: a decision may have made it stricter.
    pub policy_name: String,
    /// The answer, once the last stage has looked at it.
    pub finished: Option<Finished>,
    pub fallback_used: bool,
    /// The first of the owner's limits that stood in the way, in words.
    pub over_limit: Option<String>,
    /// What models read and wrote for it, in earlier starts too.
    pub usage: UsageReport,
}

impl Notes {
    pub fn new(setup: &RunSetup) -> Self {
        Self {
            policy_name: setup.policy.verification.to_string(),
            finished: None,
            fallback_used: false,
            over_limit: None,
            usage: setup.known.usage,
        }
    }
}
