//! Notes that are too much for one provider, over a real relay: the step that would write the answer is planned again.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{Asker, Outcome, provider, relay};
use frlm_conductor::ingest::{self, Document, DocumentId, Fragment, SplitOptions};
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::VerificationPolicy;
use serde_json::json;

/// More than fit into one job, by a half.
const SHOPS: u32 = 40;

/// A general model that repeats what it reads, and sums up notes by naming each; digests it sums up by naming the first.
fn writer() -> Arc<dyn LanguageModel> {
    let answer = |prompt: &str| {
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
        let quote = text.split(" item").next();
        json!({"found": true, "answer": text, "quotes": [{"line": line, "quote": quote}]}).to_string()
    };
    Arc::new(
        ScriptedModel::new("writer", answer)
            .with_latency(Duration::from_millis(1))
            // 24 KB of such words are more than 8,192 tokens.
            .with_context_tokens(16_384)
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

async fn ask() -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _writer = provider("writer", &relay.url(), writer()).await;
    let mut asker = Asker { question: "What did the shops report?", ..Asker::default() };
    asker.policy.verification = VerificationPolicy::None;
    asker.ask(&relay.url(), reports(), home.path()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_for_one_provider_is_summed_up_in_groups_first_and_the_trace_shows_it() {
    let outcome = ask().await;
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("The shops reported their items [1]."), "{}", answer.answer);
    assert!(!answer.answer.contains("Not used"), "digests carried every note: {}", answer.answer);
    let said = answer.decisions.iter().filter(|decision| decision.reasoning.contains("summed up in"));
    assert_eq!(said.count(), 1);
    let labels: Vec<String> = outcome
        .trace
        .iter()
        .filter_map(|record| match &record.event {
            TraceEvent::Plan { subtasks } => Some(subtasks.iter().map(|planned| planned.label.clone())),
            _ => None,
        })
        .flatten()
        .collect();
    let digests = labels.iter().filter(|label| label.starts_with("sum up notes")).count();
    assert!(digests > 1, "{labels:?}");
    assert_eq!(labels.iter().filter(|label| *label == "write the answer").count(), 1, "{labels:?}");
    assert_eq!(answer.citations.len(), 1, "it is cited by the numbers among all notes");
    assert_eq!(answer.citations[0].claim, Some(1));
}
