//! A relay in this process: for the demo, for `frlm relay`, and for tests.
//!
//! ```text
//!  TCP ──► http ──upgrade──► session ──accepted event──► hub ──► store
//!           │ NIP-11, page      ▲                          │
//!           │                   └──── matching events ─────┘
//!           └─ blobs ─► shelf
//! ```
//!
//! Layout, in reading order: this file is the public side; `http` answers browsers and NIP-11
//! readers and upgrades websockets; `session` speaks NIP-01 with one client; `hub` hands
//! accepted events to everyone who subscribed; `store` keeps them. `blobs` answers as a Blossom server for what is too large for
//! an event, and `shelf` keeps that.
//!
//! Good for a machine, a LAN or a private swarm. It has no defence against a hostile public.

mod blobs;
mod http;
mod hub;
mod profile;
mod session;
mod shelf;
mod store;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use nostr::RelayUrl;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use self::blobs::BlobServer;
use self::http::Front;
use self::hub::Hub;
pub use self::profile::RelayProfile;
pub use self::shelf::BlobLimits;

/// How long shutting down waits for clients to take note.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(1);

/// What the relay listens on and how much it takes.
#[derive(Debug, Clone)]
pub struct EmbeddedRelayConfig {
    /// Address and port; port 0 picks a free one.
    pub listen: SocketAddr,
    /// For people, in the NIP-11 document.
    pub name: String,
    /// Largest `EVENT` message in bytes.
    pub max_event_bytes: usize,
    /// Longest content of an event, in characters.
    pub max_content_chars: usize,
    /// Most events kept; the oldest go first.
    pub max_stored_events: usize,
    /// Most bytes of events kept; the oldest go first.
    pub max_stored_bytes: usize,
    /// Most clients at a time.
    pub max_connections: usize,
    /// Most standing subscriptions of one client.
    pub max_subscriptions: usize,
    /// Most events that one client may publish in a minute.
    pub events_per_minute: u32,
    /// Most stored events that answer one filter, the newest ones.
    pub max_limit: usize,
    /// Whether clients must say who they are before anything else (NIP-42).
    pub auth_required: bool,
    /// How much the blob server beside it keeps; `None`: there is none.
    pub blobs: Option<BlobLimits>,
}

impl EmbeddedRelayConfig {
    /// The usual limits at this address.
    pub fn at(listen: SocketAddr) -> Self {
        Self {
            listen,
            name: "FRLM relay".to_owned(),
            max_event_bytes: 128 * 1024,
            max_content_chars: 128 * 1024,
            max_stored_events: 200_000,
            max_stored_bytes: 512 * 1024 * 1024,
            max_connections: 1024,
            max_subscriptions: 1024,
            events_per_minute: 1_000_000,
            max_limit: 1_000_000,
            auth_required: false,
            blobs: Some(BlobLimits::default()),
        }
    }
}

/// Why the relay cannot start.
#[derive(Debug, Error)]
pub enum StartError {
    /// Something else listens there.
    #[error("{0} is already in use: stop the other program, or pass another address with --listen")]
    AddressInUse(SocketAddr),
    /// Not an address of this machine, or not allowed.
    #[error("cannot listen on {address}: {source}; pass another address with --listen")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The address makes no relay URL.
    #[error("{0} makes no relay address")]
    Url(SocketAddr),
}

/// A running relay. Dropping it stops it; [`EmbeddedRelay::shutdown`] also waits for the end.
#[derive(Debug)]
pub struct EmbeddedRelay {
    address: SocketAddr,
    url: RelayUrl,
    cancel: CancellationToken,
    server: JoinSet<()>,
    sessions: TaskTracker,
    _cancel_on_drop: DropGuard,
}

impl EmbeddedRelay {
    /// Listens and serves.
    pub async fn start(config: EmbeddedRelayConfig) -> Result<Self, StartError> {
        let asked = config.listen;
        let listener = TcpListener::bind(asked).await.map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => StartError::AddressInUse(asked),
            _ => StartError::Listen { address: asked, source },
        })?;
        let address =
            listener.local_addr().map_err(|source| StartError::Listen { address: asked, source })?;
        let url =
            RelayUrl::parse(&format!("ws://{}", reachable(address))).map_err(|_| StartError::Url(address))?;
        let cancel = CancellationToken::new();
        let sessions = TaskTracker::new();
        let blobs = config.blobs.map(|limits| Arc::new(BlobServer::new(limits)));
        let mut server = JoinSet::new();
        if let Some(blobs) = &blobs {
            let (blobs, over) = (Arc::clone(blobs), cancel.clone());
            server.spawn(async move {
                tokio::select! {
                    () = over.cancelled() => {}
                    () = blobs.sweep() => {}
                }
            });
        }
        let hub = Arc::new(Hub::new(config));
        let front = Front { hub, blobs, sessions: sessions.clone(), cancel: cancel.clone() };
        server.spawn(http::serve(listener, front));
        Ok(Self {
            address,
            url,
            cancel: cancel.clone(),
            server,
            sessions,
            _cancel_on_drop: cancel.drop_guard(),
        })
    }

    /// Where clients on this machine connect.
    pub fn url(&self) -> RelayUrl {
        self.url.clone()
    }

    /// Where it listens, with the real port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes every connection and frees the port.
    pub async fn shutdown(mut self) {
        self.cancel.cancel();
        self.sessions.close();
        let over = async {
            self.sessions.wait().await;
            while self.server.join_next().await.is_some() {}
        };
        if tokio::time::timeout(SHUTDOWN_LIMIT, over).await.is_err() {
            tracing::warn!("relay clients did not close in time");
            self.server.shutdown().await;
        }
    }
}

/// An address to connect to: listening on "all interfaces" is reached at the loopback.
fn reachable(address: SocketAddr) -> SocketAddr {
    let loopback: IpAddr = match address {
        SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    let ip = if address.ip().is_unspecified() { loopback } else { address.ip() };
    SocketAddr::new(ip, address.port())
}
