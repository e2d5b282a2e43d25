//! What is decided about a job before it is opened: opening takes most of the time that a refusal takes, and in a flood nearly all jobs are
//! refused.
//!
//! It is decided only if nothing inside the job could change it. Pay may be inside, and is returned with a refusal. A certificate may be
//! inside, which says that somebody vouched for sent the job. So a provider with a price, or one to which somebody vouches for keys, opens
//! every job that has not expired.

use std::sync::Arc;

use frlm_protocol::ReceivedJob;
use nostr::{Event, Timestamp};

use super::{Effect, Session};
use crate::admission::Refusal;
use crate::queue::Rank;

impl Session {
    /// Ignores or refuses a directed job that need not be opened for it.
    pub(super) fn decide_unopened(&mut self, event: &Event, now: Timestamp) -> Option<Vec<Effect>> {
        let job = ReceivedJob::unopened(event, self.keys.public_key())?;
        if job.request.expires_at.is_some()
            && let Some(reason) = self.stale(&job, now)
        {
            return Some(self.ignore(event.id, reason));
        }
        if self.config.is_paid() || !self.config.vouched.is_empty() {
            return None;
        }
        self.work.see(event, now);
        let refusal = self.why_no_place(&job, now)?;
        Some(self.turn_away(&Arc::new(job), refusal, now))
    }

    /// Why no job of this asker would find a place now, however small, if none would.
    fn why_no_place(&self, job: &ReceivedJob, now: Timestamp) -> Option<Refusal> {
        let rank = self.rank(job, now);
        let shut_out = rank == Rank::Guest && self.is_crowded();
        let has_place = !shut_out && self.waiting.has_place(&job.asker, rank);
        (!has_place).then(|| self.asking_for_work(rank, self.busy(now)))
    }
}
