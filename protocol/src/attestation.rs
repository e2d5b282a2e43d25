//! A validator's word: a signed result that says what it found of somebody else's answers.
//!
//! ```text
//!  asker ── job ─────────────────────► provider ── result R, signed ──► asker
//!  asker ── the same job + validate(R, answers) ─► validator
//!  asker ◄─ result, signed: attestation(R, digest of job and answers, confirmed of shown) ◄─ validator
//! ```
//!
//! The validator gets an ordinary directed job with one tag more; it does not see who answered. Its
//! verdict is part of an ordinary result event, so that its Schnorr signature covers, through the event's
//! id, the job that it was given, the result that it is about and the digest of every text involved.

use nostr::hashes::{Hash as _, HashEngine as _, sha256};
use nostr::{Event, EventId, Keys, PublicKey};
use serde::{Deserialize, Serialize};

use crate::job::{JobRequest, Mode};
use crate::result::JobResult;

/// Answers that a validator is to check: it does the job itself and compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validate {
    /// The result event that holds them.
    pub result: EventId,
    /// One answer, or one per input.
    pub answers: Vec<String>,
}

/// What a validator found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attestation {
    /// The result event that it is about.
    pub result: EventId,
    /// sha256 over the task and the answers, hex ([`JobRequest::digest`]).
    pub digest: String,
    /// Answers that it confirms.
    pub confirmed: u32,
    /// Answers that it was shown.
    pub shown: u32,
}

/// What an attestation must be about to count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// Whose word is wanted.
    pub validator: PublicKey,
    /// The job that it was given.
    pub job: EventId,
    /// The result event in question.
    pub result: EventId,
    /// [`JobRequest::digest`] of the job that it was given.
    pub digest: String,
}

/// Why an event is no attestation of what it should cover.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttestationError {
    /// The event is not what its signature signs.
    #[error("its id or signature is wrong: {0}")]
    Signature(String),
    /// Somebody else's word.
    #[error("it is signed by {0}, who is not the validator")]
    Author(PublicKey),
    /// It is no readable result for us.
    #[error("it is no readable result: {0}")]
    Unreadable(String),
    /// It answers another job.
    #[error("it answers another job")]
    Job,
    /// A result without an attestation: its author does not validate.
    #[error("it answers the task and attests nothing; is this provider a validator?")]
    Nothing,
    /// It is about another result.
    #[error("it is about another result")]
    Result,
    /// It is about other texts.
    #[error("it covers another task or other answers")]
    Digest,
    /// More was confirmed than was shown, or nothing was.
    #[error("it confirms {confirmed} of {shown} answers, which makes no sense")]
    Count {
        /// As it says.
        confirmed: u32,
        /// As it says.
        shown: u32,
    },
}

impl Attestation {
    /// Reads the attestation in a result event that came to the owner of `keys`. The signature is checked
    /// here, whoever has done so before, and so is everything that it must cover.
    pub fn from_event(event: &Event, keys: &Keys, covered: &Covered) -> Result<Self, AttestationError> {
        event.verify().map_err(|error| AttestationError::Signature(error.to_string()))?;
        if event.pubkey != covered.validator {
            return Err(AttestationError::Author(event.pubkey));
        }
        let received = JobResult::from_event(event, keys)
            .map_err(|error| AttestationError::Unreadable(error.to_string()))?;
        if received.job != covered.job {
            return Err(AttestationError::Job);
        }
        let attestation = received.result.attestation.ok_or(AttestationError::Nothing)?;
        if attestation.result != covered.result {
            return Err(AttestationError::Result);
        }
        if attestation.digest != covered.digest {
            return Err(AttestationError::Digest);
        }
        let Self { confirmed, shown, .. } = attestation;
        if shown == 0 || confirmed > shown {
            return Err(AttestationError::Count { confirmed, shown });
        }
        Ok(attestation)
    }
}

impl JobRequest {
    /// sha256, in hex, over what a validation job is about: instruction, mode, every input and every answer
    /// that is to be checked. Each text is preceded by its length, so that no two tasks share one.
    pub fn digest(&self) -> String {
        let mut engine = sha256::Hash::engine();
        let mut take = |text: &str| {
            engine.input(&(text.len() as u64).to_be_bytes());
            engine.input(text.as_bytes());
        };
        take("frlm attestation 1");
        take(&self.instruction);
        take(if self.mode == Mode::Each { "each" } else { "together" });
        let answers = self.validate.as_ref().map_or(&[][..], |validate| &validate.answers);
        for texts in [self.inputs.len(), answers.len()] {
            take(&texts.to_string());
        }
        for text in self.inputs.iter().map(|input| &input.data).chain(answers) {
            take(text);
        }
        sha256::Hash::from_engine(engine).to_string()
    }
}
