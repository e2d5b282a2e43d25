//! Tier 4 (seeds/verifier-block.md, `synthesize_and_validate`) over a real relay: a written answer that leaves out what was found is written once more, and
//! one that is no better is shown with what is missing.

use std::sync::Arc;
use std::time::Duration;

use frlm_questions::ingest::{self, Document, DocumentId, Fragment, SplitOptions};
use frlm_questions::stage::RunStage;

use crate::common::{Asker, Outcome, provider, relay};
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::decisions::{RetryReason, Verb};
use serde_json::json;

const QUESTION: &str = "Why was the mill closed?";
const NOTES: [&str; 3] =
    ["The wheel of the mill broke in March", "The miller fell ill in April", "The river ran dry in June"];

/// A general model that reads one line at a time and, asked to combine, names the first notes: so many
/// the first time, so many when it is told what was wrong.
fn writer(first: usize, corrected: usize) -> Arc<dyn LanguageModel> {
    let answer = move |prompt: &str| {
        if prompt.contains("Turn it into a query") {
            return json!({"reduction": "free", "measure": null, "report": null, "conditions": []})
                .to_string();
        }
        if prompt.contains("took notes for the question") {
            let told = prompt.contains("An earlier attempt was turned down.");
            let used = NOTES.iter().zip(1..).take(if told { corrected } else { first });
            return used.map(|(note, number)| format!("{note} [{number}].")).collect::<Vec<_>>().join(" ");
        }
        let line = prompt.lines().find_map(|line| {
            let (number, text) = line.split_once('|')?;
            Some((number.trim().parse::<u32>().ok()?, text.trim()))
        });
        let Some((line, text)) = line else { return String::new() };
        json!({"claims": [{"lines": [[line, line]], "claim": text}]}).to_string()
    };
    Arc::new(
        ScriptedModel::new("writer", answer)
            .with_latency(Duration::from_millis(1))
            .with_dialect(Dialect::Json),
    )
}

/// A note a file: prose that is this short is not split.
fn chronicle() -> Vec<Arc<Fragment>> {
    let documents: Vec<Document> = (0..)
        .zip(NOTES)
        .map(|(id, note)| Document {
            id: DocumentId(id),
            ..Document::of_text(format!("chronicle-{id}.txt"), format!("{note}.\n"))
        })
        .collect();
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&documents, options).into_iter().map(Arc::new).collect()
}

async fn ask(first: usize, corrected: usize) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _writer = provider("writer", &relay.url(), writer(first, corrected)).await;
    let mut asker = Asker { question: QUESTION, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::None;
    asker.ask(&relay.url(), chronicle(), home.path()).await
}

/// Whether each final check passed, in order.
fn checks(outcome: &Outcome) -> Vec<bool> {
    let passed = |event: &TraceEvent| match event {
        TraceEvent::FinalCheck { passed, .. } => Some(*passed),
        _ => None,
    };
    outcome.trace.iter().filter_map(|record| passed(&record.event)).collect()
}

fn retries(outcome: &Outcome) -> Vec<Option<RetryReason>> {
    let retry = |event: &TraceEvent| match event {
        TraceEvent::Decision { stage, decision, basis: Some(basis), .. }
            if *stage == RunStage::Synthesise && *decision == Verb::Retry =>
        {
            Some(basis.retry_reason)
        }
        _ => None,
    };
    outcome.trace.iter().filter_map(|record| retry(&record.event)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_leaves_notes_out_is_written_once_more() {
    let outcome = ask(1, 3).await;
    assert_eq!(checks(&outcome), [false, true]);
    assert_eq!(retries(&outcome).len(), 1);
    let answer = outcome.result.unwrap();
    for note in NOTES {
        assert!(answer.answer.contains(note), "{}", answer.answer);
    }
    assert!(!answer.answer.contains("Not used"), "{}", answer.answer);
    assert_eq!(answer.citations.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_text_that_is_no_better_is_shown_with_what_is_missing() {
    let outcome = ask(1, 1).await;
    assert_eq!(checks(&outcome), [false, false], "a text is corrected once");
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with(NOTES[0]), "{}", answer.answer);
    assert!(answer.answer.contains("Not used in this answer"), "{}", answer.answer);
    assert!(answer.answer.contains(NOTES[2]), "{}", answer.answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_whole_is_written_once() {
    let outcome = ask(3, 3).await;
    assert_eq!((checks(&outcome), retries(&outcome).len()), (vec![true], 0));
}
