//! Runs over relays as they are, among strangers as they may be.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::common::proxy::{DELAY, Proxy, Wire};
use crate::common::stuck::Stuck;
use crate::common::{Asker, copy, engine, orders, provider};
use frlm_conductor::trace::TraceEvent;
use frlm_inference::Dialect;
use frlm_protocol::Heartbeat;
use frlm_relay::{ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig};
use nostr::{Keys, Timestamp};

const QUICK: Duration = Duration::from_millis(1);

async fn relay(change: impl FnOnce(&mut EmbeddedRelayConfig)) -> EmbeddedRelay {
    let mut config = EmbeddedRelayConfig::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    change(&mut config);
    EmbeddedRelay::start(config).await.unwrap()
}

/// A question over a hundred orders; the answer, or the words with which the run failed.
async fn ask(asker: Asker, relay: &nostr::RelayUrl) -> Result<String, String> {
    let home = tempfile::tempdir().unwrap();
    let outcome = asker.ask(relay, orders(100, 8), home.path()).await;
    outcome.result.map(|answer| answer.answer).map_err(|error| error.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn six_hundred_heartbeats_of_fresh_keys_keep_no_run_from_its_providers() {
    let relay = relay(|config| config.max_limit = 500).await;
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let (stranger, _reading) = Connection::connect(&[relay.url()], ConnectOptions::default()).await.unwrap();
    let ahead = Timestamp::now() + 60_u64;
    let flood = (0..600).map(|_| {
        let heartbeat = Heartbeat { queue_length: 0, expires_at: ahead + 600_u64 };
        heartbeat.to_event(&Keys::generate(), ahead).unwrap()
    });
    let flood: Vec<_> = flood.collect();
    for published in futures::future::join_all(flood.iter().map(|event| stranger.publish(event))).await {
        published.unwrap();
    }
    let asker = Asker { discovery: Duration::from_secs(5), ..Asker::default() };
    let answer = ask(asker, &relay.url()).await.unwrap();
    assert!(answer.starts_with("20 "), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_wants_to_know_its_clients_serves_a_run_by_the_run_s_key() {
    let relay = relay(|config| config.auth_required = true).await;
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let answer = ask(Asker::default(), &relay.url()).await.unwrap();
    assert!(answer.starts_with("20 "), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_relay_says_stands_beside_the_word_that_nobody_is_there() {
    let relay = relay(|config| config.max_subscriptions = 1).await;
    let asker = Asker { discovery: Duration::from_secs(2), ..Asker::default() };
    let words = ask(asker, &relay.url()).await.unwrap_err();
    assert!(words.contains("no provider answered") && words.contains("more than 1 subscriptions"), "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_relay_is_waited_for_as_long_as_it_sends_what_it_has() {
    let relay = relay(|_| {}).await;
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let slow = Proxy::to(relay.address()).await;
    slow.set(Wire::Slow);
    let asker = Asker { discovery: DELAY, ..Asker::default() };
    let answer = ask(asker, &slow.url()).await.unwrap();
    assert!(answer.starts_with("20 "), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_gives_up_every_job_is_left_alone_after_a_few() {
    let relay = relay(|_| {}).await;
    let slow = Duration::from_millis(20);
    let _a = provider("a", &relay.url(), engine(copy, slow)).await;
    let _b = provider("b", &relay.url(), engine(copy, slow)).await;
    let broken = Stuck::at("copy", Dialect::Records, copy).failing();
    let broken = provider("broken", &relay.url(), Arc::new(broken)).await;
    let key = broken.public_key().to_hex();
    let home = tempfile::tempdir().unwrap();
    let outcome =
        Asker { enough: 3, ..Asker::default() }.ask(&relay.url(), orders(400, 4), home.path()).await;
    let sent = outcome
        .count(|event| matches!(event, TraceEvent::SubQuerySubmit { provider, .. } if *provider == key));
    // Six that it gave up, and those that were on their way by then.
    assert!((1..=12).contains(&sent), "{sent} jobs were sent to it");
    let left_out = outcome.count(
        |event| matches!(event, TraceEvent::Notice { says, .. } if says.contains("gives up every job")),
    );
    assert_eq!(left_out, 1);
    assert!(outcome.result.unwrap().answer.starts_with("80 "));
}
