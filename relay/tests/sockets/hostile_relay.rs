//! A relay that lies: forged events, floods, silence.

use crate::common::{PATIENCE, by, event, events, next_event, options, until};
use frlm_relay::{ConnectOptions, Connection, Incoming, Publisher, RelayMessage};
use futures::{SinkExt, StreamExt};
use nostr::{Event, EventId, JsonUtil, Keys, Kind, RelayUrl};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// A websocket server that does what the test says.
struct Raw {
    listener: TcpListener,
}

type Client = WebSocketStream<TcpStream>;

impl Raw {
    async fn start() -> Self {
        Self { listener: TcpListener::bind(crate::common::anywhere()).await.unwrap() }
    }

    fn url(&self) -> RelayUrl {
        RelayUrl::parse(&format!("ws://{}", self.listener.local_addr().unwrap())).unwrap()
    }

    /// A connection, and its other end in the test's hands.
    async fn connected(&self, options: ConnectOptions) -> (Publisher, Incoming, Client) {
        let urls = [self.url()];
        let (connected, client) = tokio::join!(Connection::connect(&urls, options), self.accept());
        let (publisher, incoming) = connected.unwrap();
        (publisher, incoming, client)
    }

    async fn accept(&self) -> Client {
        let (stream, _) = crate::common::within(self.listener.accept()).await.unwrap();
        tokio_tungstenite::accept_async(stream).await.unwrap()
    }
}

/// The next text message as JSON.
async fn heard(client: &mut Client) -> serde_json::Value {
    loop {
        let frame = tokio::time::timeout(PATIENCE, client.next()).await.unwrap().unwrap().unwrap();
        if let Message::Text(text) = frame {
            return serde_json::from_str(text.as_str()).unwrap();
        }
    }
}

async fn say(client: &mut Client, text: impl Into<String>) {
    client.send(Message::text(text.into())).await.unwrap();
}

fn delivery(name: &str, event: &Event) -> String {
    format!("[\"EVENT\",\"{name}\",{}]", event.as_json())
}

#[tokio::test]
async fn a_forged_event_never_arrives_even_when_its_id_was_seen() {
    let raw = Raw::start().await;
    let keys = Keys::generate();
    let (publisher, mut incoming, mut client) = raw.connected(options()).await;
    publisher.subscribe("s", by(&keys)).await;
    assert_eq!(heard(&mut client).await[0], "REQ");

    let good = event(&keys, "good");
    let other = event(&keys, "other");
    // A content that the id and signature do not cover.
    let mut changed = good.clone();
    changed.content = "forged".to_owned();
    // A valid id under someone else's signature.
    let mut unsigned = other.clone();
    unsigned.sig = good.sig;
    // An id of its own choosing.
    let mut misnamed = other.clone();
    misnamed.id = good.id;
    // Before its id was seen, then after.
    say(&mut client, delivery("s", &changed)).await;
    say(&mut client, delivery("s", &good)).await;
    for forged in [&changed, &unsigned, &misnamed, &good] {
        say(&mut client, delivery("s", forged)).await;
    }
    say(&mut client, delivery("s", &other)).await;
    let messages =
        until(&mut incoming, |message| *message == RelayMessage::Event(Box::new(other.clone()))).await;
    assert_eq!(events(&messages), [&good, &other]);
}

#[tokio::test]
async fn events_that_nobody_asked_for_are_ignored() {
    let raw = Raw::start().await;
    let keys = Keys::generate();
    let (publisher, mut incoming, mut client) = raw.connected(options()).await;
    publisher.subscribe("s", by(&keys)).await;
    heard(&mut client).await;
    say(&mut client, delivery("s", &event(&Keys::generate(), "wrong author"))).await;
    say(&mut client, delivery("unknown", &event(&keys, "wrong name"))).await;
    for nonsense in ["[]", "{}", "[\"EVENT\"]", "[\"OK\",1,2,3]", "not json", "[\"WHAT\",\"is\",\"this\"]"] {
        say(&mut client, nonsense).await;
    }
    client.send(Message::Binary(vec![0xff; 64].into())).await.unwrap();
    say(&mut client, delivery("s", &event(&keys, &"too large ".repeat(100_000)))).await;
    let wanted = event(&keys, "wanted");
    say(&mut client, delivery("s", &wanted)).await;
    assert_eq!(next_event(&mut incoming).await, wanted);
}

#[tokio::test]
async fn a_relay_that_keeps_forging_is_left() {
    let raw = Raw::start().await;
    let keys = Keys::generate();
    let (publisher, mut incoming, mut client) = raw.connected(options()).await;
    publisher.subscribe("s", by(&keys)).await;
    heard(&mut client).await;
    for number in 0..100 {
        let mut forged = event(&keys, &number.to_string());
        forged.content.push('!');
        say(&mut client, delivery("s", &forged)).await;
    }
    let messages = until(&mut incoming, |message| matches!(message, RelayMessage::Offline { .. })).await;
    assert!(events(&messages).is_empty());
    assert!(
        matches!(messages.last(), Some(RelayMessage::Offline { reason, .. }) if reason.contains("forged"))
    );
}

#[tokio::test]
async fn an_unanswered_event_is_sent_again_after_the_connection_was_lost() {
    let raw = Raw::start().await;
    let (publisher, _incoming, mut client) = raw.connected(options()).await;
    let sent = event(&Keys::generate(), "once");
    let relay = async {
        assert_eq!(heard(&mut client).await[1]["id"], sent.id.to_hex());
        drop(client);
        let mut again = raw.accept().await;
        assert_eq!(heard(&mut again).await[1]["id"], sent.id.to_hex());
        say(&mut again, format!("[\"OK\",\"{}\",false,\"duplicate: have it\"]", sent.id)).await;
        again
    };
    let (outcome, _client) = tokio::join!(publisher.publish(&sent), relay);
    assert_eq!(outcome.unwrap().accepted_by, raw.url());
}

#[tokio::test]
async fn a_challenge_is_answered_when_keys_are_given() {
    let raw = Raw::start().await;
    let identity = Keys::generate();
    let options = ConnectOptions { auth_keys: Some(identity.clone()), ..options() };
    let (publisher, _incoming, mut client) = raw.connected(options).await;
    let job = event(&Keys::generate(), "job");
    let relay = async {
        heard(&mut client).await;
        say(&mut client, "[\"AUTH\",\"prove it\"]").await;
        say(&mut client, format!("[\"OK\",\"{}\",false,\"auth-required: who are you\"]", job.id)).await;
        let answer = heard(&mut client).await;
        assert_eq!(answer[0], "AUTH");
        let answer = Event::from_json(answer[1].to_string()).unwrap();
        answer.verify().unwrap();
        assert_eq!((answer.kind, answer.pubkey), (Kind::Authentication, identity.public_key()));
        say(&mut client, format!("[\"OK\",\"{}\",true,\"\"]", answer.id)).await;
        assert_eq!(heard(&mut client).await[1]["id"], job.id.to_hex(), "sent again");
        say(&mut client, format!("[\"OK\",\"{}\",true,\"\"]", job.id)).await;
        client
    };
    let (outcome, _client) = tokio::join!(publisher.publish(&job), relay);
    outcome.unwrap();
}

#[tokio::test]
async fn a_relay_that_keeps_challenging_us_is_answered_a_few_times() {
    let raw = Raw::start().await;
    let keys = Keys::generate();
    let options = ConnectOptions { auth_keys: Some(Keys::generate()), ..options() };
    let (publisher, mut incoming, mut client) = raw.connected(options).await;
    publisher.subscribe("s", by(&keys)).await;
    heard(&mut client).await;
    for number in 0..100 {
        say(&mut client, format!("[\"AUTH\",\"challenge {number}\"]")).await;
    }
    let wanted = event(&keys, "wanted");
    say(&mut client, delivery("s", &wanted)).await;
    assert_eq!(next_event(&mut incoming).await, wanted);
    publisher.subscribe("t", by(&keys)).await;
    let mut answers = 0;
    while heard(&mut client).await[0] == "AUTH" {
        answers += 1;
    }
    assert!((1..=8).contains(&answers), "{answers}");
}

#[tokio::test]
async fn a_subscription_that_the_relay_ends_is_asked_for_again() {
    let raw = Raw::start().await;
    let keys = Keys::generate();
    let (publisher, mut incoming, mut client) = raw.connected(options()).await;
    publisher.subscribe("s", by(&keys)).await;
    let first = heard(&mut client).await;
    say(&mut client, "[\"CLOSED\",\"s\",\"error: shutting down idle subscription\"]").await;
    assert_eq!(heard(&mut client).await, first);
    let wanted = event(&keys, "wanted");
    say(&mut client, delivery("s", &wanted)).await;
    assert_eq!(next_event(&mut incoming).await, wanted);
}

#[tokio::test]
async fn a_relay_that_stops_reading_does_not_stop_us_from_reading() {
    let raw = Raw::start().await;
    let keys = Keys::generate();
    let (publisher, mut incoming, mut client) = raw.connected(options()).await;
    publisher.subscribe("s", by(&keys)).await;
    heard(&mut client).await;
    // Far more than the sockets' buffers hold. The relay never reads it, so it need not be genuine.
    let mut flood: Vec<Event> = vec![event(&keys, &"x".repeat(100_000)); 200];
    for (number, event) in (0..).zip(&mut flood) {
        event.id = EventId::from_byte_array([number; 32]);
    }
    let publishing = futures::future::join_all(flood.iter().map(|event| publisher.publish(event)));
    let reading = async {
        for number in 0..200 {
            let event = event(&keys, &number.to_string());
            say(&mut client, delivery("s", &event)).await;
            assert_eq!(next_event(&mut incoming).await, event);
        }
    };
    tokio::select! {
        _ = publishing => panic!("nobody answered the events"),
        () = reading => {}
    }
}
