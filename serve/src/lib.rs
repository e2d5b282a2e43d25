//! `frlm serve`: an OpenAI-compatible endpoint over the same runs as `frlm ask` (design.md,
//! section 3; seeds/load-balanced-rl-workflow.md, sections 2.6 and 9.2).
//!
//! ```text
//!   POST /v1/chat/completions ─► callers (who asks?) ─► limit per caller ─► a place? ─► run ─► answer
//!   POST /v1/files                     │ 401                 │ 429             │ 503
//!   GET  /v1/models                    └─ an error in OpenAI's form, which says when to come again
//!   POST /v1/feedback
//!   GET  /health
//! ```
//!
//! Layout, in reading order:
//! - [`http`]: the routes
//! - [`callers`]: who may ask
//! - [`policies`]: which verification they may choose
//! - [`body`]: bodies of requests, up to a limit
//! - [`chat`]: questions and answers on the wire
//! - [`stream`]: a stream: the progress of the run, then the answer
//! - [`progress`]: how far a run is
//! - [`files`]: documents that are uploaded before a question
//! - [`uploads`]: documents of a question, kept until it is answered
//! - [`service`]: runs, their limits, and how things stand
//! - [`nostr_service`]: the same questions as NIP-90 jobs
//! - [`credit`]: payments for Nostr questions that got no answer, and payments that came too late
//! - [`refusal`]: errors on the wire

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

mod body;
pub mod callers;
mod chat;
mod credit;
mod files;
mod http;
pub mod nostr_service;
mod policies;
mod progress;
mod refusal;
mod service;
mod stream;
mod uploads;

#[cfg(test)]
mod tests;

pub use http::serve;
pub use service::Service;

// The README's example is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
