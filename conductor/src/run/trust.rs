//! What the run knows of its providers, and what follows from it.
//!
//! ```text
//!   reputation file ─► recall ─► Assessor ─► rule: accept | ask another | stop ─► scheduler
//!                                   ▲                        │
//!                                   └── what was compared ◄──┘            run ends ─► remember
//! ```
//!
//! Under the other policies nothing is decided here, but what they compare is learned from all the same:
//! a run with redundancy teaches the next one whom it may believe.
//!
//! - `ruling`: what the assessor says of a subtask's answers
//! - `evidence`: what else tells whom to believe

mod evidence;
mod ruling;

use frlm_util::clock::unix_secs;
use frlm_verifier::fitness::Score;
use frlm_verifier::policy::MOST_LOOKED_AT;
use frlm_verifier::request::VerificationLevel;
use frlm_verifier::sampling::{Domain, SamplingRules};
use frlm_verifier::trust::{
    Assessor, Evidence, GoldTally, Member, ProviderTraits, Question, Reputation, ReputationStore, TaskClass,
};
use frlm_verifier::{AdaptiveConfig, VerificationPolicy};
use frlm_wallet::Sats;

use super::background_writer::BackgroundWriter;
use super::driver::Run;
use super::subtasks::{Progress, SubtaskRecord};
use super::{RunSetup, claims, gold, quote};
use crate::plan::{Outcome, Task};
use crate::scheduler::{SubtaskId, Trust};
use crate::swarm::ProviderInfo;

/// Comparisons and failures that are written together.
const SEEN_AT_ONCE: usize = 1_000;

/// The run's assessor, and the file that it learns from.
#[derive(Debug)]
pub(super) struct TrustDesk {
    assessor: Assessor,
    store: Option<ReputationStore>,
    /// What is on its way to that file.
    writer: BackgroundWriter,
    domain: Domain,
    config: AdaptiveConfig,
    verdicts: Verdicts,
    /// Whether somebody else looks at everything, as where much is at stake.
    critical: bool,
}

/// A validator's verdicts about answers that code knows.
#[derive(Debug, Clone, Copy, Default)]
struct Verdicts {
    held_against_code: u32,
    wrong: u32,
}

impl TrustDesk {
    pub fn new(setup: &RunSetup) -> Self {
        let config = match setup.policy.verification {
            VerificationPolicy::Adaptive(config) => config,
            // Only what is looked at again is ruled over by it: by three, as under redundancy.
            _ => AdaptiveConfig { most_replicas: MOST_LOOKED_AT, ..AdaptiveConfig::default() },
        };
        Self {
            assessor: assessor(config, Reputation::new()),
            store: None,
            writer: BackgroundWriter::default(),
            domain: Domain::of(setup.asked()),
            config,
            verdicts: Verdicts::default(),
            critical: setup.policy.level == VerificationLevel::Critical,
        }
    }

    pub fn remember_in(&mut self, store: ReputationStore) {
        self.store = Some(store);
    }

    /// Where it is kept from one run to the next.
    pub fn store(&self) -> Option<ReputationStore> {
        self.store.clone()
    }

    /// Answers that another provider checked although they could have been accepted.
    pub fn spot_checks(&self) -> usize {
        self.assessor.spot_checks()
    }

    fn question(&self, id: SubtaskId, class: TaskClass, record: &SubtaskRecord) -> Question {
        let id = u64::from(id.0);
        let gold = if self.assessor.is_gold(id) { gold_key(record.task()) } else { None };
        // An answer to it that did not pass the checks, or barely did, says that it is hard.
        let flagged = record.failures > 0 || record.doubtful;
        Question { id, class, high_stakes: self.domain.is_high_stakes() || self.critical, flagged, gold }
    }

    /// The most answers over which it rules.
    pub fn most_replicas(&self) -> u32 {
        self.config.most_replicas
    }

    /// What became of subtasks whose answer code knew.
    pub fn gold(&self) -> GoldTally {
        self.assessor.gold()
    }

    /// A provider's fitness and credits.
    pub fn score(&self, provider: &str) -> Score {
        self.member(provider).map_or_else(Score::default, |member| self.assessor.reputation().score(member))
    }

    /// Nobody else answered what a provider was to be looked at again for: its answer counts as one of its own.
    pub fn stood_alone(&mut self, provider: String) {
        self.assessor.observe(Evidence::Alone { provider });
    }

    /// Takes in how good an answer was; who is asked does not change by it.
    pub fn scored(&mut self, evidence: Evidence) {
        self.assessor.observe(evidence);
    }

    /// Whether enough is known of a provider to call it a record.
    pub fn has_record(&self, provider: &str) -> bool {
        self.member(provider).is_some_and(|member| self.assessor.reputation().has_record(member))
    }

    /// Those of whom enough is known, where that decides whom a run believes.
    pub fn recorded(&self) -> impl Iterator<Item = &str> {
        let reputation = self.assessor.reputation();
        reputation.with_record().map(|member| reputation.name(member))
    }

    fn member(&self, id: &str) -> Option<Member> {
        self.assessor.reputation().member(id)
    }

    /// A provider's name.
    pub fn name(&self, member: Member) -> &str {
        self.assessor.reputation().name(member)
    }

    fn is_out(&self, id: &str) -> bool {
        self.member(id).is_some_and(|member| self.assessor.reputation().is_out(member))
    }

    /// What is known of a provider, by its record in a class of subtasks.
    fn trust(&self, member: Member, class: &TaskClass) -> Trust {
        let reputation = self.assessor.reputation();
        if !reputation.has_record(member) {
            Trust::Newcomer
        } else if reputation.fidelity(member, class) >= self.config.target_fidelity {
            Trust::Alone
        } else {
            Trust::Known
        }
    }
}

fn assessor(config: AdaptiveConfig, reputation: Reputation) -> Assessor {
    Assessor::new(config, SamplingRules::default(), reputation, rand::random())
}

/// What a provider says of itself that makes it like others: the weights, and the key that it is paid to.
fn traits(info: &ProviderInfo) -> ProviderTraits {
    ProviderTraits {
        weights_hash: info.model.weights_hash.clone(),
        operator: info.escrow.as_ref().map(|offer| offer.key.clone()),
    }
}

/// The key of a subtask's right answer, where code can compute it.
fn gold_key(task: &Task) -> Option<String> {
    let Task::Map { task, fragment } = task else { return None };
    let answer = gold::answer_by_code(task.query.as_ref()?, fragment)?;
    Some(Outcome::Mapped(answer).agreement_key())
}

impl Run {
    /// Reads what earlier runs learned. A file that cannot be read costs trust, not the run.
    pub(super) async fn recall(&mut self) {
        let Some(store) = self.providers.trust.store.clone() else { return };
        let loaded = tokio::task::spawn_blocking(move || store.load(unix_secs())).await;
        let error = match loaded {
            Ok(Ok(reputation)) => {
                self.providers.trust.assessor = assessor(self.providers.trust.config, reputation);
                return;
            }
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.decide("verify", "proceed", &format!("the records of earlier runs are not used: {error}"));
    }

    /// Adds what this run saw to the file once enough has come together, beside the loop: a long run neither keeps all
    /// of it in memory nor loses all of it when it is killed.
    pub(super) fn remember_in_parts(&mut self) {
        let unwritten = self.providers.trust.assessor.seen().len();
        let failed = self.providers.trust.writer.failed();
        self.tell_what_is_not_kept(failed);
        if unwritten >= SEEN_AT_ONCE && !self.providers.trust.writer.is_busy() {
            self.write_what_was_seen();
        }
    }

    /// Adds the rest of what this run saw to the file.
    pub(super) async fn remember(&mut self) {
        let failed = self.providers.trust.writer.failed_in_the_end().await;
        self.tell_what_is_not_kept(failed);
        self.write_what_was_seen();
        let failed = self.providers.trust.writer.failed_in_the_end().await;
        self.tell_what_is_not_kept(failed);
    }

    fn write_what_was_seen(&mut self) {
        let evidence = self.providers.trust.assessor.take_seen();
        let Some(store) = self.providers.trust.store.clone() else { return };
        let providers: Vec<(String, ProviderTraits)> = self
            .providers
            .peers
            .all()
            .iter()
            .filter(|info| !info.trusted)
            .map(|info| (info.id.to_string(), traits(info)))
            .collect();
        let claims = self.take_seen_claims();
        self.providers.trust.writer.begin(move || {
            store.record(unix_secs(), &providers, &evidence)?;
            store.record_claims(unix_secs(), &claims)
        });
    }

    fn tell_what_is_not_kept(&mut self, failed: Option<String>) {
        let Some(error) = failed else { return };
        // Said once.
        self.providers.trust.store = None;
        self.decide(
            "verify",
            "proceed",
            &format!("what this run learned of its providers is not kept: {error}"),
        );
    }

    /// Takes a provider in with what is known of it; one that is out is left out.
    pub(super) fn meet(&mut self, info: &ProviderInfo) {
        if info.trusted {
            return;
        }
        let member = self.providers.trust.assessor.meet(&info.id, traits(info));
        if !self.setup.policy.verification.is_adaptive() {
            return;
        }
        if self.providers.trust.is_out(&info.id) {
            self.providers.peers.leave_out(&info.id);
            return;
        }
        // By the run's first subtask: later ones may be of another class, and are ruled over by theirs.
        let Some(class) = self.first_class(info) else { return };
        self.providers
            .peers
            .believed(&info.id, self.providers.trust.assessor.reputation().fidelity(member, &class));
        self.providers.peers.trusted(&info.id, self.providers.trust.trust(member, &class));
    }

    /// How far a provider's word is believed in subtasks like the first open one; `None` where nothing is
    /// open or nothing known.
    pub(super) fn fidelity(&self, info: &ProviderInfo) -> Option<f64> {
        let member = self.providers.trust.member(&info.id)?;
        let class = self.first_class(info)?;
        Some(self.providers.trust.assessor.reputation().fidelity(member, &class))
    }

    /// The class of the first open subtask, at this provider's price.
    fn first_class(&self, info: &ProviderInfo) -> Option<TaskClass> {
        let record = self.subtasks.iter().find(|record| matches!(record.state, Progress::Open))?;
        let price = quote::most(&record.subtask.prompt(info.dialect), info.tariff);
        Some(TaskClass::new(record.task().kind(), self.providers.trust.domain.name(), price.0))
    }

    /// Believes by a stricter policy from now on.
    pub(super) fn trust_by(&mut self, policy: &VerificationPolicy) {
        if let VerificationPolicy::Adaptive(config) = policy {
            self.providers.trust.config = *config;
            self.providers.trust.assessor.reconfigure(*config);
        }
    }

    /// Says once what the run knows of those it may ask.
    pub(super) fn tell_trust(&mut self) {
        // Claims of every provider are reviewed.
        let compares = |record: &SubtaskRecord| !claims::settles(&self.setup.policy, record.task());
        if !self.setup.policy.verification.is_adaptive()
            || self.scheduler.open() == 0
            || !self.subtasks.iter().any(compares)
        {
            return;
        }
        let all: Vec<&ProviderInfo> =
            self.providers.peers.all().iter().filter(|info| !info.trusted).collect();
        let reputation = self.providers.trust.assessor.reputation();
        let known = all
            .iter()
            .filter(|info| reputation.member(&info.id).is_some_and(|member| reputation.has_record(member)));
        let (known, all) = (known.count(), all.len());
        let reasoning = match (known, all) {
            (_, 0) => return,
            (0, _) => format!("none of {all} providers has a record yet: two must agree until some have one"),
            _ => {
                format!(
                    "{known} of {all} providers have a record: each newcomer is compared with one of them"
                )
            }
        };
        self.decide("verify", "proceed", &reasoning);
    }

    /// Fixes what trust a subtask takes, by the price of its first job.
    pub(super) fn note_price(&mut self, id: SubtaskId, price: Sats) {
        if let Some(record) = self.subtasks.get_mut(id.0 as usize) {
            record.first_price.get_or_insert(price);
        }
    }

    fn question(&self, id: SubtaskId) -> Option<Question> {
        let record = self.subtasks.get(id.0 as usize)?;
        let class =
            TaskClass::new(record.task().kind(), self.providers.trust.domain.name(), record.first_price?.0);
        Some(self.providers.trust.question(id, class, record))
    }
}
