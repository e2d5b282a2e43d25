//! Which subtask goes to whom, and when: a pure state machine with time as an argument.
//!
//! ```text
//!            add                dispatch               answer accepted
//!  (caller) ─────► Waiting ───────────────► Asked ───────────────────────► Closed(Accepted)
//!                    ▲                        │
//!                    └── dissent, failure, ◄──┤ replicas used up, all differ ► Closed(Split)
//!                        timeout, hedge       │ attempts used up ────────────► Closed(Exhausted)
//!                                             │ nobody left to ask ──────────► Closed(NobodyLeft)
//!                                             │ answers without a verdict ───► Closed(NoVerdict)
//!                                             └ run deadline ────────────────► Closed(OutOfTime)
//!            ask_again: Closed ─► Waiting     (the user) ─────────────────► Closed(Cancelled)
//! ```
//!
//! The caller feeds events in, calls [`Scheduler::poll`] and carries out the [`Action`]s. Nothing
//! here does I/O, so the same machine runs under a real clock and under a simulated one.
//! Closing a subtask cancels its attempts that are still out (seeds/frlm-architecture.md,
//! "SubQueryScheduler").
//!
//! Here is what comes in. `dispatch` hands out, to those whom `providers`, `disagreement` and `credit` allow, the better of two by
//! [`mod@choose`]; `due` does what time
//! asks for, by `timers`; `gating` keeps what has no place yet, and `retry` is what a retry may change.

pub mod choose;
mod credit;
mod disagreement;
mod dispatch;
mod due;
mod entry;
mod gating;
mod pace;
mod providers;
mod retry;
mod timers;
mod types;

use std::collections::BTreeSet;
use std::time::Duration;

use credit::CreditQueue;
use disagreement::DisagreementGraph;
use entry::{Attempt, AttemptState, Entry, Pending};
use frlm_protocol::Speed;
use frlm_verifier::trust::Reach;
pub use pace::Pace;
pub(crate) use pace::USUALLY_WRITTEN;
use pace::times;
use providers::Providers;
pub(crate) use providers::UNPROVEN_SLOTS;
pub use providers::{Capacity, ProviderIndex, Trust};
use timers::{Timer, TimerKind, Timers};
pub use types::{
    Action, AttemptFailure, AttemptId, Eligible, FailureReason, Needs, SchedulerConfig, SubtaskId, USUAL,
    Venue,
};

/// The state of one run's subtasks. Time is the duration since the run began.
#[derive(Debug)]
pub struct Scheduler {
    config: SchedulerConfig,
    entries: Vec<Entry>,
    /// Subtasks that want another attempt: urgent ones (retries, dissent) first, then in order.
    ready: BTreeSet<(bool, SubtaskId)>,
    providers: Providers,
    /// Subtasks that use providers' credit.
    credit_queue: CreditQueue,
    /// Who contradicts whom.
    disagreement: DisagreementGraph,
    timers: Timers,
    open: usize,
    /// Since when nobody at all is there.
    lonely_since: Option<Duration>,
    actions: Vec<Action>,
    /// Attempts so far, those of earlier starts among them: each draws its provider from a stream of its own.
    attempts: u32,
}

impl Scheduler {
    /// A scheduler without subtasks or providers.
    pub fn new(config: SchedulerConfig) -> Self {
        Self {
            config,
            entries: Vec::new(),
            ready: BTreeSet::new(),
            providers: Providers::default(),
            credit_queue: CreditQueue::default(),
            disagreement: DisagreementGraph::default(),
            timers: Timers::default(),
            open: 0,
            lonely_since: None,
            actions: Vec::new(),
            attempts: 0,
        }
    }

    /// Counts attempts on from those of earlier starts of the run.
    #[must_use]
    pub fn after(self, attempts: u32) -> Self {
        Self { attempts, ..self }
    }

    /// The name of another attempt.
    pub fn next_attempt(&mut self) -> AttemptId {
        let id = AttemptId(self.attempts);
        self.attempts = self.attempts.saturating_add(1);
        id
    }

    /// Makes room for so many more subtasks, and for none beyond them.
    pub fn make_room(&mut self, more: usize) {
        self.entries.reserve_exact(more);
    }

    /// Adds a subtask; ids count up from 0.
    pub fn add(&mut self, needs: Needs) -> SubtaskId {
        let id = SubtaskId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.entries.push(Entry::new(needs));
        self.open += 1;
        self.refresh_ready(id, false);
        id
    }

    /// Marks a subtask that was verified earlier (a resumed run, a cache) as done.
    pub fn close_as_known(&mut self, id: SubtaskId) {
        self.close(id);
    }

    /// A provider came or changed.
    pub fn upsert_provider(&mut self, provider: ProviderIndex, capacity: Capacity) {
        self.providers.upsert(provider, capacity, self.config.queue_depth);
    }

    /// What a provider takes has changed. One that went away, or is not asked any more, does not come back by that.
    pub fn change_capacity(&mut self, provider: ProviderIndex, capacity: Capacity) {
        if self.providers.is_here(provider) {
            self.providers.upsert(provider, capacity, self.config.queue_depth);
        }
    }

    /// What a provider promises apart from its load, 0..=1: who promises more is asked rather. Until this
    /// is said of anybody, the least loaded is.
    pub fn value_provider(&mut self, provider: ProviderIndex, worth: f64) {
        self.providers.value(provider, worth);
    }

    /// How quickly a provider reads and writes, by what is believed of it. Until this is said, it is taken for a slow one.
    pub fn set_speed(&mut self, provider: ProviderIndex, speed: Speed) {
        self.providers.set_speed(provider, speed);
    }

    /// Jobs that a provider has from this run.
    pub fn held_by(&self, provider: ProviderIndex) -> u32 {
        self.providers.held(provider)
    }

    /// Jobs that it may have at once.
    pub fn slots_of(&self, provider: ProviderIndex) -> u32 {
        self.providers.slots(provider)
    }

    /// A provider went away; what it held is asked elsewhere.
    ///
    /// What it has answered stays, wherever it is judged now.
    pub fn remove_provider(&mut self, provider: ProviderIndex, now: Duration) {
        for (subtask, attempt) in self.providers.remove(provider) {
            if matches!(
                self.pending(subtask, attempt),
                Some(Pending::LocalReview | Pending::Attestation | Pending::Reviews)
            ) {
                continue;
            }
            self.end_attempt(subtask, attempt, AttemptState::Failed);
            self.actions.push(Action::Cancel { subtask, attempt });
            self.after_failure(subtask, now);
        }
    }

    /// How many providers are there now.
    pub fn providers_here(&self) -> usize {
        self.providers.here()
    }

    /// Whether anybody is there who is eligible.
    pub fn has_any(&self, who: Eligible) -> bool {
        self.providers.any_capable(who, true, |_| true)
    }

    /// An answer arrived and passed the checks that need no comparison. `missing` is how many
    /// further agreeing answers the verifier wants; `None`: replicas are used up, all differ.
    pub fn answered(&mut self, id: SubtaskId, attempt: AttemptId, missing: Option<u32>, now: Duration) {
        // How long somebody else's word took is not its provider's doing, and was told apart.
        let by_word = matches!(self.pending(id, attempt), Some(Pending::Attestation | Pending::Reviews));
        let Some(since) = self.end_attempt(id, attempt, AttemptState::Answered) else { return };
        if !by_word {
            self.observe_latency(id, attempt, now.saturating_sub(since));
        }
        if let Some(provider) = self.provider_of(id, attempt) {
            self.providers.answered(provider, id, attempt);
        }
        match missing {
            Some(0) => self.close(id),
            Some(missing) => {
                if let Some(entry) = self.entry_mut(id) {
                    entry.missing = missing;
                }
                self.after_failure(id, now);
            }
            None => self.give_up(id, FailureReason::Split),
        }
    }

    /// The job of an attempt leaves only now, because its pay took as long: its provider's time begins.
    pub fn leaves(&mut self, id: SubtaskId, attempt: AttemptId, now: Duration) {
        if let Some(attempt) =
            self.attempt_mut(id, attempt).filter(|attempt| attempt.pending == Pending::Answer)
        {
            attempt.waits_since(now);
        }
    }

    /// The answer of an attempt is here and this machine looks at it: however long that takes, its provider is neither
    /// slow nor silent, and nobody else is asked in its place.
    pub fn came_in(&mut self, id: SubtaskId, attempt: AttemptId) {
        if let Some(attempt) = self.attempt_mut(id, attempt) {
            attempt.pending = Pending::LocalReview;
        }
    }

    /// What an answer took, as if a usual one of a provider of which nothing is known.
    fn observe_latency(&mut self, id: SubtaskId, attempt: AttemptId, latency: Duration) {
        let provider = self.provider_of(id, attempt);
        if let (Some(entry), Some(provider)) = (self.entries.get(id.0 as usize), provider) {
            let usual = entry.needs.unscaled(latency);
            let own = self.providers.times_as_long(provider, entry.needs, 1.0).unwrap_or(1.0);
            self.providers.observe_latency(times(usual, 1.0 / own));
        }
    }

    /// This machine has looked at it, and somebody else is to judge it, in as much time as an answer may take: however
    /// late the answer was. Said again, that time begins again.
    pub fn awaits_word(&mut self, id: SubtaskId, attempt_id: AttemptId, now: Duration) {
        let Some(attempt) = self.attempt_mut(id, attempt_id) else { return };
        let (before, since) = (attempt.pending, attempt.since());
        attempt.pending = Pending::Attestation;
        attempt.waits_since(now);
        if before != Pending::Attestation {
            self.observe_latency(id, attempt_id, now.saturating_sub(since));
        }
    }

    /// The answer of an attempt is reviewed in subtasks of their own, for as long as those take: its provider has done its
    /// work and is free for other work, reviews of others among it. Only its credit is still used.
    pub fn is_reviewed(&mut self, id: SubtaskId, attempt: AttemptId, now: Duration) {
        let Some(entry) = self.attempt_mut(id, attempt).filter(|attempt| attempt.state == AttemptState::Out)
        else {
            return;
        };
        let (provider, since) = (entry.provider, entry.since());
        entry.pending = Pending::Reviews;
        self.observe_latency(id, attempt, now.saturating_sub(since));
        self.providers.answered(provider, id, attempt);
        self.providers.give_back(provider, id, attempt);
    }

    /// A provider may not be asked for a subtask, whatever happens.
    pub fn bar(&mut self, id: SubtaskId, provider: ProviderIndex) {
        let attempt = self.next_attempt();
        if let Some(entry) = self.entry_mut(id) {
            entry.attempts.push(Attempt::barred(attempt, provider));
        }
    }

    /// A provider is asked for a subtask before all for whom this was not said, if it is free.
    pub fn ask_first(&mut self, id: SubtaskId, provider: ProviderIndex) {
        let attempt = self.next_attempt();
        if let Some(entry) = self.entry_mut(id) {
            entry.attempts.push(Attempt::preferred(attempt, provider));
        }
    }

    /// Until when somebody else may judge the answer of an attempt.
    pub fn word_due(&self, id: SubtaskId, attempt: AttemptId) -> Option<Duration> {
        let entry = self.entries.get(id.0 as usize)?;
        let pending = entry.pending(attempt).filter(|pending| *pending == Pending::Attestation);
        pending.and_then(|_| Some(entry.attempt(attempt)?.since() + self.timeout(id)))
    }

    fn pending(&self, id: SubtaskId, attempt: AttemptId) -> Option<Pending> {
        self.entries.get(id.0 as usize)?.pending(attempt)
    }

    fn attempt(&self, id: SubtaskId, attempt: AttemptId) -> Option<&Attempt> {
        self.entries.get(id.0 as usize)?.attempt(attempt)
    }

    fn attempt_mut(&mut self, id: SubtaskId, attempt: AttemptId) -> Option<&mut Attempt> {
        self.entries.get_mut(id.0 as usize)?.attempt_mut(attempt)
    }

    /// Whether an attempt was ended with its answer here, and no verdict about it.
    pub fn is_without_verdict(&self, id: SubtaskId, attempt: AttemptId) -> bool {
        let entry = self.entries.get(id.0 as usize);
        let attempt = entry.and_then(|entry| entry.attempt(attempt));
        attempt.is_some_and(|attempt| attempt.state == AttemptState::Unjudged)
    }

    /// An attempt ended without a usable answer.
    pub fn failed(&mut self, id: SubtaskId, attempt: AttemptId, failure: AttemptFailure, now: Duration) {
        let provider = self.provider_of(id, attempt);
        let state = match failure {
            AttemptFailure::Busy | AttemptFailure::BusyFor(_) | AttemptFailure::NotSent => {
                AttemptState::TurnedAway
            }
            AttemptFailure::TooLate if self.is_young(id, attempt, now) => AttemptState::TooLate,
            AttemptFailure::Failed | AttemptFailure::TooLate | AttemptFailure::Unpaid => AttemptState::Failed,
            AttemptFailure::Unfit => AttemptState::Unfit,
            AttemptFailure::NoVerdict => AttemptState::Unjudged,
        };
        if self.end_attempt(id, attempt, state).is_none() {
            return;
        }
        match (failure, provider) {
            (AttemptFailure::Busy | AttemptFailure::BusyFor(_) | AttemptFailure::TooLate, Some(provider)) => {
                if failure == AttemptFailure::TooLate {
                    self.providers.strike(provider);
                }
                // A provider that is too slow for one job is too slow for the next, and refuses it at once: without a pause it would be
                // free before all others, and be asked for everything.
                let said = if let AttemptFailure::BusyFor(wait) = failure { Some(wait) } else { None };
                let until = self.providers.pause(provider, now, self.config.busy_pause, said);
                self.timers.push(Timer { at: until, subtask: id, kind: TimerKind::Wake });
            }
            (AttemptFailure::Failed, Some(provider)) => self.providers.strike(provider),
            (
                AttemptFailure::Unfit
                | AttemptFailure::NotSent
                | AttemptFailure::Unpaid
                | AttemptFailure::NoVerdict,
                Some(_),
            )
            | (_, None) => {}
        }
        self.after_failure(id, now);
    }

    /// Ends a subtask from outside: deadline, budget.
    pub fn give_up(&mut self, id: SubtaskId, why: FailureReason) {
        if self.is_open(id) {
            let lacks_a_word = self.entries.get(id.0 as usize).is_some_and(Entry::lacks_a_word);
            // With a verdict nobody else would have been needed.
            let why =
                if why == FailureReason::NobodyLeft && lacks_a_word { FailureReason::NoVerdict } else { why };
            self.close(id);
            self.actions.push(Action::GaveUp { subtask: id, why });
        }
    }

    /// Opens a subtask that was given up, for a provider that came into play since. Earlier attempts
    /// stay on record, so that nobody is asked twice, but no longer use up its chances.
    pub fn reopen(&mut self, id: SubtaskId) {
        let Some(entry) = self.entry_mut(id) else { return };
        if std::mem::replace(&mut entry.closed, false) {
            entry.missing = 1;
            entry.forgive();
            self.open += 1;
            self.refresh_ready(id, true);
        }
    }

    /// Opens a subtask that was given up, because the user wishes it: everyone may be asked again.
    pub fn ask_again(&mut self, id: SubtaskId) {
        let Some(entry) = self.entry_mut(id) else { return };
        if std::mem::replace(&mut entry.closed, false) {
            entry.renew();
            self.open += 1;
            self.refresh_ready(id, true);
        }
    }

    /// Ends all open subtasks.
    pub fn give_up_all(&mut self, why: FailureReason) {
        for index in 0..self.entries.len() {
            self.give_up(SubtaskId(u32::try_from(index).unwrap_or(u32::MAX)), why);
        }
    }

    /// Whether the subtask still waits for an accepted answer.
    pub fn is_open(&self, id: SubtaskId) -> bool {
        self.entries.get(id.0 as usize).is_some_and(|entry| !entry.closed)
    }

    /// Whether an answer to this attempt still counts: the subtask is open, and the attempt was
    /// neither answered nor given up.
    pub fn is_out(&self, id: SubtaskId, attempt: AttemptId) -> bool {
        self.entries.get(id.0 as usize).is_some_and(|entry| !entry.closed && entry.is_out(attempt))
    }

    /// Who could still answer the subtask, beside the one whose answer is looked at now.
    pub fn reach(&self, id: SubtaskId) -> Reach {
        let Some(entry) = self.entries.get(id.0 as usize) else {
            return Reach { anyone: false, known: false };
        };
        let (who, last) = (entry.needs.eligible(), entry.forgiven > 0);
        let known = |provider| self.providers.trust(provider).has_record();
        let left = entry.attempts_left(self.config.spare_attempts);
        let can = |allowed: &dyn Fn(ProviderIndex) -> bool| {
            left && self
                .providers
                .any_capable(who, last, |provider| entry.may_ask(provider) && allowed(provider))
        };
        Reach {
            anyone: entry.in_flight() > 1 || (entry.may_have_another() && can(&|_| true)),
            known: entry.asked_now().any(known) || can(&known),
        }
    }

    /// Open subtasks.
    pub fn open(&self) -> usize {
        self.open
    }

    /// Who was asked in an attempt.
    pub fn provider_of(&self, id: SubtaskId, attempt: AttemptId) -> Option<ProviderIndex> {
        self.entries.get(id.0 as usize)?.attempt(attempt).map(|attempt| attempt.provider)
    }

    /// When [`Scheduler::poll`] must be called again even if nothing happens.
    pub fn next_wakeup(&self) -> Option<Duration> {
        let lonely = self.lonely_since.map(|since| since + self.config.newcomer_wait);
        [self.timers.next(), lonely].into_iter().flatten().min()
    }

    /// Advances time, hands out work, and returns everything there is to do.
    pub fn poll(&mut self, now: Duration) -> Vec<Action> {
        while let Some(timer) = self.timers.pop_due(now) {
            self.fire(timer, now);
        }
        let entries = &self.entries;
        self.timers.sweep(|timer| match timer.kind {
            TimerKind::Timeout(attempt) | TimerKind::Hedge(attempt) => {
                entries.get(timer.subtask.0 as usize).is_some_and(|entry| entry.is_out(attempt))
            }
            TimerKind::Wake | TimerKind::Newcomer { .. } => true,
        });
        self.providers.unpause(now);
        self.hand_out(now);
        self.check_lonely(now);
        std::mem::take(&mut self.actions)
    }

    /// Another attempt is wanted, or the subtask has no chance left.
    fn after_failure(&mut self, id: SubtaskId, now: Duration) {
        self.refresh_ready(id, true);
        self.check_hopeless(id, now, false);
    }

    /// Until when the answer to an attempt is waited for.
    pub fn answer_due(&self, id: SubtaskId, attempt: AttemptId) -> Option<Duration> {
        let entry = self.entries.get(id.0 as usize)?;
        let attempt = entry.attempt(attempt)?;
        Some(attempt.since() + entry.needs.within(self.config.per_attempt, attempt.leeway) + self.config.trip)
    }

    /// Ends an attempt that is out and frees its provider; returns since when it waited for what it waited for.
    fn end_attempt(&mut self, id: SubtaskId, attempt: AttemptId, state: AttemptState) -> Option<Duration> {
        let slot = self.entries.get_mut(id.0 as usize)?.attempt_mut(attempt)?;
        if slot.state != AttemptState::Out {
            return None;
        }
        slot.state = state;
        let (provider, since, was_reviewed) = (slot.provider, slot.since(), slot.pending == Pending::Reviews);
        self.providers.give_back(provider, id, attempt);
        if was_reviewed {
            self.providers.judged(provider, id, attempt);
        }
        Some(since)
    }

    fn close(&mut self, id: SubtaskId) {
        let Some(entry) = self.entry_mut(id) else { return };
        if std::mem::replace(&mut entry.closed, true) {
            return;
        }
        let still_out: Vec<AttemptId> = entry.out().collect();
        let judged: Vec<(AttemptId, ProviderIndex)> = entry.answered().collect();
        entry.held = false;
        self.open -= 1;
        self.credit_queue.remove(id);
        for (attempt, provider) in judged {
            self.providers.judged(provider, id, attempt);
        }
        self.ready.remove(&(false, id));
        self.ready.remove(&(true, id));
        for attempt in still_out {
            if let Some(provider) = self.provider_of(id, attempt).filter(|_| self.has_straggled(id, attempt))
            {
                self.providers.strike(provider);
            }
            self.end_attempt(id, attempt, AttemptState::Failed);
            self.actions.push(Action::Cancel { subtask: id, attempt });
        }
    }

    /// Keeps `ready` in step with what the entry wants. Urgent subtasks sort first.
    fn refresh_ready(&mut self, id: SubtaskId, urgent: bool) {
        let limit = self.config.spare_attempts;
        let Some(entry) = self.entries.get(id.0 as usize) else { return };
        let wants = entry.wants_another(limit);
        let urgent = urgent || (wants && self.ready.contains(&(false, id)));
        self.ready.remove(&(true, id));
        self.ready.remove(&(false, id));
        if wants {
            // `false` sorts first.
            self.ready.insert((!urgent, id));
        }
    }

    fn entry_mut(&mut self, id: SubtaskId) -> Option<&mut Entry> {
        self.entries.get_mut(id.0 as usize)
    }
}

#[cfg(test)]
mod tests;
