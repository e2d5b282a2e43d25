//! Answers in words over a real relay: two that say the same in other words agree where a model of the user's
//! can tell, and only there, where they are judged as a whole.

use frlm_conductor::stage::RunStage;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{Asker, Outcome, provider, relay, witness};
use frlm_conductor::ingest::{self, Document, Fragment, SplitOptions};
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::consensus::exam;
use serde_json::json;

const QUESTION: &str = "Why was the mill closed?";
const LINE: &str = "The wheel of the mill broke in March";

/// Holds answers for the same that both speak of the wheel, and counts what it is asked to compare beyond its
/// examination, which it passes. Of answers that mean the same it prefers the one without a wheel that had broken.
fn judge(asked: &Arc<AtomicUsize>) -> Arc<dyn LanguageModel> {
    let asked = Arc::clone(asked);
    let answer = move |prompt: &str| {
        if prompt.contains("Several answers mean the same") {
            let mut listed = prompt.lines().filter(|line| line.starts_with("Answer "));
            let best = listed.position(|line| line.contains(IN_OTHER_WORDS));
            return json!({ "best": best.map_or(1, |at| at + 1) }).to_string();
        }
        let is_about = |(left, right): &(&str, &str)| prompt.contains(left) && prompt.contains(right);
        let similarity = if exam::SAME.iter().any(is_about) {
            0.95
        } else if exam::DIFFERENT.iter().any(is_about) {
            0.2
        } else {
            asked.fetch_add(1, Ordering::SeqCst);
            if prompt.matches("wheel").count() == 2 { 0.95 } else { 0.2 }
        };
        json!({ "similarity": similarity }).to_string()
    };
    Arc::new(ScriptedModel::new("judge", answer).with_dialect(Dialect::Json))
}

fn chronicle() -> Vec<Arc<Fragment>> {
    let document = Document::of_text("chronicle.txt", format!("{LINE}.\n"));
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&[document], options).into_iter().map(Arc::new).collect()
}

async fn ask(first: &'static str, second: &'static str, judge: Option<Arc<dyn LanguageModel>>) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), witness(first, 1)).await;
    let _b = provider("b", &relay.url(), witness(second, 1)).await;
    let mut asker = Asker { question: QUESTION, as_one: judge.is_some(), judge, ..Asker::default() };
    asker.policy.timeout.total = Duration::from_secs(40);
    asker.ask(&relay.url(), chronicle(), home.path()).await
}

const SAID: &str = "The wheel of the mill had broken.";
const IN_OTHER_WORDS: &str = "Since March it had no wheel that turned.";
const SOMETHING_ELSE: &str = "The miller had fallen ill.";

fn compared(outcome: &Outcome, as_same: bool) -> usize {
    outcome.count(|event| matches!(event, TraceEvent::ComparedInWords { same, .. } if *same == as_same))
}

#[tokio::test(flavor = "multi_thread")]
async fn paraphrases_agree_and_each_pair_is_compared_in_both_orders() {
    let asked = Arc::new(AtomicUsize::new(0));
    let outcome = ask(SAID, IN_OTHER_WORDS, Some(judge(&asked))).await;
    assert_eq!((compared(&outcome, true), compared(&outcome, false)), (1, 0));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    let answer = outcome.result.unwrap();
    assert!(answer.answer.contains(IN_OTHER_WORDS), "the words that the model chose: {}", answer.answer);
    assert!((answer.verification.agreement - 1.0).abs() < 1e-9, "{:?}", answer.verification);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_words_are_no_question_for_a_model() {
    let asked = Arc::new(AtomicUsize::new(0));
    let outcome = ask(SAID, SAID, Some(judge(&asked))).await;
    assert!(outcome.result.is_ok());
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_meaning_disagrees_and_without_a_model_so_do_other_words() {
    let asked = Arc::new(AtomicUsize::new(0));
    let outcome = ask(SAID, SOMETHING_ELSE, Some(judge(&asked))).await;
    assert_eq!((compared(&outcome, true), compared(&outcome, false)), (0, 1));
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
    // They are claims then, which each of the two reviews by its own words.
    let outcome = ask(SAID, IN_OTHER_WORDS, None).await;
    assert_eq!(compared(&outcome, true) + compared(&outcome, false), 0);
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_calls_all_alike_or_is_unusable_is_no_judge_and_is_named() {
    for (says, why) in [
        ("{\"similarity\": 1.0}", "pairs of answers that differ for the same"),
        ("they are quite alike", "no ruling"),
    ] {
        let model = ScriptedModel::new("judge", move |_| says.to_owned()).with_dialect(Dialect::Json);
        let outcome = ask(SAID, IN_OTHER_WORDS, Some(Arc::new(model))).await;
        assert_eq!((compared(&outcome, true), compared(&outcome, false)), (0, 1));
        let told = outcome.count(|event| {
            matches!(event, TraceEvent::Notice { stage, says }
                if *stage == RunStage::Verify && says.contains("no judge of that") && says.contains(why))
        });
        assert_eq!(told, 1, "{why}");
        assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
    }
}

/// Of high stakes: tier 3 looks at all of it.
const AT_STAKE: &str = "Why was the patient in the mill?";

fn at_stake(judge: Option<Arc<dyn LanguageModel>>) -> Asker {
    let mut asker = Asker { question: AT_STAKE, enough: 2, judge, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::Objective { schema: json!({"type": "object"}) };
    asker.policy.timeout.total = Duration::from_secs(40);
    asker
}

#[tokio::test(flavor = "multi_thread")]
async fn where_meaning_cannot_be_compared_tier_three_rejects_no_text_answer() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), witness(SAID, 1)).await;
    let _b = provider("b", &relay.url(), witness(IN_OTHER_WORDS, 1)).await;
    let _c = provider("c", &relay.url(), witness(SOMETHING_ELSE, 1)).await;
    let outcome = at_stake(None).ask(&relay.url(), chronicle(), home.path()).await;
    let answer = outcome.result.unwrap();
    assert!((answer.coverage - 1.0).abs() < 1e-9, "{}", answer.answer);
    assert_eq!(answer.verification.spot_checks, 1, "what the question means is no matter of words");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_model_to_compare_them_tier_three_confirms_text_answers() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), witness(SAID, 1)).await;
    let _b = provider("b", &relay.url(), witness(IN_OTHER_WORDS, 1)).await;
    let judge = judge(&Arc::default());
    let outcome = at_stake(Some(judge)).ask(&relay.url(), chronicle(), home.path()).await;
    assert_eq!((compared(&outcome, true), compared(&outcome, false)), (1, 0));
    let answer = outcome.result.unwrap();
    assert_eq!((answer.verification.spot_checks, answer.verification.replicas), (2, 4));
}
