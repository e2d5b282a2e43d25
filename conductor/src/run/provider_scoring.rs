//! What the run expects of each provider, in one number that decides who is asked first (design.md,
//! section 1, "route").
//!
//! ```text
//!   announcement, heartbeat ─┐
//!   answers, failures ───────┼─► scores ─► worth ─► scheduler: of those who may be asked, who promises most
//!   verdicts (trust) ────────┘
//! ```
//!
//! Worth is fidelity and reliability less price and time, weighed as the reward of routing weighs them
//! ([`frlm_learning::routing::reward`]). The scheduler subtracts the load that it has itself given to a
//! provider. Hard constraints are not weighed. The scheduler knows skills, room and credit; the run knows block list and
//! money; and the context is checked when the prompt is there ([`fits`]).

use std::time::Duration;

use frlm_inference::Dialect;
use frlm_learning::routing::RewardSettings;
use frlm_questions::asker::Priority;
use frlm_questions::dialect::Prompt;
use frlm_questions::plan::Outcome;
use frlm_scheduler::{Capacity, ProviderIndex, Scheduler};
use frlm_verifier::{Replica, VerificationPolicy};
use frlm_wallet::Msats;

use super::peers::Peers;
use super::provider_desk::ProviderDesk;
use super::subtasks::{Progress, Subtasks};
use super::{RunSetup, quote};
use crate::route::{ProviderWorth, Terms};
use crate::swarm::ProviderInfo;

/// The run's providers as routing sees them.
#[derive(Debug)]
pub(super) struct ProviderScoring {
    worth: ProviderWorth,
    /// Tokens of a usual job by dialect, taken from the first open subtask when they were needed.
    usual: Vec<(Dialect, u32)>,
}

/// The outcome of a job, as far as it says something about the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Experience {
    /// An answer that passed the checks that need no comparison, after so long.
    Answered(Duration),
    /// Anything else, or nothing in time.
    Failed,
    /// No room.
    Refused,
}

impl ProviderScoring {
    /// A scoring in which time counts as much as it does to the asker.
    pub fn for_asker(priority: Priority) -> Self {
        let reward = match priority {
            Priority::Normal => RewardSettings::default(),
            Priority::High => RewardSettings::hasty(),
        };
        Self { worth: ProviderWorth::new(reward), usual: Vec::new() }
    }

    /// A provider came, came back, or changed its offer.
    fn upsert(&mut self, index: ProviderIndex, info: &ProviderInfo, slots: u32) {
        let tokens = self.tokens(info.dialect);
        // A flat price is what a usual job costs, and the least that one asks for any job is what it costs too.
        let spread = |price| Msats(quote::in_msats(price).0.saturating_mul(1_000) / u64::from(tokens.max(1)));
        let price = info
            .flat_price
            .map_or_else(|| info.tariff.dearest_per_1k().max(spread(info.tariff.least)), spread);
        self.worth.upsert(index, Terms { price_msats_per_1k: price.0, slots });
        self.worth.heartbeat(index, info.queue_length);
        if info.trusted {
            self.worth.set_fidelity(index, 1.0);
        }
    }

    fn tokens(&self, dialect: Dialect) -> u32 {
        self.usual.iter().find(|(known, _)| *known == dialect).map_or(0, |(_, tokens)| *tokens)
    }

    fn worth(&self, index: ProviderIndex, dialect: Dialect, held: u32) -> f64 {
        self.worth.worth(index, self.tokens(dialect), held)
    }
}

impl ProviderDesk {
    /// Takes a provider's offer into account.
    pub(super) fn record_offer(
        &mut self,
        scheduler: &mut Scheduler,
        subtasks: &Subtasks,
        index: ProviderIndex,
        capacity: Capacity,
    ) {
        let Some(info) = self.peers.info(index).cloned() else { return };
        if !self.scoring.usual.iter().any(|(known, _)| *known == info.dialect)
            && let Some(record) = subtasks.iter().find(|record| {
                matches!(record.state, Progress::Open) && capacity.skills & record.subtask.skill() as u8 != 0
            })
        {
            let tokens = quote::tokens(&record.subtask.prompt(info.dialect));
            self.scoring.usual.push((info.dialect, u32::try_from(tokens).unwrap_or(u32::MAX)));
        }
        self.scoring.upsert(index, &info, scheduler.providers.slots(index));
        if let Some(fidelity) = self.trust.fidelity(subtasks, &info) {
            self.scoring.worth.set_fidelity(index, fidelity);
        }
        self.revalue(scheduler, index);
    }

    /// What is known of a provider's word has changed.
    pub(super) fn record_fidelity(&mut self, scheduler: &mut Scheduler, id: &str, fidelity: f64) {
        let Some(index) = self.peers.index(id) else { return };
        self.scoring.worth.set_fidelity(index, fidelity);
        self.revalue(scheduler, index);
    }

    /// A job came back, or did not.
    pub(super) fn record_experience(&mut self, scheduler: &mut Scheduler, id: &str, experience: Experience) {
        let Some(index) = self.peers.index(id) else { return };
        match experience {
            Experience::Answered(latency) => {
                self.scoring.worth.answered(index, latency.as_secs_f64());
            }
            Experience::Failed => self.scoring.worth.failed(index),
            Experience::Refused => self.scoring.worth.refused(index),
        }
        self.revalue(scheduler, index);
    }

    /// How many jobs wait at a provider, by its own word.
    pub(super) fn on_load(&mut self, scheduler: &mut Scheduler, id: &str, queue_length: u32) {
        let Some(index) = self.peers.index(id) else { return };
        self.scoring.worth.heartbeat(index, queue_length);
        self.revalue(scheduler, index);
    }

    fn revalue(&mut self, scheduler: &mut Scheduler, index: ProviderIndex) {
        let Some(dialect) = self.peers.info(index).map(|info| info.dialect) else { return };
        let held = scheduler.providers.held(index);
        scheduler.providers.value(index, self.scoring.worth(index, dialect, held));
    }
}

/// Tells the scheduler who said the same as the newest answer and who did not, where agreement alone decides:
/// those who contradict each other are not asked side by side if that can be helped.
pub(super) fn record_agreement(
    peers: &Peers,
    setup: &RunSetup,
    scheduler: &mut Scheduler,
    replicas: &[Replica<Outcome>],
) {
    let Some((newest, before)) = replicas.split_last() else { return };
    let by_agreement = matches!(setup.policy.verification, VerificationPolicy::Redundancy { .. });
    let Some(index) = peers.index(&newest.provider).filter(|_| by_agreement && !newest.trusted) else {
        return;
    };
    for other in before.iter().filter(|other| !other.trusted) {
        if let Some(by) = peers.index(&other.provider) {
            scheduler.disagreement.compared(index, by, newest.key == other.key);
        }
    }
}

/// Whether a prompt and its answer fit a provider's context; if not, why.
pub(super) fn fits(prompt: &Prompt, info: &ProviderInfo) -> Result<(), String> {
    let needed = prompt.longest();
    if needed > info.context_tokens as u64 {
        return Err(format!(
            "it reads and writes {} tokens at once, and this takes about {needed}: ask with smaller fragments (--fragment-lines)",
            info.context_tokens
        ));
    }
    Ok(())
}
