//! Answers in words that contradict each other, over a real relay: where nobody is left to ask, a model of the user's
//! that has shown that it can says who is right, from what they quote.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{Asker, Outcome, provider, relay};
use frlm_conductor::ingest::{self, Document, Fragment, SplitOptions};
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::consensus::exam;
use serde_json::json;

const QUESTION: &str = "Why was the mill closed?";
const CAUSE: &str = "The wheel of the mill broke in March";
const ASIDE: &str = "The miller had a new coat";

/// A general model that says this and quotes that line.
fn witness(words: &'static str, line: u32, quote: &'static str) -> Arc<dyn LanguageModel> {
    let answer = move |prompt: &str| {
        if prompt.contains("Turn it into a query") {
            return json!({"reduction": "free", "measure": null, "report": null, "conditions": []})
                .to_string();
        }
        json!({"found": true, "answer": words, "quotes": [{"line": line, "quote": quote}]}).to_string()
    };
    let model = ScriptedModel::new("witness", answer);
    Arc::new(model.with_latency(Duration::from_millis(1)).with_dialect(Dialect::Json))
}

/// Finds nothing alike but what says the same, passes its examination as an arbiter, and rules by what this finds in
/// the contenders' lines, so surely.
fn arbiter(rule: fn(&[&str]) -> usize, confidence: f64) -> Arc<dyn LanguageModel> {
    let answer = move |prompt: &str| {
        if !prompt.contains("you decide between them") {
            let alike =
                exam::SAME.iter().any(|(left, right)| prompt.contains(left) && prompt.contains(right));
            return json!({"similarity": if alike { 0.95 } else { 0.1 }}).to_string();
        }
        let contenders: Vec<&str> = prompt.lines().filter(|line| line.starts_with("Answer ")).collect();
        let known = exam::CONTESTS.iter().find(|contest| prompt.contains(contest.query));
        let (chosen, confidence) = match known {
            Some(contest) => {
                (contenders.iter().position(|line| line.contains(contest.right.0)).unwrap(), 0.9)
            }
            None => (rule(&contenders), confidence),
        };
        json!({"chosen": chosen + 1, "reasoning": "it quotes the cause", "confidence": confidence})
            .to_string()
    };
    Arc::new(ScriptedModel::new("arbiter", answer).with_dialect(Dialect::Json))
}

fn by_the_quote(contenders: &[&str]) -> usize {
    contenders.iter().position(|line| line.contains(CAUSE)).unwrap()
}

fn chronicle() -> Vec<Arc<Fragment>> {
    let document = Document::of_text("chronicle.txt", format!("{CAUSE}.\n{ASIDE}.\n"));
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&[document], options).into_iter().map(Arc::new).collect()
}

async fn ask(judge: Option<Arc<dyn LanguageModel>>) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), witness("The wheel of the mill had broken.", 1, CAUSE)).await;
    let _b = provider("b", &relay.url(), witness("The miller preferred his coat.", 2, ASIDE)).await;
    let mut asker = Asker { question: QUESTION, judge, ..Asker::default() };
    asker.policy.timeout.total = Duration::from_secs(40);
    asker.ask(&relay.url(), chronicle(), home.path()).await
}

fn settled(outcome: &Outcome) -> usize {
    outcome.count(|event| matches!(event, TraceEvent::Arbitrated { chosen, .. } if !chosen.is_empty()))
}

fn told(outcome: &Outcome, words: &str) -> bool {
    outcome.trace.iter().any(|record| {
        matches!(&record.event, TraceEvent::Decision { stage, reasoning, .. }
            if stage == "verify" && reasoning.contains(words))
    })
}

/// seeds/verifier-block.md, `llm_arbitration`: the ruling carries the arbiter's own confidence.
#[tokio::test(flavor = "multi_thread")]
async fn where_two_contradict_each_other_the_users_model_decides_by_what_they_quote() {
    let outcome = ask(Some(arbiter(by_the_quote, 0.78))).await;
    assert_eq!(settled(&outcome), 1);
    assert!(told(&outcome, "your model decides who is right"));
    let confident = outcome.count(|event| {
        matches!(event, TraceEvent::Verified { confidence: Some(sure), .. } if (sure - 0.78).abs() < 1e-9)
    });
    assert_eq!(confident, 1);
    let answer = outcome.result.unwrap();
    assert!(answer.answer.contains("wheel") && !answer.answer.contains("coat"), "{}", answer.answer);
    assert_eq!(answer.verification.arbitrated, 1);
    // All understood the question alike, and one of two said what stands.
    assert!((answer.verification.agreement - 0.75).abs() < 1e-9, "{:?}", answer.verification);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_of_the_users_a_conflict_stays_one() {
    let outcome = ask(None).await;
    assert_eq!(outcome.count(|event| matches!(event, TraceEvent::Arbitrated { .. })), 0);
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_unsure_or_swayed_by_the_order_settles_nothing() {
    for (judge, why) in
        [(arbiter(by_the_quote, 0.74), "no surer than 0.74"), (arbiter(|_| 0, 1.0), "in another order")]
    {
        let outcome = ask(Some(judge)).await;
        let said = outcome.count(|event| {
            matches!(event, TraceEvent::Arbitrated { chosen, reasoning, .. }
                if chosen.is_empty() && reasoning.contains(why))
        });
        assert_eq!((said, settled(&outcome)), (1, 0), "{why}");
        assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_settle_what_is_known_arbitrates_nothing_and_the_run_says_so() {
    let obedient = |prompt: &str| {
        if prompt.contains("you decide between them") {
            return json!({"chosen": 1, "reasoning": "the first", "confidence": 1.0}).to_string();
        }
        json!({"similarity": 0.1}).to_string()
    };
    let outcome =
        ask(Some(Arc::new(ScriptedModel::new("first", obedient).with_dialect(Dialect::Json)))).await;
    assert_eq!(settled(&outcome), 0);
    assert!(told(&outcome, "the model is no arbiter: it settled 0 of 2 contests rightly"));
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}
