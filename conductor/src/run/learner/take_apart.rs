//! A question that code cannot take apart at once, taken apart by the user's own model (function 2), or by the small one inside
//! this program where the user has none, or one that says nothing.
//!
//! ```text
//!   code reads it ─► as it is
//!   simple (6), no fields, no model, one question only ─► as it is
//!   small model proposes ─► the question's own words, in parts that code can read ─► asked part by part
//!            └─ not ─► code behind its beginning
//!   model proposes ─► parts that code can read ─► asked part by part
//!         ▲  └─ not: once more, told why ─┐
//!         └───────────────────────────────┘─ not either ─► code behind its beginning
//!   model says nothing, also when it was asked how simple the question is ─► the small model, as if there were no other
//!   code behind its beginning: parts that say all that the question asks ─► asked part by part
//!            └─ not ─► as it is
//! ```
//!
//! *As it is*: the deterministic planner goes on as if there were no model. *Behind its beginning*: a model was asked
//! because the question has several parts and begins with something else; where it has no plan that counts, code reads the
//! parts behind that, and holds them to the question as it holds the small model's.

use std::sync::Arc;

use frlm_learning::planning::analyse::features::features;
use frlm_learning::planning::decompose::Action;
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::{CompoundMap, QUERIED, facts};
use frlm_questions::question::compound::Compound;
use frlm_questions::question::proposal::{self, Proposal, prompt};
use frlm_questions::question::{FieldHints, field_hints};
use frlm_questions::small_model::split::split;

use super::Planning;
use super::analyse::analysis;
use super::choose::choose;
use super::prose::{take_known_steps, take_prose_apart};
use crate::run::RunError;
use crate::trace::{RunStage, TraceEvent};

/// One proposal and one repair.
const ATTEMPTS: usize = 2;

/// Why a model's proposal came to nothing.
enum Failed {
    /// It is told, and may mend it.
    Wrong(String),
    /// It says nothing; it is not asked again.
    Silent(String),
    /// The run is stopped.
    Stopped,
}

/// Has a model propose the parts of a question, where code knows none. A run that goes on keeps to what it began with;
/// one that was stopped before anything was planned has begun with nothing.
pub(in crate::run) async fn take_apart(run: &mut Planning<'_>) -> Result<(), RunError> {
    if run.setup.plan.program().is_some() {
        // It takes apart what it asks itself.
        return Ok(());
    }
    if run.setup.plan.table().is_some() {
        let known = &run.setup.known;
        let is_begun = known.planned && !known.outcomes.is_empty() && !known.outcomes.contains_key(QUERIED);
        if !is_begun && known.taken_apart.is_none() {
            return Ok(());
        }
        // An earlier start has asked without a query.
        run.setup.plan.ask_in_steps(false);
        if let Some(plan) = run.setup.plan.instead() {
            run.setup.plan = plan;
        }
    }
    // Also where code reads the question now and the program that began the run did not.
    if let Some(texts) = run.setup.known.taken_apart.take() {
        match Compound::of_parts(&run.setup.question, &texts, &run.pieces()) {
            Ok(compound) => ask_in_parts(run, compound),
            Err(_) => take_known_steps(run, texts),
        }
        return Ok(());
    }
    take_prose_apart(run).await?;
    if run.setup.query.is_some()
        || run.setup.compound.is_some()
        || run.setup.known.planned
        || run.decisions.model.is_none() && run.learner.small.is_none()
        || !seems_compound(&run.setup.question)
    {
        return Ok(());
    }
    let pieces = run.pieces();
    let hints = field_hints(&pieces);
    // Texts without fields have nothing that a part could be read over.
    if hints.is_empty() || analysis(run).await?.direct {
        return Ok(());
    }
    if run.decisions.model.is_none() {
        return take_apart_closely(run, &pieces, &hints).await;
    }
    if run.learner.model_silent {
        // A longer question would keep the run waiting as long again, and for nothing.
        let why = "it did not even say how simple the question is, and is not asked for a plan";
        return take_apart_without_own(run, why, &pieces, &hints).await;
    }
    let guide = guide(run, &hints).await;
    let mut wrong: Option<String> = None;
    for attempt in 1..=ATTEMPTS {
        match proposed(run, &pieces, &hints, guide.as_ref(), wrong.as_deref()).await {
            Ok((compound, reasoning)) => {
                let how = "the model took the question apart, and code can read each part";
                ask_in_new_parts(run, compound, reasoning, how);
                return Ok(());
            }
            Err(Failed::Stopped) => return Err(run.interrupted()),
            Err(Failed::Wrong(why)) if attempt < ATTEMPTS => {
                run.journal.notice(RunStage::Plan, &format!("the model's plan is rejected: {why}"));
                wrong = Some(why);
            }
            Err(Failed::Wrong(why)) => {
                plan_without(run, "the model", &why, &pieces);
                return Ok(());
            }
            Err(Failed::Silent(why)) => {
                run.learner.model_silent = true;
                take_apart_without_own(run, &why, &pieces, &hints).await?;
                if run.setup.compound.is_none() {
                    // It guided nobody and arranges nothing: what becomes of the question says nothing of it.
                    run.learner.chosen = None;
                }
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The user's own model says nothing, and is left alone from here on: what would be done for somebody who has none is
/// done.
async fn take_apart_without_own(
    run: &mut Planning<'_>,
    why: &str,
    pieces: &[Fragment],
    hints: &FieldHints,
) -> Result<(), RunError> {
    if run.learner.small.is_none() {
        plan_without(run, "the model", why, pieces);
        return Ok(());
    }
    let instead = format!("the model has no plan: {why}; the embedded model is asked in its place");
    run.journal.notice(RunStage::Plan, &instead);
    take_apart_closely(run, pieces, hints).await
}

/// Has the small model do it. The parts of such a question are its own, so that the policy has nothing to guide; how they are asked it chooses afterwards, as where code reads them.
async fn take_apart_closely(
    run: &mut Planning<'_>,
    pieces: &[Fragment],
    hints: &FieldHints,
) -> Result<(), RunError> {
    let Some(small) = run.learner.small.clone() else { return Ok(()) };
    let (timeout, stop) = (run.timeout(), run.learner.stop.clone());
    let trying = split(&small, &run.setup.question, pieces, hints, timeout);
    match stop.run_until_cancelled(trying).await.ok_or_else(|| run.interrupted())? {
        Ok(compound) => {
            let reasoning = "they say what the question says, in its order".to_owned();
            let how = "the embedded model took the question apart, and its parts say what the question says";
            ask_in_new_parts(run, compound, reasoning, how);
        }
        Err(why) => plan_without(run, "the embedded model", &why, pieces),
    }
    Ok(())
}

/// A model has no plan that counts: the question is planned by code, behind its beginning if that says nothing.
fn plan_without(run: &mut Planning<'_>, whose: &str, why: &str, pieces: &[Fragment]) {
    let why = format!("{whose} has no plan that counts: {why}");
    let Some(compound) = Compound::read_behind(&run.setup.question, pieces) else {
        run.journal.notice(RunStage::Plan, &format!("{why}; the question is planned without it"));
        return;
    };
    let reasoning = "they are all that the question asks behind its beginning".to_owned();
    let how = format!("{why}; code reads the question behind its beginning, which asks nothing");
    ask_in_new_parts(run, compound, reasoning, &how);
}

async fn proposed(
    run: &mut Planning<'_>,
    pieces: &[Fragment],
    hints: &FieldHints,
    guide: Option<&Action>,
    wrong: Option<&str>,
) -> Result<(Compound, String), Failed> {
    let Some(model) = run.decisions.model.clone() else {
        return Err(Failed::Silent("there is none".to_owned()));
    };
    let asker = run.setup.asker.preferences.for_planning();
    let practices = run.learner.chosen.as_ref().map_or(&[][..], |chosen| &chosen.practices);
    let told = prompt::told(&asker, practices);
    let prompt = prompt::prompt(&run.setup.question, hints, guide, &told, wrong);
    let (timeout, stop) = (run.timeout(), run.learner.stop.clone());
    let said = stop.run_until_cancelled(proposal::ask(&*model, prompt, prompt::schema(), timeout)).await;
    let text = said.ok_or(Failed::Stopped)?.map_err(Failed::Silent)?;
    let Proposal { queries, reasoning } =
        Proposal::read(&text).map_err(|error| Failed::Wrong(error.to_string()))?;
    let compound = Compound::of_parts(&run.setup.question, &queries, pieces)
        .map_err(|error| Failed::Wrong(error.to_string()))?;
    Ok((compound, reasoning))
}

/// The question is asked in parts that this run has found; a run that goes on from here finds them in the trace.
fn ask_in_new_parts(run: &mut Planning<'_>, compound: Compound, reasoning: String, how: &str) {
    let parts = compound.parts.iter().map(|part| part.text.clone()).collect();
    run.journal.emit(TraceEvent::TakenApart { parts, reasoning });
    run.journal.notice(RunStage::Plan, how);
    ask_in_parts(run, compound);
}

fn ask_in_parts(run: &mut Planning<'_>, compound: Compound) {
    let compound = Arc::new(compound);
    let fragments = run.setup.fragments.clone();
    run.setup.plan = Box::new(CompoundMap::new(Arc::clone(&compound), fragments));
    run.setup.compound = Some(compound);
    run.setup.query = None;
}

/// What the policy chooses for a question whose parts nobody knows yet: it guides the model, and then the plan.
async fn guide(run: &mut Planning<'_>, hints: &FieldHints) -> Option<Action> {
    let simplicity = run.learner.analysis.as_ref().map_or(0.5, |analysis| analysis.score);
    let asked = facts::before_parts(&run.setup.question, &run.setup.documents.names, hints, simplicity)
        .by(run.setup.asker.preferences.expertise);
    choose(run, asked).await
}

/// Whether a question asks for more than one thing, by its marks and joining words.
fn seems_compound(question: &str) -> bool {
    let [_, clauses, conjunctions, ..] = features(question);
    Compound::likely_parts(question) > 1 || clauses > 0.0 || conjunctions > 0.0
}
