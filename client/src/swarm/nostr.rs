//! The swarm over Nostr relays: NIP-90 jobs, one subscription per run under a fresh key
//! (design.md, section 4).
//!
//! Here is what is sent, and `jobs` is what is out; `build` makes jobs, `apart` has what is too large for an event put elsewhere,
//! `listen` takes what relays bring, and `work` is what crowded providers ask for.

mod apart;
mod build;
mod jobs;
mod listen;
mod work;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use apart::Blobs;
use async_trait::async_trait;
use build::{Built, build};
use frlm_conductor::swarm::{Address, OutgoingJob, Swarm, SwarmEvent, Ticket};
use frlm_protocol::cancel::Cancellation;
use frlm_protocol::kinds::{JOB_FEEDBACK, JOB_RESULT, SETTLEMENT};
use frlm_protocol::limits::{CLOCK_SLACK_SECS, SHORT_RELAY_SECS};
use frlm_protocol::{Audience, Certificate, FeedbackStatus, SealedBlob, Settlement, Verdict, verdict};
use frlm_relay::other_relays::other_relays;
use frlm_relay::{Incoming, PublishError, Publisher};
use frlm_wallet::Msats;
use jobs::{Jobs, Leaving, Out, Paid};
use listen::listen;
use nostr::{Event, EventId, Filter, Keys, PublicKey, Timestamp};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use work::Worked;

use super::discovery::Discovery;

/// Publications that wait for a relay's OK at once.
const MOST_PUBLISHING: usize = 256;
/// How long relays should keep a word about a job's pay for a provider that is away.
const SETTLEMENT_LIFETIME_SECS: u64 = 3_600;
/// As that, where it is the pay itself: nothing else pays for the work.
const PAYMENT_LIFETIME_SECS: u64 = 24 * 3_600;
const SETTLEMENT_TRIES: usize = 3;
/// How long relays should keep what became of answers, for a provider that is away.
const VERDICT_LIFETIME_SECS: u64 = 3_600;
/// Longer than any run: a resumed one signs again.
const CERTIFICATE_SECS: u64 = 7 * 24 * 3_600;

/// A swarm reached through relays. Ends all its tasks in [`Swarm::shutdown`] or when dropped.
pub struct NostrSwarm {
    shared: Arc<Shared>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Drop for NostrSwarm {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

struct Shared {
    keys: Keys,
    /// Whom the user named, and who is known from earlier runs.
    sought: Vec<PublicKey>,
    /// Whose run it is, for providers that are paid, if its asker wants them to know.
    certificate: OnceLock<Certificate>,
    publisher: Publisher,
    events: mpsc::Sender<SwarmEvent>,
    jobs: Mutex<Jobs>,
    blobs: Blobs,
    publishing: Arc<Semaphore>,
    worked: Worked,
    stop: CancellationToken,
}

/// A signed job, while it leaves.
struct Leaves {
    event: Event,
    /// Whether its answer is still waited for.
    wanted: bool,
    _left: Option<tokio::sync::OwnedMutexGuard<()>>,
}

impl AsRef<Event> for Leaves {
    fn as_ref(&self) -> &Event {
        &self.event
    }
}

impl NostrSwarm {
    /// Takes over a relay connection for one run. `keys` are the run's own; events go to `events`. However many others a relay
    /// knows, those that are `sought` are found.
    pub async fn start(
        keys: Keys,
        publisher: Publisher,
        incoming: Incoming,
        events: mpsc::Sender<SwarmEvent>,
        since: Timestamp,
        sought: &[PublicKey],
    ) -> Self {
        let run = Filter::new()
            .kinds([JOB_RESULT, JOB_FEEDBACK, SETTLEMENT])
            .pubkey(keys.public_key())
            .since(since - CLOCK_SLACK_SECS);
        publisher.subscribe("run", vec![run]).await;
        let discovery = Discovery::begin(&publisher, sought).await;
        let stop = CancellationToken::new();
        let shared = Arc::new(Shared {
            stop: stop.clone(),
            worked: Worked::default(),
            keys,
            sought: sought.to_vec(),
            certificate: OnceLock::new(),
            publisher,
            events,
            jobs: Mutex::default(),
            blobs: Blobs::default(),
            publishing: Arc::new(Semaphore::new(MOST_PUBLISHING)),
        });
        let swarm = Self { shared, tasks: TaskTracker::new(), stop };
        let (shared, stop, tasks) = (Arc::clone(&swarm.shared), swarm.stop.clone(), swarm.tasks.clone());
        swarm.tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = listen(shared, incoming, discovery, tasks, stop.clone()) => {}
            }
        });
        swarm
    }
}

#[async_trait]
impl Swarm for NostrSwarm {
    async fn submit(&self, job: OutgoingJob) {
        let (shared, stop) = (Arc::clone(&self.shared), self.stop.clone());
        let apart = shared.blobs.seal(&job, shared.certificate.get(), &shared.publisher);
        let mut prepared = None;
        if apart.is_some() || shared.publisher.is_short() {
            shared.jobs().hold(job.ticket);
        } else {
            match shared.prepare(&job, true) {
                Ok(leaves) => prepared = Some(leaves),
                Err(reason) => {
                    let ticket = job.ticket;
                    // Not awaited here: the caller is who empties the channel.
                    self.tasks
                        .spawn(async move { shared.tell(SwarmEvent::SendFailed { ticket, reason }).await });
                    return;
                }
            }
        }
        self.tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = shared.send(&job, prepared, apart) => {}
            }
        });
    }

    async fn cancel(&self, ticket: Ticket) {
        if self.shared.jobs().is_unwanted(ticket) {
            return;
        }
        let (shared, stop) = (Arc::clone(&self.shared), self.stop.clone());
        let Some(out) = shared.forget(ticket) else { return };
        shared.blobs.is_over(ticket);
        self.tasks.spawn(async move {
            let work = async {
                let _permit = shared.publishing.acquire().await;
                shared.send_cancellation(ticket, out).await;
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = work => {}
            }
        });
    }

    async fn settle(&self, ticket: Ticket, settlement: Settlement) {
        let paid = self.shared.jobs().paid(ticket).cloned();
        let Some(Paid { job, provider, leaving }) = paid else { return };
        let now = Timestamp::now();
        let pays = matches!(settlement, Settlement::Paid { .. });
        let lifetime_secs = if pays { PAYMENT_LIFETIME_SECS } else { SETTLEMENT_LIFETIME_SECS };
        let built = settlement.to_event(job, provider, now + lifetime_secs, &self.shared.keys, now);
        let Ok(event) = built else { return };
        let (shared, stop) = (Arc::clone(&self.shared), self.stop.clone());
        self.tasks.spawn(async move {
            let work = async {
                let _behind_the_job = leaving.lock().await;
                let _permit = shared.publishing.acquire().await;
                // Unheard, a release leaves the provider unpaid: it is worth another try.
                for _ in 0..SETTLEMENT_TRIES {
                    if shared.publisher.publish(&event).await.is_ok() {
                        if pays {
                            shared.tell(SwarmEvent::Told { ticket }).await;
                        }
                        return;
                    }
                }
                tracing::warn!(job = %event.id, "no relay took a word about a job's pay");
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = work => {}
            }
        });
    }

    async fn judge(&self, provider: &str, verdicts: Vec<Verdict>) {
        let Ok(provider) = PublicKey::from_hex(provider) else { return };
        let now = Timestamp::now();
        let built =
            verdict::to_event(&verdicts, provider, now + VERDICT_LIFETIME_SECS, &self.shared.keys, now);
        let Ok(event) = built else { return };
        let work = async {
            let _permit = self.shared.publishing.acquire().await;
            // Unheard, it costs nobody anything.
            let _ = self.shared.publisher.mention(&event).await;
        };
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = work => {}
        }
    }

    fn known_as(&self, identity: &Keys) {
        let until = Timestamp::now() + CERTIFICATE_SECS;
        // Once: a run is of one asker.
        let _ =
            self.shared.certificate.set(Certificate::sign(identity, &self.shared.keys.public_key(), until));
    }

    fn waiting(&self) -> Vec<Ticket> {
        self.shared.jobs().waiting()
    }

    fn trip(&self) -> Duration {
        if self.shared.publisher.is_short() { Duration::from_secs(SHORT_RELAY_SECS) } else { Duration::ZERO }
    }

    async fn other_relays(&self) -> Vec<String> {
        let found = other_relays(&self.shared.publisher, &self.shared.sought).await;
        found.iter().map(ToString::to_string).collect()
    }

    fn address(&self, ticket: Ticket) -> Option<Address> {
        let job = self.shared.jobs().paid(ticket)?.job;
        let relays = self.shared.publisher.relays().into_iter().map(|relay| relay.url.to_string()).collect();
        Some(Address { job: job.to_hex(), relays })
    }

    async fn shutdown(&self) {
        self.tasks.close();
        // Cancellations on their way may still go out, but nobody waits long for them.
        let _ = tokio::time::timeout(Duration::from_millis(500), async {
            let _ = self.shared.publishing.acquire_many(u32::try_from(MOST_PUBLISHING).unwrap_or(1)).await;
        })
        .await;
        self.stop.cancel();
        self.tasks.wait().await;
        self.shared.publisher.shutdown().await;
    }
}

impl Shared {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        // What names a job is changed together without a panic in between.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, ticket: Ticket) -> Option<Out> {
        self.jobs().forget(ticket)
    }

    fn ticket_of(&self, job: EventId, author: PublicKey) -> Result<Ticket, String> {
        self.jobs().ticket_of(job, author)
    }

    fn is_foreign(&self, ticket: Ticket) -> bool {
        self.jobs().out(ticket).is_some_and(|out| out.foreign)
    }

    /// What a provider says of a job.
    fn heard(&self, ticket: Ticket, status: FeedbackStatus) {
        if self.jobs().heard(ticket, status) {
            self.blobs.is_over(ticket);
        }
    }

    async fn tell(&self, event: SwarmEvent) {
        // A closed channel means that the run has ended.
        let _ = self.events.send(event).await;
    }

    /// Signs a job and notes that it is out.
    fn prepare(&self, job: &OutgoingJob, wanted: bool) -> Result<Leaves, String> {
        let ticket = job.ticket;
        let apart = self.blobs.place(ticket);
        let Built { event, provider, covered } =
            build(&self.keys, self.certificate.get(), job, apart.as_ref())?;
        // Its result does not wait behind what strangers send.
        self.publisher.prefer(provider);
        let leaving = Leaving::default();
        let left = Arc::clone(&leaving).try_lock_owned().ok();
        let out = Out { event: event.clone(), provider, leaving, foreign: job.foreign, covered };
        self.jobs().add(ticket, out, is_paid(job));
        Ok(Leaves { event, wanted, _left: left })
    }

    /// A job whose turn it is, signed again if relays have sent it back; `None` if it is not wanted any more.
    fn prepare_in_turn(&self, job: &OutgoingJob) -> Option<Leaves> {
        let held = self.jobs().release(job.ticket);
        let was_out = self.forget(job.ticket).is_some();
        let wanted = was_out || held == Some(true);
        if !wanted && (held.is_none() || !is_paid(job)) {
            return None;
        }
        match self.prepare(job, wanted) {
            Ok(leaves) => Some(leaves),
            Err(reason) => {
                // A run that is so far behind learns it by the attempt's time.
                let _ = self.events.try_send(SwarmEvent::SendFailed { ticket: job.ticket, reason });
                None
            }
        }
    }

    /// Publishes a job: as it was prepared, if it was, and once its texts are where it says, if they travel apart.
    async fn send(&self, job: &OutgoingJob, mut prepared: Option<Leaves>, apart: Option<SealedBlob>) {
        let ticket = job.ticket;
        let _permit = self.publishing.acquire().await;
        if let Some(blob) = apart
            && let Err(reason) = self.blobs.put(job, &blob, &self.publisher, &self.keys).await
        {
            self.jobs().release(ticket);
            self.tell(SwarmEvent::SendFailed { ticket, reason }).await;
            return;
        }
        let make = || prepared.take().or_else(|| self.prepare_in_turn(job));
        let published = self.publisher.publish_fresh(Duration::from_secs(job.expires_in_secs), make).await;
        let Some((leaves, published)) = published else {
            self.blobs.is_over(ticket);
            return;
        };
        match published {
            Ok(_) => self.tell(SwarmEvent::Sent { ticket, reference: leaves.event.id.to_hex() }).await,
            // A relay may have the job all the same: the attempt's time decides, and after a reconnect
            // the job is published again.
            Err(PublishError::Unanswered { .. }) => {}
            Err(error) => {
                // The result may have been quicker than the refusal of another relay.
                if self.forget(ticket).is_some() {
                    self.tell(SwarmEvent::SendFailed { ticket, reason: error.to_string() }).await;
                }
            }
        }
        let wanted = leaves.wanted;
        drop(leaves);
        if !wanted && let Some(out) = self.forget(ticket) {
            self.send_cancellation(ticket, out).await;
        }
    }

    async fn send_cancellation(&self, ticket: Ticket, out: Out) {
        let is_over = out.event.tags.expiration().is_some_and(|until| *until <= Timestamp::now());
        let is_paid = self.jobs().paid(ticket).is_some();
        if is_over && !is_paid {
            // Its provider stops by itself.
            return;
        }
        let cancellation = Cancellation { job: out.event.id };
        let built = cancellation.to_event(Audience::Directed(out.provider), &self.keys, Timestamp::now());
        let Ok(event) = built else { return };
        let _behind_the_job = out.leaving.lock().await;
        // A lost cancellation costs the provider some work, and us nothing but pay that it would give back.
        let _ = if is_paid {
            self.publisher.publish_within(&event, Duration::from_secs(SHORT_RELAY_SECS)).await
        } else {
            self.publisher.mention(&event).await
        };
    }

    /// After an outage: a relay that lost its memory, or a provider that missed the job, gets it
    /// again. Providers answer a job they know with the result they have.
    async fn publish_again(&self) {
        if self.publisher.is_short() {
            // It stores what it takes, and providers ask it for what they missed. New jobs need the places.
            return;
        }
        let events = self.jobs().events();
        for event in events {
            let _permit = self.publishing.acquire().await;
            // If this fails too, the attempt's timeout decides.
            let _ = self.publisher.publish(&event).await;
        }
    }
}

fn is_paid(job: &OutgoingJob) -> bool {
    job.bid > Msats::ZERO && !job.foreign
}

fn short(hex: &str) -> &str {
    hex.get(..8).unwrap_or(hex)
}
