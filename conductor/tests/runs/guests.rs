//! A run that pays nothing, at providers without a price that thousands of free jobs of fresh keys keep busy.

use std::time::{Duration, Instant};

use crate::common::{Asker, copy, engine, orders, relay};
use crate::floods::{RECORD, SLACK, flood};
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_relay::{ConnectOptions, Connection};
use nostr::{Keys, PublicKey, RelayUrl};

/// Few enough that a machine that does other things, too, has them in a moment.
const BITS: u8 = 12;

async fn a_free_run(url: &RelayUrl) -> Duration {
    let home = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let outcome = Asker::default().ask(url, orders(40, 8), home.path()).await;
    let answer = outcome.result.expect("it has its answer").answer;
    assert!(answer.starts_with("8 "), "{answer}");
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_free_run_with_work_takes_at_most_four_times_as_long_in_a_flood() {
    let relay = relay().await;
    let url = relay.url();
    let mut providers = Vec::new();
    for name in ["a", "b"] {
        let config = ProviderConfig { name: name.to_owned(), pow_bits: BITS, ..ProviderConfig::default() };
        let started =
            Provider::start(config, Keys::generate(), std::slice::from_ref(&url), engine(copy, RECORD)).await;
        providers.push(started.unwrap());
    }
    let alone = a_free_run(&url).await;
    let to: Vec<PublicKey> = providers.iter().map(ProviderHandle::public_key).collect();
    let events = flood(&to);
    let options = ConnectOptions { publish_timeout: Duration::from_mins(1), ..ConnectOptions::default() };
    let (stranger, _incoming) = Connection::connect(std::slice::from_ref(&url), options).await.unwrap();
    let flooded = futures::future::join_all(events.iter().map(|event| stranger.publish(event))).await;
    assert!(flooded.iter().all(Result::is_ok), "the relay takes the flood");
    let beside = a_free_run(&url).await;
    eprintln!("{} jobs of fresh keys: {beside:?}, alone {alone:?}", events.len());
    assert!(beside <= alone * 4 + SLACK, "{beside:?}, alone {alone:?}");
}
