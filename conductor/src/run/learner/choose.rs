//! Before a question is asked: how its parts are asked, where there is a choice.

use frlm_learning::planning::account::Asked;
use frlm_learning::planning::decompose::Action;
use frlm_questions::plan::facts;
use frlm_questions::question::FieldHints;

use super::Planning;
use crate::trace::{RunStage, TraceEvent};

/// Midway between complex and simple.
const UNKNOWN_SIMPLICITY: f64 = 0.5;

/// Has the policy choose, and the plan follow. Without a policy, or where it cannot be read, the plan asks as it
/// always does.
pub(in crate::run) async fn choose_plan(run: &mut Planning<'_>) {
    if !run.setup.plan.has_choice() {
        return;
    }
    let (question, documents) = (&run.setup.question, &run.setup.documents.names);
    let asked = match run.setup.compound.as_deref() {
        Some(compound) => facts::of_parts(question, documents, compound),
        // How simple it is nobody has said.
        None => facts::before_parts(question, documents, &FieldHints::default(), UNKNOWN_SIMPLICITY),
    };
    let asked = asked.by(run.setup.asker.preferences.expertise);
    if let Some(action) = choose(run, asked).await {
        run.setup.plan.follow(&action);
    }
}

/// What the policy chooses, once a run; a run that goes on keeps to what was chosen when it began.
pub(super) async fn choose(run: &mut Planning<'_>, asked: Asked) -> Option<Action> {
    if let Some(known) = run.setup.known.chosen.take() {
        run.learner.chosen = Some(known);
    }
    if let Some(chosen) = &run.learner.chosen {
        return Some(chosen.action);
    }
    let advisor = run.learner.advisor.clone().filter(|_| !run.learner.damaged)?;
    let chosen = tokio::task::spawn_blocking(move || advisor.choose(&asked)).await;
    let why = match chosen {
        Ok(Ok(chosen)) => {
            let action = chosen.action;
            run.journal.emit(TraceEvent::Chosen(Box::new(chosen.clone())));
            run.learner.chosen = Some(chosen);
            return Some(action);
        }
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    run.journal.notice(RunStage::Plan, &format!("the parts are asked as they always are: {why}"));
    None
}
