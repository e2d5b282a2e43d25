//! When ordinary errors become too many: a sequential test against the model's own error rate.
//!
//! A one-sided CUSUM of the log-likelihood ratio between "errs like its model" and "errs far more". It
//! forgets good behaviour beyond its floor, so that a provider that was honest for long and then lies
//! (a sleeper) is found as fast as one that lies from the start.

use serde::{Deserialize, Serialize};

/// Evidence against honesty at which a provider is excluded: e^8 ≈ 3,000 to 1. An honest provider takes
/// the test with every checked answer, so the odds must bear many thousand of them.
const EXCLUDED_AT: f64 = 8.0;

/// Error rate of a provider worth excluding, at least.
const LEAST_BAD_RATE: f64 = 0.20;
/// … and at least this many times the model's own.
const BAD_FACTOR: f64 = 5.0;

/// More than any number of answers comes to.
const MOST_EVIDENCE: f64 = 1e9;

/// The running test of one provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SequentialTest {
    evidence: f64,
}

impl SequentialTest {
    /// Takes in a checked answer; `weight` says how sure the check itself is, 0..=1.
    pub fn observe(&mut self, right: bool, weight: f64, error_rate: f64) {
        let good = error_rate.clamp(0.005, 0.15);
        let bad = (good * BAD_FACTOR).clamp(LEAST_BAD_RATE, 0.75);
        let step = if right { ((1.0 - bad) / (1.0 - good)).ln() } else { (bad / good).ln() };
        self.evidence = (self.evidence + weight.clamp(0.0, 1.0) * step).max(0.0);
    }

    /// Lets a share of the evidence fade.
    pub fn fade(&mut self, kept: f64) {
        self.evidence *= kept.clamp(0.0, 1.0);
    }

    /// Whether answers can have come to this.
    pub(crate) fn is_possible(self) -> bool {
        (0.0..=MOST_EVIDENCE).contains(&self.evidence)
    }

    /// Whether errors are too many for the model's own error rate.
    pub fn is_lost(&self) -> bool {
        self.evidence >= EXCLUDED_AT
    }

    /// The evidence so far as a share of what excludes, 0..=1.
    pub fn progress(&self) -> f64 {
        (self.evidence / EXCLUDED_AT).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks_until_lost(answers: impl IntoIterator<Item = bool>, error_rate: f64) -> Option<usize> {
        let mut test = SequentialTest::default();
        answers.into_iter().position(|right| {
            test.observe(right, 1.0, error_rate);
            test.is_lost()
        })
    }

    #[test]
    fn a_liar_is_out_after_a_few_checks_whatever_came_before() {
        assert_eq!(checks_until_lost(std::iter::repeat_n(false, 10), 0.01), Some(2));
        assert_eq!(checks_until_lost(std::iter::repeat_n(false, 10), 0.05), Some(4));
        let sleeper = std::iter::repeat_n(true, 500).chain(std::iter::repeat_n(false, 10));
        assert_eq!(checks_until_lost(sleeper, 0.01), Some(502));
    }

    #[test]
    fn errors_at_the_models_own_rate_are_forgiven() {
        // Every hundredth, every twentieth answer wrong, a thousand times over.
        assert_eq!(checks_until_lost((0..1_000).map(|at| at % 100 != 50), 0.01), None);
        assert_eq!(checks_until_lost((0..1_000).map(|at| at % 20 != 10), 0.05), None);
    }
}
