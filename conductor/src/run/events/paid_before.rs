//! Providers that want their pay before they work: what they ask for, and the token that some of them are given.

use std::sync::Arc;

use frlm_protocol::FeedbackStatus;
use frlm_wallet::Msats;

use crate::run::commit::Written;
use crate::run::driver::Run;
use crate::run::money::Paid;
use crate::run::pay_before::{Demand, Given, Handover, PayOutcome};
use crate::scheduler::{AttemptFailure, AttemptId, SubtaskId};
use crate::swarm::{OutgoingJob, ProviderId, Swarm, Ticket};

/// A provider's token that is written down as given, and the job that it goes with.
pub(in crate::run) struct Handed {
    given: Given,
    handover: Handover,
    venue: Arc<dyn Swarm>,
    job: OutgoingJob,
}

impl std::fmt::Debug for Handed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Handed").field("given", &self.given).finish_non_exhaustive()
    }
}

impl Run {
    pub(super) fn on_demand(&mut self, ticket: Ticket, stated: Option<Msats>, invoice: String) {
        let Some(sent) = self.attempts.sent.get(&ticket) else { return };
        let Some(bid) = sent.provider.flat_price else { return };
        let demand = Demand { ticket, provider: sent.provider.id.clone(), bid, stated, invoice };
        self.attempts.note_feedback(&mut self.journal, ticket, FeedbackStatus::PaymentRequired, None);
        if let Err(reason) = self.money.demand(demand) {
            self.attempt_failed(ticket, AttemptFailure::Failed, &reason);
        }
    }

    /// A payment before work has ended, one way or the other; the token that is to be given to its provider, if it is
    /// paid by one.
    pub(in crate::run) fn on_paid_before(&mut self, paid: Paid) -> Option<Handover> {
        let Paid { ticket, provider, amount, outcome } = paid;
        match outcome {
            PayOutcome::Paid { sats, fees } => {
                self.money.note_unescrowed(&mut self.journal, (ticket, &provider), amount, (sats, fees));
            }
            PayOutcome::Made { sats, fees, token } => {
                return Some(Handover { ticket, provider, amount, sats, fees, token });
            }
            PayOutcome::Unpaid(reason) => {
                // A provider that is refused once would be refused again: the others get its work.
                self.leave_out(&provider, "is not paid", &reason);
                self.attempt_failed(ticket, AttemptFailure::Failed, &reason);
            }
            // It may have its pay, and may answer.
            PayOutcome::Unclear(reason) => {
                let reason =
                    format!("{provider} may have been paid, unescrowed; it counts as spent: {reason}");
                self.journal.decide("dispatch", "escalate", &reason);
            }
        }
        None
    }

    /// Begins to send the job of a provider that is paid by token once more, with the token. Whose attempt is over is not given
    /// it: it stays here, among the wallet's tokens that nobody has taken.
    pub(in crate::run) fn give_token(&mut self, handover: Handover) {
        let ticket = handover.ticket;
        let now = self.began.elapsed();
        let Some((venue, job)) = self.attempts.with_token(&self.ports, ticket, &handover.token, now) else {
            self.money.before.kept_back(ticket);
            return;
        };
        let Some(giving) = self.money.begin_to_give(ticket) else { return };
        self.errands.outbox.push(async move {
            let given = giving.write().await?;
            Ok(Written::Handed(Handed { given, handover, venue, job }))
        });
    }

    /// It is written down that a provider has its token, or that it stays here.
    pub(in crate::run) fn on_handed(&mut self, handed: Handed) {
        let Handed { given, handover, venue, job } = handed;
        let Handover { ticket, provider, amount, sats, fees, .. } = handover;
        if !self.money.before.given(given) {
            let reason = "its token could not be given to it and stays here: frlm wallet tokens --take-back";
            self.attempt_failed(ticket, AttemptFailure::Failed, reason);
            return;
        }
        self.money.note_unescrowed(&mut self.journal, (ticket, &provider), amount, (sats, fees));
        let now = self.began.elapsed();
        // It begins to work now, however long its token took. It has its pay even if its attempt has ended meanwhile.
        let mut due = now;
        if let Some(sent) = self.attempts.sent.get_mut(&ticket) {
            due = self.scheduler.leaves(SubtaskId(ticket.subtask), AttemptId(ticket.attempt), now);
            sent.due = due;
        }
        self.send(vec![(venue, job, due)]);
    }

    /// Asks a provider for nothing more in this run: what it does or is not given, and why.
    pub(in crate::run) fn leave_out(&mut self, provider: &ProviderId, what: &str, why: &str) {
        if self.providers.peers.index(provider).is_none() {
            // A validator does none of the work that others are asked for.
            return;
        }
        self.providers.exclude(&mut self.scheduler, provider, self.began.elapsed());
        self.journal.decide("dispatch", "retry", &format!("{provider} {what} and is excluded: {why}"));
    }
}
