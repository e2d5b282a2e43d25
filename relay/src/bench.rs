//! The floor: how fast events get through one embedded relay, with nothing around them.
//!
//! Benchmarks of the whole program are ratios to these numbers, taken in the same run.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use nostr::{Event, EventBuilder, Filter, Keys, Kind};
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::connection::{
    ConnectError, ConnectOptions, Connection, Incoming, PublishError, Publisher, RelayMessage,
};
use crate::embedded::{EmbeddedRelay, EmbeddedRelayConfig, StartError};

/// Events published one at a time for the latency.
const LATENCY_EVENTS: usize = 200;
/// Nothing for this long means that events are lost.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelayFloor {
    /// Events measured for the throughput.
    pub events: usize,
    /// Events under way at the same time.
    pub in_flight: usize,
    /// Bytes of content per event.
    pub payload_bytes: usize,
    /// Published, accepted by the relay, delivered to another connection and verified there.
    pub events_per_second: f64,
    /// Publish to acceptance and delivery, one at a time.
    pub median_latency: Duration,
    /// The slowest of a hundred.
    pub p99_latency: Duration,
}

/// Why nothing could be measured.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// The relay did not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// No connection to it.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// It did not take an event.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// Events could not be made.
    #[error("signing failed: {0}")]
    Sign(String),
    /// Events went missing.
    #[error("{received} of {expected} events arrived")]
    Lost {
        /// Events that arrived.
        received: usize,
        /// Events published.
        expected: usize,
    },
}

/// Measures an embedded relay with one publishing and one receiving connection.
///
/// Events are signed beforehand. The clock runs from the first publish until the last event was
/// accepted and delivered.
pub async fn measure_floor(
    events: usize,
    in_flight: usize,
    payload_bytes: usize,
) -> Result<RelayFloor, MeasureError> {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await?;
    let options = ConnectOptions { read_limits: false, ..ConnectOptions::default() };
    let (publisher, _unused) = Connection::connect(&[relay.url()], options.clone()).await?;
    let (subscriber, mut incoming) = Connection::connect(&[relay.url()], options).await?;
    let keys = Keys::generate();
    subscriber.subscribe("floor", vec![Filter::new().author(keys.public_key())]).await;

    let single = sign(&keys, LATENCY_EVENTS, payload_bytes)?;
    let mut latencies = one_at_a_time(&publisher, &mut incoming, single).await?;
    latencies.sort_unstable();
    let many = sign(&keys, events, payload_bytes)?;
    let elapsed = many_at_a_time(&publisher, &mut incoming, many, in_flight).await?;

    publisher.shutdown().await;
    subscriber.shutdown().await;
    relay.shutdown().await;
    Ok(RelayFloor {
        events,
        in_flight,
        payload_bytes,
        events_per_second: events as f64 / elapsed.as_secs_f64(),
        median_latency: latencies[latencies.len() / 2],
        p99_latency: latencies[latencies.len() * 99 / 100],
    })
}

fn sign(keys: &Keys, count: usize, payload_bytes: usize) -> Result<Vec<Event>, MeasureError> {
    let payload = "x".repeat(payload_bytes.saturating_sub(20));
    let sign = |number: usize| {
        EventBuilder::new(Kind::Custom(6050), format!("{number:020}{payload}"))
            .sign_with_keys(keys)
            .map_err(|error| MeasureError::Sign(error.to_string()))
    };
    // Distinct contents: equal events would be one event.
    let salt: usize = rand::random::<u32>() as usize;
    (0..count).map(|number| sign(salt + number)).collect()
}

async fn one_at_a_time(
    publisher: &Publisher,
    incoming: &mut Incoming,
    events: Vec<Event>,
) -> Result<Vec<Duration>, MeasureError> {
    let mut latencies = Vec::with_capacity(events.len());
    for event in events {
        let began = Instant::now();
        publisher.publish(&event).await?;
        receive(incoming, 1).await?;
        latencies.push(began.elapsed());
    }
    Ok(latencies)
}

async fn many_at_a_time(
    publisher: &Publisher,
    incoming: &mut Incoming,
    events: Vec<Event>,
    in_flight: usize,
) -> Result<Duration, MeasureError> {
    let expected = events.len();
    let window = Arc::new(Semaphore::new(in_flight.max(1)));
    let began = Instant::now();
    let publishing = async {
        let mut tasks = JoinSet::new();
        for event in events {
            // The semaphore is never closed.
            let permit = Arc::clone(&window).acquire_owned().await.ok();
            let publisher = publisher.clone();
            tasks.spawn(async move {
                let outcome = publisher.publish(&event).await;
                drop(permit);
                outcome
            });
            while let Some(done) = tasks.try_join_next() {
                if let Ok(outcome) = done {
                    outcome?;
                }
            }
        }
        while let Some(done) = tasks.join_next().await {
            if let Ok(outcome) = done {
                outcome?;
            }
        }
        Ok::<(), MeasureError>(())
    };
    tokio::try_join!(publishing, receive(incoming, expected))?;
    Ok(began.elapsed())
}

async fn receive(incoming: &mut Incoming, expected: usize) -> Result<(), MeasureError> {
    let mut received = 0;
    while received < expected {
        match tokio::time::timeout(TIMEOUT, incoming.recv()).await {
            Ok(Some(RelayMessage::Event(_))) => received += 1,
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return Err(MeasureError::Lost { received, expected }),
        }
    }
    Ok(())
}
