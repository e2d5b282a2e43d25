//! What a verdict does to a node's fitness (seeds/verifier-block.md, "Fitness Calculator").
//!
//! Fitness lies in 0..=1 and moves by the sum of four parts: correctness (the main one), speed,
//! reasoning and a penalty for being sure and wrong. Credits ([`mod@credits`]) are a score, never money.

pub mod credits;
mod feedback;
mod score;
#[cfg(test)]
mod tests;

pub use credits::{CreditFactors, credits};
pub use feedback::{
    ClusterFeedback, ClusterQuality, ClusterTally, Performance, cluster_feedback, node_feedback,
};
pub use score::{STARTING_FITNESS, Score};

use serde::{Deserialize, Serialize};

use crate::consensus::{Consensus, ConsensusMethod};
use crate::normalise::Sentence;
use crate::request::NodeAnswer;
use crate::validation::ValidationOutcome;

/// What became of one node's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerVerdict {
    /// It is the accepted answer, and that one is right as far as anyone can tell.
    Correct,
    /// It is the accepted value rounded, where the question allows that: partial credit.
    Rounded,
    /// It is another answer, or the accepted one failed validation.
    Wrong,
    /// Creative work that an arbiter did not choose: neither right nor wrong (seed-arithmetic.md,
    /// scenario 2).
    NotChosen,
}

impl AnswerVerdict {
    /// Whether it counts as a correct answer.
    pub fn is_correct(self) -> bool {
        matches!(self, Self::Correct | Self::Rounded)
    }
}

/// How well a node explained itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningQuality {
    /// Steps with values that another can follow.
    Excellent,
    /// The method is named.
    Good,
    /// Hardly a word.
    Minimal,
}

/// How fast a node was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyRating {
    /// Under 2 s.
    Fast,
    /// Under 3.5 s.
    Average,
    /// 3.5 s or more.
    Slow,
}

/// Whether a node's confidence fits what came of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceCalibration {
    /// Over 0.85 and right.
    WellCalibrated,
    /// Over 0.85 and wrong.
    Overconfident,
    /// Under 0.70 and wrong.
    AppropriatelyUncertain,
    /// Anything between.
    Acceptable,
}

/// How good one node's answer was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What became of it.
    pub verdict: AnswerVerdict,
    /// How well it was explained.
    pub reasoning_quality: ReasoningQuality,
    /// How fast it came.
    pub latency_rating: LatencyRating,
    /// Whether its confidence fits.
    pub confidence_calibration: ConfidenceCalibration,
}

/// The parts of a change of fitness.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FitnessDelta {
    /// −0.03 to +0.05.
    pub correctness_reward: f64,
    /// −0.005 to +0.01.
    pub speed_bonus: f64,
    /// 0 to +0.01.
    pub reasoning_bonus: f64,
    /// −0.01 or 0.
    pub confidence_penalty: f64,
}

impl FitnessDelta {
    /// The whole change.
    pub fn total(&self) -> f64 {
        self.correctness_reward + self.speed_bonus + self.reasoning_bonus + self.confidence_penalty
    }
}

/// What a verdict means for one node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitnessUpdate {
    /// Whom it concerns.
    pub node_id: String,
    /// How good its answer was.
    pub evaluation: Evaluation,
    /// Before.
    pub old_fitness: f64,
    /// The change in parts.
    pub delta: FitnessDelta,
    /// After, within 0..=1.
    pub new_fitness: f64,
    /// The score earned.
    pub credits: u32,
    /// Words for the node.
    pub feedback: String,
}

/// What a verdict means for every node of a request.
pub fn updates(
    nodes: &[NodeAnswer],
    consensus: &Consensus,
    validation: &ValidationOutcome,
) -> Vec<FitnessUpdate> {
    let verdicts = (0..nodes.len()).map(|at| verdict(at, consensus, validation));
    nodes.iter().zip(verdicts).map(|(node, verdict)| update(node, verdict)).collect()
}

/// What a verdict means for one node.
pub fn update(node: &NodeAnswer, verdict: AnswerVerdict) -> FitnessUpdate {
    let evaluation = evaluate(node, verdict);
    let delta = delta(&evaluation);
    let old_fitness = bounded(node.node_fitness);
    let new_fitness = bounded(old_fitness + delta.total());
    FitnessUpdate {
        node_id: node.node_id.clone(),
        evaluation,
        old_fitness,
        delta,
        new_fitness,
        credits: credits(&evaluation, new_fitness),
        feedback: node_feedback(&evaluation).to_owned(),
    }
}

/// What became of the answer at this position (`evaluate_node_answer`). An answer that passed
/// validation counts as correct: both use the threshold of the validating method (seed-arithmetic.md).
fn verdict(at: usize, consensus: &Consensus, validation: &ValidationOutcome) -> AnswerVerdict {
    let agrees = consensus.agreeing.contains(&at);
    let rounded = consensus.rounded.contains(&at);
    match validation.verification_passed {
        Some(false) if agrees || rounded => AnswerVerdict::Wrong,
        _ if agrees => AnswerVerdict::Correct,
        _ if rounded => AnswerVerdict::Rounded,
        _ if consensus.method == ConsensusMethod::LlmArbitration => AnswerVerdict::NotChosen,
        _ => AnswerVerdict::Wrong,
    }
}

fn evaluate(node: &NodeAnswer, verdict: AnswerVerdict) -> Evaluation {
    let quality = reasoning_quality(&node.reasoning);
    evaluation(verdict, quality, node.latency_seconds, Some(node.bounded_confidence()))
}

/// How good an answer was, by what is known of it (`evaluate_node_answer`). Who gives no confidence is neither
/// well calibrated nor overconfident.
pub fn evaluation(
    verdict: AnswerVerdict,
    reasoning_quality: ReasoningQuality,
    latency_seconds: f64,
    confidence: Option<f64>,
) -> Evaluation {
    let latency_rating = match latency_seconds {
        seconds if seconds < 2.0 => LatencyRating::Fast,
        seconds if seconds < 3.5 => LatencyRating::Average,
        // Not a number included: who has no time was not fast.
        _ => LatencyRating::Slow,
    };
    let sure = confidence.is_some_and(|confidence| confidence > 0.85);
    let unsure = confidence.is_some_and(|confidence| confidence < 0.70);
    let confidence_calibration = match verdict {
        AnswerVerdict::Correct | AnswerVerdict::Rounded if sure => ConfidenceCalibration::WellCalibrated,
        AnswerVerdict::Wrong if sure => ConfidenceCalibration::Overconfident,
        AnswerVerdict::Wrong if unsure => ConfidenceCalibration::AppropriatelyUncertain,
        _ => ConfidenceCalibration::Acceptable,
    };
    Evaluation { verdict, reasoning_quality, latency_rating, confidence_calibration }
}

/// Grades a reasoning by its form. The seed leaves the rule open; ours follows its three examples:
/// two values or more with a result after `=` are steps one can follow, four words name a method.
pub fn reasoning_quality(reasoning: &str) -> ReasoningQuality {
    let sentence = Sentence::of(reasoning);
    if reasoning.contains('=') && sentence.values().count() >= 2 {
        ReasoningQuality::Excellent
    } else if sentence.words().count() >= 4 {
        ReasoningQuality::Good
    } else {
        ReasoningQuality::Minimal
    }
}

/// The change of fitness (`calculate_fitness_delta`).
pub fn delta(evaluation: &Evaluation) -> FitnessDelta {
    if evaluation.verdict == AnswerVerdict::NotChosen {
        return FitnessDelta {
            correctness_reward: 0.0,
            speed_bonus: 0.0,
            reasoning_bonus: 0.0,
            confidence_penalty: 0.0,
        };
    }
    let correctness_reward = match (evaluation.verdict, evaluation.reasoning_quality) {
        (AnswerVerdict::Correct, ReasoningQuality::Excellent) => 0.05,
        (AnswerVerdict::Correct, ReasoningQuality::Good) => 0.045,
        (AnswerVerdict::Correct, ReasoningQuality::Minimal) | (AnswerVerdict::Rounded, _) => 0.03,
        (AnswerVerdict::Wrong | AnswerVerdict::NotChosen, _) => -0.03,
    };
    let speed_bonus = match evaluation.latency_rating {
        LatencyRating::Fast => 0.01,
        LatencyRating::Average => 0.0,
        LatencyRating::Slow => -0.005,
    };
    let reasoning_bonus = match evaluation.reasoning_quality {
        ReasoningQuality::Excellent => 0.01,
        ReasoningQuality::Good => 0.005,
        ReasoningQuality::Minimal => 0.0,
    };
    let overconfident = evaluation.confidence_calibration == ConfidenceCalibration::Overconfident;
    let confidence_penalty = if overconfident { -0.01 } else { 0.0 };
    FitnessDelta { correctness_reward, speed_bonus, reasoning_bonus, confidence_penalty }
}

/// Within 0..=1; what is no number is no fitness.
fn bounded(fitness: f64) -> f64 {
    if fitness.is_finite() { fitness.clamp(0.0, 1.0) } else { 0.0 }
}
