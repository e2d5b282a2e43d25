//! The adaptive policy at work: replicas in, a ruling out, and what it teaches about the providers.
//!
//! The same code rules in a run and in the simulated swarm of `frlm-lab redteam`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::adaptive::{AdaptiveGroup, Assessment, NextStep, Reach, leading};
use super::alone::AloneAnswers;
use super::evidence::{Evidence, ProviderTraits, TaskClass};
use super::reputation::{Changes, Member, Reputation};
use crate::policy::{AdaptiveConfig, LooksAgain};
use crate::sampling::{Case, SampledBecause, SamplingRules};
use crate::verdict::{Replica, Report, Verified};

/// Below this confidence an answer is rather wrong than right.
const EVEN: f64 = 0.5;
/// So many must give the same answer if none of them is surer of it than that.
const SHAKY_AGREE: usize = 3;

/// What a ruling needs to know of a subtask.
#[derive(Debug, Clone)]
pub struct Question {
    /// Names the subtask; the same through all its rulings.
    pub id: u64,
    /// What trust it takes.
    pub class: TaskClass,
    /// Whether it is medical, legal or financial: then somebody else looks, always.
    pub high_stakes: bool,
    /// Whether tier 2 was uncertain: an answer to it was rejected before.
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
        assessment: Assessment,
    },
    /// Another provider is to be asked.
    Ask {
        /// Why.
        because: AskReason,
        /// What leads so far, if anything.
        leading: Option<Assessment>,
    },
    /// The replicas are used up and no answer is believed.
    Split {
        /// Who said what.
        report: Report,
        /// What leads, not far enough.
        leading: Option<Assessment>,
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
    /// Why the answers to subtasks that are out are rechecked, where others were asked at the same time.
    drawn: BTreeMap<u64, SampledBecause>,
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
            drawn: BTreeMap::new(),
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

    /// Whether the weights that its provider claims are to read an answer (tier 3), and by which rule: shares as for
    /// spot checks, by a lot of its own.
    pub fn audited<T>(&self, question: &Question, replica: &Replica<T>) -> Option<SampledBecause> {
        let member = self.reputation.member(&replica.provider)?;
        // No other lot of the run is drawn for such a number.
        let id = (question.id << 32) | (1 + member.number());
        let case = self.case(question, &replica.provider, replica.confidence);
        self.sampling.sampled(&case, self.lot(id))
    }

    /// Whether another provider is asked for what this one is about to answer alone (tier 3), as far as that is known before it
    /// answers: by the shares and lots of [`Assessor::rule`], which comes to the same then, as the lot was drawn.
    pub fn will_recheck(&mut self, question: &Question, provider: &str) -> bool {
        let case = self.case(question, provider, None);
        let drawn = self.sampling.sampled(&case, self.lot(question.id));
        if let Some(because) = drawn {
            self.drawn.insert(question.id, because);
        }
        drawn.is_some()
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
    ///
    /// What code knows to be right is taken where nobody else is asked anyway, and holds back providers that said something else.
    /// Nobody is asked less for it: by the number of its replicas, too, a gold task is like any other (design.md, section 6).
    pub fn rule<T: Clone>(
        &mut self,
        question: &Question,
        replicas: &[Replica<T>],
        reach: Reach,
    ) -> Ruling<T> {
        let known = self.known_right(question, replicas);
        let (answers, groups) = self.grouped(&Question { gold: None, ..question.clone() }, replicas);
        let spokesman =
            |assessment: Assessment| answers.get(assessment.group).and_then(|group| group.first());
        let no_answer = Ruling::Ask { because: AskReason::NoAnswer, leading: None };
        let ruling = match self.config.next_step(&self.reputation, &question.class, &groups, reach) {
            NextStep::Accept(assessment) => {
                let leading = answers.get(assessment.group).map_or(&[][..], Vec::as_slice);
                match (self.spot_check(question, leading), leading.first()) {
                    (_, Some(leader)) if known.is_none() && is_against_gold(question, leader, leading) => {
                        Ruling::Ask { because: AskReason::Gold, leading: Some(assessment) }
                    }
                    (Some(why), _) if reach.anyone => {
                        Ruling::Ask { because: AskReason::SpotCheck(why), leading: Some(assessment) }
                    }
                    (_, Some(leader)) => {
                        Ruling::Accepted { verified: Verified::accept(leader, replicas), assessment }
                    }
                    (_, None) => no_answer,
                }
            }
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
        let asks_on = matches!(ruling, Ruling::Ask { .. }) && reach.anyone;
        match known.filter(|_| !asks_on) {
            Some((leader, assessment)) => {
                Ruling::Accepted { verified: Verified::accept(leader, replicas), assessment }
            }
            None => ruling,
        }
    }

    /// The answer that code knows to be right, if somebody gave it; the user's own machine needs no such help.
    fn known_right<'a, T>(
        &self,
        question: &Question,
        replicas: &'a [Replica<T>],
    ) -> Option<(&'a Replica<T>, Assessment)> {
        let gold = question.gold.as_ref()?;
        if replicas.iter().any(|replica| replica.trusted) {
            return None;
        }
        let (answers, groups) = self.grouped(question, replicas);
        let assessment = leading(&self.reputation, &question.class, &groups)?;
        let leader = answers.get(assessment.group)?.first().copied()?;
        (leader.key == *gold).then_some((leader, assessment))
    }

    /// Whether somebody else is asked for an answer that another policy accepts (tier 3), and why: by the same shares
    /// and lots as [`Assessor::rule`]. What follows from the further answers is for that to say.
    pub fn looks_again<T>(
        &mut self,
        question: &Question,
        replicas: &[Replica<T>],
        accepted: &Report,
        looks: LooksAgain,
    ) -> Option<AskReason> {
        let agrees = |replica: &&Replica<T>| accepted.agreeing.contains(&replica.provider);
        let leading: Vec<&Replica<T>> = replicas.iter().filter(agrees).collect();
        let leader = leading.first().filter(|_| looks != LooksAgain::Never)?;
        if is_against_gold(question, leader, &leading) {
            return Some(AskReason::Gold);
        }
        let why = self.spot_check(question, &leading).filter(|_| looks == LooksAgain::Sampled)?;
        self.spot_checks += 1;
        Some(AskReason::SpotCheck(why))
    }

    /// How far an answer is believed that another policy accepted; `None` if it is not the one that
    /// would lead here.
    pub fn assess<T>(
        &self,
        question: &Question,
        replicas: &[Replica<T>],
        accepted: &Report,
    ) -> Option<Assessment> {
        let (answers, groups) = self.grouped(question, replicas);
        let assessment = leading(&self.reputation, &question.class, &groups)?;
        let agrees = |replica: &&Replica<T>| accepted.agreeing.contains(&replica.provider);
        answers[assessment.group].iter().all(agrees).then_some(assessment)
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
        self.drawn.remove(&question.id);
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

    /// The answers by what they say, in the order of their keys, not of arrival.
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

    /// Whether an answer that could be accepted is checked again (tier 3): one that a single provider stands
    /// for, by lot; one that is rather wrong than right in the eyes of all who gave it, until three agree. Who
    /// said something else has not checked it, only disagreed.
    fn spot_check<T>(&self, question: &Question, leading: &[&Replica<T>]) -> Option<SampledBecause> {
        // What code knows to be right is checked by the same shares: who is never asked again where they were right
        // would know which tasks are gold.
        if leading.iter().any(|it| it.trusted) {
            return None;
        }
        let is_shaky = |it: &&Replica<T>| it.confidence.is_some_and(|confidence| confidence < EVEN);
        if leading.len() < SHAKY_AGREE && leading.iter().all(is_shaky) {
            return Some(SampledBecause::LowConfidence);
        }
        let [replica] = leading else { return None };
        let case = self.case(question, &replica.provider, replica.confidence);
        let drawn = self.drawn.get(&question.id).copied();
        drawn.or_else(|| self.sampling.sampled(&case, self.lot(question.id)))
    }

    /// An answer as far as sampling looks at it.
    fn case(&self, question: &Question, provider: &str, confidence: Option<f64>) -> Case {
        let member = self.reputation.member(provider);
        Case {
            high_stakes: question.high_stakes,
            confidence,
            provider_tasks: member.map_or(0, |it| self.reputation.answers(it)),
            flagged: question.flagged,
        }
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
mod tests;
