//! Which answers are true.
//!
//! Layout, in reading order:
//! - [`self_check`]: tier 1, what a provider checks before it sends an answer
//! - [`value`]: a text as the number, date, truth or word it stands for
//! - [`copies`]: what a model copied from lines of one template, each copy compared with the others
//! - [`normalise`]: an answer in comparable form, and whether two of them say the same
//! - `arithmetic`: expressions in questions, and their values
//! - [`request`]: what tier 2 is asked, in the fields of the source document
//! - [`consensus`]: tier 2, one answer out of several
//! - [`validation`]: whether an accepted answer is right
//! - [`fitness`]: what a verdict means for a provider: fitness, credits, feedback
//! - [`claims`]: prose as claims with quotes: code checks, reviews in discrete verdicts, when it is enough
//! - [`verification`]: tier 2 from request to result
//! - [`sampling`]: tier 3, which accepted answers are checked again
//! - [`audit`]: tier 3, whether the claimed model wrote an answer
//! - [`trust`]: whom to believe: fidelity, correctness, adaptive replication
//! - [`decisions`]: after a stage: proceed, retry, escalate
//! - [`template`]: prompts as data, strangers' text as quoted strings
//! - [`policy`]: how answers become one accepted answer, as the user names it
//! - [`verdict`]: tier 2, whether the replicas of one subtask agree, and the only maker of [`Verified`]
//! - [`schema`]: answers against a JSON schema
//! - [`attested`]: what a validator says of another provider's answers
//!
//! No clock, no network, no Nostr, no money, no scheduling (design.md, sections 2 and 6). Models are
//! reached through a trait; the only files are the stores of known answers and of reputations.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

mod arithmetic;
pub mod attested;
pub mod audit;
pub mod claims;
pub mod consensus;
pub mod copies;
pub mod decisions;
pub mod fitness;
pub mod normalise;
pub mod policy;
pub mod request;
pub mod sampling;
pub mod schema;
pub mod self_check;
pub mod template;
#[cfg(test)]
mod testing;
pub mod trust;
pub mod validation;
pub mod value;
pub mod verdict;
pub mod verification;

pub use policy::{AdaptiveConfig, LooksAgain, PolicyError, PolicyName, VerificationPolicy};
pub use schema::{SchemaError, check_schema, satisfies};
pub use self_check::{Candidate, ConstraintError, SelfCheck, SelfCheckFailure};
pub use verdict::{Replica, Report, Verdict, Verified, verify};

// The README's example is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
