//! The [`AnswerReader`] trait: how likely a model finds an answer that is already there.

use async_trait::async_trait;

use crate::{Message, ModelError, ModelInfo, TokenLogprob};

/// An answer as a model reads it that did not write it now.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadAnswer {
    /// The tokens' text.
    pub text: String,
    /// One entry per token: ln p under the model's own distribution, and its strongest rivals. Each has its
    /// [`TokenLogprob::id`], and so have the rivals.
    pub tokens: Vec<TokenLogprob>,
}

/// Weights that read answers in one pass over prompt and answer and write none: for audits (design.md,
/// section 6, "Prefill audit").
#[async_trait]
pub trait AnswerReader: Send + Sync + std::fmt::Debug {
    /// What is known about the weights.
    fn info(&self) -> &ModelInfo;

    /// Reads an answer, given as token ids of this model's vocabulary, after a conversation; each token with
    /// its `top` strongest rivals, itself among them if it is one.
    ///
    /// Errors: [`ModelError::Invalid`] for an empty answer and for ids that are none,
    /// [`ModelError::TooLong`] if both do not fit the context. May be dropped.
    async fn read(&self, messages: &[Message], answer: &[u32], top: usize) -> Result<ReadAnswer, ModelError>;
}
