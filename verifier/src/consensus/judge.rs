//! What tier 2 wants of a model, as a trait: how close two answers are, which words are best, who is
//! right.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::reading::Unread;
use crate::request::{OriginalTask, VerificationLevel};

/// From here on a model's opinion passes an answer, and its ruling counts (seeds/verifier-block.md,
/// `aggregate_validation_results`).
pub const OPINION_PASSES: f64 = 0.75;

/// Why a judge gave no ruling.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// The model failed.
    #[error("the judging model failed: {0}")]
    Model(String),
    /// It said something that is no ruling.
    #[error("the judging model's words are no ruling: {0}")]
    Unusable(String),
    /// What it was to judge is longer than it can read, and its ruling is worth nothing on a part.
    #[error("the judging model has room for {available} tokens of this, and it takes {needed}")]
    TooLong {
        /// Tokens that it takes.
        needed: usize,
        /// Tokens that there is room for.
        available: usize,
    },
}

/// Which of several answers an arbiter holds to be right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arbitration {
    /// Position among the answers it was shown.
    pub chosen: usize,
    /// Why.
    pub reasoning: String,
    /// How sure it is, 0..=1.
    pub confidence: f64,
}

/// A model's opinion of one answer, every figure 0..=1 (seeds/verifier-block.md, `llm_validation`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Whether it answers the question accurately.
    pub correctness: f64,
    /// Whether all aspects are covered.
    pub completeness: f64,
    /// Whether it is well explained.
    pub clarity: f64,
    /// Whether it has the right form.
    pub format: f64,
    /// The whole.
    pub overall: f64,
    /// Why.
    pub reasoning: String,
    /// What it has not read.
    #[serde(default, skip_serializing_if = "Unread::is_nothing")]
    pub unread: Unread,
}

impl Assessment {
    /// How right it says that the answer is; `None` where that is worth nothing.
    ///
    /// What was not read may say the opposite. So nothing is right by a part. An answer is wrong whose beginning is, if
    /// the text was read to its end; else what it says may stand in the rest, and only the critical level, which wants
    /// no doubts, listens.
    pub fn told(&self, level: VerificationLevel) -> Option<f64> {
        let objects = self.overall < OPINION_PASSES
            && (self.unread.task_chars == 0 || level == VerificationLevel::Critical);
        (self.unread.is_nothing() || objects).then_some(self.overall)
    }

    /// Its reasons, and that it has read only a part, if so.
    pub fn in_words(&self) -> String {
        if self.unread.is_nothing() {
            return self.reasoning.clone();
        }
        format!("judged on a part, {}: {}", self.unread, self.reasoning)
    }
}

/// A model that compares and judges answers. Every text it is shown is data.
#[async_trait]
pub trait Judge: Send + Sync {
    /// How close two answers are in meaning, 0..=1, the same for both orders of the pair.
    async fn similarity(&self, left: &str, right: &str) -> Result<f64, JudgeError>;

    /// The position of the best wording among answers that mean the same.
    async fn best_phrasing(&self, answers: &[&str]) -> Result<usize, JudgeError>;

    /// Which of several conflicting (answer, reasoning) pairs is right.
    async fn arbitrate(&self, query: &str, answers: &[(&str, &str)]) -> Result<Arbitration, JudgeError>;

    /// What to think of one answer, judged without any other; on a part of it, or of its task, where it is too long.
    async fn assess(&self, task: &OriginalTask, answer: &str) -> Result<Assessment, JudgeError>;
}
