//! What providers say of their pay, and what becomes of it: what they ask for before they work, the token that some of them are
//! given, and the words that tell what was released.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use frlm_protocol::{FeedbackStatus, RefusalReason, Settlement};
use frlm_scheduler::AttemptFailure;
use frlm_wallet::Msats;

use super::commit::Written;
use super::desks::JobDesk;
use super::engine::Engine;
use super::money::{Finished, Moved, Notice, Paid};
use super::pay_before::{Demand, Given, Handover, PayOutcome};
use super::work::Work;
use crate::swarm::{OutgoingJob, Swarm, Ticket};
use crate::trace::{RunStage, TraceEvent};

/// The longest time for which a provider gets no job because it asked for that.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// A provider's token that is written down as given, and the job that it goes with.
pub(in crate::run) struct Handed {
    given: Given,
    handover: Handover,
    venue: Arc<dyn Swarm>,
    job: OutgoingJob,
}

impl JobDesk {
    /// A provider says something of a job other than its result.
    pub fn on_feedback(
        &mut self,
        engine: &mut Engine,
        ticket: Ticket,
        (status, reason, retry_after_secs): (FeedbackStatus, Option<RefusalReason>, Option<u32>),
        detail: Option<String>,
    ) {
        if !engine.work.attempts.sent.contains_key(&ticket) {
            return;
        }
        let wait = retry_after_secs.map(|secs| spread(secs, &engine.work.setup.id, ticket));
        let failure = failure_by(status, reason, wait).map(|failure| {
            // It takes the job if that is paid for in another way.
            let otherwise = self.price_refused(&mut engine.work, ticket, reason);
            if otherwise { AttemptFailure::Busy } else { failure }
        });
        match failure {
            Some(failure) => {
                let words = detail.unwrap_or_else(|| format!("{status:?}"));
                let provider = engine.work.attempts.sent.get(&ticket).map(|sent| sent.provider.id.clone());
                engine.attempt_failed(ticket, failure, &words);
                let provider = provider.filter(|_| failure == AttemptFailure::Failed);
                if let Some(provider) =
                    provider.filter(|provider| engine.work.providers.heard.fails_always(provider))
                {
                    engine.work.leave_out(&provider, "gives up every job that it is sent", &words);
                }
            }
            None => engine.work.attempts.note_feedback(&mut engine.work.journal, ticket, status, detail),
        }
    }

    /// Whether a provider refuses an attempt because it lets nothing more be owed, or gives nothing more away: it may have another
    /// one, with its price locked or paid.
    pub fn price_refused(&mut self, work: &mut Work, ticket: Ticket, reason: Option<RefusalReason>) -> bool {
        if reason != Some(RefusalReason::BidTooLow) {
            return false;
        }
        let (provider, is_news, why) = if let Some((provider, is_news)) = self.money.close_debt(ticket) {
            if is_news {
                work.providers.credit_line_shrinks(&mut work.scheduler, &provider, u32::MAX);
            }
            (provider, is_news, "lets nothing more be owed: from now on its price is locked before")
        } else if let Some((provider, is_news)) = self.money.free_jobs.refused(ticket) {
            (provider, is_news, "gives nothing more away: from now on its price is paid")
        } else {
            return false;
        };
        if is_news {
            work.journal.notice(RunStage::Dispatch, &format!("{provider} {why}"));
        }
        true
    }

    pub fn on_demand(&mut self, engine: &mut Engine, ticket: Ticket, stated: Option<Msats>, invoice: String) {
        let Some(sent) = engine.work.attempts.sent.get(&ticket) else { return };
        let Some(bid) = sent.provider.flat_price else { return };
        let demand = Demand { ticket, provider: sent.provider.id.clone(), bid, stated, invoice };
        engine.work.attempts.note_feedback(
            &mut engine.work.journal,
            ticket,
            FeedbackStatus::PaymentRequired,
            None,
        );
        if let Err(reason) = self.money.demand(demand) {
            engine.attempt_failed(ticket, AttemptFailure::Failed, &reason);
        }
    }

    /// A payment before work has ended, one way or the other; the token that is to be given to its provider, if it is
    /// paid by one.
    pub fn on_paid_before(&mut self, engine: &mut Engine, paid: Paid) -> Option<Handover> {
        let Paid { ticket, provider, amount, outcome } = paid;
        match outcome {
            PayOutcome::Paid { sats, fees } => {
                self.money.note_unescrowed(
                    &mut engine.work.journal,
                    (ticket, &provider),
                    amount,
                    (sats, fees),
                );
            }
            PayOutcome::Made { sats, fees, token } => {
                return Some(Handover { ticket, provider, amount, sats, fees, token });
            }
            PayOutcome::Unpaid(reason) => {
                // A provider that is refused once would be refused again: the others get its work.
                engine.work.leave_out(&provider, "is not paid", &reason);
                engine.attempt_failed(ticket, AttemptFailure::Failed, &reason);
            }
            // It may have its pay, and may answer.
            PayOutcome::Unclear(reason) => {
                let reason =
                    format!("{provider} may have been paid, unescrowed; it counts as spent: {reason}");
                engine.work.journal.notice(RunStage::Dispatch, &reason);
            }
        }
        None
    }

    /// Begins to send the job of a provider that is paid by token once more, with the token. Whose attempt is over is not given
    /// it: it stays here, among the wallet's tokens that nobody has taken.
    pub fn give_token(&mut self, work: &mut Work, handover: Handover) {
        let ticket = handover.ticket;
        let now = work.now;
        let Some((venue, job)) = work.attempts.with_token(&self.ports, ticket, &handover.token, now) else {
            self.money.before.kept_back(ticket);
            return;
        };
        let giving = self.money.before.begin_to_give(self.money.rail.as_ref(), ticket);
        let Some(giving) = giving else { return };
        self.errands.outbox.push(async move {
            let given = giving.write().await?;
            Ok(Written::Handed(Handed { given, handover, venue, job }))
        });
    }

    /// It is written down that a provider has its token, or that it stays here.
    pub fn on_handed(&mut self, engine: &mut Engine, handed: Handed) {
        let Handed { given, handover, venue, job } = handed;
        let Handover { ticket, provider, amount, sats, fees, .. } = handover;
        if !self.money.before.given(given) {
            let reason = "its token could not be given to it and stays here: frlm wallet tokens --take-back";
            engine.attempt_failed(ticket, AttemptFailure::Failed, reason);
            return;
        }
        self.money.note_unescrowed(&mut engine.work.journal, (ticket, &provider), amount, (sats, fees));
        let now = engine.work.now;
        // It begins to work now, however long its token took. It has its pay even if its attempt has ended meanwhile.
        let mut due = now;
        if let Some(sent) = engine.work.attempts.sent.get_mut(&ticket) {
            due = engine.work.scheduler.leaves(ticket.subtask, ticket.attempt, now);
            sent.due = due;
        }
        self.send(&mut engine.work, vec![(venue, job, due)]);
    }

    /// The end of reservations is written.
    pub fn on_finished(&mut self, engine: &mut Engine, finished: Finished) {
        let Moved { events, notices, declined } = self.money.finished(finished, &mut self.errands.mints);
        for provider in declined {
            engine.work.providers.credit_line_shrinks(&mut engine.work.scheduler, &provider, 1);
        }
        self.note_settled(engine, events);
        self.tell_of_pay(&mut engine.work, notices);
    }

    /// Records what attempts have cost.
    pub fn note_settled(&mut self, engine: &mut Engine, events: Vec<TraceEvent>) {
        for event in &events {
            if let TraceEvent::BudgetSettle { spent_sats, subtask, .. } = event {
                engine.work.gauge.spent(*spent_sats);
                engine.answers.claims.kept.spent(*subtask, *spent_sats);
            }
        }
        self.money.note_refunds(&mut engine.work.journal, events);
    }

    /// Tells providers what becomes of their pay.
    pub fn tell_of_pay(&mut self, work: &mut Work, notices: Vec<Notice>) {
        let mut said = Vec::with_capacity(notices.len());
        for Notice { ticket, provider, settlement } in notices {
            if matches!(settlement, Settlement::Released(_) | Settlement::Paid { .. })
                && let Some((index, capacity)) = work.providers.peers.released(&provider)
            {
                work.scheduler.providers.change_capacity(index, capacity);
            }
            said.push((ticket, settlement));
        }
        let Some(swarm) = self.ports.swarm.clone().filter(|_| !said.is_empty()) else { return };
        self.errands.outbox.do_now(async move {
            for (ticket, settlement) in said {
                swarm.settle(ticket, settlement).await;
            }
            Written::Nothing
        });
    }
}

/// How long a provider is left alone that said for how long: not all who were told the same come back at once. No word of a
/// stranger holds a run for more than a minute.
fn spread(secs: u32, run: &str, ticket: Ticket) -> Duration {
    let mut hasher = DefaultHasher::new();
    (run, ticket).hash(&mut hasher);
    let later = hasher.finish() % 500;
    Duration::from_secs(u64::from(secs)).min(LONGEST_WAIT).mul_f64(1.0 + later as f64 / 1_000.0)
}

/// What a provider's word means for the attempt; `None`: it is still at work. `wait`: it says when to come back.
fn failure_by(
    status: FeedbackStatus,
    reason: Option<RefusalReason>,
    wait: Option<Duration>,
) -> Option<AttemptFailure> {
    match (status, reason) {
        (FeedbackStatus::Error, Some(RefusalReason::Busy | RefusalReason::RateLimited)) => {
            Some(wait.map_or(AttemptFailure::Busy, AttemptFailure::BusyFor))
        }
        // It is what waits before it that makes it late, and nothing about the job.
        (FeedbackStatus::Error, Some(RefusalReason::TooLate)) => {
            Some(wait.map_or(AttemptFailure::TooLate, AttemptFailure::BusyFor))
        }
        (FeedbackStatus::Error | FeedbackStatus::PaymentRequired | FeedbackStatus::Cancelled, _) => {
            Some(AttemptFailure::Failed)
        }
        (FeedbackStatus::Processing | FeedbackStatus::Partial | FeedbackStatus::Success, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_declined_as_too_late_is_lost_to_time_and_a_full_one_is_retried() {
        let error = |reason| failure_by(FeedbackStatus::Error, reason, None);
        assert_eq!(error(Some(RefusalReason::TooLate)), Some(AttemptFailure::TooLate));
        assert_eq!(error(Some(RefusalReason::Busy)), Some(AttemptFailure::Busy));
        assert_eq!(error(Some(RefusalReason::EngineFailed)), Some(AttemptFailure::Failed));
        assert_eq!(error(None), Some(AttemptFailure::Failed));
        assert_eq!(failure_by(FeedbackStatus::Processing, None, None), None);
        let wait = Duration::from_secs(7);
        for reason in [RefusalReason::Busy, RefusalReason::RateLimited, RefusalReason::TooLate] {
            let told = failure_by(FeedbackStatus::Error, Some(reason), Some(wait));
            assert_eq!(told, Some(AttemptFailure::BusyFor(wait)));
        }
        let unfit = failure_by(FeedbackStatus::Error, Some(RefusalReason::TooLarge), Some(wait));
        assert_eq!(unfit, Some(AttemptFailure::Failed));
    }

    #[test]
    fn providers_told_the_same_delay_return_one_by_one_within_a_bound() {
        let waits: std::collections::BTreeSet<Duration> =
            (0..100).map(|subtask| spread(10, "run", Ticket::at(subtask, 0))).collect();
        assert!(waits.len() > 50);
        let within = Duration::from_secs(10)..=Duration::from_secs(15);
        assert!(waits.iter().all(|wait| within.contains(wait)));
        assert!(spread(u32::MAX, "run", Ticket::at(0, 0)) <= LONGEST_WAIT * 2);
    }
}
