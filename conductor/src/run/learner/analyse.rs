//! How simple a question is, and whether all of a short text is asked at once (function 6).

use std::time::Duration;

use frlm_learning::planning::analyse::Analysis;
use frlm_learning::planning::performance::Phase;
use frlm_questions::question::judge;
use tokio::task::JoinError;

use super::{Asking, Planning};
use crate::run::RunError;
use crate::trace::{RunStage, TraceEvent};

/// What the user's own model says of a question's simplicity; `None` where the run was stopped before.
pub(in crate::run) type Said = Option<Result<f64, judge::NoScore>>;

impl Asking {
    /// What the model says; `None` if none is asked.
    pub async fn said(&mut self) -> Option<Result<Said, JoinError>> {
        self.model.join_next().await
    }
}

/// Tells the plan, where it waits to be told; `false` where it does not, or where a model is asked first. A run that goes on
/// keeps to what was found when it began. Who answers, and how many, is the policy's and the user's word as for any other
/// subtask.
pub(in crate::run) fn analyse(run: &mut Planning<'_>) -> bool {
    if !run.setup.plan.may_be_direct() {
        return false;
    }
    let known = run.setup.known.analysed.take();
    let is_new = known.is_none();
    if known.is_none() && run.learner.analysis.is_none() {
        begin_analysis(run);
    }
    // Without a model it is known at once.
    let Some(analysis) = known.or_else(|| run.learner.analysis.clone()) else { return false };
    if is_new {
        run.journal.emit(TraceEvent::Analysed(analysis.clone()));
        run.journal.notice(RunStage::Analyse, &analysis.in_words());
    }
    if let Some(whole) = run.setup.plan.ask_directly(analysis.direct) {
        // It is the one fragment that the answer can rest on.
        run.setup.fragments = vec![whole];
        run.learner.direct = true;
    }
    true
}

/// Asks the user's own model how simple the question is, if there is one that answers in words, and has answered so far.
fn begin_analysis(run: &mut Planning<'_>) {
    let question = run.setup.question.clone();
    let Some(model) = run.decisions.model.clone().filter(|_| !run.learner.model_silent) else {
        note_simplicity(run, None);
        return;
    };
    let (timeout, stop): (Duration, _) = (run.timeout(), run.learner.stop.clone());
    run.learner
        .asking
        .model
        .spawn(async move { stop.run_until_cancelled(judge::ask(&*model, &question, timeout)).await });
}

/// The model has said it, or has not.
pub(in crate::run) fn on_simplicity(run: &mut Planning<'_>, said: Result<Said, JoinError>) {
    let by_model = match said {
        Ok(Some(said)) => simplicity(run, said),
        Ok(None) => None,
        Err(lost) => simplicity(run, Err(judge::NoScore::Silent(lost.to_string()))),
    };
    note_simplicity(run, by_model);
}

fn note_simplicity(run: &mut Planning<'_>, by_model: Option<f64>) {
    run.learner.analysis = Some(Analysis::of(&run.setup.question, by_model));
    run.learner.asking.has_news = true;
}

/// How simple the question is, before there is a plan; looked at once a run.
pub(super) async fn analysis(run: &mut Planning<'_>) -> Result<Analysis, RunError> {
    if run.learner.analysis.is_none() {
        let before = run.learner.watch.enter(Phase::Understanding);
        begin_analysis(run);
        if let Some(said) = run.learner.asking.said().await {
            if matches!(said, Ok(None)) {
                return Err(run.interrupted());
            }
            on_simplicity(run, said);
        }
        run.learner.watch.back_to(before);
    }
    let analysis = run.learner.analysis.clone();
    Ok(analysis.unwrap_or_else(|| Analysis::of(&run.setup.question, None)))
}

fn simplicity(run: &mut Planning<'_>, said: Result<f64, judge::NoScore>) -> Option<f64> {
    let why = match said {
        Ok(score) => return Some(score),
        Err(judge::NoScore::Silent(why)) => {
            run.learner.model_silent = true;
            why
        }
        Err(judge::NoScore::Invalid(why)) => why,
    };
    run.journal
        .notice(RunStage::Analyse, &format!("the model does not say how simple the question is: {why}"));
    None
}
