//! Connections that are lost while the relay stays, and keeps its memory.

use std::net::SocketAddr;
use std::time::Duration;

use crate::common::{anywhere, connect, event, events, next_event, options, relay, until, within};
use frlm_relay::{ConnectOptions, Connection, RelayMessage};
use nostr::{Event, Filter, Keys, RelayUrl, Timestamp};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Passes connections on to a relay for as long as it is open.
struct Road {
    address: SocketAddr,
    open: watch::Sender<bool>,
}

impl Road {
    async fn to(relay: SocketAddr) -> Self {
        let listener = TcpListener::bind(anywhere()).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (open, is_open) = watch::channel(true);
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let mut is_open = is_open.clone();
                tokio::spawn(async move {
                    let pass_on = async {
                        let mut far = TcpStream::connect(relay).await.unwrap();
                        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                    };
                    tokio::select! {
                        biased;
                        _ = is_open.wait_for(|open| !open) => {}
                        () = pass_on => {}
                    }
                });
            }
        });
        Self { address, open }
    }

    fn url(&self) -> RelayUrl {
        RelayUrl::parse(&format!("ws://{}", self.address)).unwrap()
    }
}

fn message(event: &Event) -> RelayMessage {
    RelayMessage::Event(Box::new(event.clone()))
}

/// What is read after a lost connection by a reader that forgets which events it has seen.
async fn read_after_an_outage(follows: bool) -> Vec<String> {
    let (relay, keys) = (relay().await, Keys::generate());
    let road = Road::to(relay.address()).await;
    let quick = ConnectOptions {
        seen_ids: 1,
        first_retry: Duration::from_millis(20),
        longest_retry: Duration::from_millis(100),
        ..options()
    };
    let (reader, mut incoming) = Connection::connect(&[road.url()], quick).await.unwrap();
    let (author, _) = connect(&[relay.url()]).await;
    let wanted = vec![Filter::new().author(keys.public_key()).since(Timestamp::now() - 1)];
    if follows {
        reader.follow("jobs", wanted).await;
    } else {
        reader.subscribe("jobs", wanted).await;
    }
    let publish = async |text: &str| {
        let event = event(&keys, text);
        author.publish(&event).await.unwrap();
        event
    };
    for text in ["old 1", "old 2", "old 3"] {
        publish(text).await;
        assert_eq!(next_event(&mut incoming).await.content, text);
    }
    // Twice the margin, by clocks of whole seconds.
    tokio::time::sleep(Duration::from_millis(3_100)).await;
    publish("recent").await;
    assert_eq!(next_event(&mut incoming).await.content, "recent");
    road.open.send_replace(false);
    until(&mut incoming, |message| matches!(message, RelayMessage::Offline { .. })).await;
    let missed = publish("missed").await;
    road.open.send_replace(true);
    let mut said = until(&mut incoming, |one| *one == message(&missed)).await;
    let last = publish("last").await;
    said.extend(until(&mut incoming, |one| *one == message(&last)).await);
    events(&said).iter().map(|event| event.content.clone()).collect()
}

#[tokio::test]
async fn a_follower_that_returns_is_sent_what_it_missed_and_nothing_old() {
    assert_eq!(within(read_after_an_outage(true)).await, ["missed", "last"]);
    // The same subscription standing still shows that the old events were there to be sent.
    let all = within(read_after_an_outage(false)).await;
    assert!(all.iter().any(|text| text == "old 1"), "{all:?}");
}
