//! Jobs on their way out: those that are paid in escrow leave once their pay is locked.
//!
//! ```text
//!  reserved ──┬─ not paid in escrow ─────────────────────────────► leaves
//!             └─ its mint locks ─┬─ locked ──────────────────────► leaves
//!                                ├─ locked, not wanted any more ─► leaves and is cancelled: its provider returns it
//!                                └─ not locked: the attempt fails
//! ```
//!
//! Only the jobs whose pay a mint locks wait for that mint; no round of the run does. A job leaves once the trace that names it
//! is written; while a disk is slow, nothing leaves.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_scheduler::AttemptFailure;

use super::attempts::Sent;
use super::commit::{Commit, Written};
use super::desks::{Errands, JobDesk, Ports};
use super::dispatch::Dispatch;
use super::engine::Engine;
use super::money::{DoneAtMint, Priced};
use super::quote;
use super::work::Work;
use crate::swarm::{Address, OutgoingJob, Swarm, Ticket};

/// Jobs that have not left yet.
#[derive(Debug, Default)]
pub(super) struct Departures {
    /// Jobs whose reservation begins once the one before it is written.
    pub priced: Vec<Priced>,
    /// Jobs whose reservation is being written, and whether their time begins when they leave.
    pub reserving: HashMap<Ticket, bool>,
    /// Jobs that leave once their pay is locked.
    pub unlocked: HashMap<Ticket, Dispatch>,
}

impl Departures {
    /// Whether a job has not left yet.
    pub fn contains(&self, ticket: Ticket) -> bool {
        self.reserving.contains_key(&ticket) || self.unlocked.contains_key(&ticket)
    }

    /// The jobs whose time begins when they leave.
    fn timed(&self) -> impl Iterator<Item = Ticket> + '_ {
        let unlocked = self.unlocked.values().filter(|job| job.due.is_none()).map(|job| job.ticket);
        let reserving = self.reserving.iter().filter(|(_, timed)| **timed).map(|(ticket, _)| *ticket);
        let priced = self.priced.iter().filter(|(job, _)| job.due.is_none()).map(|(job, _)| job.ticket);
        unlocked.chain(reserving).chain(priced)
    }
}

impl Errands {
    /// Tells providers that answers are not needed any more. A job that has not left yet is followed by that word.
    pub(super) fn cancel(&mut self, ports: &Ports, jobs: impl IntoIterator<Item = (Ticket, Sent)>) {
        let (mut left, mut leaving) = (Vec::new(), Vec::new());
        for (ticket, sent) in jobs {
            let Some(venue) = ports.venue(&sent.provider) else { continue };
            if sent.has_left { left.push((venue, ticket)) } else { leaving.push((venue, ticket)) }
        }
        if !left.is_empty() {
            self.outbox.do_now(cancel(left));
        }
        self.cancel_leaving(leaving);
    }

    /// The same for jobs that leave before that word.
    fn cancel_leaving(&mut self, jobs: Vec<(Arc<dyn Swarm>, Ticket)>) {
        if !jobs.is_empty() {
            self.outbox.push(async move { Ok(cancel(jobs).await) });
        }
    }
}

impl JobDesk {
    /// Has everything written that was recorded.
    pub fn commit(&mut self, work: &mut Work) {
        let commit = self.take_commit(work);
        if commit.is_empty() {
            return;
        }
        self.errands
            .outbox
            .push(async move { Ok(Written::Committed { owed: commit.write().await?, left: Vec::new() }) });
    }

    /// What was recorded, for a step that writes it before it does something else.
    pub fn take_commit(&mut self, work: &mut Work) -> Commit {
        let counts = work
            .attempts
            .ended
            .iter()
            .filter(|(ticket, cost)| cost.is_some() && self.money.is_on_credit(*ticket));
        let address = |ticket: Ticket| self.ports.swarm.as_ref()?.address(ticket);
        let owed: Vec<(Ticket, Address)> =
            counts.filter_map(|(ticket, _)| Some((*ticket, address(*ticket)?))).collect();
        let debts = self.money.begin_to_owe(owed).map(|(events, debts)| {
            for event in events {
                work.journal.emit(event);
            }
            debts
        });
        Commit { debts, records: work.journal.take() }
    }

    /// Lets jobs go, once the trace knows of them.
    pub fn leave(&mut self, work: &mut Work, jobs: Vec<Dispatch>) {
        let mut leaving = Vec::with_capacity(jobs.len());
        for Dispatch { ticket, provider, prompt, price, shown, due, .. } in jobs {
            let Some(venue) = self.ports.venue(&provider) else { continue };
            let now = work.now;
            let due = due.unwrap_or_else(|| work.scheduler.leaves(ticket.subtask, ticket.attempt, now));
            if let Some(sent) = work.attempts.sent.get_mut(&ticket) {
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
            leaving.push((venue, job, due));
        }
        self.send(work, leaving);
    }

    /// Sends jobs once the journal knows of them and of their pay.
    pub fn send(&mut self, work: &mut Work, jobs: Vec<(Arc<dyn Swarm>, OutgoingJob, Duration)>) {
        if jobs.is_empty() {
            return;
        }
        let (commit, began) = (self.take_commit(work), self.began);
        self.errands.outbox.push(async move {
            let owed = commit.write().await?;
            let mut left = Vec::with_capacity(jobs.len());
            for (venue, mut job, due) in jobs {
                left.push(job.ticket);
                job.expires_in_secs = secs_until(due, began.elapsed());
                venue.submit(job).await;
            }
            Ok(Written::Committed { owed, left })
        });
    }

    /// No provider's time runs while a mint of ours is asked what its pay costs, or locks it, nor while its job waits for relays
    /// that take few events. All jobs have longer there.
    pub fn hold_clocks(&mut self, work: &mut Work, now: Duration) {
        let waiting: Vec<Ticket> =
            work.attempts.departures.timed().chain(self.errands.mints.pricing()).collect();
        for ticket in waiting {
            work.scheduler.leaves(ticket.subtask, ticket.attempt, now);
        }
        let Some(swarm) = self.ports.swarm.clone() else { return };
        work.scheduler.set_attempt_timeout(work.setup.policy.timeout.per_query, swarm.trip());
        for ticket in swarm.waiting() {
            let due = work.scheduler.leaves(ticket.subtask, ticket.attempt, now);
            if let Some(sent) = work.attempts.sent.get_mut(&ticket) {
                (sent.at, sent.due) = (now, due);
            }
        }
    }

    /// A mint has locked the pay of its jobs, or has not.
    pub fn on_locked(&mut self, engine: &mut Engine, made: DoneAtMint) {
        let (mut leaving, mut unwanted) = (Vec::new(), Vec::new());
        let (told, abandoned) = self.money.take_locks(made);
        self.money.write_abandoned(abandoned, &mut self.errands.outbox);
        for (ticket, failed) in told {
            let Some(job) = engine.work.attempts.departures.unlocked.remove(&ticket) else { continue };
            let is_wanted = engine.work.attempts.sent.contains_key(&ticket);
            match failed {
                Some(reason) if is_wanted => {
                    engine.attempt_failed(ticket, AttemptFailure::Unpaid, &reason);
                }
                Some(_) => engine.work.attempts.ended.push((ticket, None)),
                None => {
                    if !is_wanted {
                        unwanted.push((ticket, job.provider.clone()));
                    }
                    leaving.push(job);
                }
            }
        }
        leaving.sort_unstable_by_key(|job: &Dispatch| (job.ticket.subtask, job.ticket.attempt));
        self.leave(&mut engine.work, leaving);
        // Its provider alone can give such pay back before its locktime, so that it has to hear of it.
        let mut unheard = Vec::new();
        for (ticket, provider) in unwanted {
            engine.work.attempts.ended.push((ticket, None));
            unheard.extend(self.ports.venue(&provider).map(|venue| (venue, ticket)));
        }
        self.errands.cancel_leaving(unheard);
    }

    /// What has left is called off at once, however slow a disk is; what is being reserved never leaves.
    pub fn cancel_at_once(&mut self, engine: &mut Engine) {
        engine.work.attempts.departures.reserving.clear();
        engine.work.attempts.departures.priced.clear();
        let sent = std::mem::take(&mut engine.work.attempts.sent);
        let may_go = |ticket: Ticket| {
            !engine.answers.validation.is_validation(ticket) && !engine.answers.validation.holds(ticket)
        };
        let (left, leaving) = sent.into_iter().partition(|(ticket, sent)| sent.has_left && may_go(*ticket));
        self.cancel_all(left);
        engine.work.attempts.sent = leaving;
    }

    pub fn cancel_all(&mut self, jobs: HashMap<Ticket, Sent>) {
        for ticket in jobs.keys() {
            self.money.before.cancelled(*ticket);
        }
        self.errands.cancel(&self.ports, jobs);
    }
}

async fn cancel(jobs: Vec<(Arc<dyn Swarm>, Ticket)>) -> Written {
    for (venue, ticket) in jobs {
        venue.cancel(ticket).await;
    }
    Written::Nothing
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
