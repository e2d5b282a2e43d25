//! A node's fitness and credits over time (seeds/verifier-block.md, "Fitness-Driven Evolution").

use serde::{Deserialize, Serialize};

use super::{Evaluation, FitnessDelta, bounded, credits, delta};

/// Where a node begins of which nothing is known. The source document names no start; in the middle an unknown node
/// earns the credits that the multiplier of fitness neither raises nor lowers.
pub const STARTING_FITNESS: f64 = 0.5;

/// What came of a node's answers so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// 0..=1.
    pub fitness: f64,
    /// All that it earned. A score, never sats.
    pub credits: u64,
}

impl Default for Score {
    fn default() -> Self {
        Self { fitness: STARTING_FITNESS, credits: 0 }
    }
}

impl Score {
    /// Takes in an answer: how fitness moved, and the credits for it.
    pub fn take(&mut self, evaluation: &Evaluation) -> (FitnessDelta, u32) {
        let delta = delta(evaluation);
        self.fitness = bounded(self.fitness + delta.total());
        let earned = credits(evaluation, self.fitness);
        self.credits = self.credits.saturating_add(u64::from(earned));
        (delta, earned)
    }

    /// Lets what is far from the start fade towards it; credits were earned and stay.
    pub fn fade(&mut self, kept: f64) {
        let kept = if kept.is_finite() { kept.clamp(0.0, 1.0) } else { 0.0 };
        self.fitness = bounded(STARTING_FITNESS + (self.fitness - STARTING_FITNESS) * kept);
    }

    /// Whether nothing was taken in yet, or nothing is left of it.
    pub fn is_new(&self) -> bool {
        self.credits == 0 && (self.fitness - STARTING_FITNESS).abs() < 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AnswerVerdict, ReasoningQuality, evaluation};
    use super::*;

    /// seeds/verifier-block.md, "Fitness-Driven Evolution": +0.07 for a correct, fast, well-reasoned answer, clamped to
    /// 1; wrong ones cost 0.03, and 0.01 more where the node was sure. Credits by the new fitness: 30 × 1.5 × 1.1 ×
    /// (0.8 + 0.4 × 0.57) = 50.9.
    #[test]
    fn fitness_rises_in_steps_within_its_bounds_and_credits_add_up() {
        let mut score = Score::default();
        assert!(score.is_new());
        let right = evaluation(AnswerVerdict::Correct, ReasoningQuality::Excellent, 1.8, Some(0.92));
        let (delta, earned) = score.take(&right);
        assert!((delta.total() - 0.07).abs() < 1e-9 && (score.fitness - 0.57).abs() < 1e-9);
        assert_eq!((earned, score.credits), (50, 50));
        for _ in 0..20 {
            score.take(&right);
        }
        assert!((score.fitness - 1.0).abs() < 1e-9);
        let wrong = evaluation(AnswerVerdict::Wrong, ReasoningQuality::Minimal, 2.5, Some(0.95));
        let (delta, _) = score.take(&wrong);
        assert!((delta.total() + 0.04).abs() < 1e-9 && (score.fitness - 0.96).abs() < 1e-9);
    }

    #[test]
    fn without_use_fitness_returns_to_the_start_and_credits_stay() {
        let mut score = Score { fitness: 0.9, credits: 48 };
        score.fade(0.5);
        assert!((score.fitness - 0.7).abs() < 1e-9);
        score.fade(f64::NAN);
        assert!((score.fitness - STARTING_FITNESS).abs() < 1e-9 && score.credits == 48 && !score.is_new());
    }
}
