//! Calculations in answers over a real relay: code does them again, and who miscalculates is not believed, however many
//! say the same.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{Asker, Outcome, provider, relay, witness};
use frlm_conductor::ingest::{self, Document, Fragment, SplitOptions};
use frlm_conductor::trace::TraceEvent;

const LINE: &str = "One box weighs 12 kg and the other one 5 kg";

fn packing_list() -> Vec<Arc<Fragment>> {
    let document = Document::of_text("boxes.txt", format!("{LINE}.\n"));
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&[document], options).into_iter().map(Arc::new).collect()
}

async fn ask(words: &'static str) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), witness(words, 1, LINE)).await;
    let _b = provider("b", &relay.url(), witness(words, 1, LINE)).await;
    let mut asker = Asker { question: "Why is the parcel so heavy?", ..Asker::default() };
    asker.policy.timeout.total = Duration::from_secs(40);
    asker.ask(&relay.url(), packing_list(), home.path()).await
}

fn miscalculated(outcome: &Outcome) -> usize {
    outcome.count(|event| {
        matches!(event, TraceEvent::SubQueryReturn { ok: false, summary, .. } if summary.contains("it miscalculates"))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_agree_on_a_sum_that_is_none_are_believed_as_little_as_one() {
    let outcome = ask("Both boxes are in it: 12 kg + 5 kg = 17 kg.").await;
    assert_eq!(miscalculated(&outcome), 0);
    assert!(outcome.result.unwrap().answer.contains("17 kg"));
    let outcome = ask("Both boxes are in it: 12 kg + 5 kg = 18 kg.").await;
    assert!(miscalculated(&outcome) >= 2, "each for itself");
    assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
}
