//! An answer that code computed: before the run began, which then records it and asks nobody, or by the query of a planner.

use frlm_scheduler::SubtaskId;

use super::{PlanError, PlanSource, Settled, Subtask};
use crate::answer::Reading;
use crate::reduce::{Bound, Citation, Reduced};

/// What code computed from a table of the documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed {
    /// A sentence that begins with the answer.
    pub text: String,
    /// The one value that answers the question, if it is one.
    pub value: Option<String>,
    /// 0..=1: full only where the reading is the only one and nothing was guessed.
    pub confidence: f64,
    /// Rows that it rests on.
    pub citations: Vec<Citation>,
    /// Rows that it rests on beyond those cited.
    pub uncited: usize,
    /// How the question was read.
    pub reading: Reading,
}

impl Computed {
    /// As what answers were reduced to.
    pub fn reduced(&self) -> Reduced {
        Reduced {
            text: self.text.clone(),
            value: self.value.clone(),
            computed: None,
            bound: Bound::Exact,
            citations: self.citations.clone(),
            uncited: self.uncited,
            matched: usize::try_from(self.reading.rows).unwrap_or(usize::MAX),
        }
    }
}

/// Asks nobody.
#[derive(Debug, Clone, Copy)]
pub struct NothingToAsk;

impl PlanSource for NothingToAsk {
    fn next(&mut self, _verified: &[Settled<'_>], _first: SubtaskId) -> Result<Vec<Subtask>, PlanError> {
        Ok(Vec::new())
    }
}
