//! The small model inside the program takes a question apart and says what its parts came to, where the user has no model
//! for it. What it writes is not believed: a plan that asks something else does not count, and code reads what it can.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use frlm_client::view::RunView;
use frlm_conductor::run::RunError;
use frlm_conductor::run::resume::Known;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::Dialect;
use frlm_inference::scripted::ScriptedModel;
use frlm_questions::small_model::SmallModel;
use frlm_questions::stage::RunStage;
use serde_json::json;

use crate::common::stuck::Stuck;
use crate::common::{Asker, Outcome, copy, engine, orders, provider, relay};

const QUICK: Duration = Duration::from_millis(1);
/// Code does not read it. Of orders 1 to 110 every fifth failed, and user5 has most of those: 4 of its 16.
const QUESTION: &str =
    "I am preparing a talk. Whoever has the most failed orders, how many of their orders are shipped?";
const WHO: &str = "which user has the most failed orders";
const SHIPPED: &str = "how many orders of that user are shipped";

/// A small model, and what it was asked.
struct Small {
    model: SmallModel,
    prompts: Arc<Mutex<Vec<String>>>,
}

impl Small {
    fn that_says(plan: &[(&str, usize)], clauses: &[(&'static str, &'static str)]) -> Self {
        let prompts: Arc<Mutex<Vec<String>>> = Arc::default();
        let (asked, plan, clauses) = (Arc::clone(&prompts), json!(plan).to_string(), clauses.to_vec());
        let answer = move |prompt: &str| {
            asked.lock().unwrap().push(prompt.to_owned());
            if prompt.starts_with("split ") {
                return plan.clone();
            }
            let said = clauses.iter().find(|(about, _)| prompt.contains(about));
            said.map_or(String::new(), |(_, clause)| (*clause).to_owned())
        };
        Self { model: SmallModel::of(Arc::new(ScriptedModel::new("small", answer))), prompts }
    }

    fn prompts(&self) -> Vec<String> {
        self.prompts.lock().unwrap().clone()
    }
}

fn good(clauses: &[(&'static str, &'static str)]) -> Small {
    Small::that_says(&[(WHO, 0), (SHIPPED, 1)], clauses)
}

const CLAUSES: [(&str, &str); 2] = [
    ("most failed", "user user5 has the most failed orders"),
    ("shipped", "12 orders of user user5 are shipped"),
];

async fn ask(asker: Asker) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    asker.ask(&relay.url(), orders(110, 8), home.path()).await
}

fn asker(small: &Small) -> Asker {
    Asker { question: QUESTION, small: Some(small.model.clone()), ..Asker::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_takes_a_question_apart_and_says_what_the_parts_came_to() {
    let small = good(&CLAUSES);
    let outcome = ask(asker(&small)).await;
    let answer = outcome.result.as_ref().unwrap();
    let lines: Vec<&str> = answer.answer.lines().collect();
    assert!(
        lines[0].contains("user5: 4 of 22 records") && lines[1].contains("12 records match"),
        "{lines:?}"
    );
    assert_eq!(
        lines[2],
        "In short: user user5 has the most failed orders, and 12 orders of user user5 are shipped."
    );
    let said = |words: &str| answer.decisions.iter().any(|decision| decision.reasoning.contains(words));
    assert!(said("the embedded model took the question apart") && said("part 2 needs the answer to part 1"));
    let prompts = small.prompts();
    assert_eq!(prompts.len(), 3, "one plan, two clauses: {prompts:?}");
    assert!(prompts[0].starts_with("split ") && prompts[0].ends_with(QUESTION), "{}", prompts[0]);
    assert_eq!(prompts[2], "say\nhow many orders of user user5 are shipped\n12");
    let known = Known::from_trace(&outcome.trace);
    assert_eq!(known.taken_apart.as_ref().map(Vec::len), Some(2), "a run that goes on keeps to them");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clause_that_says_another_value_leaves_the_answer_as_it_is() {
    let wrong = [CLAUSES[0], ("shipped", "21 orders of user user5 are shipped")];
    let answer = ask(asker(&good(&wrong))).await.result.unwrap().answer;
    assert!(answer.contains("12 records match") && !answer.contains("In short"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_asks_something_else_is_done_without() {
    for plan in [
        &[(WHO, 0), ("how many orders are shipped", 0)][..],
        &[(WHO, 0), ("how many failed orders of that user are shipped", 1)],
        &[("which user has the most shipped orders", 0), ("how many orders of that user are failed", 1)],
        &[(WHO, 0), (SHIPPED, 0)],
        &[(WHO, 0), (SHIPPED, 1), (SHIPPED, 1)],
        &[(WHO, 0)],
    ] {
        let small = Small::that_says(plan, &[]);
        let outcome = ask(asker(&small)).await;
        let error = outcome.result.as_ref().unwrap_err().to_string();
        assert!(error.contains("rephrase it as a count"), "{plan:?}: {error}");
        assert_eq!(
            RunView::of(&outcome.trace).subtasks.len(),
            1,
            "{plan:?}: only the question is asked about"
        );
        let rejected = outcome.count(|event| {
            matches!(event, TraceEvent::Notice { says, .. } if says.contains("embedded model has no plan that counts"))
        });
        assert_eq!(rejected, 1, "{plan:?}");
        assert!(
            small.prompts().iter().all(|prompt| prompt.starts_with("split ")),
            "{plan:?}: nothing is said of it"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_rejected_plan_code_reads_the_question_behind_its_opening() {
    let question = "I am preparing a talk. Which user has the most failed orders, and how many orders of that user are shipped?";
    let small = Small::that_says(&[(WHO, 0), ("how many stst of that user are shipped", 1)], &[]);
    let outcome = ask(Asker { question, ..asker(&small) }).await;
    let answer = outcome.result.as_ref().unwrap();
    let lines: Vec<&str> = answer.answer.lines().collect();
    assert!(
        lines[0].contains("user5: 4 of 22 records") && lines[1].contains("12 records match"),
        "{lines:?}"
    );
    let said = |words: &str| answer.decisions.iter().any(|decision| decision.reasoning.contains(words));
    assert!(said("the embedded model has no plan that counts") && said("behind its beginning"));
    let known = Known::from_trace(&outcome.trace);
    assert_eq!(known.taken_apart.as_ref().map(Vec::len), Some(2), "a run that goes on keeps to them");
}

#[tokio::test(flavor = "multi_thread")]
async fn weights_that_do_not_load_hold_nobody_up() {
    let broken = SmallModel::new(|| {
        Box::pin(async {
            let (model, reason) = ("frlm-brain".to_owned(), "the disk is full".to_owned());
            Err(frlm_inference::ModelError::Load { model, reason })
        })
    });
    let outcome = ask(Asker { question: QUESTION, small: Some(broken), ..Asker::default() }).await;
    let error = outcome.result.as_ref().unwrap_err().to_string();
    assert!(error.contains("rephrase it as a count"), "{error}");
    let told = outcome
        .count(|event| matches!(event, TraceEvent::Notice { says, .. } if says.contains("the disk is full")));
    assert_eq!(told, 1);
}

/// A run whose small model is stuck there, stopped when it is; nothing but that could end it in time.
async fn stopped_at(at: &'static str, asker: Asker) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let plan = json!([(WHO, 0), (SHIPPED, 1)]).to_string();
    let stuck = Stuck::at(at, Dialect::Records, move |_| plan.clone());
    let small = SmallModel::of(Arc::new(stuck.clone()));
    let mut asker = Asker { question: QUESTION, small: Some(small), ..asker };
    asker.policy.timeout.total = Duration::from_hours(2);
    asker.policy.decisions.timeout = Duration::from_hours(1);
    let stop = asker.stop.clone();
    let going = asker.start(&relay.url(), orders(110, 8), home.path()).await;
    stuck.asked().await;
    stop.cancel();
    let outcome = going.end().await;
    assert!(stuck.is_let_go());
    outcome
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_stopped_while_planning_ends_at_once_and_plans_when_resumed() {
    let first = Asker::default();
    let keys = first.keys.clone();
    let stopped = stopped_at("split ", first).await;
    assert!(matches!(stopped.result, Err(RunError::Interrupted(_))), "{:?}", stopped.result);
    let known = Known::from_trace(&stopped.trace);
    assert!(known.next_seq > 0 && known.taken_apart.is_none() && !known.planned);
    let about_plans =
        stopped.count(|event| matches!(event, TraceEvent::Notice { stage, .. } if *stage == RunStage::Plan));
    assert_eq!(about_plans, 0, "nothing is said of a plan that nobody waited for");
    let small = good(&CLAUSES);
    let again = ask(Asker { keys, known, ..asker(&small) }).await;
    let answer = again.result.unwrap().answer;
    assert!(answer.contains("user5: 4 of 22 records") && answer.contains("12 records match"), "{answer}");
    assert!(small.prompts()[0].starts_with("split "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_while_it_writes_the_sentence_answers_without_it() {
    let outcome = stopped_at("say\n", Asker::default()).await;
    let answer = outcome.result.unwrap().answer;
    assert!(answer.contains("12 records match") && !answer.contains("In short"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_had_a_plan_keeps_to_it() {
    let small = good(&CLAUSES);
    let known = Known { planned: true, next_seq: 5, ..Known::default() };
    let outcome = ask(Asker { known, ..asker(&small) }).await;
    assert!(outcome.result.is_err(), "nobody here reads it as it stands");
    assert!(small.prompts().is_empty(), "what was asked before the run was stopped would be forgotten");
}
