//! The end of reservations: paid, refunded, or left to their locktime.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use frlm_protocol::{RefusalReason, Settlement};
use tokio::time::Instant;

use super::RunError;
use super::attempts::Sent;
use super::commit::Written;
use super::driver::Run;
use super::money::{Errand, Finished, Moved, Notice};
use crate::swarm::{SwarmEvent, Ticket};
use crate::trace::TraceEvent;

/// How long a run that is over waits for mints that lock the pay of its last jobs: what is locked by then is refunded at once,
/// the rest after its locktime.
const LAST_LOCKS: Duration = Duration::from_secs(2);
/// How long it waits for mints that pay its debts: what is not paid by then is paid at a later check.
const LAST_PAY: Duration = Duration::from_secs(20);
/// How long it waits for any mint once it was stopped.
const WHEN_STOPPED: Duration = Duration::from_secs(2);
/// How long it waits until the next provider returns a lock.
const RETURN_TIMEOUT: Duration = Duration::from_secs(2);
/// How long it waits for a mint that refunds what was returned.
const LAST_RETURN: Duration = Duration::from_secs(20);

impl Run {
    /// The end of reservations is written.
    pub(super) fn on_finished(&mut self, finished: Finished) {
        let Moved { events, notices, declined } = self.money.finished(finished, &mut self.errands.mints);
        for provider in declined {
            self.providers.credit_line_shrinks(&mut self.scheduler, &provider, 1);
        }
        self.note_settled(events);
        self.tell_of_pay(notices);
    }

    /// Records what attempts have cost.
    pub(super) fn note_settled(&mut self, events: Vec<TraceEvent>) {
        for event in &events {
            if let TraceEvent::BudgetSettle { spent_sats, subtask, .. } = event {
                self.decisions.gauge.spent(*spent_sats);
                self.answers.claims.kept.spent(*subtask, *spent_sats);
            }
        }
        self.money.note_refunds(&mut self.journal, events);
    }

    /// Tells providers what becomes of their pay.
    pub(super) fn tell_of_pay(&mut self, notices: Vec<Notice>) {
        let mut said = Vec::with_capacity(notices.len());
        for Notice { ticket, provider, settlement } in notices {
            if matches!(settlement, Settlement::Released(_) | Settlement::Paid { .. })
                && let Some((index, capacity)) = self.providers.peers.released(&provider)
            {
                self.scheduler.providers.change_capacity(index, capacity);
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

    /// Whether a provider refuses an attempt because it lets nothing more be owed, or gives nothing more away: it may have another
    /// one, with its price locked or paid.
    pub(super) fn price_refused(&mut self, ticket: Ticket, reason: Option<RefusalReason>) -> bool {
        if reason != Some(RefusalReason::BidTooLow) {
            return false;
        }
        let (provider, is_news, why) = if let Some((provider, is_news)) = self.money.close_debt(ticket) {
            if is_news {
                self.providers.credit_line_shrinks(&mut self.scheduler, &provider, u32::MAX);
            }
            (provider, is_news, "lets nothing more be owed: from now on its price is locked before")
        } else if let Some((provider, is_news)) = self.money.free_jobs.refused(ticket) {
            (provider, is_news, "gives nothing more away: from now on its price is paid")
        } else {
            return false;
        };
        if is_news {
            self.journal.decide("dispatch", "retry", &format!("{provider} {why}"));
        }
        true
    }

    /// Gives mints a moment for the locks of a run that is over; jobs whose cost is still asked for never leave.
    async fn await_locks(&mut self) -> Result<(), RunError> {
        self.errands.mints.give_up(Errand::Price);
        self.errands.mints.give_up(Errand::Fee);
        let locked = self.await_mints(Errand::Lock, LAST_LOCKS).await;
        self.money.give_up_locks(&mut self.errands.mints);
        self.attempts.departures.unlocked.clear();
        locked.and(self.drain().await)
    }

    /// Waits for mints, as long as the run is not stopped; once it is, for a moment.
    async fn await_mints(&mut self, errand: Errand, timeout: Duration) -> Result<(), RunError> {
        let stop = self.learner.stop.clone();
        let mut is_stopped = false;
        let mut until = Instant::now() + timeout;
        while self.errands.mints.are_at(errand) {
            tokio::select! {
                () = tokio::time::sleep_until(until) => break,
                () = stop.cancelled(), if !is_stopped => {
                    is_stopped = true;
                    until = until.min(Instant::now() + WHEN_STOPPED);
                }
                Some(done) = self.errands.mints.next() => self.on_done_by_mint(done),
            }
        }
        self.drain().await
    }

    /// Gives providers a moment to return what they did not earn, and relays one to take the words that pay: the rest is refunded
    /// after its locktime, or is said by a later look, and nobody waits for that. Where a run ends by itself, each word that comes
    /// gives the next one as long.
    async fn await_returns(&mut self) -> Result<(), RunError> {
        let stop = self.learner.stop.clone();
        let mut until = Instant::now() + RETURN_TIMEOUT;
        loop {
            // What was returned before its attempt was over, too.
            self.money.begin_to_reclaim(&mut self.errands.mints);
            self.money.settle_acknowledged(&mut self.errands.outbox);
            self.drain().await?;
            if !self.money.returns.any_awaited() && !self.money.after.is_telling() {
                return Ok(());
            }
            tokio::select! {
                () = tokio::time::sleep_until(until) => break,
                Some(done) = self.errands.mints.next() => self.on_done_by_mint(done),
                event = self.ports.events.recv() => match event {
                    Some(SwarmEvent::Returned { ticket, payload }) => self.money.on_returned(ticket, payload),
                    Some(SwarmEvent::Told { ticket }) => self.money.after.on_told(ticket),
                    Some(_) => continue,
                    None => return Ok(()),
                },
            }
            if !stop.is_cancelled() {
                until = Instant::now() + RETURN_TIMEOUT;
            }
        }
        if stop.is_cancelled() {
            return Ok(());
        }
        // Providers have done their part.
        self.await_mints(Errand::Reclaim, LAST_RETURN).await
    }

    /// Takes back what is out and ends every reservation, whatever happened before.
    pub(super) async fn shutdown(&mut self) -> Result<(), RunError> {
        self.cancel_at_once();
        let written = self.drain().await;
        // A payment that has begun is not abandoned half-way.
        while let Some(paid) = self.money.paid_before().await? {
            // Nobody waits for an answer any more: a token stays here.
            if let Some(handover) = self.on_paid_before(paid) {
                self.money.before.kept_back(handover.ticket);
            }
        }
        let locked = self.await_locks().await;
        for answer in self.answers.validation.held() {
            self.end_without_verdict(answer, "the run was over before it came");
        }
        let leaving = std::mem::take(&mut self.attempts.sent);
        self.cancel_all(leaving);
        let listed: HashSet<Ticket> = self.attempts.ended.iter().map(|(ticket, _)| *ticket).collect();
        let open = self.money.open_tickets().into_iter().filter(|ticket| !listed.contains(ticket));
        self.attempts.ended.extend(open.map(|ticket| (ticket, None)));
        self.commit();
        // What cannot be recorded is settled all the same.
        let recorded = self.drain().await;
        self.money.end(&mut self.attempts, &mut self.errands.outbox);
        let ended = self.drain().await;
        let paid = self.await_mints(Errand::Pay, LAST_PAY).await;
        self.money.settle_acknowledged(&mut self.errands.outbox);
        let told = self.drain().await;
        // Behind the words that pay, and while those are awaited.
        let told_by = self.answers.verdicts.tell_last_verdicts(&self.ports);
        let returned = self.await_returns().await;
        self.answers.verdicts.await_verdicts(told_by).await;
        written.and(locked).and(recorded).and(ended).and(paid).and(told).and(returned)
    }

    /// What has left is called off at once, however slow a disk is; what is being reserved never leaves.
    fn cancel_at_once(&mut self) {
        self.attempts.departures.reserving.clear();
        self.attempts.departures.priced.clear();
        let sent = std::mem::take(&mut self.attempts.sent);
        let may_go = |ticket: Ticket| {
            !self.answers.validation.is_validation(ticket) && !self.answers.validation.holds(ticket)
        };
        let (left, leaving) = sent.into_iter().partition(|(ticket, sent)| sent.has_left && may_go(*ticket));
        self.cancel_all(left);
        self.attempts.sent = leaving;
    }

    fn cancel_all(&mut self, jobs: HashMap<Ticket, Sent>) {
        for ticket in jobs.keys() {
            self.money.cancelled(*ticket);
        }
        self.errands.cancel(&self.ports, jobs);
    }
}
