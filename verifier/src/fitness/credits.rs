//! Credits: a score for one answer. They are never sats (design.md, section 5).

use serde::{Deserialize, Serialize};

use super::{AnswerVerdict, Evaluation, LatencyRating, ReasoningQuality};

/// Credits per task before the multipliers.
pub const BASE_RATE: f64 = 30.0;

/// What the base rate is multiplied by (seeds/verifier-block.md, `calculate_credits`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CreditFactors {
    /// 0.5 to 1.5; 0 for creative work that was not chosen.
    pub quality: f64,
    /// 0.95 to 1.1.
    pub speed: f64,
    /// 0.8 to 1.2, from the new fitness.
    pub fitness: f64,
}

impl CreditFactors {
    /// The factors of an answer.
    pub fn of(evaluation: &Evaluation, new_fitness: f64) -> Self {
        let quality = match (evaluation.verdict, evaluation.reasoning_quality) {
            (AnswerVerdict::Correct, ReasoningQuality::Excellent) => 1.5,
            (AnswerVerdict::Correct, ReasoningQuality::Good) => 1.3,
            (AnswerVerdict::Correct, ReasoningQuality::Minimal) | (AnswerVerdict::Rounded, _) => 1.1,
            (AnswerVerdict::Wrong, _) => 0.5,
            (AnswerVerdict::NotChosen, _) => 0.0,
        };
        let speed = match evaluation.latency_rating {
            LatencyRating::Fast => 1.1,
            LatencyRating::Average => 1.0,
            LatencyRating::Slow => 0.95,
        };
        Self { quality, speed, fitness: 0.8 + 0.4 * new_fitness.clamp(0.0, 1.0) }
    }

    /// The product with the base rate.
    pub fn product(&self) -> f64 {
        BASE_RATE * self.quality * self.speed * self.fitness
    }
}

/// Credits for an answer: the product, its fraction dropped.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product lies between 0 and 60, and the seed drops the fraction"
)]
pub fn credits(evaluation: &Evaluation, new_fitness: f64) -> u32 {
    CreditFactors::of(evaluation, new_fitness).product() as u32
}
