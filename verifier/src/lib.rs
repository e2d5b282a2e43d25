//! Which answers are true.
//!
//! Layout, in reading order:
//! - [`self_check`]: tier 1, what a provider checks before it sends an answer
//! - [`policy`]: how answers become one accepted answer, as the user names it
//! - [`consensus`]: tier 2, whether the replicas of one subtask agree
//! - [`schema`]: answers against a JSON schema
//!
//! Everything here is pure: no clock, no I/O, no Nostr, no money, no scheduling (design.md,
//! sections 2 and 6).

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod consensus;
pub mod policy;
pub mod schema;
pub mod self_check;

pub use consensus::{Replica, Report, Verdict, Verified, verify};
pub use policy::{PolicyError, PolicyName, VerificationPolicy};
pub use schema::{SchemaError, check_schema, satisfies};

pub use self_check::{Candidate, ConstraintError, SelfCheck, SelfCheckFailure};

// The README's example is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
