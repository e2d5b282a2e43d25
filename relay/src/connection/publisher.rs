//! The sending end of a connection.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nostr::{Event, EventId, Filter, JsonUtil, PublicKey, RelayUrl, Timestamp};
use thiserror::Error;
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::time::{Instant, timeout_at};

use super::core::Core;
use super::link::{Command, Fetch};
use super::outbound::{Outgoing, Verdict, Weight};
use super::pacing::SHORT_FOR;
use super::paging::Pages;
use super::position::{Subscription, Wants};
use super::{RelayStatus, list};

/// Most events that one connection publishes at the same time, and as many that are wanted for long; more wait their turn.
const MAX_IN_FLIGHT: usize = 1024;
/// How long after an event's deadline its relays may still say what became of it.
const GRACE: Duration = Duration::from_secs(1);
/// How many times as long as usual an event may wait that is wanted for long.
const TIMEOUT: u32 = 6;
/// Longest subscription name that NIP-01 allows.
const MAX_NAME_CHARS: usize = 64;
/// Most events that one fetch returns.
const MAX_FETCHED: usize = 10_000;

/// Publishes and subscribes; cheap to clone.
#[derive(Debug, Clone)]
pub struct Publisher {
    pub(super) core: Arc<Core>,
    in_flight: Arc<Semaphore>,
    /// The same for events that are wanted for long.
    wanted_in_flight: Arc<Semaphore>,
    fetches: Arc<AtomicU64>,
    /// Held by the event that is published next of those that are made when it is their turn.
    turn: Arc<Mutex<()>>,
    copies: Option<mpsc::Sender<Box<Event>>>,
}

/// An event that at least one relay took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The first relay that accepted it. The others get it too; nobody waits for them.
    pub accepted_by: RelayUrl,
    /// Relays that had refused it by then.
    pub refusals: Vec<Refusal>,
}

/// A relay's refusal in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Which relay.
    pub relay: RelayUrl,
    /// What it said; bounded and printable.
    pub reason: String,
}

impl Refusal {
    /// Whether the relay would have taken the event if it had come more slowly.
    pub fn is_for_the_rate(&self) -> bool {
        self.reason.starts_with("rate-limited:")
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", self.relay, self.reason)
    }
}

/// Why no relay has an event.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PublishError {
    /// Every relay said no.
    #[error("every relay refused the event: {}", each_refusal(.refusals))]
    Refused {
        /// Every relay with its reason.
        refusals: Vec<Refusal>,
    },
    /// No relay said yes in time. One may still have the event.
    #[error("no relay accepted the event within {} s: {}", .waited.as_secs(), list(.relays))]
    Unanswered {
        /// How long the wait was.
        waited: Duration,
        /// How the relays stand.
        relays: Vec<RelayStatus>,
    },
    /// The connection was shut down.
    #[error("the connection to the relays is closed")]
    Closed,
}

impl Publisher {
    pub(super) fn new(core: Arc<Core>) -> Self {
        Self {
            core,
            in_flight: Arc::new(Semaphore::new(MAX_IN_FLIGHT)),
            wanted_in_flight: Arc::new(Semaphore::new(MAX_IN_FLIGHT)),
            fetches: Arc::new(AtomicU64::new(0)),
            turn: Arc::default(),
            copies: None,
        }
    }

    /// An event record gets a copy of every event that is published from here, once it is on its way.
    /// Publishing never waits for them: what does not fit into their channel is left out.
    #[must_use]
    pub fn copied_to(mut self, copies: mpsc::Sender<Box<Event>>) -> Self {
        self.copies = Some(copies);
        self
    }

    /// Publishes to every relay; resolves at the first acceptance.
    ///
    /// Events wait for relays that are reconnecting, slow themselves to what relays allow and are
    /// sent again after a lost connection, all within
    /// [`ConnectOptions::publish_timeout`](super::ConnectOptions::publish_timeout).
    pub async fn publish(&self, event: &Event) -> Result<Published, PublishError> {
        self.publish_as(event, self.core.shared.options.publish_timeout, Weight::Usual).await
    }

    /// The same for what is wanted for so long: at a relay that takes few events it goes before most else, and waits longer for
    /// its turn, up to six times as long as usual.
    pub async fn publish_within(&self, event: &Event, wanted: Duration) -> Result<Published, PublishError> {
        let usual = self.core.shared.options.publish_timeout;
        self.publish_as(event, wanted.clamp(usual, usual * TIMEOUT), Weight::Wanted).await
    }

    /// The same for what is of no use once its time is over. To relays that take few events such events go one after the other,
    /// each made when it is its turn, so that half of its time is left when it leaves; where it has not left by then it is
    /// made again. `make` says that it is not wanted any more by `None`, and so does the result.
    pub async fn publish_fresh<T: AsRef<Event>>(
        &self,
        wanted: Duration,
        mut make: impl FnMut() -> Option<T>,
    ) -> Option<(T, Result<Published, PublishError>)> {
        let mut turn = None;
        loop {
            if turn.is_none() && self.is_short() {
                turn = Some(self.turn.lock().await);
            }
            let event = make()?;
            let published = self.publish_within(event.as_ref(), wanted / 2).await;
            match &published {
                Err(PublishError::Refused { refusals }) if refusals.iter().any(Refusal::is_for_the_rate) => {}
                _ => return Some((event, published)),
            }
        }
    }

    /// [`Publisher::publish`] for what may be lost: a relay that has said lately that it takes less does not get it.
    pub async fn mention(&self, event: &Event) -> Result<Published, PublishError> {
        self.publish_as(event, self.core.shared.options.publish_timeout, Weight::Minor).await
    }

    /// The same for what is worth more than anything else while it is `wanted`, such as a sign of life: at a relay that takes
    /// few events it goes first. A newer one of its kind takes its place if it has not left by then.
    pub async fn publish_first(&self, event: &Event, wanted: Duration) -> Result<Published, PublishError> {
        let usual = self.core.shared.options.publish_timeout;
        self.publish_as(event, wanted.clamp(usual, usual * TIMEOUT), Weight::Vital).await
    }

    async fn publish_as(
        &self,
        event: &Event,
        waited: Duration,
        weight: Weight,
    ) -> Result<Published, PublishError> {
        let deadline = Instant::now() + waited;
        let cancel = self.core.cancel.clone();
        if let Some(copies) = &self.copies {
            let _ = copies.try_send(Box::new(event.clone()));
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(PublishError::Closed),
            outcome = timeout_at(deadline + GRACE, self.publish_by(event, (waited, deadline), weight)) => {
                outcome.unwrap_or_else(|_| Err(PublishError::Unanswered { waited, relays: self.relays() }))
            }
        }
    }

    async fn publish_by(
        &self,
        event: &Event,
        (waited, deadline): (Duration, Instant),
        weight: Weight,
    ) -> Result<Published, PublishError> {
        // The semaphore is never closed: an error cannot happen, and without a permit we still publish.
        let in_flight = if weight == Weight::Wanted { &self.wanted_in_flight } else { &self.in_flight };
        let _permit = in_flight.acquire().await.ok();
        let frame =
            tokio_tungstenite::tungstenite::Utf8Bytes::from(format!(r#"["EVENT",{}]"#, event.as_json()));
        let content = event.content.chars().count();
        let (reply, mut verdicts) = mpsc::channel(self.core.links.len());
        self.core
            .send_to_all(|| {
                Command::Publish(Outgoing {
                    id: event.id,
                    kind: event.kind,
                    content,
                    frame: frame.clone(),
                    deadline,
                    weight,
                    reply: reply.clone(),
                })
            })
            .await;
        drop(reply);
        let mut refusals = Vec::new();
        let mut may_have_it = false;
        while let Some((relay, verdict)) = verdicts.recv().await {
            match verdict {
                Verdict::Accepted => return Ok(Published { accepted_by: relay, refusals }),
                Verdict::Refused(reason) => refusals.push(Refusal { relay, reason }),
                Verdict::Unanswered => may_have_it = true,
            }
        }
        if may_have_it {
            return Err(PublishError::Unanswered { waited, relays: self.relays() });
        }
        Err(PublishError::Refused { refusals })
    }

    /// Keeps a subscription standing on every relay, also after reconnects. The same name replaces
    /// its filters. Names longer than 64 characters are cut.
    ///
    /// Stored events that match come first, then new ones. Common relays allow three tag filters
    /// per filter and between 32 and 200 subscriptions.
    pub async fn subscribe(&self, name: &str, filters: Vec<Filter>) {
        self.stand(name, Subscription::of(filters)).await;
    }

    /// The same for events that `wants` wants. It is asked before signatures are looked at, which costs more: an event may be
    /// forged, and is passed on only if it is not.
    pub async fn subscribe_to(
        &self,
        name: &str,
        filters: Vec<Filter>,
        wants: impl Fn(&Event) -> bool + Send + Sync + 'static,
    ) {
        let wants = Some(Wants(Arc::new(wants)));
        self.stand(name, Subscription { wants, ..Subscription::of(filters) }).await;
    }

    /// The same for someone who stays for days: a relay that was away is asked for what may have been missed, and not
    /// again for everything since the subscription was made.
    ///
    /// Each filter's `since` moves with the moment until which that relay was heard. Its distance from the present is
    /// kept as a margin, for clocks that differ and for events that reach their relay late. Filters without `since`
    /// stay as they are.
    pub async fn follow(&self, name: &str, filters: Vec<Filter>) {
        let moves_from = Some(Timestamp::now());
        self.stand(name, Subscription { moves_from, ..Subscription::of(filters) }).await;
    }

    async fn stand(&self, name: &str, subscription: Subscription) {
        let name: String = name.chars().take(MAX_NAME_CHARS).collect();
        self.core.shared.subscriptions().insert(name.clone(), Arc::new(subscription));
        self.core.send_to_all(|| Command::Subscribe(name.clone())).await;
    }

    /// The stored events that match, newest first, from every connected relay, each verified and
    /// once.
    ///
    /// Returns when every relay said that it has no more, or after `timeout` with what came. The
    /// events are not passed to [`Incoming`](super::Incoming).
    pub async fn fetch(&self, filters: Vec<Filter>, timeout: Duration) -> Vec<Event> {
        let (fetch, mut found) = self.question(filters, None);
        let name = fetch.name.clone();
        let mut events: BTreeMap<EventId, Event> = BTreeMap::new();
        let collect = async {
            self.core.send_to_all(|| Command::Fetch(fetch.clone())).await;
            drop(fetch);
            while let Some(event) = found.recv().await {
                events.entry(event.id).or_insert(event);
                if events.len() >= MAX_FETCHED {
                    break;
                }
            }
        };
        let in_time = tokio::time::timeout(timeout, collect).await.is_ok();
        if !in_time || events.len() >= MAX_FETCHED {
            self.core.send_to_all(|| Command::EndFetch(name.clone())).await;
        }
        let mut events: Vec<Event> = events.into_values().collect();
        events.sort_unstable_by_key(|event| (std::cmp::Reverse(event.created_at), event.id));
        events
    }

    /// All stored events that match, each verified, as they come: relays that return a few hundred at a time are asked
    /// for what is older until they have no more. One that several relays have comes from each of them.
    ///
    /// The channel ends once every connected relay has sent all; what a reader does not take in time is left out.
    pub async fn stored(&self, filter: Filter) -> mpsc::Receiver<Event> {
        let (fetch, found) = self.question(vec![filter], Some(Pages::default()));
        self.core.send_to_all(|| Command::Fetch(fetch.clone())).await;
        found
    }

    fn question(&self, filters: Vec<Filter>, pages: Option<Pages>) -> (Fetch, mpsc::Receiver<Event>) {
        let number = self.fetches.fetch_add(1, Ordering::Relaxed);
        // Relay tasks never wait for a reader: what the channel cannot hold is not returned.
        let (found, receiver) = mpsc::channel(MAX_FETCHED);
        (Fetch { name: format!("fetch:{number}"), filters: Arc::new(filters), found, pages }, receiver)
    }

    /// Events of this key are read before those of others from now on, also those that wait already: seven of eight, while there
    /// are any. The latest thousands of such keys are remembered.
    pub fn prefer(&self, key: PublicKey) {
        self.core.shared.inbox.prefer(key, true);
    }

    /// Events of this key are read like those of any other from now on.
    pub fn neglect(&self, key: PublicKey) {
        self.core.shared.inbox.prefer(key, false);
    }

    /// Whether every relay that is there has said lately that it takes less than it was sent: what is published now may wait
    /// a minute for its turn.
    pub fn is_short(&self) -> bool {
        let mut here = self.core.links.iter().filter(|link| link.status.borrow().connected).peekable();
        let now = Instant::now();
        here.peek().is_some()
            && here.all(|link| {
                link.complaint.borrow().is_some_and(|at| now.saturating_duration_since(at) < SHORT_FOR)
            })
    }

    /// How every relay stands.
    pub fn relays(&self) -> Vec<RelayStatus> {
        self.core.links.iter().map(|link| link.status.borrow().clone()).collect()
    }

    /// Closes every connection and waits a little for the relays to take note. Publishing then
    /// fails, and the reader ends after what is queued.
    pub async fn shutdown(&self) {
        self.core.shutdown().await;
    }
}

fn each_refusal(refusals: &[Refusal]) -> String {
    refusals.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
