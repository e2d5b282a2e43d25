//! A relay that lies: forged events, floods, silence.

use crate::common::{TIMEOUT, by, event, events, next_event, options, until};
use frlm_relay::{ConnectOptions, Connection, Incoming, Publisher, RelayMessage};
use futures::{SinkExt, StreamExt};
use nostr::{Event, EventBuilder, EventId, JsonUtil, Keys, Kind, RelayUrl, Timestamp};
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
        let frame = tokio::time::timeout(TIMEOUT, client.next()).await.unwrap().unwrap().unwrap();
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
async fn what_a_subscription_does_not_want_costs_no_look_at_its_signature() {
    let raw = Raw::start().await;
    let keys = Keys::generate();
    let (publisher, mut incoming, mut client) = raw.connected(options()).await;
    publisher.subscribe_to("s", by(&keys), |event| !event.content.starts_with("flood")).await;
    assert_eq!(heard(&mut client).await[0], "REQ");
    let good = event(&keys, "good");
    // So many forged ones would end the connection.
    for number in 0..300 {
        let mut forged = event(&keys, &format!("flood {number}"));
        forged.sig = good.sig;
        say(&mut client, delivery("s", &forged)).await;
    }
    say(&mut client, delivery("s", &good)).await;
    assert_eq!(next_event(&mut incoming).await, good);
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
    say(&mut client, delivery("s", &event(&keys, &"too large ".repeat(200_000)))).await;
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

/// What a relay says of the event that it just heard.
async fn answer(client: &mut Client, id: &serde_json::Value, ok: bool, words: &str) {
    say(client, serde_json::json!(["OK", id, ok, words]).to_string()).await;
}

#[tokio::test]
async fn a_relay_that_refuses_a_kind_is_not_sent_it_again_and_gets_all_others() {
    for (words, most) in [("blocked: kind 6050 is not taken here", 1), ("blocked: pay first", 3)] {
        let raw = Raw::start().await;
        let keys = Keys::generate();
        let (publisher, _incoming, mut client) = raw.connected(options()).await;
        let other = EventBuilder::text_note("another kind").sign_with_keys(&keys).unwrap();
        let publishing = async {
            for number in 0..8 {
                let refused = publisher.publish(&event(&keys, &number.to_string())).await.unwrap_err();
                assert!(refused.to_string().contains(words), "{refused}");
            }
            publisher.publish(&other).await.unwrap();
        };
        let refusing = async {
            let mut heard_of = 0;
            loop {
                let message = heard(&mut client).await;
                let (kind, id) = (&message[1]["kind"], &message[1]["id"]);
                if *kind == 6050 {
                    heard_of += 1;
                    answer(&mut client, id, false, words).await;
                } else {
                    answer(&mut client, id, true, "").await;
                    return heard_of;
                }
            }
        };
        let ((), heard_of) = tokio::join!(publishing, refusing);
        assert_eq!(heard_of, most, "{words}");
    }
}

/// Which of so many words and results, all sent at once and turned away, a relay that is short gets again, in order.
async fn order_at_a_short_relay(words: usize, results: usize) -> Vec<String> {
    let raw = Raw::start().await;
    let keys = Keys::generate();
    let (publisher, _incoming, mut client) = raw.connected(options()).await;
    let events = |what: &str, many: usize| -> Vec<Event> {
        (0..many).map(|at| event(&keys, &format!("{what} {at}"))).collect()
    };
    let (words, results) = (events("word", words), events("result", results));
    let publishing = async {
        let saying = words.iter().map(|word| publisher.publish(word));
        let wanted = results.iter().map(|result| publisher.publish_within(result, TIMEOUT));
        tokio::join!(futures::future::join_all(saying), futures::future::join_all(wanted))
    };
    let limiting = async {
        let mut messages = Vec::new();
        for _ in 0..words.len() + results.len() {
            messages.push(heard(&mut client).await);
        }
        // All were on their way before the relay said how few it takes; what it says first of is tried first.
        for message in messages.iter().rev() {
            answer(&mut client, &message[1]["id"], false, "rate-limited: 20 events a minute").await;
        }
        let mut order = Vec::new();
        for _ in &messages {
            let message = heard(&mut client).await;
            answer(&mut client, &message[1]["id"], true, "").await;
            let content = message[1]["content"].as_str().unwrap();
            order.push(content.split(' ').next().unwrap().to_owned());
        }
        order
    };
    let ((said, delivered), order) = tokio::join!(publishing, limiting);
    assert!(said.into_iter().chain(delivered).all(|published| published.is_ok()));
    order
}

#[tokio::test]
async fn what_is_wanted_for_long_goes_first_at_a_relay_that_is_short() {
    assert_eq!(order_at_a_short_relay(3, 1).await, ["result", "word", "word", "word"]);
}

#[tokio::test]
async fn signs_of_life_do_not_end_while_results_wait() {
    let order = order_at_a_short_relay(2, 5).await;
    assert_eq!(order, ["result", "result", "result", "word", "result", "result", "word"]);
}

#[tokio::test]
async fn a_stored_event_beyond_all_bounds_ends_one_connection_and_not_all() {
    let raw = Raw::start().await;
    let keys = Keys::generate();
    let (publisher, mut incoming, mut client) = raw.connected(options()).await;
    publisher.subscribe("s", by(&keys)).await;
    assert_eq!(heard(&mut client).await[2]["since"], serde_json::Value::Null);
    let huge = format!("[\"EVENT\",\"s\",{{\"content\":\"{}\"}}]", "x".repeat(9 << 20));
    // The other end hangs up in the middle of it.
    let _ = client.send(Message::text(huge)).await;
    let mut again = raw.accept().await;
    let request = heard(&mut again).await;
    let since = request[2]["since"].as_u64().expect("only what is new is asked for");
    assert!(Timestamp::now().as_secs().abs_diff(since) < 60, "{request}");
    let new = event(&keys, "new");
    say(&mut again, delivery("s", &new)).await;
    let messages =
        until(&mut incoming, |message| *message == RelayMessage::Event(Box::new(new.clone()))).await;
    let why = messages.iter().find_map(|message| match message {
        RelayMessage::Offline { reason, .. } => Some(reason.as_str()),
        _ => None,
    });
    assert!(why.is_some_and(|why| why.contains("8 MiB")), "{why:?}");
    // Nothing is asked of it that it has stored.
    assert!(publisher.fetch(by(&keys), TIMEOUT).await.is_empty());
}
