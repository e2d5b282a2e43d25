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
