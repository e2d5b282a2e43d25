//! What a run holds, grouped by purpose.

use std::collections::HashMap;
use std::sync::Arc;

use frlm_questions::answer::UsageReport;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::RunSetup;
use super::commit::Written;
use super::control::{Control, RunCommand};
use super::finish::Finished;
use super::money::{Mints, Money};
use super::outbox::Outbox;
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
#[derive(Default)]
pub(super) struct Errands {
    /// What mints are asked for.
    pub mints: Mints,
    /// What is being written, and what leaves once it is.
    pub outbox: Outbox<Written>,
}

/// Sends jobs, and reserves, locks and pays for them. Nothing else of a run holds a connection to a swarm, the ledger or a mint.
pub(super) struct JobDesk {
    pub ports: Ports,
    pub money: Money,
    /// What is done beside the loop.
    pub errands: Errands,
    /// When the run began: no other part of it reads a clock.
    pub began: Instant,
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
