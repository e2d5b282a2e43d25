//! The one task that owns a provider: it listens, and does what the session says.
//!
//! ```text
//!            graceful                     idle, or the limit and everything stopped
//!  serving ────────────► finishing ───────────────────────────────────────► leaving ─► gone
//!     │                      │ immediate                                       ▲
//!     └──────────────────────┴──────► dropping what runs ──────────────────────┘
//! ```
//!
//! *Finishing* begins with withdrawing the offer. *Leaving* sends what is still to be said, results
//! above all, within limits, and closes the connection.
//! Lost relays are no state of this machine: the connection comes back by itself, and then offer,
//! heartbeat and recent results are sent again. The relay is asked for what came meanwhile.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use frlm_protocol::limits::DEFAULT_JOB_LIFETIME_SECS;
use frlm_protocol::{
    Feedback, FeedbackStatus, ReceivedJob, RefusalReason, Settlement, kinds, one_line, work,
};
use frlm_relay::{Incoming, Publisher, RelayMessage};
use nostr::{Alphabet, Event, EventId, Filter, Keys, RelayUrl, SingleLetterTag, Timestamp};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, Interval, MissedTickBehavior, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::admission::Refusal;
use crate::announcer::Announcer;
use crate::config::ProviderConfig;
use crate::events::{ProviderEvent, ProviderStats};
use crate::fetch::{Fetched, Fetches};
use crate::outbox::{Outbox, Receipt};
use crate::payments::{PayQueue, PaymentCommand};
use crate::session::{Effect, Outcome, Session, Ticket, Took};
use crate::shutdown::Shutdown;
use crate::work::JobExecutor;

const SUBSCRIPTION: &str = "jobs";
/// How long the start waits for results from before a restart.
const HISTORY_TIMEOUT: Duration = Duration::from_secs(2);
/// Results from before a restart that are read at most.
const HISTORY_LIMIT: usize = 500;
/// How long words about pay wait at relays for a provider that was away.
const SETTLEMENTS_FOR_SECS: u64 = 24 * 3_600;
/// How long the last words may take.
const FAREWELL_LIMIT: Duration = Duration::from_secs(3);
const QUICK_FAREWELL_LIMIT: Duration = Duration::from_millis(500);
/// How long stopped work may take to let go of the engine.
const STOP_LIMIT: Duration = Duration::from_secs(2);
/// How long the work may take that an offer shows.
const MINING_LIMIT: Duration = Duration::from_secs(3);
/// How often jobs that wait for credit are looked at where nothing is decided: time makes an end to their patience.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) struct Actor {
    pub(crate) config: ProviderConfig,
    pub(crate) keys: Keys,
    pub(crate) session: Session,
    pub(crate) executor: Arc<JobExecutor>,
    /// What the payments task says to askers.
    pub(crate) words: mpsc::Receiver<Event>,
    /// Where words about pay go; `None` for those who work for nothing.
    pub(crate) payments: Option<PayQueue>,
    pub(crate) announcer: Announcer,
    pub(crate) publisher: Publisher,
    pub(crate) incoming: Incoming,
    pub(crate) events: broadcast::Sender<ProviderEvent>,
    pub(crate) stats: watch::Sender<ProviderStats>,
    pub(crate) shutdown: Shutdown,
}

/// What only exists while the actor runs.
struct Running {
    outbox: Outbox,
    work: JoinSet<Outcome>,
    fetches: Fetches,
    /// The engine's trial at the start, while it goes on.
    trial: JoinSet<Option<Took>>,
    /// The work that the offer shows, while it is done.
    mining: JoinSet<Event>,
    jobs: HashMap<Id, EventId>,
    stops: HashMap<EventId, CancellationToken>,
    /// Jobs whose askers are told how they stand, and when.
    words: VecDeque<(Instant, EventId)>,
    online: HashSet<RelayUrl>,
    /// Relays that were lost at least once.
    lost: HashSet<RelayUrl>,
    /// When finishing must end; `None` while serving.
    finish_by: Option<Instant>,
    /// The offer is withdrawn; there are no heartbeats any more.
    withdrawn: bool,
    /// When jobs that wait for credit have another try, whatever was decided meanwhile.
    retry: Interval,
}

enum ActorEvent {
    Immediate,
    Graceful,
    OutOfTime,
    Worked(Result<(Id, Outcome), JoinError>),
    Fetched(Fetched),
    TriedOut(Option<Took>),
    /// The offer has its work.
    Mined(Event),
    Receipt(Receipt),
    Said(Event),
    Beat,
    /// A job has been here for a moment.
    WordDue,
    /// The payments task has heard a word that waited.
    Heard,
    /// There may be room for jobs that wait for their askers' credit.
    Room,
    Relay(Option<RelayMessage>),
}

/// Passes one word about pay on to the payments task.
async fn pass_on(payments: &mut Option<PayQueue>) {
    match payments {
        Some(payments) => payments.pass_on().await,
        None => std::future::pending().await,
    }
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

fn retry_interval() -> Interval {
    let mut retry = tokio::time::interval(RETRY_INTERVAL);
    retry.set_missed_tick_behavior(MissedTickBehavior::Delay);
    retry
}

impl Actor {
    pub(crate) async fn run(mut self) {
        let mut running = Running {
            outbox: Outbox::new(self.publisher.clone()),
            work: JoinSet::new(),
            fetches: Fetches::new(self.publisher.clone()),
            trial: JoinSet::new(),
            mining: JoinSet::new(),
            jobs: HashMap::new(),
            stops: HashMap::new(),
            words: VecDeque::new(),
            online: HashSet::new(),
            lost: HashSet::new(),
            finish_by: None,
            withdrawn: false,
            retry: retry_interval(),
        };
        let immediate = self.shutdown.immediate.clone();
        let quick = tokio::select! {
            biased;
            () = immediate.cancelled() => true,
            () = self.begin() => self.serve(&mut running).await,
        };
        self.leave(&mut running, quick).await;
        self.publisher.shutdown().await;
        self.tell(ProviderEvent::Stopped);
    }

    /// Reads what was answered before a restart, then listens.
    async fn begin(&mut self) {
        let since =
            Timestamp::from_secs(Timestamp::now().as_secs().saturating_sub(DEFAULT_JOB_LIFETIME_SECS));
        let answered = Filter::new()
            .kind(kinds::JOB_RESULT)
            .author(self.keys.public_key())
            .since(since)
            .limit(HISTORY_LIMIT);
        for event in self.publisher.fetch(vec![answered], HISTORY_TIMEOUT).await {
            self.session.remember_result(event);
        }
        self.session.known_askers().for_each(|asker| self.publisher.prefer(asker));
        self.subscribe(since).await;
    }

    /// How far `since` lies back is the margin after each reconnect, too: no job lives longer than that.
    async fn subscribe(&self, since: Timestamp) {
        let directed = Filter::new()
            .kinds(
                [kinds::JOB_REQUEST, kinds::CANCELLATION, kinds::VERDICT]
                    .into_iter()
                    .chain(kinds::OTHER_REQUESTS),
            )
            .pubkey(self.keys.public_key())
            .since(since);
        // Pay for work that was done is worth asking for longer than jobs are.
        let pay = Filter::new()
            .kind(kinds::SETTLEMENT)
            .pubkey(self.keys.public_key())
            .since(since - SETTLEMENTS_FOR_SECS);
        let mut filters = vec![directed, pay];
        if self.config.accept_open_jobs {
            filters.push(Filter::new().kind(kinds::JOB_REQUEST).since(since));
            let request_kind = kinds::JOB_REQUEST.as_u16().to_string();
            let of_kind = SingleLetterTag::lowercase(Alphabet::K);
            filters
                .push(Filter::new().kind(kinds::CANCELLATION).custom_tag(of_kind, request_kind).since(since));
        }
        self.publisher.follow(SUBSCRIPTION, filters).await;
    }

    /// Works until it is time to leave; says whether that must be quick.
    async fn serve(&mut self, running: &mut Running) -> bool {
        if self.config.tries_engine {
            let executor = Arc::clone(&self.executor);
            running.trial.spawn(async move { executor.try_out().await });
        }
        let mut beat = tokio::time::interval(self.config.heartbeat_interval);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let happened = self.next(running, &mut beat).await;
            match happened {
                ActorEvent::Immediate => {
                    self.drop_everything(running).await;
                    return true;
                }
                ActorEvent::Graceful => {
                    running.finish_by = Some(Instant::now() + self.config.graceful_limit);
                    self.withdraw(running);
                    let effects = self.session.drain();
                    self.apply(running, effects);
                }
                ActorEvent::OutOfTime => {
                    running.finish_by = Some(Instant::now() + STOP_LIMIT);
                    if running.stops.values().all(CancellationToken::is_cancelled) {
                        self.drop_everything(running).await;
                    } else {
                        let effects = self.session.stop_running();
                        self.apply(running, effects);
                    }
                }
                ActorEvent::Worked(ended) => self.worked(running, ended),
                ActorEvent::Fetched((job, outcome)) => {
                    let effects = self.session.fetched(job, outcome, Timestamp::now());
                    self.apply(running, effects);
                }
                ActorEvent::TriedOut(took) => {
                    if let Some(took) = took {
                        self.session.tried_out(took);
                        self.beat(running);
                    }
                }
                ActorEvent::Mined(event) => {
                    self.announcer.worked(event);
                    self.announce(running, Timestamp::now());
                }
                ActorEvent::Receipt(receipt) => self.receipt(receipt),
                ActorEvent::Said(event) => running.outbox.say(event),
                ActorEvent::Beat => self.beat(running),
                ActorEvent::WordDue => self.tell_standing(running),
                ActorEvent::Heard => {}
                ActorEvent::Room => {
                    let effects = self.session.unpark(Timestamp::now());
                    self.apply(running, effects);
                }
                ActorEvent::Relay(None) => return true,
                ActorEvent::Relay(Some(message)) => self.relay(running, message),
            }
            self.count(running);
            if running.finish_by.is_some() && self.session.is_idle() {
                return false;
            }
        }
    }

    async fn next(&mut self, running: &mut Running, beat: &mut Interval) -> ActorEvent {
        let finish_by = running.finish_by;
        let word_due = running.words.front().map(|(due, _)| *due);
        tokio::select! {
            biased;
            () = self.shutdown.immediate.cancelled() => ActorEvent::Immediate,
            () = self.shutdown.graceful.cancelled(), if finish_by.is_none() => ActorEvent::Graceful,
            () = at(finish_by) => ActorEvent::OutOfTime,
            Some(ended) = running.work.join_next_with_id() => ActorEvent::Worked(ended),
            fetched = running.fetches.next() => ActorEvent::Fetched(fetched),
            Some(tried) = running.trial.join_next() => ActorEvent::TriedOut(tried.ok().flatten()),
            Some(Ok(event)) = running.mining.join_next() => ActorEvent::Mined(event),
            receipt = running.outbox.next() => ActorEvent::Receipt(receipt),
            Some(event) = self.words.recv() => ActorEvent::Said(event),
            _ = beat.tick(), if finish_by.is_none() => ActorEvent::Beat,
            () = at(word_due) => ActorEvent::WordDue,
            () = pass_on(&mut self.payments) => ActorEvent::Heard,
            () = self.executor.room_made(), if self.session.has_parked() => ActorEvent::Room,
            _ = running.retry.tick(), if self.session.has_parked() => ActorEvent::Room,
            // Last: a flood of events must not delay anything else.
            message = self.incoming.recv() => ActorEvent::Relay(message),
        }
    }

    fn relay(&mut self, running: &mut Running, message: RelayMessage) {
        match message {
            RelayMessage::Event(event) if event.kind == kinds::SETTLEMENT => self.settle(&event),
            RelayMessage::Event(event) => {
                let effects = self.session.receive(&event, Timestamp::now());
                self.apply(running, effects);
            }
            RelayMessage::Online(relay) => {
                self.tell(ProviderEvent::RelayOnline { relay: relay.to_string() });
                // It may be new to us, or have lost its memory: offer and results again.
                self.announce(running, Timestamp::now());
                self.beat(running);
                self.list_relays(running);
                if running.lost.contains(&relay) {
                    let effects = self.session.repeat_results(Timestamp::now());
                    self.apply(running, effects);
                }
                running.online.insert(relay);
            }
            RelayMessage::Offline { relay, reason } => {
                self.tell(ProviderEvent::RelayOffline { relay: relay.to_string(), reason });
                running.online.remove(&relay);
                running.lost.insert(relay);
            }
            RelayMessage::Notice { relay, text } => {
                // A stranger's words for the operator's log: each is one line of it.
                let message = one_line(&text).into_owned();
                self.tell(ProviderEvent::RelayNotice { relay: relay.to_string(), message });
            }
            RelayMessage::Closed { relay, reason, .. } => {
                let message = one_line(&reason).into_owned();
                self.tell(ProviderEvent::RelayNotice { relay: relay.to_string(), message });
            }
            RelayMessage::Dropped { count } => {
                tracing::warn!(count, "more events than could be read; relays are asked again");
            }
        }
    }

    fn apply(&mut self, running: &mut Running, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Fetch(job) => running.fetches.begin(job),
                Effect::Start(ticket) => self.start(running, ticket),
                Effect::Stop(job) => {
                    if let Some(stop) = running.stops.get(&job) {
                        stop.cancel();
                    }
                }
                Effect::Say(job, feedback) => {
                    match feedback.status {
                        FeedbackStatus::Error => {
                            self.payment_command(PaymentCommand::GiveBack(Arc::clone(&job)));
                        }
                        FeedbackStatus::Cancelled => {
                            self.payment_command(PaymentCommand::Cancelled(Arc::clone(&job)));
                        }
                        _ => {}
                    }
                    self.say(running, &job, &feedback);
                }
                Effect::Repeat(job, feedback) => {
                    self.payment_command(PaymentCommand::GiveBack(Arc::clone(&job)));
                    self.mention(running, &job, &feedback);
                }
                Effect::TellSoon(job) => {
                    running.words.push_back((Instant::now() + self.config.word_after, job));
                }
                Effect::Deliver { job, event, until } => running.outbox.deliver(job, event, until),
                Effect::Prefer(asker, true) => self.publisher.prefer(asker),
                Effect::Prefer(asker, false) => self.publisher.neglect(asker),
                Effect::Gave { asker, day } => self.payment_command(PaymentCommand::Gave { asker, day }),
                Effect::Tell(event) => self.tell(event),
            }
        }
    }

    /// A word about pay came; it is for the payments task.
    fn settle(&mut self, event: &Event) {
        match Settlement::from_event(event, &self.keys) {
            Ok(received) => self.payment_command(PaymentCommand::Settle(received)),
            Err(error) => tracing::debug!(%error, "an unreadable settlement"),
        }
    }

    fn payment_command(&mut self, command: PaymentCommand) {
        if self.payments.as_mut().is_some_and(|payments| payments.push(command)) {
            // Only somebody who sends them by the ten thousand gets here.
            tracing::warn!("too many words about pay at once; one was not heard");
        }
    }

    fn start(&self, running: &mut Running, ticket: Ticket) {
        let job = ticket.job.id;
        let stop = CancellationToken::new();
        let (executor, stopped) = (Arc::clone(&self.executor), stop.clone());
        let task = running.work.spawn(async move { executor.run(ticket, stopped).await });
        running.jobs.insert(task.id(), job);
        running.stops.insert(job, stop);
    }

    fn worked(&mut self, running: &mut Running, ended: Result<(Id, Outcome), JoinError>) {
        let (task, outcome) = match ended {
            Ok((task, outcome)) => (task, outcome),
            Err(error) => {
                let refusal =
                    Refusal::new(RefusalReason::EngineFailed, "the engine failed; try another provider");
                (error.id(), Outcome::Failed(refusal, format!("the work on the job broke off: {error}")))
            }
        };
        let Some(job) = running.jobs.remove(&task) else { return };
        running.stops.remove(&job);
        let effects = self.session.finished(job, outcome, Timestamp::now());
        self.apply(running, effects);
    }

    /// Drops the work on every job; the askers are told.
    async fn drop_everything(&mut self, running: &mut Running) {
        let effects = self.session.stop_running();
        self.apply(running, effects);
        running.work.abort_all();
        // An engine that blocks its thread is left behind: the operator wants the card back now.
        let gone = async { while running.work.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_LIMIT, gone).await.is_err() {
            tracing::warn!("the engine did not let go in time");
        }
        for (_, job) in std::mem::take(&mut running.jobs) {
            let effects = self.session.finished(job, Outcome::Stopped, Timestamp::now());
            self.apply(running, effects);
        }
    }

    async fn leave(&mut self, running: &mut Running, quick: bool) {
        self.withdraw(running);
        let now = Instant::now();
        let (results_by, words_by) = match running.finish_by {
            Some(finish_by) if !quick => (finish_by, finish_by.min(now + FAREWELL_LIMIT)),
            _ => (now + QUICK_FAREWELL_LIMIT, now + QUICK_FAREWELL_LIMIT),
        };
        let immediate = self.shutdown.immediate.clone();
        // Jobs that end with the provider have returned their pay only when the payments task has said so.
        let (done, mut payments_done) = oneshot::channel();
        self.payment_command(PaymentCommand::Done(done));
        let mut payments_are_done = false;
        loop {
            let waits_until = if running.outbox.has_results() { results_by } else { words_by };
            if payments_are_done && running.outbox.is_empty() {
                break;
            }
            tokio::select! {
                biased;
                receipt = running.outbox.next() => self.receipt(receipt),
                Some(event) = self.words.recv() => running.outbox.say(event),
                () = pass_on(&mut self.payments) => {}
                _ = &mut payments_done, if !payments_are_done => {
                    payments_are_done = true;
                    while let Ok(event) = self.words.try_recv() {
                        running.outbox.say(event);
                    }
                }
                () = immediate.cancelled(), if !quick => break,
                () = sleep_until(waits_until) => {
                    tracing::debug!("some last words were not sent in time");
                    break;
                }
            }
        }
        self.count(running);
    }

    fn withdraw(&mut self, running: &mut Running) {
        if std::mem::replace(&mut running.withdrawn, true) {
            return;
        }
        match self.announcer.farewell(Timestamp::now()) {
            Ok(events) => events.into_iter().for_each(|event| running.outbox.say(event)),
            Err(error) => tracing::warn!(%error, "the offer could not be withdrawn; it lapses by itself"),
        }
    }

    fn receipt(&self, receipt: Receipt) {
        match receipt {
            Receipt::Said => {}
            Receipt::Unannounced { refusals } => {
                for (relay, reason) in refusals {
                    let message =
                        format!("this relay refuses the offer, so it is not announced there: {reason}");
                    self.tell(ProviderEvent::RelayNotice { relay, message });
                }
            }
            Receipt::Delivered { job } => self.tell(ProviderEvent::Delivered { job }),
            Receipt::Delayed { job, reason } => self.tell(ProviderEvent::Delayed { job, reason }),
            Receipt::Undelivered { job, reason } => self.tell(ProviderEvent::Undelivered { job, reason }),
        }
    }

    /// The sign of life, with the offer if that lapses or its prices or speed are others.
    fn beat(&mut self, running: &mut Running) {
        if running.withdrawn {
            return;
        }
        let now = Timestamp::now();
        self.announcer.price_for(self.session.load());
        if let Some(speed) = self.session.engine_speed() {
            self.announcer.measured(speed);
        }
        if self.announcer.announcement_is_due(now) {
            self.announce(running, now);
        }
        match self.announcer.heartbeat(self.session.load(), now) {
            Ok(event) => running.outbox.beat(event, self.announcer.counts_for()),
            Err(error) => tracing::warn!(%error, "no heartbeat"),
        }
    }

    fn announce(&mut self, running: &mut Running, now: Timestamp) {
        if running.withdrawn {
            return;
        }
        match (self.announcer.announcement(now), self.announcer.lacks_work()) {
            (Ok(event), None) => running.outbox.announce(event),
            (Ok(event), Some(bits)) if running.mining.is_empty() => self.mine(running, event, bits),
            // It goes out once that is done.
            (Ok(_), Some(_)) => {}
            (Err(error), _) => tracing::warn!(%error, "no announcement"),
        }
    }

    /// Does the work that an offer shows, beside everything else. What is not done in time goes out without.
    fn mine(&self, running: &mut Running, offer: Event, bits: u8) {
        let (keys, shutdown) = (self.keys.clone(), self.shutdown.clone());
        let until = std::time::Instant::now() + MINING_LIMIT;
        let is_over = move || shutdown.graceful.is_cancelled() || shutdown.immediate.is_cancelled();
        running.mining.spawn_blocking(move || {
            let go_on = || std::time::Instant::now() < until && !is_over();
            work::mine(&offer, &keys, bits, go_on).unwrap_or(offer)
        });
    }

    /// Says at which relays this provider is, for those who know one of them. Relays keep the last such event of a key.
    fn list_relays(&mut self, running: &mut Running) {
        if running.withdrawn || self.config.hide_relays {
            return;
        }
        let relays = self.publisher.relays();
        let urls = relays.iter().map(|relay| relay.url.as_str_without_trailing_slash());
        match self.announcer.relay_list(urls, Timestamp::now()) {
            Ok(Some(event)) => running.outbox.mention(event),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "no relay list"),
        }
    }

    /// Tells the asker of the job that was taken first how it stands, if it is not over.
    fn tell_standing(&self, running: &mut Running) {
        let job = running.words.pop_front();
        let standing = job.and_then(|(_, job)| self.session.status(job, Timestamp::now()));
        if let Some((job, feedback)) = standing {
            self.mention(running, &job, &feedback);
        }
    }

    fn say(&self, running: &mut Running, job: &ReceivedJob, feedback: &Feedback) {
        if let Some(event) = self.written(job, feedback) {
            running.outbox.say(event);
        }
    }

    fn mention(&self, running: &mut Running, job: &ReceivedJob, feedback: &Feedback) {
        if let Some(event) = self.written(job, feedback) {
            running.outbox.mention(event);
        }
    }

    fn written(&self, job: &ReceivedJob, feedback: &Feedback) -> Option<Event> {
        feedback
            .to_event(job, &self.keys, Timestamp::now())
            .inspect_err(|error| tracing::warn!(job = %job.id, %error, "feedback could not be written"))
            .ok()
    }

    fn tell(&self, event: ProviderEvent) {
        // Nobody listening is fine.
        let _ = self.events.send(event);
    }

    fn count(&self, running: &Running) {
        let stats = ProviderStats { relays_online: running.online.len(), ..self.session.stats() };
        self.stats.send_if_modified(|current| {
            let changed = *current != stats;
            *current = stats;
            changed
        });
    }
}
