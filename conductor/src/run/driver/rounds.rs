//! The loop that turns scheduler actions into jobs and swarm events into verdicts. It waits for no mint, model, relay or disk: what
//! they come to arrives like an event.

use std::time::Duration;

use frlm_learning::planning::performance::Phase;
use frlm_questions::stage::RunStage;
use frlm_scheduler::{Action, FailureReason};
use tokio::sync::mpsc;
use tokio::task::JoinError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Run, notified};
use crate::run::checks::{Check, Checked};
use crate::run::commit::Written;
use crate::run::control::RunCommand;
use crate::run::decide::{Decided, open_again};
use crate::run::engine::Engine;
use crate::run::learner::Said;
use crate::run::money::{DoneByMint, Paid};
use crate::run::work::Work;
use crate::run::{RunError, learner};
use crate::swarm::{SwarmEvent, Ticket};

/// How many swarm events are taken up before the next round of decisions.
const MOST_EVENTS_PER_ROUND: usize = 512;

/// What a turn of the loop takes up: what became of a call, or what somebody said.
enum Input {
    /// The user stops the run.
    Stop,
    /// A model has decided what follows from a stage.
    Decided(Decided),
    /// What waits for this moment is due.
    Time,
    /// The plan may have more to ask.
    Plan,
    Command(RunCommand),
    /// An answer is checked, or its check broke off.
    Checked(Result<Checked, Check>),
    Written(Written),
    /// A model has said how simple the question is.
    Said(Result<Said, JoinError>),
    /// A provider that is paid beforehand has its pay; `None` where nothing was being paid.
    Paid(Option<Paid>),
    Mint(DoneByMint),
    /// So many events of the swarm are in the inbox; after 0 there are no more.
    Events(usize),
}

impl Run {
    /// Until nothing is open any more.
    pub(super) async fn drive(&mut self, stop: &CancellationToken) -> Result<(), RunError> {
        if !self.prepare(stop).await? {
            return Ok(());
        }
        self.learner.watch.enter(Phase::Waiting);
        let deadline = self.jobs.began + self.engine.work.setup.policy.timeout.total;
        let mut inbox = Vec::new();
        let mut is_deaf = false;
        // Whether anything has happened since the last round that a round could do something about.
        let mut has_news = true;
        loop {
            let settled = has_news && self.round()?;
            has_news = true;
            // Whether everything is done is seen once nothing follows from what has come.
            if (settled || self.engine.work.scheduler.entries.open() > 0)
                && let Some(stage) = self.decisions.stage_due(&mut self.engine)
                && let Some(decided) = self.decisions.put_up(&mut self.engine.work, stage)?
            {
                if self.decisions.conclude(&mut self.engine, &self.jobs, &decided)? {
                    return Ok(());
                }
                continue;
            }
            let Engine { work: Work { setup, scheduler, now, .. }, answers } = &mut self.engine;
            let open = scheduler.entries.open() > 0;
            let settling = answers.claims.next_settling(*now, setup.candidates.newcomers);
            let wakeups = [scheduler.next_wakeup(), answers.validation.next_wakeup(), settling];
            let next = wakeups.into_iter().flatten().min().filter(|_| open);
            let woken = setup.plan.woken();
            let wakeup = next.map_or(deadline, |at| (self.jobs.began + at).min(deadline));
            let input = tokio::select! {
                () = stop.cancelled() => Input::Stop,
                Some(decided) = self.decisions.decided() => Input::Decided(decided),
                () = tokio::time::sleep_until(wakeup), if open || self.engine.reviewing() => Input::Time,
                () = notified(woken), if self.engine.work.setup.plan.is_thinking() => Input::Plan,
                Some(command) = self.jobs.ports.commands.recv() => Input::Command(command),
                Some(checked) = self.engine.answers.checks.out.next() => Input::Checked(checked),
                Some(written) = self.jobs.errands.outbox.next() => Input::Written(written?),
                Some(said) = self.learner.asking.said() => Input::Said(said),
                paid = self.jobs.money.paid_before(), if self.jobs.money.before.is_paying() => Input::Paid(paid?),
                Some(done) = self.jobs.errands.mints.next() => Input::Mint(done),
                count = self.jobs.ports.events.recv_many(&mut inbox, MOST_EVENTS_PER_ROUND), if !is_deaf => {
                    Input::Events(count)
                }
            };
            self.engine.work.now = self.jobs.began.elapsed();
            match input {
                Input::Stop => return Err(RunError::Interrupted(self.engine.work.setup.id.clone())),
                Input::Decided(decided) => {
                    if self.decisions.conclude(&mut self.engine, &self.jobs, &decided)? {
                        return Ok(());
                    }
                }
                Input::Time => self.check_deadline(deadline)?,
                Input::Plan | Input::Paid(None) => {}
                Input::Command(command) => self.handle_command(command),
                Input::Checked(checked) => self.engine.on_checked(checked),
                Input::Written(written) => {
                    let is_news = self.on_written(written);
                    // Where nothing is open, the run may end once nothing is on its way any more.
                    has_news = is_news || !open && self.jobs.errands.outbox.is_empty();
                }
                Input::Said(said) => learner::on_simplicity(&mut self.planning(), said),
                Input::Paid(Some(paid)) => {
                    if let Some(handover) = self.jobs.on_paid_before(&mut self.engine, paid) {
                        self.jobs.give_token(&mut self.engine.work, handover);
                    }
                }
                Input::Mint(done) => self.on_done_by_mint(done),
                Input::Events(0) => {
                    is_deaf = true;
                    self.engine.work.scheduler.give_up_all(FailureReason::NobodyLeft);
                }
                Input::Events(_) => {
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
            let now = self.engine.work.now;
            self.jobs.hold_clocks(&mut self.engine.work, now);
            let left = self.jobs.money.left;
            self.engine.answers.rechecks.recheck_drawn(&mut self.engine.work, left);
            self.route_waiting(now);
            self.engine.exclude_found();
            let actions = self.engine.work.scheduler.poll(now);
            // Who was paused may have room again since the poll.
            let idle = actions.is_empty() && !self.route_waiting(now);
            self.carry_out(actions);
            let Engine { work, answers } = &mut self.engine;
            let validations = answers.validation.take_due(&mut work.scheduler, work.now);
            self.jobs.submit(&mut self.engine, validations);
            let left = self.jobs.money.left;
            let asked = self.engine.review_claims(left, self.jobs.ports.swarm.is_some());
            // What was verified is in the journal before it is paid for.
            self.jobs.commit(&mut self.engine.work);
            self.jobs.money.end(&mut self.engine.work.attempts, &mut self.jobs.errands.outbox);
            self.jobs.money.begin_to_reclaim(&mut self.jobs.errands.mints);
            self.jobs.money.settle_acknowledged(&mut self.jobs.errands.outbox);
            self.engine.answers.verdicts.tell_verdicts(&self.jobs.ports);
            let Work { providers, journal, route, .. } = &mut self.engine.work;
            let claims = &mut self.engine.answers.claims;
            providers.trust.remember_in_parts(&providers.peers, claims, journal);
            if let Some(desk) = route {
                desk.remember_part(journal);
            }
            let grown = self.grow_plan()?;
            self.jobs.commit(&mut self.engine.work);
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
        if self.engine.work.setup.plan.is_thinking() {
            return Err(RunError::out_of_time_to_think());
        }
        // What came in time and was not taken up yet counts.
        self.take_up_what_came();
        self.engine.review_no_more();
        let checks = &mut self.engine.answers.checks;
        checks.prefill.give_up(&mut checks.out);
        self.engine.work.scheduler.give_up_all(FailureReason::OutOfTime);
        Ok(())
    }

    /// Decides where as many subtasks go as there is room for; `true` if there were any.
    fn route_waiting(&mut self, now: Duration) -> bool {
        let left = self.jobs.money.left;
        self.engine.work.routing(now).is_some_and(|(desk, mut at)| desk.route(&mut at, left))
    }

    /// Takes up what the swarm has said, without waiting for more.
    pub(in crate::run) fn take_up_what_came(&mut self) {
        self.engine.work.now = self.jobs.began.elapsed();
        for event in waiting(&mut self.jobs.ports.events) {
            self.on_event(event);
        }
    }

    /// What was said of pay goes to the jobs, the rest to the engine.
    pub(super) fn on_event(&mut self, event: SwarmEvent) {
        match event {
            SwarmEvent::Feedback { ticket, status, reason, detail, retry_after_secs } => {
                let said = (status, reason, retry_after_secs);
                self.jobs.on_feedback(&mut self.engine, ticket, said, detail);
            }
            SwarmEvent::PaymentRequired { ticket, amount, invoice } => {
                self.jobs.on_demand(&mut self.engine, ticket, amount, invoice);
            }
            SwarmEvent::Returned { ticket, payload } => self.jobs.money.on_returned(ticket, payload),
            SwarmEvent::Told { ticket } => self.jobs.money.after.on_told(ticket),
            event => {
                match &event {
                    SwarmEvent::Result { ticket, .. } => self.jobs.money.before.answered(*ticket),
                    SwarmEvent::Sent { ticket, .. } => {
                        let work = &self.engine.work;
                        if let Some(sent) = work.attempts.sent.get(ticket) {
                            self.learner.heard_after(work.now.saturating_sub(sent.at));
                        }
                    }
                    _ => {}
                }
                self.engine.on_event(event);
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
                    let left = self.jobs.money.left;
                    jobs.extend(self.engine.dispatch(Ticket { subtask, attempt }, provider, hedge, left));
                }
                Action::Cancel { subtask, attempt } => {
                    let ticket = Ticket { subtask, attempt };
                    let off = self.engine.cancel(ticket);
                    if off.contains(&ticket) {
                        self.jobs.money.before.cancelled(ticket);
                    }
                    cancelled.extend(off);
                }
                Action::TimedOut { subtask, attempt } => {
                    let ticket = Ticket { subtask, attempt };
                    if self.engine.never_got_round_to(ticket) {
                        self.jobs.money.before.cancelled(ticket);
                        self.engine.work.lost_here(ticket);
                    } else {
                        cancelled.extend(self.engine.timed_out(ticket));
                    }
                }
                Action::GaveUp { subtask, why } => {
                    if !self.planner_gave_up(subtask, why) {
                        self.engine.on_gave_up(subtask, why);
                    }
                }
            }
        }
        let mut unwanted = Vec::new();
        for ticket in cancelled {
            if let Some(sent) = self.engine.work.attempts.sent.remove(&ticket) {
                self.engine.work.attempts.ended.push((ticket, None));
                if !self.jobs.money.before.is_owed(ticket) {
                    unwanted.push((ticket, sent));
                }
            }
        }
        self.jobs.errands.cancel(&self.jobs.ports, unwanted);
        self.jobs.submit(&mut self.engine, jobs);
    }

    pub(super) fn handle_command(&mut self, command: RunCommand) {
        let Work { journal, scheduler, subtasks, .. } = &mut self.engine.work;
        match command {
            RunCommand::Cancel(id) => {
                if scheduler.entries.is_open(id) {
                    let words = format!("subtask {} is cancelled by the user", id.0);
                    journal.notice(RunStage::Control, &words);
                    scheduler.give_up(id, FailureReason::Cancelled);
                }
            }
            RunCommand::AskAgain(id) => {
                if open_again(subtasks, scheduler, id) {
                    let words = format!("subtask {} is asked again, as the user wishes", id.0);
                    journal.notice(RunStage::Control, &words);
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
                    if let Some(sent) = self.engine.work.attempts.sent.get_mut(&ticket) {
                        sent.has_left = true;
                    }
                }
                let is_news = !owed.is_empty();
                self.jobs.money.owed(owed);
                return is_news;
            }
            Written::Reserved { jobs, reserved } => {
                return self.jobs.on_reserved(&mut self.engine, jobs, reserved);
            }
            Written::Finished(finished) => self.jobs.on_finished(&mut self.engine, finished),
            Written::Acknowledged(settled) => {
                let events = self.jobs.money.after.acknowledged(settled);
                self.jobs.note_settled(&mut self.engine, events);
            }
            Written::Reclaimed(events) => self.jobs.money.note_refunds(&mut self.engine.work.journal, events),
            Written::Handed(handed) => self.jobs.on_handed(&mut self.engine, handed),
            Written::Raised { limit, raised } => match raised {
                Ok(more) => {
                    self.jobs.money.left = self.jobs.money.left.saturating_add(more);
                    self.engine.work.raise_budget(limit);
                }
                Err(error) => {
                    let words = format!("the budget stays as it is: {error}");
                    self.engine.work.journal.notice(RunStage::Control, &words);
                }
            },
            Written::Looked { subtasks, found } => {
                let Engine { work, answers } = &mut self.engine;
                let kept = answers.claims.looked_up(&mut work.journal, found, subtasks.len());
                work.add_subtasks(subtasks, kept);
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
            DoneByMint::Priced(jobs) => self.jobs.submit_priced(&mut self.engine, jobs),
            DoneByMint::Locked(made) => self.jobs.on_locked(&mut self.engine, made),
            DoneByMint::Paid(paid) => {
                let notices = self.jobs.money.after.paid_debts(paid);
                self.jobs.tell_of_pay(&mut self.engine.work, notices);
            }
            DoneByMint::Reclaimed(back) => {
                let ledger = self.jobs.money.ledger.clone();
                if let Some(booking) = self.jobs.money.returns.begin_to_book(back, ledger) {
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
