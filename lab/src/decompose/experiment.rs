//! One world: a learner that starts from nothing, and ways that do not learn, over the same questions.

use frlm_learning::planning::decompose::{Action, LearnError, Learner, LearnerSettings, State};
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::world::World;

/// A way to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The policy as it plays, exploring included.
    Learned,
    /// The policy's favourite, without exploring.
    Greedy,
    /// The action that serves where nothing was learned.
    Static,
    /// Any action.
    Random,
    /// The one action that is best on average over all questions of the phase, known in hindsight.
    BestFixed,
    /// The best action for every question: nobody can do better.
    Best,
}

impl Way {
    /// In the order of tables.
    pub const ALL: [Self; 6] =
        [Self::Learned, Self::Greedy, Self::BestFixed, Self::Static, Self::Random, Self::Best];

    /// For tables and pictures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Learned => "learned, as it plays",
            Self::Greedy => "learned, favourite",
            Self::Static => "static",
            Self::Random => "random",
            Self::BestFixed => "best fixed action",
            Self::Best => "best possible",
        }
    }
}

/// Mean rewards by episode, one list for each of [`Way::ALL`].
#[derive(Debug, Clone)]
pub struct Course {
    /// What each way's choice was worth, without the noise.
    pub worth: [Vec<f64>; 6],
    /// The episode at which preferences changed.
    pub shift: usize,
}

impl Course {
    /// The mean worth of a way's choices over some episodes.
    pub fn mean(&self, way: Way, from: usize, until: usize) -> f64 {
        let at = Way::ALL.iter().position(|one| *one == way).unwrap_or(0);
        let window = &self.worth[at][from..until.min(self.worth[at].len())];
        window.iter().sum::<f64>() / window.len().max(1) as f64
    }

    /// What a way lost against the best possible, as a share of what random choices lose.
    pub fn regret(&self, way: Way, from: usize, until: usize) -> f64 {
        let best = self.mean(Way::Best, from, until);
        (best - self.mean(way, from, until)) / (best - self.mean(Way::Random, from, until))
    }
}

/// Lets a learner play, changes the world's preferences, and lets it play on.
pub fn run(
    seed: u64,
    settings: LearnerSettings,
    episodes: usize,
    after_shift: usize,
) -> Result<Course, LearnError> {
    let mut learner = Learner::new(LearnerSettings { seed, ..settings })?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xdec0_de00);
    let mut course = Course { worth: Default::default(), shift: episodes };
    for (world, count) in
        [(World::new(seed), episodes), (World::new(seed.wrapping_add(1_000_003)), after_shift)]
    {
        let questions: Vec<State> = (0..count).map(|_| World::question(&mut rng)).collect();
        let fixed = best_fixed(&world, &questions);
        for state in &questions {
            let greedy = learner.best(state)?;
            let choice = learner.choose(state)?;
            learner.reward(choice.episode, world.seen(state, choice.action, &mut rng))?;
            let random = Action::of_choices([
                rng.random_range(0..6),
                rng.random_range(0..3),
                rng.random_range(0..3),
                rng.random_range(0..3),
            ]);
            for (worth, way) in course.worth.iter_mut().zip(Way::ALL) {
                worth.push(match way {
                    Way::Learned => world.worth(state, choice.action),
                    Way::Greedy => world.worth(state, greedy),
                    Way::Static => world.worth(state, Action::STATIC),
                    Way::Random => world.worth(state, random),
                    Way::BestFixed => world.worth(state, fixed),
                    Way::Best => world.best_worth(state),
                });
            }
        }
    }
    Ok(course)
}

fn best_fixed(world: &World, questions: &[State]) -> Action {
    let total = |action: &Action| -> f64 { questions.iter().map(|state| world.worth(state, *action)).sum() };
    let mut best = (Action::STATIC, total(&Action::STATIC));
    for action in Action::all() {
        let worth = total(&action);
        if worth > best.1 {
            best = (action, worth);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learner_beats_every_way_that_does_not_know_the_world() {
        let course = run(7, LearnerSettings::default(), 2_500, 0).unwrap();
        let late = |way| course.mean(way, 2_000, 2_500);
        assert!(late(Way::Learned) > late(Way::BestFixed), "{} {}", late(Way::Learned), late(Way::BestFixed));
        assert!(late(Way::BestFixed) > late(Way::Random) && late(Way::Best) >= late(Way::Greedy));
        assert!(course.regret(Way::Learned, 2_000, 2_500) < 0.5 * course.regret(Way::Learned, 0, 500));
    }

    #[test]
    fn the_same_seed_repeats_itself() {
        let once = run(3, LearnerSettings::default(), 300, 50).unwrap();
        assert_eq!(once.worth, run(3, LearnerSettings::default(), 300, 50).unwrap().worth);
        assert_eq!((once.shift, once.worth[0].len()), (300, 350));
    }
}
