//! What the policy sees of a question and of the moment (seeds/super-llm-block.md, `encode_state`).

use serde::{Deserialize, Serialize};

/// What the user knows of the matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expertise {
    /// Little.
    Beginner,
    /// Some; what counts where nothing is said.
    #[default]
    Intermediate,
    /// Much.
    Expert,
}

/// Domains that the policy tells apart; others share the last place.
pub const DOMAINS: usize = 8;
/// Numbers that the networks read.
pub const FEATURES: usize = 11 + DOMAINS;

/// How the swarm was found when a question was asked (`average_cluster_load`, `network_latency`).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Moment {
    /// How busy providers were before they were asked, 0..=1.
    pub load: f64,
    /// The quickest trip to one of them and back.
    pub network_latency_secs: f64,
}

/// A question and the moment in which it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// 0 (simple) to 1.
    pub complexity: f64,
    /// Words of the question.
    pub words: u32,
    /// What it is about, by the caller's list.
    pub domain: u8,
    /// Whether it sets bounds.
    pub has_constraints: bool,
    /// Its clauses.
    pub clauses: u32,
    /// Providers that are there.
    pub providers: u32,
    /// How busy they are, 0..=1.
    pub load: f64,
    /// A trip to them and back.
    pub network_latency_secs: f64,
    /// Share of recent steps that were answered rightly.
    pub recent_success: f64,
    /// Mean of recent rewards.
    pub recent_reward: f64,
    /// What the user knows.
    pub expertise: Expertise,
    /// How content the user was lately, 0..=1.
    pub satisfaction: f64,
}

impl State {
    /// The state as numbers of about one, whatever is put in.
    pub fn features(&self) -> [f32; FEATURES] {
        let share = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
        let logarithm = |count: u32, full: f64| (f64::from(count) + 1.0).ln() / full;
        let expertise = match self.expertise {
            Expertise::Beginner => 0.0,
            Expertise::Intermediate => 0.5,
            Expertise::Expert => 1.0,
        };
        let numbers = [
            share(self.complexity),
            logarithm(self.words.min(10_000), 5.0),
            f64::from(u8::from(self.has_constraints)),
            share(f64::from(self.clauses) / 8.0),
            logarithm(self.providers.min(100_000), 10.0),
            share(self.load),
            share(self.network_latency_secs / 5.0),
            share(self.recent_success),
            if self.recent_reward.is_finite() { self.recent_reward.clamp(-1.0, 1.0) } else { 0.0 },
            expertise,
            share(self.satisfaction),
        ];
        let mut features = [0.0; FEATURES];
        for (feature, number) in features.iter_mut().zip(numbers) {
            #[expect(clippy::cast_possible_truncation, reason = "networks compute in single precision")]
            let number = number as f32;
            *feature = number;
        }
        features[numbers.len() + usize::from(self.domain).min(DOMAINS - 1)] = 1.0;
        features
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// seeds/super-llm-block.md, `encode_state`: each of its twelve figures changes what the networks read.
    #[test]
    fn each_figure_of_encode_state_is_seen() {
        let plain = State {
            complexity: 0.5,
            words: 9,
            domain: 1,
            has_constraints: false,
            clauses: 1,
            providers: 4,
            load: 0.2,
            network_latency_secs: 0.1,
            recent_success: 0.8,
            recent_reward: 0.6,
            expertise: Expertise::Intermediate,
            satisfaction: 0.5,
        };
        let states = [
            plain,
            State { complexity: 0.6, ..plain },
            State { words: 10, ..plain },
            State { domain: 2, ..plain },
            State { has_constraints: true, ..plain },
            State { clauses: 2, ..plain },
            State { providers: 5, ..plain },
            State { load: 0.3, ..plain },
            State { network_latency_secs: 0.2, ..plain },
            State { recent_success: 0.9, ..plain },
            State { recent_reward: 0.7, ..plain },
            State { expertise: Expertise::Expert, ..plain },
            State { satisfaction: 0.6, ..plain },
        ];
        let seen: HashSet<[u32; FEATURES]> =
            states.iter().map(|state| state.features().map(f32::to_bits)).collect();
        assert_eq!(seen.len(), states.len());
    }

    proptest! {
        #[test]
        fn features_stay_small_whatever_is_claimed(
            numbers in proptest::array::uniform6(any::<f64>()), words in any::<u32>(), clauses in any::<u32>(),
            providers in any::<u32>(), domain in any::<u8>(),
        ) {
            let [complexity, load, network_latency_secs, recent_success, recent_reward, satisfaction] = numbers;
            let state = State {
                complexity, words, domain, has_constraints: true, clauses, providers, load, network_latency_secs,
                recent_success, recent_reward, expertise: Expertise::Expert, satisfaction,
            };
            let features = state.features();
            prop_assert!(features.iter().all(|feature| feature.is_finite() && feature.abs() <= 2.0));
            prop_assert_eq!(features[FEATURES - DOMAINS..].iter().filter(|feature| **feature > 0.5).count(), 1);
        }
    }
}
