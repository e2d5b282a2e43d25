//! Runs over a real relay with real providers: lies, deaths, restarts.

use std::sync::Arc;
use std::time::Duration;

use crate::common::proxy::{Proxy, Wire};
use crate::common::{Asker, LONG, QUESTION, copy, engine, lie, orders, provider, relay, relay_at};
use frlm_conductor::policy::Quorum;
use frlm_conductor::run::RunError;
use frlm_conductor::run::resume::Known;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::Dialect;
use frlm_inference::scripted::ScriptedModel;
use frlm_provider::{Provider, ProviderConfig};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::validation::ground_truth::KnownAnswers;
use nostr::Keys;

const QUICK: Duration = Duration::from_millis(1);
const SLOW: Duration = Duration::from_millis(40);

fn is_verified(event: &TraceEvent) -> bool {
    matches!(event, TraceEvent::Verified { .. })
}

#[tokio::test(flavor = "multi_thread")]
async fn two_honest_providers_give_the_exact_count_with_citations() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let outcome = Asker::default().ask(&relay.url(), orders(100, 8), home.path()).await;
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("20 "), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
    assert_eq!(answer.citations.len(), 20);
    assert!(answer.citations.iter().all(|citation| citation.quote.contains("status=failed")));
    assert_eq!(answer.subtasks.swarm, answer.subtasks.total);
    // What the providers reported for each answer, and nothing else.
    let answers = outcome.trace.iter().filter_map(|record| match &record.event {
        TraceEvent::SubQueryReturn { ok: true, tokens, .. } => Some(*tokens),
        _ => None,
    });
    let (count, tokens) = answers.fold((0, 0), |(count, sum), tokens| (count + 1, sum + tokens));
    assert_eq!((answer.usage.reported, answer.usage.unreported), (count, 0));
    assert_eq!(answer.usage.prompt_tokens + answer.usage.completion_tokens, tokens);
    assert!(answer.usage.prompt_tokens > 100 && answer.usage.completion_tokens > 100, "{:?}", answer.usage);
    let budget = answer.budget;
    assert_eq!(
        budget.limit_sats,
        budget.spent_sats + budget.reserved_sats + budget.pending_refund_sats + budget.available_sats
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_liar_among_three_is_outvoted_and_named() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let outcome = Asker::default().ask(&relay.url(), orders(100, 8), home.path()).await;
    let key = liar.public_key().to_hex();
    let mut caught = 0;
    for record in &outcome.trace {
        if let TraceEvent::Verify { agreeing, dissenting, .. } = &record.event {
            assert!(!agreeing.contains(&key), "a lie was accepted");
            caught += usize::from(dissenting.contains(&key));
        }
    }
    assert!(caught > 0, "the liar was never asked");
    assert!(outcome.result.unwrap().answer.starts_with("20 "));
}

/// Knows the answer to one question.
struct Knows(&'static str);

impl KnownAnswers for Knows {
    fn lookup(&self, question: &str) -> Option<String> {
        (question == QUESTION).then(|| self.0.to_owned())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_not_the_known_one_is_shown_and_says_so() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    for (truth, is_known) in [("20", true), ("21", false)] {
        let asker = Asker { known_answers: Some(Arc::new(Knows(truth))), ..Asker::default() };
        let answer = asker.ask(&relay.url(), orders(100, 8), home.path()).await.result.unwrap();
        assert!(answer.answer.starts_with("20 "), "{}", answer.answer);
        let check = answer.verification.final_check.unwrap();
        assert_eq!(check.passed, is_known, "{:?}", check.findings);
        assert_eq!(check.findings.iter().any(|finding| finding.contains("frlm known forget")), !is_known);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn providers_are_told_what_became_of_their_answers() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let asker = Asker { enough: 3, ..Asker::default() };
    let outcome = asker.ask(&relay.url(), orders(400, 4), home.path()).await;
    for provider in [&a, &b, &liar] {
        let key = provider.public_key().to_hex();
        let said = |wanted: fn(&TraceEvent) -> &[String]| {
            outcome.trace.iter().filter(|record| wanted(&record.event).contains(&key)).count() as u64
        };
        let accepted = said(|event| match event {
            TraceEvent::Verify { passed: true, agreeing, .. } => agreeing.as_slice(),
            _ => &[],
        });
        let rejected = said(|event| match event {
            TraceEvent::Verify { passed: true, dissenting, .. } => dissenting.as_slice(),
            _ => &[],
        });
        let mut stats = provider.watch_stats();
        let heard = stats.wait_for(|stats| (stats.accepted, stats.rejected) == (accepted, rejected));
        tokio::time::timeout(Duration::from_secs(30), heard).await.expect("it hears of all of them").unwrap();
    }
    // Where no order failed there is nothing to lie about, and the liar agrees.
    assert!(liar.stats().rejected > 3 * liar.stats().accepted, "{:?}", liar.stats());
    assert!(a.stats().accepted > a.stats().rejected && outcome.result.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_dies_in_mid_run_loses_its_work_to_the_others() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, SLOW)).await;
    let _b = provider("b", &relay.url(), engine(copy, SLOW)).await;
    let doomed = provider("doomed", &relay.url(), engine(copy, SLOW)).await;
    let mut asker = Asker::default();
    asker.policy.timeout.per_query = Duration::from_secs(3);
    let mut going = asker.start(&relay.url(), orders(120, 4), home.path()).await;
    going.until(is_verified).await;
    // As kill -9 does it: no farewell, no refusal.
    drop(doomed);
    let answer = going.end().await.result.unwrap();
    assert!(answer.answer.starts_with("24 "), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_relay_restart_both_sides_reconnect_and_no_result_is_lost() {
    let (first, home) = (relay().await, tempfile::tempdir().unwrap());
    let (url, address) = (first.url(), first.address());
    let _a = provider("a", &url, engine(copy, SLOW)).await;
    let _b = provider("b", &url, engine(copy, SLOW)).await;
    let mut going = Asker::default().start(&url, orders(120, 4), home.path()).await;
    going.until(is_verified).await;
    first.shutdown().await;
    going.until(|event| matches!(event, TraceEvent::RelayOffline { .. })).await;
    let _second = relay_at(address).await;
    let outcome = going.end().await;
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("24 "), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_run_goes_on_without_repeating_what_was_verified() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, SLOW)).await;
    let _b = provider("b", &relay.url(), engine(copy, SLOW)).await;
    let first = Asker::default();
    let (keys, stop) = (first.keys.clone(), first.stop.clone());
    let mut going = first.start(&relay.url(), orders(120, 4), home.path()).await;
    going.until(is_verified).await;
    stop.cancel();
    let before = going.end().await;
    assert!(matches!(before.result, Err(RunError::Interrupted(_))));
    let known = Known::from_trace(&before.trace);
    let verified = known.outcomes.len();
    assert!(verified > 0);
    let used = known.usage;
    assert!(used.reported >= verified && used.prompt_tokens > 0 && used.completion_tokens > 0, "{used:?}");
    let again = Asker { keys, known, ..Asker::default() };
    let outcome = again.ask(&relay.url(), orders(120, 4), home.path()).await;
    let asked: std::collections::HashSet<u32> = outcome
        .trace
        .iter()
        .filter_map(|record| match record.event {
            TraceEvent::SubQuerySubmit { subtask, .. } => Some(subtask.0),
            _ => None,
        })
        .collect();
    let answer = outcome.result.unwrap();
    assert_eq!(answer.subtasks.cached, verified);
    let second = Known::from_trace(&outcome.trace).usage;
    assert_eq!(answer.usage.reported, used.reported + second.reported, "both starts count");
    assert_eq!(answer.usage.completion_tokens, used.completion_tokens + second.completion_tokens);
    assert_eq!(asked.len() + verified, answer.subtasks.total);
    assert!(answer.answer.starts_with("24 "), "{}", answer.answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_provider_is_too_few_for_redundancy_and_the_message_says_what_to_do() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let asker = Asker { discovery: Duration::from_secs(1), ..Asker::default() };
    let error = asker.ask(&relay.url(), orders(10, 4), home.path()).await.result.unwrap_err();
    assert_eq!(error.exit_code(), 4);
    let text = error.to_string();
    assert!(text.contains("frlm provide") && text.contains("--verify none"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_redundancy_one_provider_is_enough() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let mut asker = Asker::default();
    asker.policy.verification = VerificationPolicy::None;
    let answer = asker.ask(&relay.url(), orders(50, 4), home.path()).await.result.unwrap();
    assert!(answer.answer.starts_with("10 "), "{}", answer.answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn providers_that_never_agree_are_exit_five_and_nothing_is_spent() {
    fn garbage(_: &str) -> String {
        "I am not sure, sorry.\n".to_owned()
    }
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(lie, QUICK)).await;
    let _c = provider("c", &relay.url(), engine(garbage, QUICK)).await;
    let mut asker = Asker::default();
    asker.policy.timeout.total = Duration::from_secs(40);
    let outcome = asker.ask(&relay.url(), orders(8, 4), home.path()).await;
    assert!(outcome.count(|event| matches!(event, TraceEvent::SubQueryReturn { ok: false, .. })) > 0);
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}

/// seeds/frlm-architecture.md, "Error Handling", `NoProviders`: a local fallback, if allowed.
#[tokio::test(flavor = "multi_thread")]
async fn without_providers_the_users_own_model_steps_in_and_says_so() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let asker =
        Asker { discovery: Duration::from_millis(500), own: Some(engine(copy, QUICK)), ..Asker::default() };
    let outcome = asker.ask(&relay.url(), orders(50, 4), home.path()).await;
    assert_eq!(outcome.count(|event| matches!(event, TraceEvent::FallbackLocal { .. })), 1);
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("10 "), "{}", answer.answer);
    assert_eq!((answer.subtasks.local, answer.subtasks.swarm), (answer.subtasks.total, 0));
}

/// seeds/frlm-architecture.md, "Error Handling", `VerificationFailed`: what was not verified is rejected, and tried elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_swarm_cannot_agree_on_is_decided_by_the_users_own_model() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(lie, QUICK)).await;
    let asker = Asker { own: Some(engine(copy, QUICK)), ..Asker::default() };
    let answer = asker.ask(&relay.url(), orders(20, 4), home.path()).await.result.unwrap();
    assert!(answer.answer.starts_with("4 "), "{}", answer.answer);
    assert!(answer.subtasks.local > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_objective_policy_accepts_only_what_satisfies_the_schema() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let with_at_most = |count: usize| VerificationPolicy::Objective {
        schema: serde_json::json!({
            "type": "object",
            "required": ["matches"],
            "properties": { "matches": { "type": "array", "maxItems": count } },
        }),
    };
    let mut asker = Asker::default();
    asker.policy.verification = with_at_most(4);
    let answer = asker.ask(&relay.url(), orders(20, 4), home.path()).await.result.unwrap();
    assert!(answer.answer.starts_with("4 "), "{}", answer.answer);
    let mut asker = Asker::default();
    asker.policy.verification = with_at_most(0);
    let outcome = asker.ask(&relay.url(), orders(20, 20), home.path()).await;
    let error = outcome.result.unwrap_err();
    assert_eq!(error.exit_code(), 5);
    assert!(error.to_string().contains("schema"), "{error}");
}

/// seeds/frlm-architecture.md, "Error Handling", `Timeout` and `QuorumNotMet`: what is out of time does not count, and the quorum
/// decides.
#[tokio::test(flavor = "multi_thread")]
async fn at_the_deadline_a_partial_answer_needs_the_quorum_and_says_at_least() {
    /// Copies like the others, but reads nothing in the fragment of orders 33 to 36: a single line would
    /// be read by the rule that the others follow.
    fn stuck(prompt: &str) -> String {
        if prompt.contains("order=33 ")
            || prompt.contains("order=34 ")
            || prompt.contains("order=35 ")
            || prompt.contains("order=36 ")
        {
            "?".to_owned()
        } else {
            copy(prompt)
        }
    }
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(stuck, QUICK)).await;
    let asker = |quorum| {
        let mut asker = Asker { newcomers: LONG, ..Asker::default() };
        asker.policy.verification = VerificationPolicy::None;
        asker.policy.timeout.total = Duration::from_secs(4);
        asker.policy.quorum = quorum;
        asker
    };
    let url = relay.url();
    let error = asker(Quorum::All).ask(&url, orders(100, 4), home.path()).await.result.unwrap_err();
    assert_eq!(error.exit_code(), 5);
    let partial = asker(Quorum::Fraction(0.8)).ask(&url, orders(100, 4), home.path()).await;
    let answer = partial.result.unwrap();
    assert!(answer.answer.to_lowercase().starts_with("at least 19"), "{}", answer.answer);
    assert!(answer.coverage < 1.0 && answer.coverage > 0.9);
    // Counted as all other parts are, wherever an answer is shown.
    let findings = answer.verification.final_check.map(|check| check.findings).unwrap_or_default();
    let said = |found: &String| found.ends_with("parts have no verified answer");
    assert!(findings.iter().any(said), "{findings:?}");
    assert!(!answer.answer.contains("fragment"), "{}", answer.answer);
}

/// Answers as a general model would, by code: JSON with the matching lines.
fn in_json(prompt: &str) -> String {
    let lines = prompt.lines().filter_map(|line| {
        let (number, text) = line.split_once('|')?;
        Some((number.trim().parse::<u32>().ok()?, text.trim()))
    });
    let matches: Vec<_> = lines
        .filter(|(_, text)| text.ends_with("status=failed"))
        .map(|(line, text)| serde_json::json!({"line": line, "quote": text}))
        .collect();
    serde_json::json!({ "matches": matches }).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_general_model_and_a_records_model_agree_on_the_same_fragments() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let general =
        ScriptedModel::new("scripted-json", in_json).with_latency(QUICK).with_dialect(Dialect::Json);
    let _a = provider("general", &relay.url(), Arc::new(general)).await;
    let _b = provider("records", &relay.url(), engine(copy, QUICK)).await;
    let answer = Asker::default().ask(&relay.url(), orders(50, 4), home.path()).await.result.unwrap();
    assert!(answer.answer.starts_with("10 "), "{}", answer.answer);
    assert!((answer.verification.agreement - 1.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asker_that_is_cut_off_goes_on_when_the_wire_is_mended() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let proxy = Proxy::to(relay.address()).await;
    let _a = provider("a", &relay.url(), engine(copy, SLOW)).await;
    let _b = provider("b", &relay.url(), engine(copy, SLOW)).await;
    let mut going = Asker::default().start(&proxy.url(), orders(120, 4), home.path()).await;
    going.until(is_verified).await;
    proxy.set(Wire::Cut);
    going.until(|event| matches!(event, TraceEvent::RelayOffline { .. })).await;
    proxy.set(Wire::Whole);
    let answer = going.end().await.result.unwrap();
    assert!(answer.answer.starts_with("24 "), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_behind_a_silent_wire_holds_nobody_up() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let proxy = Proxy::to(relay.address()).await;
    let _a = provider("a", &relay.url(), engine(copy, SLOW)).await;
    let _b = provider("b", &relay.url(), engine(copy, SLOW)).await;
    let _lost = provider("lost", &proxy.url(), engine(copy, SLOW)).await;
    let mut asker = Asker::default();
    asker.policy.timeout.per_query = Duration::from_secs(3);
    let mut going = asker.start(&relay.url(), orders(120, 4), home.path()).await;
    going.until(is_verified).await;
    proxy.set(Wire::Silent);
    let answer = going.end().await.result.unwrap();
    assert!(answer.answer.starts_with("24 "), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_with_an_absurd_price_costs_nothing_and_holds_nobody_up() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let dear = ProviderConfig {
        name: "dear".to_owned(),
        price_msats_per_1k: 1_000_000_000_000,
        ..ProviderConfig::default()
    };
    let _c = Provider::start(dear, Keys::generate(), &[relay.url()], engine(copy, QUICK)).await.unwrap();
    let outcome = Asker::default().ask(&relay.url(), orders(60, 4), home.path()).await;
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("12 "), "{}", answer.answer);
    assert_eq!(answer.budget.spent_sats, 0);
}
