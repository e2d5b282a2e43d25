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

use std::time::{SystemTime, UNIX_EPOCH};

use frlm_verifier::fitness::Score;
use frlm_verifier::policy::MOST_LOOKED_AT;
use frlm_verifier::request::VerificationLevel;
use frlm_verifier::sampling::{Domain, SamplingRules};
use frlm_verifier::trust::{
    AdaptiveConfig, Assessor, Changes, Evidence, GoldTally, Member, ProviderTraits, Question, Reputation,
    ReputationStore, Ruling, Standing, TaskClass,
};
use frlm_verifier::{Replica, Report, VerificationPolicy};
use frlm_wallet::Sats;

use super::driver::Run;
use super::keep::Keeping;
use super::market::Experience;
use super::slots::{Slot, SlotState};
use super::{RunSetup, gold, quote};
use crate::plan::{Outcome, Task};
use crate::scheduler::{AttemptId, SubtaskId, Trust};
use crate::swarm::{ProviderId, ProviderInfo, Ticket};
use crate::trace::{PosteriorStep, TraceEvent};

/// Comparisons and failures that are written together.
const SEEN_AT_ONCE: usize = 1_000;
/// Of those that may wait until the ones before them are in the file.
const MOST_SEEN: usize = 4 * SEEN_AT_ONCE;
/// The kind of work that a validator's verdicts are, in its record.
const VALIDATING: &str = "validate";
/// Why a provider is out.
const WRONG_TOO_OFTEN: &str = "its answers are wrong too often";
const ANOTHER_MODEL: &str = "an audit shows that other weights than it claims wrote its answers";
const NOTHING_TO_READ: &str = "its answers come with nothing that the weights which it claims could read";

/// The run's assessor, and the file that it learns from.
#[derive(Debug)]
pub(super) struct TrustDesk {
    assessor: Assessor,
    store: Option<ReputationStore>,
    /// What is on its way to that file.
    keeping: Keeping,
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
            keeping: Keeping::default(),
            domain: Domain::of(&setup.question),
            config,
            verdicts: Verdicts::default(),
            critical: setup.policy.level == VerificationLevel::Critical,
        }
    }

    pub fn remember_in(&mut self, store: ReputationStore) {
        self.store = Some(store);
    }

    /// Answers that another provider checked although they could have been accepted.
    pub fn spot_checks(&self) -> usize {
        self.assessor.spot_checks()
    }

    fn question(&self, id: SubtaskId, class: TaskClass, slot: &Slot) -> Question {
        let id = u64::from(id.0);
        let gold = if self.assessor.is_gold(id) { gold_key(slot.task()) } else { None };
        // An answer to it that did not pass the checks, or barely did, says that it is hard.
        let flagged = slot.failures > 0 || slot.doubtful;
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

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Run {
    /// Reads what earlier runs learned. A file that cannot be read costs trust, not the run.
    pub(super) async fn recall(&mut self) {
        let Some(store) = self.trust.store.clone() else { return };
        let loaded = tokio::task::spawn_blocking(move || store.load(now())).await;
        let error = match loaded {
            Ok(Ok(reputation)) => {
                self.trust.assessor = assessor(self.trust.config, reputation);
                return;
            }
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.decide("verify", "proceed", &format!("nobody is known from earlier runs: {error}"));
    }

    /// Adds what this run saw to the file once enough has come together, beside the loop: a long run neither keeps all
    /// of it in memory nor loses all of it when it is killed.
    pub(super) async fn remember_in_parts(&mut self) {
        let unwritten = self.trust.assessor.seen().len();
        let failed = self.trust.keeping.failed(unwritten >= MOST_SEEN).await;
        self.tell_what_is_not_kept(failed);
        if unwritten >= SEEN_AT_ONCE && !self.trust.keeping.is_busy() {
            self.write_what_was_seen();
        }
    }

    /// Adds the rest of what this run saw to the file.
    pub(super) async fn remember(&mut self) {
        let failed = self.trust.keeping.failed_in_the_end().await;
        self.tell_what_is_not_kept(failed);
        self.write_what_was_seen();
        let failed = self.trust.keeping.failed_in_the_end().await;
        self.tell_what_is_not_kept(failed);
    }

    fn write_what_was_seen(&mut self) {
        let evidence = self.trust.assessor.take_seen();
        let Some(store) = self.trust.store.clone() else { return };
        let providers: Vec<(String, ProviderTraits)> = self
            .peers
            .all()
            .iter()
            .filter(|info| !info.trusted)
            .map(|info| (info.id.to_string(), traits(info)))
            .collect();
        self.trust.keeping.begin(move || store.record(now(), &providers, &evidence));
    }

    fn tell_what_is_not_kept(&mut self, failed: Option<String>) {
        let Some(error) = failed else { return };
        // Said once.
        self.trust.store = None;
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
        let member = self.trust.assessor.meet(&info.id, traits(info));
        if !self.setup.policy.verification.is_adaptive() {
            return;
        }
        if self.trust.is_out(&info.id) {
            self.peers.leave_out(&info.id);
            return;
        }
        // By the run's first subtask: later ones may be of another class, and are ruled over by theirs.
        let Some(class) = self.first_class(info) else { return };
        self.peers.believed(&info.id, self.trust.assessor.reputation().fidelity(member, &class));
        self.peers.trusted(&info.id, self.trust.trust(member, &class));
    }

    /// How far a provider's word is believed in subtasks like the first open one; `None` where nothing is
    /// open or nothing known.
    pub(super) fn fidelity(&self, info: &ProviderInfo) -> Option<f64> {
        let member = self.trust.member(&info.id)?;
        let class = self.first_class(info)?;
        Some(self.trust.assessor.reputation().fidelity(member, &class))
    }

    /// The class of the first open subtask, at this provider's price.
    fn first_class(&self, info: &ProviderInfo) -> Option<TaskClass> {
        let slot = self.slots.iter().find(|slot| matches!(slot.state, SlotState::Open))?;
        let price = quote::most(&slot.subtask.prompt(info.dialect), info.tariff);
        Some(TaskClass::new(slot.task().kind(), self.trust.domain.name(), price.0))
    }

    /// Believes by a stricter policy from now on.
    pub(super) fn trust_by(&mut self, policy: &VerificationPolicy) {
        if let VerificationPolicy::Adaptive(config) = policy {
            self.trust.config = *config;
            self.trust.assessor.reconfigure(*config);
        }
    }

    /// Says once what the run knows of those it may ask.
    pub(super) fn tell_trust(&mut self) {
        if !self.setup.policy.verification.is_adaptive() || self.scheduler.open() == 0 {
            return;
        }
        let all: Vec<&ProviderInfo> = self.peers.all().iter().filter(|info| !info.trusted).collect();
        let reputation = self.trust.assessor.reputation();
        let known = all
            .iter()
            .filter(|info| reputation.member(&info.id).is_some_and(|member| reputation.has_record(member)));
        let (known, all) = (known.count(), all.len());
        let reasoning = match (known, all) {
            (_, 0) => return,
            (0, _) => format!("none of {all} providers has a record yet: two must agree until some have one"),
            _ => {
                format!("{known} of {all} providers have a record: each newcomer is held against one of them")
            }
        };
        self.decide("verify", "proceed", &reasoning);
    }

    /// Fixes what trust a subtask takes, by the price of its first job.
    pub(super) fn note_price(&mut self, id: SubtaskId, price: Sats) {
        if let Some(slot) = self.slots.get_mut(id.0 as usize) {
            slot.first_price.get_or_insert(price);
        }
    }

    fn question(&self, id: SubtaskId) -> Option<Question> {
        let slot = self.slots.get(id.0 as usize)?;
        let class = TaskClass::new(slot.task().kind(), self.trust.domain.name(), slot.first_price?.0);
        Some(self.trust.question(id, class, slot))
    }

    /// Whether more than a provider's own word says how good the answers to a subtask are: another answer, the validator,
    /// or the user's check. That code knew the right one is for the records alone: whoever were told how good an answer was
    /// that nobody else gave would know that the task was gold.
    pub(super) fn is_compared(&self, answers: &[(AttemptId, Replica<Outcome>)]) -> bool {
        let [(_, alone)] = answers else { return true };
        let checked = matches!(self.setup.policy.verification, VerificationPolicy::Checked { .. })
            && !matches!(alone.answer, Outcome::Compiled(_));
        checked || alone.attested.is_some()
    }

    /// Rules over a subtask's replicas after one was added.
    pub(super) fn judge_by_trust(&mut self, ticket: Ticket, replicas: &[Replica<Outcome>]) {
        let id = SubtaskId(ticket.subtask);
        let Some(question) = self.question(id) else { return };
        let (now, attempt) = (self.began.elapsed(), self.scheduler_attempt(ticket));
        let reach = self.scheduler.reach(id);
        match self.trust.assessor.rule(&question, replicas, reach) {
            Ruling::Ask { because, leading } => {
                self.tell_posterior(id, PosteriorStep::Ask(because), leading);
                self.scheduler.answered(id, attempt, Some(1), now);
            }
            Ruling::Split { report, leading } => {
                self.tell_posterior(id, PosteriorStep::Stop, leading);
                self.split(id, report);
                self.scheduler.answered(id, attempt, None, now);
            }
            Ruling::Accepted { verified, standing } => {
                self.tell_posterior(id, PosteriorStep::Accept, Some(standing));
                let (outcome, report) = verified.into_parts();
                self.trust_after(&question, replicas, &report, standing.fidelity);
                self.accept(id, outcome, report);
                self.scheduler.answered(id, attempt, Some(0), now);
            }
        }
    }

    fn tell_posterior(&mut self, subtask: SubtaskId, step: PosteriorStep, leading: Option<Standing>) {
        let Some(Standing { fidelity, correctness, .. }) = leading else { return };
        self.journal.emit(TraceEvent::Posterior { subtask, step, fidelity, correctness });
    }

    /// Learns from an answer that another policy accepted.
    pub(super) fn learn_from(&mut self, id: SubtaskId, replicas: &[Replica<Outcome>], report: &Report) {
        let Some(question) = self.question(id) else { return };
        // Where those who agreed are not who would be believed, the agreement teaches nothing.
        if let Some(standing) = self.trust.assessor.standing(&question, replicas, report) {
            self.trust.assessor.accepted(&question, replicas, report, standing.fidelity);
        }
    }

    /// Whether tier 3 has somebody else asked for an answer that another policy accepts.
    pub(super) fn is_drawn_for_another_look(
        &mut self,
        id: SubtaskId,
        replicas: &[Replica<Outcome>],
        report: &Report,
    ) -> bool {
        let looks = self.setup.policy.verification.looks_again();
        let comparable = replicas.iter().all(|replica| self.meanings.can_compare(&replica.answer));
        // Two true answers in words of their own would pass for a contradiction, and both be given up.
        if !comparable || !self.scheduler.could_ask(id) {
            return false;
        }
        let Some(question) = self.question(id) else { return false };
        let Some(because) = self.trust.assessor.looks_again(&question, replicas, report, looks) else {
            return false;
        };
        let leading = self.trust.assessor.standing(&question, replicas, report);
        self.tell_posterior(id, PosteriorStep::Ask(because), leading);
        true
    }

    /// A validator gave its word about an answer: it is held against what code finds in the documents, wherever code
    /// can tell (tier 3 looks at the verifiers, too; seeds/verifier-block.md, «Fraud detection»).
    pub(super) fn saw_verdict(&mut self, validator: &str, id: SubtaskId, key: &str, confirmed: bool) {
        let Some(slot) = self.slots.get(id.0 as usize) else { return };
        let Some(gold) = gold_key(slot.task()) else { return };
        let price = slot.first_price.unwrap_or_default();
        let class = TaskClass::new(VALIDATING, self.trust.domain.name(), price.0);
        let right = confirmed == (key == gold);
        self.trust.verdicts.held_against_code += 1;
        self.trust.verdicts.wrong += u32::from(!right);
        let changes = self.trust.assessor.observe(Evidence::Comparison {
            class,
            groups: vec![vec![validator.to_owned()]],
            accepted: right.then_some(0),
            certainty: 1.0,
            audited: true,
        });
        if !changes.out.is_empty() {
            let Verdicts { held_against_code, wrong } = self.trust.verdicts;
            let words = format!(
                "the validator {validator} was wrong in {wrong} of {held_against_code} verdicts about answers that code \
                 knows: name another one (--verify validated:NPUB), or let records decide (--verify adaptive)"
            );
            self.decide("verify", "escalate", &words);
        }
    }

    fn trust_after(
        &mut self,
        question: &Question,
        replicas: &[Replica<Outcome>],
        report: &Report,
        certainty: f64,
    ) {
        let changes = self.trust.assessor.accepted(question, replicas, report, certainty);
        for replica in replicas.iter().filter(|replica| !replica.trusted) {
            let Some(member) = self.trust.member(&replica.provider) else { continue };
            let trust = self.trust.trust(member, &question.class);
            let id: ProviderId = replica.provider.as_str().into();
            if let Some((index, capacity)) = self.peers.trusted(&id, trust) {
                self.scheduler.change_capacity(index, capacity);
            }
            let fidelity = self.trust.assessor.reputation().fidelity(member, &question.class);
            self.appraise_word(&id, fidelity);
        }
        self.apply(&changes, WRONG_TOO_OFTEN);
    }

    /// Stops asking those who are out, for this reason, asks those again who are back, and asks others for what is
    /// in doubt.
    fn apply(&mut self, changes: &Changes, why: &str) {
        if !self.setup.policy.verification.is_adaptive() {
            return;
        }
        for &member in &changes.out {
            let id: ProviderId = self.trust.name(member).into();
            self.peers.leave_out(&id);
            if let Some(index) = self.peers.index(&id) {
                self.scheduler.remove_provider(index, self.began.elapsed());
            }
            self.decide("verify", "retry", &format!("{id} is not asked any more: {why}"));
        }
        for &member in &changes.back {
            let id: ProviderId = self.trust.name(member).into();
            if let Some((index, capacity)) = self.peers.readmit(&id) {
                self.scheduler.upsert_provider(index, capacity);
                self.decide(
                    "verify",
                    "retry",
                    &format!("{id} is asked again: those who outvoted it were wrong"),
                );
            }
        }
        self.look_again(&changes.doubted);
    }

    /// An answer did not pass the checks that need no comparison.
    pub(super) fn saw_failed_check(&mut self, id: SubtaskId, provider: &ProviderInfo) {
        let Some(question) = self.question(id) else { return };
        if !provider.trusted {
            let provider = provider.id.to_string();
            let changes =
                self.trust.assessor.observe(Evidence::FailedCheck { class: question.class, provider });
            self.apply(&changes, WRONG_TOO_OFTEN);
        }
    }

    /// Whether the weights that its provider claims are to read this answer, by lot (tier 3).
    pub(super) fn is_drawn_for_audit(&self, ticket: Ticket, replica: &Replica<Outcome>) -> bool {
        let question = self.question(SubtaskId(ticket.subtask));
        question.is_some_and(|question| self.trust.assessor.audited(&question, replica).is_some())
    }

    /// The weights that a provider claims have read an answer of it; `false` if it is known by now that it runs
    /// others.
    pub(super) fn saw_audit(&mut self, provider: &str, weights_hash: String, score_nats: f64) -> bool {
        let provider = provider.to_owned();
        let member = self.trust.member(&provider);
        let changes = self.trust.assessor.observe(Evidence::Audited { provider, weights_hash, score_nats });
        self.apply(&changes, ANOTHER_MODEL);
        !member.is_some_and(|member| self.trust.assessor.reputation().has_lied(member))
    }

    /// An answer was to be read by the weights that its provider claims, and came with nothing to read.
    pub(super) fn saw_nothing_to_read(&mut self, ticket: Ticket, provider: &str) {
        let Some(question) = self.question(SubtaskId(ticket.subtask)) else { return };
        let (class, provider) = (question.class, provider.to_owned());
        let changes = self.trust.assessor.observe(Evidence::NothingToRead { class, provider });
        self.apply(&changes, NOTHING_TO_READ);
    }

    /// Nobody answered an attempt in time.
    pub(super) fn saw_timeout(&mut self, ticket: Ticket) {
        let provider = self.sent.get(&ticket).map(|sent| sent.provider.clone());
        if let Some(provider) = &provider {
            self.appraise(&provider.id, Experience::Failed);
        }
        if let Some(provider) = provider.filter(|provider| !provider.trusted) {
            self.trust.assessor.observe(Evidence::Timeout { provider: provider.id.to_string() });
        }
    }
}
