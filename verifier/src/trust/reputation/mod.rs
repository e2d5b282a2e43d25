//! What is known of all providers: evidence in, fidelity out.
//!
//! It is the asker's own: it can be stored and exported, and nothing here publishes it. Proven lies do
//! not fade; everything else does.

mod export;
mod learn;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use export::{ExportedRecord, ImportError, Pair, ReputationExport, VERSION};
pub(super) use learn::{PRIOR_CHECKS, PRIOR_ERROR_RATE};

use super::alone::Doubted;
use super::audits::AuditRecord;
use super::correlation::Coincidences;
use super::evidence::{Evidence, ProviderTraits, TaskClass};
use super::kinds::Kinds;
use super::posterior::{Group, Voter};
use super::record::{Record, kept_after};
use super::votes::Item;
use crate::audit::{AuditVerdict, Calibrations};
use crate::fitness::Score;

/// A provider's place in a [`Reputation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Member(u32);

impl Member {
    fn at(self) -> usize {
        self.0 as usize
    }

    fn of(at: usize) -> Self {
        Self(u32::try_from(at).unwrap_or(u32::MAX))
    }

    /// For lots: no two have the same.
    pub(super) fn number(self) -> u64 {
        u64::from(self.0)
    }
}

/// Who is asked no more after a piece of evidence, who is asked again, and what is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Out since now.
    pub out: Vec<Member>,
    /// Back since now: the whole picture does not bear out their exclusion.
    pub back: Vec<Member>,
    /// What was accepted on a word that no longer carries it. Only an [`Assessor`](super::Assessor) can
    /// tell: a reputation does not know subtasks.
    pub doubted: Vec<Doubted>,
}

#[derive(Debug, Clone, Default)]
struct State {
    name: String,
    traits: ProviderTraits,
    classes: HashMap<TaskClass, Record>,
    overall: Record,
    gold_right: f64,
    gold_wrong: f64,
    answers: u32,
    timeouts: u32,
    audits: AuditRecord,
    score: Score,
    proven_lie: bool,
    /// The sequential test was lost: not asked, but not proven either.
    excluded: bool,
}

impl State {
    fn is_out(&self) -> bool {
        self.proven_lie || self.excluded
    }
}

/// Share of honest providers assumed before any was decided, and how many providers that weighs.
const PRIOR_HONEST: f64 = 0.65;
const PRIOR_PROVIDERS: f64 = 6.0;
/// A failed check says less than a comparison: an honest model writes nonsense now and then.
const FAILED_CHECK_WEIGHT: f64 = 0.5;

/// What is known of all providers.
#[derive(Debug, Clone, Default)]
pub struct Reputation {
    states: Vec<State>,
    by_name: HashMap<String, Member>,
    coincidences: Coincidences,
    votes: Vec<(TaskClass, Item)>,
    /// Comparisons since everybody was last estimated.
    unlearned: u32,
    /// What weights err at, as measured; absent: not measured yet.
    error_rates: HashMap<String, f64>,
}

impl Reputation {
    /// Nobody is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds a provider or takes it in as unknown.
    pub fn enrol(&mut self, name: &str, traits: ProviderTraits) -> Member {
        if let Some(&member) = self.by_name.get(name) {
            self.states[member.at()].traits = traits;
            return member;
        }
        let member = Member::of(self.states.len());
        self.states.push(State { name: name.to_owned(), traits, ..State::default() });
        self.by_name.insert(name.to_owned(), member);
        member
    }

    /// A provider that was enrolled.
    pub fn member(&self, name: &str) -> Option<Member> {
        self.by_name.get(name).copied()
    }

    /// A provider's name.
    pub fn name(&self, member: Member) -> &str {
        &self.states[member.at()].name
    }

    /// How many providers are known.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether nobody is known.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Whether a provider is not to be asked: a proven lie, or a lost sequential test.
    pub fn is_out(&self, member: Member) -> bool {
        self.states[member.at()].is_out()
    }

    /// Whether a lie of it was proven.
    pub fn has_lied(&self, member: Member) -> bool {
        self.states[member.at()].proven_lie
    }

    /// Whether too little is known of it anywhere to vouch for others.
    pub fn is_newcomer(&self, member: Member) -> bool {
        let state = &self.states[member.at()];
        !state.is_out() && state.overall.is_newcomer()
    }

    /// Whether it can vouch for others: it has a record and is not out.
    pub fn has_record(&self, member: Member) -> bool {
        !self.is_out(member) && !self.is_newcomer(member)
    }

    /// All who can vouch for others.
    pub fn with_record(&self) -> impl Iterator<Item = Member> {
        (0..self.states.len()).map(Member::of).filter(|member| self.has_record(*member))
    }

    /// Answers of it that counted or were compared.
    pub fn answers(&self, member: Member) -> u32 {
        self.states[member.at()].answers
    }

    /// Its fitness and credits.
    pub fn score(&self, member: Member) -> Score {
        self.states[member.at()].score
    }

    /// Checked answers in a class.
    pub fn checks(&self, member: Member, class: &TaskClass) -> f64 {
        self.states[member.at()].classes.get(class).map_or(0.0, Record::checks)
    }

    /// The probability that a provider's next answer in a class is what its claimed model says. Who is
    /// out ranks below who is unknown: zero.
    pub fn fidelity(&self, member: Member, class: &TaskClass) -> f64 {
        let state = &self.states[member.at()];
        if state.is_out() {
            return 0.0;
        }
        let here = state.classes.get(class).copied().unwrap_or_default();
        let other_work = Record {
            right: (state.overall.right - here.right).max(0.0),
            wrong: (state.overall.wrong - here.wrong).max(0.0),
            test: here.test,
        };
        here.kinds(&other_work, &self.prior(), self.error_rate(member)).fidelity()
    }

    /// A group of equal answers, ready for a posterior.
    pub fn group(&self, class: &TaskClass, members: &[Member], others: &[Member]) -> Group {
        let voter = |&member: &Member| Voter {
            fidelity: self.fidelity(member, class),
            accuracy: 1.0 - self.error_rate(member),
        };
        let row = |&left: &Member| members.iter().map(|&right| self.correlation(left, right)).collect();
        Group {
            members: members.iter().map(voter).collect(),
            correlations: if members.len() > 1 { members.iter().map(row).collect() } else { Vec::new() },
            others: others.iter().map(voter).collect(),
        }
    }

    fn correlation(&self, left: Member, right: Member) -> f64 {
        if left == right {
            return 0.0;
        }
        let same = |of: fn(&ProviderTraits) -> Option<&str>| {
            let of = |member: Member| of(&self.states[member.at()].traits);
            of(left).is_some() && of(left) == of(right)
        };
        let same_operator = same(|traits| traits.operator.as_deref());
        let same_weights = same(|traits| traits.weights_hash.as_deref());
        self.coincidences.correlation(left.0, right.0, same_operator, same_weights)
    }

    /// Takes in what was seen. Providers that it names and nobody enrolled are taken in without traits.
    pub fn observe(&mut self, evidence: &Evidence) -> Changes {
        let mut changes = Changes::default();
        match evidence {
            Evidence::Comparison { class, groups, accepted, certainty, audited } => {
                self.compare(class, groups, *accepted, *certainty, *audited, &mut changes.out);
                self.unlearned += 1;
                if self.unlearned >= learn::RELEARN_AFTER {
                    changes.back = self.relearn();
                }
            }
            Evidence::Alone { provider } => {
                let member = self.found(provider);
                self.worked(member);
            }
            Evidence::FailedCheck { class, provider } => {
                let member = self.found(provider);
                changes.out.extend(self.check(class, member, false, FAILED_CHECK_WEIGHT));
            }
            Evidence::Scored { provider, evaluation } => {
                let member = self.found(provider);
                self.states[member.at()].score.take(evaluation);
            }
            Evidence::Timeout { provider } => {
                let member = self.found(provider);
                let timeouts = &mut self.states[member.at()].timeouts;
                *timeouts = timeouts.saturating_add(1);
            }
            Evidence::Audited { provider, weights_hash, score_nats } => {
                // An answer that its weights wrote may be wrong all the same: passing makes nobody trusted.
                if let Some(calibration) = Calibrations::shipped().find(weights_hash) {
                    let member = self.found(provider);
                    let audits = &mut self.states[member.at()].audits;
                    let verdict = audits.observe(weights_hash, *score_nats, &calibration.in_runs());
                    if verdict == AuditVerdict::AnotherModel {
                        changes.out.extend(self.lied(member));
                    }
                }
            }
            Evidence::NothingToRead { class, provider } => {
                let member = self.found(provider);
                let state = &mut self.states[member.at()];
                let was_out = state.is_out();
                state.excluded |= state.audits.hid();
                self.check(class, member, false, FAILED_CHECK_WEIGHT);
                changes.out.extend((self.is_out(member) && !was_out).then_some(member));
            }
            Evidence::ProvenLie { provider } => {
                let member = self.found(provider);
                changes.out.extend(self.lied(member));
            }
        }
        changes
    }

    fn found(&mut self, name: &str) -> Member {
        match self.member(name) {
            Some(member) => member,
            None => self.enrol(name, ProviderTraits::default()),
        }
    }

    /// Notes a proven lie; `Some` if its provider is out since now.
    fn lied(&mut self, member: Member) -> Option<Member> {
        let state = &mut self.states[member.at()];
        let was_out = state.is_out();
        state.proven_lie = true;
        (!was_out).then_some(member)
    }

    fn worked(&mut self, member: Member) {
        let answers = &mut self.states[member.at()].answers;
        *answers = answers.saturating_add(1);
    }

    fn compare(
        &mut self,
        class: &TaskClass,
        groups: &[Vec<String>],
        accepted: Option<usize>,
        certainty: f64,
        audited: bool,
        out: &mut Vec<Member>,
    ) {
        let groups: Vec<Vec<Member>> =
            groups.iter().map(|group| group.iter().map(|name| self.found(name)).collect()).collect();
        self.remember(class, &groups, accepted, audited);
        for (at, group) in groups.iter().enumerate() {
            let right = accepted == Some(at);
            if !right && group.len() > 1 {
                self.coincidences.observe(&group.iter().map(|member| member.0).collect::<Vec<_>>());
            }
            for &member in group {
                self.worked(member);
                if audited {
                    let state = &mut self.states[member.at()];
                    *(if right { &mut state.gold_right } else { &mut state.gold_wrong }) += 1.0;
                }
                out.extend(self.check(class, member, right, certainty));
            }
        }
    }

    /// Notes a checked answer; `Some` if its provider is out since now.
    fn check(&mut self, class: &TaskClass, member: Member, right: bool, weight: f64) -> Option<Member> {
        let error_rate = self.error_rate(member);
        let state = &mut self.states[member.at()];
        let was_out = state.is_out();
        let record = state.classes.entry(class.clone()).or_default();
        record.observe(right, weight, error_rate);
        state.overall.observe(right, weight, error_rate);
        state.excluded |= record.test.is_lost() || state.overall.test.is_lost();
        (!was_out && state.is_out()).then_some(member)
    }

    /// What an unknown provider is, given how those before it turned out: where identities keep
    /// failing, the next one starts lower.
    fn prior(&self) -> Kinds {
        let out = self.states.iter().filter(|state| state.is_out()).count() as f64;
        let honest =
            self.states.iter().filter(|state| !state.is_out() && !state.overall.is_newcomer()).count() as f64;
        let share = (PRIOR_HONEST * PRIOR_PROVIDERS + honest) / (PRIOR_PROVIDERS + honest + out);
        Kinds::prior(share.clamp(0.3, 0.9))
    }

    /// Lets everything but proven lies fade. Who was excluded begins again once its record has faded.
    pub fn decay(&mut self, days: f64) {
        self.states.iter_mut().for_each(|state| state.decay(days));
    }
}

impl State {
    fn decay(&mut self, days: f64) {
        self.overall.decay(days);
        self.audits.decay(days);
        self.score.fade(kept_after(days));
        self.classes.values_mut().for_each(|record| record.decay(days));
        if self.excluded && self.overall.has_faded() {
            self.excluded = false;
        }
    }
}
