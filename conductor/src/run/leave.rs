//! Jobs on their way out: those that are paid in escrow leave once their pay is locked.
//!
//! ```text
//!  submitted ─┬─ not paid in escrow ─────────────────────────────► leaves
//!             └─ its mint locks ─┬─ locked ──────────────────────► leaves
//!                                ├─ locked, not wanted any more ─► leaves and is cancelled: its provider returns it
//!                                └─ not locked: the attempt fails
//! ```
//!
//! Each mint is waited for by its own jobs alone, and by no round of the run.

use std::sync::Arc;
use std::time::Duration;

use super::RunError;
use super::dispatch::Dispatch;
use super::driver::{Run, Sent};
use super::money::{DoneAtMint, DoneByMint};
use super::quote;
use crate::scheduler::{AttemptFailure, AttemptId, SubtaskId};
use crate::swarm::{OutgoingJob, Ticket};
use crate::trace::TraceEvent;

impl Run {
    /// Writes down that a job is about to leave.
    pub(super) fn note_sent(&mut self, job: &Dispatch) {
        let (ticket, now) = (job.ticket, self.began.elapsed());
        let due = job.due.unwrap_or_else(|| self.leaves(ticket, now));
        self.journal.emit(TraceEvent::SubQuerySubmit {
            subtask: SubtaskId(ticket.subtask),
            attempt: AttemptId(ticket.attempt),
            provider: job.provider.id.to_string(),
            hedge: job.hedge,
        });
        let (provider, prompt) = (job.provider.clone(), Arc::clone(&job.prompt));
        self.sent.insert(ticket, Sent { provider, prompt, at: now, due, feedback: 0, metadata: None });
    }

    /// Lets jobs go.
    pub(super) async fn leave(&mut self, jobs: Vec<Dispatch>) -> Result<(), RunError> {
        let mut leaving = Vec::with_capacity(jobs.len());
        for Dispatch { ticket, provider, prompt, price, shown, due, .. } in jobs {
            let Some(venue) = self.venue(&provider) else { continue };
            let now = self.began.elapsed();
            let due = due.unwrap_or_else(|| self.leaves(ticket, now));
            if let Some(sent) = self.sent.get_mut(&ticket) {
                (sent.at, sent.due) = (now, due);
            }
            let job = OutgoingJob {
                ticket,
                foreign: provider.flat_price.is_some(),
                provider: provider.id,
                prompt,
                bid: quote::in_msats(price),
                payment: self.money.payment(ticket),
                expires_in_secs: secs_until(due, now),
                shown,
            };
            leaving.push((venue, job));
        }
        // The journal knows of the jobs before anybody else does.
        self.journal.commit().await?;
        for (venue, job) in leaving {
            venue.submit(job).await;
        }
        Ok(())
    }

    /// No provider's time runs while a mint of ours is asked what its pay costs, or locks it, nor while its job waits for relays
    /// that take few events. All jobs have longer there.
    pub(super) fn hold_clocks(&mut self, now: Duration) {
        let unlocked = self.unlocked.values().filter(|job| job.due.is_none()).map(|job| job.ticket);
        let waiting: Vec<Ticket> = unlocked.chain(self.mints.pricing()).collect();
        for ticket in waiting {
            self.leaves(ticket, now);
        }
        let Some(swarm) = self.swarm.clone() else { return };
        self.scheduler.set_attempt_timeout(self.setup.policy.timeout.per_query, swarm.trip());
        for ticket in swarm.waiting() {
            let due = self.leaves(ticket, now);
            if let Some(sent) = self.sent.get_mut(&ticket) {
                (sent.at, sent.due) = (now, due);
            }
        }
    }

    /// A mint has done what it was asked for, or has not.
    pub(super) async fn on_done_by_mint(&mut self, done: DoneByMint) -> Result<(), RunError> {
        match done {
            DoneByMint::Priced(jobs) => self.submit_priced(jobs).await,
            DoneByMint::Locked(made) => self.on_locked(made).await,
            DoneByMint::Paid(paid) => {
                let notices = self.money.paid_debts(paid);
                self.tell_of_pay(notices).await;
                Ok(())
            }
            DoneByMint::Reclaimed(back) => {
                for event in self.money.reclaimed(back).await? {
                    self.journal.emit(event);
                }
                Ok(())
            }
        }
    }

    /// A mint has locked the pay of its jobs, or has not.
    async fn on_locked(&mut self, made: DoneAtMint) -> Result<(), RunError> {
        let (mut leaving, mut unwanted) = (Vec::new(), Vec::new());
        for (ticket, failed) in self.money.take_locks(made).await? {
            let Some(job) = self.unlocked.remove(&ticket) else { continue };
            let is_wanted = self.sent.contains_key(&ticket);
            match failed {
                Some(reason) if is_wanted => self.attempt_failed(ticket, AttemptFailure::Unpaid, &reason),
                Some(_) => self.ended.push((ticket, None)),
                None => {
                    if !is_wanted {
                        unwanted.push((ticket, job.provider.clone()));
                    }
                    leaving.push(job);
                }
            }
        }
        leaving.sort_unstable_by_key(|job: &Dispatch| (job.ticket.subtask, job.ticket.attempt));
        self.leave(leaving).await?;
        // Its provider alone can give such pay back before its locktime, so that it has to hear of it.
        for (ticket, provider) in unwanted {
            self.ended.push((ticket, None));
            if let Some(venue) = self.venue(&provider) {
                venue.cancel(ticket).await;
            }
        }
        Ok(())
    }

    /// The time of a job's attempt begins; until when its answer is waited for.
    pub(super) fn leaves(&mut self, ticket: Ticket, now: Duration) -> Duration {
        let attempt = AttemptId(ticket.attempt);
        let id = SubtaskId(ticket.subtask);
        self.scheduler.leaves(id, attempt, now);
        self.scheduler.answer_due(id, attempt).unwrap_or_else(|| now + self.scheduler.timeout(id))
    }

    /// Sends a job once more, to a provider that was paid by a token that goes with it.
    pub(super) async fn send_with_token(&mut self, job: OutgoingJob) -> Result<(), RunError> {
        let venue = self.sent.get(&job.ticket).and_then(|sent| self.venue(&sent.provider));
        // The journal knows of the payment before anybody else does.
        self.journal.commit().await?;
        if let Some(venue) = venue {
            venue.submit(job).await;
        }
        Ok(())
    }
}

/// How long a job is waited for from now on, in whole seconds and never less than one: a provider that was promised
/// more would work for nothing.
pub(super) fn secs_until(due: Duration, now: Duration) -> u64 {
    let left = due.saturating_sub(now).as_millis().div_ceil(1_000);
    u64::try_from(left).unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_provider_is_promised_time_that_went_by_before_its_job_left() {
        let at = Duration::from_millis;
        assert_eq!(secs_until(at(30_000), at(40)), 30);
        assert_eq!(secs_until(at(30_000), at(7_000)), 23);
        assert_eq!(
            secs_until(at(30_000), at(31_000)),
            1,
            "a job without any would have expired before it left"
        );
    }
}
