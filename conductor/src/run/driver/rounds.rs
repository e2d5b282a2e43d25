//! The loop that turns scheduler actions into jobs and swarm events into verdicts. It waits for no mint, model, relay or disk: what
//! they come to arrives like an event.

use std::sync::Arc;
use std::time::Duration;

use frlm_learning::planning::performance::Phase;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Run, notified};
use crate::run::commit::Written;
use crate::run::control::RunCommand;
use crate::run::decide::open_again;
use crate::run::dispatch::Dispatch;
use crate::run::money::DoneByMint;
use crate::run::provider_scoring::fits;
use crate::run::route::brief;
use crate::run::{RunError, learner, quote};
use crate::scheduler::{Action, AttemptFailure, AttemptId, FailureReason, SubtaskId};
use crate::swarm::{SwarmEvent, Ticket};
use crate::trace::TraceEvent;

/// How many swarm events are taken up before the next round of decisions.
const MOST_EVENTS_PER_ROUND: usize = 512;

impl Run {
    /// Until nothing is open any more.
    pub(super) async fn drive(&mut self, stop: &CancellationToken) -> Result<(), RunError> {
        if !self.prepare(stop).await? {
            return Ok(());
        }
        self.learner.watch.enter(Phase::Waiting);
        let deadline = self.work.began + self.work.setup.policy.timeout.total;
        let mut inbox = Vec::new();
        let mut is_deaf = false;
        // Whether anything has happened since the last round that a round could do something about.
        let mut has_news = true;
        loop {
            let settled = has_news && self.round()?;
            has_news = true;
            // Whether everything is done is seen once nothing follows from what has come.
            if (settled || self.work.scheduler.entries.open() > 0)
                && let Some(stage) = self.decisions.stage_due(&self.work, &mut self.answers)
                && let Some(decided) = self.decisions.put_up(&mut self.work, stage)?
            {
                if self.decisions.conclude(&mut self.work, &mut self.answers, &self.jobs, &decided)? {
                    return Ok(());
                }
                continue;
            }
            let open = self.work.scheduler.entries.open() > 0;
            let newcomers = self.work.setup.candidates.newcomers;
            let settling = self.answers.claims.next_settling(self.work.began.elapsed(), newcomers);
            let wakeups =
                [self.work.scheduler.next_wakeup(), self.answers.validation.next_wakeup(), settling];
            let next = wakeups.into_iter().flatten().min();
            let next = next.filter(|_| open);
            let woken = self.work.setup.plan.woken();
            let wakeup = next.map_or(deadline, |at| (self.work.began + at).min(deadline));
            tokio::select! {
                () = stop.cancelled() => return Err(RunError::Interrupted(self.work.setup.id.clone())),
                Some(decided) = self.decisions.decided() => {
                    if self.decisions.conclude(&mut self.work, &mut self.answers, &self.jobs, &decided)? {
                        return Ok(());
                    }
                }
                () = tokio::time::sleep_until(wakeup), if open || self.answers.reviewing(&self.work) => self.check_deadline(deadline)?,
                () = notified(woken), if self.work.setup.plan.is_thinking() => {}
                Some(command) = self.jobs.ports.commands.recv() => self.handle_command(command),
                Some(checked) = self.answers.checks.next() => self.answers.on_checked(&mut self.work, checked),
                Some(written) = self.jobs.errands.outbox.next() => {
                    let is_news = self.on_written(written?);
                    // Where nothing is open, the run may end once nothing is on its way any more.
                    has_news = is_news || !open && self.jobs.errands.outbox.is_empty();
                }
                Some(said) = self.learner.asking.said() => learner::on_simplicity(&mut self.planning(), said),
                paid = self.jobs.money.paid_before(), if self.jobs.money.before.is_paying() => {
                    if let Some(paid) = paid?
                        && let Some(handover) = self.jobs.on_paid_before(&mut self.work, &mut self.answers, paid)
                    {
                        self.jobs.give_token(&mut self.work, handover);
                    }
                }
                Some(done) = self.jobs.errands.mints.next() => self.on_done_by_mint(done),
                count = self.jobs.ports.events.recv_many(&mut inbox, MOST_EVENTS_PER_ROUND), if !is_deaf => {
                    if count == 0 {
                        is_deaf = true;
                        self.work.scheduler.give_up_all(FailureReason::NobodyLeft);
                    }
                    for event in inbox.drain(..) {
                        self.on_event(event);
                    }
                }
            }
        }
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
            let now = self.work.began.elapsed();
            self.jobs.hold_clocks(&mut self.work, now);
            self.answers.rechecks.recheck_drawn(
                &mut self.work,
                &mut self.answers.checks,
                self.jobs.money.left.available(),
            );
            self.route_waiting(now);
            self.answers.exclude_found(&mut self.work);
            let actions = self.work.scheduler.poll(now);
            // Who was paused may have room again since the poll.
            let idle = actions.is_empty() && !self.route_waiting(now);
            self.carry_out(actions);
            let validations =
                self.answers.validation.take_due(&mut self.work.scheduler, self.work.began.elapsed());
            self.jobs.submit(&mut self.work, &mut self.answers, validations);
            let asked = self.answers.review_claims(
                &mut self.work,
                self.jobs.money.left.available(),
                self.jobs.ports.swarm.is_some(),
            );
            // What was verified is in the journal before it is paid for.
            self.jobs.commit(&mut self.work);
            self.jobs.money.end(&mut self.work.attempts, &mut self.jobs.errands.outbox);
            self.jobs.money.begin_to_reclaim(&mut self.jobs.errands.mints);
            self.jobs.money.settle_acknowledged(&mut self.jobs.errands.outbox);
            self.answers.verdicts.tell_verdicts(&self.jobs.ports);
            self.work.providers.trust.remember_in_parts(
                &self.work.providers.peers,
                &mut self.answers.claims,
                &mut self.work.journal,
            );
            if let Some(desk) = &mut self.work.route {
                desk.remember_part(&mut self.work.journal);
            }
            let grown = self.grow_plan()?;
            self.jobs.commit(&mut self.work);
            let settled = idle && !grown && !asked;
            if settled || !self.jobs.ports.events.is_empty() {
                return Ok(settled && self.jobs.errands.outbox.is_empty() && !self.learner.asking.is_open());
            }
        }
    }

    /// Gives up what is open if the run's time is up.
    fn check_deadline(&mut self, deadline: Instant) -> Result<(), RunError> {
        if Instant::now() < deadline {
            return Ok(());
        }
        if self.work.setup.plan.is_thinking() {
            return Err(RunError::out_of_time_to_think());
        }
        // What came in time and was not taken up yet counts.
        self.take_up_what_came();
        self.answers.review_no_more(&mut self.work);
        let checks = &mut self.answers.checks;
        checks.prefill.give_up(&mut checks.out);
        if self.answers.checks.arbitrations.any_out() {
            self.answers.arbitrate_no_more(&mut self.work, "the run's time is up");
        }
        self.work.scheduler.give_up_all(FailureReason::OutOfTime);
        Ok(())
    }

    /// Decides where as many subtasks go as there is room for; `true` if there were any.
    fn route_waiting(&mut self, now: Duration) -> bool {
        let left = self.jobs.money.left.available();
        self.work.routing(now).is_some_and(|(desk, mut at)| desk.route(&mut at, left))
    }

    /// Takes up what the swarm has said, without waiting for more.
    pub(in crate::run) fn take_up_what_came(&mut self) {
        for event in waiting(&mut self.jobs.ports.events) {
            self.on_event(event);
        }
    }

    pub(super) fn on_event(&mut self, event: SwarmEvent) {
        match event {
            SwarmEvent::ProviderSeen(info) => self.answers.on_provider(&mut self.work, info, false),
            SwarmEvent::ProviderLoad { provider, queue_length } => {
                self.work.providers.on_load(&mut self.work.scheduler, &provider, queue_length);
            }
            SwarmEvent::ProviderGone(id) => {
                if self.answers.validation.is_validator(&id) {
                    self.answers.validation.gone();
                }
                if let Some(index) = self.work.providers.peers.index(&id) {
                    self.work.scheduler.remove_provider(index, self.work.began.elapsed());
                    if self.work.providers.peers.gone(&id) {
                        self.work.journal.emit(TraceEvent::ProviderGone { provider: id.to_string() });
                    }
                }
            }
            SwarmEvent::Sent { ticket, reference } => {
                if let Some(sent) = self.work.attempts.sent.get(&ticket) {
                    self.learner.heard_after(self.work.began.elapsed().saturating_sub(sent.at));
                }
                self.work.journal.emit(TraceEvent::SubQuerySent {
                    subtask: SubtaskId(ticket.subtask),
                    attempt: AttemptId(ticket.attempt),
                    job: reference,
                });
            }
            SwarmEvent::SendFailed { ticket, reason } => {
                self.answers.attempt_failed(&mut self.work, ticket, AttemptFailure::Failed, &reason);
            }
            SwarmEvent::Feedback { ticket, status, reason, detail, retry_after_secs } => {
                self.jobs.on_feedback(
                    &mut self.work,
                    &mut self.answers,
                    ticket,
                    (status, reason, retry_after_secs),
                    detail,
                );
            }
            SwarmEvent::PaymentRequired { ticket, amount, invoice } => {
                self.jobs.on_demand(&mut self.work, &mut self.answers, ticket, amount, invoice);
            }
            SwarmEvent::Result { ticket, answers, usage, reference, job, .. } => {
                self.jobs.money.before.answered(ticket);
                self.answers.on_result(&mut self.work, ticket, &answers, usage, reference, &job);
            }
            SwarmEvent::Attested { ticket, verdict, usage } => {
                self.answers.on_attested(&mut self.work, ticket, verdict, usage);
            }
            SwarmEvent::Returned { ticket, payload } => self.jobs.money.on_returned(ticket, payload),
            SwarmEvent::Told { ticket } => self.jobs.money.after.on_told(ticket),
            SwarmEvent::Stray { what } => self.work.providers.heard.stray(&mut self.work.journal, what),
            SwarmEvent::Looking(looking) => self.work.providers.heard.looking = looking,
            SwarmEvent::RelaySays { relay, words } => {
                if let Some(complaint) =
                    self.work.providers.heard.complaint(&relay, &words).map(str::to_owned)
                {
                    self.work.journal.decide("discover", "proceed", &complaint);
                }
            }
            SwarmEvent::Unusable(why) => self.work.providers.heard.cannot_ask(&mut self.work.journal, &why),
            SwarmEvent::ClockOff(off) => {
                tracing::warn!("{off}");
                self.work.journal.decide("discover", "proceed", &off.to_string());
            }
            SwarmEvent::RelayOnline(relay) => self.work.journal.emit(TraceEvent::RelayOnline { relay }),
            SwarmEvent::RelayOffline { relay, reason } => {
                self.work.journal.emit(TraceEvent::RelayOffline { relay, reason });
            }
        }
    }

    /// Does what the scheduler asks for.
    pub(super) fn carry_out(&mut self, actions: Vec<Action>) {
        let mut jobs = Vec::new();
        let mut cancelled = Vec::new();
        for action in actions {
            match action {
                Action::Dispatch { subtask, attempt, provider, hedge } => {
                    let Some(info) = self.work.providers.peers.info(provider).cloned() else { continue };
                    let review =
                        self.answers.claims.review_prompt(&self.work.subtasks, subtask, attempt, &info);
                    let Some(record) = self.work.subtasks.of(subtask) else { continue };
                    let mut prompt = review.unwrap_or_else(|| record.subtask.prompt(info.dialect));
                    if let Some(desk) = &mut self.work.route {
                        desk.send(subtask);
                    }
                    brief(&self.work.setup.policy, record, info.dialect, &mut prompt);
                    let prompt = Arc::new(prompt);
                    if let Err(why) = fits(&prompt, &info) {
                        // Nothing was sent, and another provider is asked.
                        if let Some(record) = self.work.subtasks.of_mut(subtask) {
                            record.last_failure = Some(why.into());
                        }
                        let now = self.work.began.elapsed();
                        self.work.scheduler.failed(subtask, attempt, AttemptFailure::Unfit, now);
                        continue;
                    }
                    let price = quote::price(&prompt, &info);
                    self.work.subtasks.note_price(subtask, price);
                    let ticket = Ticket { subtask: subtask.0, attempt: attempt.0 };
                    jobs.push(Dispatch {
                        ticket,
                        provider: info,
                        prompt,
                        price,
                        hedge,
                        shown: None,
                        due: None,
                    });
                }
                Action::Cancel { subtask, attempt } => {
                    let ticket = Ticket { subtask: subtask.0, attempt: attempt.0 };
                    if self.answers.validation.holds(ticket) && !self.work.subtasks.is_accepted(subtask) {
                        let why = "the subtask had ended before it came";
                        cancelled.extend(self.answers.end_without_verdict(&mut self.work, ticket, why));
                        continue;
                    }
                    self.answers.claims.forget_reading(ticket);
                    cancelled
                        .extend(self.answers.validation.forget_validation(&mut self.work.attempts, ticket));
                    if let Some(sent) = self.work.attempts.sent.get(&ticket) {
                        let provider = sent.provider.id.clone();
                        self.work.journal.emit(TraceEvent::SubQueryCancel { subtask, attempt });
                        self.jobs.money.cancelled(ticket);
                        cancelled.push(ticket);
                        if self.work.scheduler.entries.has_straggled(subtask, attempt)
                            && self.work.providers.heard.fails_always(&provider)
                        {
                            self.work.leave_out(&provider, "answers no job", "others were quicker each time");
                        }
                    }
                }
                Action::TimedOut { subtask, attempt } => {
                    let ticket = Ticket { subtask: subtask.0, attempt: attempt.0 };
                    if self.answers.validation.holds(ticket) {
                        let why = "it did not come in the time that there is for a verdict";
                        cancelled.extend(self.answers.end_without_verdict(&mut self.work, ticket, why));
                        continue;
                    }
                    if self.work.scheduler.entries.is_without_verdict(subtask, attempt) {
                        self.jobs.lost_here(&mut self.work, ticket);
                        continue;
                    }
                    let attempt = AttemptId(ticket.attempt);
                    self.work.journal.emit(TraceEvent::SubQueryTimeout { subtask, attempt });
                    self.work.gauge.timed_out();
                    if let Some(record) = self.work.subtasks.of_mut(subtask) {
                        record.timeouts = record.timeouts.saturating_add(1);
                    }
                    if let Some(sent) = self.work.attempts.sent.get(&ticket) {
                        self.work.providers.saw_timeout(&mut self.work.scheduler, sent);
                    }
                    cancelled.push(ticket);
                }
                Action::GaveUp { subtask, why } => {
                    if !self.planner_gave_up(subtask, why) {
                        self.answers.on_gave_up(&mut self.work, subtask, why);
                    }
                }
            }
        }
        let mut unwanted = Vec::new();
        for ticket in cancelled {
            if let Some(sent) = self.work.attempts.sent.remove(&ticket) {
                self.work.attempts.ended.push((ticket, None));
                if !self.jobs.money.before.is_owed(ticket) {
                    unwanted.push((ticket, sent));
                }
            }
        }
        self.jobs.errands.cancel(&self.jobs.ports, unwanted);
        self.jobs.submit(&mut self.work, &mut self.answers, jobs);
    }

    pub(super) fn handle_command(&mut self, command: RunCommand) {
        match command {
            RunCommand::Cancel(id) => {
                if self.work.scheduler.entries.is_open(id) {
                    self.work.journal.decide(
                        "control",
                        "proceed",
                        &format!("subtask {} is cancelled by the user", id.0),
                    );
                    self.work.scheduler.give_up(id, FailureReason::Cancelled);
                }
            }
            RunCommand::AskAgain(id) => {
                if open_again(&mut self.work.subtasks, &mut self.work.scheduler, id) {
                    let words = format!("subtask {} is asked again, as the user wishes", id.0);
                    self.work.journal.decide("control", "retry", &words);
                }
            }
            // The ledger has the higher limit before anything is said or asked under it.
            RunCommand::RaiseBudget(limit) => {
                self.jobs.errands.outbox.push(self.jobs.money.begin_to_raise(limit));
            }
        }
    }

    /// A step is done; `true` if there is something to do for a round of the loop.
    pub(super) fn on_written(&mut self, written: Written) -> bool {
        match written {
            Written::Nothing => return false,
            Written::Committed { owed, left } => {
                for ticket in left {
                    if let Some(sent) = self.work.attempts.sent.get_mut(&ticket) {
                        sent.has_left = true;
                    }
                }
                let is_news = !owed.is_empty();
                self.jobs.money.owed(owed);
                return is_news;
            }
            Written::Reserved { jobs, reserved } => {
                return self.jobs.on_reserved(&mut self.work, &mut self.answers, jobs, reserved);
            }
            Written::Finished(finished) => self.jobs.on_finished(&mut self.work, &mut self.answers, finished),
            Written::Acknowledged(settled) => {
                let events = self.jobs.money.after.acknowledged(settled);
                self.jobs.note_settled(&mut self.work, &mut self.answers, events);
            }
            Written::Reclaimed(events) => self.jobs.money.note_refunds(&mut self.work.journal, events),
            Written::Handed(handed) => self.jobs.on_handed(&mut self.work, &mut self.answers, handed),
            Written::Raised { limit, raised } => match raised {
                Ok(more) => {
                    self.jobs.money.left.add(more);
                    self.work.raise_budget(limit);
                }
                Err(error) => {
                    let words = format!("the budget stays as it is: {error}");
                    self.work.journal.decide("control", "proceed", &words);
                }
            },
            Written::Looked { subtasks, found } => {
                let kept = self.answers.claims.looked_up(&mut self.work.journal, found, subtasks.len());
                self.work.add_subtasks(subtasks, kept);
            }
        }
        true
    }

    /// Waits until everything is written that is on its way. After a failure the rest can be written again.
    pub(super) async fn drain(&mut self) -> Result<(), RunError> {
        let mut first = Ok(());
        while let Some(written) = self.jobs.errands.outbox.next().await {
            match written {
                Ok(written) => drop(self.on_written(written)),
                Err(error) => first = first.and(Err(error)),
            }
        }
        self.jobs.errands.outbox.mend();
        first
    }

    /// A mint has done what it was asked for, or has not.
    pub(super) fn on_done_by_mint(&mut self, done: DoneByMint) {
        match done {
            DoneByMint::Priced(jobs) => self.jobs.submit_priced(&mut self.work, &mut self.answers, jobs),
            DoneByMint::Fee(fee) => self.learner.asking.on_fee(fee),
            DoneByMint::Locked(made) => self.jobs.on_locked(&mut self.work, &mut self.answers, made),
            DoneByMint::Paid(paid) => {
                let notices = self.jobs.money.after.paid_debts(paid);
                self.jobs.tell_of_pay(&mut self.work, notices);
            }
            DoneByMint::Reclaimed(back) => {
                if let Some(booking) =
                    self.jobs.money.returns.begin_to_book(back, self.jobs.money.ledger().clone())
                {
                    self.jobs.errands.outbox.push(async move { Ok(Written::Reclaimed(booking.await?)) });
                }
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
