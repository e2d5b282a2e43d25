//! Notes that are too much for one provider, over a real relay: the step that would write the answer is planned again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use frlm_questions::ingest::{self, Document, DocumentId, Fragment, SplitOptions};

use crate::common::{Asker, Outcome, provider, relay};
use frlm_conductor::run::RunError;
use frlm_conductor::run::resume::Known;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::VerificationPolicy;
use serde_json::json;

/// More than fit into one job, by a half.
const SHOPS: u32 = 40;
/// More words than 24 KB have.
const WIDE: usize = 16_384;

/// A general model that repeats what it reads, and sums up notes by naming each; digests it sums up by naming the first,
/// unless it is `mute` before them.
fn writer(context_tokens: usize, mute: &Arc<AtomicBool>) -> Arc<dyn LanguageModel> {
    let mute = Arc::clone(mute);
    let answer = move |prompt: &str| {
        if prompt.contains("What you read sums up notes") && mute.load(Ordering::SeqCst) {
            return String::new();
        }
        if prompt.contains("Turn it into a query") {
            return json!({"reduction": "free", "measure": null, "report": null, "conditions": []})
                .to_string();
        }
        if prompt.contains("took notes for the question") {
            let notes = prompt.lines().filter_map(|line| line.strip_prefix('[')?.split_once(']'));
            let numbers: Vec<&str> = notes.map(|(number, _)| number).collect();
            let named = if numbers.is_empty() { "1".to_owned() } else { numbers.join(", ") };
            return format!("The shops reported their items [{named}].");
        }
        let line = prompt.lines().find_map(|line| {
            let (number, text) = line.split_once('|')?;
            Some((number.trim().parse::<u32>().ok()?, text.trim()))
        });
        let Some((line, text)) = line else { return String::new() };
        // A claim is no longer than 400 characters.
        let items: Vec<&str> = text.split(' ').collect();
        let claims = items.chunks(45).map(|some| json!({"lines": [[line, line]], "claim": some.join(" ")}));
        json!({ "claims": claims.collect::<Vec<_>>() }).to_string()
    };
    Arc::new(
        ScriptedModel::new("writer", answer)
            .with_latency(Duration::from_millis(1))
            .with_context_tokens(context_tokens)
            .with_dialect(Dialect::Json),
    )
}

/// A report a file.
fn reports() -> Vec<Arc<Fragment>> {
    let documents: Vec<Document> = (0..SHOPS)
        .map(|shop| {
            let items: Vec<String> = (0..120).map(|item| format!("item{item}")).collect();
            let text = format!("Shop {shop} reported {}\n", items.join(" "));
            Document { id: DocumentId(shop), ..Document::of_text(format!("shop-{shop}.txt"), text) }
        })
        .collect();
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&documents, options).into_iter().map(Arc::new).collect()
}

fn asker() -> Asker {
    let mut asker = Asker { question: "What did the shops report?", ..Asker::default() };
    asker.policy.verification = VerificationPolicy::None;
    asker
}

/// Asks one provider that reads and writes so much at once.
async fn ask(context_tokens: usize) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _writer = provider("writer", &relay.url(), writer(context_tokens, &Arc::default())).await;
    asker().ask(&relay.url(), reports(), home.path()).await
}

/// How many groups of notes were planned, and that one text was.
fn groups(outcome: &Outcome) -> usize {
    let planned = outcome.trace.iter().filter_map(|record| match &record.event {
        TraceEvent::Plan { subtasks } => Some(subtasks),
        _ => None,
    });
    let labels: Vec<&str> = planned.flatten().map(|planned| planned.label.as_str()).collect();
    assert_eq!(labels.iter().filter(|label| **label == "write the answer").count(), 1, "{labels:?}");
    labels.iter().filter(|label| label.starts_with("sum up notes")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn input_too_large_for_one_provider_is_summarised_in_groups_and_traced() {
    let outcome = ask(WIDE).await;
    let answer = outcome.result.as_ref().unwrap();
    assert!(answer.answer.starts_with("The shops reported their items [1]."), "{}", answer.answer);
    assert!(!answer.answer.contains("Not used"), "digests carried every note: {}", answer.answer);
    let said = answer.decisions.iter().filter(|decision| decision.reasoning.contains("summed up in"));
    assert_eq!(said.count(), 1);
    assert!(groups(&outcome) > 1);
    assert_eq!(answer.citations.len(), 1, "it is cited by the numbers among all notes");
    assert_eq!(answer.citations[0].claim, Some(1));
}

/// 24 KB of such words are more than 8,192 tokens: groups of that size nobody here could read.
#[tokio::test(flavor = "multi_thread")]
async fn groups_are_as_large_as_those_read_at_once_who_are_here() {
    let (wide, narrow) = (ask(WIDE).await, ask(8_192).await);
    assert!(groups(&narrow) > groups(&wide));
    let answer = narrow.result.unwrap();
    assert!(answer.answer.starts_with("The shops reported their items [1]."), "{}", answer.answer);
    assert_eq!(answer.subtasks.failed, 0, "{:?}", answer.subtasks);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_run_reads_its_original_groups_before_any_provider_appears() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let mute = Arc::new(AtomicBool::new(true));
    let _writer = provider("writer", &relay.url(), writer(WIDE, &mute)).await;
    let first = asker();
    let (keys, stop) = (first.keys.clone(), first.stop.clone());
    let mut going = first.start(&relay.url(), reports(), home.path()).await;
    let of_a_group =
        |event: &TraceEvent| matches!(event, TraceEvent::Verified { key, .. } if key.starts_with("combine:"));
    going.until(of_a_group).await;
    stop.cancel();
    let before = going.end().await;
    assert!(matches!(before.result, Err(RunError::Interrupted(_))));
    mute.store(false, Ordering::SeqCst);
    let known = Known::from_trace(&before.trace);
    let of_groups = known.outcomes.keys().filter(|key| key.starts_with("combine:")).count();
    assert!(of_groups > 0);
    let again = Asker { keys, known, ..asker() };
    let outcome = again.ask(&relay.url(), reports(), home.path()).await;
    let answer = outcome.result.unwrap();
    assert_eq!(answer.subtasks.cached, SHOPS as usize + of_groups + 1, "{:?}", answer.subtasks);
}
