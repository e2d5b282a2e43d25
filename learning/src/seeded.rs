//! Reproducible draws that survive a restart.
//!
//! Every step of an experiment draws from its own stream of one seed, so that nothing of a generator's
//! inner state has to be kept: a resumed experiment draws what the uninterrupted one would have drawn.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

/// What a draw is for: draws for different purposes never disturb each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Which task comes next.
    Task,
    /// Whether to explore, and where.
    Action,
    /// The task type assumed for the value of the next state.
    NextTask,
    /// Which provider of several is looked at.
    Provider,
    /// The first weights of a network.
    Weights,
    /// Which experiences are learned from.
    Batch,
}

/// The generator for one purpose at one step.
pub fn stream(seed: u64, step: u64, purpose: Purpose) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(step.wrapping_mul(8).wrapping_add(purpose as u64));
    rng
}

#[cfg(test)]
mod tests {
    use rand::Rng as _;

    use super::*;

    #[test]
    fn a_stream_repeats_and_differs_from_its_neighbours() {
        let draw = |seed, step, purpose| stream(seed, step, purpose).random::<u64>();
        assert_eq!(draw(7, 3, Purpose::Task), draw(7, 3, Purpose::Task));
        assert_ne!(draw(7, 3, Purpose::Task), draw(7, 4, Purpose::Task));
        assert_ne!(draw(7, 3, Purpose::Task), draw(7, 3, Purpose::Action));
        assert_ne!(draw(7, 3, Purpose::Task), draw(8, 3, Purpose::Task));
    }
}
