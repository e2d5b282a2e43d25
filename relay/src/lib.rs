//! Relay connections that verify every event, and the embedded relay.
//!
//! Layout, in reading order:
//! - [`connection`]: publish, subscribe, receive; reconnects, deduplicates, respects rate limits
//! - [`blobs`]: what is too large for an event, to and from Blossom servers
//! - [`embedded`]: a relay in this process, with a blob server beside it
//! - [`other_relays`]: at which other relays providers say that they are
//! - [`url`]: relay addresses as people type them
//! - `words`: what relays and servers say, safe to show
//! - `seen`: ids of events that were passed on already
//! - [`mod@bench`]: the floor that benchmarks compare with
//!
//! What leaves this crate is verified: every event's id and signature were checked here, whatever
//! a relay or a library claims. What events mean is for `frlm-protocol` and its users.
//!
//! # Losing nothing
//!
//! | where events could be lost | what happens |
//! |---|---|
//! | the connection drops before an `OK` | the event is sent again; `duplicate:` counts as accepted |
//! | the connection drops while events arrive | the standing subscriptions are repeated; stored events come again, known ids are skipped |
//! | the relay ends a subscription | it is repeated after 1 s, and after longer and longer pauses (60 s at most) if the relay keeps ending it |
//! | the reader is slower than the relays | the queue is bounded; `RelayMessage::Dropped` says how many did not fit, and the subscriptions are repeated. Ephemeral events are gone, and a relay that returns only the newest few hundred returns only those |
//! | the relay has stored a message of more than 8 MiB | for an hour it is asked only for what is new, as each connection would end with that message again. What it stored meanwhile is not heard |
//! | a client of the embedded relay reads too slowly | it is disconnected at 64 MiB, reconnects, and asks again |
//!
//! # Why not the pool and the relay of rust-nostr (0.44)
//!
//! `nostr-relay-pool` hands events over a broadcast channel that drops the oldest when a reader lags; every
//! publish waits for its `OK` on that same channel, so that each message wakes every waiting publisher; whether to
//! repeat a subscription after a reconnect is decided by comparing timestamps in whole seconds, so that a quick
//! reconnect can skip it; reconnects back off in steps of seconds; it caches verified ids. And its TLS set-up uses
//! the process-wide crypto provider, which panics in a program that links two of them, as ours does.
//!
//! `LocalRelay` hands events to clients over a broadcast channel of 1,024 and skips what a busy client misses
//! without a word; one malformed message ends the connection; its rate limit refills only in pauses of a whole
//! second; its event index never forgets an author or a deleted id; it has no NIP-11.
//!
//! So the sockets are tokio-tungstenite and axum, the messages and filters are the `nostr` crate, and what lies
//! between is here.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod bench;
pub mod blobs;
pub mod connection;
pub mod embedded;
pub mod other_relays;
mod seen;
pub mod url;
mod words;

pub use bench::{MeasureError, RelayFloor, measure_floor};
pub use blobs::{BlobOptions, TransferError};
pub use connection::{
    ConnectError, ConnectOptions, Connection, Incoming, PublishError, Published, Publisher, Refusal,
    RelayMessage, RelayStatus,
};
pub use embedded::{BlobLimits, EmbeddedRelay, EmbeddedRelayConfig, RelayProfile, StartError};
pub use url::{UrlError, parse_blob_server, parse_relay_url};

// The README's example is compiled and run as a documentation test.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
