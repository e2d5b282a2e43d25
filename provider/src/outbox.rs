//! Events on their way to the relays.
//!
//! Four kinds of mail. *Words* (refusals, announcements) are tried once, which includes a short wait for a reconnect, and
//! then forgotten. *Mentions* (how a job stands, how far it is, what an asker was told a moment ago) are not even tried where a
//! relay is short. *Heartbeats* go before everything else there: without them nobody asks. *Results* are tried until a relay
//! has them or nobody waits for them any more, through lost connections, restarting relays and relays that take few events:
//!
//! ```text
//! deliver ─► publishing ──a relay took it──► delivered
//!               │   ▲
//!  refused, lost│   │a pause, longer each time
//!               ▼   │
//!              delayed ──nobody waits any more──► undelivered
//! ```
//!
//! Everything is polled in the owner's task and in the order of posting.

use std::collections::HashSet;
use std::time::Duration;

use frlm_protocol::limits::SHORT_RELAY_SECS;
use frlm_relay::{PublishError, Publisher};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use nostr::{Event, EventId, Timestamp};

/// Words beyond this are dropped: a peer that makes us talk must not make us remember.
const MAX_PENDING: usize = 2048;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What became of something posted.
#[derive(Debug)]
pub(crate) enum Receipt {
    /// Words are never followed up.
    Said,
    /// Relays refuse to tell others of this provider: which, and in their words.
    Unannounced {
        refusals: Vec<(String, String)>,
    },
    Delivered {
        job: EventId,
    },
    /// An attempt failed; the next one follows by itself.
    Delayed {
        job: EventId,
        reason: String,
    },
    Undelivered {
        job: EventId,
        reason: String,
    },
}

/// A result on its way.
struct Parcel {
    job: EventId,
    event: Event,
    until: Timestamp,
    /// Before the next attempt.
    pause: Duration,
}

impl Parcel {
    /// Until when it is worth sending, in seconds: askers at a relay that takes few events wait for it to take this one.
    fn wanted_until(&self, publisher: &Publisher) -> u64 {
        let later = if publisher.is_short() { SHORT_RELAY_SECS } else { 0 };
        self.until.as_secs().saturating_add(later)
    }
}

enum Attempt {
    Over(Receipt),
    Again(Box<Parcel>, String),
}

pub(crate) struct Outbox {
    publisher: Publisher,
    pending: FuturesUnordered<BoxFuture<'static, Attempt>>,
    /// Jobs whose results are on their way.
    results: HashSet<EventId>,
}

impl Outbox {
    pub(crate) fn new(publisher: Publisher) -> Self {
        Self { publisher, pending: FuturesUnordered::new(), results: HashSet::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Whether a result is on its way.
    pub(crate) fn has_results(&self) -> bool {
        !self.results.is_empty()
    }

    /// Sends words.
    pub(crate) fn say(&mut self, event: Event) {
        if self.is_full(&event) {
            return;
        }
        let publisher = self.publisher.clone();
        self.pending.push(Box::pin(async move {
            if let Err(error) = publisher.publish(&event).await {
                tracing::debug!(id = %event.id, %error, "words not published");
            }
            Attempt::Over(Receipt::Said)
        }));
    }

    /// Sends what may be lost. It leaves half of the room to words that may not.
    pub(crate) fn mention(&mut self, event: Event) {
        if self.pending.len() >= MAX_PENDING / 2 {
            return;
        }
        let publisher = self.publisher.clone();
        self.pending.push(Box::pin(async move {
            let _ = publisher.mention(&event).await;
            Attempt::Over(Receipt::Said)
        }));
    }

    /// Sends a sign of life, which the next one replaces where it has not left by then.
    pub(crate) fn beat(&mut self, event: Event, counts_for: Duration) {
        let publisher = self.publisher.clone();
        self.pending.push(Box::pin(async move {
            if let Err(error) = publisher.publish_first(&event, counts_for).await {
                tracing::debug!(id = %event.id, %error, "no sign of life published");
            }
            Attempt::Over(Receipt::Said)
        }));
    }

    /// Sends the offer; the operator is told of relays that refuse it.
    pub(crate) fn announce(&mut self, event: Event) {
        if self.is_full(&event) {
            return;
        }
        let publisher = self.publisher.clone();
        self.pending.push(Box::pin(async move {
            let refusals = match publisher.publish(&event).await {
                Ok(taken) => taken.refusals,
                Err(PublishError::Refused { refusals }) => refusals,
                Err(PublishError::Unanswered { .. } | PublishError::Closed) => Vec::new(),
            };
            // A relay that takes few events gets the next one.
            let refusals = refusals.into_iter().filter(|refusal| !refusal.is_for_the_rate());
            let refusals: Vec<_> =
                refusals.map(|refusal| (refusal.relay.to_string(), refusal.reason)).collect();
            if refusals.is_empty() {
                return Attempt::Over(Receipt::Said);
            }
            Attempt::Over(Receipt::Unannounced { refusals })
        }));
    }

    fn is_full(&self, event: &Event) -> bool {
        let full = self.pending.len() >= MAX_PENDING;
        if full {
            tracing::debug!(id = %event.id, "too much mail is waiting; words dropped");
        }
        full
    }

    /// Sends a job's result until a relay has it. Asking for it again while it is on its way changes
    /// nothing.
    pub(crate) fn deliver(&mut self, job: EventId, event: Event, until: Timestamp) {
        if !self.results.insert(job) {
            return;
        }
        self.send(Box::new(Parcel { job, event, until, pause: Duration::ZERO }));
    }

    /// The next receipt; pends for ever while nothing is on its way. Dropping the future loses
    /// nothing.
    pub(crate) async fn next(&mut self) -> Receipt {
        match self.pending.next().await {
            Some(Attempt::Over(receipt)) => {
                if let Receipt::Delivered { job } | Receipt::Undelivered { job, .. } = &receipt {
                    self.results.remove(job);
                }
                receipt
            }
            Some(Attempt::Again(parcel, reason)) => {
                let job = parcel.job;
                self.send(parcel);
                Receipt::Delayed { job, reason }
            }
            None => std::future::pending().await,
        }
    }

    /// Makes one attempt, after the parcel's pause.
    fn send(&self, mut parcel: Box<Parcel>) {
        let publisher = self.publisher.clone();
        self.pending.push(Box::pin(async move {
            tokio::time::sleep(parcel.pause).await;
            let job = parcel.job;
            // One call waits for reconnects by itself, and for its turn at a relay that takes few events.
            let left = parcel.wanted_until(&publisher).saturating_sub(Timestamp::now().as_secs());
            let Err(error) = publisher.publish_within(&parcel.event, Duration::from_secs(left)).await else {
                return Attempt::Over(Receipt::Delivered { job });
            };
            parcel.pause = (parcel.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
            let next_attempt_secs = Timestamp::now().as_secs() + parcel.pause.as_secs();
            if next_attempt_secs >= parcel.wanted_until(&publisher) || error == PublishError::Closed {
                return Attempt::Over(Receipt::Undelivered { job, reason: error.to_string() });
            }
            Attempt::Again(parcel, error.to_string())
        }));
    }
}
