//! The [`LanguageModel`] trait: what every engine can do.

use async_trait::async_trait;
use futures::stream::{BoxStream, StreamExt};
use serde::{Deserialize, Serialize};

use crate::Constraint;

/// Who speaks in a [`Message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions of the operator.
    System,
    /// The request.
    User,
    /// The model's own earlier words.
    Assistant,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A message by the user.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// A message by the operator.
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: Role::System, content: content.into() }
    }
}

/// How tokens are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// 0 means greedy.
    pub temperature: f64,
    /// Nucleus; `None` leaves it to the engine.
    pub top_p: Option<f64>,
    /// Keep the k most likely tokens.
    pub top_k: Option<usize>,
}

impl Sampling {
    /// The most likely token at every step.
    pub const GREEDY: Self = Self { temperature: 0.0, top_p: None, top_k: None };
}

/// One request for text.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerationRequest {
    /// The conversation so far; the model writes the next assistant turn.
    pub messages: Vec<Message>,
    /// Upper bound on generated tokens.
    pub max_tokens: usize,
    /// How tokens are drawn.
    pub sampling: Sampling,
    /// What the text must look like.
    pub constraint: Option<Constraint>,
    /// How many alternatives to report per generated token (0: none beside the chosen one).
    pub top_logprobs: usize,
    /// Text at which generation ends; it is not part of the answer.
    pub stop: Vec<String>,
}

impl GenerationRequest {
    /// A greedy request with a single user message.
    pub fn greedy(prompt: impl Into<String>, max_tokens: usize) -> Self {
        Self {
            messages: vec![Message::user(prompt)],
            max_tokens,
            sampling: Sampling::GREEDY,
            constraint: None,
            top_logprobs: 0,
            stop: Vec::new(),
        }
    }

    /// Refuses what no engine can answer. Every engine calls this first, so that a caller's mistake
    /// reads the same everywhere.
    pub fn check(&self) -> Result<(), ModelError> {
        let invalid = |what: &str| Err(ModelError::Invalid(what.to_owned()));
        let Sampling { temperature, top_p, top_k } = self.sampling;
        if self.messages.is_empty() {
            return invalid("it has no messages; give at least one");
        }
        if self.max_tokens == 0 {
            return invalid("max_tokens is 0; give at least 1");
        }
        if !temperature.is_finite() || temperature < 0.0 {
            return invalid("the temperature must be a number of at least 0 (0 is greedy)");
        }
        if top_p.is_some_and(|top_p| !(top_p > 0.0 && top_p <= 1.0)) {
            return invalid("top_p must lie above 0 and at most at 1");
        }
        if top_k == Some(0) {
            return invalid("top_k must be at least 1");
        }
        if self.stop.iter().any(String::is_empty) {
            return invalid("an empty stop text would end every answer at once");
        }
        Ok(())
    }
}

/// The natural logarithm of a generated token's probability, with its strongest rivals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenLogprob {
    /// Its number in the model's vocabulary; `None` where the engine does not tell.
    pub id: Option<u32>,
    /// The token's text as the engine prints it.
    pub token: String,
    /// ln p of the token, ≤ 0.
    pub logprob: f32,
    /// The most likely tokens at this position, best first.
    pub top: Vec<RankedToken>,
}

/// A token that might have stood somewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedToken {
    /// Its number in the model's vocabulary; `None` where the engine does not tell.
    pub id: Option<u32>,
    /// Its text as the engine prints it.
    pub text: String,
    /// ln p of the token, ≤ 0.
    pub logprob: f32,
}

/// Tokens counted by the engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
}

impl Usage {
    /// Tokens read and written.
    pub fn total(self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

/// An endpoint may claim any number.
impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
    }
}

/// Why generation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model ended its turn, or a stop text was met.
    Stop,
    /// `max_tokens` was reached: the text may be cut.
    Length,
}

/// A finished generation.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The generated text, without the stop text and without the reasoning.
    pub text: String,
    /// The model's thinking, where the engine reports it apart from the answer.
    pub reasoning: Option<String>,
    /// One entry per generated token; empty where the engine reports none.
    pub logprobs: Vec<TokenLogprob>,
    /// Tokens counted by the engine.
    pub usage: Usage,
    /// Why generation ended.
    pub finish: FinishReason,
}

impl Answer {
    /// The probability the model gave to its own answer, 0..=1: the product over generated tokens.
    ///
    /// `None` where the engine reports no log-probabilities. It is a self-report and is never
    /// trusted before it has been calibrated (design.md, section 4).
    pub fn probability(&self) -> Option<f64> {
        if self.logprobs.is_empty() {
            return None;
        }
        Some(self.logprobs.iter().map(|token| f64::from(token.logprob)).sum::<f64>().exp().clamp(0.0, 1.0))
    }
}

/// One step of a streaming generation.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// More text.
    Text(String),
    /// More of the model's thinking.
    Reasoning(String),
    /// The end, with the whole answer. Always the last chunk.
    Done(Answer),
}

/// A running generation. Dropping it cancels the work in the engine.
pub type Generation = BoxStream<'static, Result<Chunk, ModelError>>;

/// What is known about a loaded model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name it is announced under, e.g. `frlm-records`.
    pub name: String,
    /// sha256 over the weights, hex; `None` where the weights are out of reach (HTTP endpoints).
    pub weights_hash: Option<String>,
    /// The weights' number format, e.g. `F16`, `Q8_0`.
    pub quantisation: Option<String>,
    /// Tokens that prompt and answer may fill together.
    pub context_tokens: usize,
    /// How many requests run at a time.
    pub concurrency: usize,
    /// How many requests to hand over at once for the best total throughput: those that run, and those
    /// that wait inside the engine so that it never idles between two.
    pub in_flight: usize,
    /// Whether [`Constraint`]s are enforced while decoding.
    pub constraints: bool,
    /// How tasks are put to this model.
    pub dialect: Dialect,
}

/// How tasks are put to a model (docs/decisions/0002-one-record-per-prompt.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Plain instructions over a whole fragment, answered as JSON. General models.
    Json,
    /// One record per prompt, values copied out. The embedded model.
    Records,
}

/// Why a model gave no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ModelError {
    /// The model could not be loaded: file missing, unreadable, of an unknown architecture.
    #[error("cannot load model {model}: {reason}")]
    Load {
        /// Path or address as the user gave it.
        model: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// The request itself is at fault: no engine could answer it.
    #[error("the request cannot be answered: {0}")]
    Invalid(String),
    /// Prompt and answer do not fit the context.
    #[error("the prompt needs {needed} tokens, the model reads {available}")]
    TooLong {
        /// Tokens of the prompt plus the answer's allowance.
        needed: usize,
        /// The model's context.
        available: usize,
    },
    /// The request asks for what this engine cannot do.
    #[error("{engine} cannot do this: {what}")]
    Unsupported {
        /// The engine's name.
        engine: &'static str,
        /// What it cannot do.
        what: String,
    },
    /// The endpoint refused or broke the connection; trying later may help.
    #[error("{endpoint} did not answer: {reason}")]
    Unavailable {
        /// The endpoint's address without credentials.
        endpoint: String,
        /// What happened.
        reason: String,
    },
    /// The engine failed in the middle of the work.
    #[error("generation failed: {0}")]
    Failed(String),
}

/// A loaded model that turns messages into text.
///
/// Implementations are cheap to share (`Arc<dyn LanguageModel>`) and cancel work when the returned
/// stream is dropped.
#[async_trait]
pub trait LanguageModel: Send + Sync + std::fmt::Debug {
    /// What is known about the model.
    fn info(&self) -> &ModelInfo;

    /// Starts a generation.
    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError>;

    /// Generates to the end and returns the whole answer.
    async fn generate(&self, request: GenerationRequest) -> Result<Answer, ModelError> {
        let mut chunks = self.stream(request).await?;
        while let Some(chunk) = chunks.next().await {
            if let Chunk::Done(answer) = chunk? {
                return Ok(answer);
            }
        }
        Err(ModelError::Failed("the engine ended its stream without an answer".to_owned()))
    }

    /// How many requests [`generate_all`](Self::generate_all) takes well at a time: more than one where the
    /// engine keeps a line of its own and so goes from one request to the next without waking anybody.
    fn preferred_batch_size(&self) -> usize {
        1
    }

    /// Whole answers to several requests, in their order. The first failure stands for all of them.
    async fn generate_all(&self, requests: Vec<GenerationRequest>) -> Result<Vec<Answer>, ModelError> {
        let mut answers = Vec::with_capacity(requests.len());
        for request in requests {
            answers.push(self.generate(request).await?);
        }
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_without_messages_or_room_is_refused_with_its_reason() {
        let good = GenerationRequest::greedy("hello", 4);
        assert!(good.check().is_ok());
        let broken = [
            (GenerationRequest { messages: Vec::new(), ..good.clone() }, "no messages"),
            (GenerationRequest { max_tokens: 0, ..good.clone() }, "max_tokens"),
            (GenerationRequest { stop: vec![String::new()], ..good.clone() }, "stop text"),
            (
                GenerationRequest {
                    sampling: Sampling { temperature: f64::NAN, top_p: None, top_k: None },
                    ..good.clone()
                },
                "temperature",
            ),
            (
                GenerationRequest {
                    sampling: Sampling { temperature: 1.0, top_p: Some(1.5), top_k: None },
                    ..good.clone()
                },
                "top_p",
            ),
        ];
        for (request, word) in broken {
            let error = request.check().expect_err(word);
            assert!(error.to_string().contains(word), "{error} should name {word}");
        }
    }

    #[test]
    fn however_many_tokens_an_endpoint_claims_they_can_be_added_up() {
        let mut sum = Usage { prompt_tokens: 5, completion_tokens: 3 };
        sum += Usage { prompt_tokens: u64::MAX, completion_tokens: 4 };
        assert_eq!(sum, Usage { prompt_tokens: u64::MAX, completion_tokens: 7 });
        assert_eq!(sum.total(), u64::MAX);
    }

    #[test]
    fn the_probability_of_an_answer_is_the_product_over_its_tokens() {
        let token =
            |p: f32| TokenLogprob { id: None, token: String::new(), logprob: p.ln(), top: Vec::new() };
        let answer = Answer {
            text: "ab".to_owned(),
            reasoning: None,
            logprobs: vec![token(0.5), token(0.5)],
            usage: Usage::default(),
            finish: FinishReason::Stop,
        };
        assert!((answer.probability().expect("log-probabilities are there") - 0.25).abs() < 1e-6);
        assert_eq!(Answer { logprobs: Vec::new(), ..answer }.probability(), None);
    }
}
