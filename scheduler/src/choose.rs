//! The better of two that were drawn ("power of two choices": Mitzenmacher, 2001).
//!
//! Nearly as even as always asking the least loaded, without everybody rushing to the same one, and as
//! quick among ten thousand as among ten. Of a few the best is taken: there two draws would leave idle
//! ones out.

use rand::{Rng as _, RngCore};

/// So many are all looked at.
pub const FEW: usize = 8;
/// Draws before everybody is looked at: enough where half of them suit, cheap where few do.
const MOST_DRAWS: usize = 16;

/// Chooses among those that suit: the best of [`FEW`], the better of two drawn from more. Equals have
/// the same chance. `None` if nobody suits.
pub fn choose<T: Copy + PartialEq>(
    among: &[T],
    suits: impl Fn(T) -> bool,
    promise: impl Fn(T) -> f64,
    rng: &mut dyn RngCore,
) -> Option<T> {
    if among.len() <= FEW {
        return best(among.iter().copied().filter(|one| suits(*one)), promise, rng);
    }
    let mut first = None;
    for _ in 0..MOST_DRAWS {
        let drawn = among[rng.random_range(0..among.len())];
        if first == Some(drawn) || !suits(drawn) {
            continue;
        }
        match first {
            None => first = Some(drawn),
            Some(first) => return best([first, drawn].into_iter(), promise, rng),
        }
    }
    // Few suit: look at everybody, and keep two of them, each pair with the same chance.
    let mut kept = [None, None];
    for (seen, one) in among.iter().copied().filter(|one| suits(*one)).enumerate() {
        let place = if seen < kept.len() { seen } else { rng.random_range(0..=seen) };
        if let Some(place) = kept.get_mut(place) {
            *place = Some(one);
        }
    }
    best(kept.into_iter().flatten(), promise, rng)
}

/// The one that promises most; of several that promise the same, each with the same chance.
fn best<T: Copy>(
    among: impl Iterator<Item = T>,
    promise: impl Fn(T) -> f64,
    rng: &mut dyn RngCore,
) -> Option<T> {
    let (mut best, mut equals) = (None, 0_u32);
    for one in among {
        let promised = promise(one);
        let better = best.is_none_or(|(_, most)| promised > most);
        let equal = best.is_some_and(|(_, most): (T, f64)| promised.total_cmp(&most).is_eq());
        equals = if better { 1 } else { equals + u32::from(equal) };
        if better || (equal && rng.random_range(0..equals) == 0) {
            best = Some((one, promised));
        }
    }
    best.map(|(one, _)| one)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn lot() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(1)
    }

    fn shares(among: usize, draws: u32, promise: impl Fn(usize) -> f64) -> Vec<f64> {
        let (all, mut rng) = ((0..among).collect::<Vec<_>>(), lot());
        let mut taken = vec![0_u32; among];
        for _ in 0..draws {
            if let Some(chosen) = choose(&all, |_| true, &promise, &mut rng) {
                taken[chosen] += 1;
            }
        }
        taken.into_iter().map(|taken| f64::from(taken) / f64::from(draws)).collect()
    }

    #[test]
    fn equals_share_evenly_among_few_and_among_many() {
        for among in [2, FEW, 50] {
            let even = 1.0 / among as f64;
            let shares = shares(among, 20_000, |_| 0.5);
            assert!(shares.iter().all(|share| (share - even).abs() < 0.2 * even), "{among}: {shares:?}");
        }
    }

    #[test]
    fn the_best_of_few_is_always_taken_and_the_worst_of_many_never() {
        assert!(shares(FEW, 1_000, |one| one as f64)[FEW - 1] > 0.999);
        let many = shares(50, 20_000, |one| one as f64);
        assert!(many[0] == 0.0 && many[49] > many[25] && many[25] > 0.0, "{many:?}");
    }

    proptest! {
        #[test]
        fn a_chosen_provider_suits_and_one_is_chosen_if_any_suits(
            among in 0_usize..60, every in 1_usize..30, seed in any::<u64>(),
        ) {
            let all: Vec<usize> = (1..=among).collect();
            let suits = |one: usize| one.is_multiple_of(every);
            let chosen = choose(&all, suits, |one| one as f64, &mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert_eq!(chosen.is_some(), among >= every);
            prop_assert!(chosen.is_none_or(suits));
        }
    }
}
