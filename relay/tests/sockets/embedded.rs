//! The embedded relay as other software sees it.

use std::time::Duration;

use crate::common::{by, connect, event, relay, relay_at, within};
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig, StartError};
use futures::{SinkExt, StreamExt};
use nostr::{Filter, JsonUtil, Keys};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

fn http(relay: &EmbeddedRelay) -> String {
    format!("http://{}/", relay.address())
}

#[tokio::test]
async fn programs_get_the_nip11_document_and_people_a_page() {
    let relay = relay().await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let document = client.get(http(&relay)).header("Accept", "application/nostr+json").send().await.unwrap();
    assert_eq!(document.headers()["content-type"], "application/nostr+json");
    assert_eq!(document.headers()["access-control-allow-origin"], "*");
    let document: serde_json::Value = document.json().await.unwrap();
    assert_eq!(document["supported_nips"], serde_json::json!([1, 9, 11, 40, 42]));
    assert_eq!(document["limitation"]["max_message_length"], 128 * 1024);

    let page = client.get(http(&relay)).send().await.unwrap();
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/plain"));
    assert!(page.text().await.unwrap().contains(&format!("ws://{}", relay.address())));

    let preflight = client.request(reqwest::Method::OPTIONS, http(&relay)).send().await.unwrap();
    assert_eq!(preflight.status(), 204);
    assert_eq!(preflight.headers()["access-control-allow-headers"], "*");
}

#[tokio::test]
async fn a_port_in_use_is_named_with_the_fix() {
    let first = relay().await;
    let error = EmbeddedRelay::start(EmbeddedRelayConfig::at(first.address())).await.unwrap_err();
    assert!(matches!(error, StartError::AddressInUse(address) if address == first.address()));
    assert!(error.to_string().contains("--listen"), "{error}");
}

#[tokio::test]
async fn the_port_is_free_as_soon_as_the_relay_is_shut_down() {
    let mut relay = relay().await;
    let address = relay.address();
    let keys = Keys::generate();
    for round in 0..5 {
        // With clients connected, which is when ports linger.
        let (publisher, _incoming) = connect(&[relay.url()]).await;
        publisher.publish(&event(&keys, &round.to_string())).await.unwrap();
        let began = std::time::Instant::now();
        relay.shutdown().await;
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        relay = relay_at(address).await;
    }
}

#[tokio::test]
async fn oversized_events_are_refused_without_losing_the_connection() {
    let relay = relay().await;
    let keys = Keys::generate();
    let (publisher, _) = connect(&[relay.url()]).await;
    publisher.publish(&event(&keys, &"x".repeat(120 * 1024))).await.unwrap();
    let refused = publisher.publish(&event(&keys, &"x".repeat(130 * 1024))).await.unwrap_err();
    assert!(refused.to_string().contains("larger than 131072 bytes"), "{refused}");
    publisher.publish(&event(&keys, "small")).await.unwrap();
    assert!(publisher.relays()[0].connected);
}

#[tokio::test]
async fn malformed_messages_are_answered_and_do_not_end_the_connection() {
    let relay = relay().await;
    let (mut socket, _) = connect_async(relay.url().as_str()).await.unwrap();
    let mut forged = event(&Keys::generate(), "x");
    forged.content.push('!');
    let long_name = "n".repeat(65);
    let talk = [
        ("not json".to_owned(), "NOTICE"),
        ("[\"COUNT\",\"a\",{}]".to_owned(), "NOTICE"),
        (format!("[\"EVENT\",{}]", forged.as_json()), "OK"),
        (format!("[\"REQ\",\"{long_name}\",{{}}]"), "CLOSED"),
        ("[\"REQ\",\"a\",{\"limit\":1}]".to_owned(), "EOSE"),
    ];
    for (said, answer) in talk {
        socket.send(Message::text(said.clone())).await.unwrap();
        let heard = within(socket.next()).await.unwrap().unwrap();
        assert!(heard.to_text().unwrap().starts_with(&format!("[\"{answer}\"")), "{said} → {heard}");
    }
}

#[tokio::test]
async fn many_subscriptions_are_served_on_one_connection() {
    let relay = relay().await;
    let (publisher, _) = connect(&[relay.url()]).await;
    let (subscriber, mut incoming) = connect(&[relay.url()]).await;
    let authors: Vec<Keys> = (0..300).map(|_| Keys::generate()).collect();
    for (number, author) in authors.iter().enumerate() {
        subscriber.subscribe(&format!("s{number}"), by(author)).await;
    }
    let last = authors.last().unwrap();
    publisher.publish(&event(last, "the last one")).await.unwrap();
    assert_eq!(crate::common::next_event(&mut incoming).await.content, "the last one");
}

#[tokio::test]
async fn a_full_relay_says_so() {
    let config =
        EmbeddedRelayConfig { max_connections: 1, ..EmbeddedRelayConfig::at(crate::common::anywhere()) };
    let relay = EmbeddedRelay::start(config).await.unwrap();
    let (_publisher, _incoming) = connect(&[relay.url()]).await;
    let (mut second, _) = connect_async(relay.url().as_str()).await.unwrap();
    let frame = within(second.next()).await.unwrap().unwrap();
    assert!(matches!(frame, Message::Close(Some(close)) if close.reason.as_str() == "the relay is full"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_in_flight_reaches_every_reader() {
    let relay = relay().await;
    let keys = Keys::generate();
    let (publisher, _) = connect(&[relay.url()]).await;
    let mut readers = Vec::new();
    for _ in 0..8 {
        let (subscriber, incoming) = connect(&[relay.url()]).await;
        subscriber.subscribe("all", by(&keys)).await;
        readers.push((subscriber, incoming));
    }
    let all: Vec<_> = (0..500).map(|number| event(&keys, &number.to_string())).collect();
    let publishing = futures::future::join_all(all.iter().map(|event| publisher.publish(event)));
    let reading = futures::future::join_all(readers.iter_mut().map(|(_, incoming)| async move {
        for _ in 0..500 {
            crate::common::next_event(incoming).await;
        }
    }));
    let (outcomes, _) = within(async { tokio::join!(publishing, reading) }).await;
    assert!(outcomes.iter().all(Result::is_ok));
    let stored = publisher
        .fetch(vec![Filter::new().author(keys.public_key()).limit(10)], Duration::from_secs(5))
        .await;
    assert_eq!(stored.len(), 10, "limits are honoured");
}
