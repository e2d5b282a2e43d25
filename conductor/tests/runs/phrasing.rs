//! In which words readers are asked: a model of the user's own may put the question, and what it writes counts where it asks
//! the same.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use frlm_client::view::RunView;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_learning::planning::account::{LearnerAccount, Served};
use frlm_learning::planning::decompose::{Action, Moment};
use frlm_learning::planning::domain::Domain;
use frlm_learning::planning::hints::HintRecord;
use frlm_learning::planning::phrasing::{Phrased, Tally, Template};
use frlm_learning::planning::reward;
use frlm_learning::planning::satisfaction::Satisfaction;
use frlm_learning::planning::simplicity::TaskType;
use frlm_verifier::VerificationPolicy;
use serde_json::json;

use crate::common::stuck::Stuck;
use crate::common::{Asker, Outcome, orders, provider, relay};

const QUICK: Duration = Duration::from_millis(1);
/// Nothing that code reads, and no bounds that could come first.
const QUESTION: &str = "Who is named in the log?";
const PUT: &str = "Name everybody who is named in this part of the log.";

/// A general model that reads a part's first line, and keeps what it was asked about the question.
fn general(put: String, asked: &Arc<Mutex<Vec<String>>>) -> Arc<dyn LanguageModel> {
    let model = ScriptedModel::new("general", says(put, Arc::clone(asked)));
    Arc::new(model.with_latency(QUICK).with_dialect(Dialect::Json))
}

/// What it says.
fn says(put: String, asked: Arc<Mutex<Vec<String>>>) -> impl Fn(&str) -> String + Send + Sync + 'static {
    move |prompt: &str| {
        if prompt.contains("Turn it into a query") {
            return json!({"reduction": "free", "measure": null, "report": null, "conditions": []})
                .to_string();
        }
        if prompt.starts_with("Improve the question below") {
            asked.lock().unwrap().push(prompt.to_owned());
            return put.clone();
        }
        if prompt.contains("How simple is the question below?") {
            return json!({"simplicity_score": 0.1}).to_string();
        }
        let line = prompt.lines().find_map(|line| {
            let (number, text) = line.split_once('|')?;
            Some((number.trim().parse::<u32>().ok()?, text.trim()))
        });
        // It cannot put notes together: they are shown side by side then.
        let Some((line, text)) = line else { return String::new() };
        json!({"claims": [{"lines": [[line, line]], "claim": text}]}).to_string()
    }
}

/// Past questions of this kind, put in every way that code knows: only the model's was never tried.
fn all_ways_but_the_models(memory: &LearnerMemory) {
    let mut account = LearnerAccount::default();
    let known = [
        Template::SpecificWithContext,
        Template::StepByStep,
        Template::ExpectedOutputFormat,
        Template::AsAsked,
    ];
    for (number, template) in (1..).zip(known) {
        let served = Served {
            run_id: format!("past {number}"),
            question: "Who?".to_owned(),
            domain: Domain::Other,
            action: Action::STATIC,
            chosen: None,
            test: None,
            explored: false,
            hints: HintRecord::default(),
            phrased: Some(Phrased { task_type: TaskType::FactualSearch, template, worth: 0.9 }),
            correctness: 1.0,
            subtasks: 4,
            providers: 2,
            moment: Moment::default(),
            answered: true,
            outcome: reward::Outcome {
                success: 1.0,
                satisfaction: Satisfaction::Guessed(0.5),
                latency_secs: 1.0,
                simplicity: 0.8,
                coherence: 1.0,
                steps: 2,
                complex: true,
            },
        };
        account.note(&served, number);
    }
    assert!(memory.begin(&account).unwrap());
}

/// Asks over five fragments with a model of the user's own that puts questions like this; what came of it, what the model
/// was asked to put, and what is known of its way now.
async fn asked(put: &str) -> (Outcome, Vec<String>, Tally) {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let memory = LearnerMemory::at(home.path().join("brain.json"));
    all_ways_but_the_models(&memory);
    let prompts = Arc::default();
    let _reader = provider("reader", &relay.url(), general(String::new(), &Arc::default())).await;
    let decider = Some(general(json!({ "question": put }).to_string(), &prompts));
    let learner = Some(memory.clone());
    let mut asker = Asker { question: QUESTION, decider, learner, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::None;
    let outcome = asker.ask(&relay.url(), orders(40, 8), home.path()).await;
    let account = memory.load().unwrap().unwrap();
    let tally = account.phrasings().tally(TaskType::FactualSearch, Template::Rewrite);
    let prompts = prompts.lock().unwrap().clone();
    (outcome, prompts, tally)
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_are_asked_as_a_model_puts_the_question_and_that_is_counted() {
    let (outcome, prompts, tally) = asked(PUT).await;
    let view = RunView::of(&outcome.trace);
    assert!(view.plan.steps.iter().any(|step| step.text == PUT && step.count == 5), "{:?}", view.plan.steps);
    let answer = outcome.result.unwrap();
    let said = |words: &str| answer.decisions.iter().any(|decision| decision.reasoning.contains(words));
    assert!(said("as a model puts it") && said(PUT), "{:?}", answer.decisions);
    assert_eq!(prompts.len(), 1);
    assert!(prompts[0].contains(QUESTION) && prompts[0].contains("Task type: facts"), "{}", prompts[0]);
    assert!(tally.uses == 1 && tally.mean().is_some_and(|worth| worth > 0.5), "{tally:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_asks_something_else_is_not_asked_and_was_worth_nothing() {
    let (outcome, _, tally) = asked("Who is named only in line 7 of the log?").await;
    let view = RunView::of(&outcome.trace);
    assert!(view.plan.steps.iter().all(|step| step.text == QUESTION), "{:?}", view.plan.steps);
    let answer = outcome.result.unwrap();
    let said = |words: &str| answer.decisions.iter().any(|decision| decision.reasoning.contains(words));
    assert!(said("does not count: \"only\" was not asked"), "{:?}", answer.decisions);
    assert_eq!(tally, Tally { uses: 1, worth: 0.0 });
}

/// It would be another wait for nothing, and its way to put questions would seem to be worth nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_silent_on_the_plan_is_not_asked_to_rephrase_either() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let memory = LearnerMemory::at(home.path().join("brain.json"));
    all_ways_but_the_models(&memory);
    let prompts: Arc<Mutex<Vec<String>>> = Arc::default();
    let _reader = provider("reader", &relay.url(), general(String::new(), &Arc::default())).await;
    let answer = says(json!({ "question": PUT }).to_string(), Arc::clone(&prompts));
    let silent: Arc<dyn LanguageModel> =
        Arc::new(Stuck::at("Take the question below apart", Dialect::Json, answer).failing());
    let question = "Who is named in the log, and which of them is named first?";
    let learner = Some(memory.clone());
    let mut asker = Asker { question, decider: Some(silent), learner, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::None;
    let outcome = asker.ask(&relay.url(), orders(40, 8), home.path()).await;
    let without_plan = outcome.count(|event| {
        matches!(event, TraceEvent::Notice { says, .. }
            if says.contains("the model has no plan that counts: generation failed"))
    });
    assert_eq!(without_plan, 1);
    assert!(prompts.lock().unwrap().is_empty(), "{prompts:?}");
    let account = memory.load().unwrap().unwrap();
    let tally = account.phrasings().tally(TaskType::FactualSearch, Template::Rewrite);
    assert_eq!(tally, Tally::default(), "its way was not tried");
}
