//! What is learned from runs, and the advice that follows from it.
//!
//! ```text
//!   facts ─► advice        a question with its parts ─► a way to ask them; a subtask ─► a role at a venue
//!   outcome ─► account     what the verdict, the time and the user said ─► the next advice
//! ```
//!
//! Facts come in as plain values, advice goes out as plain values: nothing here knows a document, a plan, a provider or a
//! price list. A run holds an optional
//! [`LearnerMemory`](planning::account::memory::LearnerMemory) and an optional [`Production`](routing::Production); a run
//! without them asks in its default way.
//!
//! Layout, in reading order:
//! - [`planning`]: how a question is taken apart, and how that gets better with use
//! - [`routing`]: which role at which venue works on a subtask
//! - [`saved`]: what was learned, in files
//! - [`seeded`]: random draws that the same seed repeats
//! - `failpoint`: places where tests stop a process

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod planning;
pub mod routing;
pub mod saved;
pub mod seeded;

mod failpoint;

// The README's example is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
