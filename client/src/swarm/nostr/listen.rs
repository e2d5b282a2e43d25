//! What relays bring: results, feedback, returned pay, and who is there.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use frlm_conductor::swarm::SwarmEvent;
use frlm_inference::Usage;
use frlm_protocol::kinds::{JOB_FEEDBACK, JOB_RESULT, SETTLEMENT};
use frlm_protocol::{Attestation, Feedback, FeedbackStatus, JobResult, Settlement};
use frlm_relay::{Incoming, RelayMessage};
use frlm_verifier::attested::Confirmation;
use frlm_wallet::Msats;
use nostr::{Event, Timestamp};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Shared, short};
use crate::swarm::discovery::{Discovery, Found};
use crate::swarm::listing::Change;

/// How often dead providers are looked for.
const SWEEP: Duration = Duration::from_secs(1);
/// How long providers have for a sign of life after all relays were gone.
const AFTER_OUTAGE: Duration = Duration::from_mins(1);

pub(super) async fn listen(
    shared: Arc<Shared>,
    mut incoming: Incoming,
    mut discovery: Discovery,
    tasks: TaskTracker,
    stop: CancellationToken,
) {
    let mut sweep = tokio::time::interval(SWEEP);
    let mut was_offline = false;
    // While no relay is there, no sign of life can come, so nobody is declared dead; after it is back,
    // providers get time for one.
    let mut offline: HashSet<String> = HashSet::new();
    let relays = shared.publisher.relays().len();
    let mut judge_from = Instant::now();
    shared.tell(SwarmEvent::Looking(true)).await;
    loop {
        tokio::select! {
            _ = sweep.tick() => {
                if shared.blobs.any_over() {
                    let (shared, stop) = (Arc::clone(&shared), stop.clone());
                    tasks.spawn(async move {
                        tokio::select! {
                            () = stop.cancelled() => {}
                            () = shared.blobs.tidy(&shared.publisher, &shared.keys) => {}
                        }
                    });
                }
                if offline.len() >= relays.max(1) {
                    judge_from = Instant::now() + AFTER_OUTAGE;
                }
                if Instant::now() < judge_from {
                    continue;
                }
                for change in discovery.expire(Timestamp::now()) {
                    shared.tell(from_change(change)).await;
                }
            }
            found = discovery.next() => {
                let told = match found {
                    Found::Event(change) => change.map(from_change),
                    Found::All => Some(SwarmEvent::Looking(false)),
                };
                shared.tell_of(&mut discovery, told).await;
            }
            message = incoming.recv() => {
                let Some(message) = message else { return };
                let change = discovery.heard(&message, Timestamp::now());
                if let RelayMessage::Event(event) = &message && let Some(asked) = shared.asks_for_work(event) {
                    let (shared, stop) = (Arc::clone(&shared), stop.clone());
                    tasks.spawn(async move {
                        tokio::select! {
                            () = stop.cancelled() => {}
                            () = shared.work_for(asked) => {}
                        }
                    });
                    continue;
                }
                match message {
                RelayMessage::Event(event) => {
                    let told = shared.on_event(&event).or(change.map(from_change));
                    shared.tell_of(&mut discovery, told).await;
                }
                RelayMessage::Online(relay) => {
                    offline.remove(relay.as_str());
                    shared.tell(SwarmEvent::RelayOnline(relay.to_string())).await;
                    if std::mem::take(&mut was_offline) {
                        let (shared, stop) = (Arc::clone(&shared), stop.clone());
                        tasks.spawn(async move {
                            tokio::select! {
                                () = stop.cancelled() => {}
                                () = shared.publish_again() => {}
                            }
                        });
                    }
                }
                RelayMessage::Offline { relay, reason } => {
                    was_offline = true;
                    offline.insert(relay.to_string());
                    judge_from = judge_from.max(Instant::now() + SWEEP * 2);
                    shared.tell(SwarmEvent::RelayOffline { relay: relay.to_string(), reason }).await;
                }
                RelayMessage::Notice { relay, text } => shared.relay_says(relay.as_str(), text).await,
                RelayMessage::Closed { relay, reason, .. } => shared.relay_says(relay.as_str(), reason).await,
                RelayMessage::Dropped { count } => {
                    tracing::warn!(count, "more events than could be read; relays are asked again");
                }
                }
            }
        }
    }
}

impl Shared {
    /// What an event about this run says; `None` if it is about none.
    fn on_event(&self, event: &Event) -> Option<SwarmEvent> {
        if event.kind == JOB_RESULT {
            Some(self.result(event))
        } else if event.kind == JOB_FEEDBACK {
            Some(self.feedback(event))
        } else if event.kind == SETTLEMENT {
            Some(self.settlement(event))
        } else {
            None
        }
    }

    async fn tell_of(&self, discovery: &mut Discovery, told: Option<SwarmEvent>) {
        // Before its provider may be asked.
        if let Some(off) = discovery.clock_off() {
            self.tell(SwarmEvent::ClockOff(off.to_string())).await;
        }
        if let Some(SwarmEvent::ProviderSeen(info)) = &told {
            self.blobs.note_fetcher(info);
        }
        if let Some(told) = told {
            self.tell(told).await;
        }
    }

    async fn relay_says(&self, relay: &str, words: String) {
        self.tell(SwarmEvent::RelaySays { relay: relay.to_owned(), words }).await;
    }

    fn result(&self, event: &Event) -> SwarmEvent {
        let received = match JobResult::from_event(event, &self.keys) {
            Ok(received) => received,
            Err(error) => return stray(event, &error.to_string()),
        };
        match self.ticket_of(received.job, received.provider) {
            Err(what) => SwarmEvent::Stray { what },
            Ok(ticket) => {
                self.blobs.is_over(ticket);
                let covered = self.forget(ticket).and_then(|out| out.covered);
                let result = received.result;
                let usage = Usage {
                    prompt_tokens: result.prompt_tokens,
                    completion_tokens: result.completion_tokens,
                };
                if let Some(covered) = covered {
                    let verdict = Attestation::from_event(event, &self.keys, &covered)
                        .map(|found| Confirmation { confirmed: found.confirmed, shown: found.shown })
                        .map_err(|error| format!("the validator's word does not count: {error}"));
                    return SwarmEvent::Attested { ticket, verdict, usage };
                }
                SwarmEvent::Result {
                    ticket,
                    usage,
                    reference: event.id.to_hex(),
                    job: received.job.to_hex(),
                    answers: result.answers,
                    model: result.model,
                }
            }
        }
    }

    fn feedback(&self, event: &Event) -> SwarmEvent {
        let received = match Feedback::from_event(event, &self.keys) {
            Ok(received) => received,
            Err(error) => return stray(event, &error.to_string()),
        };
        match self.ticket_of(received.job, received.provider) {
            Err(what) => SwarmEvent::Stray { what },
            Ok(ticket)
                if received.feedback.status == FeedbackStatus::PaymentRequired && self.is_foreign(ticket) =>
            {
                let amount = received.feedback.amount_msats.map(Msats);
                SwarmEvent::PaymentRequired { ticket, amount, invoice: received.invoice.unwrap_or_default() }
            }
            Ok(ticket) => {
                self.heard(ticket, received.feedback.status);
                SwarmEvent::Feedback {
                    ticket,
                    status: received.feedback.status,
                    reason: received.feedback.reason,
                    detail: received.feedback.detail,
                    retry_after_secs: received.feedback.retry_after_secs,
                }
            }
        }
    }

    fn settlement(&self, event: &Event) -> SwarmEvent {
        let received = match Settlement::from_event(event, &self.keys) {
            Ok(received) => received,
            Err(error) => return stray(event, &error.to_string()),
        };
        let ticket = self.jobs().paid_to(received.job, received.author);
        match (ticket, received.settlement) {
            (Some(ticket), Settlement::Returned(payload)) => SwarmEvent::Returned { ticket, payload },
            _ => stray(event, "it settles no job that this run has paid for"),
        }
    }
}

fn from_change(change: Change) -> SwarmEvent {
    match change {
        Change::Seen(info) => SwarmEvent::ProviderSeen(*info),
        Change::Load { provider, queue_length } => SwarmEvent::ProviderLoad { provider, queue_length },
        Change::Gone(id) => SwarmEvent::ProviderGone(id),
        Change::Unusable(why) => SwarmEvent::Unusable(why),
    }
}

fn stray(event: &Event, why: &str) -> SwarmEvent {
    SwarmEvent::Stray { what: format!("an unreadable event by {}: {why}", short(&event.pubkey.to_hex())) }
}
