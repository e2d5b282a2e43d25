#![doc = include_str!("../README.md")]
//!
//! # Layout, in the order in which data flows
//!
//! - [`ingest`]: files → fragments with spans
//! - [`query`]: questions that code can finish
//! - [`question`]: the question → a query, or text for a model
//! - [`asker`]: who asks, as far as that shapes an answer
//! - [`small_model`]: what the small model inside this program does for users without a model
//! - [`plan`]: a DAG of subtasks that grows as answers are verified
//! - [`dialect`]: a task → a prompt; a model's text → a checked answer
//! - [`reduce`]: verified answers → one result with citations
//! - [`answer`]: the object that `--json` prints
//! - [`stage`]: the stages of a run, as answers and events name them

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod answer;
pub mod asker;
pub mod dialect;
pub mod ingest;
pub mod plan;
pub mod query;
pub mod question;
pub mod reduce;
pub mod small_model;
pub mod stage;
