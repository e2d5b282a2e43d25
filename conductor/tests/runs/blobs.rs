//! Runs over relays that take less than a part: the texts travel as blobs.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use frlm_questions::ingest::{self, Document, Fragment, SplitOptions};

use crate::common::{Asker, Outcome, copy, engine, provider};
use frlm_conductor::trace::TraceEvent;
use frlm_protocol::kinds::JOB_REQUEST;
use frlm_relay::{BlobLimits, ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig, RelayProfile};
use nostr::{Event, Filter};

const QUICK: Duration = Duration::from_millis(1);
/// Characters of a content that the relay takes, as the Python relay does.
const TAKEN: usize = 4_096;

/// A relay that takes little, with or without a blob server beside it.
async fn relay(blobs: Option<BlobLimits>) -> EmbeddedRelay {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let config = EmbeddedRelayConfig { blobs, ..RelayProfile::PythonNostrRelay.at(listen) };
    assert_eq!(config.max_content_chars, TAKEN);
    EmbeddedRelay::start(config).await.unwrap()
}

/// An order log with long lines, every fifth order of which failed: a part of eight has about 6 KB.
fn long_orders(count: usize) -> Vec<Arc<Fragment>> {
    let mut text = String::new();
    for number in 1..=count {
        let status = if number % 5 == 0 { "failed" } else { "shipped" };
        writeln!(text, "order={number} note={} status={status}", "lorem-ipsum-".repeat(60)).unwrap();
    }
    let document = Document::of_text("orders.log", text);
    let options = SplitOptions { max_tokens: 8_000, max_records: 8 };
    ingest::split(&[document], options).into_iter().map(Arc::new).collect()
}

async fn run_over(relay: &EmbeddedRelay, fragments: Vec<Arc<Fragment>>) -> Outcome {
    let home = tempfile::tempdir().unwrap();
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let asker = Asker { newcomers: Duration::from_millis(500), ..Asker::default() };
    asker.ask(&relay.url(), fragments, home.path()).await
}

/// The jobs that a relay has seen.
async fn jobs_at(relay: &EmbeddedRelay) -> Vec<Event> {
    let (publisher, _incoming) =
        Connection::connect(&[relay.url()], ConnectOptions::default()).await.unwrap();
    publisher.fetch(vec![Filter::new().kind(JOB_REQUEST)], Duration::from_secs(5)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_that_are_too_large_for_the_relay_are_answered_through_blobs() {
    let relay = relay(Some(BlobLimits::default())).await;
    let fragments = long_orders(40);
    assert!(fragments.iter().all(|fragment| fragment.text.len() > TAKEN), "they are meant to be too large");
    let parts = fragments.len();
    let outcome = run_over(&relay, fragments).await;
    let answer = outcome.result.as_ref().unwrap();
    assert!(answer.answer.starts_with("8 "), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
    let jobs = jobs_at(&relay).await;
    assert!(jobs.len() >= 2 * parts, "{} jobs for {parts} parts", jobs.len());
    assert!(jobs.iter().all(|job| job.content.len() < 1_000), "the relay has no text of a document");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_blob_server_such_parts_fail_in_the_words_of_the_relay() {
    let relay = relay(None).await;
    let outcome = run_over(&relay, long_orders(8)).await;
    assert!(outcome.result.is_err(), "{:?}", outcome.result);
    let told = outcome.count(|event| {
        let said = format!("{event:?}");
        said.contains("this relay takes at most 4096") || said.contains("invalid:")
    });
    assert!(told > 0, "{:#?}", outcome.trace);
    let left = outcome.count(|event| matches!(event, TraceEvent::Verified { .. }));
    assert_eq!(left, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn small_parts_travel_in_their_events_as_ever() {
    let relay = relay(Some(BlobLimits::default())).await;
    let outcome = run_over(&relay, crate::common::orders(40, 8)).await;
    assert!(outcome.result.unwrap().answer.starts_with("8 "));
    let jobs = jobs_at(&relay).await;
    // Eight lines of 40 bytes and what is said of them.
    assert!(!jobs.is_empty() && jobs.iter().all(|job| (600..TAKEN).contains(&job.content.len())));
}
