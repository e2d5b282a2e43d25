//! What a run's stages are judged by: counts as they come in, and what they are in relation to each other
//! (seeds/llm-reasoning-refactor.md, section 2, "Derived Rates").
//!
//! Everything is counted twice: since the run began, and since the last decision. A liar that was caught
//! at the beginning must not colour what is decided about the end.
//!
//! A share of nothing is 0: where no answers were compared, none dissented.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use frlm_wallet::Sats;

use crate::swarm::ProviderId;

/// How much a new observation weighs in a provider's usual latency.
const LATENCY_WEIGHT: f64 = 0.2;

/// Counts of one stretch of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::run) struct Counts {
    /// Attempts that came back with an answer that passed the checks that need no comparison.
    returned: u64,
    /// Attempts that came back with anything else.
    failed: u64,
    /// Attempts that did not come back.
    timed_out: u64,
    /// Answers whose judge said nothing.
    unjudged: u64,
    /// Answers that were held against others.
    compared: u64,
    /// Those of them that were not accepted.
    dissenting: u64,
    /// Subtasks with an accepted answer.
    accepted: u64,
    /// What providers were paid.
    spent_sats: u64,
    /// What one answer to each accepted subtask was quoted at.
    quoted_sats: u64,
    /// Latencies as multiples of what was usual for the provider that had them.
    slowness: f64,
    measured: u64,
}

/// The counts of a run, and how fast each of its providers usually is.
#[derive(Debug, Default)]
pub(in crate::run) struct Gauge {
    whole: Counts,
    recent: Counts,
    providers: HashMap<ProviderId, Conduct>,
}

/// How one provider has behaved in this run.
#[derive(Debug, Clone, Copy, Default)]
struct Conduct {
    /// Its usual latency in seconds; 0 before its first answer.
    usual_secs: f64,
    returned: u32,
    failed: u32,
}

impl Gauge {
    /// An answer came.
    pub fn returned(&mut self, provider: &ProviderId, latency: Duration) {
        let seconds = latency.as_secs_f64();
        let conduct = self.providers.entry(provider.clone()).or_default();
        let before = conduct.usual_secs;
        let slowness = (before > 0.0).then(|| seconds / before);
        conduct.usual_secs =
            if before > 0.0 { before + LATENCY_WEIGHT * (seconds - before) } else { seconds };
        conduct.returned += 1;
        self.both(|counts| {
            counts.returned += 1;
            counts.slowness += slowness.unwrap_or(0.0);
            counts.measured += u64::from(slowness.is_some());
        });
    }

    /// An attempt failed.
    pub fn failed(&mut self, provider: &ProviderId) {
        self.providers.entry(provider.clone()).or_default().failed += 1;
        self.both(|counts| counts.failed += 1);
    }

    /// An attempt could not be paid for: no provider heard of it.
    pub fn unpaid(&mut self) {
        self.both(|counts| counts.failed += 1);
    }

    /// An answer that was counted as returned got no verdict: that says nothing of its provider.
    pub fn unjudged(&mut self) {
        self.both(|counts| counts.unjudged += 1);
    }

    /// Providers that fail more often than they answer.
    pub fn failing(&self) -> impl Iterator<Item = &ProviderId> {
        self.providers
            .iter()
            .filter(|(_, conduct)| conduct.failed > conduct.returned)
            .map(|(provider, _)| provider)
    }

    /// An attempt was not answered in time.
    pub fn timed_out(&mut self) {
        self.both(|counts| counts.timed_out += 1);
    }

    /// Answers to one subtask were held against each other.
    pub fn compared(&mut self, answers: usize, dissenting: usize) {
        // A single answer was held against nothing.
        if answers > 1 {
            self.both(|counts| {
                counts.compared += answers as u64;
                counts.dissenting += dissenting as u64;
            });
        }
    }

    /// A subtask has its answer.
    pub fn accepted(&mut self, quoted: Option<Sats>) {
        self.both(|counts| {
            counts.accepted += 1;
            counts.quoted_sats = counts.quoted_sats.saturating_add(quoted.unwrap_or(Sats::ZERO).0);
        });
    }

    /// A provider was paid.
    pub fn spent(&mut self, sats: u64) {
        self.both(|counts| counts.spent_sats = counts.spent_sats.saturating_add(sats));
    }

    /// Subtasks accepted in this start of the run.
    pub fn all_accepted(&self) -> u64 {
        self.whole.accepted
    }

    /// The counts since the run began.
    pub fn whole(&self) -> &Counts {
        &self.whole
    }

    /// The counts since this was last called.
    pub fn take_recent(&mut self) -> Counts {
        std::mem::take(&mut self.recent)
    }

    fn both(&mut self, change: impl Fn(&mut Counts)) {
        change(&mut self.whole);
        change(&mut self.recent);
    }
}

impl Counts {
    /// The counts by name, for the record and for a model.
    pub fn metrics(&self) -> BTreeMap<String, f64> {
        named([
            ("answers_compared", self.compared as f64),
            ("answers_dissenting", self.dissenting as f64),
            ("answers_without_verdict", self.unjudged as f64),
            ("attempts_failed", self.failed as f64),
            ("attempts_returned", self.returned as f64),
            ("attempts_timed_out", self.timed_out as f64),
            ("sats_per_verified_subtask", share(self.spent_sats, self.accepted)),
            ("subtasks_verified", self.accepted as f64),
        ])
    }

    /// What they are in relation to each other.
    pub fn rates(&self) -> BTreeMap<String, f64> {
        let attempts = self.returned + self.failed + self.timed_out;
        let latency_ratio = if self.measured == 0 { 1.0 } else { self.slowness / self.measured as f64 };
        named([
            ("cost_ratio", share(self.spent_sats, self.quoted_sats)),
            ("dissent_rate", share(self.dissenting, self.compared)),
            ("failure_rate", share(self.failed, attempts)),
            ("latency_ratio", latency_ratio),
            ("timeout_rate", share(self.timed_out, attempts)),
            // What was returned before this stretch began may have been given up in it.
            ("without_verdict_rate", share(self.unjudged, self.returned.max(self.unjudged))),
        ])
    }
}

/// A part as a share of the whole; of nothing, 0.
pub(in crate::run) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Values by name.
pub(in crate::run) fn named<const N: usize>(values: [(&str, f64); N]) -> BTreeMap<String, f64> {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_shares_of_what_was_tried_and_of_what_was_compared() {
        let mut gauge = Gauge::default();
        let provider: ProviderId = "a".into();
        (0..6).for_each(|_| gauge.returned(&provider, Duration::from_millis(100)));
        gauge.failed(&provider);
        gauge.timed_out();
        gauge.compared(1, 0);
        gauge.compared(3, 1);
        gauge.accepted(Some(Sats(5)));
        gauge.accepted(None);
        gauge.spent(10);
        let rates = gauge.whole().rates();
        let near = |name: &str, value: f64| assert!((rates[name] - value).abs() < 1e-9, "{name}: {rates:?}");
        near("timeout_rate", 1.0 / 8.0);
        near("failure_rate", 1.0 / 8.0);
        near("dissent_rate", 1.0 / 3.0);
        near("cost_ratio", 2.0);
        near("latency_ratio", 1.0);
        assert!((gauge.whole().metrics()["sats_per_verified_subtask"] - 5.0).abs() < 1e-9);
    }

    #[test]
    fn a_provider_is_held_against_its_own_history_not_against_faster_ones() {
        let mut gauge = Gauge::default();
        let (quick, slow): (ProviderId, ProviderId) = ("quick".into(), "slow".into());
        for _ in 0..10 {
            gauge.returned(&quick, Duration::from_millis(10));
            gauge.returned(&slow, Duration::from_secs(2));
        }
        assert!((gauge.take_recent().rates()["latency_ratio"] - 1.0).abs() < 1e-9);
        gauge.returned(&quick, Duration::from_millis(40));
        let recent = gauge.take_recent().rates();
        assert!((recent["latency_ratio"] - 4.0).abs() < 1e-9, "{recent:?}");
    }

    #[test]
    fn who_fails_more_often_than_it_answers_is_named() {
        let mut gauge = Gauge::default();
        let (good, bad): (ProviderId, ProviderId) = ("good".into(), "bad".into());
        for provider in [&good, &bad] {
            gauge.returned(provider, Duration::from_millis(1));
            gauge.failed(provider);
        }
        assert_eq!(gauge.failing().count(), 0);
        gauge.failed(&bad);
        assert_eq!(gauge.failing().collect::<Vec<_>>(), [&bad]);
    }

    #[test]
    fn what_could_not_be_paid_for_counts_as_failed_and_against_nobody() {
        let mut gauge = Gauge::default();
        gauge.unpaid();
        assert!((gauge.whole().rates()["failure_rate"] - 1.0).abs() < 1e-9);
        assert_eq!(gauge.failing().count(), 0);
    }

    #[test]
    fn an_answer_without_a_verdict_is_no_failure_of_its_provider() {
        let mut gauge = Gauge::default();
        let provider: ProviderId = "a".into();
        (0..4).for_each(|_| gauge.returned(&provider, Duration::from_millis(1)));
        gauge.unjudged();
        let rates = gauge.whole().rates();
        assert!((rates["without_verdict_rate"] - 0.25).abs() < 1e-9, "{rates:?}");
        assert!(rates["failure_rate"].abs() < 1e-9 && gauge.failing().count() == 0, "{rates:?}");
    }

    #[test]
    fn a_stretch_knows_nothing_of_what_was_before_it() {
        let mut gauge = Gauge::default();
        gauge.compared(2, 1);
        assert!(gauge.take_recent().rates()["dissent_rate"] > 0.4);
        gauge.compared(2, 0);
        assert!(gauge.take_recent().rates()["dissent_rate"].abs() < 1e-9);
        assert!((gauge.whole().rates()["dissent_rate"] - 0.25).abs() < 1e-9);
        assert!(gauge.take_recent().rates().values().all(|rate| rate.is_finite()));
    }
}
