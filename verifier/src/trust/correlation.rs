//! Providers that are not independent: one operator, or the same wrong answers.

use std::collections::HashMap;

/// How much of its evidence a second provider of the same operator loses.
const SAME_OPERATOR: f64 = 0.9;
/// Shared wrong answers at which half of the evidence is lost. Two honest providers with different
/// models hardly ever err alike.
const HALF_AT: f64 = 1.0;
/// Providers of the same weights err alike honestly: that many shared errors weigh as one.
const SAME_WEIGHTS_ERRORS: f64 = 4.0;

/// How often two providers gave the same wrong answer.
#[derive(Debug, Clone, Default)]
pub struct Coincidences {
    pairs: HashMap<(u32, u32), u32>,
}

impl Coincidences {
    /// Notes that these gave the same wrong answer.
    pub fn observe(&mut self, wrong_alike: &[u32]) {
        for (at, &left) in wrong_alike.iter().enumerate() {
            for &right in &wrong_alike[at + 1..] {
                self.add(left, right, 1);
            }
        }
    }

    /// Notes that two gave the same wrong answer so many times.
    pub fn add(&mut self, left: u32, right: u32, times: u32) {
        let count = self.pairs.entry(pair(left, right)).or_default();
        *count = count.saturating_add(times);
    }

    /// All pairs that ever gave the same wrong answer, and how often.
    pub fn pairs(&self) -> impl Iterator<Item = ((u32, u32), u32)> + '_ {
        self.pairs.iter().map(|(pair, count)| (*pair, *count))
    }

    /// How often two gave the same wrong answer.
    pub fn count(&self, left: u32, right: u32) -> u32 {
        self.pairs.get(&pair(left, right)).copied().unwrap_or(0)
    }

    /// How strongly two are correlated, 0..=1.
    pub fn correlation(&self, left: u32, right: u32, same_operator: bool, same_weights: bool) -> f64 {
        if self.pairs.is_empty() && !same_operator {
            return 0.0;
        }
        let by_errors = by_errors(self.count(left, right), same_weights);
        if same_operator { by_errors.max(SAME_OPERATOR) } else { by_errors }
    }
}

/// How strongly two are correlated that gave so many wrong answers alike, 0..=1.
pub(super) fn by_errors(shared: u32, same_weights: bool) -> f64 {
    let errors = f64::from(shared);
    let errors = if same_weights { errors / SAME_WEIGHTS_ERRORS } else { errors };
    errors / (errors + HALF_AT)
}

fn pair(left: u32, right: u32) -> (u32, u32) {
    if left <= right { (left, right) } else { (right, left) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_wrong_answers_and_the_same_operator_make_providers_one() {
        let mut seen = Coincidences::default();
        assert!(seen.correlation(1, 2, false, false).abs() < f64::EPSILON);
        for _ in 0..3 {
            seen.observe(&[2, 1, 7]);
        }
        assert_eq!((seen.count(1, 2), seen.count(7, 1)), (3, 3));
        assert!(seen.correlation(1, 2, false, false) >= 0.75);
        assert!(seen.correlation(1, 2, false, true) < 0.5, "the same weights err alike honestly");
        assert!(seen.correlation(3, 4, true, false) >= 0.9);
    }
}
