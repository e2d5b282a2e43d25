//! Fields of the interface that change what an answer is: each is honoured, or refused by its name.
//!
//! `stop`, `max_tokens` and `max_completion_tokens` cut the answer. Fields of sampling (`temperature`, `top_p`, `seed`, the
//! penalties) change nothing: answers are verified, not sampled. Tools are never called, which `tool_choice` may allow.

use frlm_client::questions::ingest::estimate_tokens;
use serde_json::{Map, Value, json};

use super::super::refusal::Refusal;

/// How an answer is given back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// It ends before the first of them.
    stop: Vec<String>,
    /// Of the estimate by which documents are cut, too.
    most_tokens: Option<usize>,
}

/// What of an answer is given back, and why it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shaped {
    /// The answer, or its beginning.
    pub content: String,
    /// `stop` or `length`.
    pub finish_reason: &'static str,
}

/// A field that is refused unless it is absent, null or one of these.
struct Only {
    field: &'static str,
    values: &'static [&'static str],
    words: &'static str,
}

const ONE_ANSWER: &str = "a question gets one answer: leave it out or set it to 1";
const WORDS: &str = "the answer is given in words, with its citations and figures under `frlm`";
const NO_SAMPLING: &str =
    "answers are verified and not sampled from one model, so there is nothing to weigh or to report";
const NO_TOOLS: &str = "no tools are called here: leave it out, or set it to auto or none";

const FIELDS: [Only; 20] = [
    Only { field: "n", values: &["1"], words: ONE_ANSWER },
    Only { field: "best_of", values: &["1"], words: ONE_ANSWER },
    Only { field: "response_format", values: &[r#"{"type":"text"}"#], words: WORDS },
    Only { field: "modalities", values: &["[]", r#"["text"]"#], words: WORDS },
    Only { field: "audio", values: &[], words: WORDS },
    Only { field: "echo", values: &["false"], words: WORDS },
    Only { field: "suffix", values: &[r#""""#], words: WORDS },
    Only { field: "grammar", values: &[], words: WORDS },
    Only { field: "json_schema", values: &[], words: WORDS },
    Only { field: "guided_json", values: &[], words: WORDS },
    Only { field: "guided_regex", values: &[], words: WORDS },
    Only { field: "guided_choice", values: &[], words: WORDS },
    Only { field: "guided_grammar", values: &[], words: WORDS },
    Only { field: "structured_outputs", values: &[], words: WORDS },
    Only { field: "logprobs", values: &["false"], words: NO_SAMPLING },
    Only { field: "top_logprobs", values: &["0"], words: NO_SAMPLING },
    Only { field: "logit_bias", values: &["{}"], words: NO_SAMPLING },
    Only { field: "tool_choice", values: &[r#""auto""#, r#""none""#], words: NO_TOOLS },
    Only { field: "function_call", values: &[r#""auto""#, r#""none""#], words: NO_TOOLS },
    Only {
        field: "web_search_options",
        values: &[],
        words: "nothing is searched here: answers rest on the documents that come with the question",
    },
];

impl Shape {
    /// What a request wants, as far as that can be.
    pub fn of(fields: &Map<String, Value>) -> Result<Self, Refusal> {
        for Only { field, values, words } in &FIELDS {
            let given = fields.get(*field).unwrap_or(&Value::Null);
            if !given.is_null() && !values.contains(&given.to_string().as_str()) {
                return Err(Refusal::field(
                    *field,
                    format!("this value of {field} is not supported: {words}"),
                ));
            }
        }
        let stop = match fields.get("stop") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(one)) => vec![one.clone()],
            Some(given) => serde_json::from_value(given.clone())
                .map_err(|_| Refusal::field("stop", "stop is a text, or a list of texts"))?,
        };
        let stop = stop.into_iter().filter(|stop| !stop.is_empty()).collect();
        let most = [tokens(fields, "max_tokens")?, tokens(fields, "max_completion_tokens")?];
        Ok(Self { stop, most_tokens: most.into_iter().flatten().min() })
    }

    /// Cuts an answer.
    pub fn apply(&self, answer: &str) -> Shaped {
        let stops = self.stop.iter().filter_map(|stop| answer.find(stop.as_str()));
        let answer = &answer[..stops.min().unwrap_or(answer.len())];
        let fits = |end: usize| self.most_tokens.is_none_or(|most| estimate_tokens(&answer[..end]) <= most);
        if fits(answer.len()) {
            return Shaped { content: answer.to_owned(), finish_reason: "stop" };
        }
        let ends: Vec<usize> = answer.char_indices().map(|(at, _)| at).collect();
        // The first of them is the empty answer.
        let fitting = ends.partition_point(|end| fits(*end));
        let end = ends.get(fitting.saturating_sub(1)).copied().unwrap_or_default();
        Shaped { content: answer[..end].to_owned(), finish_reason: "length" }
    }
}

/// A number of tokens; -1 is how some programs write that there is no limit.
fn tokens(fields: &Map<String, Value>, field: &str) -> Result<Option<usize>, Refusal> {
    match fields.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(given) if *given == json!(-1) => Ok(None),
        Some(given) => {
            let most = given.as_u64().and_then(|most| usize::try_from(most).ok()).filter(|most| *most > 0);
            let words = || Refusal::field(field, format!("{field} is a whole number from 1"));
            most.map(Some).ok_or_else(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(fields: &Value) -> Result<Shape, Refusal> {
        Shape::of(fields.as_object().unwrap())
    }

    #[test]
    fn fields_that_cannot_be_honoured_are_refused_by_name() {
        let schema = json!({ "type": "json_schema", "json_schema": { "name": "a", "schema": {} } });
        let function = json!({ "type": "function", "function": { "name": "a" } });
        for (field, value) in [
            ("n", json!(2)),
            ("response_format", json!({ "type": "json_object" })),
            ("response_format", schema),
            ("logprobs", json!(true)),
            ("logit_bias", json!({ "50256": -100 })),
            ("tool_choice", json!("required")),
            ("tool_choice", function),
            ("modalities", json!(["text", "audio"])),
            ("guided_json", json!({})),
            ("stop", json!([1])),
            ("max_tokens", json!(0)),
            ("max_completion_tokens", json!("many")),
        ] {
            let body = shape(&json!({ field: value })).unwrap_err().body();
            let error = &body["error"];
            assert_eq!((&error["param"], &error["type"]), (&json!(field), &json!("invalid_request_error")));
            assert!(error["message"].as_str().unwrap().contains(field), "{body}");
        }
    }

    #[test]
    fn what_clients_send_by_default_is_taken() {
        let usual = json!({
            "model": "frlm", "n": 1, "temperature": 0.1, "top_p": 1, "seed": 7, "response_format": { "type": "text" },
            "logprobs": false, "logit_bias": {}, "stop": null, "max_tokens": -1, "tools": [], "tool_choice": "auto",
            "user": "me", "presence_penalty": 0.5, "top_k": 40, "parallel_tool_calls": true, "modalities": null,
        });
        assert_eq!(shape(&usual).unwrap(), Shape::default());
    }

    #[test]
    fn an_answer_ends_where_the_caller_wants_it_to() {
        let of = |fields: Value, answer: &str| {
            let Shaped { content, finish_reason } = shape(&fields).unwrap().apply(answer);
            (content, finish_reason)
        };
        let answer = "8 of 40 orders.\nNote: all were read.";
        assert_eq!(of(json!({}), answer), (answer.to_owned(), "stop"));
        let stopped = ("8 of 40 orders.".to_owned(), "stop");
        assert_eq!(of(json!({ "stop": ["Note", "\n"] }), answer), stopped);
        assert_eq!(of(json!({ "stop": "\n", "max_tokens": 1_000 }), answer), stopped);
        let long = "wörter ".repeat(1_000);
        let (content, reason) = of(json!({ "max_tokens": 50, "max_completion_tokens": 60 }), &long);
        assert_eq!(reason, "length");
        assert!(estimate_tokens(&content) <= 50 && content.len() > 50, "{}", content.len());
        assert!(long.starts_with(&content));
    }
}
