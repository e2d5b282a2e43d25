//! Relay connections that verify every event, and the embedded relay.
//!
//! Layout, in reading order:
//! - [`connection`]: publish, subscribe, receive; reconnects, deduplicates, respects rate limits
//! - [`embedded`]: a relay in this process
//! - [`url`]: relay addresses as people type them
//! - [`mod@bench`]: the floor that benchmarks compare with
//!
//! What leaves this crate is verified: every event's id and signature were checked here, whatever
//! a relay or a library claims. What events mean is for `frlm-protocol` and its users.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod bench;
pub mod connection;
pub mod embedded;
mod seen;
pub mod url;

pub use bench::{MeasureError, RelayFloor, measure_floor};
pub use connection::{
    ConnectError, ConnectOptions, Connection, Incoming, PublishError, Published, Publisher, Refusal,
    RelayMessage, RelayStatus,
};
pub use embedded::{EmbeddedRelay, EmbeddedRelayConfig, StartError};
pub use url::{UrlError, parse_relay_url};

// The README's example is compiled and run as a documentation test.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
