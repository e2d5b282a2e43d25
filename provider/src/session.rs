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
//! *Forgotten* jobs may come again and are then judged again; cancelled ones are remembered for a
//! while, because a cancellation may overtake its job on another relay.

mod effects;
mod fetching;
mod speed;
#[cfg(test)]
mod tests;
mod tokens;
mod unread;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use frlm_inference::ModelInfo;
use frlm_protocol::limits::{CLOCK_SLACK_SECS, DEFAULT_JOB_LIFETIME_SECS};
use frlm_protocol::{
    Audience, Cancellation, Feedback, FeedbackStatus, JobRequest, ParseError, ReceivedJob, RefusalReason,
    Speed as EngineSpeed, kinds, verdict,
};
use nostr::{Event, EventId, Keys, PublicKey, Timestamp};

use crate::admission::{self, Refusal};
use crate::config::ProviderConfig;
use crate::events::{ProviderEvent, ProviderStats};
use crate::payments::known_as;
use crate::prompt;
use crate::queue::{FairQueue, Pushed};
use crate::quota::{FreeJobs, day_of};
use crate::rate::RateLimiter;
use crate::results::{SentResult, SentResults};
pub(crate) use effects::{Answered, Effect, Outcome, Ticket};
use speed::Speed;
use tokens::TokenSpeed;
pub(crate) use tokens::Took;

/// Results kept for askers that ask again.
const KEPT_RESULTS: usize = 4096;
const KEPT_RESULT_BYTES: usize = 16 << 20;
/// Results repeated to a relay that comes back: those this young, and at most so many.
const REPEATED_FOR_SECS: u64 = 120;
const MAX_REPEATED: usize = 256;
/// A result is wanted this long at most, whatever its job says: until then it is sent to relays that do not take it.
const WANTED_FOR_SECS: u64 = 24 * 3_600;
/// How long a job waits for its asker's credit: a release that is on its way raises it.
const CREDIT_TIMEOUT_SECS: u64 = 10;
/// How long a job waits for room on its asker's credit line, which a payment on its way makes. It is short, as the asker
/// can lock the price instead.
const DEBT_TIMEOUT_SECS: u64 = 3;
/// What a prompt is taken to last where nothing was measured.
const UNKNOWN_PROMPT: Duration = Duration::from_millis(250);
/// Jobs that share the engine's slots with larger ones, at most, and how many times as large those are.
const MOST_SHARING: usize = 4;
const LARGE_BY: u64 = 4;
/// One place in so many is reserved for askers that have paid before; free providers reserve none.
const PLACES_PER_RESERVED: usize = 8;
/// Askers who have paid that are remembered.
const MOST_PAYERS: usize = 8_192;
/// An asker that was told something so recently does not wait for its first word.
const TOLD_FOR_SECS: u64 = 10;
/// Cancellations kept for jobs that come after them.
const KEPT_CANCELLATIONS: usize = 4096;
/// Jobs without an expiration that were written this long before the start are somebody's past.
const OLD_JOB_GRACE_SECS: u64 = 300;

#[derive(Debug)]
struct Running {
    job: Arc<ReceivedJob>,
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

    /// A result of ours that a relay still had from before the start.
    pub(crate) fn remember_result(&mut self, event: Event) {
        // A relay may answer with anything, such as somebody else's result for a job of ours.
        if event.kind != kinds::JOB_RESULT || event.pubkey != self.keys.public_key() {
            return;
        }
        let Some(job) = event.tags.event_ids().next().copied() else { return };
        let wanted_until =
            Timestamp::from_secs(event.created_at.as_secs().saturating_add(DEFAULT_JOB_LIFETIME_SECS));
        self.done.insert(job, SentResult::new(event, wanted_until));
    }

    /// Recent results again, for a relay that was away: it may have lost its memory.
    pub(crate) fn repeat_results(&self, now: Timestamp) -> Vec<Effect> {
        self.done
            .newest()
            .take(MAX_REPEATED)
            .filter(|(_, result)| result.wanted_until > now)
            .filter(|(_, result)| {
                result.event.created_at.as_secs().saturating_add(REPEATED_FOR_SECS) > now.as_secs()
            })
            .map(|(job, result)| Effect::Deliver {
                job,
                event: result.event.clone(),
                until: result.wanted_until,
            })
            .collect()
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
        let job = match JobRequest::from_event(event, &self.keys) {
            Ok(job) => job,
            Err(error) => return self.unreadable(event, &error, now),
        };
        if let Some(reason) = self.stale(&job, now) {
            return self.ignore(event.id, reason);
        }
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
        let (id, asker) = (job.id, job.asker);
        let prompts_ahead = self.prompts_ahead(&job);
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
            Err(refusal) => return self.turn_away(&job, refusal, now),
        };
        if let Err(wait_secs) = self.rates.take(asker, now) {
            let limit = self.config.jobs_per_minute_per_asker;
            let detail = format!("more than {limit} jobs in a minute; the next one in {wait_secs} s");
            let refusal = Refusal::new(RefusalReason::RateLimited, detail).until(wait_secs as f64);
            return self.turn_away(&job, refusal, now);
        }
        let (prompts, free, trial) = (needs.prompts, needs.free, needs.trial);
        let (busy, guest) = (self.busy(now), self.is_guest(&job));
        let mut effects =
            match self.waiting.push(asker, needs.work, guest, Ticket { job, needs, patient_until: None }) {
                Pushed::Full(ticket) => return self.turn_away(&ticket.job, busy, now),
                Pushed::Displaced(ticket) => self.displace(&ticket.job, busy, now),
                Pushed::Waiting => Vec::new(),
            };
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

    /// How a job stands that was taken, in a word to its asker; nothing where it is over.
    pub(crate) fn status(&self, id: EventId, now: Timestamp) -> Option<(Arc<ReceivedJob>, Feedback)> {
        let word = Feedback::of(FeedbackStatus::Processing);
        if let Some(running) = self.running.get(&id) {
            return running.stop.is_none().then(|| (Arc::clone(&running.job), word));
        }
        let waiting = self.waiting.iter().chain(&self.parked).find(|ticket| ticket.job.id == id)?;
        let turns = self.prompts_ahead(&waiting.job).div_ceil(self.model.concurrency.max(1));
        let each = self.speed.prompt_duration(now).unwrap_or(UNKNOWN_PROMPT).as_secs_f64();
        let detail = format!("it waits for its turn, and is answered in about {:.0} s", each * turns as f64);
        Some((Arc::clone(&waiting.job), Feedback { detail: Some(detail), ..word }))
    }

    /// Whether nothing is known of who asks.
    fn is_guest(&self, job: &ReceivedJob) -> bool {
        self.payers.is_empty() || !self.payers.contains(&known_as(job))
    }

    /// Prompts that are answered before the last one of this job: those of its asker, and of each other asker as many at
    /// most, as they take turns.
    fn prompts_ahead(&self, job: &ReceivedJob) -> usize {
        let mut of = HashMap::<PublicKey, usize>::new();
        let running = self.running.values().map(|running| (running.job.asker, running.prompts));
        let waiting = self.waiting.iter().map(|ticket| (ticket.job.asker, ticket.needs.prompts));
        for (asker, prompts) in running.chain(waiting) {
            *of.entry(asker).or_default() += prompts;
        }
        let own = of.remove(&job.asker).unwrap_or(0);
        let all_own = own + prompt::count(&job.request);
        own + of.values().map(|prompts| all_own.min(*prompts)).sum::<usize>()
    }

    /// That there is no place now, and when there may be one: once half of what waits is done.
    fn busy(&self, now: Timestamp) -> Refusal {
        let busy = Refusal::new(RefusalReason::Busy, "the queue is full; try another provider or later");
        let prompts: usize = self.waiting.iter().map(|ticket| ticket.needs.prompts).sum();
        let turns = prompts.div_ceil(2 * self.model.concurrency.max(1));
        let each = self.speed.prompt_duration(now).unwrap_or(UNKNOWN_PROMPT).as_secs_f64();
        busy.until(each * turns as f64)
    }

    /// The next job that may begin. A small one does not wait until a large one is over: the engine takes turns between
    /// them, one handful of prompts each.
    fn next_to_run(&mut self) -> Option<(u64, Ticket)> {
        let slots = self.model.in_flight.max(1);
        let running = &self.running;
        if running.len() < slots {
            return self.waiting.pop_of(|_, _| true);
        }
        if running.len() >= slots + MOST_SHARING {
            return None;
        }
        let largest = running.values().map(|running| running.work).max().unwrap_or(0);
        self.waiting.pop_of(|asker, work| {
            work.saturating_mul(LARGE_BY) <= largest
                && running.values().all(|running| running.job.asker != *asker)
        })
    }

    /// Gives waiting jobs to free slots of the engine.
    fn fill(&mut self, now: Timestamp) -> Vec<Effect> {
        let mut effects = Vec::new();
        while let Some((work, ticket)) = self.next_to_run() {
            let job = Arc::clone(&ticket.job);
            if job.request.expires_at.is_some_and(|expires_at| expires_at <= now) {
                self.waiting.caused(job.asker, work, 0);
                let late = Refusal::new(RefusalReason::TooLate, "the job expired while it waited");
                effects.extend(self.refuse(&job, late));
                continue;
            }
            if self.running.is_empty() {
                self.speed.works(now);
            }
            let prompts = ticket.needs.prompts;
            self.running
                .insert(job.id, Running { job: Arc::clone(&job), prompts, work, since: now, stop: None });
            // One that was parked has been told.
            if ticket.patient_until.is_none() {
                effects.push(Effect::Tell(ProviderEvent::Started { job: job.id }));
            }
            effects.push(Effect::Start(ticket));
        }
        effects
    }

    fn settle(&mut self, id: EventId, running: &Running, outcome: Outcome, now: Timestamp) -> Vec<Effect> {
        match (running.stop, outcome) {
            // Taken back in the last moment: the asker has stopped waiting, so the answer is dropped.
            (Some(StopReason::Cancelled), _) => self.confirm_cancellation(&running.job),
            (_, Outcome::Answered(answered)) => {
                self.speed.measured(each(answered.engine_time, running.prompts));
                self.waiting.caused(running.job.asker, running.work, answered.usage.total());
                self.remember_payers(answered.payer);
                if let Some(took) = answered.took {
                    self.tokens.took(took);
                }
                self.stats.finished += 1;
                self.stats.usage += answered.usage;
                self.stats.asked_msats = self.stats.asked_msats.saturating_add(answered.amount_msats);
                let expires_at = running.job.request.expires_at;
                let wanted_until =
                    expires_at.unwrap_or(now + DEFAULT_JOB_LIFETIME_SECS).min(now + WANTED_FOR_SECS);
                let event = answered.event;
                self.done.insert(id, SentResult::new(event.clone(), wanted_until));
                let finished = ProviderEvent::Finished {
                    job: id,
                    tokens: answered.usage.total(),
                    duration: answered.duration,
                    confidence: answered.confidence,
                };
                vec![Effect::Deliver { job: id, event, until: wanted_until }, Effect::Tell(finished)]
            }
            (_, Outcome::Failed(refusal, detail)) => {
                if refusal.reason == RefusalReason::TooLate {
                    let secs = now.as_secs().saturating_sub(running.since.as_secs());
                    self.speed.ran_late(each(Duration::from_secs(secs), running.prompts));
                }
                self.fail(&running.job, &refusal, detail)
            }
            (None, Outcome::Waits(ticket, refusal)) => self.park(*ticket, &refusal, now),
            (Some(StopReason::ShuttingDown), Outcome::Waits(..)) | (_, Outcome::Stopped) => {
                let refusal = shutting_down();
                let detail = refusal.detail.clone();
                self.fail(&running.job, &refusal, detail)
            }
        }
    }

    /// Has a job wait for its asker's credit without a slot, for a while: who never releases anything holds none.
    fn park(&mut self, mut ticket: Ticket, refusal: &Refusal, now: Timestamp) -> Vec<Effect> {
        self.waiting.caused(ticket.job.asker, ticket.needs.work, 0);
        let timeout = match refusal.reason {
            RefusalReason::BidTooLow => DEBT_TIMEOUT_SECS,
            _ => CREDIT_TIMEOUT_SECS,
        };
        let until = *ticket.patient_until.get_or_insert(now + timeout);
        if until <= now || self.stopping || self.parked.len() >= self.config.max_queue {
            return self.fail(&ticket.job, refusal, refusal.detail.clone());
        }
        self.parked.push(ticket);
        Vec::new()
    }

    /// Whether jobs wait for their askers' credit.
    pub(crate) fn has_parked(&self) -> bool {
        !self.parked.is_empty()
    }

    /// Something was decided about pay, or time has passed: what was parked has another try, its last one where it has
    /// waited long enough.
    pub(crate) fn unpark(&mut self, now: Timestamp) -> Vec<Effect> {
        let mut effects = Vec::new();
        for ticket in std::mem::take(&mut self.parked) {
            let guest = self.is_guest(&ticket.job);
            match self.waiting.push(ticket.job.asker, ticket.needs.work, guest, ticket) {
                Pushed::Waiting => {}
                Pushed::Full(ticket) | Pushed::Displaced(ticket) => {
                    let busy = self.busy(now);
                    effects.extend(self.refuse(&ticket.job, busy));
                }
            }
        }
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

    /// Askers say what became of our answers. It is for people: nothing follows from it here.
    fn receive_verdicts(&mut self, event: &Event) -> Vec<Effect> {
        let received = match verdict::from_event(event, &self.keys) {
            Ok(received) => received,
            Err(error) => return self.ignore(event.id, &error.to_string()),
        };
        let mut effects = Vec::new();
        let mut strange = 0_usize;
        for verdict in received.verdicts {
            if !self.done.judge(&verdict.job, &received.author) {
                strange += 1;
                continue;
            }
            *(if verdict.accepted { &mut self.stats.accepted } else { &mut self.stats.rejected }) += 1;
            effects.push(Effect::Tell(ProviderEvent::Judged { verdict }));
        }
        // Once for all of them: anybody can send many, and each would push other news out.
        if strange > 0 {
            let why =
                format!("{strange} verdicts about jobs that their author did not ask of us, or had judged");
            effects.extend(self.ignore(event.id, &why));
        }
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

    /// Refuses a job before work. Nobody is told if that could make us talk without end, or if the
    /// job is no one's in particular: a refusal per provider would only be noise.
    fn turn_away(&mut self, job: &Arc<ReceivedJob>, refusal: Refusal, now: Timestamp) -> Vec<Effect> {
        let is_told = self.words.has_taken(&job.asker, TOLD_FOR_SECS, now);
        let is_silent = job.audience == Audience::Open || self.words.take(job.asker, now).is_err();
        let mut effects = self.refuse(job, refusal);
        if is_silent {
            effects.retain(|effect| !matches!(effect, Effect::Say(..)));
        }
        repeated_if(is_told, effects)
    }

    /// Gives a job's place to another one. Its asker is told in any case: the job was taken.
    fn displace(&mut self, job: &Arc<ReceivedJob>, refusal: Refusal, now: Timestamp) -> Vec<Effect> {
        let is_told = self.words.has_taken(&job.asker, TOLD_FOR_SECS, now);
        let _ = self.words.take(job.asker, now);
        repeated_if(is_told, self.refuse(job, refusal))
    }

    fn refuse(&mut self, job: &Arc<ReceivedJob>, refusal: Refusal) -> Vec<Effect> {
        self.stats.refused += 1;
        let Refusal { reason, detail, retry_after_secs } = refusal;
        let feedback = Feedback { retry_after_secs, ..Feedback::refusal(reason, detail.clone()) };
        vec![
            Effect::Say(Arc::clone(job), feedback),
            Effect::Tell(ProviderEvent::Refused { job: job.id, reason, detail }),
        ]
    }

    fn fail(&mut self, job: &Arc<ReceivedJob>, refusal: &Refusal, detail: String) -> Vec<Effect> {
        self.stats.failed += 1;
        vec![
            Effect::Say(Arc::clone(job), Feedback::refusal(refusal.reason, refusal.detail.clone())),
            Effect::Tell(ProviderEvent::Failed { job: job.id, reason: refusal.reason, detail }),
        ]
    }

    fn ignore(&mut self, event: EventId, reason: &str) -> Vec<Effect> {
        self.stats.ignored += 1;
        vec![Effect::Tell(ProviderEvent::Ignored { event, reason: reason.to_owned() })]
    }
}

/// What is said to an asker that was told something a moment ago may be lost.
fn repeated_if(is_told: bool, effects: Vec<Effect>) -> Vec<Effect> {
    let repeated = |effect| match effect {
        Effect::Say(job, feedback) if is_told => Effect::Repeat(job, feedback),
        other => other,
    };
    effects.into_iter().map(repeated).collect()
}

/// What a prompt has of the time that so many took.
fn each(time: Duration, prompts: usize) -> Duration {
    time / u32::try_from(prompts).unwrap_or(u32::MAX).max(1)
}

fn shutting_down() -> Refusal {
    Refusal::new(RefusalReason::ShuttingDown, "the provider is shutting down")
}
