//! Dawid–Skene: who is reliable and what is true, estimated together from what was compared.
//!
//! Expectation–maximisation over the votes of one class of tasks. Each provider has one reliability;
//! an item's truth is one of its groups of answers or none of them. Items whose truth is known (gold,
//! audits) anchor the rest: without them a clique that outnumbers the honest would define the truth.

/// One subtask's answers: who was in which group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// (provider, group) pairs.
    pub votes: Vec<(u32, u8)>,
    /// How many groups there are.
    pub groups: u8,
    /// The right group where it is known; `Some(None)`: known, and nobody was right.
    pub truth: Option<Option<u8>>,
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Probability that a provider's answer is right, by provider; the prior where it never voted.
    pub reliability: Vec<f64>,
    /// For each item the probability of each group being right; they sum to at most 1.
    pub truths: Vec<Vec<f64>>,
}

/// Imaginary votes before the first real one: eight right of ten.
const PRIOR_RIGHT: f64 = 4.0;
const PRIOR_VOTES: f64 = 5.0;
/// How many wrong answers an unreliable provider chooses from.
const WRONG_CHOICES: f64 = 4.0;
/// The chance that nobody is right, before anything was seen.
const NOBODY_RIGHT: f64 = 0.02;

/// Estimates reliabilities and truths in a fixed number of rounds; ten are enough for convergence to
/// a few digits on the sizes that runs have.
pub fn dawid_skene(items: &[&Item], providers: usize, rounds: usize) -> Estimate {
    let unknown = vec![PRIOR_RIGHT / PRIOR_VOTES; providers];
    // What is known comes first: starting from everybody's word, a clique would be the truth.
    let known = items.iter().copied().filter(|item| item.truth.is_some());
    let mut reliability = reliabilities(known.map(|item| (item, truth_of(item, &unknown))), providers);
    let mut truths = Vec::new();
    for _ in 0..rounds.max(1) {
        truths = items.iter().map(|item| truth_of(item, &reliability)).collect();
        reliability = reliabilities(items.iter().copied().zip(truths.iter().cloned()), providers);
    }
    Estimate { reliability, truths }
}

/// The maximisation step: expected right answers over answers, by provider.
fn reliabilities<'a>(items: impl Iterator<Item = (&'a Item, Vec<f64>)>, providers: usize) -> Vec<f64> {
    let mut right = vec![PRIOR_RIGHT; providers];
    let mut votes = vec![PRIOR_VOTES; providers];
    for (item, truth) in items {
        for &(provider, group) in &item.votes {
            let at = provider as usize;
            let (Some(right), Some(votes)) = (right.get_mut(at), votes.get_mut(at)) else { continue };
            *right += truth.get(usize::from(group)).copied().unwrap_or(0.0);
            *votes += 1.0;
        }
    }
    right.iter().zip(votes).map(|(right, votes)| (right / votes).clamp(0.01, 0.999)).collect()
}

fn truth_of(item: &Item, reliability: &[f64]) -> Vec<f64> {
    let groups = usize::from(item.groups);
    if let Some(known) = item.truth {
        return (0..groups).map(|group| if known == u8::try_from(group).ok() { 1.0 } else { 0.0 }).collect();
    }
    let mut log = vec![0.0_f64; groups + 1];
    for &(provider, vote) in &item.votes {
        let reliable = reliability.get(provider as usize).copied().unwrap_or(PRIOR_RIGHT / PRIOR_VOTES);
        for (group, log) in log.iter_mut().enumerate() {
            *log += if group == usize::from(vote) {
                reliable.ln()
            } else {
                ((1.0 - reliable) / WRONG_CHOICES).ln()
            };
        }
    }
    log[groups] += NOBODY_RIGHT.ln();
    let most = log.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = log.iter().map(|log| (log - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights[..groups].iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Providers 0–5 are right, 6–8 give one and the same lie.
    fn swarm(items: u32, gold_every: u32) -> Vec<Item> {
        (0..items)
            .map(|item| {
                let asked = [item % 9, (item / 2 + 3) % 9, (item / 3 + 6) % 9];
                let mut votes: Vec<(u32, u8)> = Vec::new();
                for voter in asked {
                    if votes.iter().all(|(seen, _)| *seen != voter) {
                        votes.push((voter, u8::from(voter >= 6)));
                    }
                }
                let truth = (gold_every > 0 && item % gold_every == 0).then_some(Some(0));
                Item { votes, groups: 2, truth }
            })
            .collect()
    }

    fn estimate(items: &[Item], rounds: usize) -> Estimate {
        dawid_skene(&items.iter().collect::<Vec<_>>(), 9, rounds)
    }

    #[test]
    fn liars_and_truths_are_found_together() {
        let estimate = estimate(&swarm(200, 0), 10);
        assert!(estimate.reliability[..6].iter().all(|r| *r > 0.9), "{:?}", estimate.reliability);
        assert!(estimate.reliability[6..].iter().all(|r| *r < 0.2), "{:?}", estimate.reliability);
        assert!(estimate.truths.iter().filter(|truth| truth[0] > 0.95).count() > 190);
    }

    #[test]
    fn known_truths_anchor_the_rest_against_a_majority_of_liars() {
        // Three honest, six lying alike.
        let turned = |items: Vec<Item>| -> Vec<Item> {
            items
                .into_iter()
                .map(|item| Item {
                    votes: item.votes.iter().map(|(voter, group)| (*voter, 1 - group)).collect(),
                    truth: item.truth,
                    groups: 2,
                })
                .collect()
        };
        let honest = |estimate: &Estimate| estimate.reliability[6..].iter().all(|r| *r > 0.8);
        assert!(!honest(&estimate(&turned(swarm(200, 0)), 10)));
        assert!(honest(&estimate(&turned(swarm(200, 5)), 10)));
    }

    proptest! {
        #[test]
        fn every_estimate_is_a_probability(
            votes in proptest::collection::vec(proptest::collection::vec((0_u32..12, 0_u8..5), 0..6), 0..20)
        ) {
            let items: Vec<Item> =
                votes.into_iter().map(|votes| Item { votes, groups: 4, truth: None }).collect();
            let estimate = estimate(&items, 5);
            prop_assert!(estimate.reliability.iter().all(|r| (0.0..=1.0).contains(r)));
            for truth in estimate.truths {
                prop_assert!(truth.iter().sum::<f64>() <= 1.0 + 1e-9);
            }
        }
    }
}
