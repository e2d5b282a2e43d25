//! What a retry may change in a run that is under way.

use std::time::Duration;

use super::{AttemptId, ProviderIndex, Scheduler, SubtaskId};

impl Scheduler {
    /// Whether somebody is here who could still be asked about a subtask, closed or not: with its skills,
    /// without an answer to it, and not failed at it too often. The last resort counts.
    pub fn could_ask(&self, id: SubtaskId) -> bool {
        self.entries.get(id.0 as usize).is_some_and(|entry| {
            self.providers.any_capable(entry.needs.eligible(), true, |provider| entry.may_ask(provider))
        })
    }

    /// Nothing is missed without a subtask: an attempt that fails ends it.
    pub fn try_once(&mut self, id: SubtaskId) {
        if let Some(entry) = self.entry_mut(id) {
            entry.once = true;
        }
    }

    /// Whether a subtask is open, nobody works on it, and nobody is here who may be asked for it.
    pub fn is_stranded(&self, id: SubtaskId) -> bool {
        self.entries.get(id.0 as usize).is_some_and(|entry| {
            let (who, last) = (entry.needs.eligible(), entry.forgiven > 0);
            !entry.closed
                && entry.in_flight() == 0
                && !self.providers.any_capable(who, last, |provider| entry.may_ask(provider))
        })
    }

    /// The attempt in which this provider answered a subtask, if it did.
    pub fn answer_of(&self, id: SubtaskId, provider: ProviderIndex) -> Option<AttemptId> {
        let answered = self.entries.get(id.0 as usize)?.answered();
        answered.filter(|(_, by)| *by == provider).map(|(attempt, _)| attempt).last()
    }

    /// Whether anybody is here who has the skills for a subtask.
    pub fn anybody_for(&self, id: SubtaskId) -> bool {
        self.entries
            .get(id.0 as usize)
            .is_some_and(|entry| self.providers.any_capable(entry.needs.eligible(), true, |_| true))
    }

    /// Lets a subtask have so many answers in all, if it may not have more.
    pub fn allow(&mut self, id: SubtaskId, replicas: u32) {
        if let Some(entry) = self.entry_mut(id) {
            entry.needs.replicas = entry.needs.replicas.max(replicas);
        }
    }

    /// Gives attempts so long, and as long on their way beside that.
    pub fn set_attempt_timeout(&mut self, per_attempt: Duration, trip: Duration) {
        (self.config.per_attempt, self.config.trip) = (per_attempt, trip);
    }

    /// Wants so many agreeing answers of so many providers from now on, for every subtask that is not
    /// done and for those that are opened again. Who has answers already is judged by the caller.
    pub fn need(&mut self, answers: u32, replicas: u32) {
        for at in 0..self.entries.len() {
            let entry = &mut self.entries[at];
            if entry.needs.settled_apart {
                continue;
            }
            entry.needs.answers = answers;
            entry.needs.replicas = replicas;
            if !entry.closed && entry.attempts.is_empty() {
                entry.missing = answers;
                self.refresh_ready(SubtaskId(u32::try_from(at).unwrap_or(u32::MAX)), false);
            }
        }
    }
}
