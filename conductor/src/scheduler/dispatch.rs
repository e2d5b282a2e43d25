//! Handing subtasks out to free providers.

use std::time::Duration;

use frlm_learning::seeded::{self, Purpose};

use super::Scheduler;
use super::entry::{Attempt, AttemptState};
use super::pace::times;
use super::providers::{ProviderIndex, Trust};
use super::timers::{Timer, TimerKind};
use super::types::{Action, AttemptId, Needs, SubtaskId};

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
            let next = match after {
                None => self.ready.iter().next().copied(),
                Some(last) => self
                    .ready
                    .range((std::ops::Bound::Excluded(last), std::ops::Bound::Unbounded))
                    .next()
                    .copied(),
            };
            let Some(key) = next else { break };
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
        let Some(entry) = self.entries.get(id.0 as usize) else { return Handed::ToNobody };
        let (who, last) = (entry.needs.eligible(), entry.forgiven > 0);
        let newcomer = |candidate| !self.providers.trust(candidate).has_record();
        // Keys cost nothing: of the answers to one subtask at most one is a newcomer's.
        let one_is_enough = self.config.by_trust
            && entry.asked_now().any(newcomer)
            && self
                .providers
                .any_capable(who, last, |candidate| entry.may_ask(candidate) && !newcomer(candidate));
        let disagreement = self.least_disagreement(id, entry);
        let (needs, left) = (entry.needs, self.config.total.saturating_sub(now));
        let per_attempt = self.config.per_attempt;
        let in_time = |candidate| self.providers.is_in_time(candidate, needs, per_attempt, left);
        // Where nobody is, the quickest may still be waited for.
        let somebody_is = needs.reading.is_some()
            && self
                .providers
                .any_capable(who, last, |candidate| entry.may_ask(candidate) && in_time(candidate));
        let welcome = |candidate| {
            !(one_is_enough && newcomer(candidate))
                && (!somebody_is || in_time(candidate))
                && self.may_use_credit(candidate, id)
                && self.ranks(candidate, disagreement.as_ref())
        };
        let mut rng = seeded::stream(self.config.seed, self.attempts.into(), Purpose::Provider);
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
        let leeway = self.providers.leeway(provider, needs);
        let timeout = needs.within(per_attempt, leeway);
        let attempt = self.next_attempt();
        self.engage(provider, id);
        if let Some(entry) = self.entry_mut(id) {
            // That it turned the subtask away before says nothing more, and would pile up while a swarm is busy.
            entry
                .attempts
                .retain(|before| before.provider != provider || before.state != AttemptState::TurnedAway);
            // Most subtasks have one or two attempts; doubling would keep room for four in each.
            entry.attempts.reserve_exact(1);
            if alone {
                entry.missing = 1;
            }
            entry.attempts.push(Attempt::new(attempt, provider, leeway, now));
        }
        self.providers.take(provider, id, attempt);
        self.timers.push(Timer { at: now + timeout, subtask: id, kind: TimerKind::Timeout(attempt) });
        if let Some(at) = self.straggles_at(id, attempt, now).filter(|at| *at < now + timeout) {
            self.timers.push(Timer { at, subtask: id, kind: TimerKind::Hedge(attempt) });
        }
        self.actions.push(Action::Dispatch { subtask: id, attempt, provider, hedge });
        self.refresh_ready(id, false);
        Handed::Out
    }

    /// When to look whether an attempt straggles; it does if that is not after `now`. A provider that was asked before anybody had
    /// answered is held against those who have answered since: until then it is looked for now and then.
    pub(super) fn straggles_at(&self, id: SubtaskId, attempt: AttemptId, now: Duration) -> Option<Duration> {
        let needs = self.entries.get(id.0 as usize)?.needs;
        let attempt = self.attempt(id, attempt)?;
        let timeout = needs.within(self.config.per_attempt, attempt.leeway);
        let after = self.hedge_after(attempt.provider, needs, timeout).map(|after| after + self.config.trip);
        let at = after.map_or(Duration::MAX, |after| attempt.since().saturating_add(after));
        if at <= now || self.providers.usual_latency().is_some() {
            return Some(at);
        }
        let soon = needs.scaled(self.config.hedge_floor) + self.config.trip;
        // How quick a stranger is it says itself: nobody who is known sits idle until that is over.
        if self.providers.known_one_idles(attempt.provider, needs.eligible()) {
            return Some(at.min(attempt.since().saturating_add(soon)));
        }
        Some(at.min(now + soon))
    }

    /// When somebody else is asked, too: after a multiple of what answers usually take, for as long as this provider takes
    /// for them. A slow machine that does what it can is no straggler. `None`: nothing is known of either yet.
    fn hedge_after(&self, provider: ProviderIndex, needs: Needs, timeout: Duration) -> Option<Duration> {
        let own = self.providers.times_as_long(provider, needs, 1.0);
        let (factor, floor) = (self.config.hedge_factor, self.config.hedge_floor);
        match (self.providers.usual_latency(), own) {
            (None, None) => None,
            (None, Some(_)) => Some(timeout / 2),
            (Some(usual), own) => {
                let usual = times(usual.mul_f64(factor), own.unwrap_or(1.0));
                Some(needs.scaled(usual.max(floor)))
            }
        }
    }
}
