//! Job results (kind 6050).

use nostr::{Event, EventId, Keys, PublicKey, Timestamp};
use serde::{Deserialize, Serialize};

use crate::commitment::{self, AnswerCommitment};
use crate::error::{BuildError, ParseError};
use crate::job::{Encryption, ReceivedJob};
use crate::kinds::JOB_RESULT;
use crate::limits::{MAX_ANSWERS, MAX_COMMITMENTS, MAX_NAME_BYTES, MAX_PLAINTEXT_BYTES};
use crate::seal::{fits, open_if_sealed};
use crate::tags::{TagView, array, sign, within};
use crate::text::cut;

const WHAT: &str = "the result";

/// The model behind an answer, as the provider claims it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelIdentity {
    /// The announced name.
    pub name: String,
    /// sha256 over the weights, hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_hash: Option<String>,
}

/// The answer to one prompt of a job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JobAnswer {
    /// The text.
    pub text: String,
    /// The model's thinking, where it gave any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The provider's own confidence, 0..=1. Never trusted before it is calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// What the answer can be audited by, where the provider's engine can tell.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "commitment::if_readable")]
    pub commitment: Option<AnswerCommitment>,
}

/// What a validator found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attestation {
    /// The result event that it is about.
    pub result: EventId,
    /// sha256 over the task and the answers, hex ([`crate::JobRequest::digest`]).
    pub digest: String,
    /// Answers that it confirms.
    pub confirmed: u32,
    /// Answers that it was shown.
    pub shown: u32,
}

/// A provider's whole result for one job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobResult {
    /// One answer, or one per input for [`crate::Mode::Each`]. Foreign results have exactly one.
    pub answers: Vec<JobAnswer>,
    /// The model that answered; `None` from foreign providers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelIdentity>,
    /// Tokens read and written, as the provider counts them.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// Tokens written.
    #[serde(default)]
    pub completion_tokens: u64,
    /// A validator's verdict: then there are no answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attestation: Option<Attestation>,
    /// What the provider asks for, in millisats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount_msats: Option<u64>,
}

/// A result as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedResult {
    /// The key that signed it.
    pub provider: PublicKey,
    /// The request it answers.
    pub job: EventId,
    /// The answer.
    pub result: JobResult,
    /// The invoice behind [`JobResult::amount_msats`], from foreign providers.
    pub invoice: Option<String>,
    /// How it came.
    pub encryption: Encryption,
}

impl JobResult {
    /// The signed result event.
    ///
    /// Our own peers get this type as JSON, encrypted even when the job was open, so that nobody
    /// copies the answer. Foreign clients get the plain answer and the request in a `request` tag; the inputs in `i` tags
    /// if they came in plain sight, and encryption of the same scheme if their job was encrypted.
    pub fn to_event(
        &self,
        job: &ReceivedJob,
        keys: &Keys,
        created_at: Timestamp,
    ) -> Result<Event, BuildError> {
        if self.answers.len() > MAX_ANSWERS {
            return Err(BuildError::TooMany {
                what: "answers",
                count: self.answers.len(),
                limit: MAX_ANSWERS,
            });
        }
        let mut tags = vec![
            array(["e", &job.id.to_hex()]),
            array(["p", &job.asker.to_hex()]),
            array(["status", "success"]),
        ];
        if let Some(amount_msats) = self.amount_msats {
            tags.push(array(["amount", &amount_msats.to_string()]));
        }
        if let Some(request) = &job.request_json {
            tags.push(array(["request", request]));
            tags.extend(job.plain_inputs());
        }
        let body = if job.is_profile() {
            self.body()?
        } else {
            let texts: Vec<&str> = self.answers.iter().map(|answer| answer.text.as_str()).collect();
            texts.join("\n\n")
        };
        let content = if job.wants_encryption() {
            tags.push(array(["encrypted"]));
            job.seal_answer(keys, WHAT, &body)?
        } else {
            fits(WHAT, &body)?;
            body
        };
        sign(JOB_RESULT, content, tags, keys, created_at)
    }

    /// Reads a result that answers a job of `keys`, the asker's run keys.
    ///
    /// A content that is not this type's JSON is one answer, as it stands. Whether the named job
    /// is ours, and was given to this provider, is for the caller to check.
    pub fn from_event(event: &Event, keys: &Keys) -> Result<ReceivedResult, ParseError> {
        let (tags, job) = TagView::about_a_job(event, JOB_RESULT, &keys.public_key())?;
        let (body, encryption) = open_if_sealed(keys, &event.pubkey, &event.content, tags.has("encrypted"))?;
        let mut result = Self::from_body(body)?;
        let (amount_msats, invoice) = tags.amount();
        // The tag is what foreign clients read and what a relay shows: it wins over the body.
        result.amount_msats = amount_msats.or(result.amount_msats);
        Ok(ReceivedResult { provider: event.pubkey, job, result, invoice, encryption })
    }

    /// As our own peers read it. An answer is worth more than what it could be audited by: where both do not
    /// fit, the answers go alone.
    fn body(&self) -> Result<String, BuildError> {
        let json = |result: &Self| {
            serde_json::to_string(result).map_err(|error| BuildError::Encrypt(error.to_string()))
        };
        let mut result = self.clone().bounded();
        let body = json(&result)?;
        if body.len() <= MAX_PLAINTEXT_BYTES {
            return Ok(body);
        }
        result.answers.iter_mut().for_each(|answer| answer.commitment = None);
        json(&result)
    }

    fn from_body(body: String) -> Result<Self, ParseError> {
        if body.trim_start().starts_with('{')
            && let Ok(result) = serde_json::from_str::<Self>(&body)
        {
            within("answers", result.answers.len(), MAX_ANSWERS)?;
            return Ok(result.bounded());
        }
        Ok(Self {
            answers: vec![JobAnswer { text: body, ..JobAnswer::default() }],
            model: None,
            prompt_tokens: 0,
            completion_tokens: 0,
            attestation: None,
            amount_msats: None,
        })
    }

    /// Confidences within 0..=1 or absent, names of bearable length, hashes that are hashes, few commitments.
    fn bounded(mut self) -> Self {
        let mut commitments = 0;
        for answer in &mut self.answers {
            answer.confidence =
                answer.confidence.filter(|share| !share.is_nan()).map(|share| share.clamp(0.0, 1.0));
            answer.commitment = answer
                .commitment
                .take()
                .filter(|commitment| commitments < MAX_COMMITMENTS && commitment.is_bounded());
            commitments += usize::from(answer.commitment.is_some());
        }
        if let Some(model) = &mut self.model {
            model.name = cut(&model.name, MAX_NAME_BYTES).to_owned();
            model.weights_hash = model.weights_hash.take().filter(|hash| is_sha256(hash));
        }
        self
    }
}

/// Whether this is 32 bytes in hex.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit())
}
