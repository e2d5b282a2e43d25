//! How simple a question is, and whether all of a short text is asked at once (function 6).

use frlm_learning::planning::analyse::Analysis;
use frlm_learning::planning::performance::Phase;

use crate::question::judge;
use crate::run::RunError;
use crate::run::driver::Run;
use crate::trace::TraceEvent;

impl Run {
    /// Tells the plan, where it waits to be told; `false` where it does not. A run that goes on keeps to what was found
    /// when it began. Who answers, and how many, is the policy's and the user's word as for any other subtask.
    pub(in crate::run) async fn analyse(&mut self) -> Result<bool, RunError> {
        if !self.setup.plan.may_be_direct() {
            return Ok(false);
        }
        let known = self.setup.known.analysed.take();
        let is_new = known.is_none();
        let analysis = match known {
            Some(known) => known,
            None => self.analysis().await?,
        };
        if is_new {
            self.journal.emit(TraceEvent::Analysed(analysis.clone()));
            self.decide("analyse", "proceed", &analysis.in_words());
        }
        if let Some(whole) = self.setup.plan.ask_directly(analysis.direct) {
            // It is the one fragment that the answer can rest on.
            self.setup.fragments = vec![whole];
            self.learner.direct = true;
        }
        Ok(true)
    }

    /// How simple the question is; looked at once a run.
    pub(super) async fn analysis(&mut self) -> Result<Analysis, RunError> {
        if let Some(known) = &self.learner.analysis {
            return Ok(known.clone());
        }
        let before = self.learner.watch.enter(Phase::Understanding);
        let by_model = self.simplicity_by_model().await?;
        self.learner.watch.back_to(before);
        let analysis = Analysis::of(&self.setup.question, by_model);
        self.learner.analysis = Some(analysis.clone());
        Ok(analysis)
    }

    /// What the user's own model says, if there is one that answers in words, and has answered so far.
    async fn simplicity_by_model(&mut self) -> Result<Option<f64>, RunError> {
        let Some(model) = self.desk.model().filter(|_| !self.learner.model_silent) else { return Ok(None) };
        let (timeout, stop) = (self.timeout(), self.learner.stop.clone());
        let said = stop.run_until_cancelled(judge::ask(&*model, &self.setup.question, timeout)).await;
        let why = match said.ok_or_else(|| self.interrupted())? {
            Ok(score) => return Ok(Some(score)),
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
        Ok(None)
    }
}
