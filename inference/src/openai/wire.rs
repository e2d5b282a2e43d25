//! The chat completions protocol, as much of it as is used.
//!
//! Requests are strict, events lenient: servers differ in which fields they send and what they put
//! into the ones they do not support.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Constraint, GenerationRequest, Message, RankedToken, TokenLogprob};

/// More alternatives than this no server gives.
const MAX_TOP_LOGPROBS: usize = 20;

#[derive(Debug, Serialize)]
pub(super) struct ChatRequest<'a> {
    model: &'a str,
    messages: &'a [Message],
    max_tokens: usize,
    temperature: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    /// Not in OpenAI's own protocol; the local servers know it, so it is sent only when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<usize>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    stream: bool,
    stream_options: StreamOptions,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Debug, Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    json_schema: NamedSchema<'a>,
}

#[derive(Debug, Serialize)]
struct NamedSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: &'a Value,
}

/// Whether every object in it has all the properties that it may have. Hosted services refuse any other schema that is called strict.
fn is_strict(schema: &Value) -> bool {
    let has_all = schema["properties"].as_object().is_none_or(|properties| {
        let required = schema["required"].as_array();
        properties.keys().all(|name| required.is_some_and(|names| names.iter().any(|it| it == name)))
    });
    has_all
        && match schema {
            Value::Object(inner) => inner.values().all(is_strict),
            Value::Array(inner) => inner.iter().all(is_strict),
            _ => true,
        }
}

impl<'a> ChatRequest<'a> {
    pub fn new(model: &'a str, request: &'a GenerationRequest, logprobs: bool) -> Self {
        let response_format = match &request.constraint {
            Some(Constraint::JsonSchema(schema)) => Some(ResponseFormat {
                r#type: "json_schema",
                json_schema: NamedSchema { name: "answer", strict: is_strict(schema), schema },
            }),
            _ => None,
        };
        let top = request.top_logprobs.min(MAX_TOP_LOGPROBS);
        Self {
            model,
            messages: &request.messages,
            max_tokens: request.max_tokens,
            temperature: request.sampling.temperature,
            top_p: request.sampling.top_p,
            top_k: request.sampling.top_k,
            stop: &request.stop,
            logprobs: logprobs.then_some(true),
            top_logprobs: (logprobs && top > 0).then_some(top),
            response_format,
            stream: true,
            stream_options: StreamOptions { include_usage: true },
        }
    }
}

/// One event of a streamed answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    pub choices: Vec<Choice>,
    pub usage: Option<UsageReport>,
    /// Servers report failures in the middle of a stream this way.
    pub error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    pub delta: Delta,
    pub logprobs: Option<Logprobs>,
    pub finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta {
    pub content: Option<String>,
    /// vLLM, llama.cpp and DeepSeek.
    pub reasoning_content: Option<String>,
    /// Ollama and newer vLLM.
    pub reasoning: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Logprobs {
    content: Option<Vec<TokenReport>>,
}

#[derive(Debug, Deserialize)]
struct TokenReport {
    token: String,
    logprob: f32,
    #[serde(default)]
    top_logprobs: Vec<Alternative>,
}

#[derive(Debug, Deserialize)]
struct Alternative {
    token: String,
    logprob: f32,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct UsageReport {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
}

impl Logprobs {
    /// Natural logarithms, as the protocol defines them. Numbers that cannot be one are dropped.
    pub fn into_tokens(self) -> impl Iterator<Item = TokenLogprob> {
        let ranked = |other: Alternative| RankedToken { id: None, text: other.token, logprob: other.logprob };
        self.content.unwrap_or_default().into_iter().filter(|token| token.logprob <= 0.0).map(move |token| {
            TokenLogprob {
                id: None,
                token: token.token,
                logprob: token.logprob,
                top: token.top_logprobs.into_iter().map(ranked).collect(),
            }
        })
    }
}

/// The message inside an error body, in any of the shapes servers use.
pub(super) fn error_message(body: &Value) -> Option<&str> {
    let error = body.get("error").unwrap_or(body);
    [error.get("message"), error.get("detail"), Some(error)].into_iter().flatten().find_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_sends_only_what_was_asked_for() {
        let request = GenerationRequest::greedy("hi", 7);
        let sent = serde_json::to_value(ChatRequest::new("m", &request, false)).expect("serialisable");
        assert_eq!(
            sent,
            json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 7,
                   "temperature": 0.0, "stream": true, "stream_options": {"include_usage": true}})
        );
    }

    #[test]
    fn a_json_schema_becomes_a_response_format() {
        let schema = json!({"type": "object"});
        let request = GenerationRequest {
            constraint: Some(Constraint::JsonSchema(schema.clone())),
            ..GenerationRequest::greedy("hi", 7)
        };
        let sent = serde_json::to_value(ChatRequest::new("m", &request, true)).expect("serialisable");
        assert_eq!(sent["response_format"]["json_schema"]["schema"], schema);
        assert_eq!(sent["logprobs"], json!(true));
    }

    #[test]
    fn a_schema_with_a_property_that_may_be_missing_is_not_called_strict() {
        let object = |required: Value| json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": required});
        assert!(is_strict(&object(json!(["a", "b"]))));
        assert!(!is_strict(&object(json!(["a"]))));
        assert!(!is_strict(&json!({"type": "array", "items": {"anyOf": [{}, object(json!([]))]}})));
    }

    #[test]
    fn error_bodies_of_every_server_yield_their_message() {
        for body in [
            json!({"error": {"message": "no", "code": 404}}),
            json!({"error": "no"}),
            json!({"detail": "no"}),
            json!({"object": "error", "message": "no"}),
        ] {
            assert_eq!(error_message(&body), Some("no"), "{body}");
        }
        assert_eq!(error_message(&json!({"error": {"code": 1}})), None);
    }
}
