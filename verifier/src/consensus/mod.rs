//! Tier 2: one answer out of several (seeds/verifier-block.md, "Consensus Builder").
//!
//! ```text
//!   exact after normalisation ≥ 60 % of the answers ──► exact match
//!     │ else
//!   groups of meaning at ≥ 0.90, heaviest ≥ 60 % of the weight ──► semantic aggregation
//!     │ else
//!   heaviest group > 50 % of the weight ──► weighted majority   (strict: seed-arithmetic.md)
//!     │ else
//!   a model arbitrates; without one: undecided
//! ```
//!
//! A model is asked only about pairs that no comparison of values can decide, one pair per two
//! groups, never per two replicas; and not at all once exact matches suffice.

pub mod exam;
mod groups;
mod judge;
mod model_judge;
mod reading;
#[cfg(test)]
mod tests;

pub use judge::{Arbitration, Assessment, Judge, JudgeError, OPINION_PASSES};
pub use model_judge::ModelJudge;
pub use reading::Unread;

use groups::Item;
use serde::{Deserialize, Serialize};

use crate::normalise::{Agreement, Normalised, Rounding, agreement};
use crate::request::{NodeAnswer, ValidationRequest};

/// Two answers mean the same from here on (seeds/verifier-block.md, `group_by_semantic_similarity`).
pub const SAME_MEANING: f64 = 0.90;

/// How a consensus was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsensusMethod {
    /// There was one answer.
    SingleAnswer,
    /// All are the same after normalisation.
    ExactMatchUnanimous,
    /// Enough are the same after normalisation.
    ExactMatch,
    /// Enough weight means the same.
    SemanticAggregation,
    /// One group has more than half of the weight.
    WeightedMajority,
    /// A model chose.
    LlmArbitration,
}

/// How strong a consensus is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ConsensusStrength {
    /// Agreeing answers in per cent of all.
    pub agreement_percentage: f64,
    /// Their weight in per cent of all weight.
    pub weighted_agreement: f64,
    /// The weight of those who gave the agreed value rounded, in per cent of all weight.
    #[serde(default)]
    pub rounded_weight: f64,
    /// Nodes that said something else.
    pub dissenting_nodes: usize,
}

/// One answer out of several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Consensus {
    /// The answer, in the words of one of the nodes.
    pub answer: String,
    /// Mean confidence of the agreeing nodes, weighted; the arbiter's own under arbitration.
    pub confidence: f64,
    /// How it was reached.
    pub method: ConsensusMethod,
    /// How strong it is.
    pub strength: ConsensusStrength,
    /// Positions of the agreeing answers in the request, ascending.
    pub agreeing: Vec<usize>,
    /// Positions of answers that are the agreed value rounded, where the question allows that.
    pub rounded: Vec<usize>,
    /// What the agreeing nodes, or the arbiter, gave as reasons.
    pub aggregated_reasoning: String,
}

/// No answer came out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoConsensus {
    /// Nobody answered.
    #[error("no node answered")]
    NoAnswers,
    /// The nodes disagree and no model may arbitrate.
    #[error("the nodes disagree ({0} different answers) and no model arbitrates")]
    Disagreement(usize),
    /// The nodes disagree and the model that should arbitrate failed.
    #[error("the nodes disagree and the arbiter failed: {0}")]
    Arbiter(JudgeError),
}

/// Builds the consensus; without a judge only values are compared and nobody arbitrates.
///
/// The outcome does not depend on the order of the answers.
pub async fn build_consensus(
    request: &ValidationRequest,
    judge: Option<&dyn Judge>,
) -> Result<Consensus, NoConsensus> {
    let table = Table::new(request);
    if let Some(consensus) = table.exact_match() {
        return Ok(consensus);
    }
    let judge = judge.filter(|_| request.requirements.use_llm_validation);
    let meanings = table.meanings(judge).await;
    if let Some(mut consensus) = table.by_weight(&meanings) {
        if let (Some(judge), ConsensusMethod::SemanticAggregation) = (judge, consensus.method) {
            table.choose_phrasing(&mut consensus, judge).await;
        }
        return Ok(consensus);
    }
    match judge {
        Some(judge) if !table.answers.is_empty() => table.arbitrate(judge).await,
        _ if table.answers.is_empty() => Err(NoConsensus::NoAnswers),
        _ => Err(NoConsensus::Disagreement(meanings.len())),
    }
}

/// The first step alone: what values decide without any model. `None` where they do not.
#[cfg(test)]
pub(crate) fn exact_consensus(request: &ValidationRequest) -> Option<Consensus> {
    Table::new(request).exact_match()
}

/// Groups of answers that are exactly the same after normalisation, as ascending positions; the order of
/// the groups is that of their spelling, not of arrival.
pub fn equal_answers(answers: Vec<Normalised>) -> Vec<Vec<usize>> {
    let items: Vec<Item> = answers.into_iter().map(Item::new).collect();
    let mut groups = groups::exact(&items);
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort_by(|a, b| spelling(&items, a).cmp(&spelling(&items, b)));
    groups
}

/// The answers of a request, normalised and grouped once.
struct Table<'a> {
    query: &'a str,
    threshold: f64,
    rounding: Rounding,
    answers: &'a [NodeAnswer],
    items: Vec<Item>,
    /// Groups of equal values, in the order of their spelling.
    groups: Vec<Vec<usize>>,
    total_weight: f64,
}

impl<'a> Table<'a> {
    fn new(request: &'a ValidationRequest) -> Self {
        let answers = &request.node_answers[..];
        let format = request.original_task.expected_format;
        let items: Vec<Item> =
            answers.iter().map(|answer| Item::new(Normalised::of(&answer.answer, format))).collect();
        let mut groups = groups::exact(&items);
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort_by(|a, b| spelling(&items, a).cmp(&spelling(&items, b)));
        Self {
            query: &request.original_task.query,
            threshold: request.requirements.consensus_threshold,
            rounding: request.original_task.rounding(),
            total_weight: answers.iter().map(NodeAnswer::weight).sum(),
            answers,
            items,
            groups,
        }
    }

    fn exact_match(&self) -> Option<Consensus> {
        let sizes: Vec<f64> = self.groups.iter().map(|group| group.len() as f64).collect();
        let group = &self.groups[groups::heaviest(&sizes)?];
        if (group.len() as f64) < self.answers.len() as f64 * self.threshold {
            return None;
        }
        let method = match (group.len(), self.answers.len()) {
            (_, 1) => ConsensusMethod::SingleAnswer,
            (agreeing, all) if agreeing == all => ConsensusMethod::ExactMatchUnanimous,
            _ => ConsensusMethod::ExactMatch,
        };
        Some(self.consensus(group, method))
    }

    /// Groups that mean the same, as groups of groups.
    async fn meanings(&self, judge: Option<&dyn Judge>) -> Vec<Vec<usize>> {
        let mut similar = vec![vec![false; self.groups.len()]; self.groups.len()];
        if let Some(judge) = judge {
            for (left, row) in similar.iter_mut().enumerate() {
                for (right, similar) in row.iter_mut().enumerate().skip(left + 1) {
                    *similar = self.mean_the_same(left, right, judge).await;
                }
            }
        }
        groups::linked(self.groups.len(), |a, b| similar[a][b])
    }

    async fn mean_the_same(&self, left: usize, right: usize, judge: &dyn Judge) -> bool {
        let (left, right) = (self.first(&self.groups[left]), self.first(&self.groups[right]));
        let both = agreement(&self.items[left].normalised, &self.items[right].normalised, self.rounding);
        match both {
            Agreement::Same | Agreement::LeftIsRounded | Agreement::RightIsRounded => true,
            // 42 and 43 never agree: no model is asked.
            Agreement::Different => false,
            Agreement::Undecided => {
                let (left, right) = (self.in_words(left), self.in_words(right));
                // A judge that fails has not said that they mean the same.
                judge.similarity(left, right).await.is_ok_and(|similarity| similarity >= SAME_MEANING)
            }
        }
    }

    fn by_weight(&self, meanings: &[Vec<usize>]) -> Option<Consensus> {
        if self.total_weight <= 0.0 {
            return None;
        }
        let members: Vec<Vec<usize>> = meanings
            .iter()
            .map(|groups| {
                let mut members: Vec<usize> =
                    groups.iter().flat_map(|&group| self.groups[group].iter().copied()).collect();
                members.sort_unstable();
                members
            })
            .collect();
        let weights: Vec<f64> = members.iter().map(|members| self.weight(members)).collect();
        let at = groups::heaviest(&weights)?;
        let share = weights[at] / self.total_weight;
        let semantic = share >= self.threshold && meanings[at].len() > 1;
        if semantic {
            Some(self.consensus(&members[at], ConsensusMethod::SemanticAggregation))
        } else {
            (share > 0.5).then(|| self.consensus(&members[at], ConsensusMethod::WeightedMajority))
        }
    }

    /// The seed lets the model pick the best words; positions are those of the canonical order.
    async fn choose_phrasing(&self, consensus: &mut Consensus, judge: &dyn Judge) {
        let mut order = consensus.agreeing.clone();
        order.sort_by(|&a, &b| self.canonical_order(a, b));
        let phrasings: Vec<&str> = order.iter().map(|&at| self.in_words(at)).collect();
        if let Ok(best) = judge.best_phrasing(&phrasings).await
            && let Some(&at) = order.get(best)
        {
            consensus.answer.clone_from(&self.answers[at].answer);
        }
    }

    async fn arbitrate(&self, judge: &dyn Judge) -> Result<Consensus, NoConsensus> {
        // One contender per distinct answer; neither confidence nor fitness is shown, they would
        // sway the arbiter (seed-arithmetic.md).
        let contenders: Vec<(&str, &str)> = self
            .groups
            .iter()
            .map(|group| {
                let at = self.spokesman(group);
                (self.answers[at].answer.as_str(), self.answers[at].reasoning.as_str())
            })
            .collect();
        let ruling = judge.arbitrate(self.query, &contenders).await.map_err(NoConsensus::Arbiter)?;
        let Some(group) = self.groups.get(ruling.chosen) else {
            let reason = format!("it chose answer {} of {}", ruling.chosen + 1, self.groups.len());
            return Err(NoConsensus::Arbiter(JudgeError::Unusable(reason)));
        };
        let mut consensus = self.consensus(group, ConsensusMethod::LlmArbitration);
        consensus.confidence = ruling.confidence;
        consensus.aggregated_reasoning = ruling.reasoning;
        Ok(consensus)
    }

    fn consensus(&self, members: &[usize], method: ConsensusMethod) -> Consensus {
        let weight = self.weight(members);
        let confidence = if weight > 0.0 {
            let sum: f64 = members
                .iter()
                .map(|&at| self.answers[at].weight() * self.answers[at].bounded_confidence())
                .sum();
            sum / weight
        } else {
            members.iter().map(|&at| self.answers[at].bounded_confidence()).sum::<f64>()
                / members.len() as f64
        };
        let spokesman = self.spokesman(members);
        let rounded: Vec<usize> = (0..self.answers.len())
            .filter(|at| !members.contains(at))
            .filter(|&at| {
                let both = (&self.items[at].normalised, &self.items[spokesman].normalised);
                agreement(both.0, both.1, self.rounding) == Agreement::LeftIsRounded
            })
            .collect();
        let percentage = |some: &[usize]| 100.0 * some.len() as f64 / self.answers.len() as f64;
        let weighted = |some: &[usize]| {
            if self.total_weight > 0.0 {
                100.0 * self.weight(some) / self.total_weight
            } else {
                percentage(some)
            }
        };
        Consensus {
            answer: self.answers[spokesman].answer.clone(),
            confidence,
            method,
            strength: ConsensusStrength {
                agreement_percentage: percentage(members),
                weighted_agreement: weighted(members),
                rounded_weight: weighted(&rounded),
                dissenting_nodes: self.answers.len() - members.len(),
            },
            agreeing: members.to_vec(),
            rounded,
            aggregated_reasoning: self.reasons(members),
        }
    }

    /// The member whose words stand for the group: the most confident one.
    fn spokesman(&self, members: &[usize]) -> usize {
        let order = |&a: &usize, &b: &usize| {
            let confidence = |at: usize| self.answers[at].bounded_confidence();
            confidence(a).total_cmp(&confidence(b)).then_with(|| self.canonical_order(b, a))
        };
        members.iter().copied().max_by(|a, b| order(a, b)).unwrap_or(0)
    }

    /// The member that comes first in the canonical order, not the first to answer.
    fn first(&self, group: &[usize]) -> usize {
        group.iter().copied().min_by(|&a, &b| self.canonical_order(a, b)).unwrap_or(0)
    }

    fn canonical_order(&self, a: usize, b: usize) -> std::cmp::Ordering {
        let key = |at: usize| {
            (
                self.items[at].canonical.as_str(),
                self.answers[at].answer.as_str(),
                self.answers[at].node_id.as_str(),
            )
        };
        key(a).cmp(&key(b))
    }

    fn weight(&self, members: &[usize]) -> f64 {
        members.iter().map(|&at| self.answers[at].weight()).sum()
    }

    fn in_words(&self, at: usize) -> &str {
        &self.answers[at].answer
    }

    fn reasons(&self, members: &[usize]) -> String {
        let mut order = members.to_vec();
        order.sort_by(|&a, &b| self.canonical_order(a, b));
        let mut reasons: Vec<&str> = Vec::new();
        for at in order {
            let reason = self.answers[at].reasoning.trim();
            if !reason.is_empty() && !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        reasons.join(" / ")
    }
}

fn spelling<'a>(items: &'a [Item], group: &[usize]) -> Option<&'a str> {
    group.iter().map(|&at| items[at].canonical.as_str()).min()
}
