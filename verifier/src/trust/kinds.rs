//! What a provider may be: honest, or lying at some rate. A posterior over these kinds follows from
//! how many of its checked answers were right.

/// Lying rates that are told apart. Rarer lies are caught by audits and cost little.
pub const LYING_RATES: [f64; 4] = [0.05, 0.2, 0.5, 1.0];

/// How the providers that are not honest spread over [`LYING_RATES`] before anything was seen.
const SPREAD: [f64; 4] = [0.15, 0.2, 0.25, 0.4];

/// How likely each kind of provider is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kinds {
    honest: f64,
    lying: [f64; 4],
}

impl Kinds {
    /// Before anything was seen, in a swarm with this share of honest providers.
    pub fn prior(honest: f64) -> Self {
        let honest = honest.clamp(0.01, 0.99);
        Self { honest, lying: SPREAD.map(|share| share * (1.0 - honest)) }
    }

    /// After so many right and wrong checked answers (fractions count), where the claimed model itself
    /// errs at `error_rate`.
    #[must_use]
    pub fn after(&self, right: f64, wrong: f64, error_rate: f64) -> Self {
        let likelihood = |wrong_rate: f64| {
            let wrong_rate = wrong_rate.clamp(1e-3, 1.0 - 1e-6);
            right * (1.0 - wrong_rate).ln() + wrong * wrong_rate.ln()
        };
        let honest = self.honest.ln() + likelihood(error_rate);
        let lying: Vec<f64> = LYING_RATES
            .iter()
            .zip(self.lying)
            .map(|(rate, prior)| prior.ln() + likelihood(rate + (1.0 - rate) * error_rate))
            .collect();
        // Relative to the likeliest, so that long records do not underflow.
        let most = lying.iter().copied().fold(honest, f64::max);
        let mut after = Self { honest: (honest - most).exp(), lying: [0.0; 4] };
        for (slot, log) in after.lying.iter_mut().zip(lying) {
            *slot = (log - most).exp();
        }
        let sum = after.honest + after.lying.iter().sum::<f64>();
        after.honest /= sum;
        after.lying = after.lying.map(|weight| weight / sum);
        after
    }

    /// The probability that it is honest.
    pub fn honest(&self) -> f64 {
        self.honest
    }

    /// The probability that its next answer is what the claimed model says.
    pub fn fidelity(&self) -> f64 {
        let lies: f64 = self.lying.iter().zip(LYING_RATES).map(|(weight, rate)| weight * rate).sum();
        (1.0 - lies).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn trust_is_earned_in_steps_and_lost_in_one() {
        let newcomer = Kinds::prior(0.6);
        assert!(newcomer.fidelity() < 0.80);
        let proven = newcomer.after(12.0, 0.0, 0.01);
        assert!(proven.fidelity() > 0.99, "{proven:?}");
        assert!(newcomer.after(4.0, 0.0, 0.01).fidelity() < 0.99);
        let doubtful = newcomer.after(12.0, 1.0, 0.01);
        assert!(doubtful.fidelity() < 0.99, "{doubtful:?}");
        let liar = newcomer.after(2.0, 4.0, 0.01);
        assert!(liar.honest() < 0.01 && liar.fidelity() < 0.6, "{liar:?}");
    }

    #[test]
    fn a_model_that_errs_more_is_forgiven_more() {
        let newcomer = Kinds::prior(0.6);
        assert!(newcomer.after(40.0, 2.0, 0.05).honest() > newcomer.after(40.0, 2.0, 0.01).honest());
    }

    proptest! {
        #[test]
        fn a_right_answer_never_lowers_fidelity_and_a_wrong_one_never_raises_it(
            honest in 0.05_f64..0.95, right in 0.0_f64..200.0, wrong in 0.0_f64..20.0,
            error_rate in 0.005_f64..0.05
        ) {
            let fidelity =
                |right: f64, wrong: f64| Kinds::prior(honest).after(right, wrong, error_rate).fidelity();
            let now = fidelity(right, wrong);
            prop_assert!((0.0..=1.0).contains(&now));
            prop_assert!(fidelity(right + 1.0, wrong) >= now - 1e-9);
            prop_assert!(fidelity(right, wrong + 1.0) <= now + 1e-9);
        }
    }
}
