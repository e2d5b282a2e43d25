//! The decision in the fields of the source document (sections 3.1 and 3.2), and what makes one valid.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Outcome;

/// What happens next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// The next stage begins.
    Proceed,
    /// The stage is done again, with something changed.
    Retry,
    /// A person decides.
    Escalate,
}

impl Verb {
    /// Its name in files: `proceed`, `retry` or `escalate`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Retry => "retry",
            Self::Escalate => "escalate",
        }
    }
}

/// What a retry changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryReason {
    /// More replicas or a stricter policy.
    Tighten,
    /// More providers or longer time.
    Widen,
    /// The same again, elsewhere.
    Rerun,
    /// An audit first; if that does not settle it, a person decides.
    Investigate,
}

/// Values to try, by name.
pub type Params = BTreeMap<String, Value>;

/// What the decider says of its own reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReasoningChecks {
    /// It used rates.
    pub used_rates: bool,
    /// It named the kind of data.
    pub mentioned_data_source: bool,
    /// It did not rest on counts alone.
    pub avoided_absolute_only: bool,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageDecision {
    /// What happens next.
    pub decision: Verb,
    /// What a retry changes; there for a retry only.
    #[serde(default)]
    pub retry_reason: Option<RetryReason>,
    /// How sure the decider is, 0..=1.
    pub confidence: f64,
    /// Why; 20 to 500 characters.
    pub reasoning: String,
    /// The metric or rate that drove it.
    pub primary_signal: String,
    /// Values to try, for a retry.
    #[serde(default)]
    pub suggested_params: Option<Params>,
    /// What a person should know.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What the decider says of its reasoning.
    pub checks: ReasoningChecks,
}

/// A model's answer that is no decision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDecision {
    /// Not JSON of the shape.
    #[error("the answer is no decision: {0}")]
    Shape(String),
    /// A value out of its bounds.
    #[error("the decision's {0} is out of bounds")]
    Bounds(&'static str),
    /// A retry without a reason, or a reason without a retry.
    #[error("a retry has a reason, and nothing else has")]
    RetryReason,
    /// A signal that is neither a rate nor a metric of the stage.
    #[error("the decision rests on {0:?}, which was not measured")]
    UnknownSignal(String),
    /// A value to try that is a list or has parts.
    #[error(
        "the value that the decision suggests for {0:?} is neither a text, a number, a truth value nor null"
    )]
    Param(String),
    /// The reasoning is not what its self-check says.
    #[error("the decision claims that it {0}, and its reasoning does not")]
    Claim(&'static str),
}

/// Whether a value to try has no parts (section 3.2, `object`).
pub(super) fn is_plain(value: &Value) -> bool {
    !(value.is_array() || value.is_object())
}

const SHORTEST_REASONING: usize = 20;
const LONGEST_REASONING: usize = 500;

impl StageDecision {
    /// Reads a model's answer about an outcome, and holds it against its own self-checks (section 6,
    /// phase 4).
    pub fn read(answer: &str, outcome: &Outcome) -> Result<Self, InvalidDecision> {
        let decision: Self =
            serde_json::from_str(answer.trim()).map_err(|error| InvalidDecision::Shape(error.to_string()))?;
        decision.check(outcome)?;
        Ok(decision)
    }

    /// Whether the decision is within its bounds and says what it claims to say.
    pub fn check(&self, outcome: &Outcome) -> Result<(), InvalidDecision> {
        if !(0.0..=1.0).contains(&self.confidence) {
            return Err(InvalidDecision::Bounds("confidence"));
        }
        if !(SHORTEST_REASONING..=LONGEST_REASONING).contains(&self.reasoning.chars().count()) {
            return Err(InvalidDecision::Bounds("reasoning"));
        }
        if (self.decision == Verb::Retry) != self.retry_reason.is_some() {
            return Err(InvalidDecision::RetryReason);
        }
        if let Some((name, _)) = self.suggested_params.iter().flatten().find(|(_, value)| !is_plain(value)) {
            return Err(InvalidDecision::Param(name.clone()));
        }
        let is_rate = outcome.rates.contains_key(&self.primary_signal);
        if !is_rate && !outcome.metrics.contains_key(&self.primary_signal) {
            return Err(InvalidDecision::UnknownSignal(self.primary_signal.clone()));
        }
        let names_a_rate = outcome.rates.keys().any(|rate| self.reasoning.contains(rate.as_str()));
        let names_the_data = self.reasoning.to_lowercase().contains(outcome.data_source.name());
        for (claimed, true_of_it, claim) in [
            (self.checks.used_rates, names_a_rate, "used rates"),
            (self.checks.mentioned_data_source, names_the_data, "named the kind of data"),
            (self.checks.avoided_absolute_only, is_rate || names_a_rate, "did not rest on counts alone"),
        ] {
            if claimed && !true_of_it {
                return Err(InvalidDecision::Claim(claim));
            }
        }
        Ok(())
    }

    /// The shape as a Lark grammar, for engines that derive their answer from one (section 3.2): the document's fields in
    /// its order, and no retry without a reason.
    pub const GRAMMAR: &str = include_str!("../../grammars/stage_decision.lark");

    /// The shape as a JSON schema, for models that are reached over HTTP (section 3.1). It takes what the grammar takes,
    /// and a retry without a reason besides, which [`StageDecision::check`] refuses.
    pub fn schema() -> Value {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": [
                "decision", "retry_reason", "confidence", "reasoning", "primary_signal", "suggested_params",
                "warnings", "checks"
            ],
            "properties": {
                "decision": { "enum": ["proceed", "retry", "escalate"] },
                "retry_reason": { "enum": ["tighten", "widen", "rerun", "investigate", null] },
                "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
                "reasoning": {
                    "type": "string", "minLength": SHORTEST_REASONING, "maxLength": LONGEST_REASONING
                },
                "primary_signal": { "type": "string" },
                "suggested_params": {
                    "type": ["object", "null"],
                    "additionalProperties": { "type": ["string", "number", "boolean", "null"] }
                },
                "warnings": { "type": "array", "items": { "type": "string" } },
                "checks": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["used_rates", "mentioned_data_source", "avoided_absolute_only"],
                    "properties": {
                        "used_rates": { "type": "boolean" },
                        "mentioned_data_source": { "type": "boolean" },
                        "avoided_absolute_only": { "type": "boolean" }
                    }
                }
            }
        })
    }
}
