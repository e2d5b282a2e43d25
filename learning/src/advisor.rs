//! The interface for questions: facts in, advice out, outcomes in.
//!
//! ```text
//!   Asked ─► advise ─► Chosen        in which order and words the parts of a question are asked
//!   question ─► advise_words ─► Template     how readers are asked a question that code cannot finish
//!   Served ─► record ─► Noted        what the run showed, and what that is worth
//! ```
//!
//! A run without an advisor asks as it always does. Advice about roles and venues has an interface of its own,
//! [`Production`](crate::routing::Production).

use std::fmt;

use crate::planning::account::memory::{LearnerError, LearnerMemory};
use crate::planning::account::{Asked, Chosen, Noted, Served};
use crate::planning::performance::Work;
use crate::planning::phrasing::Template;
use crate::planning::simplicity::TaskType;

/// What advises a run, and hears what the run came to. A call may wait for a file that another process writes: async code
/// calls it where blocking is allowed.
pub trait Advisor: fmt::Debug + Send + Sync {
    /// Whether what was learned can be read. [`LearnerError::Quarantined`]: it was damaged, and learning starts over.
    fn check(&self) -> Result<(), LearnerError>;

    /// How to ask the parts of a question. The advice is remembered, so that its outcome can be held to it.
    fn advise(&self, asked: &Asked) -> Result<Chosen, LearnerError>;

    /// How to put a question to readers. `by_model`: a model is there that could put it in its own words. `framed`: readers
    /// are told what a part is, and how to put their answers, in any case.
    fn advise_words(
        &self,
        task_type: TaskType,
        question: &str,
        by_model: bool,
        framed: bool,
    ) -> Result<Template, LearnerError>;

    /// Takes in what a run showed, and how it worked.
    fn record(&self, served: &Served, work: &Work) -> Result<Noted, LearnerError>;
}

impl Advisor for LearnerMemory {
    fn check(&self) -> Result<(), LearnerError> {
        self.load().map(drop)
    }

    fn advise(&self, asked: &Asked) -> Result<Chosen, LearnerError> {
        self.choose(asked)
    }

    fn advise_words(
        &self,
        task_type: TaskType,
        question: &str,
        by_model: bool,
        framed: bool,
    ) -> Result<Template, LearnerError> {
        self.phrasing(task_type, question, by_model, framed)
    }

    fn record(&self, served: &Served, work: &Work) -> Result<Noted, LearnerError> {
        self.add_work(served, work)
    }
}
