//! Jobs that are not read: of other kinds, and such as make no sense. Their askers are told why.

use std::sync::Arc;

use frlm_protocol::{Feedback, ParseError, ReceivedJob, RefusalReason, kinds};
use nostr::{Event, Timestamp};

use super::answers::TOLD_FOR_SECS;
use super::{Effect, Session};
use crate::admission::Refusal;

impl Session {
    /// Every directed job gets an answer, also one of a kind that is not served.
    pub(super) fn receive_other(&mut self, event: &Event, now: Timestamp) -> Vec<Effect> {
        let (kind, served) = (event.kind, kinds::JOB_REQUEST);
        let mut effects = self.ignore(event.id, &format!("a job of kind {kind}"));
        let detail = format!("this provider serves no jobs of kind {kind}; send the prompt as kind {served}");
        let refusal = Feedback::refusal(RefusalReason::Unsupported, detail);
        effects.extend(self.answer_unread(event, refusal, now));
        effects
    }

    /// Tells an asker that its job cannot be read. The words quote nothing of it: relays show them.
    pub(super) fn unreadable(&mut self, event: &Event, error: &ParseError, now: Timestamp) -> Vec<Effect> {
        let mut effects = self.ignore(event.id, &error.to_string());
        let Refusal { reason, detail, .. } = why_unread(error);
        effects.extend(self.answer_unread(event, Feedback::refusal(reason, detail), now));
        effects
    }

    /// Refuses a directed job that was not read.
    fn answer_unread(&mut self, event: &Event, refusal: Feedback, now: Timestamp) -> Option<Effect> {
        let job = Arc::new(ReceivedJob::unopened(event, self.keys.public_key())?);
        let is_told = self.words.has_taken(&job.asker, TOLD_FOR_SECS, now);
        self.words.take(job.asker, now).ok()?;
        Some(if is_told { Effect::Repeat(job, refusal) } else { Effect::Say(job, refusal) })
    }
}

/// Why a job is refused that cannot be read, in words that quote nothing of it.
pub(super) fn why_unread(error: &ParseError) -> Refusal {
    let (reason, detail) = match error {
        ParseError::TooLarge { what, size, limit } => (
            RefusalReason::TooLarge,
            format!("the job is too large: {size} {what}, at most {limit} are read"),
        ),
        ParseError::Undecryptable(_) => (
            RefusalReason::Unsupported,
            "the job cannot be decrypted; encrypt its tags to this provider's key with NIP-44".to_owned(),
        ),
        ParseError::Malformed { what, .. } => {
            (RefusalReason::Unsupported, format!("the job's {what} cannot be read"))
        }
        _ => (RefusalReason::Unsupported, "the job cannot be read".to_owned()),
    };
    Refusal::new(reason, detail)
}
