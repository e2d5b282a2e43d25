//! Whether answers are right, by methods that go by the kind of task (tier 2; seeds/verifier-block.md, "Answer
//! Validator", `strategies`, `verification_level`; docs/decisions/0037-verification-levels.md).
//!
//! ```text
//!   answer, its quotes and values found in the text ─► its calculations, by code ─┬ wrong ──► the attempt failed
//!        (every level)                                  (every level)              └ else
//!   standard ──────────────────────────────────────────────────────────────────────► compared with the others
//!   high, critical ─► known by code? its values in the text? a model's opinion? ─┬ passed ─► compared
//!        (beside the loop; its attempt is still out for the scheduler)            ├ wrong ──► the attempt failed
//!                                                                                 └ nothing could tell:
//!                                                        high ─► compared; critical ─► not used, and paid
//! ```
//!
//! - [`mod@case`]: what is to be found out about an answer, and how
//! - [`mod@objection`]: why one does not pass

mod case;
mod objection;

use std::collections::HashMap;

use frlm_questions::plan::Outcome;
use frlm_scheduler::SubtaskId;
use frlm_verifier::validation::ValidationOutcome;

pub(super) use self::case::case;
pub(in crate::run) use self::case::{is_prose, miscalculated};
pub(super) use self::objection::{Objection, objection};
use super::judge::Silence;
use super::program::Answered;

/// What the methods have found.
#[derive(Default)]
pub(in crate::run) struct AnswerValidation {
    /// Equal answers to a subtask are judged once.
    pub(super) found: HashMap<(SubtaskId, String), ValidationOutcome>,
    /// Whether the run has said that the model reads parts only.
    pub(super) told_of_parts: bool,
}

/// An answer that was judged.
#[derive(Debug)]
pub(in crate::run) struct Judged {
    pub(super) answered: Answered,
    pub(super) found: ValidationOutcome,
    /// Whether the model that was to have an opinion gave its word; `None` where none was to.
    pub(super) word: Option<Result<(), Silence>>,
    /// Whether it holds for other answers of the same words: not where the model was only slow, or away.
    pub(super) lasting: bool,
}

impl AnswerValidation {
    /// How right an answer was found to be, where it was judged and something could tell.
    pub fn correctness(&self, id: SubtaskId, outcome: &Outcome) -> Option<f64> {
        if self.found.is_empty() {
            return None;
        }
        self.found.get(&(id, outcome.agreement_key()))?.correctness
    }
}

/// Whether a model has said what it thinks of an answer, or of a part of it.
pub(super) fn has_opinion(found: &ValidationOutcome) -> bool {
    found.findings.iter().any(|finding| finding.assessment.is_some())
}
