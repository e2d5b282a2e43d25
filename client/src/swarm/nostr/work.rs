//! Proof of work for providers that are crowded (docs/decisions/0109-vouching-and-proof-of-work.md).
//!
//! ```text
//!  free job ─► refused, `pow` asked ─► first job for that provider: mined ──────────┐
//!                                  └► others: wait until that one is out, signed again ─┴─► sent again, once
//! ```
//!
//! A key that has shown its work is served before those that have not, so that one mined job per provider is enough. It is done beside the
//! run, on one thread, within [`MOST_TIME`]. Only what costs nothing is sent again: pay is locked for one event.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use frlm_conductor::swarm::{SwarmEvent, Ticket};
use frlm_protocol::kinds::JOB_FEEDBACK;
use frlm_protocol::limits::MAX_POW_BITS;
use frlm_protocol::{Feedback, FeedbackStatus, work};
use nostr::{Event, EventId, PublicKey};
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::Instant;

use super::Shared;

/// Longest that one job is mined for.
const MOST_TIME: Duration = Duration::from_secs(8);
/// Providers for which a run works at most: any stranger may ask.
const MOST_PROVIDERS: usize = 32;
/// How long work counts at a provider, less than it says ([`frlm_protocol`], docs/protocol.md, section 7).
const COUNTS_FOR: Duration = Duration::from_mins(8);

/// Since when a provider is shown work, and whether it was, once that is known.
type Shown = (Instant, Arc<OnceCell<bool>>);

/// Whom this run has shown work.
pub(super) struct Worked {
    by: Mutex<HashMap<PublicKey, Shown>>,
    /// One thread at once.
    miner: Arc<Semaphore>,
}

impl Default for Worked {
    fn default() -> Self {
        Self { by: Mutex::default(), miner: Arc::new(Semaphore::new(1)) }
    }
}

impl Worked {
    /// Whether work was shown to a provider, once that is known; `None` where this run works for no more of them.
    fn with(&self, provider: PublicKey) -> Option<Arc<OnceCell<bool>>> {
        let mut by = self.by.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        by.retain(|_, (since, cell)| now < *since + COUNTS_FOR || cell.get() == Some(&false));
        if by.len() >= MOST_PROVIDERS && !by.contains_key(&provider) {
            return None;
        }
        let (_, cell) = by.entry(provider).or_insert_with(|| (now, Arc::default()));
        Some(Arc::clone(cell))
    }

    fn forget(&self, provider: PublicKey) {
        self.by.lock().unwrap_or_else(PoisonError::into_inner).remove(&provider);
    }
}

/// A job that was refused and would be taken with work.
pub(super) struct Asked {
    ticket: Ticket,
    provider: PublicKey,
    event: Event,
    bits: u8,
    /// What the run is told if nothing comes of it.
    refusal: SwarmEvent,
}

impl Shared {
    /// A refusal of a job that may be sent again with work; nothing is changed by asking.
    pub(super) fn asks_for_work(&self, event: &Event) -> Option<Asked> {
        if event.kind != JOB_FEEDBACK {
            return None;
        }
        let received = Feedback::from_event(event, &self.keys).ok()?;
        let Feedback { status: FeedbackStatus::Error, reason, pow_bits: Some(bits), .. } = received.feedback
        else {
            return None;
        };
        let ticket = self.ticket_of(received.job, received.provider).ok()?;
        let jobs = self.jobs();
        let out = jobs.out(ticket)?;
        let may =
            bits <= MAX_POW_BITS && !out.foreign && jobs.paid(ticket).is_none() && !is_second(&out.event);
        let event = out.event.clone();
        let refusal = SwarmEvent::Feedback {
            ticket,
            status: FeedbackStatus::Error,
            reason,
            detail: received.feedback.detail,
            retry_after_secs: received.feedback.retry_after_secs,
        };
        may.then_some(Asked { ticket, provider: received.provider, event, bits, refusal })
    }

    /// Sends a job again that was refused, with work or behind one that has shown some.
    pub(super) async fn work_for(&self, asked: Asked) {
        let Asked { ticket, provider, event, bits, refusal } = asked;
        let mut is_sent = false;
        let is_worthwhile = match self.worked.with(provider) {
            None => false,
            Some(shown) => {
                let first = async {
                    let mined = self.mined(event.clone(), bits).await;
                    is_sent = match mined {
                        Some(mined) => self.send_instead(ticket, event.id, mined).await,
                        None => false,
                    };
                    is_sent
                };
                *shown.get_or_init(|| first).await
            }
        };
        if is_worthwhile && !is_sent {
            // Another id, as relays hand on no event twice.
            let again = work::mine(&event, &self.keys, 0, || true);
            is_sent = match again {
                Some(again) => self.send_instead(ticket, event.id, again).await,
                None => false,
            };
        }
        if is_sent {
            return;
        }
        let is_wanted = self.jobs().is_out(event.id);
        if is_wanted {
            self.heard(ticket, FeedbackStatus::Error);
            self.tell(refusal).await;
        } else if !is_worthwhile {
            // The answer was not needed any more: that says nothing of the next job.
            self.worked.forget(provider);
        }
    }

    /// A job with work, if that is done in time.
    async fn mined(&self, event: Event, bits: u8) -> Option<Event> {
        let permit = Arc::clone(&self.worked.miner).acquire_owned();
        let _permit = tokio::time::timeout(MOST_TIME, permit).await.ok()?.ok()?;
        let (keys, stop) = (self.keys.clone(), self.stop.clone());
        let until = std::time::Instant::now() + MOST_TIME;
        let go_on = move || std::time::Instant::now() < until && !stop.is_cancelled();
        tokio::task::spawn_blocking(move || work::mine(&event, &keys, bits, go_on)).await.ok().flatten()
    }

    /// Publishes an event in the place of one that was refused, if its answer is still waited for.
    async fn send_instead(&self, ticket: Ticket, refused: EventId, event: Event) -> bool {
        if !self.jobs().replace(ticket, refused, &event) {
            return false;
        }
        let _permit = self.publishing.acquire().await;
        match self.publisher.publish(&event).await {
            Ok(_) => self.tell(SwarmEvent::Sent { ticket, reference: event.id.to_hex() }).await,
            Err(error) => {
                if self.forget(ticket).is_some() {
                    self.tell(SwarmEvent::SendFailed { ticket, reason: error.to_string() }).await;
                }
            }
        }
        true
    }
}

/// Whether a job was sent again before.
fn is_second(event: &Event) -> bool {
    event.tags.iter().any(|tag| tag.as_slice().first().is_some_and(|name| name == "nonce"))
}
