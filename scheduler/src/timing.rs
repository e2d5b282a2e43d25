//! How long is waited: for an answer, for a verdict about it, and until somebody else is asked, too. Pure.
//!
//! The time that the settings give a usual subtask is scaled by what this one needs and by the known speed of its provider.

use std::time::Duration;

use super::entry::{Attempt, Pending};
use super::pace::{USUALLY_WRITTEN, leeway, times};
use super::providers::Providers;
use super::{Needs, ProviderIndex, SchedulerConfig};

/// How many times as long as a provider this machine may take to look at an answer: a model of the user's reads one after
/// the other, and what it has not read then was lost on the way.
pub(super) const LONGEST_HERE: u32 = 8;
/// Weight of a new observation in the usual latency.
const LATENCY_WEIGHT: f64 = 0.1;

/// What answers of this run usually took, as if a usual one of a provider of which nothing is known: an exponentially
/// weighted mean.
#[derive(Debug, Default)]
pub(super) struct UsualLatency(Option<Duration>);

impl UsualLatency {
    pub fn get(&self) -> Option<Duration> {
        self.0
    }

    /// An answer took so long.
    pub fn observe(&mut self, latency: Duration) {
        self.0 = Some(match self.0 {
            None => latency,
            Some(usual) => usual.mul_f64(1.0 - LATENCY_WEIGHT) + latency.mul_f64(LATENCY_WEIGHT),
        });
    }
}

/// What decides how long is waited.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing<'run> {
    pub config: &'run SchedulerConfig,
    pub usual: Option<Duration>,
    pub providers: &'run Providers,
}

impl Timing<'_> {
    /// How long a provider of which nothing is known may take.
    pub fn timeout(self, needs: Needs) -> Duration {
        needs.scaled(self.config.per_attempt)
    }

    /// How long an attempt has from when its job leaves, apart from the way.
    pub fn time_of(self, needs: Needs, attempt: &Attempt) -> Duration {
        needs.within(self.config.per_attempt, attempt.leeway)
    }

    /// Until when the answer to an attempt is waited for.
    pub fn answer_due(self, needs: Needs, attempt: &Attempt) -> Duration {
        attempt.since() + self.time_of(needs, attempt) + self.config.trip
    }

    /// Until when somebody else may judge the answer of an attempt.
    pub fn word_due(self, needs: Needs, attempt: &Attempt) -> Duration {
        attempt.since() + self.timeout(needs)
    }

    /// When to look again after an attempt that waits for this: a job that left late, and an answer that is here, have a time
    /// of their own. `None`: its time is up.
    pub fn time_until(
        self,
        needs: Needs,
        attempt: &Attempt,
        pending: Pending,
        now: Duration,
    ) -> Option<Duration> {
        match pending {
            Pending::Answer => Some(self.answer_due(needs, attempt)).filter(|due| *due > now),
            Pending::Attestation => Some(self.word_due(needs, attempt)).filter(|due| *due > now),
            // What this machine has had for so long was lost here.
            Pending::LocalReview => {
                let longest = self.timeout(needs).saturating_mul(LONGEST_HERE);
                (now.saturating_sub(attempt.since()) < longest).then(|| now + self.timeout(needs))
            }
            Pending::Reviews => Some(now + self.timeout(needs)),
        }
    }

    /// Whether most of an attempt's time is left: a provider that returns it now has cost the subtask next to nothing.
    pub fn is_young(self, needs: Needs, attempt: &Attempt, now: Duration) -> bool {
        let (since, due) = (attempt.since(), self.answer_due(needs, attempt));
        now.saturating_sub(since) < due.saturating_sub(since) / 2
    }

    /// How long a provider's answer is waited for, in percent of what one has of which nothing is known: twice what it needs,
    /// up to a bound, and as much for each job that it has to do before.
    pub fn leeway(self, provider: ProviderIndex, needs: Needs) -> u16 {
        let own = self.providers.times_as_long(provider, needs, 1.0);
        own.map_or(super::pace::UNKNOWN_LEEWAY, |own| leeway(own, self.providers.turns(provider)))
    }

    /// Whether a provider is likely to be done in the time that it has, and in what is left of all time.
    pub fn is_in_time(self, provider: ProviderIndex, needs: Needs, now: Duration) -> bool {
        let Some(own) = self.providers.times_as_long(provider, needs, USUALLY_WRITTEN) else { return true };
        let needed = times(needs.scaled(super::USUAL), own * f64::from(self.providers.turns(provider)));
        let left = self.config.total.saturating_sub(now);
        needed <= needs.within(self.config.per_attempt, self.leeway(provider, needs)).min(left)
    }

    /// What an answer took, as if a usual one of a provider of which nothing is known.
    pub fn as_usual(self, provider: ProviderIndex, needs: Needs, latency: Duration) -> Duration {
        let own = self.providers.times_as_long(provider, needs, 1.0).unwrap_or(1.0);
        times(needs.unscaled(latency), 1.0 / own)
    }

    /// When to look whether an attempt straggles; it does if that is not after `now`. A provider that was asked before anybody had
    /// answered is held against those who have answered since: until then it is looked for now and then.
    pub fn straggles_at(self, needs: Needs, attempt: &Attempt, now: Duration) -> Duration {
        let after = self.hedge_after(needs, attempt).map(|after| after + self.config.trip);
        let at = after.map_or(Duration::MAX, |after| attempt.since().saturating_add(after));
        if at <= now || self.usual.is_some() {
            return at;
        }
        let soon = needs.scaled(self.config.hedge_floor) + self.config.trip;
        // How quick a stranger is it says itself: nobody who is known sits idle until that is over.
        if self.providers.known_one_idles(attempt.provider, needs.eligible()) {
            return at.min(attempt.since().saturating_add(soon));
        }
        at.min(now + soon)
    }

    /// When somebody else is asked, too: after a multiple of what answers usually take, for as long as this provider takes
    /// for them. A slow machine that does what it can is no straggler. `None`: nothing is known of either yet.
    fn hedge_after(self, needs: Needs, attempt: &Attempt) -> Option<Duration> {
        let own = self.providers.times_as_long(attempt.provider, needs, 1.0);
        match (self.usual, own) {
            (None, None) => None,
            (None, Some(_)) => Some(self.time_of(needs, attempt) / 2),
            (Some(usual), own) => {
                let usual = times(usual.mul_f64(self.config.hedge_factor), own.unwrap_or(1.0));
                Some(needs.scaled(usual.max(self.config.hedge_floor)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::AttemptId;
    use super::super::pace::UNKNOWN_LEEWAY;
    use super::*;

    const NEEDS: Needs = Needs {
        answers: 1,
        replicas: 1,
        skills: 0,
        venue: None,
        ends_itself: false,
        settled_apart: false,
        percent: 100,
        reading: None,
    };

    fn attempt() -> Attempt {
        Attempt::new(AttemptId(0), ProviderIndex(0), UNKNOWN_LEEWAY, Duration::ZERO)
    }

    #[test]
    fn each_that_is_waited_for_has_a_time_of_its_own() {
        let (config, providers) = (SchedulerConfig::default(), Providers::default());
        let timing = Timing { config: &config, usual: None, providers: &providers };
        let until = |pending, now| timing.time_until(NEEDS, &attempt(), pending, now);
        let most = config.per_attempt;
        assert_eq!((until(Pending::Answer, most / 2), until(Pending::Answer, most)), (Some(most), None));
        assert_eq!(until(Pending::Attestation, most), None);
        assert_eq!(until(Pending::LocalReview, most), Some(most * 2));
        assert_eq!(until(Pending::LocalReview, most * LONGEST_HERE), None, "it was lost here");
        assert_eq!(until(Pending::Reviews, most * 100), Some(most * 101), "they are subtasks themselves");
    }

    #[test]
    fn a_straggler_takes_a_multiple_of_what_answers_usually_take() {
        let (config, providers) = (SchedulerConfig::default(), Providers::default());
        let after = |usual: Option<Duration>| {
            let timing = Timing { config: &config, usual, providers: &providers };
            timing.straggles_at(NEEDS, &attempt(), Duration::ZERO)
        };
        let second = Duration::from_secs(1);
        assert_eq!(after(Some(second)), second * 3);
        assert_eq!(after(Some(second / 10)), config.hedge_floor, "but never before that");
        assert_eq!(after(None), config.hedge_floor, "nobody has answered: it is looked for now and then");
    }

    #[test]
    fn the_first_answer_is_the_usual_one_and_later_ones_move_it() {
        let mut usual = UsualLatency::default();
        assert_eq!(usual.get(), None);
        usual.observe(Duration::from_secs(10));
        usual.observe(Duration::from_secs(20));
        assert_eq!(usual.get(), Some(Duration::from_secs(11)));
    }
}
