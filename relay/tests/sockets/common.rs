//! What the tests share: relays, connections, events, and bounded waits.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use frlm_relay::{
    ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig, Incoming, Publisher, RelayMessage,
};
use nostr::{Event, EventBuilder, Filter, Keys, Kind, RelayUrl};

/// Longest that any test waits for anything.
pub const TIMEOUT: Duration = Duration::from_secs(20);

pub fn anywhere() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

pub async fn relay() -> EmbeddedRelay {
    relay_at(anywhere()).await
}

pub async fn relay_at(address: SocketAddr) -> EmbeddedRelay {
    EmbeddedRelay::start(EmbeddedRelayConfig::at(address)).await.unwrap()
}

pub fn options() -> ConnectOptions {
    ConnectOptions { read_limits: false, ..ConnectOptions::default() }
}

pub async fn connect(urls: &[RelayUrl]) -> (Publisher, Incoming) {
    Connection::connect(urls, options()).await.unwrap()
}

pub fn event(keys: &Keys, text: &str) -> Event {
    EventBuilder::new(Kind::Custom(6050), text).sign_with_keys(keys).unwrap()
}

pub fn by(keys: &Keys) -> Vec<Filter> {
    vec![Filter::new().author(keys.public_key())]
}

pub async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, work).await.expect("within the test's timeout")
}

/// The next event, whatever else is said before it.
pub async fn next_event(incoming: &mut Incoming) -> Event {
    within(async {
        loop {
            if let RelayMessage::Event(event) = incoming.recv().await.expect("an open connection") {
                return *event;
            }
        }
    })
    .await
}

/// Everything up to and including the first message that fits.
pub async fn until(incoming: &mut Incoming, fits: impl Fn(&RelayMessage) -> bool) -> Vec<RelayMessage> {
    within(async {
        let mut messages = Vec::new();
        loop {
            let message = incoming.recv().await.expect("an open connection");
            let done = fits(&message);
            messages.push(message);
            if done {
                return messages;
            }
        }
    })
    .await
}

pub fn events(messages: &[RelayMessage]) -> Vec<&Event> {
    let mut events = Vec::new();
    for message in messages {
        if let RelayMessage::Event(event) = message {
            events.push(&**event);
        }
    }
    events
}
