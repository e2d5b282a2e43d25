//! A model of the user's own, asked for one JSON object. What it wrote is for the caller to check.

use std::time::Duration;

use frlm_inference::{Constraint, GenerationRequest, LanguageModel};
use serde_json::Value;

/// Asks under a schema, if the model can be held to one; it is left alone after `timeout`. The error says why no answer came.
pub async fn ask(
    model: &dyn LanguageModel,
    prompt: String,
    schema: Value,
    most_tokens: usize,
    timeout: Duration,
) -> Result<String, String> {
    let mut request = GenerationRequest::greedy(prompt, most_tokens);
    if model.info().constraints {
        request.constraint = Some(Constraint::JsonSchema(schema));
    }
    match tokio::time::timeout(timeout, model.generate(request)).await {
        Ok(Ok(answer)) => Ok(answer.text),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("no answer within {} s", timeout.as_secs())),
    }
}
