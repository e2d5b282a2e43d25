//! Events on their way to the relays.
//!
//! Two kinds of mail. *Words* (feedback, announcements, heartbeats, partial answers) are tried
//! once, which includes a short wait for a reconnect, and then forgotten. *Results* are tried until a relay has them or nobody waits for them any
//! more, through lost connections and restarting relays:
//!
//! ```text
//! deliver ─► publishing ──a relay took it──► delivered
//!               │   ▲
//!  refused, lost│   │a pause, longer each time
//!               ▼   │
//!              delayed ──nobody waits any more──► undelivered
//! ```
//!
//! Everything is polled in the owner's task and in the order of posting, so that «processing» leaves
//! before the result.

use std::collections::HashSet;
use std::time::Duration;

use frlm_relay::{PublishError, Publisher};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use nostr::{Event, EventId, Timestamp};

/// Words beyond this are dropped: whoever makes us talk must not make us remember.
const MAX_PENDING: usize = 2048;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What became of something posted.
#[derive(Debug)]
pub(crate) enum Receipt {
    /// Words are never followed up.
    Said,
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
        if self.pending.len() >= MAX_PENDING {
            tracing::debug!(id = %event.id, "too much mail is waiting; words dropped");
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
            // One call waits for reconnects by itself, for as long as the connection's options say.
            let Err(error) = publisher.publish(&parcel.event).await else {
                return Attempt::Over(Receipt::Delivered { job });
            };
            parcel.pause = (parcel.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
            let next_attempt_secs = Timestamp::now().as_secs() + parcel.pause.as_secs();
            if next_attempt_secs >= parcel.until.as_secs() || error == PublishError::Closed {
                return Attempt::Over(Receipt::Undelivered { job, reason: error.to_string() });
            }
            Attempt::Again(parcel, error.to_string())
        }));
    }
}
