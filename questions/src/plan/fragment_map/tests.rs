use frlm_learning::planning::phrasing::Template;

use super::*;
use crate::dialect::testing::{ORDERS, fragment, fragments};

const QUESTION: &str = "What is said of the weather?";

/// A plan whose question is known to need words.
fn undecided(words_possible: bool) -> FragmentMap {
    let pieces: Vec<_> = fragments("orders.log", ORDERS, 100).into_iter().map(Arc::new).collect();
    let whole = Arc::new(fragment("orders.log", ORDERS));
    let mut plan = FragmentMap::new(QUESTION, None, FieldHints::default(), pieces, words_possible)
        .with_whole(Some(whole));
    let first = plan.next(&[], SubtaskId(0)).unwrap();
    assert_eq!(first.len(), 1, "the question is compiled");
    assert!(!plan.may_be_direct());
    plan
}

fn told_that_it_needs_words(plan: &mut FragmentMap) -> Result<Vec<Subtask>, PlanError> {
    let outcome = Outcome::Compiled(Compiled::Free);
    plan.next(&[Settled { id: SubtaskId(0), outcome: &outcome, confidence: 1.0 }], SubtaskId(1))
}

#[test]
fn a_simple_question_is_asked_of_the_whole_text_and_of_nothing_else() {
    let mut plan = undecided(true);
    assert!(told_that_it_needs_words(&mut plan).unwrap().is_empty());
    assert!(plan.may_be_direct());
    let whole = plan.ask_directly(true).unwrap();
    assert_eq!(whole.text.lines().count(), ORDERS.lines().count());
    let asked = plan.next(&[], SubtaskId(1)).unwrap();
    assert!(matches!(asked.as_slice(), [Subtask { task: Task::Map { fragment, task }, .. }]
            if Arc::ptr_eq(fragment, &whole) && task.query.is_none() && task.question == QUESTION));
    assert!(!plan.may_be_direct() && plan.ask_directly(true).is_none());
    let outcome = Outcome::Mapped(MapAnswer::Words { answer: "fair".to_owned(), quotes: Vec::new() });
    let after =
        plan.next(&[Settled { id: SubtaskId(1), outcome: &outcome, confidence: 1.0 }], SubtaskId(2)).unwrap();
    assert!(after.is_empty(), "there is nothing to combine");
}

#[test]
fn one_that_is_not_simple_is_asked_of_each_fragment() {
    let mut plan = undecided(true);
    told_that_it_needs_words(&mut plan).unwrap();
    assert!(plan.ask_directly(false).is_none());
    assert_eq!(plan.next(&[], SubtaskId(1)).unwrap().len(), ORDERS.lines().count().div_ceil(100));
}

#[test]
fn where_nobody_answers_in_words_there_is_nothing_to_decide() {
    let mut plan = undecided(false);
    assert_eq!(told_that_it_needs_words(&mut plan).unwrap_err(), PlanError::NeedsWords);
    assert!(!plan.may_be_direct());
}

/// What the providers of these subtasks would read.
fn read_by_providers(subtasks: &[Subtask]) -> Vec<String> {
    subtasks.iter().map(|subtask| format!("{:?}", subtask.prompt(frlm_inference::Dialect::Json))).collect()
}

#[test]
fn wishes_go_to_the_writer_of_the_answer_and_to_no_reader() {
    const MANNER: &str = "Write in this language: German.";
    let mut plan = undecided(true).in_manner(MANNER.to_owned());
    told_that_it_needs_words(&mut plan).unwrap();
    assert!(plan.ask_directly(false).is_none());
    let read = plan.next(&[], SubtaskId(1)).unwrap();
    assert!(read.len() > 1 && read_by_providers(&read).iter().all(|prompt| !prompt.contains("German")));
    let outcomes: Vec<Outcome> = (0..read.len())
        .map(|number| {
            Outcome::Mapped(MapAnswer::Words { answer: format!("rain {number}"), quotes: Vec::new() })
        })
        .collect();
    let settled: Vec<Settled<'_>> = (1..)
        .zip(&outcomes)
        .map(|(id, outcome)| Settled { id: SubtaskId(id), outcome, confidence: 1.0 })
        .collect();
    let first_id = SubtaskId(u32::try_from(read.len() + 1).unwrap());
    let written = plan.next(&settled, first_id).unwrap();
    assert_eq!(written.len(), 1);
    assert!(read_by_providers(&written)[0].contains(MANNER));

    let mut direct = undecided(true).in_manner(MANNER.to_owned());
    told_that_it_needs_words(&mut direct).unwrap();
    direct.ask_directly(true).unwrap();
    let asked = direct.next(&[], SubtaskId(1)).unwrap();
    assert!(read_by_providers(&asked)[0].contains(MANNER), "its reader has the last word");
}

#[test]
fn a_model_that_copies_fields_hears_no_wishes() {
    let piece = fragment("orders.log", ORDERS);
    let hints = crate::question::field_hints(std::slice::from_ref(&piece));
    let question = "How many orders failed?";
    let query = crate::question::parse(question, &hints);
    assert!(query.is_some());
    let mut plan = FragmentMap::new(question, query, hints, vec![Arc::new(piece)], true)
        .in_manner("Write in this language: German.".to_owned());
    let asked = plan.next(&[], SubtaskId(0)).unwrap();
    assert!(!read_by_providers(&asked)[0].contains("German"));
}

#[test]
fn readers_get_the_rephrased_question_and_the_writer_the_users_own() {
    let put = |template: Template, question: &str| template.for_reader(question).unwrap();
    let mut plan = undecided(true);
    plan.phrase(put(Template::StepByStep, QUESTION));
    told_that_it_needs_words(&mut plan).unwrap();
    assert!(plan.ask_directly(false).is_none());
    let read = plan.next(&[], SubtaskId(1)).unwrap();
    assert!(
        matches!(&read[0].task, Task::Map { task, .. } if task.question.starts_with("Step 1: What is said"))
    );

    let whole = vec![Arc::new(fragment("orders.log", ORDERS))];
    let mut only = FragmentMap::new(QUESTION, None, FieldHints::default(), whole, true);
    only.phrase(put(Template::ExpectedOutputFormat, QUESTION));
    only.next(&[], SubtaskId(0)).unwrap();
    let asked = told_that_it_needs_words(&mut only).unwrap();
    assert!(
        matches!(asked.as_slice(), [Subtask { task: Task::Map { task, .. }, .. }] if task.question == QUESTION),
        "it is no part of a text, and its words are the answer"
    );

    let pieces: Vec<_> = fragments("orders.log", ORDERS, 100).into_iter().map(Arc::new).collect();
    let hints = crate::question::field_hints(&[fragment("orders.log", ORDERS)]);
    let question = "How many orders failed?";
    let query = crate::question::parse(question, &hints);
    let mut plan = FragmentMap::new(question, query, hints, pieces, true);
    plan.phrase(put(Template::StepByStep, question));
    let copied = plan.next(&[], SubtaskId(0)).unwrap();
    assert!(
        matches!(&copied[0].task, Task::Map { task, .. } if task.question == question),
        "code finishes it"
    );
}
