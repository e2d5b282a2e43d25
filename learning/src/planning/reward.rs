//! What a decomposition was worth (seeds/super-llm-block.md, "Reward function components",
//! `calculate_reward`).
//!
//! ```text
//! reward = 0.35 × success + 0.25 × satisfaction + 0.20 × efficiency + 0.15 × simplicity + 0.05 × coherence
//!          − 0.10 × (steps − 7) / steps   with more than 7 steps
//!          − 0.10                         with fewer than 2 steps of a complex question
//! ```
//!
//! clamped to −1..=1, last. Steps are those of the plan: a map over a thousand fragments is one
//! (seed-arithmetic.md). A rating takes the place of the satisfaction that was guessed, and enters nowhere
//! else: the document's second adjustment for it would count it twice.

use serde::{Deserialize, Serialize};

use super::satisfaction::Satisfaction;

/// Weights and bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RewardSettings {
    /// Of the share of steps that were answered rightly.
    pub success: f64,
    /// Of the user's satisfaction.
    pub satisfaction: f64,
    /// Of quality over time.
    pub efficiency: f64,
    /// Of how simple the steps were.
    pub simplicity: f64,
    /// Of how well their answers fit together.
    pub coherence: f64,
    /// What too many or too few steps take off at most.
    pub penalty: f64,
    /// More steps than this are too many.
    pub most_steps: u32,
    /// Fewer steps than this are too few for a complex question.
    pub fewest_steps: u32,
    /// Seconds that halve the efficiency.
    pub patience_secs: f64,
}

impl Default for RewardSettings {
    fn default() -> Self {
        Self {
            success: 0.35,
            satisfaction: 0.25,
            efficiency: 0.20,
            simplicity: 0.15,
            coherence: 0.05,
            penalty: 0.10,
            most_steps: 7,
            fewest_steps: 2,
            patience_secs: 30.0,
        }
    }
}

/// What came of a decomposition. Shares are 0..=1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Share of steps that were answered rightly, by the verifier.
    pub success: f64,
    /// By word or by behaviour.
    pub satisfaction: Satisfaction,
    /// From the question to the answer.
    pub latency_secs: f64,
    /// Mean simplicity of the steps.
    pub simplicity: f64,
    /// How well the answers fit together.
    pub coherence: f64,
    /// Steps of the plan.
    pub steps: u32,
    /// Whether the question was judged too complex to be answered in one piece.
    pub complex: bool,
}

impl RewardSettings {
    /// Quality over time: `quality / (1 + latency / 30 s)`.
    pub fn efficiency_of(&self, quality: f64, latency_secs: f64) -> f64 {
        let time = if self.patience_secs > 0.0 { latency_secs.max(0.0) / self.patience_secs } else { 0.0 };
        quality / (1.0 + time)
    }

    /// What an outcome was worth, −1..=1.
    pub fn reward(&self, outcome: &Outcome) -> f64 {
        let efficiency = self.efficiency_of(outcome.success, outcome.latency_secs);
        self.of_components(
            [
                outcome.success,
                outcome.satisfaction.share(),
                efficiency,
                outcome.simplicity,
                outcome.coherence,
            ],
            outcome.steps,
            outcome.complex,
        )
    }

    /// The same from its components, in the order of the formula.
    fn of_components(&self, components: [f64; 5], steps: u32, complex: bool) -> f64 {
        let weights = [self.success, self.satisfaction, self.efficiency, self.simplicity, self.coherence];
        let earned: f64 = weights.iter().zip(components).map(|(weight, component)| weight * component).sum();
        (earned - self.too_many(steps) - self.too_few(steps, complex)).clamp(-1.0, 1.0)
    }

    fn too_many(&self, steps: u32) -> f64 {
        let over = f64::from(steps.saturating_sub(self.most_steps));
        self.penalty * over / f64::from(steps.max(1))
    }

    fn too_few(&self, steps: u32, complex: bool) -> f64 {
        if complex && steps < self.fewest_steps { self.penalty } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SETTINGS: fn() -> RewardSettings = RewardSettings::default;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    fn outcome() -> Outcome {
        Outcome {
            success: 0.8,
            satisfaction: Satisfaction::Stars(4),
            latency_secs: 15.0,
            simplicity: 0.6,
            coherence: 0.9,
            steps: 4,
            complex: true,
        }
    }

    #[test]
    fn the_weights_are_those_of_reward_function_components() {
        let settings = SETTINGS();
        let all = [
            settings.success,
            settings.satisfaction,
            settings.efficiency,
            settings.simplicity,
            settings.coherence,
        ];
        assert!(all.iter().zip([0.35, 0.25, 0.20, 0.15, 0.05]).all(|(weight, seed)| near(*weight, seed)));
        assert!(near(all.iter().sum(), 1.0));
    }

    #[test]
    fn generation_200_of_the_training_example_is_9235_as_seed_arithmetic_says() {
        let components = [0.95, 0.94, 0.91, 0.84, 0.96];
        assert!(near(SETTINGS().of_components(components, 5, true), 0.9235));
    }

    /// seeds/super-llm-block.md, "RL Training Example": generations 1 and 50 are printed without their coherence; with one of
    /// .63 they are worth what is printed.
    #[test]
    fn generations_1_and_50_of_the_training_example_are_worth_63_and_81() {
        for (components, steps, printed) in
            [([0.65, 0.60, 0.58, 0.70, 0.63], 4, 0.63), ([0.84, 0.82, 0.79, 0.81, 0.63], 5, 0.81)]
        {
            assert!(near(SETTINGS().of_components(components, steps, true), printed), "{printed}");
        }
    }

    #[test]
    fn every_component_of_calculate_reward_enters_with_its_weight() {
        let expected = 0.35 * 0.8 + 0.25 * 0.8 + 0.20 * (0.8 / 1.5) + 0.15 * 0.6 + 0.05 * 0.9;
        assert!(near(SETTINGS().reward(&outcome()), expected));
    }

    #[test]
    fn a_rating_takes_the_place_of_the_guess_and_counts_once() {
        let settings = SETTINGS();
        let with = |satisfaction| settings.reward(&Outcome { satisfaction, ..outcome() });
        let gained = with(Satisfaction::Stars(5)) - with(Satisfaction::Guessed(0.6));
        assert!(near(gained, 0.25 * 0.4), "and not 0.3 × (5 − 3) / 5 on top");
    }

    #[test]
    fn calculate_reward_penalises_over_7_steps_and_complex_ones_under_2() {
        let settings = SETTINGS();
        let with = |steps, complex| settings.reward(&Outcome { steps, complex, ..outcome() });
        let right = with(7, true);
        assert!(near(with(2, true), right));
        assert!(near(right - with(10, true), 0.10 * 3.0 / 10.0));
        assert!(near(right - with(1, true), 0.10));
        assert!(near(with(1, false), right), "a simple question may be one step");
        assert!(near(right - with(0, true), 0.10), "and no step at all divides by nothing");
    }

    /// What docs/benchmarks.md says of how much can be gained: everything right, everybody content and nothing contradictory.
    #[test]
    fn a_right_answer_earns_at_most_1_and_15_percent_exceeds_870_thousandths() {
        let settings = SETTINGS();
        let right = |simplicity, latency_secs| {
            let (success, satisfaction, coherence) = (1.0, Satisfaction::Stars(5), 1.0);
            settings.reward(&Outcome {
                success,
                satisfaction,
                latency_secs,
                simplicity,
                coherence,
                ..outcome()
            })
        };
        for (simplicity, latency_secs, worth) in [
            (1.0, 0.0, 1.0),
            // The simplest that a step can be by function 7: a sum, a fact that is read, a field that is copied.
            (0.93, 0.0, 0.9895),
            (0.86, 0.0, 0.979),
            (0.80, 0.0, 0.97),
            (0.80, 3.0, 0.65 + 0.20 / 1.1 + 0.12),
        ] {
            assert!(near(right(simplicity, latency_secs), worth), "{simplicity} in {latency_secs} s");
        }
        let gained = |from: f64, most: f64| ((most / from - 1.0) * 1_000.0).round() / 10.0;
        assert!(near(gained(0.943, 1.0), 6.0) && near(gained(0.943, right(0.80, 0.0)), 2.9));
        let (highest, copied) = (right(1.0, 0.0), right(0.80, 0.0));
        for (from, most, is_within_reach) in [
            (0.943, highest, false),
            (0.870, highest, false),
            (0.869, highest, true),
            (0.844, copied, false),
            (0.843, copied, true),
        ] {
            assert_eq!(1.15 * from <= most, is_within_reach, "15 % more than {from}");
        }
    }

    proptest! {
        /// Whatever happens: 0.65 + 0.20 / (1 + seconds / 30) + 0.15 × simplicity is the most that time and words allow.
        #[test]
        fn no_outcome_is_worth_more_than_its_time_and_words_allow(
            success in 0.0_f64..=1.0, stars in 1_u8..=5, latency_secs in 0.0_f64..1e4, simplicity in 0.0_f64..=1.0,
            coherence in 0.0_f64..=1.0, steps in 0_u32..20, complex: bool,
        ) {
            let satisfaction = Satisfaction::Stars(stars);
            let reward =
                SETTINGS().reward(&Outcome { success, satisfaction, latency_secs, simplicity, coherence, steps, complex });
            prop_assert!(reward <= 0.65 + 0.20 / (1.0 + latency_secs / 30.0) + 0.15 * simplicity + 1e-9);
        }

        #[test]
        fn the_clamp_comes_last(
            success in -9.0_f64..9.0, latency_secs in -5.0_f64..1e6, simplicity in -9.0_f64..9.0, steps in 0_u32..500,
        ) {
            let reward = SETTINGS().reward(&Outcome { success, latency_secs, simplicity, steps, ..outcome() });
            prop_assert!((-1.0..=1.0).contains(&reward));
        }
    }
}
