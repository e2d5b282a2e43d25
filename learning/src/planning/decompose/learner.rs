//! Choosing and learning: a policy gradient with a baseline (seeds/super-llm-block.md,
//! `DecompositionEngine`, `update_policy`).
//!
//! What the document leaves open, and what is done here (docs/decisions/0012-how-the-brain-learns.md):
//! - An update goes several times over its experiences; with a single step of 0.001 per hundred
//!   questions nothing would be learned in a lifetime.
//! - Experiences were made by earlier policies. Each counts by how probable its action is now against then, at
//!   most twice (truncated importance weights).
//! - Exploring redraws one of the four choices, not all: what it made better or worse is then clear.
//! - When rewards fall clearly short of what the baseline expects, everything older is forgotten (`surprise`).

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::action::Action;
use super::draws::{Field, draw};
use super::experience::{Experience, Experiences};
use super::networks::{Batch, Networks, Trainer, Weights};
use super::state::State;
use super::surprise::Alarm;
use super::tuning::Tuning;
use crate::saved::{self, SavedError, Stamp};
use crate::seeded::{self, Purpose};

const STAMP: Stamp = Stamp { format: "frlm-decomposition", version: 1 };

/// Updates after which the baseline's word counts.
const SETTLED_UPDATES: u64 = 5;

/// Hyperparameters; the defaults are the document's where it names one (`learning_params`).
///
/// Its `discount_factor` of 0.95 is none of them: a question is an episode of one decision, whose return is its reward
/// whatever the discount (docs/decisions/0012-how-the-brain-learns.md). Routing, whose decisions follow each other,
/// discounts by it ([`crate::routing`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearnerSettings {
    /// Of both networks.
    pub learning_rate: f64,
    /// Share of episodes in which something else is tried.
    pub exploration_rate: f64,
    /// Experiences per step.
    pub batch_size: usize,
    /// Rewards between updates.
    pub update_every: u32,
    /// Experiences that are kept.
    pub buffer: usize,
    /// Steps per update.
    pub steps_per_update: u32,
    /// Weight of the policy's entropy: it must not forget that there are other ways.
    pub entropy: f64,
    /// How much more than once an experience may count.
    pub most_importance: f64,
    /// Episodes after which an experience is drawn half as often.
    pub half_life: f64,
    /// Units between features and logits.
    pub hidden: usize,
    /// Decides first weights and all draws.
    pub seed: u64,
}

impl Default for LearnerSettings {
    fn default() -> Self {
        Self {
            learning_rate: 0.001,
            exploration_rate: 0.15,
            batch_size: 32,
            update_every: 100,
            buffer: 1_000,
            steps_per_update: 300,
            entropy: 0.05,
            most_importance: 2.0,
            half_life: 200.0,
            hidden: 32,
            seed: 0,
        }
    }
}

/// Names an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EpisodeId(pub u64);

/// What was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// To be named when the reward is known.
    pub episode: EpisodeId,
    /// How to take the question apart.
    pub action: Action,
    /// Whether something was tried.
    pub explored: bool,
    /// Whether a coin decided between two ways that are held against each other.
    pub tested: bool,
}

/// What an update did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update {
    /// Mean reward of the experiences that it was made of.
    pub mean_reward: f64,
    /// Mean loss of the policy.
    pub loss: f64,
    /// Whether rewards fell so far short of what was expected that everything older was forgotten.
    pub forgot: bool,
}

/// Why something could not be learned.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// A reward that is none.
    #[error("a reward must be within −1 and 1, and {0} is not")]
    NoReward(f64),
    /// The episode is too old, or never was.
    #[error("episode {} is not known any more: only the newest are kept", .0.0)]
    Forgotten(EpisodeId),
    /// The networks.
    #[error("the policy cannot compute: {0}")]
    Networks(#[from] candle_core::Error),
    /// The file.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// The file is of other networks, or holds what is no number.
    #[error("the stored weights do not fit these networks; the file is set aside as {0}")]
    Quarantined(std::path::PathBuf),
}

/// A policy that learns.
#[derive(Debug)]
pub struct Learner {
    settings: LearnerSettings,
    networks: Networks,
    experiences: Experiences,
    /// Episodes so far: each has draws of its own.
    episodes: u64,
    updates: u64,
    /// Updates before everything was last forgotten.
    learning_since: u64,
    rewards_since_update: u32,
}

/// Everything that a learner has learned, to be stored with something else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    settings: LearnerSettings,
    weights: Weights,
    experiences: Experiences,
    episodes: u64,
    updates: u64,
    learning_since: u64,
    rewards_since_update: u32,
}

impl Stored {
    /// Questions so far.
    pub fn episodes(&self) -> u64 {
        self.episodes
    }

    /// Updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Whether its weights are of the networks that it names, and all of them numbers: then a learner can go on from it.
    pub fn is_sound(&self) -> bool {
        self.weights.fit(self.settings.hidden.max(1))
    }
}

impl Learner {
    /// A learner that knows nothing.
    pub fn new(settings: LearnerSettings) -> Result<Self, LearnError> {
        let mut rng = seeded::stream(settings.seed, 0, Purpose::Weights);
        Ok(Self {
            networks: Networks::new(settings.hidden.max(1), &mut rng)?,
            settings,
            experiences: Experiences::default(),
            episodes: 0,
            updates: 0,
            learning_since: 0,
            rewards_since_update: 0,
        })
    }

    /// Goes by these hyperparameters from here on; whether that changes anything.
    pub fn tune(&mut self, tuning: Tuning) -> bool {
        let tuned = tuning.over(self.settings);
        std::mem::replace(&mut self.settings, tuned) != tuned
    }

    /// Questions so far.
    pub fn episodes(&self) -> u64 {
        self.episodes
    }

    /// Updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Updates before everything was last forgotten: another number where it was forgotten again.
    pub fn learning_since(&self) -> u64 {
        self.learning_since
    }

    /// What the policy thinks best, without trying anything.
    pub fn best(&self, state: &State) -> Result<Action, LearnError> {
        let heads = self.networks.probabilities(&state.features())?;
        let likeliest = |head: &Vec<f64>| {
            let best = (0..head.len()).max_by(|one, other| head[*one].total_cmp(&head[*other]));
            best.unwrap_or(0)
        };
        Ok(Action::of_choices([0, 1, 2, 3].map(|head| likeliest(&heads[head]))))
    }

    /// The same for a question like the latest of a domain; `None` before the first of it.
    pub fn best_for(&self, domain: u8) -> Result<Option<Action>, LearnError> {
        self.experiences.latest_of(domain).map(|state| self.best(state)).transpose()
    }

    /// Chooses for a question, and remembers it until its reward is known.
    pub fn choose(&mut self, state: &State) -> Result<Choice, LearnError> {
        self.choose_within(&Field::default(), state)
    }

    /// The same within what is open.
    pub fn choose_within(&mut self, field: &Field, state: &State) -> Result<Choice, LearnError> {
        let heads = self.networks.probabilities(&state.features())?;
        let mut rng = seeded::stream(self.settings.seed, self.episodes, Purpose::Action);
        let drawn = draw(&heads, self.settings.exploration_rate, field, &mut rng);
        let episode = EpisodeId(self.episodes);
        self.episodes += 1;
        self.experiences.push(
            Experience {
                episode,
                state: *state,
                action: drawn.action,
                probability: drawn.probability,
                weight: drawn.weight,
                reward: None,
            },
            self.settings.buffer,
        );
        Ok(Choice { episode, action: drawn.action, explored: drawn.explored, tested: drawn.tested })
    }

    /// Notes what an episode was worth. A second reward for it, because a rating came late, takes the place
    /// of the first. Learns when enough rewards have come.
    pub fn reward(&mut self, episode: EpisodeId, reward: f64) -> Result<Option<Update>, LearnError> {
        if !(-1.0..=1.0).contains(&reward) {
            return Err(LearnError::NoReward(reward));
        }
        let first = self.experiences.reward(episode, reward).ok_or(LearnError::Forgotten(episode))?;
        self.rewards_since_update += u32::from(first);
        if first {
            self.forget_if(Alarm::AT_ONCE)?;
        }
        if self.rewards_since_update < self.settings.update_every.max(1) {
            return Ok(None);
        }
        self.rewards_since_update = 0;
        self.update()
    }

    fn update(&mut self) -> Result<Option<Update>, LearnError> {
        self.forget_if(Alarm::at_update(self.settings.update_every))?;
        // Now, or since the update before.
        let forgot = self.updates > 0 && self.learning_since == self.updates;
        let rewards: Vec<f64> = self.experiences.rewarded().filter_map(|one| one.reward).collect();
        if rewards.len() < self.settings.batch_size {
            // Too much was forgotten just now: as soon as there is a batch again.
            self.rewards_since_update = self.settings.update_every;
            return Ok(None);
        }
        let mut rng = seeded::stream(self.settings.seed, self.updates, Purpose::Batch);
        let mut trainer = Trainer::new(
            &self.networks,
            self.settings.learning_rate,
            self.settings.entropy,
            self.settings.most_importance,
        )?;
        let mut loss = 0.0;
        for _ in 0..self.settings.steps_per_update {
            let drawn = self.experiences.sample(self.settings.batch_size, self.settings.half_life, &mut rng);
            loss += trainer.step(&batch(&drawn))?;
        }
        self.updates += 1;
        Ok(Some(Update {
            mean_reward: rewards.iter().sum::<f64>() / rewards.len() as f64,
            loss: loss / f64::from(self.settings.steps_per_update.max(1)),
            forgot,
        }))
    }

    /// Forgets everything but the last rewards, policy included, if these are clearly less than the baseline
    /// expected: tastes have changed, and what was learned of the old ones is in the way.
    fn forget_if(&mut self, alarm: Alarm) -> Result<(), LearnError> {
        // Before the first updates the baseline expects nothing in particular.
        if self.updates - self.learning_since < SETTLED_UPDATES {
            return Ok(());
        }
        let recent: Vec<&Experience> = self.experiences.rewarded().rev().take(alarm.newest).collect();
        let rows: Vec<_> = recent.iter().map(|experience| experience.state.features()).collect();
        let surprises: Vec<(f64, f64)> = recent
            .iter()
            .zip(self.networks.expectations(&rows)?)
            .map(|(experience, expected)| (experience.weight, experience.reward.unwrap_or(0.0) - expected))
            .collect();
        if !alarm.goes_off(&surprises) {
            return Ok(());
        }
        self.experiences.keep_newest(alarm.kept);
        let mut rng = seeded::stream(self.settings.seed, self.updates, Purpose::Weights);
        self.networks = Networks::new(self.settings.hidden.max(1), &mut rng)?;
        self.learning_since = self.updates;
        Ok(())
    }

    /// Stores everything that was learned; a reader sees the old file or the new one.
    pub fn save(&self, path: &Path) -> Result<(), LearnError> {
        Ok(saved::write(path, STAMP, &self.stored()?)?)
    }

    /// Everything that was learned.
    pub fn stored(&self) -> Result<Stored, LearnError> {
        Ok(Stored {
            settings: self.settings,
            weights: self.networks.weights()?,
            experiences: self.experiences.clone(),
            episodes: self.episodes,
            updates: self.updates,
            learning_since: self.learning_since,
            rewards_since_update: self.rewards_since_update,
        })
    }

    /// Goes on from what was learned; `None` if that is of other networks, or holds what is no number.
    pub fn going_on(stored: Stored) -> Result<Option<Self>, LearnError> {
        if !stored.is_sound() {
            return Ok(None);
        }
        let learner = Self::new(stored.settings)?;
        learner.networks.set_weights(&stored.weights)?;
        Ok(Some(Self {
            experiences: stored.experiences,
            episodes: stored.episodes,
            updates: stored.updates,
            learning_since: stored.learning_since,
            rewards_since_update: stored.rewards_since_update,
            ..learner
        }))
    }

    /// Goes on from a file. One that is damaged is renamed, so that it is neither used nor lost.
    pub fn load(path: &Path) -> Result<Self, LearnError> {
        let aside = || {
            let aside = path.with_extension("damaged");
            // If it cannot even be renamed, the next save replaces it.
            let _ = std::fs::rename(path, &aside);
            LearnError::Quarantined(aside)
        };
        let stored: Stored = match saved::read(path, STAMP) {
            Err(SavedError::Damaged { .. }) => return Err(aside()),
            read => read?,
        };
        Self::going_on(stored)?.ok_or_else(aside)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "networks compute in single precision")]
fn batch(drawn: &[Experience]) -> Batch {
    Batch {
        features: drawn.iter().map(|experience| experience.state.features()).collect(),
        choices: drawn.iter().map(|experience| experience.action.choices()).collect(),
        rewards: drawn.iter().map(|experience| experience.reward.unwrap_or(0.0) as f32).collect(),
        probabilities: drawn.iter().map(|experience| experience.probability.max(1e-9) as f32).collect(),
    }
}

#[cfg(test)]
mod tests;
