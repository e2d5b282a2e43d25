//! Handing subtasks out to free providers.

use std::time::Duration;

use frlm_learning::seeded::{self, Purpose};

use super::Scheduler;
use super::entry::{Attempt, AttemptState};
use super::providers::Trust;
use super::timers::{Timer, TimerKind};
use super::types::{Action, SubtaskId};

/// Maximum subtasks without a provider that one poll looks at; the rest waits for the next poll.
const MOST_PASSED_OVER: usize = 256;
/// Maximum subtasks waiting for a better provider; beyond it no new one starts. Otherwise quick providers with wrong
/// answers would begin them all.
const MOST_WAITING: usize = 16;

/// What became of an attempt to send a subtask out.
enum Handed {
    /// A provider has it.
    Out,
    /// Every free provider was asked already, or may not be asked.
    ToNobody,
    /// The same, and the subtask waits for a busy provider that contradicts fewer of those asked.
    ToNobodyBetter,
}

impl Scheduler {
    pub(super) fn hand_out(&mut self, now: Duration) {
        let mut after = None;
        let (mut passed_over, mut waiting) = (0, 0);
        while self.providers.any_free() && passed_over < MOST_PASSED_OVER {
            let Some(key) = self.entries.ready_after(after) else { break };
            // A subtask that was sent out may want another replica: it is looked at again.
            match self.dispatch(key.1, now) {
                Handed::Out => continue,
                Handed::ToNobody => {}
                Handed::ToNobodyBetter if waiting + 1 >= MOST_WAITING => break,
                Handed::ToNobodyBetter => waiting += 1,
            }
            after = Some(key);
            passed_over += 1;
        }
    }

    /// Tries to send a subtask out.
    fn dispatch(&mut self, id: SubtaskId, now: Duration) -> Handed {
        let Some(entry) = self.entries.get(id) else { return Handed::ToNobody };
        let (who, last) = (entry.needs.eligible(), entry.forgiven > 0);
        let newcomer = |candidate| !self.providers.trust(candidate).has_record();
        // Keys cost nothing: of the answers to one subtask at most one is a newcomer's.
        let one_is_enough = self.config.by_trust
            && entry.asked_now().any(newcomer)
            && self.anybody_to_ask(entry, |candidate| !newcomer(candidate));
        let credit = self.credit();
        let waited_for = self
            .providers
            .reliable(who, last)
            .filter(|candidate| entry.is_fresh(*candidate) && credit.may_use(*candidate, id));
        let disagreement = self.disagreement.least(entry, waited_for);
        let (needs, timing) = (entry.needs, self.timing());
        let in_time = |candidate| timing.is_in_time(candidate, needs, now);
        // Where nobody is, the quickest may still be waited for.
        let somebody_is = needs.reading.is_some() && self.anybody_to_ask(entry, in_time);
        let welcome = |candidate| {
            !(one_is_enough && newcomer(candidate))
                && (!somebody_is || in_time(candidate))
                && credit.may_use(candidate, id)
                && self.disagreement.ranks(candidate, disagreement.as_ref())
        };
        let mut rng = seeded::stream(self.config.seed, self.entries.attempts().into(), Purpose::Provider);
        let fresh = |candidate| entry.is_fresh(candidate) && welcome(candidate);
        let any = |candidate| entry.may_ask(candidate) && welcome(candidate);
        let picked = self.providers.pick(who, last, fresh, &mut rng);
        let Some(provider) = picked.or_else(|| self.providers.pick(who, last, any, &mut rng)) else {
            self.check_hopeless(id, now, false);
            return if disagreement.is_some() { Handed::ToNobodyBetter } else { Handed::ToNobody };
        };
        let alone = self.config.by_trust
            && entry.attempts.is_empty()
            && self.providers.trust(provider) == Trust::Alone;
        let hedge = entry.in_flight() >= entry.missing;
        let leeway = timing.leeway(provider, needs);
        let attempt = Attempt::new(self.entries.next_attempt(), provider, leeway, now);
        self.credit_queue.engage(provider, id, &self.entries, &self.providers);
        if let Some(entry) = self.entries.get_mut(id) {
            // That it turned the subtask away before says nothing more, and would pile up while a swarm is busy.
            entry
                .attempts
                .retain(|before| before.provider != provider || before.state != AttemptState::TurnedAway);
            // Most subtasks have one or two attempts; doubling would keep room for four in each.
            entry.attempts.reserve_exact(1);
            if alone {
                entry.missing = 1;
            }
            entry.attempts.push(attempt);
        }
        self.providers.take(provider, id, attempt.id);
        let due = now + self.timing().time_of(needs, &attempt);
        self.timers.push(Timer { at: due, subtask: id, kind: TimerKind::Timeout(attempt.id) });
        let at = self.timing().straggles_at(needs, &attempt, now);
        if at < due {
            self.timers.push(Timer { at, subtask: id, kind: TimerKind::Hedge(attempt.id) });
        }
        let attempt = attempt.id;
        self.actions.push(Action::Dispatch { subtask: id, attempt, provider, hedge });
        self.entries.refresh(id, false);
        Handed::Out
    }
}
