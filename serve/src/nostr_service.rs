//! The conductor itself as a NIP-90 service (`--nostr`; design.md, section 3): whole questions come as jobs with their
//! documents, get a quote, and are answered.
//!
//! ```text
//!  job (5050, to this key) ─► question, documents ─► quote ─┬─ nothing to pay ───────┬─► run ─► result (6050)
//!                                   │                  │    └─ invoice ─► it is paid ─┘     │
//!                                   └──────────────────┴─ refused, in words of our own ◄────┘
//! ```
//!
//! A run costs this home no more than was paid for it. What was paid for a job that got no answer, less what its run has
//! cost, counts for the same key's next one ([`super::credit`]). Keys cost nothing, so all
//! strangers share one limit, and beyond it nobody is told anything; a key that has paid here has a limit of its own.
//! Together they have at most half of the turns at asking: the rest is for callers over HTTP. Relays show feedback to
//! everybody: its words quote neither question nor document.
//!
//! Open jobs are read only if the user said so. They are put to everybody: those that are no question over documents, or
//! that bid less than the quote, get no word.
//!
//! Layout, in reading order: [`announce`]: how anybody finds this; this file takes jobs and answers them; [`form`]: what they
//! ask, and what is said to them; [`bills`]: how they are paid for.

mod announce;
mod bills;
mod form;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use frlm_client::protocol::kinds::{CANCELLATION, JOB_REQUEST, JOB_RESULT};
use frlm_client::protocol::{
    Audience, BlobPointer, BuildError, Cancellation, Feedback, FeedbackStatus, JobRequest, ReceivedJob,
    RefusalReason,
};
use frlm_client::relay::{ConnectOptions, Connection, Incoming, Publisher, RelayMessage};
use frlm_client::wallet::Sats;
use nostr::{Event, EventId, Filter, Keys, PublicKey, RelayUrl, Timestamp};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::announce::{Announcer, RENEWED};
use self::form::{JobRejection, asked_by, last_moment, left, result_event, said};
use super::chat::answer::Answered;
use super::credit::Credits;
use super::service::Service;
use frlm_client::failure::{Failure, code};
use frlm_client::run::StartOptions;

/// The caller that all who have never paid here are together.
const STRANGERS: &str = "nostr";
/// Jobs at once, those that are quoted, wait for their payment or for a turn included: each holds its documents.
const MOST_JOBS: usize = 64;
/// Invoices whose payment is waited for at once: the mint is asked about each twice a second.
const MOST_BILLS_WAITING: usize = 16;
/// Once everything was told to stop.
const END_TIMEOUT: Duration = Duration::from_secs(10);
/// Jobs this old are taken at the start, and when a relay comes back: their askers' clocks may be off by so much.
const CLOCK_SLACK_SECS: u64 = 120;
/// The longest that anybody is waited for, to pay or for an answer; also where a job names no end.
const LONGEST: Duration = Duration::from_mins(10);
const PUBLISH_TRIES: usize = 3;
const NO_BLOB: &str = "the blob of the job did not come, or is not the one that the job names: put it beside a relay of this \
                       service, or on a server that its operator named";

/// Answers questions that come over relays.
pub struct NostrService {
    service: Arc<Service>,
    keys: Keys,
    publisher: Publisher,
    tasks: TaskTracker,
    /// Nothing new is begun from then on.
    tidy: CancellationToken,
    jobs: Mutex<Jobs>,
    credits: Arc<Credits>,
    open_jobs: bool,
    places: Semaphore,
    bills: Semaphore,
    /// Questions of theirs that are asked at once.
    turns: Semaphore,
}

#[derive(Default)]
struct Jobs {
    under_way: HashMap<EventId, (PublicKey, CancellationToken)>,
    /// Those that are over, also by the hand of an earlier process, and until when a relay may show them again.
    over: HashMap<EventId, Timestamp>,
}

impl NostrService {
    /// Connects, and waits for jobs; for open ones, too, if the user said so.
    pub async fn open(
        service: Arc<Service>,
        keys: Keys,
        relays: &[RelayUrl],
        open_jobs: bool,
        tidy: CancellationToken,
    ) -> anyhow::Result<(Arc<Self>, Incoming)> {
        let credits = Credits::open(service.home().service_credit())?;
        let blobs = service.home().config()?.blobs.options()?;
        let options = ConnectOptions { auth_keys: Some(keys.clone()), blobs, ..ConnectOptions::default() };
        let (publisher, incoming) = Connection::connect(relays, options)
            .await
            .map_err(|error| Failure::with_code(code::NO_PROVIDERS, error))?;
        let (us, since) = (keys.public_key(), Timestamp::now() - CLOCK_SLACK_SECS);
        let over_within = LONGEST.as_secs() + CLOCK_SLACK_SECS;
        let results = Filter::new().kind(JOB_RESULT).author(us).since(Timestamp::now() - over_within);
        let results = publisher.fetch(vec![results], Duration::from_secs(5)).await;
        let ids = results.iter().flat_map(|event| event.tags.event_ids().copied());
        let over = ids.map(|id| (id, Timestamp::now() + over_within)).collect();
        let mut jobs = vec![Filter::new().kinds([JOB_REQUEST, CANCELLATION]).pubkey(us).since(since)];
        jobs.extend(open_jobs.then(|| Filter::new().kind(JOB_REQUEST).since(since)));
        publisher.follow("jobs", jobs).await;
        let nostr_service = Self {
            turns: Semaphore::new(service.at_once().div_ceil(2)),
            places: Semaphore::new(MOST_JOBS),
            bills: Semaphore::new(MOST_BILLS_WAITING),
            service,
            keys,
            publisher,
            tasks: TaskTracker::new(),
            tidy,
            jobs: Mutex::new(Jobs { over, ..Jobs::default() }),
            credits,
            open_jobs,
        };
        Ok((Arc::new(nostr_service), incoming))
    }

    /// Takes jobs until it is told to end tidily, and ends when those that were taken have.
    pub async fn run(self: Arc<Self>, mut incoming: Incoming) {
        let mut announcer = Announcer::new(self.keys.clone(), self.open_jobs);
        let mut renewal = tokio::time::interval(RENEWED);
        loop {
            tokio::select! {
                () = self.tidy.cancelled() => break,
                _ = renewal.tick() => self.tell(announcer.announcement(Timestamp::now())),
                message = incoming.recv() => match message {
                    None => break,
                    Some(RelayMessage::Event(event)) => self.on_event(&event),
                    Some(RelayMessage::Online(_)) => renewal.reset_immediately(),
                    Some(_) => {}
                }
            }
        }
        if let Some(farewell) = announcer.farewell(Timestamp::now()) {
            self.tell(farewell);
        }
        self.tasks.close();
        self.tasks.wait().await;
        self.credits.written().await;
        self.publisher.shutdown().await;
    }

    /// Once the service has shut down and nobody runs this any more: waits until what was spent is written down and those
    /// who asked are told, but not for ever.
    pub async fn shut_down(&self) {
        self.tidy.cancel();
        self.tasks.close();
        let ended = async {
            self.tasks.wait().await;
            self.credits.written().await;
        };
        if tokio::time::timeout(END_TIMEOUT, ended).await.is_err() {
            tracing::warn!("questions over Nostr did not end in time");
        }
        self.publisher.shutdown().await;
    }

    fn on_event(self: &Arc<Self>, event: &Event) {
        if event.kind == CANCELLATION {
            let Ok(cancellation) = Cancellation::from_event(event) else { return };
            for (job, (asker, cancelled)) in &self.jobs().under_way {
                if cancellation.cancels(job, asker) {
                    cancelled.cancel();
                }
            }
            return;
        }
        // An asker whose job cannot be read cannot be told.
        let Ok(job) = JobRequest::from_event(event, &self.keys) else { return };
        let is_known = {
            let jobs = self.jobs();
            jobs.under_way.contains_key(&job.id) || jobs.over.contains_key(&job.id)
        };
        let is_open = job.audience == Audience::Open;
        // Most open jobs are for somebody else: what is no question over documents costs nobody a turn.
        if is_known || is_open && (!self.open_jobs || asked_by(&job).is_err()) || !self.admits(&job.asker) {
            return;
        }
        let cancelled = CancellationToken::new();
        self.jobs().under_way.insert(job.id, (job.asker, cancelled.clone()));
        let nostr_service = Arc::clone(self);
        self.tasks.spawn(async move {
            tokio::select! {
                () = cancelled.cancelled() => {}
                () = nostr_service.serve(&job) => {}
            }
            nostr_service.jobs().end(&job);
        });
    }

    /// Whether the asker is within the limit. To have paid costs something: strangers cannot use that limit up.
    fn admits(&self, asker: &PublicKey) -> bool {
        let admitted = if self.credits.knows(asker) {
            self.service.admit(&format!("{STRANGERS} {asker}"))
        } else {
            self.service.admit(STRANGERS)
        };
        admitted.is_ok()
    }

    async fn serve(self: &Arc<Self>, job: &ReceivedJob) {
        let answered = self.answer(job).await;
        let result = answered.and_then(|answered| result_event(job, &answered, &self.keys));
        match result {
            Ok(event) => self.publish(Ok(event)).await,
            Err(_) if job.audience == Audience::Open => {}
            Err(JobRejection(reason, words)) => {
                let refusal = Feedback::refusal(reason, words);
                self.publish(refusal.to_event(job, &self.keys, Timestamp::now())).await;
            }
        }
    }

    async fn answer(self: &Arc<Self>, job: &ReceivedJob) -> Result<Answered, JobRejection> {
        let _place = self.places.try_acquire().map_err(|_| {
            JobRejection(RefusalReason::Busy, "too many questions are being asked; come again later")
        })?;
        let mut asked = match &job.blob {
            None => asked_by(job)?,
            Some(blob) => asked_by(&self.whole(job, blob).await?)?,
        };
        let price = Box::pin(self.service.quote(asked.clone())).await.map_err(|refusal| said(&refusal))?;
        let bid = job.request.bid_msats.map(|msats| Sats(msats / 1_000));
        if job.audience == Audience::Open && bid.zip(price).is_some_and(|(bid, price)| bid < price) {
            return Err(JobRejection(RefusalReason::BidTooLow, "the answer costs more than was bid"));
        }
        let mut claim =
            match price.filter(|price| *price > Sats::ZERO) {
                Some(price) => {
                    let (nostr_service, job) = (Arc::clone(self), job.clone());
                    let collected =
                        self.tasks.spawn(async move { nostr_service.collect(&job, price).await }).await;
                    Some(collected.map_err(|_| {
                        JobRejection(RefusalReason::EngineFailed, "no payment could be taken")
                    })??)
                }
                None => None,
            };
        // From here to the beginning of its run a claim that goes has spent nothing.
        let turn = tokio::time::timeout(left(job), self.turns.acquire()).await;
        let Ok(Ok(_turn)) = turn else {
            return Err(JobRejection(
                RefusalReason::TooLate,
                "others were asked for until the job was over; ask again",
            ));
        };
        let time = left(job);
        if time.is_zero() {
            return Err(JobRejection(
                RefusalReason::TooLate,
                "the job is over; what was paid counts for the next one",
            ));
        }
        asked.budget_sats = price.map(|price| price.0);
        asked.timeout_secs = Some(time.as_secs());
        let run = StartOptions::default();
        if let Some(reserved) = claim.take() {
            claim = Some(reserved.begin(&run.id()).await.map_err(|error| {
                frlm_client::notice!("serve: {}", frlm_client::protocol::printable(&format!("{error:#}")));
                JobRejection(
                    RefusalReason::EngineFailed,
                    "the run could not be begun; what was paid counts still",
                )
            })?);
        }
        let begun = Feedback::of(FeedbackStatus::Processing);
        self.publish(begun.to_event(job, &self.keys, Timestamp::now())).await;
        let answered = self.service.answer_as(asked, run.keys, watch::Sender::default()).await;
        match (&answered, claim) {
            (Ok(_), Some(claim)) => claim.answered().await,
            (Err(_), Some(claim)) => claim.no_answer(),
            (_, None) => {}
        }
        answered.map_err(|refusal| said(&refusal))
    }

    /// The job with the documents that came apart.
    async fn whole(&self, job: &ReceivedJob, blob: &BlobPointer) -> Result<ReceivedJob, JobRejection> {
        let fetched = self.publisher.fetch_blob(blob).await.inspect_err(|error| {
            tracing::debug!(job = %job.id, %error, "a blob did not come");
        });
        let bytes = fetched.map_err(|_| JobRejection(RefusalReason::Unsupported, NO_BLOB))?;
        let mut whole = job.clone();
        let opened = blob.open(&bytes).ok().and_then(|text| whole.complete(&text).ok());
        opened.ok_or(JobRejection(RefusalReason::Unsupported, "the blob of the job cannot be read"))?;
        Ok(whole)
    }

    /// Publishes an announcement beside the jobs.
    fn tell(self: &Arc<Self>, built: anyhow::Result<Event>) {
        let nostr_service = Arc::clone(self);
        match built {
            Ok(event) => drop(self.tasks.spawn(async move { nostr_service.publish(Ok(event)).await })),
            Err(error) => tracing::warn!(%error, "the announcement could not be written"),
        }
    }

    async fn publish(&self, built: Result<Event, BuildError>) {
        let event = match built {
            Ok(event) => event,
            Err(error) => {
                tracing::warn!(%error, "a word about a job could not be written");
                return;
            }
        };
        for _ in 0..PUBLISH_TRIES {
            if self.publisher.publish(&event).await.is_ok() {
                return;
            }
        }
        tracing::warn!(event = %event.id, "no relay took a word about a job");
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Jobs {
    fn end(&mut self, job: &ReceivedJob) {
        let now = Timestamp::now();
        self.under_way.remove(&job.id);
        // After that it is too old to be taken.
        self.over.retain(|_, until| *until >= now);
        self.over.insert(job.id, last_moment(job));
    }
}
