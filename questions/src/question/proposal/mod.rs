//! What a model proposes for a question that code cannot take apart (seeds/super-llm-block.md, function 2,
//! `decompose_query`): subtasks and what each waits for.
//!
//! ```text
//!   prompt ─► text ─► Proposal::read ─► in an order that its dependencies allow ─► Compound::of_parts ─► plan
//!                          │ no JSON, no list, too many, a circle                      │ no plain question
//!                          └──────────────── why ──► prompt, once more ◄───────────────┘
//! ```
//!
//! - [`prompt`]: what the model is told, guided by what the policy chose

pub mod prompt;

use std::time::Duration;

use frlm_inference::{LanguageModel, object_with};
use serde::Deserialize;
use serde_json::Value;

use crate::question::compound::MOST_PARTS;
use crate::question::own_model;

/// Characters of one subtask.
const LONGEST_QUERY: usize = 400;
/// Characters of an error or a reason that are repeated.
const LONGEST_WORDS: usize = 200;
/// Tokens of a proposal.
const MOST_TOKENS: usize = 1_000;

/// Subtasks in an order in which each depends on earlier ones only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What they ask.
    pub queries: Vec<String>,
    /// Why so, in the model's words.
    pub reasoning: String,
}

/// Why a model's text is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProposalError {
    /// Not the object that was asked for.
    #[error("this is no plan: {0}")]
    Shape(String),
    /// Too few or too many.
    #[error("a plan has 2 to {most} subtasks, and this one has {0}", most = MOST_PARTS)]
    Count(usize),
    /// It asks nothing, or a whole page.
    #[error("subtask {0} is empty or longer than {longest} characters", longest = LONGEST_QUERY)]
    Length(usize),
    /// A dependency on nothing.
    #[error("subtask {subtask} depends on subtask {needed}, and there is none")]
    NoSuch {
        /// Which one, from 1.
        subtask: usize,
        /// What it names.
        needed: usize,
    },
    /// None of these can be the first.
    #[error("subtasks {} wait for each other in a circle", enumerated(.0))]
    Circle(Vec<usize>),
}

fn enumerated(numbers: &[usize]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What stands on the wire; more is passed over.
#[derive(Deserialize)]
struct Wire {
    subtasks: Vec<WireSubtask>,
    #[serde(default)]
    reasoning: String,
}

#[derive(Deserialize)]
struct WireSubtask {
    query: String,
    /// Numbers from 1.
    #[serde(default)]
    dependencies: Vec<usize>,
}

impl Proposal {
    /// Reads a model's text.
    pub fn read(text: &str) -> Result<Self, ProposalError> {
        let shape = |error: String| ProposalError::Shape(excerpt(&error));
        let object = object_with("subtasks", text).map_err(|error| shape(error.to_string()))?;
        let Wire { subtasks, reasoning } =
            serde_json::from_value(Value::Object(object)).map_err(|error| shape(error.to_string()))?;
        let count = subtasks.len();
        if !(2..=MOST_PARTS).contains(&count) {
            return Err(ProposalError::Count(count));
        }
        let mut queries = Vec::with_capacity(count);
        let mut needs = Vec::with_capacity(count);
        for (subtask, WireSubtask { query, dependencies }) in (1..).zip(subtasks) {
            let query = frlm_util::text::collapse_whitespace(&query);
            if query.is_empty() || query.chars().count() > LONGEST_QUERY {
                return Err(ProposalError::Length(subtask));
            }
            if let Some(&needed) = dependencies.iter().find(|needed| !(1..=count).contains(needed)) {
                return Err(ProposalError::NoSuch { subtask, needed });
            }
            queries.push(query);
            needs.push(dependencies.into_iter().map(|needed| needed - 1).collect::<Vec<_>>());
        }
        let order = ordered(&needs)?;
        Ok(Self {
            queries: order.into_iter().map(|at| std::mem::take(&mut queries[at])).collect(),
            reasoning: excerpt(&reasoning),
        })
    }
}

/// Positions in an order in which each comes after what it needs; of several the first.
fn ordered(needs: &[Vec<usize>]) -> Result<Vec<usize>, ProposalError> {
    let mut placed = vec![false; needs.len()];
    let mut order = Vec::with_capacity(needs.len());
    while order.len() < needs.len() {
        let is_next = |at: &usize| !placed[*at] && needs[*at].iter().all(|needed| placed[*needed]);
        let Some(next) = (0..needs.len()).find(is_next) else {
            let left = placed.iter().zip(1..).filter(|(placed, _)| !**placed).map(|(_, number)| number);
            return Err(ProposalError::Circle(left.collect()));
        };
        placed[next] = true;
        order.push(next);
    }
    Ok(order)
}

fn excerpt(text: &str) -> String {
    text.chars().take(LONGEST_WORDS).collect()
}

/// Asks a model of the user's own for a plan of this form; it is left alone after `timeout`. The error says why there is no text at all.
pub async fn ask(
    model: &dyn LanguageModel,
    prompt: String,
    schema: Value,
    timeout: Duration,
) -> Result<String, String> {
    own_model::ask(model, prompt, schema, MOST_TOKENS, timeout).await
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Subtasks named by letters, each with the numbers that it depends on.
    fn plan(needs: &[&[usize]]) -> String {
        let subtasks: Vec<Value> = ('a'..)
            .zip(needs)
            .map(|(query, needs)| json!({ "query": query.to_string(), "dependencies": needs }))
            .collect();
        json!({ "subtasks": subtasks, "reasoning": "so" }).to_string()
    }

    #[test]
    fn subtasks_come_after_their_dependencies_and_else_in_their_order() {
        let queries = |needs: &[&[usize]]| Proposal::read(&plan(needs)).unwrap().queries.concat();
        assert_eq!(queries(&[&[], &[1], &[1]]), "abc");
        assert_eq!(queries(&[&[3], &[], &[2]]), "bca");
        assert_eq!(queries(&[&[2], &[], &[]]), "bac");
    }

    #[test]
    fn circles_of_any_length_and_what_does_not_exist_are_named() {
        let error = |needs: &[&[usize]]| Proposal::read(&plan(needs)).unwrap_err();
        assert_eq!(error(&[&[], &[2]]), ProposalError::Circle(vec![2]));
        assert_eq!(error(&[&[3], &[], &[1]]), ProposalError::Circle(vec![1, 3]));
        assert_eq!(
            error(&[&[3], &[1], &[2]]).to_string(),
            "subtasks 1, 2, 3 wait for each other in a circle"
        );
        assert_eq!(error(&[&[], &[7]]), ProposalError::NoSuch { subtask: 2, needed: 7 });
        assert_eq!(error(&[&[], &[0]]), ProposalError::NoSuch { subtask: 2, needed: 0 });
    }

    #[test]
    fn a_plan_has_two_to_eight_subtasks_of_a_line_each() {
        let none: &[usize] = &[];
        let of = |count: usize| plan(&vec![none; count]);
        for count in [0, 1, 9, 1_000] {
            assert_eq!(Proposal::read(&of(count)), Err(ProposalError::Count(count)));
        }
        assert_eq!(Proposal::read(&of(8)).unwrap().queries.len(), 8);
        for query in ["", " \n ", &"x".repeat(LONGEST_QUERY + 1)] {
            let text = json!({ "subtasks": [{ "query": "a" }, { "query": query }] }).to_string();
            assert_eq!(Proposal::read(&text), Err(ProposalError::Length(2)));
        }
        let text = json!({ "subtasks": [{ "query": "a\n b" }, { "query": "c" }] }).to_string();
        assert_eq!(Proposal::read(&text).unwrap().queries, ["a b", "c"]);
    }

    #[test]
    fn what_is_no_plan_is_said_in_few_words() {
        for text in
            ["", "Sure, I will split it.", "{\"subtasks\": 7}", "{\"subtasks\": [1, 2]}", "{\"steps\": []}"]
        {
            let error = Proposal::read(text).unwrap_err();
            assert!(matches!(&error, ProposalError::Shape(_)), "{text}: {error}");
            assert!(error.to_string().chars().count() < 2 * LONGEST_WORDS);
        }
    }

    proptest! {
        /// Whatever depends on whatever: an order that keeps to it, or a circle.
        #[test]
        fn an_order_keeps_to_every_dependency(needs in prop::collection::vec(prop::collection::vec(0_usize..8, 0..4), 8)) {
            match ordered(&needs) {
                Ok(order) => {
                    let place = |wanted: usize| order.iter().position(|at| *at == wanted);
                    for (at, needs) in needs.iter().enumerate() {
                        prop_assert!(needs.iter().all(|needed| place(*needed) < place(at)));
                    }
                }
                Err(error) => prop_assert!(matches!(error, ProposalError::Circle(left) if !left.is_empty())),
            }
        }

        #[test]
        fn no_text_breaks_the_reader(text in ".{0,300}") {
            let _ = Proposal::read(&text);
            let _ = Proposal::read(&format!("{{\"subtasks\": [{text}]}}"));
        }
    }
}
