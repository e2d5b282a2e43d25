//! Known answers (seeds/verifier-block.md, "Ground Truth Database").
//!
//! The store grows from audited answers and imported files only, never from agreement: what a clique
//! agrees on must not become truth. Every entry says where it is from.

mod key;
mod store;

pub use store::{GroundTruthError, GroundTruthStore, ImportReport};

use serde::{Deserialize, Serialize};

/// Something that knows true answers.
pub trait KnownAnswers: Send + Sync {
    /// The true answer to a question, if it is known.
    fn lookup(&self, question: &str) -> Option<String>;
}

/// A question with its true answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "a question with its answer, as frlm known export writes them")]
pub struct KnownAnswer {
    /// As asked.
    pub question: String,
    /// The true answer.
    pub answer: String,
    /// `math_facts`, `historical_dates`, …
    pub category: String,
    /// Why it is held to be true.
    pub provenance: Provenance,
}

/// Why an answer is held to be true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum Provenance {
    /// The user imported it.
    Import {
        /// The file's name.
        source: String,
    },
    /// An audit found it right.
    Audit {
        /// The run whose answer was audited.
        run: String,
        /// How: `programmatic_execution`, `local_model`, `prefill`.
        method: String,
        /// Unix seconds.
        at: u64,
    },
}
