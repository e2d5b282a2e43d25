//! Job requests (kind 5050).
//!
//! A directed job travels encrypted: the tags that describe the work are a JSON array in the
//! content, and the relay sees only `p`, `encrypted` and `expiration`. An open job carries the
//! same tags in plain sight. On the wire, a job of ours with every part set is
//!
//! ```json
//! [["frlm","1"],
//!  ["i","a text","text"],
//!  ["param","instruction","…"], ["param","mode","each"], ["param","constraint","{…}"],
//!  ["param","model","…"], ["param","max_tokens","64"], ["param","temperature","0"],
//!  ["param","top_p","0.9"], ["param","top_k","40"],
//!  ["output","text/plain"], ["bid","21000"], ["payment","{…}"],
//!  ["certificate","<identity>","<until>","<signature>"],
//!  ["validate","<result event>","[\"an answer\"]"], ["relays","wss://…"]]
//! ```
//!
//! What is too large for an event (inputs, instruction, constraint and answers to validate) may travel as a blob. The content
//! then names it by `["blob","<sha256>","<size>","<key>","<address>"]`, and the blob is a JSON array of those tags.

mod apart;
mod build;
mod digest;
mod parse;

use nostr::{Event, EventId, Keys, PublicKey, Timestamp};
use serde::{Deserialize, Serialize};

pub(crate) use self::parse::is_relay_address;
use crate::blob::BlobPointer;
use crate::certificate::Certificate;
use crate::error::BuildError;
use crate::kinds::{JOB_REQUEST, OTHER_REQUESTS};
pub use crate::seal::Encryption;
use crate::seal::{seal, seal_nip04};
use crate::tags::TagView;

/// Where an input's text comes from (NIP-90 `i` tag types).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputSource {
    /// The data is the text itself (`text`, and the `prompt` seen in practice).
    Text,
    /// The data is an address to fetch.
    Url,
    /// The data is an event id.
    Event,
    /// The data is the id of a job whose output is the input.
    Job,
}

/// One `i` tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Text, address or id, by `source`.
    pub data: String,
    /// What `data` is.
    pub source: InputSource,
}

/// How the inputs are put to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// One prompt: the instruction, then all inputs. One answer.
    #[default]
    Together,
    /// One prompt per input: the instruction, then that input. One answer per input, in order.
    Each,
}

/// What the answer's text must look like; mirrors the constraints that engines enforce.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "value")]
pub enum OutputConstraint {
    /// One JSON value that satisfies this schema.
    JsonSchema(serde_json::Value),
    /// Text that matches this regular expression.
    Regex(String),
    /// Text derived by this Lark grammar.
    Lark(String),
}

/// Answers that a validator is to check: it does the job itself and compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validate {
    /// The result event that holds them.
    pub result: EventId,
    /// One answer, or one per input.
    pub answers: Vec<String>,
}

/// Who may read and serve a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// One provider; the job is encrypted to it.
    Directed(PublicKey),
    /// Anyone; the job is plain text on the relay. The user is told before anything leaves.
    Open,
}

/// What an asker wants done.
///
/// Token counts are whole tokens; `bid_msats` is in millisats.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRequest {
    /// What to do with the inputs; empty for foreign jobs whose input is the whole prompt.
    pub instruction: String,
    /// The texts to work on. Foreign jobs may have none.
    pub inputs: Vec<Input>,
    /// How the inputs are put to the model.
    pub mode: Mode,
    /// Upper bound on generated tokens per answer.
    pub max_tokens: Option<u32>,
    /// 0 is greedy.
    pub temperature: Option<f64>,
    /// Nucleus.
    pub top_p: Option<f64>,
    /// Keep the k most likely tokens (`top_k`, and the `top-k` seen in practice).
    pub top_k: Option<u32>,
    /// The model asked for, by name.
    pub model: Option<String>,
    /// What each answer must look like.
    pub constraint: Option<OutputConstraint>,
    /// Expected MIME type of the output.
    pub output: Option<String>,
    /// The most the asker pays for the whole job.
    pub bid_msats: Option<u64>,
    /// Proof that the job's price is locked in escrow: the wallet's own words, in directed jobs only. For a foreign
    /// provider that wants one, a Cashu token, which travels in a `cashu` tag as such providers read it.
    pub payment: Option<String>,
    /// Who vouches for the key that asks, in directed jobs only.
    pub certificate: Option<Certificate>,
    /// Answers to this very job that are to be checked instead of given: the validator's role.
    pub validate: Option<Validate>,
    /// Where results are awaited.
    pub relays: Vec<String>,
    /// NIP-40: after this moment nobody waits for the answer.
    pub expires_at: Option<Timestamp>,
    /// The profile version of the asker, if it is one of our own peers.
    pub profile: Option<String>,
}

impl JobRequest {
    /// A job over texts that wishes for nothing beyond its instruction, of no profile.
    pub fn over<T: Into<String>>(instruction: &str, texts: impl IntoIterator<Item = T>, mode: Mode) -> Self {
        let inputs = texts.into_iter().map(|data| Input { data: data.into(), source: InputSource::Text });
        Self {
            instruction: instruction.to_owned(),
            inputs: inputs.collect(),
            mode,
            max_tokens: None,
            temperature: None,
            top_p: None,
            top_k: None,
            model: None,
            constraint: None,
            output: None,
            bid_msats: None,
            payment: None,
            certificate: None,
            validate: None,
            relays: Vec::new(),
            expires_at: None,
            profile: None,
        }
    }
}

/// A job as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedJob {
    /// The request event's id; results and feedback name it.
    pub id: EventId,
    /// The key that signed the request. For our own peers it lives for one run.
    pub asker: PublicKey,
    /// Whether it came to us alone.
    pub audience: Audience,
    /// What is wanted.
    pub request: JobRequest,
    /// Where the rest of what is wanted is, until [`ReceivedJob::complete`] has put it in.
    pub blob: Option<BlobPointer>,
    /// How it came; answers go back protected at least as well.
    pub encryption: Encryption,
    /// The asker's clock.
    pub created_at: Timestamp,
    /// Every tag, the decrypted ones last, for what [`JobRequest`] does not model.
    pub raw_tags: Vec<Vec<String>>,
    /// The request event, for the `request` tag that foreign clients get back. `None` for our own
    /// peers, who know what they asked, and for requests too large to repeat.
    pub request_json: Option<String>,
}

impl ReceivedJob {
    /// Seals an answer in the scheme in which the request came: who asked in the deprecated one reads no other.
    pub(crate) fn seal_answer(
        &self,
        keys: &Keys,
        what: &'static str,
        plaintext: &str,
    ) -> Result<String, BuildError> {
        if self.encryption == Encryption::Nip04 && !self.is_profile() {
            return seal_nip04(keys, &self.asker, what, plaintext);
        }
        seal(keys, &self.asker, what, plaintext)
    }

    /// What is known of a job that was not opened: enough to refuse it. `None` if it is not addressed to us.
    pub fn unopened(event: &Event, us: PublicKey) -> Option<Self> {
        let tags = TagView::of_event(event);
        let is_request = event.kind == JOB_REQUEST || OTHER_REQUESTS.contains(&event.kind);
        (is_request && tags.names(&us)).then(|| Self {
            id: event.id,
            asker: event.pubkey,
            audience: Audience::Directed(us),
            request: JobRequest {
                expires_at: tags.expiration(),
                ..JobRequest::over("", [""; 0], Mode::Together)
            },
            blob: None,
            encryption: Encryption::None,
            created_at: event.created_at,
            raw_tags: Vec::new(),
            request_json: None,
        })
    }

    /// The `i` tags of a job that came in plain sight: its results repeat them (NIP-90).
    pub(crate) fn plain_inputs(&self) -> Vec<Vec<String>> {
        let is_plain = self.encryption == Encryption::None;
        let tags = self.raw_tags.iter().filter(|tag| is_plain && tag.first().is_some_and(|name| name == "i"));
        tags.cloned().collect()
    }

    /// Whether the asker speaks our profile, in any version.
    pub fn is_profile(&self) -> bool {
        self.request.profile.is_some()
    }

    /// Whether answers are encrypted: the job was, or the asker can read it. Encrypted answers to
    /// open jobs keep other providers from copying them.
    pub fn wants_encryption(&self) -> bool {
        self.encryption != Encryption::None || self.is_profile()
    }
}
