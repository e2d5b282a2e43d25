//! The question to a model: a text with slots, and nothing in it that depends on the metrics but them.

use serde::Serialize;

use super::Outcome;
use super::priors::{StepPriors, Suggestions};
use crate::template::{Template, TemplateError};

/// The shipped text.
pub const DECISION: &str = include_str!("../../prompts/decision.txt");

/// Fills the template. Every value is JSON, so that no name of a metric can end its slot.
pub fn fill(
    template: &Template,
    outcome: &Outcome,
    priors: &StepPriors,
    suggestions: &Suggestions,
) -> Result<String, TemplateError> {
    template.fill(&[
        ("step", &json(&outcome.step)),
        ("data_source", &json(&outcome.data_source.name())),
        ("metrics", &json(&outcome.metrics)),
        ("rates", &json(&outcome.rates)),
        ("priors", &json(priors)),
        ("suggested_params", &json(suggestions)),
    ])
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("maps of names to numbers are JSON; what is no number becomes null")
}
