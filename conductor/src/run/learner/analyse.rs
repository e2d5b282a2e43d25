//! How simple a question is, and whether all of a short text is asked at once (function 6).

use std::time::Duration;

use frlm_learning::planning::analyse::Analysis;
use frlm_learning::planning::performance::Phase;
use tokio::task::JoinError;

use super::Asking;
use crate::question::judge;
use crate::run::RunError;
use crate::run::driver::Run;
use crate::trace::TraceEvent;

/// What the user's own model says of a question's simplicity; `None` where the run was stopped before.
pub(in crate::run) type Said = Option<Result<f64, judge::NoScore>>;

impl Asking {
    /// What the model says; `None` if none is asked.
    pub async fn said(&mut self) -> Option<Result<Said, JoinError>> {
        self.model.join_next().await
    }
}

impl Run {
    /// Tells the plan, where it waits to be told; `false` where it does not, or where a model is asked first. A run that goes on
    /// keeps to what was found when it began. Who answers, and how many, is the policy's and the user's word as for any other
    /// subtask.
    pub(in crate::run) fn analyse(&mut self) -> bool {
        if !self.setup.plan.may_be_direct() {
            return false;
        }
        let known = self.setup.known.analysed.take();
        let is_new = known.is_none();
        if known.is_none() && self.learner.analysis.is_none() {
            self.begin_analysis();
        }
        // Without a model it is known at once.
        let Some(analysis) = known.or_else(|| self.learner.analysis.clone()) else { return false };
        if is_new {
            self.journal.emit(TraceEvent::Analysed(analysis.clone()));
            self.decide("analyse", "proceed", &analysis.in_words());
        }
        if let Some(whole) = self.setup.plan.ask_directly(analysis.direct) {
            // It is the one fragment that the answer can rest on.
            self.setup.fragments = vec![whole];
            self.learner.direct = true;
        }
        true
    }

    /// Asks the user's own model how simple the question is, if there is one that answers in words, and has answered so far.
    fn begin_analysis(&mut self) {
        let question = self.setup.question.clone();
        let Some(model) = self.decisions.desk.model().filter(|_| !self.learner.model_silent) else {
            self.note_simplicity(None);
            return;
        };
        let (timeout, stop): (Duration, _) = (self.timeout(), self.learner.stop.clone());
        self.learner
            .asking
            .model
            .spawn(async move { stop.run_until_cancelled(judge::ask(&*model, &question, timeout)).await });
    }

    /// The model has said it, or has not.
    pub(in crate::run) fn on_simplicity(&mut self, said: Result<Said, JoinError>) {
        let by_model = match said {
            Ok(Some(said)) => self.simplicity(said),
            Ok(None) => None,
            Err(lost) => self.simplicity(Err(judge::NoScore::Silent(lost.to_string()))),
        };
        self.note_simplicity(by_model);
    }

    fn note_simplicity(&mut self, by_model: Option<f64>) {
        self.learner.analysis = Some(Analysis::of(&self.setup.question, by_model));
        self.learner.asking.has_news = true;
    }

    /// How simple the question is, before there is a plan; looked at once a run.
    pub(super) async fn analysis(&mut self) -> Result<Analysis, RunError> {
        if self.learner.analysis.is_none() {
            let before = self.learner.watch.enter(Phase::Understanding);
            self.begin_analysis();
            if let Some(said) = self.learner.asking.said().await {
                if matches!(said, Ok(None)) {
                    return Err(self.interrupted());
                }
                self.on_simplicity(said);
            }
            self.learner.watch.back_to(before);
        }
        let analysis = self.learner.analysis.clone();
        Ok(analysis.unwrap_or_else(|| Analysis::of(&self.setup.question, None)))
    }

    fn simplicity(&mut self, said: Result<f64, judge::NoScore>) -> Option<f64> {
        let why = match said {
            Ok(score) => return Some(score),
            Err(judge::NoScore::Silent(why)) => {
                self.learner.model_silent = true;
                why
            }
            Err(judge::NoScore::Invalid(why)) => why,
        };
        self.decide(
            "analyse",
            "proceed",
            &format!("the model does not say how simple the question is: {why}"),
        );
        None
    }
}
