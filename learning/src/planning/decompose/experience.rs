//! What is learned from: the newest episodes, the latest of them rather than the oldest.

use std::collections::VecDeque;

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::action::Action;
use super::learner::EpisodeId;
use super::state::State;

/// One decision with what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Experience {
    pub episode: EpisodeId,
    pub state: State,
    pub action: Action,
    /// With which probability it was chosen then, exploration included.
    pub probability: f64,
    /// How much likelier the policy alone would have chosen it: other than 1 where ways were held against each other or
    /// were closed.
    #[serde(default = "by_itself")]
    pub weight: f64,
    /// `None` until the answer is there.
    pub reward: Option<f64>,
}

fn by_itself() -> f64 {
    1.0
}

/// The newest experiences (seeds/super-llm-block.md, `experience_buffer`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Experiences(VecDeque<Experience>);

impl Experiences {
    /// Adds one; the oldest goes when there are too many.
    pub fn push(&mut self, experience: Experience, most: usize) {
        self.0.push_back(experience);
        while self.0.len() > most.max(1) {
            self.0.pop_front();
        }
    }

    /// Notes a reward, or another one in its place. `None`: nobody knows this episode any more; otherwise
    /// whether it is its first.
    pub fn reward(&mut self, episode: EpisodeId, reward: f64) -> Option<bool> {
        let at = self.0.binary_search_by_key(&episode, |experience| experience.episode).ok()?;
        Some(self.0[at].reward.replace(reward).is_none())
    }

    /// The latest question of a domain.
    pub fn latest_of(&self, domain: u8) -> Option<&State> {
        self.0.iter().rev().map(|experience| &experience.state).find(|state| state.domain == domain)
    }

    pub fn rewarded(&self) -> impl DoubleEndedIterator<Item = &Experience> {
        self.0.iter().filter(|experience| experience.reward.is_some())
    }

    /// Drops all but so many of the newest rewarded ones, and whatever waits for its reward since.
    pub fn keep_newest(&mut self, count: usize) {
        if let Some(first) = self.rewarded().rev().take(count).last().map(|experience| experience.episode) {
            self.0.retain(|experience| experience.episode >= first);
        }
    }

    /// Draws some of those with a reward, with repetition: one that is `half_life` episodes older is drawn
    /// half as often. What users wanted long ago must not outweigh what they want now.
    pub fn sample(&self, count: usize, half_life: f64, rng: &mut ChaCha8Rng) -> Vec<Experience> {
        let newest_first: Vec<&Experience> = self.rewarded().rev().collect();
        if newest_first.is_empty() {
            return Vec::new();
        }
        let draw = |rng: &mut ChaCha8Rng| loop {
            let age = -rng.random::<f64>().max(f64::MIN_POSITIVE).log2() * half_life.max(1.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "an age is not negative, and one beyond all bounds is drawn again"
            )]
            let age = age as usize;
            if let Some(experience) = newest_first.get(age) {
                break **experience;
            }
        };
        (0..count).map(|_| draw(rng)).collect()
    }
}
