//! Before a question is asked: how its parts are asked, where there is a choice.

use crate::brain::account::Asked;
use crate::brain::domain::Domain;
use crate::brain::simplicity::{TaskType, simplicity};
use crate::question::compound::Compound;
use crate::run::RunSetup;
use crate::run::driver::Run;
use crate::trace::TraceEvent;

impl Run {
    /// Has the policy choose, and the plan follow. A run that goes on keeps to what was chosen when it began. Without a
    /// policy, or where it cannot be read, the plan asks as it always does.
    pub(in crate::run) async fn choose_plan(&mut self) {
        let Some(asked) = asked(&self.setup).filter(|_| self.setup.plan.has_choice()) else { return };
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

/// What the policy may know of a question that has parts.
fn asked(setup: &RunSetup) -> Option<Asked> {
    let compound: &Compound = setup.compound.as_deref()?;
    let score = |text: &str| simplicity(text, TaskType::FactualSearch, None).score;
    let parts = compound.parts.len();
    let simple = compound.parts.iter().map(|part| score(&part.text)).sum::<f64>() / parts.max(1) as f64;
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Some(Asked {
        domain: Domain::of(&setup.documents),
        complexity: 1.0 - simple,
        words: count(setup.question.split_whitespace().count()),
        parts: count(parts),
        has_constraints: compound.parts.iter().any(|part| !part.query.conditions.is_empty()),
    })
}
