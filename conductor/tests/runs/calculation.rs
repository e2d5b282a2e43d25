//! Figures over a real relay: readers copy them and do not calculate, so that code finds what nobody wrote, however many say
//! the same.

use std::sync::Arc;
use std::time::Duration;

use frlm_questions::ingest::{self, Document, Fragment, SplitOptions};

use crate::common::{Asker, Outcome, provider, relay, witness};
use frlm_conductor::trace::TraceEvent;

const LINE: &str = "One box weighs 12 kg and the other one 5 kg";

fn packing_list() -> Vec<Arc<Fragment>> {
    let document = Document::of_text("boxes.txt", format!("{LINE}.\n"));
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&[document], options).into_iter().map(Arc::new).collect()
}

async fn ask(words: &'static str) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), witness(words, 1)).await;
    let _b = provider("b", &relay.url(), witness(words, 1)).await;
    let mut asker = Asker { question: "Why is the parcel so heavy?", ..Asker::default() };
    asker.policy.timeout.total = Duration::from_secs(40);
    asker.ask(&relay.url(), packing_list(), home.path()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_figure_that_is_in_no_line_is_rejected_even_if_providers_agree() {
    for sum in ["Both boxes are in it: 12 kg + 5 kg = 17 kg.", "Both boxes are in it: 12 kg + 5 kg = 18 kg."]
    {
        let outcome = ask(sum).await;
        let refused = outcome.count(|event| {
            matches!(event, TraceEvent::SubQueryReturn { ok: false, summary, .. }
                if summary.contains("is not in the quoted lines"))
        });
        assert!(refused >= 2, "each for itself");
        assert_eq!(outcome.result.unwrap_err().exit_code(), 5);
    }
}
