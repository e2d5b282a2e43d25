//! Events on their way to the relays.
//!
//! Two kinds of mail. *Words* (feedback, announcements, heartbeats, partial answers) are tried
//! once, which includes a short wait for a reconnect, and then forgotten. *Results* are tried until a relay has them or nobody waits for them any
//! more, through lost connections and restarting relays:
//!
//! ```text
//! deliver ─► publishing ──a relay took it──► delivered
//!               │   ▲
//!        refused│   │a pause, longer each time
//!               ▼   │
//!              waiting ──nobody waits any more──► undelivered
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
    Undelivered {
        job: EventId,
        reason: String,
    },
}

pub(crate) struct Outbox {
    publisher: Publisher,
    pending: FuturesUnordered<BoxFuture<'static, Receipt>>,
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
            Receipt::Said
        }));
    }

    /// Sends a job's result until a relay has it. Asking for it again while it is on its way changes
    /// nothing.
    pub(crate) fn deliver(&mut self, job: EventId, event: Event, until: Timestamp) {
        if !self.results.insert(job) {
            return;
        }
        let publisher = self.publisher.clone();
        self.pending.push(Box::pin(async move {
            let mut pause = FIRST_PAUSE;
            loop {
                // One call waits for reconnects by itself, for as long as the connection's options say.
                let Err(error) = publisher.publish(&event).await else {
                    return Receipt::Delivered { job };
                };
                let too_late = Timestamp::now().as_secs() + pause.as_secs() >= until.as_secs();
                if too_late || error == PublishError::Closed {
                    return Receipt::Undelivered { job, reason: error.to_string() };
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }));
    }

    /// The next receipt; pends for ever while nothing is on its way. Dropping the future loses
    /// nothing.
    pub(crate) async fn next(&mut self) -> Receipt {
        match self.pending.next().await {
            Some(receipt) => {
                if let Receipt::Delivered { job } | Receipt::Undelivered { job, .. } = &receipt {
                    self.results.remove(job);
                }
                receipt
            }
            None => std::future::pending().await,
        }
    }
}
