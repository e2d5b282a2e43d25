//! The brain in runs: steps are weighed, hints are given, and what became of them is told.

use std::sync::Arc;
use std::time::Duration;

use frlm_client::view::RunView;
use frlm_conductor::run::RunError;
use frlm_conductor::run::resume::Known;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_learning::planning::account::memory::LearnerMemory;
use frlm_learning::planning::domain::Domain;
use frlm_learning::planning::hints::Suggested;
use frlm_learning::planning::satisfaction::Satisfaction;
use frlm_learning::routing::RoutingMemory;
use frlm_questions::answer::Method;
use frlm_questions::stage::RunStage;
use frlm_verifier::VerificationPolicy;
use serde_json::json;

use crate::common::{Asker, Outcome, copy, engine, lie, orders, provider, relay};

const QUICK: Duration = Duration::from_millis(1);
/// Of orders 1 to 110 every fifth failed, and user5 has most of those: 4 of its 16.
const IN_PARTS: &str =
    "Which user has the most failed orders, and how many orders of that user have status shipped?";

#[tokio::test(flavor = "multi_thread")]
async fn every_subtask_has_a_score_and_a_hint_and_a_dispute_makes_it_wrong() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let _liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let outcome = Asker::default().ask(&relay.url(), orders(100, 4), home.path()).await;
    let weighed = outcome.count(|event| matches!(event, TraceEvent::Weighed { .. }));
    let view = RunView::of(&outcome.trace);
    assert!(outcome.result.unwrap().answer.starts_with("20 "));
    assert_eq!(
        (weighed, view.plan.steps.len(), view.subtasks.len()),
        (1, 1, 25),
        "a map over fragments is one step"
    );
    let step = &view.plan.steps[0];
    assert!((0..25).all(|subtask| view.plan.step_of(subtask) == Some(step)));
    assert!((step.weighed.simplicity.score - 0.80).abs() < 1e-9);
    assert_eq!(step.weighed.hint.suggested, Suggested::One);
    // Two had to agree everywhere: the policy outranks the hint. Where nobody lied, one would have been enough.
    let record = step.hint_record(&view.subtasks);
    let undisputed = view.subtasks.iter().filter(|lane| !lane.dissent).count();
    assert!(undisputed < 25, "the liar was never asked");
    assert_eq!((record.given(), record.follow_rate()), (25, Some(0.0)));
    assert_eq!(record.accuracy(), Some(undisputed as f64 / 25.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_evaluated_by_its_measurements_and_a_rating_counts_once() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let memory = LearnerMemory::at(home.path().join("brain.json"));
    let asker = Asker { learner: Some(memory.clone()), ..Asker::default() };
    let run = asker.keys.public_key().to_hex();
    let outcome = asker.ask(&relay.url(), orders(100, 4), home.path()).await;
    outcome.result.as_ref().unwrap();
    let evaluated = RunView::of(&outcome.trace).evaluation.run.unwrap();
    let last = outcome.trace.last().map(|record| &record.event);
    assert!(matches!(last, Some(TraceEvent::RunDone { .. })), "the run ends with its answer");
    let appraisal = evaluated.appraisal;
    assert!(evaluated.kept);
    // All agreed, it was the first of its kind, and one provider would have been enough everywhere.
    assert!((appraisal.evaluation.batch - 1.0).abs() < 1e-9, "{appraisal:?}");
    assert_eq!((evaluated.hints.given(), evaluated.hints.follow_rate()), (25, Some(0.0)));
    let account = memory.load().unwrap().unwrap();
    let episode = account.episodes().next().unwrap();
    assert_eq!(
        (episode.run_id.as_str(), episode.outcome, episode.answered),
        (run.as_str(), evaluated.outcome, true)
    );
    assert!((account.score() - 0.55).abs() < 1e-9 && (episode.reward - appraisal.reward).abs() < 1e-9);
    assert!((evaluated.outcome.success - 1.0).abs() < 1e-9 && evaluated.outcome.latency_secs > 0.0);
    let performance = account.performance();
    assert_eq!(
        (performance.measured(), performance.shares()),
        (1, [1.0, 0.0, 0.0, 0.0]),
        "one number of many"
    );
    let secs = performance.secs();
    let all: f64 = secs.iter().sum();
    assert!(secs.iter().all(|secs| *secs > 0.0) && all <= evaluated.outcome.latency_secs + 1.0, "{secs:?}");
    assert!(memory.rate(&run, Satisfaction::Stars(5)).unwrap());
    assert!(!memory.rate(&run, Satisfaction::Stars(1)).unwrap());
    let rated = memory.load().unwrap().unwrap();
    assert!((rated.domains()[&Domain::Other].rewards.mean - appraisal.reward - 0.25 * 0.5).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_any_learning_gives_the_same_answer() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let learner = Some(LearnerMemory::at(home.path().join("brain.json")));
    let routing = Some(RoutingMemory::at(home.path().join("routing.json")));
    let advised = Asker { learner, routing, question: IN_PARTS, ..Asker::default() };
    let advised = advised.ask(&relay.url(), orders(110, 8), home.path()).await;
    let alone = Asker { question: IN_PARTS, ..Asker::default() };
    let alone = alone.ask(&relay.url(), orders(110, 8), home.path()).await;
    let advice = |event: &TraceEvent| matches!(event, TraceEvent::Chosen(_) | TraceEvent::Routed { .. });
    assert!(advised.count(advice) > 1, "a plan and venues were advised");
    assert_eq!(alone.count(advice), 0);
    let kept = |event: &TraceEvent| matches!(event, TraceEvent::Evaluated { kept: true, .. });
    assert_eq!((advised.count(kept), alone.count(kept)), (1, 0));
    let (advised, alone) = (advised.result.unwrap(), alone.result.unwrap());
    assert!(alone.answer.contains("12 records match"), "{}", alone.answer);
    assert_eq!(advised.answer, alone.answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_learning_record_is_named_and_set_aside_and_the_run_answers() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let path = home.path().join("brain.json");
    std::fs::write(&path, "{\"format\":\"frlm-brain\",\"version\":1,\"body\":{\"score\":").unwrap();
    let memory = LearnerMemory::at(&path);
    let asker = Asker { learner: Some(memory.clone()), question: IN_PARTS, ..Asker::default() };
    let outcome = asker.ask(&relay.url(), orders(110, 8), home.path()).await;
    let answer = outcome.result.as_ref().unwrap();
    assert!(answer.answer.contains("12 records match"), "{}", answer.answer);
    let said = answer.decisions.iter().find(|decision| decision.stage == RunStage::Learn).unwrap();
    assert!(said.reasoning.contains("brain.damaged"), "{}", said.reasoning);
    assert!(home.path().join("brain.damaged").exists());
    let chosen = outcome.count(|event| matches!(event, TraceEvent::Chosen(_)));
    assert_eq!(chosen, 0, "the parts are asked as they are without a policy");
    assert_eq!(memory.load().unwrap().unwrap().episodes().len(), 1, "a new account has begun");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_stopped_says_nothing_of_the_swarm() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, Duration::from_millis(60))).await;
    let _b = provider("b", &relay.url(), engine(copy, Duration::from_millis(60))).await;
    let memory = LearnerMemory::at(home.path().join("brain.json"));
    let asker = Asker { learner: Some(memory.clone()), ..Asker::default() };
    let stop = asker.stop.clone();
    let mut going = asker.start(&relay.url(), orders(120, 4), home.path()).await;
    going.until(|event| matches!(event, TraceEvent::Verified { .. })).await;
    stop.cancel();
    let outcome = going.end().await;
    assert!(matches!(outcome.result, Err(RunError::Interrupted(_))));
    assert_eq!(memory.load().unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_in_parts_is_asked_as_the_policy_chose_and_comes_out_right() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let memory = LearnerMemory::at(home.path().join("brain.json"));
    let ask = || Asker { learner: Some(memory.clone()), question: IN_PARTS, ..Asker::default() };
    for number in 0..3 {
        let outcome = ask().ask(&relay.url(), orders(110, 8), home.path()).await;
        let view = RunView::of(&outcome.trace);
        let answer = outcome.result.unwrap().answer;
        assert!(answer.contains("user5: 4 of 22 records") && answer.contains("12 records match"), "{answer}");
        let chosen = view.plan.chosen.unwrap();
        let parts: Vec<_> = view.plan.steps.iter().map(|step| (step.part, step.needs, step.count)).collect();
        assert_eq!(parts, [(Some(0), None, 14), (Some(1), Some(0), 14)]);
        let account = memory.load().unwrap().unwrap();
        let episode = account.episodes().next_back().unwrap();
        assert_eq!((episode.chosen, episode.action), (Some(chosen.episode), chosen.action));
        assert_eq!(episode.outcome.steps, 2);
        assert_eq!(account.policy_so_far(), Some((0, number + 1)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_goes_on_keeps_to_what_was_chosen_when_it_began() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let slow = Duration::from_millis(40);
    let _a = provider("a", &relay.url(), engine(copy, slow)).await;
    let _b = provider("b", &relay.url(), engine(copy, slow)).await;
    let memory = LearnerMemory::at(home.path().join("brain.json"));
    let first = Asker { learner: Some(memory.clone()), question: IN_PARTS, ..Asker::default() };
    let (keys, stop) = (first.keys.clone(), first.stop.clone());
    let mut going = first.start(&relay.url(), orders(110, 8), home.path()).await;
    going.until(|event| matches!(event, TraceEvent::Verified { .. })).await;
    stop.cancel();
    let before = going.end().await;
    let known = Known::from_trace(&before.trace);
    let chosen = RunView::of(&before.trace).plan.chosen.unwrap();
    assert_eq!(known.chosen.as_ref(), Some(&chosen));
    let again = Asker { keys, known, learner: Some(memory.clone()), question: IN_PARTS, ..Asker::default() };
    let outcome = again.ask(&relay.url(), orders(110, 8), home.path()).await;
    assert_eq!(outcome.count(|event| matches!(event, TraceEvent::Chosen(_))), 0, "nothing is chosen again");
    assert!(outcome.result.unwrap().answer.contains("12 records match"));
    let account = memory.load().unwrap().unwrap();
    assert_eq!(account.episodes().next_back().unwrap().chosen, Some(chosen.episode));
}

/// Nothing that code reads, and what the classifier takes for a single fact.
const IN_WORDS: &str = "Who is named in the log?";

/// A general model: it reads a part's first line, and says that a question is so simple.
fn reader(simplicity: &'static str) -> Arc<dyn LanguageModel> {
    let answer = move |prompt: &str| {
        if prompt.contains("Turn it into a query") {
            return json!({"reduction": "free", "measure": null, "report": null, "conditions": []})
                .to_string();
        }
        if prompt.contains("How simple is the question below?") {
            return simplicity.to_owned();
        }
        let line = prompt.lines().find_map(|line| {
            let (number, text) = line.split_once('|')?;
            Some((number.trim().parse::<u32>().ok()?, text.trim()))
        });
        // It cannot put notes together: they are shown side by side then.
        let Some((line, text)) = line else { return String::new() };
        json!({"claims": [{"lines": [[line, line]], "claim": text}]}).to_string()
    };
    Arc::new(ScriptedModel::new("reader", answer).with_latency(QUICK).with_dialect(Dialect::Json))
}

/// Asks over 40 lines in five fragments, which are one prompt for a reader of words.
async fn in_words(decider: Option<Arc<dyn LanguageModel>>) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _reader = provider("reader", &relay.url(), reader("")).await;
    let mut asker = Asker { question: IN_WORDS, decider, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::None;
    asker.whole = orders(40, 40).pop();
    assert_eq!(orders(40, 8).len(), 5);
    asker.ask(&relay.url(), orders(40, 8), home.path()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_simple_question_that_needs_words_is_asked_of_a_short_text_at_once() {
    for (decider, by_model) in [(None, None), (Some(reader("{\"simplicity_score\": 0.9}")), Some(0.9))] {
        let outcome = in_words(decider).await;
        let view = RunView::of(&outcome.trace);
        let analysis = view.plan.analysis.clone().unwrap();
        assert!(analysis.direct && analysis.by_model == by_model, "{analysis:?}");
        assert_eq!(
            Known::from_trace(&outcome.trace).analysed,
            Some(analysis),
            "a run that goes on keeps to it"
        );
        assert_eq!((view.subtasks.len(), view.start.fragments), (2, 1), "the question, then the text");
        let answer = outcome.result.unwrap();
        assert_eq!((answer.method, answer.subtasks.total), (Method::Direct, 2));
        assert!((answer.coverage - 1.0).abs() < 1e-9 && answer.answer.contains("order=1 "), "{answer:?}");
        assert_eq!(answer.citations[0].lines, [1, 1]);
        let said = answer.decisions.iter().find(|decision| decision.stage == RunStage::Analyse).unwrap();
        assert!(said.reasoning.contains("whole text at once"), "{}", said.reasoning);
        assert!(!view.evaluation.run.unwrap().outcome.complex);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_the_model_thinks_hard_is_asked_of_each_fragment() {
    let outcome = in_words(Some(reader("{\"simplicity_score\": 0.1}"))).await;
    let view = RunView::of(&outcome.trace);
    assert!(!view.plan.analysis.unwrap().direct);
    let answer = outcome.result.unwrap();
    assert_eq!(answer.method, Method::MapReduce);
    assert!(answer.subtasks.total > 5, "{:?}", answer.subtasks);
    assert!(answer.answer.contains("order=1 ") && answer.answer.contains("order=33 "), "{}", answer.answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_whose_word_is_none_leaves_the_classifier_alone() {
    let outcome = in_words(Some(reader("I would say it is very simple."))).await;
    let analysis = RunView::of(&outcome.trace).plan.analysis.unwrap();
    assert!(analysis.direct && analysis.by_model.is_none(), "{analysis:?}");
    let answer = outcome.result.unwrap();
    let said = |words: &str| answer.decisions.iter().any(|decision| decision.reasoning.contains(words));
    assert!(said("does not say how simple") && said("by the classifier alone"), "{:?}", answer.decisions);
}
