//! Chat completions on the wire: from a request to a question and its documents, and back.
//!
//! - [`messages`]: which of what was said is the question, and which are documents
//! - [`prompt`] and [`frame`]: the same for one string that holds both
//! - [`shape`]: fields of the interface that change the answer, honoured or refused
//! - [`answer`]: the answer, and the events of a stream
//!
//! Only the service's own model sees earlier messages. It rewrites the question so that it needs no context.
//! Instructions of the system go nowhere: providers get prompts of the conductor's own making.

pub mod answer;
mod frame;
mod messages;
mod prompt;
mod shape;

use frlm_client::questions::asker::{AskerError, Preferences, Priority};
use frlm_client::questions::question::follow_up::Turn;
use frlm_client::verifier::PolicyName;
use frlm_client::verifier::request::VerificationLevel;
use serde::Deserialize;
use serde_json::{Map, Value};

use self::messages::{Message, Said};
pub use self::shape::Shape;
use super::refusal::Refusal;
use super::uploads::Upload;

/// What the service is called as a model.
pub const MODEL: &str = "frlm";

/// The body of a request.
#[derive(Debug, Deserialize)]
pub struct ChatRequest {
    #[serde(default)]
    messages: Vec<Message>,
    /// What the older interface has in the place of messages.
    #[serde(default)]
    prompt: Option<Prompt>,
    /// Whether the answer comes as events.
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    /// Ours: clients send it in `extra_body`.
    #[serde(default)]
    frlm: Wishes,
    /// The rest of the interface ([`Shape`]).
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Prompt {
    One(String),
    Several(Vec<String>),
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

/// A question with its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// As asked.
    pub question: String,
    /// Never empty.
    pub documents: Vec<Upload>,
    /// The budget that the caller wishes, in sats.
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
    /// The same with its prompt as what the user says.
    pub fn about_its_prompt(self) -> Result<Self, Refusal> {
        let prompt = match self.prompt {
            Some(Prompt::One(prompt)) => prompt,
            Some(Prompt::Several(mut prompts)) if prompts.len() == 1 => prompts.remove(0),
            _ => return Err(Refusal::field("prompt", "a request has one prompt, which is a text")),
        };
        Ok(Self { messages: vec![Message::from_user(prompt)], prompt: None, ..self })
    }

    /// Whether the answer comes as events.
    pub fn is_streamed(&self) -> bool {
        self.stream.unwrap_or_default()
    }

    /// Whether a stream ends with what models read and wrote.
    pub fn wants_usage(&self) -> bool {
        self.stream_options.as_ref().is_some_and(|options| options.include_usage)
    }

    /// How the answer is given back.
    pub fn shape(&self) -> Result<Shape, Refusal> {
        Shape::of(&self.others)
    }

    /// What is asked. `kept`: the file that the caller uploaded under an id. Blocks.
    pub fn asked(self, kept: &dyn Fn(&str) -> Result<Upload, Refusal>) -> Result<Asked, Refusal> {
        let Said { question, documents, conversation } = messages::read(self.messages, kept)?;
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
            return Err(Refusal::field(
                "frlm.verify",
                "`objective` names a file of the machine that answers, which callers may not read: choose adaptive, \
                 redundancy:REPLICAS/AGREE or another that is allowed here",
            ));
        }
        let unknown = |error: AskerError| Refusal::field("frlm", error.to_string());
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

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    use super::*;

    fn asked(body: Value) -> Result<Asked, Refusal> {
        let nothing_kept = |id: &str| Err(Refusal::not_found(id.to_owned()));
        serde_json::from_value::<ChatRequest>(body).unwrap().asked(&nothing_kept)
    }

    #[test]
    fn files_and_earlier_texts_are_documents_and_the_last_is_the_question() {
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
    fn a_caller_may_choose_the_wording_and_an_impossible_wish_is_refused() {
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
}
