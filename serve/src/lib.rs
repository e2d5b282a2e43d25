//! `frlm serve`: an endpoint as programs for OpenAI's know it, over the same runs as `frlm ask` (design.md,
//! section 3; seeds/load-balanced-rl-workflow.md, sections 2.6 and 9.2).
//!
//! ```text
//!   POST /v1/chat/completions ─► callers (who asks?) ─► limit per caller ─► a place? ─► run ─► answer
//!   GET  /v1/models                    │ 401                 │ 429             │ 503
//!   GET  /health                       └─ an error in OpenAI's form, which says when to come again
//!   POST /v1/feedback
//! ```
//!
//! Layout, in reading order:
//! - [`http`]: the routes
//! - [`callers`]: who may ask
//! - [`policies`]: which verification they may choose
//! - [`chat`]: questions and answers on the wire
//! - [`uploads`]: documents of a question, for as long as it is asked
//! - [`service`]: runs, their limits, and how things stand
//! - [`desk`]: the same questions as NIP-90 jobs
//! - [`credit`]: what was paid for those of them that got no answer, or when nobody waited for it
//! - [`refusal`]: errors on the wire

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod callers;
mod chat;
mod credit;
pub mod desk;
mod http;
mod policies;
mod refusal;
mod service;
mod uploads;

#[cfg(test)]
mod tests;

pub use http::serve;
pub use service::Service;

// The README's example is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
