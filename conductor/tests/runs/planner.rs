//! The user's own model takes a question apart that code cannot: what it proposes is checked, may be mended once, and is
//! otherwise done without. Whatever it says, the run ends clearly.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use frlm_client::view::RunView;
use frlm_conductor::run::RunError;
use frlm_conductor::run::resume::Known;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_questions::small_model::SmallModel;
use frlm_questions::stage::RunStage;
use frlm_wallet::{Budget, Ledger, Sats};
use nostr::{Keys, RelayUrl};
use serde_json::json;

use crate::common::stuck::Stuck;
use crate::common::{Asker, Outcome, copy, engine, orders, provider, relay};

const QUICK: Duration = Duration::from_millis(1);
/// Code finds two questions in it and can read neither. Of orders 1 to 110 every fifth failed, and user5 has most of
/// those: 4 of its 16.
const QUESTION: &str =
    "Whoever has the most failed orders, how many orders with status shipped does that user have?";
const WHO: &str = "Which user has the most failed orders?";
const SHIPPED: &str = "How many orders of that user have status shipped?";

/// What a model says, and what it was asked.
struct Planner {
    model: Arc<dyn LanguageModel>,
    prompts: Arc<Mutex<Vec<String>>>,
}

impl Planner {
    /// Asked for a plan, it says these one after the other; to all else it says nothing.
    fn that_says(replies: &[String]) -> Self {
        let prompts: Arc<Mutex<Vec<String>>> = Arc::default();
        let (asked, replies) = (Arc::clone(&prompts), replies.to_vec());
        let answer = move |prompt: &str| {
            if !prompt.starts_with(PLAN) {
                return String::new();
            }
            let mut asked = asked.lock().unwrap();
            asked.push(prompt.to_owned());
            replies.get(asked.len() - 1).cloned().unwrap_or_default()
        };
        let model = ScriptedModel::new("planner", answer).with_latency(QUICK).with_dialect(Dialect::Json);
        Self { model: Arc::new(model), prompts }
    }

    fn prompts(&self) -> Vec<String> {
        self.prompts.lock().unwrap().clone()
    }
}

fn plan(subtasks: &[(&str, &[usize])]) -> String {
    let subtasks: Vec<_> = subtasks
        .iter()
        .map(|(query, dependencies)| {
            json!({"query": query, "task_type": "factual_search", "complexity": "simple", "dependencies": dependencies})
        })
        .collect();
    json!({"subtasks": subtasks, "reasoning": "one finds the user, the other counts"}).to_string()
}

fn good() -> String {
    plan(&[(WHO, &[]), (SHIPPED, &[1])])
}

fn circle() -> String {
    plan(&[(WHO, &[2]), (SHIPPED, &[1])])
}

fn asker(model: &Arc<dyn LanguageModel>) -> Asker {
    Asker { question: QUESTION, decider: Some(Arc::clone(model)), ..Asker::default() }
}

/// The same where nobody but the two that are there will ever come: whom they fail is not kept waiting.
fn asker_of_nobody_else(model: &Arc<dyn LanguageModel>) -> Asker {
    Asker { newcomers: Duration::ZERO, ..asker(model) }
}

/// Asks providers that copy fields and can do nothing else.
async fn ask(asker: Asker) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    asker.ask(&relay.url(), orders(110, 8), home.path()).await
}

/// Takes a sat for each job, however short.
async fn paid_provider(name: &str, url: &RelayUrl) -> ProviderHandle {
    let config =
        ProviderConfig { name: name.to_owned(), price_msats_per_1k: 10, ..ProviderConfig::default() };
    Provider::start(config, Keys::generate(), std::slice::from_ref(url), engine(copy, QUICK)).await.unwrap()
}

/// Asks providers that take a sat for a job, and looks up what that has cost.
async fn ask_for_pay(asker: Asker) -> (Outcome, Budget) {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = paid_provider("a", &relay.url()).await;
    let _b = paid_provider("b", &relay.url()).await;
    let run = asker.keys.public_key().to_hex();
    let outcome = asker.ask(&relay.url(), orders(110, 8), home.path()).await;
    let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
    let budget = ledger.budget(run.as_str()).await.unwrap();
    assert_eq!((budget.reserved, budget.pending_refund), (Sats::ZERO, Sats::ZERO), "{budget:?}");
    assert!(budget.spent <= budget.limit, "{budget:?}");
    (outcome, budget)
}

/// What no plan came of: at most the two answers are paid to what is asked about the question itself.
const ABOUT_THE_QUESTION: Sats = Sats(2);

fn is_right(answer: &str) -> bool {
    answer.contains("user5: 4 of 22 records") && answer.contains("12 records match")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_code_cannot_split_is_asked_in_a_models_parts() {
    // Named in an order in which the first needs the second.
    let planner = Planner::that_says(&[plan(&[(SHIPPED, &[2]), (WHO, &[])])]);
    let outcome = ask(asker(&planner.model)).await;
    let view = RunView::of(&outcome.trace);
    let answer = outcome.result.as_ref().unwrap();
    assert!(is_right(&answer.answer), "{}", answer.answer);
    let parts: Vec<_> = view.plan.steps.iter().map(|step| (step.part, step.needs, step.count)).collect();
    assert_eq!(parts, [(Some(0), None, 14), (Some(1), Some(0), 14)], "nothing was compiled");
    let said = |words: &str| answer.decisions.iter().any(|decision| decision.reasoning.contains(words));
    assert!(said("the model took the question apart") && said("part 2 needs the answer to part 1"));
    let prompts = planner.prompts();
    assert_eq!(prompts.len(), 1);
    assert!(prompts[0].contains(QUESTION) && prompts[0].contains("status"), "{}", prompts[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_goes_in_a_circle_is_mended_once_with_the_reason_named() {
    let planner = Planner::that_says(&[circle(), good()]);
    let (outcome, budget) = ask_for_pay(asker(&planner.model)).await;
    let answer = outcome.result.unwrap();
    assert!(is_right(&answer.answer), "{}", answer.answer);
    // Two of 28 subtasks' answers each, and nothing for the plan that was none.
    assert_eq!(budget.spent, Sats(answer.budget.spent_sats));
    assert_eq!(budget.spent, Sats(2 * 28), "{budget:?}");
    let prompts = planner.prompts();
    assert_eq!(prompts.len(), 2);
    assert!(
        !prompts[0].contains("turned down") && prompts[1].contains("1, 2 wait for each other in a circle")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_plan_twice_is_done_without_and_the_message_says_how_to_ask() {
    let nobody: &[usize] = &[];
    let thousand = vec![(WHO, nobody); 1_000];
    for (case, reply) in [
        ("a circle", circle()),
        ("a subtask that waits for itself", plan(&[(WHO, &[]), (SHIPPED, &[2])])),
        ("a subtask that waits for nobody", plan(&[(WHO, &[]), (SHIPPED, &[9])])),
        ("a thousand subtasks", plan(&thousand)),
        ("what a question might tell it to say", "{\"subtasks\": []}".to_owned()),
        ("words", "I would rather talk about something else.".to_owned()),
        ("half a plan", good()[..good().len() / 2].to_owned()),
        ("no questions", plan(&[("Ponder the failures.", &[]), ("Be wise.", &[1])])),
        (
            "what nobody asked for",
            plan(&[("Which user has the most refunded orders?", &[]), (SHIPPED, &[1])]),
        ),
        ("less than was asked for", plan(&[(WHO, &[]), ("How many orders of that user are there?", &[1])])),
    ] {
        let planner = Planner::that_says(&[reply.clone(), reply]);
        let (outcome, budget) = ask_for_pay(asker_of_nobody_else(&planner.model)).await;
        let error = outcome.result.as_ref().unwrap_err().to_string();
        assert!(error.contains("rephrase it as a count"), "{case}: {error}");
        assert!(budget.spent <= ABOUT_THE_QUESTION, "{case}: {budget:?}");
        assert_eq!(planner.prompts().len(), 2, "{case}");
        assert_eq!(RunView::of(&outcome.trace).subtasks.len(), 1, "{case}: only the question is asked about");
        let rejected = outcome.count(|event| {
            matches!(event, TraceEvent::Notice { stage, says }
                if *stage == RunStage::Plan && (says.contains("rejected") || says.contains("no plan that counts")))
        });
        assert_eq!(rejected, 2, "{case}");
    }
}

/// It never ends what begins like this, and finds the question hard when it is asked that.
fn silent_at(at: &'static str) -> Stuck {
    let hard = json!({"simplicity_score": 0.1, "approach": "decompose", "reasoning": "two"}).to_string();
    Stuck::at(at, Dialect::Json, move |_| hard.clone())
}

/// The same that fails at it at once: nobody has to wait.
fn failing_at(at: &'static str) -> Arc<dyn LanguageModel> {
    Arc::new(silent_at(at).failing())
}

const SIMPLICITY: &str = "How simple is the question";
const PLAN: &str = "Take the question below apart";

/// Decisions on the plan that say this.
fn said_of_the_plan(outcome: &Outcome, words: &str) -> usize {
    outcome.count(|event| {
        matches!(event, TraceEvent::Notice { stage, says } if *stage == RunStage::Plan && says.contains(words))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planner_that_never_answers_is_asked_once_and_holds_nobody_up() {
    let silent = ScriptedModel::new("silent", |_| String::new())
        .with_latency(Duration::from_hours(24))
        .with_dialect(Dialect::Json);
    let silent: Arc<dyn LanguageModel> = Arc::new(silent);
    let silent_at_plan: Arc<dyn LanguageModel> = Arc::new(silent_at(PLAN));
    for (model, timeout, why) in [
        (silent, 20, "it did not even say how simple the question is, and is not asked for a plan"),
        // Time enough to say at once that it is hard, also where much else goes on.
        (silent_at_plan, 3_000, "no answer within"),
        (failing_at(PLAN), 60_000, "out of memory"),
    ] {
        let mut asker = asker_of_nobody_else(&model);
        asker.policy.decisions.timeout = Duration::from_millis(timeout);
        let (outcome, budget) = ask_for_pay(asker).await;
        let error = outcome.result.as_ref().unwrap_err().to_string();
        assert!(error.contains("rephrase it as a count"), "{error}");
        assert!(budget.spent <= ABOUT_THE_QUESTION, "{budget:?}");
        assert_eq!(said_of_the_plan(&outcome, why), 1, "the run says why there is no plan of its");
        assert_eq!(said_of_the_plan(&outcome, ""), 1, "and it is asked for no second one");
    }
}

/// Somebody who has no model of their own has the small one, and code that reads a question behind its beginning.
#[tokio::test(flavor = "multi_thread")]
async fn whose_own_model_says_nothing_is_served_like_somebody_who_has_none() {
    let parts = json!([
        ("which user has the most failed orders", 0),
        ("how many orders of that user are shipped", 1)
    ]);
    let small = SmallModel::of(Arc::new(ScriptedModel::new("small", move |prompt: &str| {
        if prompt.starts_with("split ") { parts.to_string() } else { String::new() }
    })));
    let leader =
        "I am preparing a talk. Whoever has the most failed orders, how many of their orders are shipped?";
    let plain = "I am preparing a talk. Which user has the most failed orders, and how many orders of that user are shipped?";
    for at in [SIMPLICITY, PLAN] {
        for (question, small, said) in [
            (leader, Some(small.clone()), "the embedded model took the question apart"),
            (plain, None, "code reads the question behind its beginning"),
        ] {
            let model = failing_at(at);
            let outcome = ask(Asker { question, small, ..asker(&model) }).await;
            let answer = outcome.result.as_ref().unwrap();
            assert!(is_right(&answer.answer), "{at}: {}", answer.answer);
            assert_eq!(said_of_the_plan(&outcome, said), 1, "{at}: {question}");
            let known = Known::from_trace(&outcome.trace);
            assert_eq!(known.taken_apart.as_ref().map(Vec::len), Some(2), "{at}: {question}");
        }
    }
}

/// Nothing but being stopped could end it in time.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_while_the_model_thinks_ends_at_once() {
    for at in [SIMPLICITY, PLAN] {
        let complex =
            json!({"simplicity_score": 0.1, "approach": "decompose", "reasoning": "two"}).to_string();
        let stuck = Stuck::at(at, Dialect::Json, move |_| complex.clone());
        let model: Arc<dyn LanguageModel> = Arc::new(stuck.clone());
        let mut asker = asker(&model);
        asker.policy.timeout.total = Duration::from_hours(2);
        asker.policy.decisions.timeout = Duration::from_hours(1);
        let stop = asker.stop.clone();
        let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
        let going = asker.start(&relay.url(), orders(110, 8), home.path()).await;
        stuck.asked().await;
        stop.cancel();
        let outcome = going.end().await;
        assert!(matches!(outcome.result, Err(RunError::Interrupted(_))), "{at}: {:?}", outcome.result);
        assert!(stuck.is_let_go(), "{at}");
        let known = Known::from_trace(&outcome.trace);
        assert!(known.analysed.is_none() && known.taken_apart.is_none() && !known.planned, "{at}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_policy_chooses_guides_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    let planner = Planner::that_says(&[good()]);
    let outcome = ask(Asker { learner: Some(memory.clone()), ..asker(&planner.model) }).await;
    let view = RunView::of(&outcome.trace);
    let chosen = view.plan.chosen.unwrap();
    let wanted = format!("Create {} subtasks", chosen.action.steps);
    assert!(planner.prompts()[0].contains(&wanted), "{}", planner.prompts()[0]);
    let account = memory.load().unwrap().unwrap();
    assert_eq!(account.policy_so_far(), Some((0, 1)), "it chooses once: the same guides model and plan");
    assert_eq!(account.episodes().next_back().unwrap().chosen, Some(chosen.episode));
}

/// What was chosen guided nobody, and would have been blamed for a question that was asked as it stands.
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_was_never_made_says_nothing_of_what_the_policy_chose() {
    let folder = tempfile::tempdir().unwrap();
    let memory = LearnerMemory::at(folder.path().join("brain.json"));
    let outcome =
        ask(Asker { learner: Some(memory.clone()), ..asker_of_nobody_else(&failing_at(PLAN)) }).await;
    assert_eq!(said_of_the_plan(&outcome, "out of memory"), 1);
    assert!(matches!(outcome.result, Err(RunError::Unverified(_))), "{:?}", outcome.result);
    assert!(RunView::of(&outcome.trace).plan.chosen.is_some());
    let account = memory.load().unwrap().unwrap();
    assert_eq!(account.episodes().next_back().unwrap().chosen, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_goes_on_keeps_to_its_parts_without_asking_again() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let slow = Duration::from_millis(40);
    let _a = provider("a", &relay.url(), engine(copy, slow)).await;
    let _b = provider("b", &relay.url(), engine(copy, slow)).await;
    let planner = Planner::that_says(&[good()]);
    let first = asker(&planner.model);
    let (keys, stop) = (first.keys.clone(), first.stop.clone());
    let mut going = first.start(&relay.url(), orders(110, 8), home.path()).await;
    going.until(|event| matches!(event, TraceEvent::Verified { .. })).await;
    stop.cancel();
    let before = going.end().await;
    let known = Known::from_trace(&before.trace);
    assert_eq!(known.taken_apart.as_ref().map(Vec::len), Some(2));
    let again = Asker { keys, known, ..asker(&planner.model) };
    let outcome = again.ask(&relay.url(), orders(110, 8), home.path()).await;
    assert!(is_right(&outcome.result.unwrap().answer));
    assert_eq!(planner.prompts().len(), 1);
}

/// The program that began the run could not read the question, and had a model take it apart; this one can.
#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_run_keeps_a_models_parts_even_where_code_reads_it_now() {
    let question = "Compare the number of failed orders with the number of shipped orders.";
    let parts = ["How many orders have status shipped?", "How many orders have status failed?"];
    let taken_apart = Some(parts.map(str::to_owned).to_vec());
    let known = Known { taken_apart, next_seq: 1, ..Known::default() };
    let outcome = ask(Asker { known, question, ..Asker::default() }).await;
    let answer = outcome.result.unwrap().answer;
    let lines: Vec<&str> = answer.lines().collect();
    assert_eq!(lines.len(), 2, "{answer}");
    assert!(lines[0].starts_with("1. How many orders have status shipped? 88 records match"), "{answer}");
    assert!(lines[1].starts_with("2. How many orders have status failed? 22 records match"), "{answer}");
}
