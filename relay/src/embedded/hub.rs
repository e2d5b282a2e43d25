//! Hands accepted events to everyone who subscribed.
//!
//! Nothing is dropped silently: every client has its own outbox, and one that lets it grow beyond
//! a bound is disconnected, after which it can reconnect and query what it missed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use axum::extract::ws::Utf8Bytes;
use nostr::filter::MatchEventOptions;
use nostr::{Filter, Timestamp};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::EmbeddedRelayConfig;
use super::store::{Saved, Store, StoredEvent};

/// Most bytes that wait for one client.
const MAX_OUTBOX_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Hub {
    pub(super) config: EmbeddedRelayConfig,
    connections: Arc<Semaphore>,
    store: Mutex<Store>,
    peers: RwLock<HashMap<u64, Arc<Peer>>>,
    next_peer: AtomicU64,
}

/// One client, as the others see it.
#[derive(Debug)]
pub(super) struct Peer {
    number: u64,
    outbox: mpsc::UnboundedSender<Utf8Bytes>,
    waiting_bytes: AtomicUsize,
    subscriptions: Mutex<HashMap<String, Vec<Filter>>>,
    /// What the client signs to say who it is.
    pub(super) challenge: String,
    /// It has.
    pub(super) is_known: AtomicBool,
    /// Cancelled when the client reads too slowly.
    pub(super) overrun: CancellationToken,
    _permit: OwnedSemaphorePermit,
}

impl Hub {
    pub(super) fn new(config: EmbeddedRelayConfig) -> Self {
        Self {
            connections: Arc::new(Semaphore::new(config.max_connections)),
            store: Mutex::new(Store::new(config.max_stored_events, config.max_stored_bytes)),
            peers: RwLock::new(HashMap::new()),
            next_peer: AtomicU64::new(0),
            config,
        }
    }

    /// A place for a client, or `None` when the relay is full.
    pub(super) fn join(&self) -> Option<(Arc<Peer>, mpsc::UnboundedReceiver<Utf8Bytes>)> {
        let permit = Arc::clone(&self.connections).try_acquire_owned().ok()?;
        let (outbox, queue) = mpsc::unbounded_channel();
        let peer = Arc::new(Peer {
            number: self.next_peer.fetch_add(1, Ordering::Relaxed),
            outbox,
            waiting_bytes: AtomicUsize::new(0),
            subscriptions: Mutex::new(HashMap::new()),
            challenge: format!("{:032x}", rand::random::<u128>()),
            is_known: AtomicBool::new(!self.config.auth_required),
            overrun: CancellationToken::new(),
            _permit: permit,
        });
        self.peers.write().unwrap_or_else(PoisonError::into_inner).insert(peer.number, Arc::clone(&peer));
        Some((peer, queue))
    }

    pub(super) fn leave(&self, peer: &Peer) {
        self.peers.write().unwrap_or_else(PoisonError::into_inner).remove(&peer.number);
    }

    /// Stores a verified event and passes it on.
    pub(super) fn accept(&self, stored: StoredEvent) -> Saved {
        let stored = Arc::new(stored);
        let saved = self.store().save(&stored, Timestamp::now());
        if saved == Saved::New {
            for peer in self.peers.read().unwrap_or_else(PoisonError::into_inner).values() {
                peer.offer(&stored);
            }
        }
        saved
    }

    /// Opens a subscription: stored events go out at once, new ones as they come.
    ///
    /// The subscription stands before the store is read, so that no event falls between the two;
    /// one may be sent twice.
    pub(super) fn subscribe(&self, peer: &Peer, name: &str, filters: &[Filter]) {
        peer.subscriptions().insert(name.to_owned(), filters.to_vec());
        for filter in filters {
            let limit = filter.limit.unwrap_or(usize::MAX).min(self.config.max_limit);
            let found = self.store().query(&filter.clone().limit(limit), Timestamp::now());
            for stored in found {
                peer.send(event_message(name, &stored));
            }
        }
        peer.send(message(&serde_json::json!(["EOSE", name])));
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        // A panic inside the store would leave an index behind at worst; serving goes on.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Peer {
    pub(super) fn subscriptions(&self) -> MutexGuard<'_, HashMap<String, Vec<Filter>>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn send(&self, text: Utf8Bytes) {
        let waiting = self.waiting_bytes.fetch_add(text.len(), Ordering::Relaxed) + text.len();
        if waiting > MAX_OUTBOX_BYTES {
            self.overrun.cancel();
            return;
        }
        // The queue ends only with the session, which nobody needs to tell anything any more.
        let _ = self.outbox.send(text);
    }

    /// The session has written this many bytes.
    pub(super) fn written(&self, bytes: usize) {
        self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn offer(&self, stored: &StoredEvent) {
        let options = MatchEventOptions::new();
        for (name, filters) in self.subscriptions().iter() {
            if filters.iter().any(|filter| filter.match_event(&stored.event, options)) {
                self.send(event_message(name, stored));
            }
        }
    }
}

pub(super) fn message(value: &serde_json::Value) -> Utf8Bytes {
    value.to_string().into()
}

fn event_message(name: &str, stored: &StoredEvent) -> Utf8Bytes {
    // The event's JSON is ready: only the name needs quoting.
    let name = serde_json::Value::from(name).to_string();
    format!("[\"EVENT\",{name},{}]", stored.json).into()
}
