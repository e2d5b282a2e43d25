//! What its user may change of how a policy learns, at any time (seeds/super-llm-block.md, `learning_params`).

use serde::{Deserialize, Serialize};

use super::learner::LearnerSettings;

/// Hyperparameters that a policy can change while it learns: all but the size of its networks and the seed of its draws,
/// which are those that it began with. Defaults and meanings are those of [`LearnerSettings`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tuning {
    /// Of both networks.
    pub learning_rate: f64,
    /// Share of questions in which something else is tried.
    pub exploration_rate: f64,
    /// Experiences per step.
    pub batch_size: usize,
    /// Rewards between updates.
    pub update_every: u32,
    /// Experiences that are kept.
    pub buffer: usize,
    /// Steps per update.
    pub steps_per_update: u32,
    /// Weight of the policy's entropy.
    pub entropy: f64,
    /// How much more than once an experience may count.
    pub most_importance: f64,
    /// Questions after which an experience is drawn half as often.
    pub half_life: f64,
}

/// Every change of an account writes all experiences, and every update goes so many times over a batch: more than this
/// would hold up the caller.
const MOST_EXPERIENCES: usize = 100_000;
const MOST_STEPS: u32 = 10_000;

impl Default for Tuning {
    fn default() -> Self {
        let LearnerSettings {
            learning_rate,
            exploration_rate,
            batch_size,
            update_every,
            buffer,
            steps_per_update,
            entropy,
            most_importance,
            half_life,
            hidden: _,
            seed: _,
        } = LearnerSettings::default();
        Self {
            learning_rate,
            exploration_rate,
            batch_size,
            update_every,
            buffer,
            steps_per_update,
            entropy,
            most_importance,
            half_life,
        }
    }
}

impl Tuning {
    /// The first value that nothing could be learned with, and what it may be.
    pub fn check(&self) -> Result<(), String> {
        let numbers = [
            ("learning_rate", self.learning_rate, 1e-9, 1.0),
            ("exploration_rate", self.exploration_rate, 0.0, 1.0),
            ("entropy", self.entropy, 0.0, 10.0),
            ("most_importance", self.most_importance, 1.0, 1_000.0),
            ("half_life", self.half_life, 1.0, 1e9),
        ];
        for (name, value, least, most) in numbers {
            // What is no number is in no range.
            if !(least..=most).contains(&value) {
                return Err(format!("{name} is {value} and must be from {least} to {most}"));
            }
        }
        let counts = [
            ("buffer", self.buffer, 1, MOST_EXPERIENCES),
            ("batch_size", self.batch_size, 1, self.buffer),
            ("update_every", self.update_every as usize, 1, MOST_EXPERIENCES),
            ("steps_per_update", self.steps_per_update as usize, 1, MOST_STEPS as usize),
        ];
        for (name, value, least, most) in counts {
            if !(least..=most).contains(&value) {
                let why = if name == "batch_size" { ", the buffer" } else { "" };
                return Err(format!("{name} is {value} and must be from {least} to {most}{why}"));
            }
        }
        Ok(())
    }

    /// Settings with these in the place of their own.
    pub(super) fn over(self, settings: LearnerSettings) -> LearnerSettings {
        let Self {
            learning_rate,
            exploration_rate,
            batch_size,
            update_every,
            buffer,
            steps_per_update,
            entropy,
            most_importance,
            half_life,
        } = self;
        LearnerSettings {
            learning_rate,
            exploration_rate,
            batch_size,
            update_every,
            buffer,
            steps_per_update,
            entropy,
            most_importance,
            half_life,
            hidden: settings.hidden,
            seed: settings.seed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_the_documents_and_can_be_learned_with() {
        let tuning = Tuning::default();
        assert_eq!(tuning.check(), Ok(()));
        assert_eq!((tuning.batch_size, tuning.update_every, tuning.buffer), (32, 100, 1_000));
        assert!((tuning.learning_rate - 0.001).abs() < 1e-12);
        assert!((tuning.exploration_rate - 0.15).abs() < 1e-12);
        let other = LearnerSettings { hidden: 7, seed: 9, entropy: 0.9, ..LearnerSettings::default() };
        let over = tuning.over(other);
        assert_eq!(over, LearnerSettings { hidden: 7, seed: 9, ..LearnerSettings::default() });
    }

    #[test]
    fn what_nothing_can_be_learned_with_is_named_with_what_it_may_be() {
        let fine = Tuning::default();
        for (wrong, named) in [
            (Tuning { learning_rate: 0.0, ..fine }, "learning_rate is 0 "),
            (Tuning { learning_rate: f64::NAN, ..fine }, "learning_rate is NaN "),
            (Tuning { exploration_rate: 1.5, ..fine }, "exploration_rate is 1.5 and must be from 0 to 1"),
            (Tuning { entropy: -0.1, ..fine }, "entropy"),
            (Tuning { most_importance: 0.5, ..fine }, "most_importance"),
            (Tuning { half_life: f64::INFINITY, ..fine }, "half_life"),
            (Tuning { batch_size: 0, ..fine }, "batch_size"),
            (
                Tuning { batch_size: 11, buffer: 10, ..fine },
                "batch_size is 11 and must be from 1 to 10, the buffer",
            ),
            (Tuning { buffer: 0, ..fine }, "buffer is 0 "),
            (Tuning { update_every: 0, ..fine }, "update_every"),
            (Tuning { steps_per_update: 0, ..fine }, "steps_per_update"),
        ] {
            let why = wrong.check().unwrap_err();
            assert!(why.starts_with(named), "{why}");
        }
    }
}
