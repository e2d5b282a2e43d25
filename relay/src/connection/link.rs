//! One relay's task.
//!
//! ```text
//!            open ok                 socket ends, silence, forged events
//! connecting ────────► online ──────────────────────────────┐
//!     ▲    │ open fails                                      │
//!     │    └──────────────► waiting (200 ms … 10 s, jitter) ◄┘
//!     └──────────────────────┘
//!            any state ──cancelled──► closed
//! ```
//!
//! Commands are taken in every state: events to publish wait in [`Outbound`], standing
//! subscriptions stand in [`Shared`] and are requested when the relay is back.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use nostr::{Event, Filter, RelayUrl};
use rand::Rng;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::core::{LinkHandle, Shared};
use super::incoming::RelayMessage;
use super::limits::Document;
use super::outbound::{Outbound, Outgoing};
use super::paging::Pages;
use super::position::Position;
use super::session::Session;
use super::{RelayStatus, socket};
use crate::words::words;

/// Commands that may wait for one relay's task, which takes them at once.
const COMMAND_QUEUE: usize = 1024;
/// How often deadlines are looked at.
pub(super) const TICK: Duration = Duration::from_millis(500);
/// A session at least this long means that the relay is well.
const STABLE: Duration = Duration::from_secs(5);
/// Growth of the wait between reconnects.
const GROWTH: f64 = 1.7;
/// How long a relay is asked only for what is new after it has sent a message that is too large to be read.
const ONLY_NEWS_FOR: Duration = Duration::from_hours(1);
/// Opening takes at most this long, also when connecting may take longer.
const OPEN_LIMIT: Duration = Duration::from_secs(10);

/// What publishers ask of a relay.
#[derive(Debug)]
pub(super) enum Command {
    Publish(Outgoing),
    /// The standing subscription of this name is new or changed.
    Subscribe(String),
    Fetch(Fetch),
    EndFetch(String),
}

/// A question about stored events; dropping it tells the asker that no more will come.
#[derive(Debug, Clone)]
pub(super) struct Fetch {
    pub(super) name: String,
    pub(super) filters: Arc<Vec<Filter>>,
    pub(super) found: mpsc::Sender<Event>,
    /// Where the relay is asked on until it has no more.
    pub(super) pages: Option<Pages>,
}

/// Everything that outlives one websocket.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) url: RelayUrl,
    pub(super) shared: Arc<Shared>,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) outbound: Outbound,
    pub(super) ask_again: Arc<Notify>,
    pub(super) cancel: CancellationToken,
    /// By the names of standing subscriptions.
    pub(super) positions: HashMap<String, Position>,
    /// Until when it is not asked for what it has stored, which was more in one message than is read.
    only_news_until: Option<Instant>,
    status: watch::Sender<RelayStatus>,
    complained: watch::Sender<Option<Instant>>,
    /// What the relay says of itself, once it has.
    pub(super) document: watch::Sender<Option<Document>>,
}

pub(super) fn spawn(
    url: RelayUrl,
    shared: Arc<Shared>,
    cancel: &CancellationToken,
    tasks: &TaskTracker,
) -> LinkHandle {
    let (command_sender, commands) = mpsc::channel(COMMAND_QUEUE);
    let initial = RelayStatus { url: url.clone(), connected: false, last_message: None };
    let (status, status_receiver) = watch::channel(initial);
    let (complained, complaint) = watch::channel(None);
    let (document, document_receiver) = watch::channel(None);
    let ask_again = Arc::new(Notify::new());
    let outbound = Outbound::new(url.clone(), shared.options.events_per_second);
    let link = Link {
        url,
        shared,
        commands,
        outbound,
        ask_again: Arc::clone(&ask_again),
        cancel: cancel.child_token(),
        positions: HashMap::new(),
        only_news_until: None,
        status,
        complained,
        document,
    };
    tasks.spawn(link.run());
    LinkHandle {
        commands: command_sender,
        status: status_receiver,
        complaint,
        document: document_receiver,
        ask_again,
    }
}

impl Link {
    async fn run(mut self) {
        let mut retry = self.shared.options.first_retry;
        loop {
            let limit = self.shared.options.connect_timeout.min(OPEN_LIMIT);
            let url = self.url.clone();
            // Boxed: the handshake's state is large, and this task mostly runs without it.
            let opening = Box::pin(async move { socket::open(&url, limit).await });
            let Some(opened) = self.meanwhile(opening).await else { return };
            match opened {
                Ok(socket) => {
                    let began = Instant::now();
                    let Some(reason) = Session::run(&mut self, socket).await else { return };
                    self.outbound.disconnected();
                    self.offline(&reason);
                    if began.elapsed() >= STABLE {
                        retry = self.shared.options.first_retry;
                    }
                }
                Err(reason) => self.offline(&reason),
            }
            let wait = retry.mul_f64(rand::rng().random_range(0.75..1.25));
            retry = retry.mul_f64(GROWTH).min(self.shared.options.longest_retry);
            if self.meanwhile(tokio::time::sleep(wait)).await.is_none() {
                return;
            }
        }
    }

    /// Awaits something while the relay is away; `None` when cancelled.
    async fn meanwhile<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        let mut tick = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return None,
                done = &mut work => return Some(done),
                Some(command) = self.commands.recv() => match command {
                    Command::Publish(outgoing) => self.outbound.enqueue(outgoing),
                    // Standing subscriptions are read when the relay is back; fetches end here,
                    // by being dropped: an absent relay has nothing to say.
                    Command::Subscribe(_) | Command::Fetch(_) | Command::EndFetch(_) => {}
                },
                now = tick.tick() => self.outbound.expire(now),
            }
        }
    }

    /// The relay takes less than it was sent.
    pub(super) fn complained(&self, now: Instant) {
        self.complained.send_replace(Some(now));
    }

    pub(super) fn online(&self) {
        self.status.send_modify(|status| {
            status.connected = true;
            status.last_message = None;
        });
        tracing::info!(relay = %self.url, "connected");
        self.shared.inbox.tell(RelayMessage::Online(self.url.clone()));
    }

    /// Remembers why the relay is away; says so once per outage.
    fn offline(&self, reason: &str) {
        let was_connected = self.status.borrow().connected;
        let first = self.status.borrow().last_message.is_none();
        self.status.send_modify(|status| {
            status.connected = false;
            status.last_message = Some(reason.to_owned());
        });
        if was_connected || first {
            tracing::info!(relay = %self.url, reason, "not connected");
            let message = RelayMessage::Offline { relay: self.url.clone(), reason: reason.to_owned() };
            self.shared.inbox.tell(message);
        }
    }

    /// The websocket has failed. A message that is too large would come again with every answer from what the relay has
    /// stored, and end every connection.
    pub(super) fn broke_off(&mut self, error: &tungstenite::Error) -> String {
        if !matches!(error, tungstenite::Error::Capacity(_)) {
            return words(&error.to_string());
        }
        self.only_news_until = Some(Instant::now() + ONLY_NEWS_FOR);
        format!(
            "it sent a message of more than {} MiB; for an hour it is asked only for what is new",
            socket::MAX_MESSAGE_BYTES >> 20
        )
    }

    /// Whether the relay is not asked for what it has stored.
    pub(super) fn asks_only_for_news(&self, now: Instant) -> bool {
        self.only_news_until.is_some_and(|until| until > now)
    }

    pub(super) fn remember_words(&self, words: &str) {
        self.status.send_modify(|status| status.last_message = Some(words.to_owned()));
    }
}
