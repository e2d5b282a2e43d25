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

use nostr::{Event, EventId, Keys, PublicKey};

use crate::result::{Attestation, JobResult};

/// What an attestation must be about to count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// Whose word is wanted.
    pub validator: PublicKey,
    /// The job that it was given.
    pub job: EventId,
    /// The result event in question.
    pub result: EventId,
    /// [`crate::JobRequest::digest`] of the job that it was given.
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
    /// here, even if it was before, and so is everything that it must cover.
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
