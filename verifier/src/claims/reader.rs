//! What is known of a reader: how many of its claims were false (docs/claims.md, section 6).
//!
//! ```text
//!   claim verified ─► sequential test, 5 % against 25 % false ─► newcomer | cleared | excluded
//!                  └► how likely the next claim is false, by Bayes over rates
//! ```
//!
//! After Sarmenta 2001 and Wald's test. A record forgets: the present counts more than what was long ago.

use serde::{Deserialize, Serialize};

/// Share of false claims of a reader that is kept, and of one that is excluded.
const GOOD_RATE: f64 = 0.05;
const BAD_RATE: f64 = 0.25;
/// Wald's bounds for alpha = 0.01 and beta = 0.05: ln(0.95 / 0.01) and ln(0.05 / 0.99).
const EXCLUDED_AT: f64 = 4.55;
const CLEARED_AT: f64 = -2.99;
/// Claims that a record remembers.
pub(super) const MEMORY_CLAIMS: f64 = 400.0;
/// Rates of false claims that a reader may have, and how likely each is of a newcomer: seven of ten err at a few in a
/// hundred, the rest lie.
const RATES: [(f64, f64); 12] = [
    (0.005, 0.10),
    (0.01, 0.18),
    (0.02, 0.20),
    (0.04, 0.14),
    (0.08, 0.06),
    (0.15, 0.03),
    (0.25, 0.04),
    (0.35, 0.05),
    (0.5, 0.09),
    (0.65, 0.05),
    (0.8, 0.04),
    (0.95, 0.02),
];

/// How a reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReaderStatus {
    /// Too little is known.
    Newcomer,
    /// Its claims were as good as an honest reader's.
    Cleared,
    /// Too many of them were false.
    Excluded,
}

/// What was seen of one reader's claims.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReaderRecord {
    right: f64,
    wrong: f64,
    evidence: f64,
    was_cleared: bool,
    is_excluded: bool,
}

impl ReaderRecord {
    /// Takes in a settled claim of which `p_false` is the probability that it is false. It must come from others: a claim
    /// that was accepted on this very record says nothing of it.
    pub fn observe(&mut self, p_false: f64) {
        let wrong = if p_false.is_finite() { p_false.clamp(0.0, 1.0) } else { return };
        let kept = (MEMORY_CLAIMS / (self.claims() + 1.0)).min(1.0);
        self.right = self.right * kept + 1.0 - wrong;
        self.wrong = self.wrong * kept + wrong;
        let step =
            wrong * (BAD_RATE / GOOD_RATE).ln() + (1.0 - wrong) * ((1.0 - BAD_RATE) / (1.0 - GOOD_RATE)).ln();
        // A floor at the lower bound: a reader that was honest for long and then lies is found as fast as another one.
        self.evidence = (self.evidence + step).max(CLEARED_AT);
        self.was_cleared |= self.evidence <= CLEARED_AT;
        self.is_excluded |= self.evidence >= EXCLUDED_AT;
    }

    /// Settled claims, weighted.
    pub fn claims(&self) -> f64 {
        self.right + self.wrong
    }

    /// The sequential test's evidence against the reader, in nats.
    pub fn evidence(&self) -> f64 {
        self.evidence
    }

    /// How it stands.
    pub fn status(&self) -> ReaderStatus {
        if self.is_excluded {
            ReaderStatus::Excluded
        } else if self.was_cleared && self.evidence < 0.0 {
            ReaderStatus::Cleared
        } else {
            ReaderStatus::Newcomer
        }
    }

    /// How likely the next claim is false, before any check.
    pub fn p_false(&self) -> f64 {
        let weights =
            RATES.map(|(rate, prior)| prior.ln() + self.wrong * rate.ln() + self.right * (1.0 - rate).ln());
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut mean) = (0.0, 0.0);
        for ((rate, _), weight) in RATES.iter().zip(weights) {
            let weight = (weight - most).exp();
            sum += weight;
            mean += weight * rate;
        }
        mean / sum
    }
}

/// A share of readers that lie after so many clean checks, at most: `f/(1-f)/(e·d·s)`, where `liars` is their share at the
/// start and `found` the probability that a check finds a lie (docs/claims.md, section 6).
pub fn lies_left(liars: f64, found: f64, clean_checks: f64) -> f64 {
    liars / (1.0 - liars) / (std::f64::consts::E * found * clean_checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(wrong: u32, right: u32) -> ReaderRecord {
        let mut record = ReaderRecord::default();
        (0..wrong).for_each(|_| record.observe(1.0));
        (0..right).for_each(|_| record.observe(0.0));
        record
    }

    /// docs/claims.md, section 6.
    #[test]
    fn a_false_claim_weighs_as_much_as_seven_true_ones() {
        assert!((after(1, 0).evidence() - 1.61).abs() < 0.005);
        assert!((after(0, 1).evidence() + 0.236).abs() < 0.005);
        assert_eq!(after(3, 0).status(), ReaderStatus::Excluded);
        assert_eq!(after(2, 0).status(), ReaderStatus::Newcomer);
        assert_eq!(after(0, 12).status(), ReaderStatus::Newcomer);
        assert_eq!(after(0, 13).status(), ReaderStatus::Cleared);
        assert_eq!(after(1, 20).status(), ReaderStatus::Cleared);
    }

    #[test]
    fn a_sleeper_is_excluded_after_five_lies_whatever_came_before() {
        let mut record = after(0, 500);
        let lies = (1..100).find(|_| {
            record.observe(1.0);
            record.status() == ReaderStatus::Excluded
        });
        assert_eq!(lies, Some(5));
    }

    #[test]
    fn a_newcomers_claims_are_doubted_and_a_long_record_is_what_it_is() {
        assert!((0.12..0.25).contains(&after(0, 0).p_false()), "{}", after(0, 0).p_false());
        assert!(after(0, 20).p_false() < 0.02, "{}", after(0, 20).p_false());
        let honest = after(4, 196).p_false();
        assert!((0.015..0.03).contains(&honest), "{honest}");
    }

    /// docs/claims.md, section 6.
    #[test]
    fn lies_left_fall_with_clean_checks_as_calculated() {
        assert!((lies_left(0.3, 0.83, 16.0) - 0.012).abs() < 0.0005);
        assert!((lies_left(0.3, 0.83, 20.0) - 0.0095).abs() < 0.0001);
    }
}
