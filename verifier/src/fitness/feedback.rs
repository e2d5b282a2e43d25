//! Words for a node, and for the replica set as a whole.

use serde::{Deserialize, Serialize};

use super::{
    AnswerVerdict, ConfidenceCalibration, Evaluation, FitnessUpdate, LatencyRating, ReasoningQuality,
};
use crate::consensus::Consensus;

/// What a provider is told of its answer (seeds/verifier-block.md, `generate_feedback`).
pub fn node_feedback(evaluation: &Evaluation) -> &'static str {
    use ReasoningQuality::{Excellent, Good, Minimal};
    let fast = evaluation.latency_rating == LatencyRating::Fast;
    match (evaluation.verdict, evaluation.reasoning_quality) {
        (AnswerVerdict::Correct, Excellent) if fast => {
            "Excellent work! Correct answer with clear reasoning and fast execution."
        }
        (AnswerVerdict::Correct, Excellent) => "Excellent work! Correct answer with clear reasoning.",
        (AnswerVerdict::Correct, Good) => "Correct answer! Consider providing more detailed reasoning.",
        (AnswerVerdict::Correct, Minimal) => "Correct answer. Try to explain your reasoning more clearly.",
        (AnswerVerdict::Rounded, _) if fast => "Answer rounded but acceptable. Try to provide exact values.",
        (AnswerVerdict::Rounded, _) => {
            "Answer rounded but acceptable. Try to provide exact values and improve response time."
        }
        (AnswerVerdict::Wrong, _)
            if evaluation.confidence_calibration == ConfidenceCalibration::Overconfident =>
        {
            "Incorrect answer. Be more careful and lower confidence when uncertain."
        }
        (AnswerVerdict::Wrong, _) => "Incorrect answer. Review your approach and verify calculations.",
        (AnswerVerdict::NotChosen, _) => "Another answer was chosen. Nothing was held against this one.",
    }
}

/// How a replica set did, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Performance {
    /// All three figures at 0.85 or more.
    Excellent,
    /// All at 0.60 or more.
    Good,
    /// One below that.
    Poor,
}

/// Three figures, each 0..=1 (seeds/verifier-block.md, `cluster_quality`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClusterQuality {
    /// The accepted answer's quality.
    pub consensus_quality: f64,
    /// Mean fitness after the verdict.
    pub average_node_quality: f64,
    /// Share of the weight that agreed; answers that were only rounded count as agreeing.
    pub consistency: f64,
}

/// What the replica set as a whole is told. A *cluster* is the replica set of one subtask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterFeedback {
    /// In a word.
    pub overall_performance: Performance,
    /// In figures.
    pub cluster_quality: ClusterQuality,
    /// What would help.
    pub recommendations: Vec<String>,
}

/// Feedback for a replica set. `consensus_quality` is the overall quality of the accepted answer.
pub fn cluster_feedback(
    consensus: &Consensus,
    consensus_quality: f64,
    updates: &[FitnessUpdate],
) -> ClusterFeedback {
    let count = updates.len().max(1) as f64;
    let share = |wanted: &dyn Fn(&Evaluation) -> bool| {
        updates.iter().filter(|update| wanted(&update.evaluation)).count() as f64 / count
    };
    let quality = ClusterQuality {
        consensus_quality: consensus_quality.clamp(0.0, 1.0),
        average_node_quality: updates.iter().map(|update| update.new_fitness).sum::<f64>() / count,
        consistency: (consensus.strength.weighted_agreement / 100.0 + consensus.rounded.len() as f64 / count)
            .clamp(0.0, 1.0),
    };
    let least = quality.consensus_quality.min(quality.average_node_quality).min(quality.consistency);
    let overall_performance = match least {
        least if least >= 0.85 => Performance::Excellent,
        least if least >= 0.60 => Performance::Good,
        _ => Performance::Poor,
    };
    let mut recommendations: Vec<String> = Vec::new();
    if overall_performance == Performance::Excellent {
        recommendations.push("Maintain current specialization focus".to_owned());
    }
    if share(&|evaluation| evaluation.reasoning_quality != ReasoningQuality::Excellent) > 0.5 {
        recommendations.push("Consider adding more detailed reasoning to all answers".to_owned());
    }
    if share(&|evaluation| evaluation.verdict == AnswerVerdict::Wrong) > 1.0 / 3.0 {
        recommendations.push("Ask more replicas or other providers: too many answers were wrong".to_owned());
    }
    if share(&|evaluation| evaluation.latency_rating == LatencyRating::Slow) > 0.5 {
        recommendations.push("Prefer faster providers: most answers were slow".to_owned());
    }
    ClusterFeedback { overall_performance, cluster_quality: quality, recommendations }
}
