//! The prefill audit of tier 3 (design.md, section 6): did the claimed model write this answer?
//!
//! ```text
//!  provider: writes the answers, commits to the likeliest tokens at positions of those that a hash chooses
//!  auditor:  reads prompt and answer once with the claimed weights ─► how likely were those tokens there?
//!            as far apart as one engine is from itself ─► the claimed model; further ─► another one
//! ```
//!
//! Any model may come to the same words; how likely each rival of each word was, no other model knows. What
//! two processors, and two ways of computing the same weights, differ by is measured per engine and
//! quantisation ([`Calibration`]), never assumed.
//!
//! - [`commitment`]: which answers and positions are committed to, and to what
//! - [`mod@score`]: how far a commitment is from what the auditor reads
//! - [`calibration`]: how far that may be, and the sequential test over several answers
//!
//! What it comes to for one provider, from run to run, is [`crate::trust::AuditRecord`].
//!
//! What it does not show: that the claimed model wrote the answer *first*. A provider with the claimed weights can
//! read another model's words with them and commit to that; it costs a pass as the audit does, and shows where
//! the claimed weights would have written another word ([`score::Score::regret_nats`]).

pub mod calibration;
pub mod commitment;
pub mod score;

pub use calibration::{AuditVerdict, Calibration, Calibrations};
pub use commitment::{Commitment, Position, commit, committed_answers};
pub use score::{Score, Unreadable, score};
