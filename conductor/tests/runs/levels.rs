//! Verification levels over a real relay: what agrees must also be right by the methods that its level asks for. Here of records and
//! of answers in words that are judged as a whole; of claims, in `trusted`.

use std::sync::Arc;
use std::time::Duration;

use frlm_questions::ingest::{self, Document, Fragment, SplitOptions};

use crate::common::{Asker, Outcome, QUESTION, engine, lie, orders, provider, relay, witness};
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_provider::{Provider, ProviderConfig};
use frlm_verifier::consensus::exam;
use frlm_verifier::request::VerificationLevel;
use frlm_verifier::trust::ReputationStore;
use frlm_verifier::validation::Method;
use nostr::Keys;
use serde_json::json;

const LINE: &str = "The wheel of the mill broke in March";

fn honest() -> Arc<dyn LanguageModel> {
    witness("The wheel had broken.", 1)
}

/// Passes its examination, and has this opinion of everything else.
fn assessor(opinion: f64) -> Arc<dyn LanguageModel> {
    assessor_with(opinion, 8_192)
}

/// … and has so much context.
fn assessor_with(opinion: f64, context_tokens: usize) -> Arc<dyn LanguageModel> {
    let answer = move |prompt: &str| {
        let given = prompt.lines().find(|line| line.starts_with("Answer: ")).unwrap_or_default();
        let overall = if given.contains(exam::GRADED.right) {
            0.9
        } else if exam::GRADED.wrong.iter().any(|wrong| given.contains(wrong)) {
            0.1
        } else {
            opinion
        };
        json!({"correctness": overall, "completeness": overall, "clarity": overall, "format": overall,
            "overall": overall, "reasoning": "so it seems"})
        .to_string()
    };
    let model = ScriptedModel::new("assessor", answer).with_context_tokens(context_tokens);
    Arc::new(model.with_dialect(Dialect::Json))
}

/// The line, and as many sentences below it.
fn chronicle(more: usize) -> Vec<Arc<Fragment>> {
    let text = format!("{LINE}.\n{}", "The river rose and fell. ".repeat(more));
    let document = Document::of_text("chronicle.txt", text);
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&[document], options).into_iter().map(Arc::new).collect()
}

async fn ask(level: VerificationLevel, judge: Option<Arc<dyn LanguageModel>>) -> Outcome {
    ask_of(chronicle(0), level, judge).await
}

async fn ask_of(
    fragments: Vec<Arc<Fragment>>,
    level: VerificationLevel,
    judge: Option<Arc<dyn LanguageModel>>,
) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), honest()).await;
    let _b = provider("b", &relay.url(), honest()).await;
    let mut asker = Asker { question: "Why was the mill closed?", judge, as_one: true, ..Asker::default() };
    asker.policy.level = level;
    asker.policy.timeout.total = Duration::from_secs(40);
    asker.ask(&relay.url(), fragments, home.path()).await
}

fn judged(outcome: &Outcome, by: Method, as_passed: bool) -> usize {
    outcome.count(|event| {
        matches!(event, TraceEvent::Validated { method, passed, .. }
            if *method == by && *passed == Some(as_passed))
    })
}

fn refused(outcome: &Outcome, words: &str) -> usize {
    outcome.count(|event| {
        matches!(event, TraceEvent::SubQueryReturn { ok: false, summary, .. } if summary.contains(words))
    })
}

fn unjudged(outcome: &Outcome, words: &str) -> usize {
    outcome.count(|event| matches!(event, TraceEvent::NoVerdict { why, .. } if why.contains(words)))
}

/// seeds/verifier-block.md, `aggregate_validation_results`: a model's opinion passes an answer from .75 on.
#[tokio::test(flavor = "multi_thread")]
async fn above_the_standard_level_the_users_model_must_think_it_right() {
    let outcome = ask(VerificationLevel::High, Some(assessor(0.75))).await;
    assert!(judged(&outcome, Method::LlmValidation, true) >= 1);
    assert!(outcome.result.is_ok());
    let outcome = ask(VerificationLevel::High, Some(assessor(0.74))).await;
    assert!(judged(&outcome, Method::LlmValidation, false) >= 1);
    assert!(refused(&outcome, "level high: 0.74 by your model: so it seems") >= 1);
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5, "two agree, and it is not accepted");
    let outcome = ask(VerificationLevel::Standard, Some(assessor(0.74))).await;
    assert_eq!(outcome.count(|event| matches!(event, TraceEvent::Validated { .. })), 0);
    assert!(outcome.result.is_ok(), "nobody asked for an opinion");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undecidable_answer_counts_at_the_high_level_not_the_critical_one() {
    let outcome = ask(VerificationLevel::High, None).await;
    assert!(outcome.result.is_ok());
    let outcome = ask(VerificationLevel::Critical, None).await;
    assert!(unjudged(&outcome, "nothing could tell whether it is right") >= 1);
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}

/// docs/decisions/0060-what-nothing-can-tell-is-paid.md; seeds/verifier-block.md, `aggregate_validation_results`: what nothing
/// can tell is uncertain, not wrong.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_of_an_undecidable_answer_is_paid_though_it_is_not_used() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let mut providers = Vec::new();
    for name in ["a", "b"] {
        let config =
            ProviderConfig { name: name.to_owned(), price_msats_per_1k: 10, ..ProviderConfig::default() };
        let (keys, url) = (Keys::generate(), relay.url());
        providers.push(Provider::start(config, keys, std::slice::from_ref(&url), honest()).await.unwrap());
    }
    let store = ReputationStore::at(home.path().join("reputation.db"));
    let memory = Some(store.clone());
    let mut asker = Asker { question: "Why was the mill closed?", memory, as_one: true, ..Asker::default() };
    asker.policy.level = VerificationLevel::Critical;
    asker.policy.timeout.total = Duration::from_secs(40);
    let outcome = asker.ask(&relay.url(), chronicle(0), home.path()).await;
    let unjudged: Vec<_> = outcome
        .trace
        .iter()
        .filter_map(|record| match &record.event {
            TraceEvent::NoVerdict { subtask, attempt, validator, paid, .. } => {
                assert!(*paid && validator.is_empty(), "{:?}", record.event);
                Some((*subtask, *attempt))
            }
            _ => None,
        })
        .collect();
    assert!(!unjudged.is_empty());
    for record in &outcome.trace {
        match &record.event {
            TraceEvent::SubQueryReturn { subtask, attempt, ok, .. }
                if unjudged.contains(&(*subtask, *attempt)) =>
            {
                assert!(*ok, "its provider did not fail: {:?}", record.event);
            }
            TraceEvent::BudgetSettle { subtask, attempt, spent_sats, .. }
                if unjudged.contains(&(*subtask, *attempt)) =>
            {
                assert!(*spent_sats > 0, "{:?}", record.event);
            }
            TraceEvent::Validated { passed, method: Method::None, .. } => assert_eq!(*passed, None),
            _ => {}
        }
    }
    let known = store.load(0).unwrap();
    for provider in &providers {
        let member = known.member(&provider.public_key().to_hex());
        assert!(member.is_none_or(|member| !known.is_out(member)));
    }
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5, "nothing of it is used");
}

/// What a model has not read may say the opposite: its opinion of a part passes nothing, and the run says so.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_judges_on_a_part_is_not_called_right_and_the_run_says_so() {
    let narrow = || Some(assessor_with(1.0, 1_500));
    let outcome = ask_of(chronicle(250), VerificationLevel::Critical, narrow()).await;
    assert!(unjudged(&outcome, "your model judged it on a part, without the last") >= 1);
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
    let outcome = ask_of(chronicle(250), VerificationLevel::High, narrow()).await;
    let in_part = outcome.count(|event| {
        matches!(event, TraceEvent::Validated { passed: None, unread: Some(unread), .. }
            if unread.task_chars > 0 && unread.answer_chars == 0)
    });
    assert!(in_part >= 1);
    let said = outcome.count(
        |event| matches!(event, TraceEvent::Notice { says, .. } if says.contains("judges them on a part")),
    );
    assert_eq!(said, 1);
    assert!(outcome.result.is_ok(), "as where nothing can tell");
    // The same model, with the room for it.
    let outcome = ask_of(chronicle(250), VerificationLevel::High, Some(assessor(1.0))).await;
    assert!(judged(&outcome, Method::LlmValidation, true) >= 1);
}

/// What code reads is known, even if providers agree on something else: two liars of three are none the better for it.
#[tokio::test(flavor = "multi_thread")]
async fn records_that_differ_from_codes_own_are_rejected_despite_a_majority() {
    let quick = Duration::from_millis(1);
    for (level, wrong) in [(VerificationLevel::High, false), (VerificationLevel::Standard, true)] {
        let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
        let _a = provider("a", &relay.url(), engine(lie, quick)).await;
        let _b = provider("b", &relay.url(), engine(lie, quick)).await;
        let mut asker = Asker { question: QUESTION, ..Asker::default() };
        asker.policy.level = level;
        asker.policy.timeout.total = Duration::from_secs(40);
        let outcome = asker.ask(&relay.url(), orders(20, 5), home.path()).await;
        assert_eq!(outcome.result.is_ok(), wrong, "{level}");
        assert_eq!(judged(&outcome, Method::GroundTruth, false) > 0, !wrong, "{level}");
    }
}
