//! How an action is drawn: by the policy, sometimes trying another choice, and within what is open.
//!
//! ```text
//!   heads ─► a choice each ─► with probability ε one of them again, evenly
//!                                  │
//!        of a way that is closed ◄─┤ ─► drawn again among those that are open
//!        of one of a pair        ◄─┘ ─► an even coin says which of both, and the policy the rest
//! ```
//!
//! The coin knows nothing of the question: what both ways are worth then differs by the ways alone.

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;

use super::action::{Action, HEADS};
use super::strategy::Strategy;

/// What may be drawn. By default everything, by the policy alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Field {
    /// Ways that are out of use.
    pub closed: Vec<Strategy>,
    /// Two that are held against each other; neither is closed.
    pub pair: Option<[Strategy; 2]>,
}

/// What was drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Draw {
    pub action: Action,
    /// Whether something was tried.
    pub explored: bool,
    /// Whether a coin decided between the pair.
    pub tested: bool,
    /// With which probability this action is drawn.
    pub probability: f64,
    /// How much likelier the policy alone would have drawn it.
    pub weight: f64,
}

/// Draws an action from the probabilities of each head's choices.
pub(super) fn draw(
    heads: &[Vec<f64>; 4],
    exploration_rate: f64,
    field: &Field,
    rng: &mut ChaCha8Rng,
) -> Draw {
    let mut choices = [0, 1, 2, 3].map(|head| drawn(&heads[head], rng));
    let explored = rng.random::<f64>() < exploration_rate;
    if explored {
        let head = rng.random_range(0..HEADS.len());
        choices[head] = rng.random_range(0..HEADS[head]);
    }
    let first = Action::of_choices(choices);
    let alone = behaviour(heads, choices, exploration_rate);
    if field.closed.is_empty() && field.pair.is_none() {
        return Draw { action: first, explored, tested: false, probability: alone, weight: 1.0 };
    }
    let odds = Probabilities::of(heads, exploration_rate);
    let mut action = first;
    if !field.is_open(Strategy::of(&action)) {
        action = odds.among(|strategy| field.is_open(strategy), rng).unwrap_or(action);
    }
    let pair = field.pair.filter(|pair| pair.contains(&Strategy::of(&action)));
    if let Some(pair) = pair {
        let taken = pair[usize::from(rng.random::<bool>())];
        action = odds.among(|strategy| strategy == taken, rng).unwrap_or(action);
    }
    let probability = odds.within(field, action);
    Draw {
        action,
        explored: explored && action == first,
        tested: pair.is_some(),
        probability,
        weight: odds.alone(action) / probability.max(f64::MIN_POSITIVE),
    }
}

impl Field {
    fn is_open(&self, strategy: Strategy) -> bool {
        !self.closed.contains(&strategy)
    }
}

/// With which probability the policy alone takes each action, exploration included.
struct Probabilities(Vec<(Action, f64)>);

impl Probabilities {
    fn of(heads: &[Vec<f64>; 4], exploration_rate: f64) -> Self {
        let odds = |action: Action| (action, behaviour(heads, action.choices(), exploration_rate));
        Self(Action::all().map(odds).collect())
    }

    fn alone(&self, action: Action) -> f64 {
        self.0.iter().find(|(other, _)| *other == action).map_or(0.0, |(_, odds)| *odds)
    }

    fn of_strategies(&self, wanted: impl Fn(Strategy) -> bool) -> f64 {
        self.0.iter().filter(|(action, _)| wanted(Strategy::of(action))).map(|(_, odds)| odds).sum()
    }

    /// Draws among the actions of some ways; `None` where there is none.
    fn among(&self, wanted: impl Fn(Strategy) -> bool, rng: &mut ChaCha8Rng) -> Option<Action> {
        let open: Vec<&(Action, f64)> =
            self.0.iter().filter(|(action, _)| wanted(Strategy::of(action))).collect();
        let odds: Vec<f64> = open.iter().map(|(_, odds)| *odds).collect();
        open.get(drawn(&odds, rng)).map(|(action, _)| *action)
    }

    /// With which probability [`draw`] takes this action.
    fn within(&self, field: &Field, action: Action) -> f64 {
        let strategy = Strategy::of(&action);
        let open = self.of_strategies(|strategy| field.is_open(strategy)).max(f64::MIN_POSITIVE);
        let alone = self.alone(action) / open;
        let Some([one, other]) = field.pair.filter(|pair| pair.contains(&strategy)) else { return alone };
        let both = self.of_strategies(|strategy| strategy == one || strategy == other);
        0.5 * both * alone / self.of_strategies(|other| other == strategy).max(f64::MIN_POSITIVE)
    }
}

/// Draws a choice by its probability.
fn drawn(head: &[f64], rng: &mut ChaCha8Rng) -> usize {
    let mut left = rng.random::<f64>() * head.iter().sum::<f64>();
    for (choice, probability) in head.iter().enumerate() {
        left -= probability;
        if left < 0.0 {
            return choice;
        }
    }
    head.len().saturating_sub(1)
}

/// With which probability these choices are made, exploration included: with probability ε one head, each
/// with the same chance, is drawn evenly.
pub(super) fn behaviour(heads: &[Vec<f64>; 4], choices: [usize; 4], exploration_rate: f64) -> f64 {
    let each = [0, 1, 2, 3].map(|head| heads[head][choices[head]]);
    let by_policy: f64 = each.iter().product();
    let by_trying: f64 = (0..HEADS.len())
        .map(|tried| {
            let others: f64 = (0..HEADS.len()).filter(|head| *head != tried).map(|head| each[head]).product();
            others / HEADS[tried] as f64 / HEADS.len() as f64
        })
        .sum();
    (1.0 - exploration_rate) * by_policy + exploration_rate * by_trying
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::planning::decompose::{AskingOrder, Phrasing};

    const EXPLORATION: f64 = 0.15;

    fn heads() -> [Vec<f64>; 4] {
        [vec![0.4, 0.2, 0.1, 0.1, 0.1, 0.1], vec![0.7, 0.2, 0.1], vec![0.6, 0.3, 0.1], vec![0.5, 0.2, 0.3]]
    }

    fn strategy(order: AskingOrder, phrasing: Phrasing) -> Strategy {
        Strategy { order, phrasing }
    }

    fn field() -> Field {
        Field {
            closed: vec![
                strategy(AskingOrder::AllAtOnce, Phrasing::General),
                strategy(AskingOrder::OneByOne, Phrasing::ContextRich),
            ],
            pair: Some([
                strategy(AskingOrder::AllAtOnce, Phrasing::Specific),
                strategy(AskingOrder::OneByOne, Phrasing::Specific),
            ]),
        }
    }

    #[test]
    fn a_closed_choice_is_never_drawn_and_a_pair_is_drawn_evenly() {
        let field = field();
        let [one, other] = field.pair.unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts = [0_u32; 2];
        for _ in 0..4_000 {
            let draw = draw(&heads(), EXPLORATION, &field, &mut rng);
            let strategy = Strategy::of(&draw.action);
            assert!(!field.closed.contains(&strategy), "{draw:?}");
            assert_eq!(draw.tested, strategy == one || strategy == other, "{draw:?}");
            counts[0] += u32::from(strategy == one);
            counts[1] += u32::from(strategy == other);
        }
        // Alone, the policy draws the first of them far more often.
        let odds = Probabilities::of(&heads(), EXPLORATION);
        assert!(
            odds.of_strategies(|strategy| strategy == one)
                > 1.4 * odds.of_strategies(|strategy| strategy == other)
        );
        let both = f64::from(counts[0] + counts[1]);
        // Four standard deviations of a fair coin.
        assert!((f64::from(counts[0]) - both / 2.0).abs() < 4.0 * (both / 4.0).sqrt(), "{counts:?}");
    }

    #[test]
    fn probabilities_are_those_with_which_actions_are_drawn() {
        for field in [Field::default(), field()] {
            let odds = Probabilities::of(&heads(), EXPLORATION);
            let open = Action::all().filter(|action| field.is_open(Strategy::of(action)));
            let all: f64 = open.map(|action| odds.within(&field, action)).sum();
            assert!((all - 1.0).abs() < 1e-9, "{all}");
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            let mut seen = std::collections::HashMap::<Action, (u32, f64)>::new();
            let draws = 20_000;
            for _ in 0..draws {
                let Draw { action, probability, weight, .. } = draw(&heads(), EXPLORATION, &field, &mut rng);
                assert!((probability * weight - odds.alone(action)).abs() < 1e-9);
                let seen = seen.entry(action).or_insert((0, probability));
                seen.0 += 1;
                assert!((seen.1 - probability).abs() < 1e-12);
            }
            for (action, (count, probability)) in seen {
                let expected = probability * f64::from(draws);
                let off = (f64::from(count) - expected).abs();
                assert!(off < 5.0 * expected.sqrt() + 1.0, "{action:?}: {count}, not {expected}");
            }
        }
    }
}
