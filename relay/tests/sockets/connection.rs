//! Connections against embedded relays on real sockets.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::common::{
    TIMEOUT, by, connect, event, events, next_event, options, relay, relay_at, until, within,
};
use frlm_relay::{
    ConnectError, ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig, PublishError, RelayMessage,
};
use futures::future::join_all;
use nostr::{Event, EventBuilder, Filter, Keys, Kind, RelayUrl, Tag, Timestamp};
use tokio::net::TcpListener;

#[tokio::test]
async fn a_published_event_reaches_another_connection() {
    let relay = relay().await;
    let keys = Keys::generate();
    let (asker, _) = connect(&[relay.url()]).await;
    let (provider, mut incoming) = connect(&[relay.url()]).await;
    provider.subscribe("jobs", by(&keys)).await;
    let event = event(&keys, "hello");
    let published = asker.publish(&event).await.unwrap();
    assert_eq!(published.accepted_by, relay.url());
    assert_eq!(next_event(&mut incoming).await, event);
}

#[tokio::test]
async fn an_event_on_two_relays_arrives_once() {
    let (one, two) = (relay().await, relay().await);
    let keys = Keys::generate();
    let urls = [one.url(), two.url(), one.url()];
    let (asker, _) = connect(&urls).await;
    let (provider, mut incoming) = connect(&urls).await;
    assert_eq!(provider.relays().len(), 2);
    provider.subscribe("jobs", by(&keys)).await;
    for number in 0..20 {
        asker.publish(&event(&keys, &number.to_string())).await.unwrap();
    }
    // Acceptance by one relay says nothing of the other: wait until both have everything.
    for url in [one.url(), two.url()] {
        let (reader, _) = connect(&[url]).await;
        within(async { while reader.fetch(by(&keys), Duration::from_secs(5)).await.len() < 20 {} }).await;
    }
    let last = event(&keys, "last");
    asker.publish(&last).await.unwrap();
    let messages =
        until(&mut incoming, |message| *message == RelayMessage::Event(Box::new(last.clone()))).await;
    assert_eq!(events(&messages).len(), 21);
}

#[tokio::test]
async fn one_dead_relay_does_not_hinder_the_other() {
    let relay = relay().await;
    let keys = Keys::generate();
    let dead = RelayUrl::parse("ws://127.0.0.1:1").unwrap();
    let (publisher, _) = connect(&[dead.clone(), relay.url()]).await;
    publisher.publish(&event(&keys, "x")).await.unwrap();
    let status = publisher.relays();
    let of_dead = status.iter().find(|status| status.url == dead).unwrap();
    assert!(!of_dead.connected && of_dead.last_message.is_some());
    assert!(status.iter().any(|status| status.connected));
}

#[tokio::test]
async fn unreachable_relays_are_named_with_their_reasons_in_time() {
    let listener = TcpListener::bind(crate::common::anywhere()).await.unwrap();
    // Accepts and never answers the handshake.
    let silent = RelayUrl::parse(&format!("ws://{}", listener.local_addr().unwrap())).unwrap();
    let dead = RelayUrl::parse("ws://127.0.0.1:1").unwrap();
    let timeout = Duration::from_millis(700);
    let options = ConnectOptions { connect_timeout: timeout, ..options() };
    let began = Instant::now();
    let error = Connection::connect(&[dead.clone(), silent.clone()], options.clone()).await.unwrap_err();
    assert!(began.elapsed() < timeout + Duration::from_secs(3), "{:?}", began.elapsed());
    let words = error.to_string();
    assert!(words.contains(dead.as_str()) && words.contains(silent.as_str()), "{words}");
    assert!(words.contains("refused"), "{words}");
    assert_eq!(Connection::connect(&[], options).await.unwrap_err(), ConnectError::NoRelays);
}

#[tokio::test]
async fn after_a_relay_restart_subscriptions_stand_and_nothing_is_missed() {
    let first = relay().await;
    let address = first.address();
    let keys = Keys::generate();
    let (publisher, _) = connect(&[first.url()]).await;
    let (subscriber, mut incoming) = connect(&[first.url()]).await;
    subscriber.subscribe("a", by(&keys)).await;
    publisher.publish(&event(&keys, "before")).await.unwrap();
    assert_eq!(next_event(&mut incoming).await.content, "before");

    first.shutdown().await;
    let messages = until(&mut incoming, |message| matches!(message, RelayMessage::Offline { .. })).await;
    assert!(matches!(messages.last(), Some(RelayMessage::Offline { reason, .. }) if !reason.is_empty()));
    let restarted = Instant::now();
    let second = relay_at(address).await;
    // Published while this connection is still reconnecting: it waits and goes through.
    publisher.publish(&event(&keys, "after")).await.unwrap();
    assert_eq!(next_event(&mut incoming).await.content, "after");
    assert!(restarted.elapsed() < Duration::from_secs(2), "{:?}", restarted.elapsed());
    second.shutdown().await;
}

#[tokio::test]
async fn events_stored_while_offline_come_with_the_reconnect() {
    let (one, two) = (relay().await, relay().await);
    let keys = Keys::generate();
    let (subscriber, mut incoming) = connect(&[one.url()]).await;
    subscriber.subscribe("a", by(&keys)).await;
    let address = one.address();
    one.shutdown().await;
    until(&mut incoming, |message| matches!(message, RelayMessage::Offline { .. })).await;
    let restarted = relay_at(address).await;
    let (publisher, _) = connect(&[restarted.url()]).await;
    publisher.publish(&event(&keys, "missed")).await.unwrap();
    assert_eq!(next_event(&mut incoming).await.content, "missed");
    two.shutdown().await;
}

#[tokio::test]
async fn subscriptions_are_replaced_by_name() {
    let relay = relay().await;
    let (a, b) = (Keys::generate(), Keys::generate());
    let (publisher, _) = connect(&[relay.url()]).await;
    let (subscriber, mut incoming) = connect(&[relay.url()]).await;
    subscriber.subscribe("x", by(&a)).await;
    subscriber.subscribe("x", by(&b)).await;
    subscriber
        .subscribe("y", vec![Filter::new().kind(Kind::Custom(1111)), Filter::new().kind(Kind::Custom(1112))])
        .await;
    publisher.publish(&event(&a, "from a")).await.unwrap();
    publisher.publish(&event(&b, "from b")).await.unwrap();
    assert_eq!(next_event(&mut incoming).await.content, "from b");

    let heard = EventBuilder::new(Kind::Custom(1112), "heard").sign_with_keys(&a).unwrap();
    publisher.publish(&heard).await.unwrap();
    assert_eq!(next_event(&mut incoming).await.content, "heard");
}

#[tokio::test]
async fn fetch_returns_what_is_stored_and_leaves_the_reader_alone() {
    let relay = relay().await;
    let keys = Keys::generate();
    let (publisher, mut incoming) = connect(&[relay.url()]).await;
    for number in 0..50 {
        publisher.publish(&event(&keys, &number.to_string())).await.unwrap();
    }
    let found = publisher.fetch(by(&keys), Duration::from_secs(5)).await;
    assert_eq!(found.len(), 50);
    assert!(publisher.fetch(by(&Keys::generate()), Duration::from_secs(5)).await.is_empty());
    publisher.shutdown().await;
    let mut rest = Vec::new();
    while let Some(message) = incoming.recv().await {
        rest.push(message);
    }
    assert!(events(&rest).is_empty(), "{rest:?}");
}

#[tokio::test]
async fn a_burst_reaches_a_slow_consumer_without_loss() {
    const BURST: usize = 2000;
    let relay = relay().await;
    let keys = Keys::generate();
    let (publisher, _) = connect(&[relay.url()]).await;
    // A queue far smaller than the burst, and nobody reading while it lasts.
    let small = ConnectOptions { incoming_messages: 100, ..options() };
    let (subscriber, mut incoming) = Connection::connect(&[relay.url()], small).await.unwrap();
    subscriber.subscribe("burst", by(&keys)).await;
    let all: Vec<_> = (0..BURST).map(|number| event(&keys, &number.to_string())).collect();
    let publishing = futures::future::join_all(all.iter().map(|event| publisher.publish(event)));
    for outcome in within(publishing).await {
        outcome.unwrap();
    }
    let (mut received, mut dropped) = (std::collections::HashSet::new(), 0);
    within(async {
        while received.len() < BURST {
            match incoming.recv().await.unwrap() {
                RelayMessage::Event(event) => assert!(received.insert(event.id), "delivered twice"),
                RelayMessage::Dropped { count } => dropped += count,
                _ => {}
            }
        }
    })
    .await;
    assert!(dropped > 0, "the queue was never full, so this proves nothing");
}

#[tokio::test]
async fn a_refusal_comes_in_the_relay_s_words() {
    let relay = relay().await;
    let keys = Keys::generate();
    let (publisher, _) = connect(&[relay.url()]).await;
    let expired = EventBuilder::new(Kind::Custom(6050), "x")
        .tag(Tag::expiration(Timestamp::from_secs(1)))
        .sign_with_keys(&keys)
        .unwrap();
    let error = publisher.publish(&expired).await.unwrap_err();
    assert!(matches!(&error, PublishError::Refused { refusals } if refusals.len() == 1), "{error:?}");
    assert!(error.to_string().contains("invalid: expired"), "{error}");
}

#[tokio::test]
async fn a_rate_limited_event_is_sent_again_until_it_is_accepted() {
    let config =
        EmbeddedRelayConfig { events_per_minute: 60, ..EmbeddedRelayConfig::at(crate::common::anywhere()) };
    let relay = EmbeddedRelay::start(config).await.unwrap();
    let keys = Keys::generate();
    let (publisher, _) = connect(&[relay.url()]).await;
    // One minute's worth is accepted at once; the next has to wait for its turn.
    for number in 0..61 {
        publisher.publish(&event(&keys, &number.to_string())).await.unwrap();
    }
    assert_eq!(publisher.fetch(by(&keys), Duration::from_secs(5)).await.len(), 61);
}

#[tokio::test]
async fn an_event_over_the_relay_s_announced_size_is_refused_before_it_is_sent() {
    let config =
        EmbeddedRelayConfig { max_event_bytes: 4096, ..EmbeddedRelayConfig::at(crate::common::anywhere()) };
    let relay = EmbeddedRelay::start(config).await.unwrap();
    let (publisher, _) = Connection::connect(&[relay.url()], ConnectOptions::default()).await.unwrap();
    // The document is read beside the connection; until then the relay itself refuses.
    let large = event(&Keys::generate(), &"x".repeat(5000));
    within(async {
        loop {
            let error = publisher.publish(&large).await.unwrap_err().to_string();
            if error.contains("this relay takes at most 4096") {
                return;
            }
            assert!(error.contains("larger than 4096"), "{error}");
        }
    })
    .await;
}

#[tokio::test]
async fn shutting_down_ends_publishing_and_reading() {
    let relay = relay().await;
    let (publisher, mut incoming) = connect(&[relay.url()]).await;
    publisher.shutdown().await;
    let outcome = publisher.publish(&event(&Keys::generate(), "x")).await;
    assert_eq!(outcome.unwrap_err(), PublishError::Closed);
    within(async { while incoming.recv().await.is_some() {} }).await;
}

#[tokio::test]
async fn dropping_a_connection_closes_it() {
    let config =
        EmbeddedRelayConfig { max_connections: 1, ..EmbeddedRelayConfig::at(crate::common::anywhere()) };
    let relay = EmbeddedRelay::start(config).await.unwrap();
    let both = connect(&[relay.url()]).await;
    drop(both);
    // The only place is free again as soon as the relay has noticed.
    let (publisher, _) = connect(&[relay.url()]).await;
    publisher.publish(&event(&Keys::generate(), "x")).await.unwrap();
}

#[tokio::test]
async fn stored_events_come_page_by_page_from_a_relay_with_a_low_limit() {
    let config = EmbeddedRelayConfig { max_limit: 150, ..EmbeddedRelayConfig::at(crate::common::anywhere()) };
    let relay = EmbeddedRelay::start(config).await.unwrap();
    let (publisher, _incoming) = connect(&[relay.url()]).await;
    let (keys, now) = (Keys::generate(), Timestamp::now());
    let events: Vec<Event> = (0..700_u64)
        .map(|number| {
            EventBuilder::new(Kind::Custom(6050), number.to_string())
                .custom_created_at(now - number / 7)
                .sign_with_keys(&keys)
                .unwrap()
        })
        .collect();
    for published in within(join_all(events.iter().map(|event| publisher.publish(event)))).await {
        published.unwrap();
    }
    let filter = Filter::new().author(keys.public_key()).limit(500);
    let once = publisher.fetch(vec![filter.clone()], TIMEOUT).await;
    assert_eq!(once.len(), 150, "it answers one question with so many");
    let mut stored = publisher.stored(filter).await;
    let mut found = HashSet::new();
    while let Some(event) = within(stored.recv()).await {
        found.insert(event.id);
    }
    assert_eq!(found.len(), events.len());
    relay.shutdown().await;
}

#[tokio::test]
async fn a_relay_that_requires_authentication_serves_clients_that_give_it() {
    let config =
        EmbeddedRelayConfig { auth_required: true, ..EmbeddedRelayConfig::at(crate::common::anywhere()) };
    let relay = EmbeddedRelay::start(config).await.unwrap();
    let (keys, urls) = (Keys::generate(), [relay.url()]);
    let known = ConnectOptions { auth_keys: Some(Keys::generate()), ..options() };
    let (publisher, mut incoming) = Connection::connect(&urls, known).await.unwrap();
    publisher.subscribe("s", by(&keys)).await;
    let stored = event(&keys, "stored");
    within(publisher.publish(&stored)).await.unwrap();
    assert_eq!(next_event(&mut incoming).await, stored);
    assert_eq!(publisher.fetch(by(&keys), TIMEOUT).await, [stored]);

    let (stranger, mut incoming) = connect(&urls).await;
    stranger.subscribe("s", by(&keys)).await;
    let closed = |message: &RelayMessage| matches!(message, RelayMessage::Closed { reason, .. } if reason.starts_with("auth-required:"));
    until(&mut incoming, closed).await;
    assert!(stranger.fetch(by(&keys), TIMEOUT).await.is_empty());
    let refused = within(stranger.publish(&event(&keys, "refused"))).await.unwrap_err();
    assert!(refused.to_string().contains("auth-required:"), "{refused}");
    relay.shutdown().await;
}
