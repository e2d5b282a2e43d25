//! From scores, cost and time to a reward (seeds/load-balanced-rl-workflow.md, section 7).
//!
//! ```text
//! raw      = clip(mean(4 scores) − 0.10 × min(cost / full, 1) − 0.05 × min(latency / 5 s, 1), 0, 1)
//! adjusted = max(0, raw − load penalty)
//! ```
//!
//! The document's prose calls quality "80% of the weight"; its formula gives it weight 1, and the
//! formula counts. It counts cost in dollars up to 0.002; ours is in millisats, and which cost counts
//! as full is a setting.

use serde::{Deserialize, Serialize};

/// Weights and scales of the raw reward.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RewardSettings {
    /// What the full cost takes off.
    pub cost_weight: f64,
    /// What the full latency takes off.
    pub latency_weight: f64,
    /// The cost in millisats that counts as full, in place of the document's 0.002 dollars.
    pub full_cost_msats: u64,
    /// The latency in seconds that counts as full.
    pub full_latency_secs: f64,
}

impl Default for RewardSettings {
    fn default() -> Self {
        Self { cost_weight: 0.10, latency_weight: 0.05, full_cost_msats: 2_000, full_latency_secs: 5.0 }
    }
}

impl RewardSettings {
    /// The document's reward with cost weighed as much as it takes for a sat to buy the most quality.
    pub fn thrifty() -> Self {
        Self { cost_weight: 0.30, ..Self::default() }
    }

    /// The document's reward with time weighed as much as it takes to rather ask who is quick.
    pub fn hasty() -> Self {
        Self { latency_weight: 0.30, ..Self::default() }
    }
}

/// The four scores, each 0..=1 (section 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scores {
    /// Whether it speaks to the task.
    pub relevance: f64,
    /// Whether it is right.
    pub accuracy: f64,
    /// Whether nothing is missing.
    pub completeness: f64,
    /// Whether the role suited the task.
    pub agent_match: f64,
}

impl Scores {
    /// What counts where no judge gave an opinion (section 3.3).
    pub const DEFAULTS: Self = Self { relevance: 0.5, accuracy: 0.5, completeness: 0.5, agent_match: 0.5 };

    /// The mean of the four.
    pub fn quality(&self) -> f64 {
        (self.relevance + self.accuracy + self.completeness + self.agent_match) / 4.0
    }
}

impl RewardSettings {
    /// The raw reward, 0..=1. A cost counts as full where the setting is 0.
    pub fn raw(&self, quality: f64, cost_msats: u64, latency_secs: f64) -> f64 {
        let share = |amount: f64, full: f64| if full > 0.0 { (amount / full).clamp(0.0, 1.0) } else { 1.0 };
        let cost = share(cost_msats as f64, self.full_cost_msats as f64);
        let latency = share(latency_secs, self.full_latency_secs);
        (quality - self.cost_weight * cost - self.latency_weight * latency).clamp(0.0, 1.0)
    }
}

/// The reward that the learner sees.
pub fn adjusted(raw: f64, penalty: f64) -> f64 {
    (raw - penalty).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    #[test]
    fn a_second_costs_more_where_time_matters_and_a_sat_no_less() {
        let (usual, hasty) = (RewardSettings::default(), RewardSettings::hasty());
        assert!((usual.raw(1.0, 0, 5.0) - 0.95).abs() < 1e-9 && (hasty.raw(1.0, 0, 5.0) - 0.70).abs() < 1e-9);
        assert!((usual.raw(1.0, 2_000, 0.0) - hasty.raw(1.0, 2_000, 0.0)).abs() < 1e-9);
    }

    #[test]
    fn the_weights_are_the_documents_section_7() {
        let settings = RewardSettings::default();
        assert_eq!((settings.cost_weight, settings.latency_weight), (0.10, 0.05));
        assert!(near(settings.full_latency_secs, 5.0));
    }

    #[test]
    fn quality_less_cost_and_latency_then_the_penalty_section_7() {
        let settings = RewardSettings::default();
        let scores = Scores { relevance: 1.0, accuracy: 0.8, completeness: 0.6, agent_match: 0.8 };
        assert!(near(scores.quality(), 0.8));
        assert!(near(settings.raw(0.8, 0, 0.0), 0.8), "quality has weight 1, as the formula says");
        assert!(near(settings.raw(0.8, 1_000, 2.5), 0.8 - 0.05 - 0.025));
        assert!(near(settings.raw(0.8, 9_000, 60.0), 0.8 - 0.10 - 0.05), "both terms are capped");
        assert!(near(adjusted(0.725, 0.15), 0.575));
    }

    #[test]
    fn rewards_never_leave_their_range_section_7() {
        let settings = RewardSettings::default();
        assert!(near(settings.raw(0.1, 9_000, 60.0), 0.0));
        assert!(near(adjusted(0.1, 0.2), 0.0));
    }

    #[test]
    fn the_defaults_are_one_half_each_section_3_3() {
        assert!(near(Scores::DEFAULTS.quality(), 0.5));
    }

    proptest! {
        #[test]
        fn dearer_or_slower_never_earns_more(
            quality in 0.0_f64..=1.0, cost in 0_u64..5_000, latency in 0.0_f64..20.0, penalty in 0.0_f64..=0.2,
        ) {
            let settings = RewardSettings::default();
            let raw = settings.raw(quality, cost, latency);
            prop_assert!((0.0..=1.0).contains(&raw));
            prop_assert!(settings.raw(quality, cost + 100, latency) <= raw);
            prop_assert!(settings.raw(quality, cost, latency + 0.5) <= raw);
            prop_assert!((0.0..=1.0).contains(&adjusted(raw, penalty)));
        }
    }
}
