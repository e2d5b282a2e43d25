//! Programs over a real relay and real providers. What runs them here is a closure; the sandbox's own tests and the
//! program's have the interpreter.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use frlm_questions::answer::Method;
use frlm_questions::plan::PlanError;
use frlm_questions::plan::program::{Broken, Call, Reply, Said, Script};
use frlm_questions::stage::RunStage;

use crate::common::{Asker, copy, engine, lie, orders, provider, relay};
use frlm_conductor::run::RunError;
use frlm_conductor::run::resume::Known;
use frlm_conductor::trace::TraceEvent;
use frlm_verifier::VerificationPolicy;
use serde_json::{Value, json};

const FAILED: &str = "How many orders have status failed?";

/// A program that is told its answers one after the other, from the first on.
struct Steps<Step>(Step);

impl<Step> Script for Steps<Step>
where
    Step: FnMut(Option<Reply>) -> Result<Said, Broken> + Send,
{
    fn go_on(&mut self, reply: Option<Reply>, _stop: &AtomicBool) -> Result<Said, Broken> {
        (self.0)(reply)
    }
}

fn call(function: &str, arguments: Value, named: Value) -> Said {
    let (Value::Array(arguments), Value::Object(named)) = (arguments, named) else {
        panic!("arguments are a list and an object");
    };
    Said::Calls(Call { function: function.to_owned(), arguments, named })
}

fn ended(answer: &Value) -> Said {
    Said::Ended(Some(answer.as_str().map_or_else(|| answer.to_string(), str::to_owned)))
}

/// Counts in each piece, and then asks only where something was found for whom most of it was.
fn drilling() -> Box<dyn Script> {
    let mut calls = 0;
    Box::new(Steps(move |reply: Option<Reply>| {
        calls += 1;
        Ok(match (calls, reply) {
            (1, None) => call("ask_each", json!([FAILED]), json!({})),
            (2, Some(Reply::Gives(Value::Array(counts)))) => {
                let found: Vec<usize> = counts
                    .iter()
                    .enumerate()
                    .filter(|(_, count)| **count != json!(0))
                    .map(|(at, _)| at)
                    .collect();
                assert!(!found.is_empty() && found.len() < counts.len(), "{counts:?}");
                call("ask", json!(["Which orders have status failed?", found]), json!({}))
            }
            (3, Some(Reply::Gives(found))) => ended(&found),
            other => panic!("{other:?}"),
        })
    }))
}

fn asker(program: Box<dyn Script>) -> Asker {
    Asker { question: "What failed?", program: Some(program), ..Asker::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_programs_later_questions_and_answer_rest_on_verified_answers() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, Duration::ZERO)).await;
    let _b = provider("b", &relay.url(), engine(copy, Duration::ZERO)).await;
    // Every fifth of twelve orders failed: pieces of three lines, of which one in two has one.
    let outcome = asker(drilling()).ask(&relay.url(), orders(12, 3), home.path()).await;
    let answer = outcome.result.as_ref().unwrap();
    assert_eq!(answer.method, Method::Program);
    assert!(answer.answer.contains('5') && answer.answer.contains("10"), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
    let cited: Vec<u32> = answer.citations.iter().map(|citation| citation.lines[0]).collect();
    assert_eq!(cited, [5, 10]);
    // Four pieces, and two of them again about something else.
    assert_eq!(answer.subtasks.total, 6);
    let labels: Vec<String> = outcome
        .trace
        .iter()
        .filter_map(|record| match &record.event {
            TraceEvent::Plan { subtasks } => Some(subtasks),
            _ => None,
        })
        .flatten()
        .map(|planned| planned.label.clone())
        .collect();
    let of = |call: &str| labels.iter().filter(|label| label.starts_with(call)).count();
    assert_eq!((of("call 1: "), of("call 2: ")), (4, 2), "{labels:?}");
    let noted = answer.decisions.iter().filter(|decision| decision.stage == RunStage::Program).count();
    assert_eq!(noted, 2, "{:?}", answer.decisions);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_stopped_goes_on_over_what_it_was_answered() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, Duration::ZERO)).await;
    let _b = provider("b", &relay.url(), engine(copy, Duration::ZERO)).await;
    let first = asker(drilling());
    let (keys, stop) = (first.keys.clone(), first.stop.clone());
    let mut going = first.start(&relay.url(), orders(12, 3), home.path()).await;
    let planned = |event: &TraceEvent| matches!(event, TraceEvent::Plan { subtasks } if subtasks.iter().any(|one| one.label.starts_with("call 2: ")));
    going.until(planned).await;
    stop.cancel();
    let before = going.end().await;
    let interrupted = matches!(before.result, Err(RunError::Interrupted(_)));
    let known = Known::from_trace(&before.trace);
    let verified = known.outcomes.len();
    assert!(verified >= 4 && (interrupted || before.result.is_ok()), "{verified}");
    let again = Asker { keys, known, ..asker(drilling()) };
    let answer = again.ask(&relay.url(), orders(12, 3), home.path()).await.result.unwrap();
    assert_eq!(answer.subtasks.cached, verified, "{:?}", answer.subtasks);
    assert_eq!(answer.subtasks.total, 6);
    assert!(answer.answer.contains('5') && answer.answer.contains("10"), "{}", answer.answer);
}

/// Asks once, and does this with what comes of it.
fn asking(named: Value, then: fn(Reply) -> Result<Said, Broken>) -> Box<dyn Script> {
    let mut named = Some(named);
    Box::new(Steps(move |reply: Option<Reply>| match reply {
        None => Ok(call("ask_each", json!([FAILED]), named.take().unwrap_or_else(|| json!({})))),
        Some(reply) => then(reply),
    }))
}

/// A provider that lies beside one that does not: no two agree.
async fn disputed(program: Box<dyn Script>) -> Result<frlm_questions::answer::Answer, RunError> {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, Duration::ZERO)).await;
    let _b = provider("b", &relay.url(), engine(lie, Duration::ZERO)).await;
    let mut asker = asker(program);
    asker.policy.verification = VerificationPolicy::Redundancy { replicas: 2, agree: 2 };
    asker.newcomers = Duration::from_millis(200);
    asker.ask(&relay.url(), orders(12, 3), home.path()).await.result
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_had_ends_a_program_that_does_not_catch_it() {
    let uncaught = asking(json!({}), |reply| match reply {
        Reply::Raises(words) => {
            assert!(words.starts_with("no verified answer could be had to "), "{words}");
            Err(Broken(format!("Traceback (most recent call last):\nRuntimeError: {words}")))
        }
        other => panic!("{other:?}"),
    });
    let error = disputed(uncaught).await.unwrap_err();
    assert!(matches!(&error, RunError::Unverified(words) if words.starts_with("no answer: ")), "{error:?}");
    assert_eq!(error.exit_code(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_goes_on_without_says_how_much_is_missing() {
    let caught = asking(json!({"missing": -1}), |reply| match reply {
        Reply::Gives(Value::Array(counts)) => {
            Ok(ended(&json!(counts.iter().filter(|count| **count == json!(-1)).count())))
        }
        other => panic!("{other:?}"),
    });
    let answer = disputed(caught).await.unwrap();
    assert!(answer.coverage < 1.0, "{}", answer.coverage);
    assert!(answer.answer.contains("are missing from this answer"), "{}", answer.answer);
    let check = answer.verification.final_check.unwrap();
    assert!(!check.passed && check.findings.iter().any(|finding| finding.contains("no verified answer")));
    assert!(answer.subtasks.failed > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_fails_ends_its_run_with_its_own_words() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, Duration::ZERO)).await;
    let _b = provider("b", &relay.url(), engine(copy, Duration::ZERO)).await;
    let failing = asking(json!({}), |_| Err(Broken("ZeroDivisionError: division by zero".to_owned())));
    let error = asker(failing).ask(&relay.url(), orders(12, 3), home.path()).await.result.unwrap_err();
    assert!(matches!(&error, RunError::Plan(PlanError::Program(words)) if words.contains("ZeroDivision")));
    assert_eq!(error.exit_code(), 1);
}

/// Says when it has begun, and computes until it is let go.
struct Computing {
    begun: Sender<()>,
    go: Mutex<Receiver<()>>,
}

impl Script for Computing {
    fn go_on(&mut self, _reply: Option<Reply>, stop: &AtomicBool) -> Result<Said, Broken> {
        let _ = self.begun.send(());
        let go = self.go.lock().unwrap();
        while !stop.load(std::sync::atomic::Ordering::Relaxed) {
            if go.recv_timeout(Duration::from_millis(5)).is_ok() {
                return Ok(ended(&json!("done")));
            }
        }
        Err(Broken("stopped".to_owned()))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_stops_while_its_program_computes_and_may_need_no_provider() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let computing = || {
        let ((begun, begins), (go, goes)) = (channel(), channel());
        (Box::new(Computing { begun, go: Mutex::new(goes) }), begins, go)
    };
    let (script, begins, _go) = computing();
    let first = asker(script);
    let stop = first.stop.clone();
    let going = first.start(&relay.url(), orders(12, 3), home.path()).await;
    tokio::task::spawn_blocking(move || begins.recv()).await.unwrap().unwrap();
    stop.cancel();
    assert!(matches!(going.end().await.result, Err(RunError::Interrupted(_))));

    let (script, _begins, go) = computing();
    go.send(()).unwrap();
    let answer = asker(script).ask(&relay.url(), orders(12, 3), home.path()).await.result.unwrap();
    assert_eq!((answer.answer.as_str(), answer.subtasks.total), ("done", 0));
    assert_eq!(answer.budget.spent_sats, 0);
}
