//! A **simulated** world: domains in which questions want to be taken apart in different ways, and nobody says
//! how.
//!
//! Assumed, all of it: each domain has a best pattern, phrasing and dependency structure, and a number of steps that
//! grows with a question's complexity. Every choice that is not the best costs success, and some of it satisfaction,
//! time or coherence; what is seen of it is noisy.

use frlm_learning::planning::decompose::{Action, Dependencies, Expertise, Pattern, Phrasing, State};
use frlm_learning::planning::reward::{Outcome, RewardSettings};
use frlm_learning::planning::satisfaction::Satisfaction;
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

/// Domains of a world.
const DOMAINS: usize = 5;
/// Standard deviation of what is observed.
const NOISE: f64 = 0.05;

/// What a domain wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Taste {
    /// Steps for its simplest questions; complex ones want up to two more.
    fewest_steps: u32,
    pattern: Pattern,
    phrasing: Phrasing,
    dependencies: Dependencies,
}

/// Domains and their hidden preferences.
#[derive(Debug, Clone)]
pub struct World {
    tastes: [Taste; DOMAINS],
    reward: RewardSettings,
}

impl World {
    /// A world of its own for every seed.
    pub fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Self { tastes: std::array::from_fn(|_| taste(&mut rng)), reward: RewardSettings::default() }
    }

    /// A question, as the policy sees it.
    pub fn question(rng: &mut ChaCha8Rng) -> State {
        State {
            complexity: rng.random(),
            words: rng.random_range(6..60),
            domain: rng.random_range(0..5),
            has_constraints: rng.random(),
            clauses: rng.random_range(1..6),
            providers: rng.random_range(3..50),
            load: rng.random(),
            network_latency_secs: rng.random_range(0.02..0.5),
            recent_success: rng.random_range(0.6..1.0),
            recent_reward: rng.random_range(0.4..0.9),
            expertise: [Expertise::Beginner, Expertise::Intermediate, Expertise::Expert]
                [rng.random_range(0..3)],
            satisfaction: rng.random_range(0.4..1.0),
        }
    }

    /// The mean reward of an action: what no learner sees.
    pub fn worth(&self, state: &State, action: Action) -> f64 {
        self.reward.reward(&self.outcome(state, action, &mut || 0.0))
    }

    /// The most that any action is worth.
    pub fn best_worth(&self, state: &State) -> f64 {
        Action::all().map(|action| self.worth(state, action)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// One outcome of an action: what a learner sees, with noise.
    pub fn seen(&self, state: &State, action: Action, rng: &mut ChaCha8Rng) -> f64 {
        self.reward.reward(&self.outcome(state, action, &mut || NOISE * normal(rng)))
    }

    fn outcome(&self, state: &State, action: Action, noise: &mut dyn FnMut() -> f64) -> Outcome {
        let taste = &self.tastes[usize::from(state.domain).min(DOMAINS - 1)];
        let wanted = f64::from(taste.fewest_steps) + (2.0 * state.complexity).round();
        let off = (f64::from(action.steps) - wanted).abs();
        let wrong = |is_wrong: bool, cost: f64| if is_wrong { cost } else { 0.0 };
        let pattern = wrong(action.pattern != taste.pattern, 1.0);
        let phrasing = wrong(action.phrasing != taste.phrasing, 1.0);
        let dependencies = wrong(action.dependencies != taste.dependencies, 1.0);
        let success = 0.97 - 0.07 * off.min(4.0) - 0.14 * pattern - 0.16 * phrasing - 0.10 * dependencies;
        let success = (success + noise()).clamp(0.0, 1.0);
        let satisfaction = 0.25 + 0.7 * success - 0.10 * phrasing + noise();
        let at_once = match action.pattern {
            Pattern::Parallel => 1.0,
            Pattern::Hybrid => f64::from(action.steps) / 2.0,
            Pattern::Sequential => f64::from(action.steps),
        };
        Outcome {
            success,
            satisfaction: Satisfaction::Guessed(satisfaction.clamp(0.0, 1.0)),
            latency_secs: (4.0 + 2.0 * at_once * (1.0 + state.load) + 2.0 * pattern + 10.0 * noise())
                .max(0.0),
            simplicity: (0.45 + 0.06 * f64::from(action.steps)).min(0.85),
            coherence: (0.95 - 0.15 * dependencies + noise()).clamp(0.0, 1.0),
            steps: action.steps,
            complex: state.complexity > 0.2,
        }
    }
}

fn taste(rng: &mut ChaCha8Rng) -> Taste {
    Taste {
        fewest_steps: rng.random_range(2..=5),
        pattern: [Pattern::Parallel, Pattern::Sequential, Pattern::Hybrid][rng.random_range(0..3)],
        phrasing: [Phrasing::Specific, Phrasing::General, Phrasing::ContextRich][rng.random_range(0..3)],
        dependencies: [Dependencies::Independent, Dependencies::LinearChain, Dependencies::Dag]
            [rng.random_range(0..3)],
    }
}

/// A draw from the standard normal distribution (Box and Muller, 1958).
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, angle): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * radius.max(f64::MIN_POSITIVE).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_want_different_things_and_the_noise_has_no_bias() {
        let world = World::new(1);
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let state = World::question(&mut rng);
        let bests: Vec<Action> = (0..5)
            .filter_map(|domain| {
                let state = State { domain, ..state };
                let worth = |action: &Action| world.worth(&state, *action);
                Action::all().max_by(|one, other| worth(one).total_cmp(&worth(other)))
            })
            .collect();
        assert!(bests.iter().any(|best| *best != bests[0]), "{bests:?}");
        // Far from the ends of the scale, where clamping would bend the mean.
        let action = Action { steps: 7, ..Action::STATIC };
        let draws = 4_000;
        let mean = (0..draws).map(|_| world.seen(&state, action, &mut rng)).sum::<f64>() / f64::from(draws);
        assert!((mean - world.worth(&state, action)).abs() < 0.01, "{mean}");
    }

    #[test]
    fn the_best_action_is_worth_clearly_more_than_the_mean_of_all() {
        let world = World::new(3);
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for _ in 0..20 {
            let state = World::question(&mut rng);
            let mean = Action::all().map(|action| world.worth(&state, action)).sum::<f64>() / 162.0;
            assert!(world.best_worth(&state) > mean + 0.1);
        }
    }
}
