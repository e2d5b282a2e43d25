//! A first run, without any record, among many keys that answer nothing: whom somebody vouches for is asked first.

use std::time::Duration;

use crate::common::{Asker, copy, engine, orders, provider, relay};
use frlm_conductor::trace::TraceEvent;
use frlm_protocol::{Announcement, Heartbeat};
use frlm_relay::{ConnectOptions, Connection, Publisher};
use frlm_verifier::VerificationPolicy;
use nostr::{Keys, PublicKey, Timestamp};

/// Keys that announce themselves, give a sign of life, and answer nothing.
const CROWD: usize = 60;

async fn announce(publisher: &Publisher, keys: &Keys) {
    let now = Timestamp::now();
    let announcement = Announcement {
        name: "silent".to_owned(),
        model: "frlm-records".to_owned(),
        weights_hash: None,
        quantisation: None,
        context_tokens: 1_024,
        speed: None,
        price_msats_per_1k: 0,
        written_msats_per_1k: None,
        least_msats: 0,
        dialect: "records".to_owned(),
        concurrency: 1,
        roles: vec!["worker".to_owned()],
        mints: Vec::new(),
        escrow_key: None,
        pay_after_jobs: 0,
        free_jobs_per_day: 0,
        accepts_open_jobs: false,
        blob_bytes: 0,
    };
    publisher.publish(&announcement.to_event(now + 600, keys, now).unwrap()).await.unwrap();
    let heartbeat = Heartbeat { queue_length: 0, expires_at: now + 300 };
    publisher.publish(&heartbeat.to_event(keys, now).unwrap()).await.unwrap();
}

/// How many jobs a run gave to the crowd, and how many in all.
async fn jobs(is_vouched: bool) -> (usize, usize) {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let url = relay.url();
    let (publisher, _incoming) =
        Connection::connect(std::slice::from_ref(&url), ConnectOptions::default()).await.unwrap();
    for _ in 0..CROWD {
        announce(&publisher, &Keys::generate()).await;
    }
    let good = provider("good", &url, engine(copy, Duration::from_millis(1))).await;
    let key: PublicKey = good.public_key();
    let vouched = if is_vouched { vec![key] } else { Vec::new() };
    let mut asker = Asker { vouched, enough: CROWD + 1, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::None;
    asker.policy.timeout.per_query = Duration::from_secs(2);
    let outcome = asker.ask(&url, orders(400, 4), home.path()).await;
    let answer = outcome.result.as_ref().expect("it has its answer");
    assert!(answer.answer.starts_with("80 "), "{}", answer.answer);
    let key = key.to_hex();
    let to = |wanted: &dyn Fn(&str) -> bool| {
        outcome
            .count(|event| matches!(event, TraceEvent::SubQuerySubmit { provider, .. } if wanted(provider)))
    };
    (to(&|provider| provider != key), to(&|_| true))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vouched_provider_gets_most_jobs_of_a_first_run_in_a_crowd() {
    let (crowd, all) = jobs(true).await;
    let (crowd_before, all_before) = jobs(false).await;
    eprintln!("vouched for: {crowd} of {all} jobs to the crowd; not: {crowd_before} of {all_before}");
    assert!(crowd * 2 <= crowd_before, "{crowd} of {all}, without vouching {crowd_before} of {all_before}");
}
