//! Relays that take few events: jobs wait for their turn, and lose nothing by it.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use frlm_client::swarm::nostr::NostrSwarm;
use frlm_conductor::swarm::{OutgoingJob, Swarm, Ticket};
use frlm_protocol::kinds::{CANCELLATION, JOB_REQUEST};
use frlm_protocol::{Mode, RelayList};
use frlm_questions::dialect::Prompt;
use frlm_relay::{
    ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig, Incoming, Publisher, RelayMessage,
};
use frlm_wallet::Msats;
use nostr::{Event, Filter, Keys, RelayUrl, Timestamp};
use tokio::sync::mpsc;

/// Events of one client that the relay takes at once; one more every two seconds.
const TAKEN: u32 = 30;
/// How long a job may take.
const LIFETIME_SECS: u64 = 8;

async fn relay(events_per_minute: u32) -> EmbeddedRelay {
    let config = EmbeddedRelayConfig::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    EmbeddedRelay::start(EmbeddedRelayConfig { events_per_minute, ..config }).await.unwrap()
}

async fn connect(url: &RelayUrl) -> (Publisher, Incoming) {
    let options = ConnectOptions { publish_timeout: Duration::from_secs(2), ..ConnectOptions::default() };
    Connection::connect(std::slice::from_ref(url), options).await.unwrap()
}

fn job(subtask: u32, provider: &Keys, bid: Msats) -> OutgoingJob {
    let prompt = Prompt {
        instruction: "copy status".to_owned(),
        inputs: vec![format!("order={subtask} user=u1 status=failed")],
        mode: Mode::Each,
        max_tokens: 24,
        constraint: None,
    };
    OutgoingJob {
        ticket: Ticket::at(subtask, 0),
        provider: provider.public_key().to_hex().into(),
        prompt: Arc::new(prompt),
        bid,
        payment: None,
        foreign: false,
        expires_in_secs: LIFETIME_SECS,
        shown: None,
    }
}

/// The next events of a subscription, with when they came, until nothing came for so long.
async fn heard(incoming: &mut Incoming, silence: Duration) -> Vec<(Event, Timestamp)> {
    let mut events = Vec::new();
    while let Ok(Some(message)) = tokio::time::timeout(silence, incoming.recv()).await {
        if let RelayMessage::Event(event) = message {
            events.push((*event, Timestamp::now()));
        }
    }
    events
}

// On one thread no job leaves between two lines here.
#[tokio::test]
async fn jobs_wait_for_a_short_relay_and_have_their_time_after_it() {
    let relay = relay(TAKEN).await;
    let provider = Keys::generate();
    let (listening, mut incoming) = connect(&relay.url()).await;
    let to_it = Filter::new().kinds([JOB_REQUEST, CANCELLATION]).pubkey(provider.public_key());
    listening.subscribe("jobs", vec![to_it]).await;
    let (publisher, others) = connect(&relay.url()).await;
    let (events_in, mut events) = mpsc::channel(1_024);
    let swarm =
        NostrSwarm::start(Keys::generate(), publisher.clone(), others, events_in, Timestamp::now(), &[])
            .await;
    tokio::spawn(async move { while events.recv().await.is_some() {} });
    assert_eq!(swarm.trip(), Duration::ZERO);
    for subtask in 0..TAKEN + 2 {
        swarm.submit(job(subtask, &provider, Msats::ZERO)).await;
    }
    // The relay says that it takes no more.
    let short = async {
        while !publisher.is_short() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), short).await.expect("the relay complains");
    assert!(swarm.trip() > Duration::ZERO);
    let (unwanted, paid) = (TAKEN + 2, TAKEN + 3);
    swarm.submit(job(unwanted, &provider, Msats::ZERO)).await;
    swarm.submit(job(paid, &provider, Msats(1_000))).await;
    assert!(swarm.waiting().iter().any(|ticket| ticket.subtask.0 == unwanted), "it is held");
    for subtask in [unwanted, paid] {
        swarm.cancel(Ticket::at(subtask, 0)).await;
    }
    assert!(swarm.waiting().iter().all(|ticket| ![unwanted, paid].contains(&ticket.subtask.0)));

    let came = heard(&mut incoming, Duration::from_secs(13)).await;
    let jobs: HashMap<_, _> = came
        .iter()
        .filter(|(event, _)| event.kind == JOB_REQUEST)
        .map(|(event, at)| (event.id, (event, *at)))
        .collect();
    // All that is wanted, and the one whose pay its provider has to give back.
    assert_eq!(jobs.len(), TAKEN as usize + 3);
    for (event, at) in jobs.values() {
        let left = event.tags.expiration().unwrap().as_secs().saturating_sub(at.as_secs());
        assert!(left > 0, "{left} s are left of {LIFETIME_SECS}");
    }
    let cancelled = came.iter().filter(|(event, _)| event.kind == CANCELLATION);
    assert_eq!(cancelled.count(), 1, "nobody knows of the other");
    swarm.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_finds_nobody_learns_where_those_are_that_it_sought() {
    let relay = relay(1_000).await;
    let provider = Keys::generate();
    let (writing, _incoming) = connect(&relay.url()).await;
    let relays = vec![relay.url().to_string(), "wss://elsewhere.example".to_owned()];
    let list = RelayList { relays }.to_event(&provider, Timestamp::now()).unwrap();
    writing.publish(&list).await.unwrap();
    let (publisher, incoming) = connect(&relay.url()).await;
    let (events_in, _events) = mpsc::channel(64);
    let sought = [provider.public_key()];
    let swarm = NostrSwarm::start(
        Keys::generate(),
        publisher.clone(),
        incoming,
        events_in,
        Timestamp::now(),
        &sought,
    )
    .await;
    assert_eq!(swarm.other_relays().await, ["wss://elsewhere.example (1 of them)"]);
    let known: Vec<String> = publisher.relays().iter().map(|relay| relay.url.to_string()).collect();
    assert_eq!(known, [relay.url().to_string()], "nobody goes there");
    swarm.shutdown().await;
}
