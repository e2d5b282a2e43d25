//! Runs that decide where their subtasks go: real relay, real providers, engines of the user's own beside them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_learning::routing::RoutingMemory;
use frlm_questions::stage::RunStage;
use frlm_scheduler::SubtaskId;
use frlm_verifier::VerificationPolicy;
use frlm_wallet::Msats;

use crate::common::{Asker, Outcome, copy, engine, lie, orders, provider, relay};

const QUICK: Duration = Duration::from_millis(1);
const FREE: Msats = Msats(0);

fn memory(home: &std::path::Path) -> RoutingMemory {
    RoutingMemory::at(home.join("routing.json"))
}

/// Venue by venue, how many subtasks were sent there.
fn routed(outcome: &Outcome) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for record in &outcome.trace {
        if let TraceEvent::Routed { venue, .. } = &record.event {
            *counts.entry(venue.clone()).or_default() += 1;
        }
    }
    counts
}

/// Why venues were left out, in the words of the trace.
fn reasons(outcome: &Outcome) -> String {
    let of = |event: &TraceEvent| match event {
        TraceEvent::Routed { why, .. } => Some(why.clone()),
        _ => None,
    };
    outcome.trace.iter().filter_map(|record| of(&record.event)).collect::<Vec<_>>().join("\n")
}

/// Nobody may be asked outside the venue that a subtask was routed to last.
fn assert_nobody_else_was_asked(outcome: &Outcome, own: &[&str]) {
    let mut where_to: HashMap<SubtaskId, String> = HashMap::new();
    let mut asked = 0;
    for record in &outcome.trace {
        match &record.event {
            TraceEvent::Routed { subtask, venue, .. } => drop(where_to.insert(*subtask, venue.clone())),
            TraceEvent::SubQuerySubmit { subtask, provider, .. } => {
                let venue = if own.contains(&provider.as_str()) { provider.as_str() } else { "swarm" };
                assert_eq!(where_to.get(subtask).map(String::as_str), Some(venue));
                asked += 1;
            }
            _ => {}
        }
    }
    assert!(asked > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_uses_swarm_and_own_engine_and_every_job_goes_where_routed() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, Duration::from_millis(20))).await;
    let _b = provider("b", &relay.url(), engine(copy, Duration::from_millis(20))).await;
    let asker = Asker {
        venues: vec![("local", engine(copy, QUICK), FREE)],
        routing: Some(memory(home.path())),
        enough: 3,
        ..Asker::default()
    };
    let outcome = asker.ask(&relay.url(), orders(200, 4), home.path()).await;
    assert_nobody_else_was_asked(&outcome, &["local"]);
    let counts = routed(&outcome);
    assert!(counts["local"] > 0 && counts["swarm"] > 0, "{counts:?}");
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("40 "), "{}", answer.answer);
    assert_eq!((answer.subtasks.verified, answer.subtasks.local), (50, counts["local"]));
    let account = memory(home.path()).load().unwrap().unwrap();
    let health = account.health(true, false);
    assert_eq!((health.answered, health.failed, account.log().len()), (50, 0, 50));
    assert!(account.log().all(|entry| entry.judgement.quality > 0.99), "each was compared, or known to code");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_own_engine_that_answers_wrongly_is_found_out_and_asked_no_more() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let ask = || Asker {
        venues: vec![("local", engine(lie, QUICK), FREE)],
        routing: Some(memory(home.path())),
        enough: 3,
        ..Asker::default()
    };
    let first = ask().ask(&relay.url(), orders(200, 4), home.path()).await;
    first.result.unwrap();
    let account = memory(home.path()).load().unwrap().unwrap();
    let local = account.health(true, false).venues.into_iter().find(|venue| venue.name == "local").unwrap();
    assert!(local.mean_quality < 0.01, "code knows that these answers are wrong: {local:?}");
    let second = ask().ask(&relay.url(), orders(200, 4), home.path()).await;
    let counts = routed(&second);
    assert_eq!(counts.get("local"), None, "{counts:?}");
    assert!(second.result.unwrap().answer.starts_with("40 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_swarm_cannot_answer_is_routed_to_another_venue() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let nonsense = |_: &str| "I would rather not say".to_owned();
    let _a = provider("a", &relay.url(), engine(nonsense, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(nonsense, QUICK)).await;
    let asker = Asker {
        venues: vec![("office", engine(copy, Duration::from_millis(30)), FREE)],
        routing: Some(memory(home.path())),
        enough: 3,
        ..Asker::default()
    };
    let outcome = asker.ask(&relay.url(), orders(100, 8), home.path()).await;
    assert_nobody_else_was_asked(&outcome, &["office"]);
    assert!(routed(&outcome)["swarm"] > 0, "it was tried");
    let account = memory(home.path()).load().unwrap().unwrap();
    let swarm = account.health(true, false).venues.into_iter().find(|venue| venue.name == "swarm").unwrap();
    assert!(swarm.answered == 0 && swarm.failed > 0 && (swarm.error_rate - 1.0).abs() < 1e-9);
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("20 ") && (answer.coverage - 1.0).abs() < 1e-9, "{}", answer.answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_venue_without_providers_is_routed_again() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let nonsense = |_: &str| "I would rather not say".to_owned();
    let _a = provider("a", &relay.url(), engine(nonsense, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(nonsense, QUICK)).await;
    let mut asker = Asker {
        venues: vec![("office", engine(copy, Duration::from_millis(30)), FREE)],
        routing: Some(memory(home.path())),
        enough: 3,
        ..Asker::default()
    };
    // Under this policy those who always fail are soon asked no more, whatever waits for them.
    asker.policy.verification = VerificationPolicy::DEFAULT;
    let outcome = asker.ask(&relay.url(), orders(100, 8), home.path()).await;
    assert_nobody_else_was_asked(&outcome, &["office"]);
    assert!(routed(&outcome)["swarm"] > 0, "it was tried");
    assert!(outcome.result.unwrap().answer.starts_with("20 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_subtask_goes_where_the_budget_or_the_context_does_not_reach() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let small: Arc<dyn LanguageModel> =
        Arc::new(ScriptedModel::new("small", copy).with_dialect(Dialect::Records).with_context_tokens(8));
    let asker = Asker {
        venues: vec![("dear", engine(copy, QUICK), Msats(1_000_000_000)), ("small", small, FREE)],
        routing: Some(memory(home.path())),
        enough: 4,
        ..Asker::default()
    };
    let outcome = asker.ask(&relay.url(), orders(100, 8), home.path()).await;
    let (counts, why) = (routed(&outcome), reasons(&outcome));
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["swarm"], "{counts:?}");
    assert!(
        why.contains("dear costs more than is left") && why.contains("small reads less at once"),
        "{why}"
    );
    assert!(outcome.result.unwrap().answer.starts_with("20 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_account_costs_experience_and_not_the_run() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    std::fs::write(home.path().join("routing.json"), "{").unwrap();
    let asker = Asker { routing: Some(memory(home.path())), ..Asker::default() };
    let outcome = asker.ask(&relay.url(), orders(100, 8), home.path()).await;
    let said = outcome.count(|event| {
        matches!(event, TraceEvent::Notice { stage, says }
            if *stage == RunStage::Route && says.contains("without experience"))
    });
    assert_eq!(said, 1);
    assert!(outcome.result.unwrap().answer.starts_with("20 "));
    assert_eq!(
        std::fs::read_to_string(home.path().join("routing.json")).unwrap(),
        "{",
        "nothing was overwritten"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_arrives_during_planning_counts_with_no_time_to_wait() {
    // No pick of the two that are ready, the event and the clock, may decide it.
    for _ in 0..10 {
        let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
        let asker = Asker {
            venues: vec![("local", engine(copy, QUICK), FREE)],
            routing: Some(memory(home.path())),
            discovery: Duration::ZERO,
            ..Asker::default()
        };
        asker.ask(&relay.url(), orders(8, 8), home.path()).await.result.unwrap();
    }
}
