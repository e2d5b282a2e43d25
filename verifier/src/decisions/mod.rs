//! What happens after a stage: proceed, retry, escalate (seeds/llm-reasoning-refactor.md).
//!
//! ```text
//!   raw metrics ─► derived rates ─► prompt (data) ─► model ─► decision ─► schema and self-checks
//!                       │                                                     │ invalid, or no model
//!                       └──────────► priors (file) ─► fallback, by code ◄─────┘
//! ```
//!
//! - [`schema`]: the decision, and what makes one valid; as a grammar for engines in `grammars/stage_decision.lark`
//! - [`priors`]: thresholds and values to try in a file, by step and kind of data
//! - [`fallback`]: the decision by code alone, from the priors
//! - [`prompt`]: the question to a model
//!
//! No threshold stands in code, and no conclusion in a prompt: "If a line of code can be rewritten as an
//! English conclusion, it does not belong in `prompt_builder.py`" (section 10).

pub mod fallback;
pub mod priors;
pub mod prompt;
pub mod schema;

use std::collections::BTreeMap;

pub use fallback::by_code;
pub use priors::{DataSource, Priors, PriorsError, StepPriors, Suggestions};
pub use schema::{InvalidDecision, Params, ReasoningChecks, RetryReason, StageDecision, Verb};
use serde::Serialize;

/// What a stage came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// Which stage, as the priors name it.
    pub step: String,
    /// Where its data come from.
    pub data_source: DataSource,
    /// Counts and sums.
    pub metrics: BTreeMap<String, f64>,
    /// What they are in relation to each other: shares and ratios.
    pub rates: BTreeMap<String, f64>,
}

/// Who decided.
#[derive(Debug, Clone, PartialEq)]
pub enum DecidedBy {
    /// A model, validly.
    Model,
    /// Code: there is no model, or the reason why its answer does not count.
    Code(Option<InvalidDecision>),
}

/// Takes a model's answer if it is a valid decision about this outcome, and decides by code if not.
pub fn decide(
    outcome: &Outcome,
    priors: &StepPriors,
    suggestions: &Suggestions,
    answer: Option<&str>,
) -> (StageDecision, DecidedBy) {
    match answer.map(|answer| StageDecision::read(answer, outcome)) {
        Some(Ok(decision)) => (decision, DecidedBy::Model),
        Some(Err(why)) => (by_code(outcome, priors, suggestions), DecidedBy::Code(Some(why))),
        None => (by_code(outcome, priors, suggestions), DecidedBy::Code(None)),
    }
}

#[cfg(test)]
mod tests;
