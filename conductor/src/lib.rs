//! From a question and documents to a verified, cited answer.
//!
//! Layout, in the order in which data flows:
//! - [`ingest`]: files → fragments with spans
//! - [`question`]: the question → a query that code can finish
//! - [`plan`]: a DAG of subtasks that grows as answers are verified
//! - [`policy`]: budget, patience, quorum, verification
//! - [`route`]: which role at which venue, and what the providers there are worth
//! - [`brain`]: how simple a step is and who should answer it; how a question is taken apart, learned
//! - [`scheduler`]: which subtask goes to whom, and when (pure)
//! - [`swarm`]: what the conductor needs of a swarm; the Nostr adapter and the local venue
//! - [`dialect`]: a subtask → a prompt; a model's text → a checked answer
//! - [`run`]: the loop around all of them
//! - [`reduce`]: verified answers → one result with citations
//! - [`answer`]: the object of the command contract
//! - [`trace`], [`store`]: what happened, and where it is kept
//! - [`saved`], [`seeded`]: what was learned, in files; draws that repeat themselves

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod answer;
pub mod brain;
pub mod dialect;
mod failpoint;
pub mod ingest;
pub mod payment;
pub mod plan;
pub mod policy;
pub mod question;
pub mod reduce;
pub mod route;
pub mod run;
pub mod saved;
pub mod scheduler;
pub mod seeded;
pub mod store;
pub mod swarm;
pub mod trace;

// The README's example is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
