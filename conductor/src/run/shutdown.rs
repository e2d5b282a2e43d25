//! The end of reservations: paid, given back, or left to their locktime.

use std::time::Duration;

use frlm_protocol::{RefusalReason, Settlement};
use frlm_wallet::Sats;
use tokio::time::Instant;

use super::RunError;
use super::driver::Run;
use super::money::{Errand, Moved, Notice};
use crate::swarm::{Address, ProviderId, SwarmEvent, Ticket};
use crate::trace::TraceEvent;

/// How long a run that is over waits for mints that lock the pay of its last jobs: what is locked by then is given back at once,
/// the rest after its locktime.
const LAST_LOCKS: Duration = Duration::from_secs(2);
/// How long it waits for mints that pay what it owes: what is not paid by then is paid by a later look.
const LAST_PAY: Duration = Duration::from_secs(20);
/// The same where somebody has stopped it.
const LAST_PAY_WHEN_STOPPED: Duration = Duration::from_secs(2);
/// How long it waits for the next word of its providers that they give pay back.
const RETURN_TIMEOUT: Duration = Duration::from_secs(2);
/// How long it waits for a mint that refunds what was returned.
const LAST_RETURN: Duration = Duration::from_secs(20);

impl Run {
    /// Ends reservations and tells the providers what becomes of their pay.
    pub(super) async fn end_money(&mut self, ended: Vec<(Ticket, Option<Sats>)>) -> Result<(), RunError> {
        // What is being locked ends once it is known whether it is.
        let unlocked = &self.unlocked;
        let ended = ended.into_iter().filter(|(ticket, _)| !unlocked.contains_key(ticket)).collect();
        let Moved { events, notices, declined } = self.money.end(ended, &mut self.mints).await?;
        for provider in declined {
            self.credit_line_shrinks(&provider, 1);
        }
        for event in events {
            if let TraceEvent::BudgetSettle { spent_sats, subtask, .. } = &event {
                self.desk.gauge.spent(*spent_sats);
                self.claims.kept.spent(*subtask, *spent_sats);
            }
            self.journal.emit(event);
        }
        self.tell_of_pay(notices).await;
        Ok(())
    }

    /// Tells providers what becomes of their pay.
    pub(super) async fn tell_of_pay(&mut self, notices: Vec<Notice>) {
        for Notice { ticket, provider, settlement } in notices {
            if matches!(settlement, Settlement::Released(_) | Settlement::Paid { .. })
                && let Some((index, capacity)) = self.peers.released(&provider)
            {
                self.scheduler.change_capacity(index, capacity);
            }
            if let Some(swarm) = &self.swarm {
                swarm.settle(ticket, settlement).await;
            }
        }
    }

    /// Writes down what is owed for work that counts, before the journal says that it counts.
    pub(super) async fn record_debts(&mut self) -> Result<(), RunError> {
        let Some(swarm) = &self.swarm else { return Ok(()) };
        let counts =
            self.ended.iter().filter(|(ticket, cost)| cost.is_some() && self.money.is_on_credit(*ticket));
        let owed: Vec<(Ticket, Address)> =
            counts.filter_map(|(ticket, _)| Some((*ticket, swarm.address(*ticket)?))).collect();
        if owed.is_empty() {
            return Ok(());
        }
        for event in self.money.record_debts(owed).await? {
            self.journal.emit(event);
        }
        Ok(())
    }

    /// Settles what providers were told of.
    pub(super) async fn settle_acknowledged(&mut self) -> Result<(), RunError> {
        for event in self.money.settle_acknowledged().await? {
            if let TraceEvent::BudgetSettle { spent_sats, subtask, .. } = &event {
                self.desk.gauge.spent(*spent_sats);
                self.claims.kept.spent(*subtask, *spent_sats);
            }
            self.journal.emit(event);
        }
        Ok(())
    }

    /// Whether a provider refuses an attempt because it lets nothing more be owed: it may have another
    /// one, with its price locked.
    pub(super) fn credit_refused(&mut self, ticket: Ticket, reason: Option<RefusalReason>) -> bool {
        if reason != Some(RefusalReason::BidTooLow) {
            return false;
        }
        let Some((provider, news)) = self.money.close_debt(ticket) else { return false };
        if news {
            self.credit_line_shrinks(&provider, u32::MAX);
            let why = format!("{provider} lets nothing more be owed: from now on its price is locked before");
            self.decide("dispatch", "retry", &why);
        }
        true
    }

    /// Whether a provider refuses an attempt because it gives nothing more away: it may have another one, paid.
    pub(super) fn free_job_refused(&mut self, ticket: Ticket, reason: Option<RefusalReason>) -> bool {
        if reason != Some(RefusalReason::BidTooLow) {
            return false;
        }
        let Some((provider, news)) = self.money.free_jobs.refused(ticket) else { return false };
        if news {
            let why = format!("{provider} gives nothing more away: from now on its price is paid");
            self.decide("dispatch", "retry", &why);
        }
        true
    }

    /// A provider lets so much less be owed: it takes fewer unjudged jobs.
    fn credit_line_shrinks(&mut self, provider: &ProviderId, by: u32) {
        if let Some((index, capacity)) = self.peers.credit_line_shrinks(provider, by) {
            self.scheduler.change_capacity(index, capacity);
        }
    }

    /// Gives mints a moment for the locks of a run that is over; jobs whose cost is still asked for never leave.
    async fn await_locks(&mut self) -> Result<(), RunError> {
        self.mints.give_up(Errand::Price);
        self.await_mints(Errand::Lock, LAST_LOCKS).await?;
        self.money.give_up_locks(&mut self.mints);
        self.unlocked.clear();
        Ok(())
    }

    /// Gives mints time for what the run owes.
    async fn await_pay(&mut self) -> Result<(), RunError> {
        let is_stopped = self.learner.stop.is_cancelled();
        self.await_mints(Errand::Pay, if is_stopped { LAST_PAY_WHEN_STOPPED } else { LAST_PAY }).await
    }

    async fn await_mints(&mut self, errand: Errand, timeout: Duration) -> Result<(), RunError> {
        let until = Instant::now() + timeout;
        while self.mints.are_at(errand)
            && let Ok(Some(done)) = tokio::time::timeout_at(until, self.mints.next()).await
        {
            self.on_done_by_mint(done).await?;
        }
        Ok(())
    }

    /// Gives providers a moment to return what they did not earn, and relays one to take the words that pay: the rest is refunded
    /// after its locktime, or is said by a later look, and nobody waits for that. Where a run ends by itself, each word that comes
    /// gives the next one as long.
    async fn await_returns(&mut self) -> Result<(), RunError> {
        let is_stopped = self.learner.stop.is_cancelled();
        let mut until = Instant::now() + RETURN_TIMEOUT;
        loop {
            // What was returned before its attempt was over, too.
            self.money.begin_to_reclaim(&mut self.mints);
            self.settle_acknowledged().await?;
            if !self.money.awaits_returns() && !self.money.is_telling() {
                return Ok(());
            }
            tokio::select! {
                () = tokio::time::sleep_until(until) => break,
                Some(done) = self.mints.next() => self.on_done_by_mint(done).await?,
                event = self.events.recv() => match event {
                    Some(SwarmEvent::Returned { ticket, payload }) => self.money.on_returned(ticket, payload),
                    Some(SwarmEvent::Told { ticket }) => self.money.on_told(ticket),
                    Some(_) => continue,
                    None => return Ok(()),
                },
            }
            if !is_stopped {
                until = Instant::now() + RETURN_TIMEOUT;
            }
        }
        if !is_stopped {
            // Providers have done their part.
            self.await_mints(Errand::Reclaim, LAST_RETURN).await?;
        }
        Ok(())
    }

    /// Takes back what is out and ends every reservation, whatever happened before.
    pub(super) async fn shutdown(&mut self) -> Result<(), RunError> {
        // A payment that has begun is not abandoned half-way.
        while let Some(paid) = self.money.paid_before().await? {
            // Nobody waits for an answer any more: a token stays here.
            if let Some(handover) = self.on_paid_before(paid) {
                self.money.before.kept_back(handover.ticket);
            }
        }
        self.await_locks().await?;
        self.end_validation();
        for (ticket, sent) in std::mem::take(&mut self.sent) {
            self.money.cancelled(ticket);
            if let Some(venue) = self.venue(&sent.provider) {
                venue.cancel(ticket).await;
            }
        }
        let mut ended = std::mem::take(&mut self.ended);
        let listed: Vec<Ticket> = ended.iter().map(|(ticket, _)| *ticket).collect();
        ended.extend(
            self.money
                .open_tickets()
                .into_iter()
                .filter(|ticket| !listed.contains(ticket))
                .map(|t| (t, None)),
        );
        self.ended = ended;
        self.record_debts().await?;
        let ended = std::mem::take(&mut self.ended);
        self.end_money(ended).await?;
        self.await_pay().await?;
        self.settle_acknowledged().await?;
        // Behind the words that pay, and while those are awaited.
        let told_by = self.tell_last_verdicts();
        let returned = self.await_returns().await;
        self.await_verdicts(told_by).await;
        returned
    }
}
