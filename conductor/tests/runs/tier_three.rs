//! Tier 3 over a real relay under policies that accept the first answer which passes: some are asked of others too,
//! and what code knows better is.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_questions::ingest::{self, Document, SplitOptions};

use crate::common::{Asker, Outcome, copy, engine, lie, orders, provider, relay, witness};
use frlm_conductor::trace::{PosteriorStep, TraceEvent};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::fitness::STARTING_FITNESS;
use frlm_verifier::trust::{AskReason, ReputationStore};
use serde_json::json;

const QUICK: Duration = Duration::from_millis(1);

fn under(verification: VerificationPolicy, enough: usize) -> Asker {
    let mut asker = Asker { enough, ..Asker::default() };
    asker.policy.verification = verification;
    asker
}

/// By subtask who agreed and who did not when it was compared last.
fn compared(outcome: &Outcome) -> HashMap<u32, (Vec<String>, Vec<String>)> {
    let verified = outcome.trace.iter().filter_map(|record| match &record.event {
        TraceEvent::Verify { subtask, passed: true, agreeing, dissenting, .. } => {
            Some((subtask.0, (agreeing.clone(), dissenting.clone())))
        }
        _ => None,
    });
    verified.collect()
}

fn asked_on(outcome: &Outcome, wanted: fn(AskReason) -> bool) -> Vec<u32> {
    let asked = outcome.trace.iter().filter_map(|record| match &record.event {
        TraceEvent::Posterior { subtask, step: PosteriorStep::Ask(why), .. } if wanted(*why) => {
            Some(subtask.0)
        }
        _ => None,
    });
    asked.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_share_of_schema_valid_answers_is_rechecked_and_a_false_one_replaced() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let mut asker = under(VerificationPolicy::Objective { schema: json!({"type": "object"}) }, 3);
    let memory = ReputationStore::at(home.path().join("reputation.db"));
    asker.memory = Some(memory.clone());
    let outcome = asker.ask(&relay.url(), orders(1_000, 5), home.path()).await;
    let checked = asked_on(&outcome, |why| matches!(why, AskReason::SpotCheck(_)));
    // A fifth of 200 at first; a lot that leaves fewer than five is one in a million.
    assert!(checked.len() >= 5, "{checked:?}");
    let key = liar.public_key().to_hex();
    let compared = compared(&outcome);
    let mut caught = 0;
    for subtask in &checked {
        let (agreeing, dissenting) = &compared[subtask];
        assert!(agreeing.len() + dissenting.len() >= 2, "subtask {subtask} was asked of nobody else");
        assert!(!agreeing.contains(&key), "a lie stood when others were asked: subtask {subtask}");
        caught += usize::from(dissenting.contains(&key));
    }
    assert!(caught > 0, "none of the liar's answers was among them");
    let answer = outcome.result.unwrap();
    assert_eq!(answer.verification.spot_checks, checked.len());
    assert!((answer.coverage - 1.0).abs() < 1e-9);
    // What was taken at its word earned nothing, and what was found wrong afterwards cost something.
    let known = memory.load(0).unwrap();
    let score = |key: &str| known.score(known.member(key).unwrap());
    assert!(score(&key).fitness < STARTING_FITNESS, "{:?}", score(&key));
    let honest = score(&a.public_key().to_hex());
    assert!(honest.fitness > STARTING_FITNESS && honest.credits > 0, "{honest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_verification_nobody_else_is_asked_but_where_code_knows_better() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let honest = provider("honest", &relay.url(), engine(copy, QUICK)).await;
    let _liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let outcome = under(VerificationPolicy::None, 2).ask(&relay.url(), orders(1_000, 5), home.path()).await;
    assert!(asked_on(&outcome, |why| matches!(why, AskReason::SpotCheck(_))).is_empty());
    let known = asked_on(&outcome, |why| why == AskReason::Gold);
    assert!(!known.is_empty(), "none of the liar's answers was a gold task");
    let compared = compared(&outcome);
    for subtask in &known {
        assert_eq!(compared[subtask].0, [honest.public_key().to_hex()], "subtask {subtask}");
    }
    let mut others = compared.iter().filter(|(subtask, _)| !known.contains(*subtask));
    assert!(others.all(|(_, (agreeing, dissenting))| agreeing.len() + dissenting.len() == 1));
    let answer = outcome.result.unwrap();
    assert_eq!(answer.verification.gold_failed, known.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_else_is_there_what_was_drawn_stands_as_it_is() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let asker = under(VerificationPolicy::Objective { schema: json!({"type": "object"}) }, 1);
    let answer = asker.ask(&relay.url(), orders(500, 5), home.path()).await.result.unwrap();
    assert!(answer.answer.starts_with("100 "), "{}", answer.answer);
    assert_eq!(answer.verification.replicas, 100);
    assert_eq!(answer.verification.spot_checks, 0, "nothing was checked");
}

#[tokio::test(flavor = "multi_thread")]
async fn tier_three_rejects_no_text_answer_for_other_words() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let said = [
        ("a", "The wheel of the mill had broken."),
        ("b", "Since March it had no wheel that turned."),
        ("c", "The miller had fallen ill."),
    ];
    let mut providers = Vec::new();
    for (name, words) in said {
        providers.push(provider(name, &relay.url(), witness(words, 1)).await);
    }
    let document = Document::of_text("chronicle.txt", "The wheel of the mill broke in March.\n");
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    let chronicle = ingest::split(&[document], options).into_iter().map(Arc::new).collect();
    let mut asker = under(VerificationPolicy::Objective { schema: json!({"type": "object"}) }, 2);
    // Of high stakes: tier 3 looks at all that can be compared.
    asker.question = "Why was the patient in the mill?";
    asker.policy.timeout.total = Duration::from_secs(40);
    let answer = asker.ask(&relay.url(), chronicle, home.path()).await.result.unwrap();
    assert!((answer.coverage - 1.0).abs() < 1e-9, "{}", answer.answer);
    assert_eq!(answer.verification.spot_checks, 1, "what the question means is no matter of words");
}
