//! What a run decides after its stages, over a real relay: it goes on, tries again with something
//! changed, or leaves it to a person (seeds/llm-reasoning-refactor.md).

use std::sync::Arc;
use std::time::Duration;

use frlm_questions::stage::RunStage;

use crate::common::{Asker, LONG, Outcome, copy, engine, lie, orders, provider, relay};
use frlm_conductor::run::RunError;
use frlm_conductor::trace::{Decider, DecisionBasis, TraceEvent};
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::decisions::{Priors, RetryReason};
use serde_json::{Value, json};

const QUICK: Duration = Duration::from_millis(1);

/// A decision as the trace has it.
#[derive(Debug)]
struct Found<'a> {
    stage: &'a str,
    verb: &'a str,
    reasoning: &'a str,
    basis: &'a DecisionBasis,
}

/// The decisions about whole stages, in order.
fn decisions(outcome: &Outcome) -> Vec<Found<'_>> {
    let weighed = |event: &'_ TraceEvent| matches!(event, TraceEvent::Decision { basis: Some(_), .. });
    outcome
        .trace
        .iter()
        .filter(|record| weighed(&record.event))
        .filter_map(|record| match &record.event {
            TraceEvent::Decision { stage, decision, reasoning, basis: Some(basis) } => {
                Some(Found { stage: stage.name(), verb: decision.name(), reasoning, basis })
            }
            _ => None,
        })
        .collect()
}

fn verbs<'a>(outcome: &'a Outcome, stage: &str) -> Vec<(&'a str, Option<RetryReason>)> {
    decisions(outcome)
        .iter()
        .filter(|found| found.stage == stage)
        .map(|found| (found.verb, found.basis.retry_reason))
        .collect()
}

fn last_of<'a>(outcome: &'a Outcome, stage: &str) -> Found<'a> {
    decisions(outcome).into_iter().rfind(|found| found.stage == stage).unwrap()
}

/// Thresholds of which only this one is not met by a run without flaw.
fn only(step: &str, rate: &str, bounds: &Value) -> Priors {
    let text = json!({ "evaluation_thresholds": { step: { "real": { rate: bounds } } } }).to_string();
    Priors::parse(&text).unwrap()
}

/// A general model that names so many of the lines that match; an answer takes it so long.
fn names(most: usize, latency: Duration) -> Arc<dyn LanguageModel> {
    let answer = move |prompt: &str| {
        let lines = prompt.lines().filter_map(|line| {
            let (number, text) = line.split_once('|')?;
            Some((number.trim().parse::<u32>().ok()?, text.trim()))
        });
        let matches: Vec<Value> = lines
            .filter(|(_, text)| text.contains("status=failed"))
            .take(most)
            .map(|(line, text)| json!({"line": line, "quote": text}))
            .collect();
        json!({ "matches": matches }).to_string()
    };
    Arc::new(ScriptedModel::new("scripted-json", answer).with_latency(latency).with_dialect(Dialect::Json))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_flaw_proceeds_after_every_stage_and_says_by_which_rates() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let outcome = Asker::default().ask(&relay.url(), orders(100, 4), home.path()).await;
    assert_eq!(verbs(&outcome, "verify"), [("proceed", None)], "25 subtasks, decided on once after 16");
    assert_eq!(verbs(&outcome, "collect"), [("proceed", None)]);
    for found in decisions(&outcome) {
        assert_eq!(found.basis.by, Decider::Code);
        assert!(found.reasoning.contains(&found.basis.signal) && found.reasoning.contains("real data"));
    }
    assert_eq!(verbs(&outcome, "synthesise"), [("proceed", None)]);
    let last = last_of(&outcome, "collect");
    assert!((last.basis.rates["coverage_rate"] - 1.0).abs() < 1e-9);
    assert!((last.basis.metrics["subtasks_verified"] - 25.0).abs() < 1e-9);
    let answer = outcome.result.unwrap();
    let collect = answer.decisions.iter().filter(|decision| decision.stage == RunStage::Collect).count();
    assert_eq!(collect, 1, "{:?}", answer.decisions);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_lost_to_dissent_is_asked_again_of_more_providers() {
    // A quicker provider does more of the work: these all take as long for the ten lines of a fragment, two of which match.
    let each_line = Duration::from_millis(20);
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, each_line)).await;
    let _none = provider("none", &relay.url(), names(0, 10 * each_line)).await;
    let _one = provider("one", &relay.url(), names(1, 10 * each_line)).await;
    // One honest answer beside two different lies is a split, and at first nobody else is there.
    let asker = Asker { enough: 3, newcomers: LONG, ..Asker::default() };
    let mut going = asker.start(&relay.url(), orders(200, 10), home.path()).await;
    going.until(|event| matches!(event, TraceEvent::GaveUp { .. })).await;
    let _b = provider("b", &relay.url(), engine(copy, each_line)).await;
    let _c = provider("c", &relay.url(), engine(copy, each_line)).await;
    let outcome = going.end().await;
    let split = |event: &TraceEvent| matches!(event, TraceEvent::Verify { passed: false, .. });
    assert!(outcome.count(split) > 0, "no subtask went to one honest provider and both liars");
    let tightened = decisions(&outcome)
        .iter()
        .any(|found| found.verb == "retry" && found.reasoning.contains("redundancy:5/3"));
    assert!(tightened, "{:?}", decisions(&outcome));
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("40 "), "{}", answer.answer);
    assert_eq!(answer.verification.policy, "redundancy:3/2", "what the user asked for");
}

#[tokio::test(flavor = "multi_thread")]
async fn dissent_on_the_way_makes_the_policy_stricter_for_what_is_left() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let mut here = Vec::new();
    for name in ["a", "b", "c", "d"] {
        here.push(provider(name, &relay.url(), engine(copy, QUICK)).await);
    }
    here.push(provider("liar", &relay.url(), engine(lie, QUICK)).await);
    let asker = Asker {
        enough: 5,
        priors: Some(only(
            "verify",
            "dissent_rate",
            &json!({"good_max": 0.01, "warn_max": 1.0, "retry": "tighten"}),
        )),
        ..Asker::default()
    };
    let outcome = asker.ask(&relay.url(), orders(400, 4), home.path()).await;
    assert_eq!(verbs(&outcome, "verify").first(), Some(&("retry", Some(RetryReason::Tighten))));
    let tightened = outcome
        .trace
        .iter()
        .position(|record| matches!(&record.event, TraceEvent::Decision { reasoning, .. } if reasoning.contains("5/3")))
        .expect("the policy became stricter");
    let last = outcome.trace[tightened..].iter().rev().find_map(|record| match &record.event {
        TraceEvent::Verify { agreeing, .. } => Some(agreeing.len()),
        _ => None,
    });
    assert!(last.unwrap() >= 3, "{last:?}");
    assert!(outcome.result.unwrap().answer.starts_with("80 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn timed_out_parts_are_asked_again_with_more_time_if_that_is_allowed() {
    // Four records at a quarter of a second each, and less than that for an attempt.
    let slow = || engine(copy, Duration::from_millis(250));
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let mut here = Vec::new();
    for name in ["a", "b", "c"] {
        here.push(provider(name, &relay.url(), slow()).await);
    }
    let asker = |most_retries: u32| {
        let mut asker = Asker { enough: 3, ..Asker::default() };
        asker.policy.timeout.per_query = Duration::from_millis(700);
        asker.policy.decisions.most_retries = most_retries;
        asker
    };
    let outcome = asker(0).ask(&relay.url(), orders(4, 4), home.path()).await;
    assert_eq!(outcome.result.as_ref().unwrap_err().exit_code(), 5);
    assert_eq!(verbs(&outcome, "collect"), [("retry", Some(RetryReason::Widen))]);
    assert!(decisions(&outcome)[0].reasoning.contains("as often as is allowed"));
    let outcome = asker(2).ask(&relay.url(), orders(4, 4), home.path()).await;
    assert_eq!(verbs(&outcome, "collect").first(), Some(&("retry", Some(RetryReason::Widen))));
    let ended: Vec<_> = outcome
        .trace
        .iter()
        .filter(|record| {
            matches!(record.event, TraceEvent::SubQueryReturn { .. } | TraceEvent::SubQueryTimeout { .. })
        })
        .collect();
    assert_eq!(verbs(&outcome, "collect").last(), Some(&("proceed", None)), "{ended:#?}");
    let answer = outcome.result.unwrap();
    assert!((answer.coverage - 1.0).abs() < 1e-9, "{}", answer.answer);
}

/// Any dissent at all has the answers audited.
fn suspicious() -> Priors {
    let bounds = json!({
        "doubt_rate": {"good_max": 0.0, "warn_max": 1.0, "retry": "investigate"},
        "contradicted_rate": {"warn_max": 0.0},
    });
    let text = json!({ "evaluation_thresholds": { "collect": { "real": bounds } } }).to_string();
    Priors::parse(&text).unwrap()
}

/// seeds/llm-reasoning-refactor.md, section 5: what is to be investigated escalates. By seed-arithmetic.md it is audited first.
#[tokio::test(flavor = "multi_thread")]
async fn doubt_that_nobody_can_settle_reaches_a_person_who_can_go_on() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let _liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let asker = || Asker { enough: 3, priors: Some(suspicious()), ..Asker::default() };
    let outcome = asker().ask(&relay.url(), orders(100, 4), home.path()).await;
    let error = outcome.result.as_ref().unwrap_err();
    assert!(matches!(error, RunError::Escalated { stage: RunStage::Collect, .. }), "{error}");
    assert_eq!(error.exit_code(), 5);
    let words = error.to_string();
    for part in ["a person", "doubt_rate", "no provider is left to audit", "--accept"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let accepting = Asker { accepts: true, ..asker() };
    let outcome = accepting.ask(&relay.url(), orders(100, 4), home.path()).await;
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("20 "), "{}", answer.answer);
    assert!(answer.decisions.iter().any(|decision| decision.reasoning.contains("a person accepted")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audit_by_this_machine_settles_the_doubt() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let _liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let asker =
        Asker { enough: 3, priors: Some(suspicious()), own: Some(engine(copy, QUICK)), ..Asker::default() };
    let outcome = asker.ask(&relay.url(), orders(100, 4), home.path()).await;
    let collect = verbs(&outcome, "collect");
    assert_eq!(collect, [("retry", Some(RetryReason::Investigate)), ("proceed", None)]);
    let last = last_of(&outcome, "collect");
    assert!(last.basis.metrics["audits"] > 0.0 && last.basis.rates["contradicted_rate"].abs() < 1e-9);
    assert!(outcome.result.unwrap().answer.starts_with("20 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audit_that_finds_a_lie_accepted_reaches_a_person() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(lie, QUICK)).await;
    let _c = provider("c", &relay.url(), engine(lie, QUICK)).await;
    let asker =
        Asker { enough: 3, priors: Some(suspicious()), own: Some(engine(copy, QUICK)), ..Asker::default() };
    let outcome = asker.ask(&relay.url(), orders(100, 5), home.path()).await;
    let error = outcome.result.as_ref().unwrap_err();
    assert!(matches!(error, RunError::Escalated { .. }), "{error}");
    assert!(error.to_string().contains("contradicted_rate"), "{error}");
}

fn decider(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Arc<dyn LanguageModel> {
    Arc::new(ScriptedModel::new("decider", answer).with_dialect(Dialect::Json))
}

fn decision(verb: &str, reasoning: &str) -> String {
    json!({
        "decision": verb, "retry_reason": null, "confidence": 0.9, "reasoning": reasoning,
        "primary_signal": "coverage_rate", "suggested_params": null, "warnings": [],
        "checks": {"used_rates": true, "mentioned_data_source": true, "avoided_absolute_only": true},
    })
    .to_string()
}

/// seeds/llm-reasoning-refactor.md, sections 2 and 7: a model decides, and code does where there is none.
#[tokio::test(flavor = "multi_thread")]
async fn a_models_valid_decision_counts_and_code_stands_in_for_an_invalid_one() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let ask = |decider| Asker { decider: Some(decider), ..Asker::default() };
    let fenced = |text: &str| {
        assert!(text.contains("lost_to_dissent_rate"), "{text}");
        format!("Sure!\n```json\n{}\n```", decision("escalate", "coverage_rate of real data looks too good"))
    };
    let outcome = ask(decider(fenced)).ask(&relay.url(), orders(40, 4), home.path()).await;
    assert_eq!(decisions(&outcome)[0].basis.by, Decider::Model);
    let error = outcome.result.unwrap_err();
    assert_eq!(error.exit_code(), 5);
    assert!(error.to_string().contains("looks too good"), "{error}");
    // It claims to have used rates, and names none.
    let hollow = |_: &str| decision("escalate", "I have a bad feeling about these real data");
    let outcome = ask(decider(hollow)).ask(&relay.url(), orders(40, 4), home.path()).await;
    let refused = decisions(&outcome);
    assert!(
        matches!(&refused[0].basis.by, Decider::CodeAsModelFailed(why) if why.contains("used rates")),
        "{:?}",
        refused[0].basis
    );
    assert!(outcome.result.unwrap().answer.starts_with("8 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_decision_gets_round_the_users_quorum() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(lie, QUICK)).await;
    let proceed = |_: &str| decision("proceed", "coverage_rate is what it is for real data");
    let mut asker = Asker { decider: Some(decider(proceed)), ..Asker::default() };
    asker.policy.timeout.total = Duration::from_secs(30);
    let outcome = asker.ask(&relay.url(), orders(20, 5), home.path()).await;
    assert_eq!(last_of(&outcome, "collect").verb, "proceed");
    assert!(matches!(outcome.result, Err(RunError::Unverified(_))));
}
