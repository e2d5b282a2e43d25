//! Our two ends against independent implementations of the other end.

use std::time::Duration;

use crate::common::{by, connect, event, next_event, relay, within};
use nostr::Keys;
use nostr_relay_builder::builder::RateLimit;
use nostr_relay_builder::{LocalRelay, RelayBuilder};
use nostr_sdk::{Client, RelayPoolNotification};

#[tokio::test]
async fn our_connection_works_with_another_relay() {
    let limits = RateLimit { max_reqs: 100, notes_per_minute: 1_000_000 };
    let relay = LocalRelay::new(RelayBuilder::default().rate_limit(limits));
    relay.run().await.unwrap();
    let url = relay.url().await;
    let keys = Keys::generate();
    let (publisher, _) = connect(std::slice::from_ref(&url)).await;
    let (subscriber, mut incoming) = connect(&[url]).await;
    publisher.publish(&event(&keys, "stored")).await.unwrap();
    subscriber.subscribe("s", by(&keys)).await;
    assert_eq!(next_event(&mut incoming).await.content, "stored");
    publisher.publish(&event(&keys, "live")).await.unwrap();
    assert_eq!(next_event(&mut incoming).await.content, "live");
    assert_eq!(publisher.fetch(by(&keys), Duration::from_secs(5)).await.len(), 2);
}

#[tokio::test]
async fn another_client_works_with_our_relay() {
    let relay = relay().await;
    let keys = Keys::generate();
    let client = Client::new(keys.clone());
    client.add_relay(relay.url()).await.unwrap();
    client.connect().await;
    let mut notifications = client.notifications();
    client.subscribe(by(&keys).remove(0), None).await.unwrap();
    let (ours, mut incoming) = connect(&[relay.url()]).await;
    ours.subscribe("s", by(&keys)).await;
    let theirs = event(&keys, "from the other client");
    assert_eq!(client.send_event(&theirs).await.unwrap().success.len(), 1);
    assert_eq!(next_event(&mut incoming).await, theirs);
    let sent = event(&keys, "from us");
    ours.publish(&sent).await.unwrap();
    let received = within(async {
        loop {
            // Their client does not notify of events that it sent itself.
            if let RelayPoolNotification::Event { event, .. } = notifications.recv().await.unwrap() {
                return event;
            }
        }
    })
    .await;
    assert_eq!(*received, sent);
    let stored = client.fetch_events(by(&keys).remove(0), Duration::from_secs(5)).await.unwrap();
    assert_eq!(stored.len(), 2);
    client.shutdown().await;
}
