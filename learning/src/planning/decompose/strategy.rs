//! What runs distinguish of an action: in which order the parts of a question are asked, and in which words. It is what
//! competes as a strategy (seeds/super-llm-block.md, `strategy_id`).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::action::{Action, Dependencies, Pattern, Phrasing};

/// When a part may begin that has all it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskingOrder {
    /// At once.
    AllAtOnce,
    /// When all are answered that wait for less.
    InWaves,
    /// When all before it are answered.
    OneByOne,
}

/// A way to take questions apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// See [`AskingOrder`].
    pub order: AskingOrder,
    /// See [`Phrasing`].
    pub phrasing: Phrasing,
}

impl Strategy {
    /// The one that an action is of.
    pub fn of(action: &Action) -> Self {
        let order = match (action.pattern, action.dependencies) {
            (Pattern::Sequential, _) | (_, Dependencies::LinearChain) => AskingOrder::OneByOne,
            (Pattern::Hybrid, _) => AskingOrder::InWaves,
            (Pattern::Parallel, _) => AskingOrder::AllAtOnce,
        };
        Self { order, phrasing: action.phrasing }
    }

    /// All nine.
    pub fn all() -> impl Iterator<Item = Self> {
        let phrasings = [Phrasing::Specific, Phrasing::General, Phrasing::ContextRich];
        [AskingOrder::AllAtOnce, AskingOrder::InWaves, AskingOrder::OneByOne]
            .into_iter()
            .flat_map(move |order| phrasings.into_iter().map(move |phrasing| Self { order, phrasing }))
    }

    /// The one of this name, as it is shown.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|strategy| strategy.to_string() == name)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match self.order {
            AskingOrder::AllAtOnce => "all at once",
            AskingOrder::InWaves => "in waves",
            AskingOrder::OneByOne => "one by one",
        };
        let phrasing = match self.phrasing {
            Phrasing::Specific => "specific",
            Phrasing::General => "as asked",
            Phrasing::ContextRich => "with context",
        };
        write!(f, "{order}, {phrasing}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_action_is_of_one_of_nine_ways_and_each_has_a_name_of_its_own() {
        let of_actions: HashSet<Strategy> = Action::all().map(|action| Strategy::of(&action)).collect();
        assert_eq!(of_actions, Strategy::all().collect());
        assert_eq!(of_actions.len(), 9);
        for strategy in Strategy::all() {
            assert_eq!(Strategy::named(&strategy.to_string()), Some(strategy));
        }
        assert_eq!(Strategy::named("by the seat of one's pants"), None);
    }
}
