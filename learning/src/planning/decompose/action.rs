//! What the policy decides (seeds/super-llm-block.md, "actions").

use serde::{Deserialize, Serialize};

/// How the steps relate in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// All at once.
    Parallel,
    /// One after the other.
    Sequential,
    /// Some at once, some after.
    Hybrid,
}

/// How the steps are put into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phrasing {
    /// Exactly what is wanted.
    Specific,
    /// Broadly.
    General,
    /// With what the question says around it.
    ContextRich,
}

/// Which steps wait for which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependencies {
    /// None for any other.
    Independent,
    /// Each for the one before.
    LinearChain,
    /// As the question demands.
    Dag,
}

/// A decision about one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Action {
    /// Steps of the plan, 2..=7.
    pub steps: u32,
    /// See [`Pattern`].
    pub pattern: Pattern,
    /// See [`Phrasing`].
    pub phrasing: Phrasing,
    /// See [`Dependencies`].
    pub dependencies: Dependencies,
}

/// Choices of each head of the policy, in the order of [`Action`]'s fields.
pub const HEADS: [usize; 4] = [6, 3, 3, 3];

const FEWEST_STEPS: u32 = 2;
const PATTERNS: [Pattern; 3] = [Pattern::Parallel, Pattern::Sequential, Pattern::Hybrid];
const PHRASINGS: [Phrasing; 3] = [Phrasing::Specific, Phrasing::General, Phrasing::ContextRich];
const DEPENDENCIES: [Dependencies; 3] =
    [Dependencies::Independent, Dependencies::LinearChain, Dependencies::Dag];

impl Action {
    /// What serves where nothing was learned: four exact questions at once.
    pub const STATIC: Self = Self {
        steps: 4,
        pattern: Pattern::Parallel,
        phrasing: Phrasing::Specific,
        dependencies: Dependencies::Independent,
    };

    /// The choice of each head. Steps out of range are taken for the nearest in it.
    pub fn choices(self) -> [usize; 4] {
        let place = |found: Option<usize>| found.unwrap_or(0);
        [
            (self.steps.saturating_sub(FEWEST_STEPS) as usize).min(HEADS[0] - 1),
            place(PATTERNS.iter().position(|pattern| *pattern == self.pattern)),
            place(PHRASINGS.iter().position(|phrasing| *phrasing == self.phrasing)),
            place(DEPENDENCIES.iter().position(|dependencies| *dependencies == self.dependencies)),
        ]
    }

    /// The action of these choices; a choice that a head does not have counts as its last.
    pub fn of_choices(choices: [usize; 4]) -> Self {
        let [steps, pattern, phrasing, dependencies] = choices;
        Self {
            steps: FEWEST_STEPS + u32::try_from(steps.min(HEADS[0] - 1)).unwrap_or(0),
            pattern: PATTERNS[pattern.min(2)],
            phrasing: PHRASINGS[phrasing.min(2)],
            dependencies: DEPENDENCIES[dependencies.min(2)],
        }
    }

    /// Every action.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..HEADS.iter().product()).map(|number: usize| {
            let mut rest = number;
            let choices = HEADS.map(|choices| {
                let choice = rest % choices;
                rest /= choices;
                choice
            });
            Self::of_choices(choices)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// seeds/super-llm-block.md, `actions`: the words for what is chosen.
    #[test]
    fn choices_have_the_documents_names() {
        let names = |names: [&str; 3]| serde_json::json!(names);
        assert_eq!(serde_json::to_value(PATTERNS).unwrap(), names(["parallel", "sequential", "hybrid"]));
        assert_eq!(serde_json::to_value(PHRASINGS).unwrap(), names(["specific", "general", "context_rich"]));
        let dependencies = names(["independent", "linear_chain", "dag"]);
        assert_eq!(serde_json::to_value(DEPENDENCIES).unwrap(), dependencies);
    }

    /// seeds/super-llm-block.md, `actions`: 2 to 7 subtasks, and three choices of everything else. "Complete RL Cycle" has 3 to
    /// 7; two are what a question of two parts takes.
    #[test]
    fn there_are_162_actions_and_each_is_its_choices() {
        let all: HashSet<Action> = Action::all().collect();
        assert_eq!(all.len(), 6 * 3 * 3 * 3);
        for action in all {
            assert_eq!(Action::of_choices(action.choices()), action);
            assert!((2..=7).contains(&action.steps));
        }
        assert_eq!(Action { steps: 90, ..Action::STATIC }.choices()[0], 5);
    }
}
