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
//! Four parts know nothing of each other: the subtasks (`entries`), the `providers`, who is in line for their credit (`credit`),
//! and who contradicted whom (`disagreement`). The caller changes the first two directly; what concerns several of them comes in
//! here. `dispatch` hands out, to those whom the parts allow, the better of two by [`mod@choose`]; `due` does what time asks for,
//! by `timers`; `timing` says how long is waited, and changes nothing.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod choose;
mod credit;
mod disagreement;
mod dispatch;
mod due;
mod entries;
mod entry;
mod pace;
mod providers;
mod timers;
mod timing;
mod types;

use std::time::Duration;

use credit::{Credit, CreditQueue};
use disagreement::DisagreementGraph;
use entries::{Closed, Entries};
use entry::{AttemptState, Entry, Pending};
use frlm_verifier::trust::Reach;
pub use pace::{Pace, USUALLY_WRITTEN};
use providers::Providers;
pub use providers::{Capacity, Trust, UNPROVEN_SLOTS};
use timers::{Timer, TimerKind, Timers};
use timing::{Timing, UsualLatency};
pub use types::{
    Action, AttemptFailure, AttemptId, Eligible, FailureReason, Needs, ProviderIndex, SPARE_ATTEMPTS,
    SchedulerConfig, SubtaskId, USUAL, Venue,
};

/// The state of one run's subtasks. Time is the duration since the run began.
#[derive(Debug)]
pub struct Scheduler {
    config: SchedulerConfig,
    /// The subtasks.
    pub entries: Entries,
    /// Who can be asked.
    pub providers: Providers,
    /// Who contradicts whom.
    pub disagreement: DisagreementGraph,
    /// Subtasks that use providers' credit.
    credit_queue: CreditQueue,
    usual_latency: UsualLatency,
    timers: Timers,
    /// Since when nobody at all is there.
    lonely_since: Option<Duration>,
    actions: Vec<Action>,
}

impl Scheduler {
    /// A scheduler without subtasks or providers.
    pub fn new(config: SchedulerConfig) -> Self {
        Self {
            entries: Entries::default(),
            providers: Providers::default(),
            config,
            disagreement: DisagreementGraph::default(),
            credit_queue: CreditQueue::default(),
            usual_latency: UsualLatency::default(),
            timers: Timers::default(),
            lonely_since: None,
            actions: Vec::new(),
        }
    }

    /// A provider went away; what it held is asked elsewhere.
    ///
    /// What it has answered stays, wherever it is judged now.
    pub fn remove_provider(&mut self, provider: ProviderIndex, now: Duration) {
        for (subtask, attempt) in self.providers.remove(provider) {
            if matches!(
                self.entries.pending(subtask, attempt),
                Some(Pending::LocalReview | Pending::Attestation | Pending::Reviews)
            ) {
                continue;
            }
            self.end_attempt(subtask, attempt, AttemptState::Failed);
            self.actions.push(Action::Cancel { subtask, attempt });
            self.after_failure(subtask, now);
        }
    }

    /// An answer arrived and passed the checks that need no comparison. `missing` is how many
    /// further agreeing answers the verifier wants; `None`: replicas are used up, all differ.
    pub fn answered(&mut self, id: SubtaskId, attempt: AttemptId, missing: Option<u32>, now: Duration) {
        // How long somebody else's word took is not its provider's doing, and was told apart.
        let by_word =
            matches!(self.entries.pending(id, attempt), Some(Pending::Attestation | Pending::Reviews));
        let Some(since) = self.end_attempt(id, attempt, AttemptState::Answered) else { return };
        if !by_word {
            self.observe_latency(id, attempt, now.saturating_sub(since));
        }
        if let Some(provider) = self.entries.provider_of(id, attempt) {
            self.providers.answered(provider, id, attempt);
        }
        match missing {
            Some(0) => self.close(id),
            Some(missing) => {
                if let Some(entry) = self.entries.get_mut(id) {
                    entry.missing = missing;
                }
                self.after_failure(id, now);
            }
            None => self.give_up(id, FailureReason::Split),
        }
    }

    /// The job of an attempt leaves only now, because its pay took as long: its provider's time begins. Until when its
    /// answer is waited for.
    pub fn leaves(&mut self, id: SubtaskId, attempt: AttemptId, now: Duration) -> Duration {
        let out = self.entries.attempt_mut(id, attempt);
        if let Some(out) = out.filter(|out| out.pending == Pending::Answer) {
            out.waits_since(now);
        }
        self.answer_due(id, attempt).unwrap_or_else(|| now + self.timeout(id))
    }

    /// The answer of an attempt is here and this machine looks at it: however long that takes, its provider is neither
    /// slow nor silent, and nobody else is asked in its place.
    pub fn came_in(&mut self, id: SubtaskId, attempt: AttemptId) {
        if let Some(attempt) = self.entries.attempt_mut(id, attempt) {
            attempt.pending = Pending::LocalReview;
        }
    }

    /// Learns from what an answer took.
    fn observe_latency(&mut self, id: SubtaskId, attempt: AttemptId, latency: Duration) {
        let (entry, provider) = (self.entries.get(id), self.entries.provider_of(id, attempt));
        if let Some((entry, provider)) = entry.zip(provider) {
            let as_usual = self.timing().as_usual(provider, entry.needs, latency);
            self.usual_latency.observe(as_usual);
        }
    }

    /// This machine has looked at it, and somebody else is to judge it, in as much time as an answer may take: however
    /// late the answer was. Said again, that time begins again.
    pub fn awaits_word(&mut self, id: SubtaskId, attempt_id: AttemptId, now: Duration) {
        let Some(attempt) = self.entries.attempt_mut(id, attempt_id) else { return };
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
        let Some(entry) =
            self.entries.attempt_mut(id, attempt).filter(|attempt| attempt.state == AttemptState::Out)
        else {
            return;
        };
        let (provider, since) = (entry.provider, entry.since());
        entry.pending = Pending::Reviews;
        self.observe_latency(id, attempt, now.saturating_sub(since));
        self.providers.answered(provider, id, attempt);
        self.providers.give_back(provider, id, attempt);
    }

    /// An attempt ended without a usable answer.
    pub fn failed(&mut self, id: SubtaskId, attempt: AttemptId, failure: AttemptFailure, now: Duration) {
        let entry = self.entries.get(id);
        let is_young = entry
            .and_then(|entry| Some((entry.needs, entry.attempt(attempt)?)))
            .is_some_and(|(needs, attempt)| self.timing().is_young(needs, attempt, now));
        let provider = self.entries.provider_of(id, attempt);
        let state = match failure {
            AttemptFailure::Busy | AttemptFailure::BusyFor(_) | AttemptFailure::NotSent => {
                AttemptState::TurnedAway
            }
            AttemptFailure::TooLate if is_young => AttemptState::TooLate,
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
                let until = self.providers.pause(provider, now, said);
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
        if self.entries.is_open(id) {
            let lacks_a_word = self.entries.get(id).is_some_and(Entry::lacks_a_word);
            // With a verdict nobody else would have been needed.
            let why =
                if why == FailureReason::NobodyLeft && lacks_a_word { FailureReason::NoVerdict } else { why };
            self.close(id);
            self.actions.push(Action::GaveUp { subtask: id, why });
        }
    }

    /// Ends all open subtasks.
    pub fn give_up_all(&mut self, why: FailureReason) {
        for id in self.entries.ids() {
            self.give_up(id, why);
        }
    }

    /// Who could still answer the subtask, beside the one whose answer is looked at now.
    pub fn reach(&self, id: SubtaskId) -> Reach {
        let Some(entry) = self.entries.get(id) else {
            return Reach { anyone: false, known: false };
        };
        let known = |provider| self.providers.trust(provider).has_record();
        let left = entry.attempts_left();
        let can = |allowed: &dyn Fn(ProviderIndex) -> bool| left && self.anybody_to_ask(entry, allowed);
        Reach {
            anyone: entry.in_flight() > 1 || (entry.may_have_another() && can(&|_| true)),
            known: entry.asked_now().any(known) || can(&known),
        }
    }

    /// Whether somebody is here who could still be asked about a subtask, closed or not: with its skills,
    /// without an answer to it, and not failed at it too often. The last resort counts.
    pub fn could_ask(&self, id: SubtaskId) -> bool {
        self.entries.get(id).is_some_and(|entry| {
            self.providers.any_capable(entry.needs.eligible(), true, |provider| entry.may_ask(provider))
        })
    }

    /// Whether a subtask is open, nobody works on it, and nobody is here who may be asked for it.
    pub fn is_stranded(&self, id: SubtaskId) -> bool {
        self.entries.get(id).is_some_and(|entry| {
            !entry.closed && entry.in_flight() == 0 && !self.anybody_to_ask(entry, |_| true)
        })
    }

    /// Whether anybody is here who has the skills for a subtask.
    pub fn anybody_for(&self, id: SubtaskId) -> bool {
        self.entries.get(id).is_some_and(|entry| self.providers.any(entry.needs.eligible()))
    }

    /// Whether somebody is here who may be asked for a subtask now.
    fn anybody_to_ask(&self, entry: &Entry, allowed: impl Fn(ProviderIndex) -> bool) -> bool {
        let (who, last_resort) = (entry.needs.eligible(), entry.forgiven > 0);
        self.providers.any_capable(who, last_resort, |provider| entry.may_ask(provider) && allowed(provider))
    }

    /// Gives attempts so long, and as long on their way beside that.
    pub fn set_attempt_timeout(&mut self, per_attempt: Duration, trip: Duration) {
        (self.config.per_attempt, self.config.trip) = (per_attempt, trip);
    }

    /// How long a provider of which nothing is known may take for a subtask.
    pub fn timeout(&self, id: SubtaskId) -> Duration {
        let entry = self.entries.get(id);
        entry.map_or(self.config.per_attempt, |entry| self.timing().timeout(entry.needs))
    }

    /// Until when the answer to an attempt is waited for.
    pub fn answer_due(&self, id: SubtaskId, attempt: AttemptId) -> Option<Duration> {
        let entry = self.entries.get(id)?;
        Some(self.timing().answer_due(entry.needs, entry.attempt(attempt)?))
    }

    /// Until when somebody else may judge the answer of an attempt.
    pub fn word_due(&self, id: SubtaskId, attempt: AttemptId) -> Option<Duration> {
        let entry = self.entries.get(id)?;
        let waits = entry.pending(attempt) == Some(Pending::Attestation);
        entry.attempt(attempt).filter(|_| waits).map(|attempt| self.timing().word_due(entry.needs, attempt))
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
                entries.get(timer.subtask).is_some_and(|entry| entry.is_out(attempt))
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
        self.entries.refresh(id, true);
        self.check_hopeless(id, now, false);
    }

    /// Ends an attempt that is out and frees its provider; returns since when it waited for what it waited for.
    fn end_attempt(&mut self, id: SubtaskId, attempt: AttemptId, state: AttemptState) -> Option<Duration> {
        let slot = self.entries.get_mut(id)?.attempt_mut(attempt)?;
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

    /// Marks a subtask as done, and cancels its attempts that are out. The caller does so where it was verified earlier
    /// (a resumed run, a cache).
    pub fn close(&mut self, id: SubtaskId) {
        let Some(Closed { out, answered }) = self.entries.close(id) else { return };
        self.credit_queue.remove(id);
        for (attempt, provider) in answered {
            self.providers.judged(provider, id, attempt);
        }
        for attempt in out {
            let provider = self.entries.provider_of(id, attempt);
            if let Some(provider) = provider.filter(|_| self.entries.has_straggled(id, attempt)) {
                self.providers.strike(provider);
            }
            self.end_attempt(id, attempt, AttemptState::Failed);
            self.actions.push(Action::Cancel { subtask: id, attempt });
        }
    }

    fn timing(&self) -> Timing<'_> {
        Timing { config: &self.config, usual: self.usual_latency.get(), providers: &self.providers }
    }

    fn credit(&self) -> Credit<'_> {
        Credit { queue: &self.credit_queue, entries: &self.entries, providers: &self.providers }
    }
}

#[cfg(test)]
mod tests;
