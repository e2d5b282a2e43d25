//! From the subtasks of a question to a verified, cited answer.
//!
//! Layout, in the order in which data flows:
//! - [`policy`]: budget, timeouts, quorum, verification
//! - [`route`]: what a role tells a model, and what the providers of a venue are worth
//! - [`swarm`]: what a run needs of a swarm
//! - [`claim_cache`]: claims of earlier runs, so that the same part under the same question is not paid twice
//! - [`run`]: the loop around all of them
//! - [`payment`]: what a run needs of a wallet
//! - [`trace`], [`store`]: what happened, and where it is kept
//!
//! [`frlm_questions`] reads, plans and joins, [`frlm_scheduler`] hands out. [`frlm_learning`] learns from runs; a run works without it.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod claim_cache;
pub mod payment;
pub mod policy;
pub mod route;
pub mod run;
pub mod store;
pub mod swarm;
pub mod trace;

// The README's example is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
