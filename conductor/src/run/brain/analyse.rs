//! When it is known that a question needs words: whether all of a short text is asked at once (function 6).

use crate::brain::analyse::{Analysis, judge};
use crate::run::driver::Run;
use crate::trace::TraceEvent;

impl Run {
    /// Tells the plan, where it waits to be told; `false` where it does not. A run that goes on keeps to what was found
    /// when it began. Who answers, and how many, is the policy's and the user's word as for any other subtask.
    pub(in crate::run) async fn analyse(&mut self) -> bool {
        if !self.setup.plan.may_be_direct() {
            return false;
        }
        let analysis = match self.setup.known.analysed.take() {
            Some(known) => known,
            None => {
                let by_model = self.simplicity_by_model().await;
                let analysis = Analysis::of(&self.setup.question, by_model);
                self.journal.emit(TraceEvent::Analysed(analysis.clone()));
                self.decide("analyse", "proceed", &analysis.in_words());
                analysis
            }
        };
        if let Some(whole) = self.setup.plan.ask_directly(analysis.direct) {
            // It is the one fragment that the answer can rest on.
            self.setup.fragments = vec![whole];
            self.brain.direct = true;
        }
        true
    }

    /// What the user's own model says, if there is one that answers in words. It has the time that it has for any
    /// decision, and no more than the run has left.
    async fn simplicity_by_model(&mut self) -> Option<f64> {
        let model = self.desk.model()?;
        let left = self.setup.policy.timeout.total.saturating_sub(self.began.elapsed());
        let patience = self.setup.policy.decisions.patience.min(left);
        match judge::ask(&*model, &self.setup.question, patience).await {
            Ok(score) => Some(score),
            Err(why) => {
                self.decide(
                    "analyse",
                    "proceed",
                    &format!("the model does not say how simple the question is: {why}"),
                );
                None
            }
        }
    }
}
