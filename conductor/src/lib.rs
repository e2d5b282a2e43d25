//! From a question and documents to a verified, cited answer.
//!
//! Layout, in the order in which data flows:
//! - [`ingest`]: files → fragments with spans
//! - [`query`]: questions that code can finish
//! - [`question`]: the question → a query, or text for a model
//! - [`asker`]: who asks, as far as that shapes an answer
//! - [`small_model`]: what the small model inside this program does for users without a model
//! - [`plan`]: a DAG of subtasks that grows as answers are verified
//! - [`policy`]: budget, timeouts, quorum, verification
//! - [`route`]: what a role tells a model, and what the providers of a venue are worth
//! - [`scheduler`]: which subtask goes to whom, and when (pure)
//! - [`swarm`]: what the conductor needs of a swarm; the Nostr adapter and the local venue
//! - [`dialect`]: a subtask → a prompt; a model's text → a checked answer
//! - [`claim_cache`]: claims of earlier runs, so that the same part under the same question is not paid twice
//! - [`run`]: the loop around all of them
//! - [`payment`]: what a run needs of a wallet
//! - [`reduce`]: verified answers → one result with citations
//! - [`answer`]: the object that `--json` prints
//! - [`trace`], [`store`]: what happened, and where it is kept
//!
//! [`frlm_learning`] learns from runs; a run works without it.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod answer;
pub mod asker;
pub mod claim_cache;
pub mod dialect;
pub mod ingest;
pub mod payment;
pub mod plan;
pub mod policy;
pub mod query;
pub mod question;
pub mod reduce;
pub mod route;
pub mod run;
pub mod scheduler;
pub mod small_model;
pub mod stage;
pub mod store;
pub mod swarm;
pub mod trace;

// The README's example is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
