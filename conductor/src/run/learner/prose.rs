//! A question in words that takes several steps: who takes it apart, and whether its steps are asked
//! ([`frlm_questions::question::steps`]).
//!
//! ```text
//!   the user's own model ─┬─ steps ─► affordable? ─┬─ yes ─► asked one after the other
//!     none, or silent ─►  │                        └─ no ──► asked as it is
//!   a provider, as a job ─┴─ none, or no plan that counts ─► asked as it is
//! ```

use frlm_questions::plan::{PLANNED, Task};
use frlm_questions::question::proposal;
use frlm_questions::question::steps::Steps;
use frlm_questions::stage::RunStage;
use frlm_scheduler::{FailureReason, Scheduler, SubtaskId};
use frlm_verifier::claims::planning::{MOST_STEPS, planning_schema};

use super::Planning;
use crate::run::RunError;
use crate::run::subtasks::Subtasks;

/// Planners whose plan may fail before the question is asked as it is.
const MOST_FAILED_PLANS: u16 = 2;

/// Asks nobody else for a plan where several had none.
pub(in crate::run) fn plan_no_more(subtasks: &mut Subtasks, scheduler: &mut Scheduler, id: SubtaskId) {
    let record = subtasks.of(id);
    if record
        .is_some_and(|record| matches!(record.task(), Task::Plan(_)) && record.failures >= MOST_FAILED_PLANS)
    {
        scheduler.give_up(id, FailureReason::Exhausted);
    }
}

/// Has the user's own model take a question in words apart, if there is one and the question may take several steps. A run
/// that goes on keeps to what it began with.
pub(super) async fn take_prose_apart(run: &mut Planning<'_>) -> Result<(), RunError> {
    let Some(task) = run.setup.plan.planner() else { return Ok(()) };
    if run.setup.known.planned {
        let outcomes = &run.setup.known.outcomes;
        if !outcomes.contains_key(PLANNED) && outcomes.keys().any(|key| is_of_the_whole(key)) {
            run.setup.plan.ask_in_steps(false);
        }
        return Ok(());
    }
    let Some(model) = run.decisions.model.clone().filter(|_| !run.learner.model_silent) else {
        return Ok(());
    };
    let prompt = task.prompt().texts().concat();
    let (timeout, stop) = (run.timeout(), run.learner.stop.clone());
    let asking = proposal::ask(&*model, prompt, planning_schema(MOST_STEPS), timeout);
    let said = stop.run_until_cancelled(asking).await.ok_or_else(|| run.interrupted())?;
    let text = match said {
        Ok(text) => text,
        Err(why) => {
            run.learner.model_silent = true;
            run.journal.notice(RunStage::Plan, &format!("the model has no plan: {why}; a provider is asked"));
            return Ok(());
        }
    };
    match task.read(&text) {
        Ok(Some(steps)) => run.setup.plan.take_steps(steps),
        Ok(None) => ask_as_it_is(run, "the model finds that the question takes no steps"),
        Err(why) => ask_as_it_is(run, &format!("the model has no plan that counts: {why}")),
    }
    Ok(())
}

/// The steps of an earlier start.
pub(super) fn take_known_steps(run: &mut Planning<'_>, texts: Vec<String>) {
    // Where a provider planned, its answer is known, too, and comes to the same.
    if run.setup.plan.planner().is_some()
        && !run.setup.known.outcomes.contains_key(PLANNED)
        && let Ok(Some(steps)) = Steps::of(&texts)
    {
        run.setup.plan.take_steps(steps);
    }
    // What was begun goes on, whatever is left of the budget.
    run.setup.known.taken_apart = Some(texts);
}

pub(in crate::run) fn ask_as_it_is(run: &mut Planning<'_>, why: &str) {
    run.journal.notice(RunStage::Plan, why);
    run.setup.plan.ask_in_steps(false);
    // It arranges nothing: what becomes of the question says nothing of it.
    run.learner.chosen = None;
}

/// Whether a fragment was asked the question as it is under this key.
fn is_of_the_whole(key: &str) -> bool {
    key.starts_with("map:") && !frlm_questions::plan::is_of_a_part(key)
}
