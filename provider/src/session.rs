//! Which jobs wait, run and are done: the provider's state without its sockets.
//!
//! Every method takes what happened and the time, and returns what is to be done about it. So every
//! order of events can be tested without a relay, an engine or a clock.
//!
//! ```text
//!  ─► fetching ─► its texts are here: judged like any other
//!            ┌──── its asker has no credit now: parked, without a slot
//!            ▼  a slot is free     │    an answer
//!  ─► waiting ──────────────────► running ─────────► done ──┐ the same job again:
//!  │     │ cancelled, expired,       │ cancelled      ▲     │ the same result again
//!  │     │ displaced, stopping       ▼                └─────┘
//!  │     ▼                        stopping ─► told "cancelled", forgotten
//!  │  told why, forgotten            │ no answer
//!  ▼                                 ▼
//! refused: told why, forgotten    told why, forgotten
//! ```
//!
//! Here: what comes in, and the states. `turns`: which job begins next. `answers`: what askers get.
//!
//! *Forgotten* jobs may come again and are then judged again; cancelled ones are remembered for a
//! while, because a cancellation may overtake its job on another relay.

mod answers;
mod effects;
mod fetching;
mod speed;
#[cfg(test)]
mod tests;
mod tokens;
mod turns;
mod unopened;
mod unread;
mod work;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use frlm_inference::ModelInfo;
use frlm_protocol::limits::CLOCK_SLACK_SECS;
use frlm_protocol::{
    Cancellation, Feedback, FeedbackStatus, JobRequest, ParseError, ReceivedJob, RefusalReason,
    Speed as EngineSpeed, kinds,
};
use nostr::{Event, EventId, Keys, PublicKey, Timestamp};

use crate::admission::{self, Refusal};
use crate::config::ProviderConfig;
use crate::events::{ProviderEvent, ProviderStats};
use crate::queue::{FairQueue, Pushed, Rank};
use crate::quota::{FreeJobs, day_of};
use crate::rate::RateLimiter;
use crate::results::{SentResult, SentResults};
use answers::shutting_down;
pub(crate) use effects::{Answered, Effect, Outcome, Ticket};
use speed::Speed;
use tokens::TokenSpeed;
pub(crate) use tokens::Took;
use work::ShownWork;

/// Results kept for askers that ask again.
const KEPT_RESULTS: usize = 4096;
const KEPT_RESULT_BYTES: usize = 16 << 20;
/// One place in so many is reserved for askers that have paid before; free providers reserve none.
const PLACES_PER_RESERVED: usize = 8;
/// Askers who have paid that are remembered.
const MOST_PAYERS: usize = 8_192;
/// Cancellations kept for jobs that come after them.
const KEPT_CANCELLATIONS: usize = 4096;
/// Jobs without an expiration that were written this long before the start are somebody's past.
const OLD_JOB_GRACE_SECS: u64 = 300;

#[derive(Debug)]
struct Running {
    job: Arc<ReceivedJob>,
    rank: Rank,
    prompts: usize,
    /// Tokens that it reads and at most writes.
    work: u64,
    since: Timestamp,
    /// Why the work is being stopped, if it is.
    stop: Option<StopReason>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopReason {
    Cancelled,
    ShuttingDown,
}

#[derive(Debug)]
pub(crate) struct Session {
    config: ProviderConfig,
    model: ModelInfo,
    keys: Keys,
    started_at: Timestamp,
    waiting: FairQueue<Ticket>,
    /// Askers who have paid for work: places are reserved for them.
    payers: HashSet<PublicKey>,
    /// Jobs that hold no slot and wait for their askers' credit.
    parked: Vec<Ticket>,
    running: HashMap<EventId, Running>,
    /// Jobs whose texts are in blobs that are being fetched.
    fetching: HashMap<EventId, Arc<ReceivedJob>>,
    done: SentResults,
    cancelled: HashSet<(EventId, PublicKey)>,
    rates: RateLimiter,
    /// Refusals that one key is told.
    words: RateLimiter,
    free: FreeJobs,
    work: ShownWork,
    speed: Speed,
    tokens: TokenSpeed,
    stopping: bool,
    stats: ProviderStats,
}

impl Session {
    pub(crate) fn new(config: ProviderConfig, model: ModelInfo, keys: Keys, started_at: Timestamp) -> Self {
        let reserved = if config.is_paid() { config.max_queue.div_ceil(PLACES_PER_RESERVED) } else { 0 };
        Self {
            waiting: FairQueue::new(config.max_queue, reserved),
            payers: HashSet::new(),
            parked: Vec::new(),
            running: HashMap::new(),
            fetching: HashMap::new(),
            done: SentResults::new(KEPT_RESULTS, KEPT_RESULT_BYTES),
            cancelled: HashSet::new(),
            rates: RateLimiter::new(config.jobs_per_minute_per_asker),
            words: RateLimiter::new(config.jobs_per_minute_per_asker),
            free: FreeJobs::new(config.free_jobs_per_day),
            work: ShownWork::asking_for(config.pow_bits),
            speed: Speed::new(),
            tokens: TokenSpeed::default(),
            stopping: false,
            stats: ProviderStats::default(),
            config,
            model,
            keys,
            started_at,
        }
    }

    /// Jobs that this provider gave away today, before it was started.
    pub(crate) fn remember_given(&mut self, given: impl IntoIterator<Item = (PublicKey, u32)>) {
        self.free.remember(given, self.started_at);
    }

    /// Those who have paid this provider before.
    pub(crate) fn remember_payers(&mut self, payers: impl IntoIterator<Item = PublicKey>) {
        let room = MOST_PAYERS.saturating_sub(self.payers.len());
        self.payers.extend(payers.into_iter().take(room));
    }

    /// Askers for whose jobs something speaks before they come.
    pub(crate) fn known_askers(&self) -> impl Iterator<Item = PublicKey> {
        self.payers.union(&self.config.vouched).copied()
    }

    /// Counts and load; relay connections are not known here.
    pub(crate) fn stats(&self) -> ProviderStats {
        ProviderStats {
            queued: self.waiting.len() + self.parked.len(),
            running: self.running.len(),
            ..self.stats
        }
    }

    /// How quickly the engine reads and writes, once that was seen.
    pub(crate) fn engine_speed(&self) -> Option<EngineSpeed> {
        self.tokens.speed()
    }

    /// What a generation took that was no job.
    pub(crate) fn tried_out(&mut self, took: Took) {
        self.tokens.took(took);
    }

    /// Jobs that wait or run.
    pub(crate) fn load(&self) -> usize {
        self.waiting.len() + self.parked.len() + self.running.len() + self.fetching.len()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.load() == 0
    }

    /// A verified event came from a relay.
    pub(crate) fn receive(&mut self, event: &Event, now: Timestamp) -> Vec<Effect> {
        if event.kind == kinds::JOB_REQUEST {
            self.receive_job(event, now)
        } else if kinds::OTHER_REQUESTS.contains(&event.kind) {
            self.receive_other(event, now)
        } else if event.kind == kinds::CANCELLATION {
            self.receive_cancellation(event, now)
        } else if event.kind == kinds::VERDICT {
            self.receive_verdicts(event)
        } else {
            Vec::new()
        }
    }

    /// The work on a job ended.
    pub(crate) fn finished(&mut self, id: EventId, outcome: Outcome, now: Timestamp) -> Vec<Effect> {
        let Some(running) = self.running.remove(&id) else { return Vec::new() };
        let mut effects = self.settle(id, &running, outcome, now);
        effects.extend(self.fill(now));
        if self.running.is_empty() {
            self.speed.rests(now);
        }
        effects
    }

    /// Refuses what waits and what comes; what runs may finish.
    pub(crate) fn drain(&mut self) -> Vec<Effect> {
        if self.stopping {
            return Vec::new();
        }
        self.stopping = true;
        let mut effects = vec![Effect::Tell(ProviderEvent::Stopping)];
        for ticket in self.waiting.drain().into_iter().chain(std::mem::take(&mut self.parked)) {
            effects.extend(self.refuse(&ticket.job, shutting_down()));
        }
        for (_, job) in std::mem::take(&mut self.fetching) {
            effects.extend(self.refuse(&job, shutting_down()));
        }
        effects
    }

    /// Stops what runs, too.
    pub(crate) fn stop_running(&mut self) -> Vec<Effect> {
        let mut effects = self.drain();
        for (id, running) in &mut self.running {
            running.stop.get_or_insert(StopReason::ShuttingDown);
            effects.push(Effect::Stop(*id));
        }
        effects
    }

    fn receive_job(&mut self, event: &Event, now: Timestamp) -> Vec<Effect> {
        let waits = self.waiting.iter().chain(&self.parked).any(|ticket| ticket.job.id == event.id);
        if waits || self.running.contains_key(&event.id) || self.fetching.contains_key(&event.id) {
            return self.ignore(event.id, "the job is already being worked on");
        }
        if let Some(SentResult { event: result, wanted_until, .. }) = self.done.get(&event.id).cloned() {
            if wanted_until <= now {
                return self.ignore(event.id, "the job is done and has expired");
            }
            return vec![Effect::Deliver { job: event.id, event: result, until: wanted_until }];
        }
        if self.cancelled.contains(&(event.id, event.pubkey)) {
            return self.ignore(event.id, "the job was cancelled");
        }
        if let Some(effects) = self.decide_unopened(event, now) {
            return effects;
        }
        let job = match JobRequest::from_event(event, &self.keys) {
            Ok(job) => job,
            Err(error) => return self.unreadable(event, &error, now),
        };
        if let Some(reason) = self.stale(&job, now) {
            return self.ignore(event.id, reason);
        }
        self.work.see(event, now);
        let job = Arc::new(job);
        if job.created_at > now + CLOCK_SLACK_SECS {
            // It would be taken again after every restart, until its date has come.
            let ahead = job.created_at.as_secs() - now.as_secs();
            let detail = format!(
                "the job is dated {ahead} s ahead of this provider's clock; set the clock that dated it"
            );
            return self.turn_away(&job, Refusal::new(RefusalReason::Unsupported, detail), now);
        }
        if job.blob.is_some() { self.fetch(job, now) } else { self.admit(job, now) }
    }

    fn stale(&self, job: &ReceivedJob, now: Timestamp) -> Option<&'static str> {
        match job.request.expires_at {
            Some(expires_at) => (expires_at <= now).then_some("the job has expired"),
            None => (job.created_at.as_secs().saturating_add(OLD_JOB_GRACE_SECS) < self.started_at.as_secs())
                .then_some("the job is from before the start and has no expiration"),
        }
    }

    fn admit(&mut self, job: Arc<ReceivedJob>, now: Timestamp) -> Vec<Effect> {
        let (id, asker, rank) = (job.id, job.asker, self.rank(&job, now));
        let prompts_ahead = self.prompts_ahead(&job, rank);
        let prompt_duration = self.speed.prompt_duration(now);
        let state = admission::State {
            config: &self.config,
            model: &self.model,
            prompts_ahead,
            prompt_duration,
            trial: self.is_idle() && self.speed.trial_is_due(now),
            gives_away: self.free.has_room(&asker, now),
            stopping: self.stopping,
        };
        let needs = match admission::admit(&job, &state, now) {
            Ok(needs) => needs,
            Err(refusal) => return self.turn_away(&job, self.asking_for_work(rank, refusal), now),
        };
        if let Err(wait_secs) = self.rates.take(asker, now) {
            let limit = self.config.jobs_per_minute_per_asker;
            let detail = format!("more than {limit} jobs in a minute; the next one in {wait_secs} s");
            let refusal = Refusal::new(RefusalReason::RateLimited, detail).until(wait_secs as f64);
            return self.turn_away(&job, refusal, now);
        }
        let (prompts, free, trial) = (needs.prompts, needs.free, needs.trial);
        let busy = self.busy(now);
        if rank == Rank::Guest && self.is_crowded() {
            return self.turn_away(&job, self.asking_for_work(rank, busy), now);
        }
        let mut effects = match self.waiting.push(
            asker,
            needs.work,
            rank,
            Ticket { job, needs, rank, patient_until: None },
        ) {
            Pushed::Full(ticket) => {
                return self.turn_away(&ticket.job, self.asking_for_work(rank, busy), now);
            }
            Pushed::Displaced(ticket) => {
                self.displace(&ticket.job, self.asking_for_work(ticket.rank, busy), now)
            }
            Pushed::Waiting => Vec::new(),
        };
        if rank > Rank::Guest {
            effects.push(Effect::Prefer(asker, true));
        }
        if free {
            self.free.take(asker, now);
            effects.push(Effect::Gave { asker, day: day_of(now) });
        }
        if trial {
            self.speed.tried();
        }
        self.stats.received += 1;
        effects.push(Effect::Tell(ProviderEvent::JobReceived { job: id, asker, prompts }));
        effects.push(Effect::TellSoon(id));
        effects.extend(self.fill(now));
        effects
    }

    fn receive_cancellation(&mut self, event: &Event, now: Timestamp) -> Vec<Effect> {
        let cancellation = match Cancellation::from_event(event) {
            Ok(cancellation) => cancellation,
            // Deletions of anything else are everyday traffic.
            Err(ParseError::MissingJobId) => return Vec::new(),
            Err(error) => return self.ignore(event.id, &error.to_string()),
        };
        let mut effects = Vec::new();
        for id in cancellation.jobs {
            effects.extend(self.cancel(id, cancellation.author));
        }
        effects.extend(self.fill(now));
        effects
    }

    /// Takes one job back, if `author` is its asker.
    fn cancel(&mut self, id: EventId, author: PublicKey) -> Vec<Effect> {
        if let Some(running) = self.running.get_mut(&id) {
            if running.job.asker != author {
                return self.ignore(id, "someone else tried to cancel the job");
            }
            let first = running.stop.replace(StopReason::Cancelled) != Some(StopReason::Cancelled);
            return if first { vec![Effect::Stop(id)] } else { Vec::new() };
        }
        if let Some(ticket) = self.waiting.remove(&author, |ticket| ticket.job.id == id) {
            return self.confirm_cancellation(&ticket.job);
        }
        if let Some(job) = self.fetching.get(&id).filter(|job| job.asker == author).cloned() {
            self.fetching.remove(&id);
            return self.confirm_cancellation(&job);
        }
        let parked = self.parked.iter().position(|ticket| ticket.job.id == id && ticket.job.asker == author);
        if let Some(index) = parked {
            let ticket = self.parked.swap_remove(index);
            return self.confirm_cancellation(&ticket.job);
        }
        self.remember_cancelled(id, author);
        Vec::new()
    }

    fn confirm_cancellation(&mut self, job: &Arc<ReceivedJob>) -> Vec<Effect> {
        self.stats.cancelled += 1;
        self.remember_cancelled(job.id, job.asker);
        vec![
            Effect::Say(Arc::clone(job), Feedback::of(FeedbackStatus::Cancelled)),
            Effect::Tell(ProviderEvent::Cancelled { job: job.id }),
        ]
    }

    fn remember_cancelled(&mut self, id: EventId, author: PublicKey) {
        // Forgetting all of them at once costs at most some work for jobs that overtake.
        if self.cancelled.len() >= KEPT_CANCELLATIONS {
            self.cancelled.clear();
        }
        self.cancelled.insert((id, author));
    }
}
