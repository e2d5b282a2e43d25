//! Answers in words that contradict each other, over a real relay: where nobody is left to ask, a model of the user's
//! that has shown that it can says who is right, from what they quote; and where nobody with a record says so, it looks at
//! the text.

use frlm_conductor::stage::RunStage;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::common::{Asker, Outcome, provider, relay, witness};
use frlm_conductor::ingest::{self, Document, Fragment, SplitOptions};
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::consensus::exam;
use frlm_verifier::trust::{Evidence, ProviderTraits, ReputationStore, TaskClass};
use serde_json::json;

const QUESTION: &str = "Why was the mill closed?";
const CAUSE: &str = "The wheel of the mill broke in March";
const ASIDE: &str = "The miller had a new coat";

/// Finds nothing alike but what says the same, passes its examination as an arbiter, and rules by what this finds in
/// the contenders' lines, so surely.
fn arbiter(rule: fn(&[&str]) -> usize, confidence: f64) -> Arc<dyn LanguageModel> {
    arbiter_and_auditor(rule, confidence, 0.9)
}

/// … and, where it is shown the text and one answer, thinks that so right.
fn arbiter_and_auditor(rule: fn(&[&str]) -> usize, confidence: f64, opinion: f64) -> Arc<dyn LanguageModel> {
    let answer = move |prompt: &str| {
        if prompt.contains("One answer to a task is to be judged") {
            return assessed(prompt, opinion);
        }
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

/// What who passes the examination of assessors, and thinks everything else so right, says.
fn assessed(prompt: &str, opinion: f64) -> String {
    let given = prompt.lines().find(|line| line.starts_with("Answer: ")).unwrap_or_default();
    let overall = if given.contains(exam::GRADED.right) {
        0.9
    } else if exam::GRADED.wrong.iter().any(|wrong| given.contains(wrong)) {
        0.1
    } else {
        assert!(prompt.contains(CAUSE) && prompt.contains(ASIDE), "who audits is shown the text: {prompt}");
        opinion
    };
    json!({"correctness": overall, "completeness": overall, "clarity": overall, "format": overall,
        "overall": overall, "reasoning": "so the text has it"})
    .to_string()
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
    ask_knowing(judge, false).await
}

/// Asks two who contradict each other, of whom the first may have a record.
async fn ask_knowing(judge: Option<Arc<dyn LanguageModel>>, is_known: bool) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let a = provider("a", &relay.url(), witness("The wheel of the mill had broken.", 1)).await;
    let _b = provider("b", &relay.url(), witness("The miller preferred his coat.", 2)).await;
    let memory = is_known.then(|| known(home.path(), &a.public_key().to_hex()));
    let mut asker = Asker { question: QUESTION, as_one: judge.is_some(), judge, memory, ..Asker::default() };
    asker.policy.timeout.total = Duration::from_secs(40);
    asker.ask(&relay.url(), chronicle(), home.path()).await
}

/// What earlier runs have learned of a provider that agreed with two others.
fn known(home: &Path, key: &str) -> ReputationStore {
    let store = ReputationStore::at(home.join("reputation.db"));
    let comparison = Evidence::Comparison {
        class: TaskClass::new("map", "general", 1),
        groups: vec![[key, "other", "third"].map(str::to_owned).to_vec()],
        accepted: Some(0),
        certainty: 1.0,
        audited: false,
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let providers = [key, "other", "third"].map(|name| (name.to_owned(), ProviderTraits::default()));
    store.record(now, &providers, &vec![comparison; 40]).unwrap();
    store
}

/// Whether the chosen answer was held against the text.
fn audited(outcome: &Outcome) -> Vec<bool> {
    let ruled = outcome.trace.iter().filter_map(|record| match &record.event {
        TraceEvent::Arbitrated { audited, .. } => Some(*audited),
        _ => None,
    });
    ruled.collect()
}

fn settled(outcome: &Outcome) -> usize {
    outcome.count(|event| matches!(event, TraceEvent::Arbitrated { chosen, .. } if !chosen.is_empty()))
}

fn told(outcome: &Outcome, words: &str) -> bool {
    outcome.trace.iter().any(|record| {
        matches!(&record.event, TraceEvent::Notice { stage, says }
            if *stage == RunStage::Verify && says.contains(words))
    })
}

/// seeds/verifier-block.md, `llm_arbitration`: the ruling carries the arbiter's own confidence.
#[tokio::test(flavor = "multi_thread")]
async fn the_users_model_decides_between_two_answers_by_their_quotes() {
    let outcome = ask(Some(arbiter(by_the_quote, 0.78))).await;
    assert_eq!(settled(&outcome), 1);
    assert!(told(&outcome, "your model decides by their quotes"));
    assert_eq!(audited(&outcome), [true], "nobody has a record");
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

/// design.md, section 6: "every agreeing set includes a provider with a record or a local audit".
/// seeds/verifier-block.md, `aggregate_validation_results`: an opinion passes an answer from .75 on.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_with_a_record_says_stands_only_if_the_text_bears_it_out() {
    for (opinion, stands) in [(0.75, true), (0.74, false)] {
        let outcome = ask(Some(arbiter_and_auditor(by_the_quote, 1.0, opinion))).await;
        assert_eq!((settled(&outcome), audited(&outcome)), (usize::from(stands), vec![true]), "{opinion}");
        let why = "no provider with a record gave the answer that the arbiter chose, and it does not pass at the level high: \
                   0.74 by your model";
        let rejected = outcome.count(|event| {
            matches!(event, TraceEvent::Arbitrated { chosen, reasoning, .. }
                if chosen.is_empty() && reasoning.contains(why))
        });
        assert_eq!(rejected, usize::from(!stands), "{opinion}");
        match outcome.result {
            Ok(answer) => assert!(stands && answer.answer.contains("wheel"), "{}", answer.answer),
            Err(error) => assert_eq!((stands, error.exit_code()), (false, 5)),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whom_a_record_vouches_for_needs_no_audit() {
    let outcome = ask_knowing(Some(arbiter_and_auditor(by_the_quote, 1.0, 0.1)), true).await;
    assert_eq!((settled(&outcome), audited(&outcome)), (1, vec![false]));
    assert!(outcome.result.is_ok());
    // The record is the first one's, and the other is chosen.
    let by_the_aside: fn(&[&str]) -> usize = |contenders| 1 - by_the_quote(contenders);
    let outcome = ask_knowing(Some(arbiter_and_auditor(by_the_aside, 1.0, 0.1)), true).await;
    assert_eq!((settled(&outcome), audited(&outcome)), (0, vec![true]));
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
