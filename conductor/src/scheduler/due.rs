//! What time does: answers that do not come, and subtasks that nobody is left to ask.

use std::time::Duration;

use super::Scheduler;
use super::entry::{Attempt, AttemptState, Entry, Pending};
use super::timers::{Timer, TimerKind};
use super::types::{Action, AttemptFailure, AttemptId, Eligible, FailureReason, SubtaskId};

/// How many times as long as a provider this machine may take to look at an answer: a model of the user's reads one after
/// the other, and what it has not read then was lost on the way.
pub(super) const LONGEST_HERE: u32 = 8;

impl Scheduler {
    pub(super) fn fire(&mut self, timer: Timer, now: Duration) {
        let Timer { subtask, kind, .. } = timer;
        match kind {
            TimerKind::Timeout(attempt) => match self.has_time_until(subtask, attempt, now) {
                Some(at) => self.timers.push(Timer { at, ..timer }),
                None => self.time_out(subtask, attempt, now),
            },
            // Another answer would wait for the same.
            TimerKind::Hedge(attempt) if self.pending(subtask, attempt) == Some(Pending::Answer) => {
                if let Some(at) = self.straggles_at(subtask, attempt, now).filter(|at| *at > now) {
                    self.timers.push(Timer { at, ..timer });
                    return;
                }
                if let Some(attempt) = self.attempt_mut(subtask, attempt) {
                    attempt.straggles = true;
                }
                if let Some(entry) = self.entry_mut(subtask) {
                    entry.hedges += 1;
                }
                self.refresh_ready(subtask, true);
            }
            TimerKind::Newcomer { tried } => {
                let Some(entry) = self.entry_mut(subtask) else { return };
                entry.waits_for_newcomer = false;
                // Somebody came and was no use: the next one has as long to come.
                let nobody_came = entry.tried() == tried;
                self.check_hopeless(subtask, now, nobody_came);
            }
            TimerKind::Hedge(_) | TimerKind::Wake => {}
        }
    }

    /// Whether somebody else was asked beside an attempt, because it took so much longer than others do.
    pub fn has_straggled(&self, id: SubtaskId, attempt: AttemptId) -> bool {
        self.attempt(id, attempt).is_some_and(|attempt| attempt.straggles)
    }

    /// Ends an attempt whose time is up, if it is out.
    fn time_out(&mut self, subtask: SubtaskId, attempt: AttemptId, now: Duration) {
        match self.pending(subtask, attempt) {
            None => {}
            Some(Pending::LocalReview | Pending::Attestation) => {
                self.actions.push(Action::TimedOut { subtask, attempt });
                self.failed(subtask, attempt, AttemptFailure::NoVerdict, now);
            }
            Some(Pending::Answer | Pending::Reviews) => {
                self.end_attempt(subtask, attempt, AttemptState::Failed);
                if let Some(provider) = self.provider_of(subtask, attempt) {
                    self.providers.strike(provider);
                }
                self.actions.push(Action::TimedOut { subtask, attempt });
                self.after_failure(subtask, now);
            }
        }
    }

    /// When to look again after an attempt: a job that left late, and an answer that is here, have a time of their own.
    fn has_time_until(&self, id: SubtaskId, attempt: AttemptId, now: Duration) -> Option<Duration> {
        match self.pending(id, attempt)? {
            Pending::Answer => self.answer_due(id, attempt).filter(|due| *due > now),
            Pending::LocalReview => (!self.has_waited_long(id, attempt, now)).then(|| now + self.timeout(id)),
            Pending::Attestation => self.word_due(id, attempt).filter(|due| *due > now),
            Pending::Reviews => Some(now + self.timeout(id)),
        }
    }

    /// How long a provider of which nothing is known may take for a subtask.
    pub fn timeout(&self, id: SubtaskId) -> Duration {
        let entry = self.entries.get(id.0 as usize);
        entry.map_or(self.config.per_attempt, |entry| entry.needs.scaled(self.config.per_attempt))
    }

    /// Whether most of an attempt's time is left: a provider that returns it now has cost the subtask next to nothing.
    pub(super) fn is_young(&self, id: SubtaskId, attempt: AttemptId, now: Duration) -> bool {
        let since = self.attempt(id, attempt).map(Attempt::since);
        let due = self.answer_due(id, attempt);
        since.zip(due).is_some_and(|(since, due)| now.saturating_sub(since) < due.saturating_sub(since) / 2)
    }

    /// Whether this machine has had an answer for so long that it was lost here.
    fn has_waited_long(&self, id: SubtaskId, attempt: AttemptId, now: Duration) -> bool {
        let entry = self.entries.get(id.0 as usize);
        let attempt = entry.and_then(|entry| entry.attempt(attempt));
        let longest = self.timeout(id).saturating_mul(LONGEST_HERE);
        attempt.is_none_or(|attempt| now.saturating_sub(attempt.since()) >= longest)
    }

    pub(super) fn check_hopeless(&mut self, id: SubtaskId, now: Duration, waited: bool) {
        let limit = self.config.spare_attempts;
        let Some(entry) = self.entries.get(id.0 as usize) else { return };
        if entry.closed || entry.held || entry.in_flight() > 0 {
            return;
        }
        if !entry.attempts_left(limit) {
            self.give_up(id, FailureReason::Exhausted);
            return;
        }
        if entry.lacks_a_word() && !entry.may_have_another() {
            self.give_up(id, FailureReason::NoVerdict);
            return;
        }
        let (who, last) = (entry.needs.eligible(), entry.forgiven > 0);
        if self.providers.any_capable(who, last, |provider| entry.may_ask(provider)) {
            return;
        }
        if waited {
            self.give_up(id, FailureReason::NobodyLeft);
        } else if !entry.waits_for_newcomer {
            let kind = TimerKind::Newcomer { tried: entry.tried() };
            self.timers.push(Timer { at: now + self.config.newcomer_wait, subtask: id, kind });
            if let Some(entry) = self.entry_mut(id) {
                entry.waits_for_newcomer = true;
            }
        }
    }

    /// With nobody there at all, subtasks that were never sent must not wait for ever either. An answer that is here needs
    /// nobody: it is looked at, and then its subtask is done, or waits like the others.
    pub(super) fn check_lonely(&mut self, now: Duration) {
        let waits_for_somebody = |entry: &Entry| !entry.closed && entry.in_flight() == 0;
        if self.open == 0 || self.has_any(Eligible::ALL) || !self.entries.iter().any(waits_for_somebody) {
            self.lonely_since = None;
            return;
        }
        let since = *self.lonely_since.get_or_insert(now);
        if now >= since + self.config.newcomer_wait {
            self.lonely_since = None;
            let lonely =
                (0..).map(SubtaskId).zip(&self.entries).filter(|(_, entry)| waits_for_somebody(entry));
            let lonely: Vec<SubtaskId> = lonely.map(|(id, _)| id).collect();
            for id in lonely {
                self.give_up(id, FailureReason::NobodyLeft);
            }
        }
    }
}
