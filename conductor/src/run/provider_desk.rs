//! The providers of a run, and what is known of them.

use std::time::Duration;

use frlm_inference::Dialect;
use frlm_protocol::{JobAnswer, Speed};
use frlm_scheduler::Scheduler;

use super::RunSetup;
use super::attempts::Sent;
use super::claims::outcome::{Person, family};
use super::cluster::Clusters;
use super::equipment::Equipment;
use super::heard::Heard;
use super::paces::Paces;
use super::peers::Peers;
use super::provider_scoring::{Experience, ProviderScoring};
use super::trust::TrustDesk;
use super::validate::Validation;
use crate::swarm::{ProviderId, ProviderInfo};

/// The providers, and what is known of them.
pub(super) struct ProviderDesk {
    /// Which providers are there, what they offer, and which are excluded.
    pub peers: Peers,
    pub scoring: ProviderScoring,
    /// How quick they are, by their answers.
    pub paces: Paces,
    /// How far they are trusted.
    pub trust: TrustDesk,
    /// What verdicts say of those who answered one kind of task together.
    pub clusters: Clusters,
    /// What relays and strangers said beside the work.
    pub heard: Heard,
}

impl ProviderDesk {
    pub fn new(setup: &RunSetup, equipment: &mut Equipment) -> Self {
        Self {
            peers: Peers::new(setup.whom.clone()),
            scoring: ProviderScoring::for_asker(setup.asker.priority),
            paces: Paces::default(),
            trust: TrustDesk::new(setup, equipment.reputation.take()),
            clusters: Clusters::default(),
            heard: Heard::default(),
        }
    }

    /// Has a provider asked for nothing more in this run.
    pub fn exclude(&mut self, scheduler: &mut Scheduler, id: &ProviderId, now: Duration) {
        self.peers.leave_out(id);
        if let Some(index) = self.peers.index(id) {
            scheduler.remove_provider(index, now);
        }
    }

    /// A provider lets so much less be owed: it takes fewer unjudged jobs.
    pub fn credit_line_shrinks(&mut self, scheduler: &mut Scheduler, provider: &ProviderId, by: u32) {
        if let Some((index, capacity)) = self.peers.credit_line_shrinks(provider, by) {
            scheduler.providers.change_capacity(index, capacity);
        }
    }

    /// Who may review claims now, beside the one whom the user trusts.
    pub fn reviewers(&self, setup: &RunSetup, validation: &Validation) -> Vec<Person> {
        let trusted = validation.trusted_reviewer(setup).map(|info| info.id);
        let able = |info: &&ProviderInfo| {
            info.dialect == Dialect::Json
                && info.flat_price.is_none()
                && self.peers.may_be_asked(&info.id)
                && trusted.as_ref() != Some(&info.id)
        };
        let able = self.peers.all().iter().filter(able);
        able.map(|info| Person { id: info.id.clone(), family: family(&info.model.name) }).collect()
    }

    /// A provider came, or changed its offer.
    pub fn pace_announced(&mut self, scheduler: &mut Scheduler, id: &ProviderId, speed: Option<Speed>) {
        let believed = self.paces.announced(id, speed);
        if let (Some(believed), Some(index)) = (believed, self.peers.index(id)) {
            scheduler.providers.set_speed(index, believed);
        }
    }

    /// A job in words came back.
    pub fn pace_seen(
        &mut self,
        scheduler: &mut Scheduler,
        sent: &Sent,
        answers: &[JobAnswer],
        now: Duration,
    ) {
        let believed = self.paces.seen(sent, answers, now);
        if let Some(index) = self.peers.index(&sent.provider.id) {
            scheduler.providers.set_speed(index, believed);
        }
    }

    /// Nobody answered an attempt in time.
    pub fn saw_timeout(&mut self, scheduler: &mut Scheduler, sent: &Sent) {
        let provider = &sent.provider;
        self.record_experience(scheduler, &provider.id, Experience::Failed);
        if !provider.trusted {
            self.trust.saw_timeout(&provider.id);
        }
    }
}
