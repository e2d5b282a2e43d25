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
        (AnswerVerdict::NotChosen, _) => "Another answer was chosen. This one does not count against you.",
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

impl Performance {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Excellent => "excellent",
            Self::Good => "good",
            Self::Poor => "poor",
        }
    }
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

/// What replica sets as a whole are told. A *cluster* is the replica set of one subtask, or all that answered one kind
/// of task in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterFeedback {
    /// In a word.
    pub overall_performance: Performance,
    /// In figures.
    pub cluster_quality: ClusterQuality,
    /// What would help.
    pub recommendations: Vec<String>,
}

/// Replica sets that answered tasks of one kind, as one cluster: what the source document says of one set, of all.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClusterTally {
    sets: u32,
    consensus_quality: f64,
    consistency: f64,
    /// Of the answers, and how many they were.
    fitness: f64,
    answers: u32,
    unexplained: u32,
    wrong: u32,
    slow: u32,
}

impl ClusterTally {
    /// Takes a replica set in: the accepted answer's quality, the share that agreed, and each answer with its node's
    /// fitness after the verdict.
    pub fn take(&mut self, consensus_quality: f64, consistency: f64, answers: &[(Evaluation, f64)]) {
        if answers.is_empty() {
            return;
        }
        let bounded = |share: f64| if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.sets = self.sets.saturating_add(1);
        self.consensus_quality += bounded(consensus_quality);
        self.consistency += bounded(consistency);
        for (evaluation, fitness) in answers {
            self.answers = self.answers.saturating_add(1);
            self.fitness += bounded(*fitness);
            self.unexplained += u32::from(evaluation.reasoning_quality != ReasoningQuality::Excellent);
            self.wrong += u32::from(evaluation.verdict == AnswerVerdict::Wrong);
            self.slow += u32::from(evaluation.latency_rating == LatencyRating::Slow);
        }
    }

    /// How many replica sets it is about.
    pub fn sets(&self) -> u32 {
        self.sets
    }

    /// What they are told; `None` before the first.
    pub fn feedback(&self) -> Option<ClusterFeedback> {
        if self.answers == 0 {
            return None;
        }
        let (sets, answers) = (f64::from(self.sets), f64::from(self.answers));
        let quality = ClusterQuality {
            consensus_quality: self.consensus_quality / sets,
            average_node_quality: self.fitness / answers,
            consistency: self.consistency / sets,
        };
        let least = quality.consensus_quality.min(quality.average_node_quality).min(quality.consistency);
        let overall_performance = match least {
            least if least >= 0.85 => Performance::Excellent,
            least if least >= 0.60 => Performance::Good,
            _ => Performance::Poor,
        };
        let share = |count: u32| f64::from(count) / answers;
        let mut recommendations: Vec<String> = Vec::new();
        if overall_performance == Performance::Excellent {
            recommendations.push("Maintain current specialization focus".to_owned());
        }
        if share(self.unexplained) > 0.5 {
            recommendations.push("Consider adding more detailed reasoning to all answers".to_owned());
        }
        if share(self.wrong) > 1.0 / 3.0 {
            recommendations
                .push("Ask more replicas or other providers: too many answers were wrong".to_owned());
        }
        if share(self.slow) > 0.5 {
            recommendations.push("Prefer faster providers: most answers were slow".to_owned());
        }
        Some(ClusterFeedback { overall_performance, cluster_quality: quality, recommendations })
    }
}

/// Feedback for one replica set. `consensus_quality` is the overall quality of the accepted answer.
pub fn cluster_feedback(
    consensus: &Consensus,
    consensus_quality: f64,
    updates: &[FitnessUpdate],
) -> ClusterFeedback {
    let consistency = (consensus.strength.weighted_agreement + consensus.strength.rounded_weight) / 100.0;
    let answers: Vec<(Evaluation, f64)> =
        updates.iter().map(|update| (update.evaluation, update.new_fitness)).collect();
    let mut tally = ClusterTally::default();
    tally.take(consensus_quality, consistency, &answers);
    tally.feedback().unwrap_or_else(|| ClusterFeedback {
        overall_performance: Performance::Poor,
        cluster_quality: ClusterQuality {
            consensus_quality: 0.0,
            average_node_quality: 0.0,
            consistency: 0.0,
        },
        recommendations: Vec::new(),
    })
}
