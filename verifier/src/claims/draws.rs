//! Draws by a seed: the same on every machine and in every release.

use sha2::{Digest, Sha256};

/// A sequence of draws (SplitMix64).
#[derive(Debug, Clone)]
pub struct Draws(u64);

impl Draws {
    /// A sequence of its own for a seed and a name.
    pub fn new(seed: u64, name: &str) -> Self {
        let digest = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(name).finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        Self(u64::from_le_bytes(first))
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; zero where nothing is.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 {
            return 0;
        }
        // The remainder of 64 bits by a small number favours none of its values noticeably.
        usize::try_from(self.bits() % end as u64).unwrap_or(0)
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    /// At least 0, less than 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of them; `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Puts items in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_name_give_one_sequence() {
        let four = |seed, name: &str| {
            let mut draws = Draws::new(seed, name);
            [draws.bits(), draws.bits(), draws.bits(), draws.bits()]
        };
        assert_eq!(four(1, "a"), four(1, "a"));
        assert_ne!(four(1, "a"), four(2, "a"));
        assert_ne!(four(1, "a"), four(1, "b"));
    }

    #[test]
    fn draws_are_spread_evenly() {
        let mut draws = Draws::new(7, "spread");
        let mut counts = [0_u32; 10];
        (0..10_000).for_each(|_| counts[draws.below(10)] += 1);
        assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
        let hits = (0..10_000).filter(|_| draws.chance(0.3)).count();
        assert!((2_850..3_150).contains(&hits), "{hits}");
    }
}
