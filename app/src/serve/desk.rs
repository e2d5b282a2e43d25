//! The conductor itself as a NIP-90 service (`--nostr`; design.md, section 3): whole questions come as jobs with their
//! documents, get a quote, and are answered.
//!
//! ```text
//!  job (5050, to this key) ─► question, documents ─► quote ─┬─ nothing to pay ───────┬─► run ─► result (6050)
//!                                   │                  │    └─ invoice ─► it is paid ─┘     │
//!                                   └──────────────────┴─ refused, in words of our own ◄────┘
//! ```
//!
//! A run costs this home no more than was paid for it. What was paid for a job that got no answer, less what its run had
//! cost by then, counts for the same key's next one ([`super::credit`]). Keys cost nothing, so all
//! strangers share one limit, and beyond it nobody is told anything. Relays show feedback to everybody: its words quote
//! neither question nor document.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use frlm_conductor::brain::asker::Preferences;
use frlm_protocol::kinds::{CANCELLATION, JOB_REQUEST, JOB_RESULT};
use frlm_protocol::{
    Audience, BuildError, Cancellation, Feedback, FeedbackStatus, InputSource, JobAnswer, JobRequest,
    JobResult, ModelIdentity, ReceivedJob, RefusalReason,
};
use frlm_relay::{ConnectOptions, Connection, Incoming, Publisher, RelayMessage};
use frlm_wallet::Sats;
use nostr::{Event, EventId, Filter, Keys, PublicKey, RelayUrl, Timestamp};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::chat::{Asked, MODEL};
use super::credit::{Claim, Credits};
use super::refusal::Refusal;
use super::service::{Answered, Service};
use super::uploads::Upload;
use crate::failure::{Failure, code};
use crate::output;

/// The caller that all of them are together.
const STRANGERS: &str = "nostr";
/// Jobs this old are taken at the start: their askers' clocks may be off by so much.
const CLOCK_SLACK_SECS: u64 = 120;
/// The longest that anybody is waited for, to pay or for an answer; also where a job names no end.
const LONGEST: Duration = Duration::from_mins(10);
const PUBLISH_TRIES: usize = 3;

/// Answers questions that come over relays.
pub struct Desk {
    service: Arc<Service>,
    keys: Keys,
    publisher: Publisher,
    tasks: TaskTracker,
    /// Nothing new is begun from then on.
    tidy: CancellationToken,
    jobs: Mutex<Jobs>,
    credits: Arc<Credits>,
}

#[derive(Default)]
struct Jobs {
    under_way: HashMap<EventId, (PublicKey, CancellationToken)>,
    /// Answered by an earlier process.
    answered: HashSet<EventId>,
}

/// Why a job is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct No(RefusalReason, &'static str);

impl Desk {
    /// Connects, and waits for jobs.
    pub async fn open(
        service: Arc<Service>,
        keys: Keys,
        relays: &[RelayUrl],
        tidy: CancellationToken,
    ) -> anyhow::Result<(Arc<Self>, Incoming)> {
        let credits = Credits::open(service.home().service_credit())?;
        let options = ConnectOptions { auth_keys: Some(keys.clone()), ..ConnectOptions::default() };
        let (publisher, incoming) = Connection::connect(relays, options)
            .await
            .map_err(|error| Failure::with_code(code::NO_PROVIDERS, error))?;
        let (us, since) = (keys.public_key(), Timestamp::now() - CLOCK_SLACK_SECS);
        let results = Filter::new().kind(JOB_RESULT).author(us).since(since);
        let results = publisher.fetch(vec![results], Duration::from_secs(5)).await;
        let answered = results.iter().flat_map(|event| event.tags.event_ids().copied()).collect();
        let jobs = Filter::new().kinds([JOB_REQUEST, CANCELLATION]).pubkey(us).since(since);
        publisher.subscribe("jobs", vec![jobs]).await;
        let jobs = Mutex::new(Jobs { answered, ..Jobs::default() });
        let tasks = TaskTracker::new();
        Ok((Arc::new(Self { service, keys, publisher, tasks, tidy, jobs, credits }), incoming))
    }

    /// Takes jobs until it is told to end tidily, and ends when those that were taken have.
    pub async fn run(self: Arc<Self>, mut incoming: Incoming) {
        loop {
            tokio::select! {
                () = self.tidy.cancelled() => break,
                message = incoming.recv() => match message {
                    None => break,
                    Some(RelayMessage::Event(event)) => self.on_event(&event),
                    Some(_) => {}
                }
            }
        }
        self.tasks.close();
        self.tasks.wait().await;
        self.publisher.shutdown().await;
    }

    fn on_event(self: &Arc<Self>, event: &Event) {
        if event.kind == CANCELLATION {
            let Ok(cancellation) = Cancellation::from_event(event) else { return };
            for (job, (asker, called_off)) in &self.jobs().under_way {
                if cancellation.cancels(job, asker) {
                    called_off.cancel();
                }
            }
            return;
        }
        // Who cannot be read cannot be told.
        let Ok(job) = JobRequest::from_event(event, &self.keys) else { return };
        let is_known = {
            let jobs = self.jobs();
            jobs.under_way.contains_key(&job.id) || jobs.answered.contains(&job.id)
        };
        if is_known || job.audience == Audience::Open || self.service.admit(STRANGERS).is_err() {
            return;
        }
        let called_off = CancellationToken::new();
        self.jobs().under_way.insert(job.id, (job.asker, called_off.clone()));
        let desk = Arc::clone(self);
        self.tasks.spawn(async move {
            tokio::select! {
                () = called_off.cancelled() => {}
                () = desk.serve(&job) => {}
            }
            desk.jobs().under_way.remove(&job.id);
        });
    }

    async fn serve(&self, job: &ReceivedJob) {
        let result = self.answer(job).await.and_then(|answered| {
            let built = result_of(job, &answered).to_event(job, &self.keys, Timestamp::now());
            built.map_err(|_| No(RefusalReason::TooLarge, "the answer is too long for an event"))
        });
        match result {
            Ok(event) => self.publish(Ok(event)).await,
            Err(No(reason, words)) => {
                let refusal = Feedback::refusal(reason, words);
                self.publish(refusal.to_event(job, &self.keys, Timestamp::now())).await;
            }
        }
    }

    async fn answer(&self, job: &ReceivedJob) -> Result<Answered, No> {
        let mut asked = asked_by(job)?;
        let price = Box::pin(self.service.quote(asked.clone())).await.map_err(|refusal| said(&refusal))?;
        let claim = match price.filter(|price| *price > Sats::ZERO) {
            Some(price) => Some(self.collect(job, price).await?),
            None => None,
        };
        asked.budget_sats = price.map(|price| price.0);
        asked.timeout_secs = Some(left(job).as_secs());
        let begun = Feedback::of(FeedbackStatus::Processing);
        self.publish(begun.to_event(job, &self.keys, Timestamp::now())).await;
        self.service.answer(asked).await.map_err(|refusal| {
            if let Some(claim) = claim {
                claim.cost(refusal.cost());
            }
            said(&refusal)
        })
    }

    /// Waits until the price is paid; what this key has left of earlier jobs comes first.
    async fn collect(&self, job: &ReceivedJob, price: Sats) -> Result<Claim, No> {
        let msats = price.to_msats().map_or(u64::MAX, |msats| msats.0);
        if job.request.bid_msats.is_some_and(|bid| bid < msats) {
            return Err(No(RefusalReason::BidTooLow, "the answer may cost more than is bid"));
        }
        if let Some(claim) = self.credits.claim(job.asker, price) {
            return Ok(claim);
        }
        let (wallet, invoice) = self.service.invoice(price).await.map_err(|error| {
            note!("serve: no invoice could be made: {}", frlm_protocol::printable(&error.to_string()));
            No(RefusalReason::EngineFailed, "no invoice could be made")
        })?;
        self.publish(Feedback::bill(job, msats, &invoice.bolt11, &self.keys, Timestamp::now())).await;
        tokio::select! {
            () = self.tidy.cancelled() => Err(No(RefusalReason::ShuttingDown, "the service ends; pay nothing")),
            paid = wallet.receive_invoice(&invoice, left(job)) => match paid {
                Ok(_) => self.paid(job.asker, price),
                Err(_) => Err(No(RefusalReason::TooLate, "nothing was paid in time; pay nothing any more")),
            }
        }
    }

    /// Writes a payment down before anything is done for it.
    fn paid(&self, payer: PublicKey, price: Sats) -> Result<Claim, No> {
        let written = self.credits.paid(payer, price);
        if let Err(error) = &written {
            note!("serve: {}: {price} were paid by {payer}", frlm_protocol::printable(&format!("{error:#}")));
        }
        let claim = written.ok().and_then(|()| self.credits.claim(payer, price));
        claim.ok_or(No(
            RefusalReason::EngineFailed,
            "the payment came and could not be written down; ask whoever runs this",
        ))
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

/// How long somebody waits for the answer.
fn left(job: &ReceivedJob) -> Duration {
    let now = Timestamp::now().as_secs();
    let left = job.request.expires_at.map(|at| Duration::from_secs(at.as_secs().saturating_sub(now)));
    left.map_or(LONGEST, |left| left.min(LONGEST))
}

/// The question and its documents, as foreign clients put them, too: the last text is the question where none is named.
fn asked_by(job: &ReceivedJob) -> Result<Asked, No> {
    const FORM: &str = "send documents as inputs of type text, and the question as the parameter «instruction» or as the \
                        last input; nothing is fetched";
    if left(job).is_zero() {
        return Err(No(RefusalReason::TooLate, "the job is over"));
    }
    if job.request.inputs.iter().any(|input| input.source != InputSource::Text) {
        return Err(No(RefusalReason::Unsupported, FORM));
    }
    let mut texts: Vec<String> = job.request.inputs.iter().map(|input| input.data.clone()).collect();
    let question = match job.request.instruction.trim() {
        "" => texts.pop().unwrap_or_default().trim().to_owned(),
        named => named.to_owned(),
    };
    if question.is_empty() || texts.is_empty() {
        return Err(No(RefusalReason::Unsupported, FORM));
    }
    Ok(Asked {
        question,
        documents: texts.into_iter().map(Upload::text).collect(),
        budget_sats: None,
        verify: None,
        timeout_secs: None,
        preferences: Preferences::default(),
        priority: None,
        conversation: Vec::new(),
        level: None,
    })
}

/// What everybody may read of a refusal; whoever runs the service reads all of it.
fn said(refusal: &Refusal) -> No {
    note!("serve: a question over Nostr got no answer: {}", refusal.message());
    match refusal.code() {
        "busy" => No(RefusalReason::Busy, "too many questions are being asked; come again later"),
        "invalid_request" => No(RefusalReason::Unsupported, "the question or a document cannot be read"),
        "over_budget" => No(RefusalReason::BidTooLow, "the answer costs more than was quoted"),
        "no_providers" => No(RefusalReason::Busy, "nobody is there to work on it; come again later"),
        "not_verified" => No(RefusalReason::SelfCheckFailed, "no answer was found that can be verified"),
        "stopping" => No(RefusalReason::ShuttingDown, "the service ends"),
        _ => No(RefusalReason::EngineFailed, "the run failed"),
    }
}

/// The answer in words, or as `frlm ask --json` prints it for whoever wants JSON.
fn result_of(job: &ReceivedJob, Answered { answer, warnings }: &Answered) -> JobResult {
    let text = match job.request.output.as_deref() {
        Some("application/json") => output::json(answer),
        _ => warnings.iter().fold(answer.answer.clone(), |text, warning| text + "\nnote: " + warning),
    };
    JobResult {
        answers: vec![JobAnswer { text, confidence: Some(answer.confidence), ..JobAnswer::default() }],
        model: Some(ModelIdentity { name: MODEL.to_owned(), weights_hash: None }),
        prompt_tokens: answer.usage.prompt_tokens,
        completion_tokens: answer.usage.completion_tokens,
        attestation: None,
        amount_msats: None,
    }
}
