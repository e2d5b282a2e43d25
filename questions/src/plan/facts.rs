//! What learning is told of questions and subtasks: plain values, so that it knows no plan.

use frlm_learning::planning::account::{Asked, PartFacts};
use frlm_learning::planning::steps::{self, StepKind, Weighed};

use super::Task;
use crate::question::FieldHints;
use crate::question::compound::Compound;

/// A question whose parts are known.
pub fn of_parts(question: &str, documents: &[String], compound: &Compound) -> Asked {
    let parts: Vec<PartFacts> = compound
        .parts
        .iter()
        .map(|part| PartFacts { text: &part.text, has_conditions: !part.query.conditions.is_empty() })
        .collect();
    Asked::of(question, documents, &parts)
}

/// A question whose parts are not known yet. `simplicity` is the question's, 0..=1.
pub fn before_parts(question: &str, documents: &[String], hints: &FieldHints, simplicity: f64) -> Asked {
    let is_value = |word: &str| !hints.owners(word).is_empty();
    Asked::before_parts(question, documents, Compound::likely_parts(question), is_value, simplicity)
}

/// How simple a subtask is, and who should answer it.
pub fn weigh(task: &Task) -> Weighed {
    steps::weigh(kind_of(task), task.question())
}

fn kind_of(task: &Task) -> StepKind {
    match task {
        Task::Compile(_) | Task::Plan(_) => StepKind::Compile,
        Task::Map { task, .. } if task.query.is_some() => StepKind::Copy,
        // A reviewer reads, too.
        Task::Map { .. } | Task::Reread { .. } | Task::Review(_) => StepKind::Read,
        Task::Combine(_) => StepKind::Write,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::dialect::MapTask;
    use crate::dialect::claims::Form;
    use crate::dialect::testing::{ORDERS, fragment};
    use crate::question::{field_hints, parse};

    use super::*;

    #[test]
    fn conditions_of_the_parts_are_told_to_the_policy() {
        let orders = [fragment("orders.log", ORDERS)];
        let question = "How many orders failed, and what is the largest amount?";
        let compound = Compound::read(question, &orders).unwrap();
        let documents = ["orders.log".to_owned()];
        let asked = of_parts(question, &documents, &compound);
        assert_eq!((asked.words, asked.parts, asked.has_constraints), (10, 2, true));
        assert!((asked.complexity - (1.0 - 0.80)).abs() < 1e-9, "neither part has an “and” of its own");
        let before = before_parts(question, &documents, &field_hints(&orders), 0.8);
        assert_eq!((before.words, before.parts, before.has_constraints), (10, 2, true));
    }

    #[test]
    fn a_question_with_a_query_is_copied_and_one_without_is_read() {
        let orders = fragment("orders.log", ORDERS);
        let question = "How many orders failed";
        let query = parse(question, &field_hints(std::slice::from_ref(&orders)));
        assert!(query.is_some());
        let fragment = Arc::new(orders);
        let task = |query| Task::Map {
            task: Arc::new(MapTask {
                question: question.to_owned(),
                query,
                manner: String::new(),
                form: Form::default(),
            }),
            fragment: Arc::clone(&fragment),
        };
        assert_eq!(weigh(&task(query)), steps::weigh(StepKind::Copy, question));
        assert_eq!(weigh(&task(None)), steps::weigh(StepKind::Read, question));
    }
}
