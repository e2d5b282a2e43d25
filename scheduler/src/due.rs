//! What time does: answers that do not come, and subtasks that nobody is left to ask.

use std::time::Duration;

use super::Scheduler;
use super::entry::{AttemptState, Entry, Pending};
use super::timers::{Timer, TimerKind};
use super::types::{Action, AttemptFailure, AttemptId, Eligible, FailureReason, SubtaskId};

impl Scheduler {
    pub(super) fn fire(&mut self, timer: Timer, now: Duration) {
        let Timer { subtask, kind, .. } = timer;
        match kind {
            TimerKind::Timeout(attempt) => match self.time_until(subtask, attempt, now) {
                Some(at) => self.timers.push(Timer { at, ..timer }),
                None => self.time_out(subtask, attempt, now),
            },
            TimerKind::Hedge(attempt) => self.check_straggler(timer, attempt, now),
            TimerKind::Newcomer { tried } => {
                let Some(entry) = self.entries.get_mut(subtask) else { return };
                entry.waits_for_newcomer = false;
                // Somebody came and was no use: the next one has as long to come.
                let nobody_came = entry.tried() == tried;
                self.check_hopeless(subtask, now, nobody_came);
            }
            TimerKind::Wake => {}
        }
    }

    /// Wants another attempt beside one that takes much longer than others do.
    fn check_straggler(&mut self, timer: Timer, attempt: AttemptId, now: Duration) {
        let Some(entry) = self.entries.get(timer.subtask) else { return };
        // Another answer would wait for the same.
        let waits = entry.pending(attempt) == Some(Pending::Answer);
        let Some(out) = entry.attempt(attempt).filter(|_| waits) else { return };
        let at = self.timing().straggles_at(entry.needs, out, now);
        if at > now {
            self.timers.push(Timer { at, ..timer });
            return;
        }
        if let Some(entry) = self.entries.get_mut(timer.subtask) {
            entry.hedges += 1;
            if let Some(attempt) = entry.attempt_mut(attempt) {
                attempt.straggles = true;
            }
        }
        self.entries.refresh(timer.subtask, true);
    }

    fn time_until(&self, id: SubtaskId, attempt: AttemptId, now: Duration) -> Option<Duration> {
        let entry = self.entries.get(id)?;
        let pending = entry.pending(attempt)?;
        self.timing().time_until(entry.needs, entry.attempt(attempt)?, pending, now)
    }

    /// Ends an attempt whose time is up, if it is out.
    fn time_out(&mut self, subtask: SubtaskId, attempt: AttemptId, now: Duration) {
        match self.entries.pending(subtask, attempt) {
            None => {}
            Some(Pending::LocalReview | Pending::Attestation) => {
                self.actions.push(Action::TimedOut { subtask, attempt });
                self.failed(subtask, attempt, AttemptFailure::NoVerdict, now);
            }
            Some(Pending::Answer | Pending::Reviews) => {
                self.end_attempt(subtask, attempt, AttemptState::Failed);
                if let Some(provider) = self.entries.provider_of(subtask, attempt) {
                    self.providers.strike(provider);
                }
                self.actions.push(Action::TimedOut { subtask, attempt });
                self.after_failure(subtask, now);
            }
        }
    }

    pub(super) fn check_hopeless(&mut self, id: SubtaskId, now: Duration, waited: bool) {
        let Some(entry) = self.entries.get(id) else { return };
        if entry.closed || entry.held || entry.in_flight() > 0 {
            return;
        }
        if !entry.attempts_left() {
            self.give_up(id, FailureReason::Exhausted);
            return;
        }
        if entry.lacks_a_word() && !entry.may_have_another() {
            self.give_up(id, FailureReason::NoVerdict);
            return;
        }
        if self.anybody_to_ask(entry, |_| true) {
            return;
        }
        if waited {
            self.give_up(id, FailureReason::NobodyLeft);
        } else if !entry.waits_for_newcomer {
            let kind = TimerKind::Newcomer { tried: entry.tried() };
            self.timers.push(Timer { at: now + self.config.newcomer_wait, subtask: id, kind });
            if let Some(entry) = self.entries.get_mut(id) {
                entry.waits_for_newcomer = true;
            }
        }
    }

    /// With nobody there at all, subtasks that were never sent must not wait for ever either. An answer that is here needs
    /// nobody: it is looked at, and then its subtask is done, or waits like the others.
    pub(super) fn check_lonely(&mut self, now: Duration) {
        let waits_for_somebody = |entry: &Entry| !entry.closed && entry.in_flight() == 0;
        let any_waits = self.entries.iter().any(|(_, entry)| waits_for_somebody(entry));
        if self.entries.open() == 0 || self.providers.any(Eligible::ALL) || !any_waits {
            self.lonely_since = None;
            return;
        }
        let since = *self.lonely_since.get_or_insert(now);
        if now >= since + self.config.newcomer_wait {
            self.lonely_since = None;
            let lonely = self.entries.iter().filter(|(_, entry)| waits_for_somebody(entry));
            let lonely: Vec<SubtaskId> = lonely.map(|(id, _)| id).collect();
            for id in lonely {
                self.give_up(id, FailureReason::NobodyLeft);
            }
        }
    }
}
