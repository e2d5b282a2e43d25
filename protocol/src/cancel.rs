//! Cancellations (kind 5 with a `k` tag).
//!
//! NIP-09 lets an author take back own events only, so a cancellation counts only from the key
//! that signed the job. Relays that honour it also stop serving the request.

use nostr::{Event, EventId, Keys, PublicKey, Timestamp};

use crate::error::{BuildError, ParseError};
use crate::job::Audience;
use crate::kinds::{CANCELLATION, JOB_REQUEST};
use crate::limits::MAX_INPUTS;
use crate::tags::{TagView, array, expect_kind, sign, whole_number};

/// The asker no longer wants a job done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancellation {
    /// The request event's id.
    pub job: EventId,
}

/// A cancellation as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedCancellation {
    /// The key that signed it: it takes effect only on jobs of the same key.
    pub author: PublicKey,
    /// The requests it names, never none.
    pub jobs: Vec<EventId>,
}

impl Cancellation {
    /// The signed event; `keys` are those that signed the job.
    ///
    /// For a directed job it carries a `p` tag, which puts it on the provider's standing
    /// subscription.
    pub fn to_event(
        &self,
        audience: Audience,
        keys: &Keys,
        created_at: Timestamp,
    ) -> Result<Event, BuildError> {
        let kind = JOB_REQUEST.as_u16().to_string();
        let mut tags = vec![array(["e", &self.job.to_hex()]), array(["k", &kind])];
        if let Audience::Directed(provider) = audience {
            tags.push(array(["p", &provider.to_hex()]));
        }
        sign(CANCELLATION, String::new(), tags, keys, created_at)
    }

    /// Reads a cancellation; deletions of other kinds name no job.
    pub fn from_event(event: &Event) -> Result<ReceivedCancellation, ParseError> {
        expect_kind(event, CANCELLATION)?;
        let tags = TagView::of_event(event);
        let request_kind = Some(u64::from(JOB_REQUEST.as_u16()));
        let kinds_fit = !tags.has("k")
            || tags.all("k").any(|values| values.first().and_then(|kind| whole_number(kind)) == request_kind);
        let jobs: Vec<EventId> = tags.event_ids().take(MAX_INPUTS).collect();
        if !kinds_fit || jobs.is_empty() {
            return Err(ParseError::MissingJobId);
        }
        Ok(ReceivedCancellation { author: event.pubkey, jobs })
    }
}

impl ReceivedCancellation {
    /// Whether this cancels `job` of `asker`.
    pub fn cancels(&self, job: &EventId, asker: &PublicKey) -> bool {
        self.author == *asker && self.jobs.contains(job)
    }
}
