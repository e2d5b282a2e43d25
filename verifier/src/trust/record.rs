//! What is known of one provider in one class of tasks.

use serde::{Deserialize, Serialize};

use super::kinds::Kinds;
use super::sequential::SequentialTest;

/// Checked answers that a record remembers: older ones fade, so that the present weighs more.
const MEMORY_CHECKS: f64 = 120.0;
/// Half of what was seen is forgotten after this many days without use.
const HALF_LIFE_DAYS: f64 = 30.0;
/// From this many checked answers on, a provider is no newcomer.
const RECORD_CHECKS: f64 = 4.0;
/// Under this many, what was seen is so long ago that an excluded provider starts over. Less than
/// the test needs to put anybody out: three wrong answers that are sure are enough for that.
const FADED_CHECKS: f64 = 1.0;
/// How much a checked answer in another class of tasks counts, and how many count at most: trust is
/// earned where it is used.
const OTHER_WORK: f64 = 0.1;
const MOST_OTHER_WORK: f64 = 3.0;
/// How much a wrong answer in another class counts.
const WRONG_OTHER_WORK: f64 = 0.5;

/// Right and wrong checked answers, weighted by how sure each check was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Checked and right.
    pub right: f64,
    /// Checked and wrong.
    pub wrong: f64,
    /// The running test against the model's error rate.
    pub test: SequentialTest,
}

impl Record {
    /// Takes in a checked answer.
    pub fn observe(&mut self, right: bool, weight: f64, error_rate: f64) {
        let weight = if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 0.0 };
        let total = self.checks() + weight;
        if total > MEMORY_CHECKS {
            let kept = MEMORY_CHECKS / total;
            self.right *= kept;
            self.wrong *= kept;
        }
        if right {
            self.right += weight;
        } else {
            self.wrong += weight;
        }
        self.test.observe(right, weight, error_rate);
    }

    /// Checked answers, weighted.
    pub fn checks(&self) -> f64 {
        self.right + self.wrong
    }

    /// Whether too little is known to call it a record.
    pub fn is_newcomer(&self) -> bool {
        self.checks() < RECORD_CHECKS
    }

    /// Whether nearly nothing is left of what was seen.
    pub fn has_faded(&self) -> bool {
        self.checks() < FADED_CHECKS
    }

    /// Lets what was seen fade with time.
    pub fn decay(&mut self, days: f64) {
        let kept = kept_after(days);
        self.right *= kept;
        self.wrong *= kept;
        self.test.fade(kept);
    }

    /// The share of its checked answers that were wrong; zero before the first.
    pub fn wrong_share(&self) -> f64 {
        if self.checks() > 0.0 { self.wrong / self.checks() } else { 0.0 }
    }

    /// What the provider is, after its answers in this class and, for a little, in all others.
    pub fn kinds(&self, other_work: &Self, prior: &Kinds, error_rate: f64) -> Kinds {
        let right = self.right + (OTHER_WORK * other_work.right).min(MOST_OTHER_WORK);
        let wrong = self.wrong + WRONG_OTHER_WORK * other_work.wrong;
        prior.after(right, wrong, error_rate)
    }
}

/// The share of what was seen that is left after so many days without use.
pub(super) fn kept_after(days: f64) -> f64 {
    0.5_f64.powf(days.max(0.0) / HALF_LIFE_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_does_not_carry_over_whole_to_another_class_and_distrust_does() {
        let prior = Kinds::prior(0.6);
        let mut honest = Record::default();
        (0..100).for_each(|_| honest.observe(true, 1.0, 0.01));
        let here = honest.kinds(&Record::default(), &prior, 0.01).fidelity();
        let there = Record::default().kinds(&honest, &prior, 0.01).fidelity();
        assert!(here > 0.99 && there < 0.98, "{here} {there}");
        let mut liar = Record::default();
        (0..6).for_each(|_| liar.observe(false, 1.0, 0.01));
        assert!(Record::default().kinds(&liar, &prior, 0.01).fidelity() < 0.6);
    }

    #[test]
    fn what_was_seen_fades_with_use_and_with_time() {
        let mut record = Record::default();
        (0..10_000).for_each(|_| record.observe(true, 1.0, 0.01));
        assert!((record.checks() - MEMORY_CHECKS).abs() < 0.1);
        record.decay(HALF_LIFE_DAYS);
        assert!((record.checks() - MEMORY_CHECKS / 2.0).abs() < 0.1);
        record.decay(365.0);
        assert!(record.is_newcomer(), "a year without work leaves an unknown provider");
    }
}
