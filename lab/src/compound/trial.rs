//! One question, asked in one way, with what came of it.

use frlm_learning::planning::account::strategy_name;
use frlm_learning::planning::decompose::Action;
use frlm_learning::planning::reward::{Outcome, RewardSettings};
use frlm_learning::planning::satisfaction::Satisfaction;
use serde::{Deserialize, Serialize};

/// Who says how the parts of a question are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Nobody: code asks all that can be asked at once, in the question's words.
    Planner,
    /// The policy before it has learned.
    Untrained,
    /// The policy after it has, as it plays: it still tries something now and then.
    Trained,
}

impl Way {
    /// In the order of tables.
    pub const ALL: [Self; 3] = [Self::Planner, Self::Untrained, Self::Trained];

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planner => "deterministic planner",
            Self::Untrained => "untrained policy",
            Self::Trained => "trained policy",
        }
    }
}

/// A question that was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Draws and documents.
    pub seed: u64,
    /// Which of the held-out questions.
    pub question: usize,
    /// Its type.
    pub kind: String,
    /// Who chose.
    pub way: Way,
    /// What was chosen, as far as runs tell choices apart.
    pub strategy: String,
    /// Whether every part was answered rightly.
    pub right: bool,
    /// Subtasks.
    pub subtasks: usize,
    /// What they cost by the providers' prices.
    pub sats: u64,
    /// What the run measured, with the word of an asker who knows what is right.
    pub outcome: Outcome,
    /// What that is worth.
    pub reward: f64,
}

/// What the planner's own way is called among the strategies.
pub fn strategy_of(action: Option<&Action>) -> String {
    action.map_or_else(|| "all at once, as asked (planner)".to_owned(), strategy_name)
}

/// The asker of the lab knows the answer: five stars for a right one, one for any other.
pub fn rating(right: bool) -> Satisfaction {
    Satisfaction::thumbs(right)
}

/// A run's outcome with that rating. A run that ended without measuring anything was worth nothing but its time.
pub fn rated(measured: Option<Outcome>, right: bool, secs: f64) -> (Outcome, f64) {
    let nothing = Outcome {
        success: 0.0,
        satisfaction: rating(false),
        latency_secs: secs,
        simplicity: 0.0,
        coherence: 0.0,
        steps: 0,
        complex: true,
    };
    let outcome = Outcome { satisfaction: rating(right), ..measured.unwrap_or(nothing) };
    (outcome, RewardSettings::default().reward(&outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_answer_outweighs_the_same_wrong_one_by_a_fifth() {
        let measured = Outcome {
            success: 1.0,
            satisfaction: Satisfaction::Guessed(0.5),
            latency_secs: 0.0,
            simplicity: 0.8,
            coherence: 1.0,
            steps: 3,
            complex: true,
        };
        let (right, wrong) = (rated(Some(measured), true, 9.0).1, rated(Some(measured), false, 9.0).1);
        assert!((right - wrong - 0.25 * 0.8).abs() < 1e-9);
        // 0.35 + 0.25 + 0.20 + 0.15 × 0.8 + 0.05.
        assert!((right - 0.97).abs() < 1e-9);
        // One star, and one step too few for a question of several parts.
        assert!((rated(None, false, 9.0).1 - (0.25 * 0.2 - 0.10)).abs() < 1e-9);
    }
}
