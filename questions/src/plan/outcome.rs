//! What a subtask can come to.

use frlm_util::text::collapse_whitespace;
use frlm_verifier::claims::Verdict;
use serde::{Deserialize, Serialize};

use super::Queried;
use crate::dialect::MapAnswer;
use crate::question::compile::Compiled;
use crate::reduce::sentence;

/// A checked answer to a subtask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The question as a query, or the finding that code cannot finish it.
    Compiled(Compiled),
    /// In which steps the question is asked; none where it is asked as it is.
    Planned(Vec<String>),
    /// The question as a query of a table, or why the table does not tell.
    Queried(Queried),
    /// What a fragment says.
    Mapped(MapAnswer),
    /// The final answer in words.
    Combined(String),
    /// What a reviewer says of claims, in their order.
    Reviewed(Vec<Verdict>),
}

impl Outcome {
    /// Canonical form: replicas with equal keys said the same.
    pub fn agreement_key(&self) -> String {
        match self {
            // Each is made of normalised words and serialise in one order.
            Self::Compiled(compiled) => serde_json::to_string(compiled).unwrap_or_default(),
            Self::Planned(steps) => serde_json::to_string(steps).unwrap_or_default(),
            Self::Queried(queried) => serde_json::to_string(queried).unwrap_or_default(),
            Self::Mapped(answer) => answer.agreement_key(),
            Self::Combined(text) => collapse_whitespace(text).to_lowercase(),
            Self::Reviewed(verdicts) => format!("{verdicts:?}"),
        }
    }

    /// For traces: short, without document text.
    pub fn summary(&self) -> String {
        match self {
            Self::Compiled(Compiled::Query(query)) => format!("query: {:?}", query.reduction).to_lowercase(),
            Self::Compiled(Compiled::Free) => "no query: answer in words".to_owned(),
            Self::Planned(steps) if steps.is_empty() => "asked as it is".to_owned(),
            Self::Queried(Queried::Query(_)) => "a query".to_owned(),
            Self::Queried(Queried::Refused(_)) => "the table does not tell".to_owned(),
            Self::Planned(steps) => sentence::counted(steps.len(), "step"),
            Self::Mapped(MapAnswer::Records { matches }) => sentence::matching(matches.len()),
            Self::Mapped(MapAnswer::Words { answer, .. }) if answer.is_empty() => "nothing found".to_owned(),
            Self::Mapped(MapAnswer::Words { .. }) | Self::Combined(_) => "an answer in words".to_owned(),
            Self::Mapped(MapAnswer::Claims { claims }) => sentence::counted(claims.len(), "claim"),
            Self::Reviewed(verdicts) => {
                let supported = verdicts.iter().filter(|verdict| !verdict.rejects()).count();
                format!("{supported} of {} claims supported", verdicts.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::RecordMatch;

    use super::*;

    #[test]
    fn one_record_matches_and_several_match() {
        let found = |count: u32| {
            let found = |line| RecordMatch { line, quote: String::new(), value: None, reported: None };
            Outcome::Mapped(MapAnswer::Records { matches: (0..count).map(found).collect() }).summary()
        };
        assert_eq!((found(1), found(2)), ("1 record matches".to_owned(), "2 records match".to_owned()));
    }
}
