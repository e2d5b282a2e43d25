//! Answers on the wire: in one piece, and as the events of a stream. What the interface has no place for stands under
//! `frlm`: the run's record, the question as it was understood, and what its documents are called.

use frlm_client::questions::answer::{Answer, UsageReport};
use serde_json::{Value, json};

use super::MODEL;
use super::shape::Shape;

/// An answer, and what to know about its documents.
#[derive(Debug)]
pub struct Answered {
    /// The answer.
    pub answer: Answer,
    /// In words.
    pub warnings: Vec<String>,
    /// The question as it was understood.
    pub question: String,
    /// What its documents are called in citations.
    pub documents: Vec<String>,
}

/// Which of the two interfaces was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// Messages, and a message as the answer.
    Chat,
    /// A prompt, and the text that follows it.
    Completions,
}

impl Interface {
    /// The answer in one piece.
    pub fn completion(self, answered: &Answered, shape: &Shape, created: u64) -> Value {
        let shaped = shape.apply(&answered.answer.answer);
        let (object, choice) = match self {
            Self::Chat => {
                let message = json!({ "role": "assistant", "content": shaped.content });
                (
                    "chat.completion",
                    json!({ "index": 0, "message": message, "finish_reason": shaped.finish_reason }),
                )
            }
            Self::Completions => ("text_completion", text(&shaped.content, Some(shaped.finish_reason))),
        };
        json!({
            "id": self.id(&answered.answer.run_id),
            "object": object,
            "created": created,
            "model": MODEL,
            "choices": [choice],
            "usage": usage(&answered.answer),
            "frlm": record(answered),
            "warnings": answered.warnings,
        })
    }

    /// The events of the stream that answers by a run.
    pub fn chunks(self, run: &str, created: u64) -> Chunks {
        Chunks { interface: self, id: self.id(run), created }
    }

    fn id(self, run: &str) -> String {
        match self {
            Self::Chat => format!("chatcmpl-{run}"),
            Self::Completions => format!("cmpl-{run}"),
        }
    }
}

/// The run behind a completion's id.
pub fn run_of(id: &str) -> &str {
    id.strip_prefix("chatcmpl-").or_else(|| id.strip_prefix("cmpl-")).unwrap_or(id)
}

fn record(answered: &Answered) -> Value {
    let mut record = json!(answered.answer);
    record["question"] = json!(answered.question);
    // Here the names of all that were sent have the place of what was read.
    record["documents"] = json!(answered.documents);
    record["unread"] = json!(answered.answer.documents.unread);
    record
}

/// What models read and wrote for the answer: the sum of what providers and own engines reported, replicas included.
/// How many answers came without a report stands under `frlm.usage`.
fn usage(answer: &Answer) -> Value {
    let UsageReport { prompt_tokens, completion_tokens, .. } = answer.usage;
    json!({
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens.saturating_add(completion_tokens),
    })
}

/// The events of one stream: they share an id and a time.
#[derive(Debug, Clone)]
pub struct Chunks {
    interface: Interface,
    id: String,
    created: u64,
}

impl Chunks {
    /// Says that somebody answers.
    pub fn begin(&self) -> Value {
        self.chunk(&[self.choice(&json!({ "role": "assistant", "content": "" }), None)])
    }

    /// Says how far it is, where there is a place for that. Programs show it as what a model thinks before its answer, or not
    /// at all.
    pub fn progress(&self, words: &str) -> Option<Value> {
        let delta = json!({ "reasoning_content": format!("{words}\n") });
        (self.interface == Interface::Chat).then(|| self.chunk(&[self.choice(&delta, None)]))
    }

    /// The answer, what ends it, and what models read and wrote where that is wanted.
    pub fn end(&self, answered: &Answered, shape: &Shape, with_usage: bool) -> Vec<Value> {
        let shaped = shape.apply(&answered.answer.answer);
        let content = self.chunk(&[self.choice(&json!({ "content": shaped.content }), None)]);
        let mut last = self.chunk(&[self.choice(&json!({}), Some(shaped.finish_reason))]);
        last["frlm"] = record(answered);
        last["warnings"] = json!(answered.warnings);
        let mut chunks = vec![content, last];
        if with_usage {
            let mut chunk = self.chunk(&[]);
            chunk["usage"] = usage(&answered.answer);
            chunks.push(chunk);
        }
        chunks
    }

    fn choice(&self, delta: &Value, finish_reason: Option<&str>) -> Value {
        match self.interface {
            Interface::Chat => json!({ "index": 0, "delta": delta, "finish_reason": finish_reason }),
            Interface::Completions => text(delta["content"].as_str().unwrap_or_default(), finish_reason),
        }
    }

    fn chunk(&self, choices: &[Value]) -> Value {
        let object = match self.interface {
            Interface::Chat => "chat.completion.chunk",
            Interface::Completions => "text_completion",
        };
        json!({
            "id": self.id,
            "object": object,
            "created": self.created,
            "model": MODEL,
            "choices": choices,
        })
    }
}

fn text(content: &str, finish_reason: Option<&str>) -> Value {
    json!({ "index": 0, "text": content, "logprobs": null, "finish_reason": finish_reason })
}
