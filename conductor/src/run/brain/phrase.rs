//! In which words readers are asked a question that code cannot finish (function 2, `improve_question_phrasing`).

use crate::brain::phrasing::{Phrased, phrasing_reward};
use crate::brain::steps::reading;
use crate::dialect::MapAnswer;
use crate::plan::{Outcome, Task};
use crate::run::driver::{Run, Slot, SlotState};

impl Run {
    /// Has what was learned choose. A run that goes on with a plan asks as the question stands: what its readers were asked
    /// before it was stopped is not known any more.
    pub(in crate::run) async fn choose_words(&mut self) {
        let is_read_by_code = self.setup.query.is_some() || self.setup.compound.is_some();
        // Nobody who reads all of it is asked as the reader of a part.
        let has_parts = self.setup.fragments.len() > 1;
        if is_read_by_code || !has_parts || self.setup.known.planned || self.brain.damaged {
            return;
        }
        let Some(memory) = self.brain.memory.clone() else { return };
        let question = self.setup.question.clone();
        let task_type = reading(&question);
        let chosen = tokio::task::spawn_blocking(move || memory.phrasing(task_type, &question)).await;
        let why = match chosen {
            Ok(Ok(template)) => {
                self.setup.plan.phrase(template);
                self.brain.phrased = Some((task_type, template));
                let way = template.name();
                format!(
                    "if it takes words, readers are asked {way}: by what questions of this kind came to before"
                )
            }
            Ok(Err(error)) => format!("readers are asked as the question stands: {error}"),
            Err(error) => format!("readers are asked as the question stands: {error}"),
        };
        self.decide("plan", "proceed", &why);
    }

    /// What the words in which readers were asked came to; `None` where nobody was asked in words. `coherence`: of the
    /// answer that came of it.
    pub(super) fn phrased(&self, coherence: f64) -> Option<Phrased> {
        let (task_type, template) = self.brain.phrased.filter(|_| !self.brain.direct)?;
        let read: Vec<&Slot> = self.slots.iter().filter(|slot| is_read(slot)).collect();
        if read.is_empty() {
            return None;
        }
        let share = |sum: f64| sum / read.len() as f64;
        let accepted = |slot: &&Slot| match &slot.state {
            SlotState::Accepted(accepted) => Some((accepted.agreement, is_specific(&accepted.outcome))),
            SlotState::Open | SlotState::GaveUp(_) => None,
        };
        let answers: Vec<(f64, bool)> = read.iter().filter_map(accepted).collect();
        // Clear is what all understood alike, specific what says what it rests on.
        let clarity = share(answers.iter().map(|(agreement, _)| agreement).sum());
        let answerability = share(answers.len() as f64);
        let specificity = share(answers.iter().filter(|(_, specific)| *specific).count() as f64);
        let worth = phrasing_reward(clarity, answerability, specificity, coherence);
        Some(Phrased { task_type, template, worth })
    }
}

fn is_read(slot: &Slot) -> bool {
    matches!(slot.task(), Task::Map { task, .. } if task.query.is_none())
}

/// Whether an answer names its lines, or says plainly that there is nothing.
fn is_specific(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Mapped(MapAnswer::Words { answer, quotes }) => answer.is_empty() || !quotes.is_empty(),
        _ => false,
    }
}
