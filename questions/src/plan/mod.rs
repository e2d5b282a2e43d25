//! What is to be asked: a DAG of subtasks that grows as answers are verified.
//!
//! A [`PlanSource`] is told of every verified subtask and may add further ones. The first source is
//! [`FragmentMap`]: compile the question if code could not, ask it of every fragment, and, for
//! answers in words, combine them; where the question is simple and the text short, ask all of it at once.
//! [`CompoundMap`] asks each part of a question of every fragment, and a part that speaks of an earlier one's
//! answer when that is verified. [`StepMap`] does so for the steps of a question in words. [`TablePlan`] asks for a query
//! over a table, which code runs. [`ProgramPlan`] asks what a program of the user's asks. Notes that are too much for one provider are combined in groups first
//! (`combine_tree`). What learning is told of all of these is [`facts`].

mod arrangement;
mod combine_tree;
mod compound;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod compound_tests;
mod computed;
mod contexts;
pub mod facts;
mod figures;
mod fragment_map;
mod outcome;
mod planning;
pub mod program;
mod steps;
mod table_query;
mod task;

use std::sync::Arc;

pub use combine_tree::{LONGEST_ROLE, context_of_key};
pub use compound::{Answered, CompoundMap, reduce_parts};
pub use compound::{is_of_a_part, read_by_code, said_parts};
pub use computed::{Computed, NothingToAsk};
pub use contexts::Contexts;
pub use fragment_map::HOW_TO_ASK;
pub use fragment_map::{FragmentMap, PlanError, fragment_of_key};
use frlm_learning::planning::decompose::Action;
use frlm_scheduler::SubtaskId;
pub use outcome::Outcome;
pub use planning::{PlanTask, StepsTask};
pub use program::ProgramPlan;
pub use steps::{StepMap, Unanswered};
pub use table_query::QUERIED;
pub use table_query::{Meaning, Queried, QueriedTable, QueryTask, TablePlan};
pub use task::PLANNED;
pub use task::{Belongs, CombineTask, CompileTask, ReadBack, Skill, Subtask, Task, TaskError};
use tokio::sync::Notify;

use crate::ingest::Fragment;
use crate::question::steps::Steps;

/// A subtask's accepted answer, as a plan source sees it.
#[derive(Debug, Clone, Copy)]
pub struct Settled<'a> {
    /// Which subtask.
    pub id: SubtaskId,
    /// What was accepted.
    pub outcome: &'a Outcome,
    /// How far it is believed, 0..=1.
    pub confidence: f64,
}

/// Grows the plan.
pub trait PlanSource: Send {
    /// More subtasks, given what was verified since the last call. Ids are assigned in order by the
    /// caller, so `first_id` is the id of the first returned subtask. A subtask may be told of again with
    /// another outcome, as long as nothing was planned from it.
    fn next(&mut self, verified: &[Settled<'_>], first_id: SubtaskId) -> Result<Vec<Subtask>, PlanError>;

    /// Whether there is more than one way to ask what it asks, so that choosing makes sense.
    fn has_choice(&self) -> bool {
        false
    }

    /// Asks in this way, where there is a choice. To be told before the first subtask.
    fn follow(&mut self, _action: &Action) {}

    /// Nothing that was asked is open any more: what was held back by choice is asked now. Whether there is any.
    fn hold_nothing_back(&mut self) -> bool {
        false
    }

    /// Puts a question in words to its readers in these words. To be told before the first subtask.
    fn phrase(&mut self, _words: String) {}

    /// Whether it waits to be told if the question is simple enough to be asked of the whole text at once.
    fn may_be_direct(&self) -> bool {
        false
    }

    /// Tells it. Returns the text that it asks now in the place of all fragments, if it does.
    fn ask_directly(&mut self, _simple: bool) -> Option<Arc<Fragment>> {
        None
    }

    /// What a planner is asked before the question is, as long as nobody was: the run may know a planner.
    fn planner(&self) -> Option<Arc<StepsTask>> {
        None
    }

    /// Takes the question as one of these steps. It waits to be told whether they are asked ([`PlanSource::ask_in_steps`]).
    fn take_steps(&mut self, _steps: Steps) {}

    /// The steps of the question, while it waits to be told; [`PlanSource::to_come`] says what they will ask.
    fn proposed(&self) -> Option<&Steps> {
        None
    }

    /// Asks the steps that were proposed, or the question as it is.
    fn ask_in_steps(&mut self, _yes: bool) {}

    /// What the steps of the question came to, where it was asked in steps.
    fn steps(&self) -> Option<&StepMap> {
        None
    }

    /// Whether what it asks next may have to be cut to what its readers take in at once.
    fn may_combine(&self) -> bool {
        false
    }

    /// How much that is, by who is here.
    fn keep_within(&mut self, _contexts: Contexts) {}

    /// Whether it makes up its mind beside the run: until then nothing is settled.
    fn is_thinking(&self) -> bool {
        false
    }

    /// Whether it has made up its mind, and is to be asked.
    fn has_news(&self) -> bool {
        false
    }

    /// Notified when it has, while it is thinking.
    fn woken(&self) -> Option<Arc<Notify>> {
        None
    }

    /// What has no answer now gets none: it goes on without. Whether it waited for any.
    fn go_without(&mut self) -> bool {
        false
    }

    /// What there is to say of how it goes on, since this was last asked.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// What its program was answered and came to, where a program makes the plan.
    fn program(&self) -> Option<&program::ProgramAccount> {
        None
    }

    /// The question over a table, where a planner is to write it as a query.
    fn table(&self) -> Option<&TablePlan> {
        None
    }

    /// The plan that takes the place of this one, once it has come to nothing.
    fn instead(&mut self) -> Option<Box<dyn PlanSource>> {
        None
    }

    /// Subtasks that will follow, as far as that can be told now: what they will cost is part of the
    /// quote.
    fn to_come(&self) -> Vec<Subtask> {
        Vec::new()
    }
}
