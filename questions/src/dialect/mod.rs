//! How a query over a fragment is put to a model, and how the model's text is read back.
//!
//! Two dialects (docs/decisions/0002-one-record-per-prompt.md) parse into one [`MapAnswer`], so
//! that replicas in different dialects can agree.

pub mod claims;
mod compare;
mod error;
mod evaluate;
mod evidence;
pub mod gold;
pub mod json;
pub mod records;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests;

use frlm_protocol::{Mode, OutputConstraint};
use serde_json::json;

pub use compare::{contains, equal, holds};
pub use error::DialectError;
pub use evaluate::{evaluate, evaluate_without_model, needs_model};
pub use evidence::{copied_from, quote_stands};
pub use frlm_verifier::value::{Kind, Measure, Moment, Quantity, Scalar, Unit};

use crate::ingest::estimate_tokens;
use crate::query::Query;

/// What is asked of every fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapTask {
    /// The question as the asker wrote it.
    pub question: String,
    /// The question as a query; `None` for questions that code cannot finish.
    pub query: Option<Query>,
    /// How an answer in words should be put, in this program's own words; empty unless it is the last word.
    pub manner: String,
    /// How an answer in words is to be put.
    pub form: claims::Form,
}

/// What is sent for one subtask.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// What to do.
    pub instruction: String,
    /// The texts to work on.
    pub inputs: Vec<String>,
    /// One answer in all, or one per input.
    pub mode: Mode,
    /// Upper bound on generated tokens per answer.
    pub max_tokens: u32,
    /// What each answer must look like.
    pub constraint: Option<OutputConstraint>,
}

impl Prompt {
    /// What a model reads, one text per answer that is due.
    pub fn texts(&self) -> Vec<String> {
        frlm_protocol::prompts(&self.instruction, self.inputs.iter().map(String::as_str), self.mode)
    }

    /// What the longest of its inferences reads and may write, in tokens.
    pub fn longest(&self) -> u64 {
        let inputs = self.inputs.iter().map(|input| estimate_tokens(input) as u64);
        let at_once = match self.mode {
            Mode::Each => inputs.max().unwrap_or(0),
            Mode::Together => inputs.sum(),
        };
        at_once + estimate_tokens(&self.instruction) as u64 + u64::from(self.max_tokens)
    }
}

/// A record that a model names, after code has checked it against the fragment.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RecordMatch {
    /// Line number in the document.
    pub line: u32,
    /// Text that stands in that line.
    pub quote: String,
    /// The measured field's value, where the query has one.
    pub value: Option<String>,
    /// The reported field's value, where the query has one.
    pub reported: Option<String>,
}

/// What a fragment says about the question, checked against the fragment's text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum MapAnswer {
    /// Records that match a [`crate::query::Query`], in document order.
    Records {
        /// The matching records.
        matches: Vec<RecordMatch>,
    },
    /// An answer in words to a question that code cannot finish.
    Words {
        /// The answer; empty if the fragment says nothing about the question.
        answer: String,
        /// Text that stands in the fragment, with its line.
        quotes: Vec<RecordMatch>,
    },
    /// Claims in words that others have reviewed, each with its quotes.
    Claims {
        /// Each as an answer in words.
        claims: Vec<MapAnswer>,
    },
}

/// A provider's answer to a fragment, with what code makes of its reliability.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The answer.
    pub answer: MapAnswer,
    /// Probability that it is right, 0..=1; `None` where neither provider nor code can say.
    pub confidence: Option<f64>,
    /// Copied values.
    pub copied: usize,
    /// Those of them that code overruled.
    pub overruled: usize,
}

impl Reading {
    /// Whether code had to overrule so many copies that the answer is code's rather than the model's: one
    /// that answers by lot looks like this, and so does one that the text is too hard for.
    pub fn is_patchwork(&self) -> bool {
        self.overruled * 4 > self.copied
    }
}

impl MapAnswer {
    /// The answers that it is made of, each with quotes of its own.
    pub fn each(&self) -> &[Self] {
        match self {
            Self::Claims { claims } => claims,
            one => std::slice::from_ref(one),
        }
    }

    /// The answer in a form that is equal for replicas that say the same: lines and normalised
    /// values, whatever the order and the extent of the quotes. Answers in words agree here only
    /// if they are the same words; a run compares their meaning where a model of the user's can tell.
    pub fn agreement_key(&self) -> String {
        let canonical = |value: &Option<String>| value.as_deref().map(|text| Scalar::parse(text).canonical());
        match self {
            Self::Records { matches } => {
                let mut rows: Vec<_> = matches
                    .iter()
                    .map(|found| (found.line, canonical(&found.value), canonical(&found.reported)))
                    .collect();
                rows.sort();
                rows.dedup();
                json!({ "records": rows }).to_string()
            }
            Self::Words { answer, .. } => {
                let bare = answer.trim().trim_end_matches(['.', '!']);
                json!({ "words": Scalar::parse(bare).canonical() }).to_string()
            }
            Self::Claims { claims } => {
                let keys: Vec<String> = claims.iter().map(Self::agreement_key).collect();
                json!({ "claims": keys }).to_string()
            }
        }
    }
}
