use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::json;

use super::*;
use crate::dialect::testing::{ORDERS, fragments};
use crate::dialect::{MapAnswer, RecordMatch};
use crate::plan::Task;

const FAILED: &str = "How many orders failed?";

/// What a scripted program does after each answer.
type Step = Box<dyn FnMut(Option<Reply>) -> Result<Said, Broken> + Send>;

struct Scripted(Step);

impl Script for Scripted {
    fn go_on(&mut self, reply: Option<Reply>, _stop: &AtomicBool) -> Result<Said, Broken> {
        (self.0)(reply)
    }
}

fn call(function: &str, arguments: Value) -> Said {
    let Value::Array(arguments) = arguments else { panic!("arguments are a list") };
    Said::Calls(Call { function: function.to_owned(), arguments, named: Map::new() })
}

fn pieces() -> Vec<Arc<Fragment>> {
    fragments("orders.log", ORDERS, 2).into_iter().map(Arc::new).collect()
}

fn plan(step: impl FnMut(Option<Reply>) -> Result<Said, Broken> + Send + 'static) -> ProgramPlan {
    ProgramPlan::new(Box::new(Scripted(Box::new(step))), "", pieces(), true)
}

/// Waits until the program has spoken, and asks the plan what follows.
fn next(plan: &mut ProgramPlan, settled: &[(u32, Outcome)], first: u32) -> Result<Vec<Subtask>, PlanError> {
    let settled: Vec<Settled<'_>> = settled
        .iter()
        .map(|(id, outcome)| Settled { id: SubtaskId(*id), outcome, confidence: 1.0 })
        .collect();
    let mut planned = plan.next(&settled, SubtaskId(first))?;
    let end = Instant::now() + Duration::from_mins(1);
    while plan.is_thinking() {
        assert!(Instant::now() < end, "the program says nothing");
        std::thread::yield_now();
        if plan.has_news() {
            let first = first + u32::try_from(planned.len()).unwrap();
            planned.extend(plan.next(&[], SubtaskId(first))?);
        }
    }
    Ok(planned)
}

/// So many records match, from this line on.
fn matching(lines: std::ops::Range<u32>) -> Outcome {
    let found = |line| RecordMatch { line, quote: format!("line {line}"), value: None, reported: None };
    Outcome::Mapped(MapAnswer::Records { matches: lines.map(found).collect() })
}

#[test]
fn one_question_of_each_fragment_is_a_subtask_each_and_gives_a_list() {
    let count = pieces().len();
    assert!(count > 1);
    let mut heard = None;
    let (tell, told) = std::sync::mpsc::channel();
    let mut plan = plan(move |reply| {
        if heard.replace(()).is_none() {
            return Ok(call("ask_each", json!([FAILED])));
        }
        tell.send(reply).unwrap();
        Ok(Said::Ended(Some("done".to_owned())))
    });
    let planned = next(&mut plan, &[], 0).unwrap();
    assert_eq!(planned.len(), count);
    assert!(planned.iter().all(|subtask| subtask.label().starts_with("call 1: lines ")));
    let keys: std::collections::HashSet<String> = planned.iter().map(Subtask::key).collect();
    assert_eq!(keys.len(), count);
    assert!(keys.iter().all(|key| crate::plan::fragment_of_key(key).is_some()), "{keys:?}");
    // Answers come in any order.
    let mut settled: Vec<(u32, Outcome)> = (0..).zip(&planned).map(|(id, _)| (id, matching(0..id))).collect();
    settled.reverse();
    let (some, rest) = settled.split_at(1);
    assert!(next(&mut plan, some, u32::try_from(count).unwrap()).unwrap().is_empty());
    assert!(!plan.is_thinking(), "it waits for the others");
    assert!(next(&mut plan, rest, u32::try_from(count).unwrap()).unwrap().is_empty());
    let counts: Vec<usize> = (0..count).collect();
    assert_eq!(told.recv().unwrap(), Some(Reply::Gives(json!(counts))));
    let account = plan.program().unwrap();
    assert_eq!((account.answer.as_deref(), account.ended), (Some("done"), true));
}

#[test]
fn a_question_is_not_asked_twice_and_may_rest_on_an_earlier_answer() {
    let mut calls = 0;
    let mut plan = plan(move |reply| {
        calls += 1;
        match (calls, reply) {
            (1, None) => Ok(call("ask", json!([FAILED]))),
            (2, Some(Reply::Gives(found))) => Ok(call("ask_each", json!([FAILED, [found]]))),
            (3, Some(Reply::Gives(again))) => Ok(call("ask", json!([FAILED, again[0]]))),
            (4, Some(Reply::Gives(last))) => Ok(Said::Ended(Some(last.to_string()))),
            other => panic!("{other:?}"),
        }
    });
    let planned = next(&mut plan, &[], 0).unwrap();
    let settled: Vec<(u32, Outcome)> =
        (0..).zip(&planned).map(|(id, _)| (id, matching(0..u32::from(id == 0)))).collect();
    let first = u32::try_from(planned.len()).unwrap();
    // One record matches in all: fragment 1 is asked alone, and it was asked before. None matches there: fragment 0.
    let more = next(&mut plan, &settled, first).unwrap();
    assert!(more.is_empty(), "{more:?}");
    assert_eq!(plan.program().unwrap().answer.as_deref(), Some("1"));
    let notes = plan.take_notes();
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert!(notes[0].starts_with("call 1: ask \"How many orders failed?\" of "), "{notes:?}");
}

#[test]
fn a_question_for_words_is_compiled_once_for_all_its_fragments() {
    let mut plan = plan(|_| Ok(call("ask_each", json!(["What is said of the weather?"]))));
    let planned = next(&mut plan, &[], 0).unwrap();
    assert_eq!(planned.len(), 1);
    assert!(matches!(planned[0].task, Task::Compile(_)));
    let free = Outcome::Compiled(crate::question::compile::Compiled::Free);
    let read = next(&mut plan, &[(0, free)], 1).unwrap();
    assert_eq!(read.len(), pieces().len());
    let Task::Map { task: first, .. } = &read[0].task else { panic!("{read:?}") };
    for subtask in &read {
        assert!(matches!(&subtask.task, Task::Map { task, .. } if Arc::ptr_eq(task, first)));
    }
}

#[test]
fn a_missing_answer_is_an_error_and_uncaught_it_is_not_the_programs_fault() {
    let mut asked = false;
    let mut plan = plan(move |reply| match (std::mem::replace(&mut asked, true), reply) {
        (false, None) => Ok(call("ask", json!([FAILED, 0]))),
        (true, Some(Reply::Raises(words))) => {
            Err(Broken(format!("Traceback (most recent call last):\nRuntimeError: {words}\n")))
        }
        other => panic!("{other:?}"),
    });
    assert_eq!(next(&mut plan, &[], 0).unwrap().len(), 1);
    assert!(!plan.is_thinking());
    assert!(plan.go_without());
    assert!(next(&mut plan, &[], 1).unwrap().is_empty());
    let account = plan.program().unwrap();
    assert!(account.ended && account.answer.is_none());
    assert!(!plan.go_without(), "it waits for nothing any more");
}

#[test]
fn a_program_that_fails_loops_or_ends_without_an_answer_is_an_error() {
    let error = |step: fn(Option<Reply>) -> Result<Said, Broken>| {
        let mut plan = plan(step);
        next(&mut plan, &[], 0).unwrap_err().to_string()
    };
    assert!(error(|_| Err(Broken("ZeroDivisionError".to_owned()))).contains("ZeroDivisionError"));
    assert!(error(|_| Ok(Said::Ended(None))).contains("ended without an answer"));
    // It asks in a way that takes nobody's time, for ever.
    assert!(error(|_| Ok(call("ask", json!([])))).contains("called more than 10000 times"));
    let each = || json!(["Who?", vec![0; MOST_QUESTIONS + 1]]);
    let mut plan = plan(move |_| Ok(call("ask_each", each())));
    assert!(next(&mut plan, &[], 0).unwrap_err().to_string().contains("more than 100000 questions"));
}

#[test]
fn a_program_that_is_not_wanted_any_more_is_stopped() {
    struct Endless(Arc<AtomicBool>);
    impl Script for Endless {
        fn go_on(&mut self, _reply: Option<Reply>, stop: &AtomicBool) -> Result<Said, Broken> {
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            self.0.store(true, Ordering::Relaxed);
            Err(Broken("stopped".to_owned()))
        }
    }
    let stopped = Arc::new(AtomicBool::new(false));
    let script = Box::new(Endless(Arc::clone(&stopped)));
    let mut plan = ProgramPlan::new(script, "", pieces(), true);
    assert!(plan.next(&[], SubtaskId(0)).unwrap().is_empty());
    assert!(plan.is_thinking() && plan.woken().is_some());
    drop(plan);
    assert!(stopped.load(Ordering::Relaxed), "its thread has ended with it");
}
