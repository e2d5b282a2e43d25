//! Connections to relays.
//!
//! ```text
//!  Publisher ──commands──► link (one task per relay) ◄──websocket──► relay
//!      ▲                     │  verify, deduplicate
//!      └──────verdicts───────┤
//!  Incoming ◄────inbox───────┘
//! ```
//!
//! Layout, in reading order: this file is the public side; `link` is a relay's state machine,
//! `session` one websocket's life, `ended` the subscriptions that it ended, `position` how far each subscription was
//! heard, `paging` the questions that it answers in pages, `outbound` the events on their way to it, `pacing` its speed, `limits` its NIP-11 document, `blobs` the blob server beside it, `incoming` the queue to the reader, `turns` its order, `core` what they share.

mod blobs;
mod core;
mod ended;
mod incoming;
mod limits;
mod link;
mod outbound;
mod pacing;
mod paging;
mod position;
mod publisher;
mod session;
mod socket;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use nostr::{Keys, RelayUrl};
use thiserror::Error;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::core::{Core, Shared};
use self::incoming::Inbox;
pub use self::incoming::{Incoming, RelayMessage};
pub use self::publisher::{PublishError, Published, Publisher, Refusal};
use crate::blobs::BlobOptions;

/// Once one relay is there, how long the others may still take before work begins.
const STRAGGLERS: Duration = Duration::from_millis(300);

/// How connections behave.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Without any relay after this long, connecting fails.
    pub connect_timeout: Duration,
    /// Longest wait for a relay to accept an event.
    pub publish_timeout: Duration,
    /// Wait before the first reconnect; later ones grow.
    pub first_retry: Duration,
    /// Longest wait between reconnects.
    pub longest_retry: Duration,
    /// Most events that wait for the reader: of preferred keys, and as many of others.
    pub incoming_messages: usize,
    /// Most bytes of events that wait for the reader, likewise.
    pub incoming_bytes: usize,
    /// Event ids remembered for removing duplicates, at least.
    pub seen_ids: usize,
    /// Publishing rate per relay to start with; `None` is unlimited until the relay complains.
    pub events_per_second: Option<f64>,
    /// Whether to read the relays' NIP-11 documents.
    pub read_limits: bool,
    /// Keys for relays that demand authentication (NIP-42). Relays learn the public key.
    pub auth_keys: Option<Keys>,
    /// Where blobs are put, and from where they are fetched.
    pub blobs: BlobOptions,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            publish_timeout: Duration::from_secs(10),
            first_retry: Duration::from_millis(200),
            longest_retry: Duration::from_secs(10),
            incoming_messages: 16_384,
            incoming_bytes: 64 * 1024 * 1024,
            seen_ids: 65_536,
            events_per_second: None,
            read_limits: true,
            auth_keys: None,
            blobs: BlobOptions::default(),
        }
    }
}

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConnectError {
    /// Nothing to connect to.
    #[error("no relay is configured: name one with --relay, or start one with `frlm relay`")]
    NoRelays,
    /// None of the relays could be reached in time.
    #[error(
        "no relay could be reached: {}. Is one running there? Check the address, or start one on this machine: frlm relay",
        list(.relays)
    )]
    Unreachable {
        /// Every relay with what went wrong.
        relays: Vec<RelayStatus>,
    },
}

/// How one relay stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayStatus {
    /// Which relay.
    pub url: RelayUrl,
    /// Whether it can be used now.
    pub connected: bool,
    /// Its last complaint, or why it is not connected.
    pub last_message: Option<String>,
}

impl std::fmt::Display for RelayStatus {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = if self.connected { "connected" } else { "not connected" };
        write!(formatter, "{} ({})", self.url, self.last_message.as_deref().unwrap_or(state))
    }
}

/// Opens connections.
#[derive(Debug, Clone, Copy)]
pub struct Connection;

impl Connection {
    /// Connects to relays; returns once all are there, or soon after the first.
    ///
    /// Relays that cannot be reached are tried again for as long as the connection lives. It ends
    /// with [`Publisher::shutdown`], or when the reader and every publisher clone are dropped.
    pub async fn connect(
        urls: &[RelayUrl],
        options: ConnectOptions,
    ) -> Result<(Publisher, Incoming), ConnectError> {
        let mut distinct: Vec<RelayUrl> = Vec::new();
        for url in urls {
            if !distinct.contains(url) {
                distinct.push(url.clone());
            }
        }
        if distinct.is_empty() {
            return Err(ConnectError::NoRelays);
        }
        let timeout = options.connect_timeout;
        let inbox = Arc::new(Inbox::new(options.incoming_messages, options.incoming_bytes, options.seen_ids));
        let shared = Arc::new(Shared::new(options, Arc::clone(&inbox)));
        let (cancel, tasks) = (CancellationToken::new(), TaskTracker::new());
        let links =
            distinct.into_iter().map(|url| link::spawn(url, Arc::clone(&shared), &cancel, &tasks)).collect();
        let core = Arc::new(Core::new(links, shared, cancel, tasks));
        if !wait_for_relays(&core, timeout).await {
            let relays = core.links.iter().map(|link| link.status.borrow().clone()).collect();
            core.shutdown().await;
            return Err(ConnectError::Unreachable { relays });
        }
        Ok((Publisher::new(Arc::clone(&core)), Incoming::new(inbox, core)))
    }
}

/// Whether at least one relay came up within `timeout`.
async fn wait_for_relays(core: &Core, timeout: Duration) -> bool {
    let mut coming: FuturesUnordered<_> = core
        .links
        .iter()
        .map(|link| {
            let mut status = link.status.clone();
            async move { status.wait_for(|status| status.connected).await.is_ok() }
        })
        .collect();
    let first = tokio::time::timeout(timeout, coming.next()).await;
    if !matches!(first, Ok(Some(true))) {
        return false;
    }
    let rest = async { while coming.next().await.is_some() {} };
    // A late relay joins in later.
    let _ = tokio::time::timeout(STRAGGLERS, rest).await;
    true
}

fn list(relays: &[RelayStatus]) -> String {
    relays.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_print_no_secret() {
        let keys = Keys::generate();
        let options = ConnectOptions { auth_keys: Some(keys.clone()), ..ConnectOptions::default() };
        let printed = format!("{options:?}");
        assert!(!printed.contains(&keys.secret_key().to_secret_hex()), "{printed}");
    }
}
