//! Chat completions on the wire: from messages to a question and its documents, and back.
//!
//! The question is the last text of the last user message. Documents are the files in user messages, and texts that
//! stand before the last one of their message. What was asked and answered before is told to the service's own model at
//! most, which makes the question stand on its own; what the system said goes nowhere: providers get prompts of the
//! conductor's own making.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frlm_client::conductor::answer::{Answer, UsageReport};
use frlm_client::conductor::asker::{AskerError, Preferences, Priority};
use frlm_client::conductor::question::follow_up::Turn;
use frlm_client::verifier::PolicyName;
use frlm_client::verifier::request::VerificationLevel;
use serde::Deserialize;
use serde_json::{Value, json};

use super::refusal::Refusal;
use super::uploads::Upload;

/// What the service is called as a model.
pub const MODEL: &str = "frlm";

/// The body of a request. Fields of the interface that mean nothing here are let be.
#[derive(Debug, Deserialize)]
pub struct ChatRequest {
    messages: Vec<Message>,
    /// Whether the answer comes as events.
    #[serde(default)]
    pub stream: bool,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    /// Ours: clients send it in `extra_body`.
    #[serde(default)]
    frlm: Wishes,
}

#[derive(Debug, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wishes {
    budget_sats: Option<u64>,
    verify: Option<String>,
    timeout_secs: Option<u64>,
    language: Option<String>,
    style: Option<String>,
    expertise: Option<String>,
    interests: Vec<String>,
    priority: Option<String>,
    level: Option<VerificationLevel>,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Option<Content>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    file: Option<File>,
}

#[derive(Debug, Deserialize)]
struct File {
    filename: Option<String>,
    file_data: Option<String>,
}

/// A question with its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// As asked.
    pub question: String,
    /// Never empty.
    pub documents: Vec<Upload>,
    /// The cap that the caller wishes, in sats.
    pub budget_sats: Option<u64>,
    /// The verification policy that the caller wishes.
    pub verify: Option<String>,
    /// When to give up, as the caller wishes, in seconds.
    pub timeout_secs: Option<u64>,
    /// How the answer should be put; empty: as the service's settings say.
    pub preferences: Preferences,
    /// How much time matters.
    pub priority: Option<Priority>,
    /// What was asked and answered before.
    pub conversation: Vec<Turn>,
    /// By how many methods answers must be right at least.
    pub level: Option<VerificationLevel>,
}

impl ChatRequest {
    /// Whether a stream ends with what models read and wrote.
    pub fn wants_usage(&self) -> bool {
        self.stream_options.as_ref().is_some_and(|options| options.include_usage)
    }

    /// What is asked.
    pub fn asked(self) -> Result<Asked, Refusal> {
        let mut documents = Vec::new();
        let mut question: Option<String> = None;
        let mut conversation = Vec::new();
        for message in self.messages {
            if message.role == "assistant" {
                if let (Some(asked), Some(content)) = (&question, message.content) {
                    conversation.push(Turn::new(asked, &content.text()));
                }
                continue;
            }
            if message.role != "user" {
                continue;
            }
            match message.content {
                None => {}
                Some(Content::Text(text)) => question = Some(text),
                Some(Content::Parts(parts)) => {
                    let mut asked = None;
                    for part in parts {
                        match (part.kind.as_str(), part.text, part.file) {
                            ("text", Some(text), _) => {
                                documents.extend(asked.replace(text).map(Upload::text));
                            }
                            ("file", _, Some(file)) => documents.push(file.upload()?),
                            (kind, ..) => {
                                return Err(Refusal::invalid(format!(
                                    "a part of type «{kind}» cannot be read; documents come as parts of type file \
                                     (filename, file_data) or text"
                                )));
                            }
                        }
                    }
                    question = asked.or(question);
                }
            }
        }
        let question = question.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let question = question.ok_or_else(|| {
            Refusal::invalid("there is no question: the last text of a user message is one")
        })?;
        if documents.is_empty() {
            return Err(Refusal::invalid(
                "there is no document: send it in a part of type file, or as a part of type text before the \
                 question in the same message",
            ));
        }
        // The same question once more follows nothing.
        conversation.retain(|turn| turn.question != question);
        let Wishes {
            budget_sats,
            verify,
            timeout_secs,
            language,
            style,
            expertise,
            interests,
            priority,
            level,
        } = self.frlm;
        if verify.as_deref().is_some_and(names_a_file) {
            return Err(Refusal::invalid(
                "«objective» names a file of the machine that answers, which callers may not read: choose adaptive, \
                 redundancy:REPLICAS/AGREE or another that is allowed here",
            ));
        }
        let unknown = |error: AskerError| Refusal::invalid(error.to_string());
        let preferences =
            Preferences::of(language.as_deref(), style.as_deref(), expertise.as_deref(), &interests)
                .map_err(unknown)?;
        let priority = priority.map(|named| named.parse::<Priority>()).transpose().map_err(unknown)?;
        Ok(Asked {
            question,
            documents,
            budget_sats,
            verify,
            timeout_secs,
            preferences,
            priority,
            conversation,
            level,
        })
    }
}

fn names_a_file(policy: &str) -> bool {
    matches!(policy.parse(), Ok(PolicyName::Objective { .. }))
}

impl Content {
    /// Its texts, one after the other.
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => {
                parts.into_iter().filter_map(|part| part.text).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

impl File {
    /// `file_data` is a data URL, or bare base64.
    fn upload(self) -> Result<Upload, Refusal> {
        let name = self.filename.unwrap_or_default();
        let Some(data) = self.file_data else {
            return Err(Refusal::invalid(
                "a file part without file_data; files are not kept here, send it along",
            ));
        };
        let encoded = match data.strip_prefix("data:") {
            None => data.as_str(),
            Some(url) => url.split_once(";base64,").map(|(_, encoded)| encoded).ok_or_else(|| {
                Refusal::invalid(format!("file_data of «{name}» is a data URL without base64"))
            })?,
        };
        let bytes = STANDARD
            .decode(encoded.trim())
            .map_err(|error| Refusal::invalid(format!("file_data of «{name}» is not base64: {error}")))?;
        Ok(Upload::file(&name, bytes))
    }
}

/// The answer in one piece. What the interface has no place for stands under `frlm`.
pub fn completion(answer: &Answer, warnings: &[String], created: u64) -> Value {
    json!({
        "id": id(&answer.run_id),
        "object": "chat.completion",
        "created": created,
        "model": MODEL,
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": answer.answer },
            "finish_reason": "stop",
        }],
        "usage": usage(answer),
        "frlm": answer,
        "warnings": warnings,
    })
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

/// The event that ends a stream whose caller wants the usage: it has no choices.
pub fn usage_chunk(id: &str, created: u64, answer: &Answer) -> Value {
    json!({
        "id": id,
        "object": "chat.completion.chunk",
        "created": created,
        "model": MODEL,
        "choices": [],
        "usage": usage(answer),
    })
}

/// One event of a stream. `last`: the whole answer, which ends it.
pub fn chunk(id: &str, created: u64, delta: &Value, last: Option<&Answer>) -> Value {
    let mut chunk = json!({
        "id": id,
        "object": "chat.completion.chunk",
        "created": created,
        "model": MODEL,
        "choices": [{ "index": 0, "delta": delta, "finish_reason": last.map(|_| "stop") }],
    });
    if let Some(answer) = last {
        chunk["frlm"] = json!(answer);
    }
    chunk
}

/// A run's id as that of a completion.
pub fn id(run: &str) -> String {
    format!("chatcmpl-{run}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(body: Value) -> Result<Asked, Refusal> {
        serde_json::from_value::<ChatRequest>(body).unwrap().asked()
    }

    #[test]
    fn files_and_earlier_texts_are_documents_and_the_last_text_is_the_question() {
        let data = format!("data:text/plain;base64,{}", STANDARD.encode("one\ntwo\n"));
        let asked = asked(json!({
            "model": "whatever",
            "temperature": 0.2,
            "messages": [
                { "role": "system", "content": "You are a helpful assistant." },
                { "role": "user", "content": [
                    { "type": "file", "file": { "filename": "a.log", "file_data": data } },
                    { "type": "text", "text": "three\nfour" },
                    { "type": "text", "text": "How many?" },
                ] },
                { "role": "assistant", "content": "4" },
                { "role": "user", "content": "  And how many begin with t? " },
            ],
            "frlm": { "budget_sats": 7, "level": "high" },
        }))
        .unwrap();
        assert_eq!(asked.question, "And how many begin with t?");
        assert_eq!((asked.budget_sats, asked.level), (Some(7), Some(VerificationLevel::High)));
        let expected =
            [Upload::file("a.log", b"one\ntwo\n".to_vec()), Upload::text("three\nfour".to_owned())];
        assert_eq!(asked.documents, expected);
        assert_eq!(asked.conversation, [Turn::new("How many?", "4")]);
        assert!(asked.preferences.is_empty() && asked.priority.is_none());
    }

    #[test]
    fn a_caller_may_wish_how_the_answer_is_put_and_a_wish_that_cannot_be_is_refused() {
        let body = |wishes: Value| {
            json!({
                "messages": [{ "role": "user", "content": [
                    { "type": "text", "text": "three" },
                    { "type": "text", "text": "How many?" },
                ] }],
                "frlm": wishes,
            })
        };
        let wished = asked(body(json!({
            "language": "German", "interests": ["prices"], "priority": "high", "timeout_secs": 60
        })))
        .unwrap();
        assert_eq!(wished.preferences.in_words(), "German, interested in prices");
        assert_eq!((wished.priority, wished.timeout_secs), (Some(Priority::High), Some(60)));
        let policy = asked(body(json!({ "verify": "redundancy:5/3" }))).unwrap().verify;
        assert_eq!(policy.as_deref(), Some("redundancy:5/3"));
        for file in ["/etc/hostname", "/dev/zero", "check.py"] {
            let refusal = asked(body(json!({ "verify": format!("objective:{file}") }))).unwrap_err();
            assert!(refusal.body().to_string().contains("names a file"), "{refusal:?}");
        }
        let refusal = asked(body(json!({ "style": "loud" }))).unwrap_err();
        assert!(refusal.body().to_string().contains("concise"), "{refusal:?}");
    }

    #[test]
    fn what_cannot_be_asked_is_refused_with_what_to_do() {
        let user = |content: Value| json!({ "messages": [{ "role": "user", "content": content }] });
        for (body, words) in [
            (user(json!("How many?")), "there is no document"),
            (json!({ "messages": [] }), "there is no question"),
            (user(json!([{ "type": "image_url", "image_url": {} }])), "«image_url» cannot be read"),
            (user(json!([{ "type": "file", "file": { "file_id": "f" } }])), "without file_data"),
            (user(json!([{ "type": "file", "file": { "file_data": "~" } }])), "not base64"),
        ] {
            let refusal = asked(body).unwrap_err();
            assert!(refusal.body().to_string().contains(words), "{refusal:?}");
        }
    }
}
