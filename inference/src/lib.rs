//! Language models behind one trait.
//!
//! Layout, in reading order:
//! - [`model`]: the [`LanguageModel`] trait, requests, answers, errors
//! - [`reader`]: the [`AnswerReader`] trait, for answers that are already there
//! - [`constraint`]: what an answer's text must look like
//! - [`object`]: the JSON object in an answer's text
//! - [`mod@open`]: from what a user types to a loaded model
//! - [`mistral`]: GGUF and safetensors weights in this process (feature `mistralrs`)
//! - [`embedded`]: the small model that ships inside the binary (feature `embedded`)
//! - [`openai`]: OpenAI-compatible HTTP endpoints
//! - [`scripted`]: a stand-in with fixed latency for benchmarks and tests
//! - [`download`]: weights from an address, resumable and checked
//! - [`gguf`], [`weights`]: reading a file's header, hashing weights
//! - [`tokens`]: how many tokens a text will be, without a tokenizer
//! - `stop`: stop texts in a stream
//!
//! Nothing here knows of Nostr or money.
//!
//! # What to know
//!
//! - **Log-probabilities are the model's own**: natural logarithms at temperature 1, before top-k, top-p
//!   and constraints, one per token of the text. The token that ends the turn counts in `usage` and has no
//!   entry. mistral.rs' own figures are base 10 and renormalised after top-k, so they are not used.
//! - **On the CPU one engine runs one request at a time.** mistral.rs 0.8.1 computes wrong attention for
//!   requests that it decodes together there; a small model runs in one single-threaded engine per core
//!   instead, which is also faster. `ModelInfo::in_flight` says how many requests to hand over at once.
//! - **On a GPU one engine runs 32 requests together**, with memory for 4,096 tokens of each, or with what is left of the GPU's
//!   memory. mistral.rs has paged kernels for heads of 64 to 512 numbers. A model with other heads, such as `frlm-records`,
//!   answers one request at a time, and so does a model that does not fit into the GPU's memory as a whole.
//! - **An answer that exists already is read in one pass** (`AnswerReader`: `mistral::MistralReader`, `embedded::reader`). The result is
//!   ln p of each of its tokens, for audits. A reader has an engine of its own.
//! - **Many small prompts go in batches** (`generate_all`, up to `preferred_batch_size()` of them): the engine goes from one
//!   to the next by itself and wakes the caller once, when the last has ended.
//! - **A regular expression or grammar** is enforced by `mistral`, not by `openai`, whose protocol has JSON
//!   schemas only. Callers check the text in any case.
//! - **Caller's mistakes** are `ModelError::Invalid`, refused alike by every engine.
//! - mistral.rs logs through `tracing` under `mistralrs*`; filter those targets. It creates
//!   `~/.cache/huggingface` (or `HF_HOME`) even when only local files are used.

pub mod constraint;
pub mod download;
#[cfg(feature = "embedded")]
pub mod embedded;
pub mod gguf;
#[cfg(feature = "mistralrs")]
pub mod mistral;
pub mod model;
pub mod object;
pub mod open;
pub mod openai;
pub mod reader;
pub mod scripted;
mod stop;
pub mod tokens;
pub mod weights;

#[cfg(test)]
mod conformance;

pub use constraint::Constraint;
pub use model::{
    Answer, Chunk, Dialect, FinishReason, Generation, GenerationRequest, LanguageModel, Message, ModelError,
    ModelInfo, RankedToken, Role, Sampling, TokenLogprob, Usage,
};
pub use object::{ObjectError, object_with};
pub use open::{ModelSource, ModelSpec, open};
pub use openai::ApiKey;
pub use reader::{AnswerReader, ReadAnswer};

/// Keeps the README's example compiling.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
