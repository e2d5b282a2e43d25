//! What the run knows of its providers, and what follows from it.
//!
//! ```text
//!   reputation file ─► recall ─► Assessor ─► rule: accept | ask another | stop ─► scheduler
//!                                   ▲                        │
//!                                   └── what was compared ◄──┘            run ends ─► remember
//! ```
//!
//! Under the other policies nothing is decided here, but the run learns from what they compare: a run with
//! redundancy teaches the next one whom to believe.
//!
//! - `ruling`: what the assessor says of a subtask's answers
//! - `evidence`: what else shows whom to believe

mod evidence;
mod ruling;

pub(super) use self::ruling::{Consequence, tell_posterior};

use std::collections::{HashMap, HashSet};

use frlm_questions::plan::{Outcome, Task};
use frlm_questions::stage::RunStage;
use frlm_scheduler::{Scheduler, SubtaskId, Trust};
use frlm_util::clock::unix_secs;
use frlm_verifier::fitness::Score;
use frlm_verifier::policy::MOST_LOOKED_AT;
use frlm_verifier::request::VerificationLevel;
use frlm_verifier::sampling::{Domain, SamplingRules};
use frlm_verifier::trust::{
    Assessor, Evidence, Member, ProviderTraits, Question, Reputation, ReputationStore, TaskClass,
};
use frlm_verifier::{AdaptiveConfig, VerificationPolicy};

use super::background_writer::{BackgroundWriter, read_beside};
use super::claims::ClaimDesk;
use super::journal::Journal;
use super::peers::Peers;
use super::subtasks::{Progress, SubtaskRecord, Subtasks};
use super::{RunSetup, claims, gold, quote};
use crate::swarm::ProviderInfo;

/// Comparisons and failures that are written together.
const SEEN_AT_ONCE: usize = 1_000;

/// The run's assessor, and the file that it learns from.
#[derive(Debug)]
pub(super) struct TrustDesk {
    pub assessor: Assessor,
    store: Option<ReputationStore>,
    /// What is on its way to that file.
    writer: BackgroundWriter,
    domain: Domain,
    config: AdaptiveConfig,
    verdicts: Verdicts,
    /// Whether another provider rechecks everything, as for questions of high stakes.
    critical: bool,
    /// Whose answers to a subtask did not pass the checks, while nobody's have: it may be one that no model of theirs can read.
    failed: HashMap<SubtaskId, Vec<String>>,
    /// Subtasks to which some answer passed them.
    passed: HashSet<SubtaskId>,
}

/// A validator's verdicts about answers that code knows.
#[derive(Debug, Clone, Copy, Default)]
struct Verdicts {
    held_against_code: u32,
    wrong: u32,
}

impl TrustDesk {
    pub fn new(setup: &RunSetup, store: Option<ReputationStore>) -> Self {
        let config = match setup.policy.verification {
            VerificationPolicy::Adaptive(config) => config,
            // Only what is looked at again is ruled over by it: by three, as under redundancy.
            _ => AdaptiveConfig { most_replicas: MOST_LOOKED_AT, ..AdaptiveConfig::default() },
        };
        Self {
            assessor: assessor(config, Reputation::new()),
            store,
            writer: BackgroundWriter::default(),
            domain: Domain::of(setup.asked()),
            config,
            verdicts: Verdicts::default(),
            critical: setup.policy.level == VerificationLevel::Critical,
            failed: HashMap::new(),
            passed: HashSet::new(),
        }
    }

    /// Where it is kept from one run to the next.
    pub fn store(&self) -> Option<ReputationStore> {
        self.store.clone()
    }

    fn question_of(&self, id: SubtaskId, class: TaskClass, record: &SubtaskRecord) -> Question {
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

    /// A provider's fitness and credits.
    pub fn score(&self, provider: &str) -> Score {
        self.member(provider).map_or_else(Score::default, |member| self.assessor.reputation().score(member))
    }

    /// Nobody else answered what a provider was to be looked at again for: its answer counts as one of its own.
    pub fn stood_alone(&mut self, provider: String) {
        self.assessor.observe(Evidence::Alone { provider });
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

impl TrustDesk {
    /// Reads what earlier runs learned. A file that cannot be read costs trust, not the run.
    pub(super) async fn recall(&mut self, journal: &mut Journal) {
        let Some(store) = self.store.clone() else { return };
        match read_beside(move || store.load(unix_secs())).await {
            Ok(reputation) => self.assessor = assessor(self.config, reputation),
            Err(why) => {
                let words = format!("the records of earlier runs are not used: {why}");
                journal.notice(RunStage::Verify, &words);
            }
        }
    }

    /// Adds what this run saw to the file once enough has come together, beside the loop: a long run neither keeps all
    /// of it in memory nor loses all of it when it is killed.
    pub(super) fn remember_in_parts(&mut self, peers: &Peers, claims: &mut ClaimDesk, journal: &mut Journal) {
        let unwritten = self.assessor.seen().len();
        let failed = self.writer.failed();
        self.tell_what_is_not_kept(journal, failed);
        if unwritten >= SEEN_AT_ONCE && !self.writer.is_busy() {
            self.write_what_was_seen(peers, claims);
        }
    }

    /// Adds the rest of what this run saw to the file.
    pub(super) async fn remember(&mut self, peers: &Peers, claims: &mut ClaimDesk, journal: &mut Journal) {
        let failed = self.writer.failed_in_the_end().await;
        self.tell_what_is_not_kept(journal, failed);
        self.write_what_was_seen(peers, claims);
        let failed = self.writer.failed_in_the_end().await;
        self.tell_what_is_not_kept(journal, failed);
    }

    fn write_what_was_seen(&mut self, peers: &Peers, claims: &mut ClaimDesk) {
        let evidence = self.assessor.take_seen();
        let Some(store) = self.store.clone() else { return };
        let providers: Vec<(String, ProviderTraits)> = peers
            .all()
            .iter()
            .filter(|info| !info.trusted)
            .map(|info| (info.id.to_string(), traits(info)))
            .collect();
        let claims = claims.take_seen_claims(peers);
        self.writer.begin(move || {
            store.record(unix_secs(), &providers, &evidence)?;
            store.record_claims(unix_secs(), &claims)
        });
    }

    fn tell_what_is_not_kept(&mut self, journal: &mut Journal, failed: Option<String>) {
        let Some(error) = failed else { return };
        // Said once.
        self.store = None;
        journal.notice(
            RunStage::Verify,
            &format!("what this run learned of its providers is not kept: {error}"),
        );
    }

    /// Takes a provider in with what is known of it; one that is out is left out.
    pub(super) fn meet(
        &mut self,
        setup: &RunSetup,
        peers: &mut Peers,
        subtasks: &Subtasks,
        info: &ProviderInfo,
    ) {
        if info.trusted {
            return;
        }
        let member = self.assessor.meet(&info.id, traits(info));
        if !setup.policy.verification.is_adaptive() {
            return;
        }
        if self.is_out(&info.id) {
            peers.leave_out(&info.id);
            return;
        }
        // By the run's first subtask: later ones may be of another class, and are ruled over by theirs.
        let Some(class) = self.first_class(subtasks, info) else { return };
        peers.trusted(&info.id, self.trust(member, &class));
    }

    /// How far a provider's word is believed in subtasks like the first open one; `None` where nothing is
    /// open or nothing known.
    pub(super) fn fidelity(&self, subtasks: &Subtasks, info: &ProviderInfo) -> Option<f64> {
        let member = self.member(&info.id)?;
        let class = self.first_class(subtasks, info)?;
        Some(self.assessor.reputation().fidelity(member, &class))
    }

    /// The class of the first open subtask, at this provider's price.
    fn first_class(&self, subtasks: &Subtasks, info: &ProviderInfo) -> Option<TaskClass> {
        let record = subtasks.iter().find(|record| matches!(record.state, Progress::Open))?;
        let price = quote::most(&record.subtask.prompt(info.dialect), info.tariff);
        Some(TaskClass::new(record.task().kind(), self.domain.name(), price.0))
    }

    /// Believes by a stricter policy from now on.
    pub(super) fn trust_by(&mut self, policy: &VerificationPolicy) {
        if let VerificationPolicy::Adaptive(config) = policy {
            self.config = *config;
            self.assessor.reconfigure(*config);
        }
    }

    /// Says once what the run knows of those it may ask.
    pub(super) fn tell_trust(
        &mut self,
        setup: &RunSetup,
        peers: &Peers,
        scheduler: &Scheduler,
        subtasks: &Subtasks,
        journal: &mut Journal,
    ) {
        // Claims of every provider are reviewed.
        let compares = |record: &SubtaskRecord| !claims::settles(&setup.policy, record.task());
        if !setup.policy.verification.is_adaptive()
            || scheduler.entries.open() == 0
            || !subtasks.iter().any(compares)
        {
            return;
        }
        let all: Vec<&ProviderInfo> = peers.all().iter().filter(|info| !info.trusted).collect();
        let reputation = self.assessor.reputation();
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
        journal.notice(RunStage::Verify, &reasoning);
    }

    pub(in crate::run) fn question(&self, subtasks: &Subtasks, id: SubtaskId) -> Option<Question> {
        let record = subtasks.of(id)?;
        let class = TaskClass::new(record.task().kind(), self.domain.name(), record.first_price?.0);
        Some(self.question_of(id, class, record))
    }
}
