//! The loop that turns scheduler actions into jobs and swarm events into verdicts. It waits for no mint, model, relay or disk: what
//! they come to arrives like an event.

use std::time::Duration;

use frlm_learning::planning::performance::Phase;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::super::grow::notified;
use super::super::money::Left;
use super::super::{RunError, learner};
use super::Run;
use crate::scheduler::FailureReason;

/// How many swarm events are taken up before the next round of decisions.
const MOST_EVENTS_PER_ROUND: usize = 512;

impl Run {
    /// Plans, and finds those who are to answer; `false` where nobody is needed.
    async fn prepare(&mut self, stop: &CancellationToken) -> Result<bool, RunError> {
        if self.setup.by_code() {
            return Ok(false);
        }
        self.learner.watch.enter(Phase::Decomposition);
        learner::take_apart(&mut self.planning()).await?;
        if let Some(compound) = &self.setup.compound {
            let parts = compound.describe();
            self.journal.decide("plan", "proceed", &parts);
        }
        if self.setup.by_code() {
            return Ok(false);
        }
        if self.setup.plan.program().is_none() {
            self.setup.known.hold_to(self.setup.query.as_ref());
        }
        learner::choose_plan(&mut self.planning()).await;
        learner::choose_words(&mut self.planning()).await?;
        self.money.left = Left::of(self.money.ledger(), &self.setup.id).await?;
        self.grow_at_first(stop).await?;
        self.think(stop).await?;
        if self.subtasks.is_empty() && self.setup.plan.program().is_some_and(|program| program.ended) {
            // It asked nothing that takes anybody, and there is nothing to decide.
            return Ok(false);
        }
        self.commit();
        self.drain().await?;
        self.learner.watch.enter(Phase::Routing);
        self.money.before.agreed = self.setup.candidates.agreed_before;
        for foreign in std::mem::take(&mut self.setup.candidates.foreign) {
            self.on_provider(foreign, false);
        }
        self.discover(stop).await?;
        self.providers.trust.tell_trust(
            &self.setup,
            &self.providers.peers,
            &self.scheduler,
            &self.subtasks,
            &mut self.journal,
        );
        Ok(true)
    }

    /// Until nothing is open any more.
    pub(super) async fn drive(&mut self, stop: &CancellationToken) -> Result<(), RunError> {
        if !self.prepare(stop).await? {
            return Ok(());
        }
        self.learner.watch.enter(Phase::Waiting);
        let deadline = self.began + self.setup.policy.timeout.total;
        let mut inbox = Vec::new();
        let mut is_deaf = false;
        // Whether anything has happened since the last round that a round could do something about.
        let mut has_news = true;
        loop {
            let settled = has_news && self.round()?;
            has_news = true;
            // Whether everything is done is seen once nothing follows from what has come.
            if (settled || self.scheduler.entries.open() > 0)
                && let Some(stage) = self.stage_due()
                && let Some(decided) = self.decisions.put_up(
                    &self.setup,
                    &self.subtasks,
                    &mut self.journal,
                    &mut self.report,
                    stage,
                )?
            {
                if self.conclude(&decided)? {
                    return Ok(());
                }
                continue;
            }
            let open = self.scheduler.entries.open() > 0;
            let newcomers = self.setup.candidates.newcomers;
            let settling = self.answers.claims.next_settling(self.began.elapsed(), newcomers);
            let wakeups = [self.scheduler.next_wakeup(), self.answers.validation.next_wakeup(), settling];
            let next = wakeups.into_iter().flatten().min();
            let next = next.filter(|_| open);
            let woken = self.setup.plan.woken();
            let wakeup = next.map_or(deadline, |at| (self.began + at).min(deadline));
            tokio::select! {
                () = stop.cancelled() => return Err(RunError::Interrupted(self.setup.id.clone())),
                Some(decided) = self.decisions.decided() => {
                    if self.conclude(&decided)? {
                        return Ok(());
                    }
                }
                () = tokio::time::sleep_until(wakeup), if open || self.reviewing() => self.check_deadline(deadline)?,
                () = notified(woken), if self.setup.plan.is_thinking() => {}
                Some(command) = self.ports.commands.recv() => self.handle_command(command),
                Some(checked) = self.answers.checks.next() => self.on_checked(checked),
                Some(written) = self.errands.outbox.next() => {
                    let is_news = self.on_written(written?);
                    // Where nothing is open, the run may end once nothing is on its way any more.
                    has_news = is_news || !open && self.errands.outbox.is_empty();
                }
                Some(said) = self.learner.asking.said() => learner::on_simplicity(&mut self.planning(), said),
                paid = self.money.paid_before(), if self.money.before.is_paying() => {
                    if let Some(paid) = paid?
                        && let Some(handover) = self.on_paid_before(paid)
                    {
                        self.give_token(handover);
                    }
                }
                Some(done) = self.errands.mints.next() => self.on_done_by_mint(done),
                count = self.ports.events.recv_many(&mut inbox, MOST_EVENTS_PER_ROUND), if !is_deaf => {
                    if count == 0 {
                        is_deaf = true;
                        self.scheduler.give_up_all(FailureReason::NobodyLeft);
                    }
                    for event in inbox.drain(..) {
                        self.on_event(event);
                    }
                }
            }
        }
    }

    /// Gives up what is open if the run's time is up.
    fn check_deadline(&mut self, deadline: Instant) -> Result<(), RunError> {
        if Instant::now() < deadline {
            return Ok(());
        }
        if self.setup.plan.is_thinking() {
            return Err(RunError::out_of_time_to_think());
        }
        // What came in time and was not taken up yet counts.
        self.take_up_what_came();
        self.review_no_more();
        self.answers.checks.give_up_audits();
        if self.answers.checks.arbitrations.any_out() {
            self.arbitrate_no_more("the run's time is up");
        }
        self.scheduler.give_up_all(FailureReason::OutOfTime);
        Ok(())
    }

    /// Takes up what the swarm has said, without waiting for more.
    pub(in crate::run) fn take_up_what_came(&mut self) {
        for event in waiting(&mut self.ports.events) {
            self.on_event(event);
        }
    }

    /// Decides where as many subtasks go as there is room for; `true` if there were any.
    fn route_waiting(&mut self, now: Duration) -> bool {
        let left = self.money.left.available();
        self.routing(now).is_some_and(|(desk, mut at)| desk.route(&mut at, left))
    }

    /// One round: hand out work, have what ended settled and what was recorded written, grow the plan. It waits for nothing.
    /// Returns `false` if new events arrived, or if something is on its way that may change what the run comes to. The caller
    /// must then return to `select!`, so that a steady stream of events does not starve cancellation, the deadline, checks and
    /// payments.
    fn round(&mut self) -> Result<bool, RunError> {
        loop {
            // Much may have come since the last round. An answer that came meanwhile is in time, however late it
            // is looked at: nobody is called late, struck and left unpaid over that.
            self.take_up_what_came();
            let now = self.began.elapsed();
            self.hold_clocks(now);
            self.recheck_drawn();
            self.route_waiting(now);
            self.exclude_found();
            let actions = self.scheduler.poll(now);
            // Who was paused may have room again since the poll.
            let idle = actions.is_empty() && !self.route_waiting(now);
            self.carry_out(actions);
            let validations = self.answers.validation.take_due(&mut self.scheduler, self.began.elapsed());
            self.submit(validations);
            let asked = self.review_claims();
            // What was verified is in the journal before it is paid for.
            self.commit();
            self.money.end(&mut self.attempts, &mut self.errands.outbox);
            self.money.begin_to_reclaim(&mut self.errands.mints);
            self.money.settle_acknowledged(&mut self.errands.outbox);
            self.answers.verdicts.tell_verdicts(&self.ports);
            self.providers.trust.remember_in_parts(
                &self.providers.peers,
                &mut self.answers.claims,
                &mut self.journal,
            );
            if let Some(desk) = &mut self.route {
                desk.remember_part(&mut self.journal);
            }
            let grown = self.grow_plan()?;
            self.commit();
            let settled = idle && !grown && !asked;
            if settled || !self.ports.events.is_empty() {
                return Ok(settled && self.errands.outbox.is_empty() && !self.learner.asking.is_open());
            }
        }
    }
}

/// What has come and was not taken up, without waiting for more.
fn waiting<T>(channel: &mut mpsc::Receiver<T>) -> Vec<T> {
    (0..channel.len()).map_while(|_| channel.try_recv().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_meanwhile_is_taken_up_in_order_and_nothing_is_waited_for() {
        let (sender, mut events) = mpsc::channel(4);
        assert!(waiting(&mut events).is_empty());
        for event in [1, 2] {
            sender.try_send(event).unwrap();
        }
        assert_eq!(waiting(&mut events), [1, 2]);
        sender.try_send(3).unwrap();
        drop(sender);
        assert_eq!(waiting(&mut events), [3]);
        assert!(waiting(&mut events).is_empty(), "nobody is left to send more");
    }
}
