//! Discovery over real relays that a stranger floods.

use std::net::{Ipv4Addr, SocketAddr};

use frlm_conductor::swarm::ProviderId;
use frlm_protocol::Heartbeat;
use frlm_relay::{ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig, Incoming};
use nostr::{Keys, RelayUrl};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// As strfry and most others have it.
const PER_FILTER: usize = 500;
const FLOOD: u64 = 600;

async fn relay(max_limit: usize) -> EmbeddedRelay {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    EmbeddedRelay::start(EmbeddedRelayConfig { max_limit, ..EmbeddedRelayConfig::at(listen) }).await.unwrap()
}

async fn connect(relay: &EmbeddedRelay) -> (Publisher, Incoming) {
    Connection::connect(&[relay.url()], ConnectOptions::default()).await.unwrap()
}

fn announcement(keys: &Keys, at: Timestamp) -> Event {
    let announcement = Announcement {
        name: "p".to_owned(),
        model: "m".to_owned(),
        weights_hash: None,
        quantisation: None,
        context_tokens: 1_024,
        speed: None,
        price_msats_per_1k: 0,
        written_msats_per_1k: None,
        least_msats: 0,
        dialect: "records".to_owned(),
        concurrency: 1,
        roles: Vec::new(),
        mints: Vec::new(),
        escrow_key: None,
        pay_after_jobs: 0,
        free_jobs_per_day: 0,
        accepts_open_jobs: false,
        blob_bytes: 0,
    };
    announcement.to_event(at + ANNOUNCEMENT_LIFETIME_SECS, keys, at).unwrap()
}

fn heartbeat(keys: &Keys, at: Timestamp) -> Event {
    Heartbeat { queue_length: 0, expires_at: at + 600_u64 }.to_event(keys, at).unwrap()
}

async fn publish(publisher: &Publisher, events: Vec<Event>) {
    let sending = events.iter().map(|event| publisher.publish(event));
    for outcome in futures::future::join_all(sending).await {
        outcome.unwrap();
    }
}

/// That one filter for both kinds, as this program had it once, finds nobody but strangers.
async fn hides(publisher: &Publisher, provider: &Keys) {
    let one = Filter::new().kinds([ANNOUNCEMENT, HEARTBEAT]);
    let found = publisher.fetch(vec![one], Duration::from_secs(20)).await;
    assert_eq!(found.len(), PER_FILTER);
    assert!(found.iter().all(|event| event.pubkey != provider.public_key()));
}

/// Providers that are seen until this one is, or until all stored events are read.
async fn seen_until(
    discovery: &mut Discovery,
    incoming: &mut Incoming,
    wanted: Option<&Keys>,
) -> Vec<ProviderId> {
    let mut seen = Vec::new();
    let look = async {
        loop {
            let change = tokio::select! {
                found = discovery.next() => match found {
                    Found::Event(change) => change,
                    Found::All if wanted.is_none() => return,
                    Found::All => None,
                },
                message = incoming.recv() => discovery.heard(&message.unwrap(), Timestamp::now()),
            };
            let Some(Change::Seen(info)) = change else { continue };
            let found = wanted.is_some_and(|keys| *info.id == *keys.public_key().to_hex());
            seen.push(info.id);
            if found {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), look).await.expect("it is seen within 20 s");
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn heartbeats_of_fresh_keys_dated_ahead_hide_no_provider_from_a_new_asker() {
    let relay = relay(PER_FILTER).await;
    let (publisher, _reading) = connect(&relay).await;
    let (provider, now) = (Keys::generate(), Timestamp::now());
    // It announced itself some minutes ago.
    publish(&publisher, vec![announcement(&provider, now - 300_u64), heartbeat(&provider, now - 20_u64)])
        .await;
    let flood = (0..FLOOD).map(|_| heartbeat(&Keys::generate(), now + 60_u64)).collect();
    publish(&publisher, flood).await;
    hides(&publisher, &provider).await;
    let (asker, mut incoming) = connect(&relay).await;
    let mut discovery = Discovery::begin(&asker, &[]).await;
    let seen = seen_until(&mut discovery, &mut incoming, Some(&provider)).await;
    assert_eq!(seen.len(), 1, "nobody is seen that announced nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn announcements_of_fresh_keys_hide_no_provider_whatever_their_date() {
    let relay = relay(PER_FILTER).await;
    let (publisher, _reading) = connect(&relay).await;
    let (provider, now) = (Keys::generate(), Timestamp::now());
    publish(&publisher, vec![announcement(&provider, now - 300_u64), heartbeat(&provider, now - 20_u64)])
        .await;
    // Of this second, of a few before it, and from as far ahead as a relay takes them.
    let flood = (0..FLOOD).flat_map(|number| {
        let ahead = if number.is_multiple_of(2) { 900_u64 } else { 60 };
        let dated = [now - number / 100, now + ahead];
        dated.map(|at| announcement(&Keys::generate(), at))
    });
    publish(&publisher, flood.collect()).await;
    hides(&publisher, &provider).await;
    let (asker, mut incoming) = connect(&relay).await;
    let mut discovery = Discovery::begin(&asker, &[]).await;
    let seen = seen_until(&mut discovery, &mut incoming, Some(&provider)).await;
    assert_eq!(seen.len(), 1, "nobody is seen that gives no sign of life");
}

#[tokio::test(flavor = "multi_thread")]
async fn those_that_are_sought_are_seen_at_a_relay_that_returns_hardly_anything() {
    let relay = relay(20).await;
    let (publisher, _reading) = connect(&relay).await;
    let (provider, now) = (Keys::generate(), Timestamp::now());
    publish(&publisher, vec![announcement(&provider, now - 300_u64), heartbeat(&provider, now - 20_u64)])
        .await;
    let flood = (0..FLOOD).flat_map(|_| {
        let keys = Keys::generate();
        [announcement(&keys, now), heartbeat(&keys, now)]
    });
    publish(&publisher, flood.collect()).await;
    let (asker, mut incoming) = connect(&relay).await;
    let mut discovery = Discovery::begin(&asker, &[provider.public_key()]).await;
    seen_until(&mut discovery, &mut incoming, Some(&provider)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_provider_is_seen_at_once_and_a_relay_without_any_says_so() {
    let relay = relay(PER_FILTER).await;
    let (asker, mut incoming) = connect(&relay).await;
    let mut discovery = Discovery::begin(&asker, &[]).await;
    assert!(seen_until(&mut discovery, &mut incoming, None).await.is_empty());
    let (publisher, _reading) = connect(&relay).await;
    let (provider, now) = (Keys::generate(), Timestamp::now());
    // Another relay may be quicker with the one than with the other.
    publish(&publisher, vec![heartbeat(&provider, now)]).await;
    publish(&publisher, vec![announcement(&provider, now)]).await;
    seen_until(&mut discovery, &mut incoming, Some(&provider)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_comes_online_later_is_read_then() {
    let (first, second) = (relay(PER_FILTER).await, relay(PER_FILTER).await);
    let (publisher, _reading) = connect(&second).await;
    let (provider, now) = (Keys::generate(), Timestamp::now());
    publish(&publisher, vec![announcement(&provider, now - 300_u64), heartbeat(&provider, now - 130_u64)])
        .await;
    // The way to the second one is closed at first.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let urls = [first.url(), RelayUrl::parse(&format!("ws://{address}")).unwrap()];
    let (asker, mut incoming) = Connection::connect(&urls, ConnectOptions::default()).await.unwrap();
    let mut discovery = Discovery::begin(&asker, &[]).await;
    assert!(seen_until(&mut discovery, &mut incoming, None).await.is_empty());
    let (listener, behind) = (TcpListener::bind(address).await.unwrap(), second.address());
    let _way = AbortOnDropHandle::new(tokio::spawn(async move {
        while let Ok((mut outside, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut inside = TcpStream::connect(behind).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
            });
        }
    }));
    seen_until(&mut discovery, &mut incoming, Some(&provider)).await;
}
