//! Before a question is asked: how its parts are asked, where there is a choice.

use crate::brain::account::Asked;
use crate::run::driver::Run;
use crate::trace::TraceEvent;

impl Run {
    /// Has the policy choose, and the plan follow. A run that goes on keeps to what was chosen when it began. Without a
    /// policy, or where it cannot be read, the plan asks as it always does.
    pub(in crate::run) async fn choose_plan(&mut self) {
        let Some(compound) = self.setup.compound.as_deref().filter(|_| self.setup.plan.has_choice()) else {
            return;
        };
        let asked = Asked::of(&self.setup.question, &self.setup.documents, compound);
        if let Some(known) = self.setup.known.chosen.take() {
            self.setup.plan.follow(&known.action);
            self.brain.chosen = Some(known);
            return;
        }
        let Some(memory) = self.brain.memory.clone().filter(|_| !self.brain.damaged) else { return };
        let chosen = tokio::task::spawn_blocking(move || memory.choose(&asked)).await;
        let why = match chosen {
            Ok(Ok(chosen)) => {
                self.setup.plan.follow(&chosen.action);
                self.journal.emit(TraceEvent::Chosen(Box::new(chosen.clone())));
                self.brain.chosen = Some(chosen);
                return;
            }
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.decide("plan", "proceed", &format!("the parts are asked as they always are: {why}"));
    }
}
