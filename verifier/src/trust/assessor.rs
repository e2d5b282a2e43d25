//! The adaptive policy at work: replicas in, a ruling out, and what it teaches about the providers.
//!
//! The same code rules in a run and in the simulated swarm of `frlm lab redteam`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::adaptive::{AdaptiveConfig, AdaptiveGroup, NextStep, Reach, Standing, leading};
use super::alone::AloneAnswers;
use super::evidence::{Evidence, ProviderTraits, TaskClass};
use super::reputation::{Changes, Member, Reputation};
use crate::sampling::{Case, SampledBecause, SamplingRules};
use crate::verdict::{Replica, Report, Verified};

/// What a ruling needs to know of a subtask.
#[derive(Debug, Clone)]
pub struct Question {
    /// Names the subtask; the same through all its rulings.
    pub id: u64,
    /// What trust it takes.
    pub class: TaskClass,
    /// Whether it is medical, legal or financial: then somebody else looks, always.
    pub high_stakes: bool,
    /// Whether tier 2 was uncertain: an answer to it was turned down before.
    pub flagged: bool,
    /// The key of the right answer, where it is a gold task.
    pub gold: Option<String>,
}

/// Why another provider is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskReason {
    /// Nobody has answered yet.
    NoAnswer,
    /// The leading answer is not believed enough.
    Doubt,
    /// The leading answer is believed, but by newcomers only.
    OnlyNewcomers,
    /// The answer could be accepted and is checked all the same (tier 3).
    SpotCheck(SampledBecause),
    /// The answer could be accepted, but it is not the one that is known to be right.
    Gold,
}

/// What the answers so far amount to.
#[derive(Debug, Clone, PartialEq)]
pub enum Ruling<T> {
    /// An answer is accepted.
    Accepted {
        /// The answer.
        verified: Verified<T>,
        /// How far it is believed.
        standing: Standing,
    },
    /// Another provider is to be asked.
    Ask {
        /// Why.
        because: AskReason,
        /// What leads so far, if anything.
        leading: Option<Standing>,
    },
    /// The replicas are used up and no answer is believed.
    Split {
        /// Who said what.
        report: Report,
        /// What leads, not far enough.
        leading: Option<Standing>,
    },
}

/// Rules over replicas, with everything that is known of their providers.
#[derive(Debug, Clone)]
pub struct Assessor {
    config: AdaptiveConfig,
    sampling: SamplingRules,
    reputation: Reputation,
    /// Makes the lots of spot checks unpredictable for anybody else.
    secret: u64,
    /// What was seen and not taken yet.
    seen: Vec<Evidence>,
    /// What rests on one provider's word in this run.
    alone: AloneAnswers,
    spot_checks: usize,
    gold: GoldTally,
}

/// What became of gold tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GoldTally {
    /// Subtasks whose right answer was known and is accepted.
    pub tasks: usize,
    /// Answers to them that were wrong.
    pub failed: usize,
    /// Subtasks where several providers agreed on something else: then nobody is held to the gold.
    pub doubted: usize,
}

impl Assessor {
    /// An assessor who knows what `reputation` knows. `secret` must be new for every run and known to
    /// nobody: who can tell which answers are checked lies on the others.
    pub fn new(config: AdaptiveConfig, sampling: SamplingRules, reputation: Reputation, secret: u64) -> Self {
        Self {
            config,
            sampling,
            reputation,
            secret,
            seen: Vec::new(),
            alone: AloneAnswers::default(),
            spot_checks: 0,
            gold: GoldTally::default(),
        }
    }

    /// When it stops.
    pub fn config(&self) -> &AdaptiveConfig {
        &self.config
    }

    /// Stops at another fidelity from now on.
    pub fn reconfigure(&mut self, config: AdaptiveConfig) {
        self.config = config;
    }

    /// What is known of the providers.
    pub fn reputation(&self) -> &Reputation {
        &self.reputation
    }

    /// Takes a provider in, or notes what it says of itself now.
    pub fn meet(&mut self, provider: &str, traits: ProviderTraits) -> Member {
        self.reputation.enrol(provider, traits)
    }

    /// What was seen and not taken yet.
    pub fn seen(&self) -> &[Evidence] {
        &self.seen
    }

    /// Hands over what was seen since this was last called; what it taught stays known here.
    pub fn take_seen(&mut self) -> Vec<Evidence> {
        std::mem::take(&mut self.seen)
    }

    /// Answers that were checked again by another provider although they could have been accepted.
    pub fn spot_checks(&self) -> usize {
        self.spot_checks
    }

    /// Whether a subtask whose answer is known serves as a gold task. The lot falls before anybody is
    /// asked, and nothing that goes over the wire depends on it.
    pub fn is_gold(&self, id: u64) -> bool {
        self.lot(!id) < self.sampling.gold
    }

    /// What became of gold tasks.
    pub fn gold(&self) -> GoldTally {
        self.gold
    }

    /// Rules over the answers so far; their order does not matter.
    pub fn rule<T: Clone>(
        &mut self,
        question: &Question,
        replicas: &[Replica<T>],
        reach: Reach,
    ) -> Ruling<T> {
        let (answers, groups) = self.grouped(question, replicas);
        let spokesman = |standing: Standing| answers.get(standing.group).and_then(|group| group.first());
        let no_answer = Ruling::Ask { because: AskReason::NoAnswer, leading: None };
        let ruling = match self.config.next_step(&self.reputation, &question.class, &groups, reach) {
            NextStep::Accept(standing) => match (self.spot_check(question, replicas), spokesman(standing)) {
                (_, Some(leader)) if is_against_gold(question, leader, &answers[standing.group]) => {
                    Ruling::Ask { because: AskReason::Gold, leading: Some(standing) }
                }
                (Some(why), _) if reach.anyone => {
                    Ruling::Ask { because: AskReason::SpotCheck(why), leading: Some(standing) }
                }
                (_, Some(leader)) => {
                    Ruling::Accepted { verified: Verified::accept(leader, replicas), standing }
                }
                (_, None) => no_answer,
            },
            NextStep::Ask { leading: None, .. } => no_answer,
            NextStep::Ask { leading, unanchored: true } => {
                Ruling::Ask { because: AskReason::OnlyNewcomers, leading }
            }
            NextStep::Ask { leading, .. } => Ruling::Ask { because: AskReason::Doubt, leading },
            NextStep::Stop(leading) => match leading.and_then(spokesman) {
                Some(leader) => Ruling::Split { report: Report::of(leader, replicas), leading },
                None => no_answer,
            },
        };
        self.spot_checks +=
            usize::from(matches!(ruling, Ruling::Ask { because: AskReason::SpotCheck(_), .. }));
        ruling
    }

    /// How far an answer is believed that another policy accepted; `None` if it is not the one that
    /// would lead here.
    pub fn standing<T>(
        &self,
        question: &Question,
        replicas: &[Replica<T>],
        accepted: &Report,
    ) -> Option<Standing> {
        let (answers, groups) = self.grouped(question, replicas);
        let standing = leading(&self.reputation, &question.class, &groups)?;
        let agrees = |replica: &&Replica<T>| accepted.agreeing.contains(&replica.provider);
        answers[standing.group].iter().all(agrees).then_some(standing)
    }

    /// Notes which answer was accepted, and what that says of those who answered and of what they were
    /// believed in before.
    pub fn accepted<T>(
        &mut self,
        question: &Question,
        replicas: &[Replica<T>],
        report: &Report,
        certainty: f64,
    ) -> Changes {
        let found_here =
            replicas.iter().any(|replica| replica.trusted && report.agreeing.contains(&replica.provider));
        let audited = self.tally(question, replicas, report) || found_here;
        // This machine's own model has no reputation to lose.
        let others: Vec<&Replica<T>> = replicas.iter().filter(|replica| !replica.trusted).collect();
        let mut doubted = Vec::new();
        let evidence = match others[..] {
            [] => return Changes::default(),
            [one] if !audited => {
                if let Some(member) = self.reputation.member(&one.provider) {
                    self.alone.given(member, question.id);
                }
                Evidence::Alone { provider: one.provider.clone() }
            }
            _ => {
                for replica in &others {
                    let Some(member) = self.reputation.member(&replica.provider) else { continue };
                    if report.agreeing.contains(&replica.provider) {
                        self.alone.agreed(member);
                    } else {
                        doubted.extend(self.alone.contradicted(member));
                    }
                }
                let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
                for replica in &others {
                    groups.entry(&replica.key).or_default().push(replica.provider.clone());
                }
                let accepted =
                    groups.values().position(|group| group.iter().any(|name| report.agreeing.contains(name)));
                let groups = groups.into_values().collect();
                Evidence::Comparison { class: question.class.clone(), groups, accepted, certainty, audited }
            }
        };
        let mut changes = self.observe(evidence);
        changes.doubted.extend(doubted);
        changes
    }

    /// Takes in anything else that was seen of a provider.
    pub fn observe(&mut self, evidence: Evidence) -> Changes {
        let mut changes = self.reputation.observe(&evidence);
        self.seen.push(evidence);
        changes.doubted = changes.out.iter().flat_map(|member| self.alone.out(*member)).collect();
        changes
    }

    /// The answers by what they say, in the order of their keys, whoever was first.
    fn grouped<'a, T>(
        &self,
        question: &Question,
        replicas: &'a [Replica<T>],
    ) -> (Vec<Vec<&'a Replica<T>>>, Vec<AdaptiveGroup>) {
        let mut answers: BTreeMap<&str, Vec<&Replica<T>>> = BTreeMap::new();
        for replica in replicas {
            answers.entry(&replica.key).or_default().push(replica);
        }
        let answers: Vec<Vec<&Replica<T>>> = answers.into_values().collect();
        let member = |replica: &&Replica<T>| self.reputation.member(&replica.provider);
        let groups = answers
            .iter()
            .map(|group| AdaptiveGroup {
                members: group.iter().filter_map(member).collect(),
                audited: group
                    .iter()
                    .any(|replica| replica.trusted || question.gold.as_ref() == Some(&replica.key)),
            })
            .collect();
        (answers, groups)
    }

    /// Counts a gold task; whether the accepted answer is the one that is known to be right.
    fn tally<T>(&mut self, question: &Question, replicas: &[Replica<T>], report: &Report) -> bool {
        let Some(gold) = &question.gold else { return false };
        let accepted = replicas.iter().find(|replica| report.agreeing.contains(&replica.provider));
        if accepted.is_some_and(|replica| replica.key == *gold) {
            self.gold.tasks += 1;
            self.gold.failed += replicas.iter().filter(|replica| replica.key != *gold).count();
            true
        } else {
            self.gold.doubted += 1;
            false
        }
    }

    /// Whether a single answer that could be accepted is checked again (tier 3).
    fn spot_check<T>(&self, question: &Question, replicas: &[Replica<T>]) -> Option<SampledBecause> {
        let [replica] = replicas else { return None };
        if replica.trusted || question.gold.as_ref() == Some(&replica.key) {
            return None;
        }
        let case = Case {
            high_stakes: question.high_stakes,
            confidence: replica.confidence,
            provider_tasks: self
                .reputation
                .member(&replica.provider)
                .map_or(0, |it| self.reputation.answers(it)),
            flagged: question.flagged,
        };
        self.sampling.sampled(&case, self.lot(question.id))
    }

    /// Uniform in 0..1, the same for a subtask whenever it is asked for.
    fn lot(&self, id: u64) -> f64 {
        // The finaliser of SplitMix64.
        let mut mixed = self.secret.wrapping_add(id.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Whether one provider alone says something else than what is known to be right. Two who agree cast
/// doubt on the gold instead: what code reads may not be what the question means.
fn is_against_gold<T>(question: &Question, leader: &Replica<T>, group: &[&Replica<T>]) -> bool {
    !leader.trusted && group.len() < 2 && question.gold.as_ref().is_some_and(|gold| leader.key != *gold)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYBODY: Reach = Reach { anyone: true, known: true };
    const NEWCOMERS: Reach = Reach { anyone: true, known: false };

    fn replica(provider: &str, key: &str) -> Replica<String> {
        Replica {
            provider: provider.to_owned(),
            key: key.to_owned(),
            trusted: false,
            confidence: Some(0.9),
            attested: None,
            answer: key.to_owned(),
        }
    }

    fn question(id: u64) -> Question {
        let class = TaskClass::new("map", "general", 0);
        Question { id, class, high_stakes: false, flagged: false, gold: None }
    }

    fn assessor(sampling: SamplingRules) -> Assessor {
        let mut assessor = Assessor::new(AdaptiveConfig::default(), sampling, Reputation::new(), 7);
        for name in ["a", "b", "c", "d"] {
            assessor.meet(name, ProviderTraits::default());
        }
        assessor
    }

    fn never() -> SamplingRules {
        SamplingRules { random: 0.0, new_provider: 0.0, ..SamplingRules::default() }
    }

    /// Rules over these answers and, if one is accepted, learns from it.
    fn settle(assessor: &mut Assessor, id: u64, replicas: &[Replica<String>], reach: Reach) -> bool {
        let question = question(id);
        match assessor.rule(&question, replicas, reach) {
            Ruling::Accepted { verified, standing } => {
                assessor.accepted(&question, replicas, verified.report(), standing.fidelity);
                true
            }
            _ => false,
        }
    }

    #[test]
    fn three_newcomers_become_one_trusted_provider() {
        let mut assessor = assessor(never());
        let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
        assert!(!settle(&mut assessor, 0, &three[..1], NEWCOMERS));
        (0..12).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
        assert!(settle(&mut assessor, 12, &three[..1], EVERYBODY), "one answer is enough now");
        assert_eq!(assessor.seen().len(), 13);
        assert_eq!(assessor.spot_checks(), 0);
    }

    #[test]
    fn an_answer_that_could_stand_alone_is_checked_where_the_lot_falls_on_it() {
        let mut assessor =
            assessor(SamplingRules { random: 0.1, new_provider: 0.0, ..SamplingRules::default() });
        let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
        (0..12).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
        let alone = (0..1_000).filter(|id| settle(&mut assessor, *id, &three[..1], EVERYBODY)).count();
        assert!((870..930).contains(&alone), "{alone}");
        assert_eq!(assessor.spot_checks(), 1_000 - alone);
        let stakes = Question { high_stakes: true, ..question(5_000) };
        let ruling = assessor.rule(&stakes, &three[..1], EVERYBODY);
        let because = AskReason::SpotCheck(SampledBecause::HighStakes);
        assert!(matches!(ruling, Ruling::Ask { because: why, .. } if why == because), "{ruling:?}");
    }

    #[test]
    fn what_a_sleeper_said_alone_is_in_doubt_once_it_is_contradicted() {
        let mut assessor = assessor(never());
        let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
        (0..12).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
        (20..25).for_each(|id| assert!(settle(&mut assessor, id, &[replica("a", "41")], EVERYBODY)));
        assert!(settle(&mut assessor, 25, &[replica("b", "42")], EVERYBODY));
        let (checked, caught) = (question(26), [replica("a", "41"), replica("b", "42"), replica("c", "42")]);
        let Ruling::Accepted { verified, standing } = assessor.rule(&checked, &caught, EVERYBODY) else {
            panic!("two trusted providers are believed against one");
        };
        let changes = assessor.accepted(&checked, &caught, verified.report(), standing.fidelity);
        let doubted: Vec<u64> = changes.doubted.iter().map(|doubted| doubted.subtask).collect();
        assert_eq!(doubted, [20, 21, 22, 23, 24]);
        let name = |doubted: &super::super::Doubted| assessor.reputation().name(doubted.provider);
        assert!(changes.doubted.iter().all(|doubted| name(doubted) == "a"));
    }

    #[test]
    fn a_gold_task_needs_one_right_answer_and_shows_up_a_wrong_one() {
        let mut assessor = assessor(never());
        let gold = Question { gold: Some("42".to_owned()), ..question(0) };
        let right = [replica("a", "42")];
        let Ruling::Accepted { verified, standing } = assessor.rule(&gold, &right, NEWCOMERS) else {
            panic!("what is known to be right is accepted from anybody");
        };
        assessor.accepted(&gold, &right, verified.report(), standing.fidelity);
        let both = [replica("b", "41"), replica("c", "42")];
        let Ruling::Accepted { verified, standing } = assessor.rule(&gold, &both, NEWCOMERS) else {
            panic!("the right one is accepted");
        };
        assert_eq!(verified.answer(), "42");
        assessor.accepted(&gold, &both, verified.report(), standing.fidelity);
        assert_eq!(assessor.gold(), GoldTally { tasks: 2, failed: 1, doubted: 0 });
        let fidelity = |name: &str| {
            let reputation = assessor.reputation();
            reputation.fidelity(reputation.member(name).unwrap(), &gold.class)
        };
        assert!(fidelity("b") < fidelity("d") && fidelity("d") < fidelity("a"));
    }

    #[test]
    fn a_trusted_provider_alone_does_not_get_past_the_gold_and_two_cast_doubt_on_it() {
        let mut assessor = assessor(never());
        let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
        (0..40).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
        let gold = Question { gold: Some("7".to_owned()), ..question(50) };
        let alone = assessor.rule(&gold, &three[..1], EVERYBODY);
        assert!(matches!(alone, Ruling::Ask { because: AskReason::Gold, .. }), "{alone:?}");
        let Ruling::Accepted { verified, standing } = assessor.rule(&gold, &three[..2], EVERYBODY) else {
            panic!("two trusted providers are believed");
        };
        assessor.accepted(&gold, &three[..2], verified.report(), standing.fidelity);
        assert_eq!(assessor.gold(), GoldTally { tasks: 0, failed: 0, doubted: 1 });
    }

    #[test]
    fn a_flagged_answer_is_always_looked_at_again_and_gold_falls_by_lot() {
        let mut assessor = assessor(never());
        let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
        (0..12).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
        let flagged = Question { flagged: true, ..question(20) };
        let because = AskReason::SpotCheck(SampledBecause::Flagged);
        let ruling = assessor.rule(&flagged, &three[..1], EVERYBODY);
        assert!(matches!(ruling, Ruling::Ask { because: why, .. } if why == because), "{ruling:?}");
        let gold = (0..10_000).filter(|id| assessor.is_gold(*id)).count();
        assert!((900..1_100).contains(&gold), "{gold}");
    }

    #[test]
    fn the_users_own_machine_decides_and_teaches() {
        let mut assessor = assessor(never());
        let own = Replica { trusted: true, ..replica("local", "42") };
        let replicas = [replica("a", "43"), replica("b", "42"), own];
        let question = question(0);
        let Ruling::Accepted { verified, standing } = assessor.rule(&question, &replicas, NEWCOMERS) else {
            panic!("its own machine is believed");
        };
        assert_eq!(verified.answer(), "42");
        assessor.accepted(&question, &replicas, verified.report(), standing.fidelity);
        let fidelity = |name: &str| {
            let reputation = assessor.reputation();
            reputation.fidelity(reputation.member(name).unwrap(), &question.class)
        };
        assert!(fidelity("a") < fidelity("d") && fidelity("d") < fidelity("b"));
        assert!(assessor.reputation().member("local").is_none());
    }

    #[test]
    fn a_split_names_who_said_what() {
        let mut assessor = assessor(never());
        let config = AdaptiveConfig { most_replicas: 2, ..AdaptiveConfig::default() };
        assessor.config = config;
        let split = assessor.rule(&question(0), &[replica("a", "1"), replica("b", "2")], NEWCOMERS);
        assert!(matches!(&split, Ruling::Split { report, .. } if report.dissenting.len() == 1), "{split:?}");
    }
}
