//! What an answer's text must look like.

use serde::{Deserialize, Serialize};

/// A constraint on generated text, enforced while decoding where the engine can.
///
/// Engines that cannot enforce one say so in [`crate::ModelInfo::constraints`]; callers check the
/// text either way, because a peer's word that it enforced anything is worth nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "value")]
pub enum Constraint {
    /// The whole text is one JSON value that satisfies this schema.
    JsonSchema(serde_json::Value),
    /// The whole text matches this regular expression.
    Regex(String),
    /// The text is derived by this Lark grammar (llguidance dialect; GBNF is not accepted).
    Lark(String),
}
