//! The steps of a run's plan: subtasks that ask the same thing of different fragments.

use std::sync::Arc;

use frlm_learning::planning::hints::{HintRecord, hindsight};
use frlm_learning::planning::steps::Weighed;
use frlm_questions::plan::facts::weigh;
use frlm_questions::plan::{Subtask, Task};
use frlm_scheduler::SubtaskId;

use crate::run::subtasks::{Progress, SubtaskRecord};
use crate::trace::TraceEvent;

/// Characters of a step's text that the trace holds: every job has all of it anyway.
const LONGEST_TEXT: usize = 400;

/// A step, its subtasks and what the brain makes of it.
#[derive(Debug, Clone)]
pub struct Step {
    first: u32,
    count: u32,
    text: String,
    part: Option<usize>,
    needs: Option<usize>,
    pub weighed: Weighed,
}

/// The steps of subtasks that join the plan together, the first of which has this id. `needed`: the part that a part waits for.
pub fn steps_of(
    subtasks: &[Subtask],
    first: SubtaskId,
    needed: impl Fn(usize) -> Option<usize>,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut before: Option<&Task> = None;
    for (id, subtask) in (first.0..).zip(subtasks) {
        if let (Some(step), Some(before)) = (steps.last_mut(), before)
            && is_same(before, &subtask.task)
        {
            step.count += 1;
            continue;
        }
        before = Some(&subtask.task);
        let part = subtask.part().map(|part| part as usize);
        let needs = part.and_then(&needed);
        let text = subtask.task.question().chars().take(LONGEST_TEXT).collect();
        steps.push(Step { first: id, count: 1, text, part, needs, weighed: weigh(&subtask.task) });
    }
    steps
}

/// Whether two subtasks ask the same thing, of whatever fragments.
fn is_same(one: &Task, other: &Task) -> bool {
    match (one, other) {
        (Task::Map { task: one, .. }, Task::Map { task: other, .. }) => Arc::ptr_eq(one, other),
        // Digests that are planned together are one step, as fragments are.
        (Task::Combine(one), Task::Combine(other)) => !one.is_last() && !other.is_last(),
        _ => false,
    }
}

impl Step {
    /// For the trace.
    pub fn event(&self) -> TraceEvent {
        TraceEvent::Weighed {
            first: SubtaskId(self.first),
            count: self.count,
            text: self.text.clone(),
            part: self.part,
            needs: self.needs,
            weighed: Box::new(self.weighed.clone()),
        }
    }

    /// Its subtasks.
    pub fn subtasks<'run>(&self, subtasks: &'run [SubtaskRecord]) -> &'run [SubtaskRecord] {
        let (first, count) = (self.first as usize, self.count as usize);
        subtasks.get(first..first.saturating_add(count)).unwrap_or_default()
    }

    /// Whether its hint was followed, and whether that would have been right, for each of its subtasks.
    pub fn hint_record(&self, subtasks: &[SubtaskRecord]) -> HintRecord {
        let mut hints = HintRecord::default();
        for record in self.subtasks(subtasks) {
            let (answers, stood) = match &record.state {
                // What one agreed on stood; in doubt several were needed.
                Progress::Accepted(accepted) => {
                    (accepted.replicas as usize, accepted.agreement >= 1.0 && record.failures == 0)
                }
                Progress::Open | Progress::GaveUp(_) => (record.replicas.len(), false),
            };
            let (done, best) = hindsight(answers, stood);
            hints.note(self.weighed.hint.suggested, done, best);
        }
        hints
    }
}

#[cfg(test)]
mod tests {
    use frlm_learning::planning::hints::Suggested;
    use frlm_questions::dialect::testing::{ORDERS, SHOP, fragment, fragments};
    use frlm_questions::plan::{CompoundMap, FragmentMap, PlanSource as _};
    use frlm_questions::question::compound::Compound;
    use frlm_questions::question::{FieldHints, field_hints, parse};

    use super::*;

    #[test]
    fn a_map_over_fragments_is_one_step() {
        let pieces = fragments("orders.log", ORDERS, 8);
        let hints = field_hints(&pieces);
        let question = "How many orders failed?";
        let query = parse(question, &hints);
        let pieces: Vec<_> = pieces.into_iter().map(Arc::new).collect();
        let count = u32::try_from(pieces.len()).unwrap();
        let mut plan = FragmentMap::new(question, query, FieldHints::default(), pieces, false);
        let subtasks = plan.next(&[], SubtaskId(0)).unwrap();
        let steps = steps_of(&subtasks, SubtaskId(7), |_| None);
        assert_eq!(steps.len(), 1);
        assert!(count > 1 && (steps[0].first, steps[0].count) == (7, count));
        assert_eq!(steps[0].weighed.hint.suggested, Suggested::One);
    }

    #[test]
    fn the_parts_of_a_question_are_steps_that_know_what_they_wait_for() {
        let pieces = [fragment("orders.log", ORDERS), fragment("shop.log", SHOP)];
        let question =
            "Which user has the most failed orders, and how many errors did the log show for that user?";
        let compound = Arc::new(Compound::read(question, &pieces).unwrap());
        let pieces = pieces.into_iter().map(Arc::new).collect();
        let mut plan = CompoundMap::new(Arc::clone(&compound), pieces);
        let mut subtasks = plan.next(&[], SubtaskId(0)).unwrap();
        subtasks.extend(plan.to_come());
        let needs = |part: usize| Some(compound.parts[part].needs.as_ref()?.part);
        let steps = steps_of(&subtasks, SubtaskId(0), needs);
        let found: Vec<_> = steps.iter().map(|step| (step.first, step.part, step.needs)).collect();
        assert_eq!(found, [(0, Some(0), None), (1, Some(1), Some(0))]);
    }
}
