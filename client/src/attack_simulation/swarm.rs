//! The simulated providers, honest and not.

use std::time::Duration;

use frlm_verifier::trust::ProviderTraits;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use super::adversary::{self, Kind, Memory};
use super::world::{MODELS, Reply, Subtask, mix, model_answer, spelled};

/// Providers in the swarm.
pub const PROVIDERS: usize = 50;

/// Who the liars are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mix {
    /// Eleven kinds, each on its own.
    Independent,
    /// All of them collude on one topic.
    Clique,
}

impl Mix {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Independent, Self::Clique];

    /// For tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Clique => "clique",
        }
    }
}

/// A provider: a key, claimed weights, and what is behind them.
#[derive(Debug)]
pub struct Provider {
    /// Its key.
    pub name: String,
    /// The weights that it claims.
    pub weights: u64,
    /// How it lies; `None`: it does not.
    pub kind: Option<Kind>,
    /// Jobs it answered with something that is not what its claimed weights say.
    pub lies: u32,
    /// Whether it was put out.
    pub out: bool,
    memory: Memory,
    lot: SmallRng,
}

impl Provider {
    fn new(number: usize, kind: Option<Kind>, seed: u64) -> Self {
        Self {
            name: format!("provider-{number}"),
            weights: number as u64 % MODELS,
            kind,
            lies: 0,
            out: false,
            memory: Memory::default(),
            lot: SmallRng::seed_from_u64(mix(seed, 0xabcd + number as u64)),
        }
    }

    /// What it says of itself: weights that others claim too.
    pub fn traits(&self) -> ProviderTraits {
        ProviderTraits { weights_hash: Some(format!("weights-{}", self.weights)), operator: None }
    }

    /// Its reply to a job and how long that takes; no reply: it never comes.
    pub fn reply(&mut self, subtask: &Subtask, error_rate: f64) -> (Option<Reply>, Duration) {
        let takes = Duration::from_millis(self.lot.random_range(1_000..3_000));
        let honest = || {
            let (amount, confidence) = model_answer(subtask, self.weights, error_rate);
            Reply { text: spelled(amount, self.weights), confidence }
        };
        let Some(kind) = self.kind else { return (Some(honest()), takes) };
        let truthful = honest();
        let said =
            adversary::answer(kind, &mut self.memory, subtask, self.weights, error_rate, &mut self.lot);
        self.lies += u32::from(said.as_ref().is_none_or(|said| said.text != truthful.text));
        (said, takes)
    }
}

/// The swarm; liars that come back under new keys are added at its end.
#[derive(Debug)]
pub struct Swarm {
    /// Everybody that ever had a key.
    pub providers: Vec<Provider>,
    seed: u64,
}

impl Swarm {
    /// A swarm in which this share lies.
    pub fn new(share: f64, mix_of: Mix, seed: u64) -> Self {
        let mut swarm = Self { providers: Vec::with_capacity(PROVIDERS), seed };
        let mut liars = 0;
        for number in 0..PROVIDERS {
            // Spread evenly, so that every model has its share of liars.
            let lies = ((number + 1) as f64 * share).floor() > (number as f64 * share).floor();
            let kind = lies.then(|| match mix_of {
                Mix::Clique => Kind::Clique,
                Mix::Independent => Kind::INDEPENDENT[liars % Kind::INDEPENDENT.len()],
            });
            liars += usize::from(lies);
            swarm.providers.push(Provider::new(number, kind, seed));
        }
        swarm
    }

    /// Somebody was put out. A Sybil comes back under a new key: its place, if so.
    pub fn put_out(&mut self, at: usize) -> Option<usize> {
        let provider = self.providers.get_mut(at)?;
        provider.out = true;
        let comes_back = provider.kind == Some(Kind::Sybil);
        comes_back.then(|| {
            let number = self.providers.len();
            self.providers.push(Provider::new(number, Some(Kind::Sybil), self.seed));
            number
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_liars_is_as_asked_and_all_kinds_are_there() {
        for (share, liars) in [(0.0, 0), (0.1, 5), (0.3, 15), (0.5, 25)] {
            let swarm = Swarm::new(share, Mix::Independent, 1);
            let kinds: Vec<Kind> = swarm.providers.iter().filter_map(|provider| provider.kind).collect();
            assert_eq!(kinds.len(), liars, "{share}");
            if liars > 10 {
                assert!(Kind::INDEPENDENT.iter().all(|kind| kinds.contains(kind)));
            }
        }
    }

    #[test]
    fn only_a_sybil_comes_back_and_knows_nothing_of_its_former_self() {
        let mut swarm = Swarm::new(0.3, Mix::Independent, 1);
        let of = |swarm: &Swarm, kind| swarm.providers.iter().position(|provider| provider.kind == kind);
        let (sybil, honest) = (of(&swarm, Some(Kind::Sybil)).unwrap(), of(&swarm, None).unwrap());
        assert_eq!(swarm.put_out(honest), None);
        let again = swarm.put_out(sybil).unwrap();
        assert_eq!(again, PROVIDERS);
        assert!(!swarm.providers[again].out && swarm.providers[again].lies == 0);
    }
}
