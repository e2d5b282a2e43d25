//! The plan of a run grows as answers are verified.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::driver::Run;
use super::journal::Journal;
use super::peers::Peers;
use super::subtasks::{MOST_PER_PLAN_EVENT, Progress};
use super::writers::contexts_of_writers;
use super::{RunError, RunSetup, learner};
use crate::plan::{PlanError, Settled, Skill, Subtask, Task};

/// Waits until a plan has decided what comes next; forever if it is not deciding.
pub(super) async fn notified(woken: Option<Arc<Notify>>) {
    match woken {
        Some(woken) => woken.notified().await,
        None => std::future::pending().await,
    }
}

/// Whether a provider here, or the own model, can do this; `true` until a provider was seen.
fn may_be_answered(peers: &Peers, setup: &RunSetup, skills: u8) -> bool {
    let own = setup.candidates.fallback.as_ref().map_or(0, |own| Skill::of_dialect(own.dialect));
    peers.all().is_empty() || peers.capable(skills) > 0 || own & skills == skills
}

/// Says so where a subtask is too large for one provider and was planned again.
fn say_what_is_planned_again(journal: &mut Journal, subtasks: &[Subtask]) {
    let is_digest = |subtask: &&Subtask| matches!(&subtask.task, Task::Combine(task) if !task.is_last());
    let digests = subtasks.iter().filter(is_digest).count();
    if digests > 0 {
        let why = "what was found is too much for one provider to write the answer from";
        journal.decide("plan", "proceed", &format!("{why}: it is summed up in {digests} groups first"));
    }
}

impl Run {
    /// Asks the plan for more subtasks; `true` if there were any.
    pub(super) fn grow_plan(&mut self) -> Result<bool, RunError> {
        let mut grown = false;
        let mut released = self.learner.asking.take_news();
        while let Some(subtasks) = self.next_of_plan(&mut released)? {
            grown = true;
            self.join_plan(subtasks);
        }
        Ok(grown)
    }

    /// What the plan asks next, if it asks anything now. `released`: a result for which it has waited is known.
    fn next_of_plan(&mut self, released: &mut bool) -> Result<Option<Vec<Subtask>>, RunError> {
        loop {
            if self.answers.claims.kept.is_looking() || self.learner.asking.is_open() {
                // What joins the plan next waits for that.
                return Ok(None);
            }
            let first = self.subtasks.next_id();
            if self.answers.rechecks.any_out()
                || self.answers.claims.book.any_again()
                || self.answers.claims.is_rereading()
            {
                // What is in doubt may turn out otherwise, and a second reading may add to it: nothing is built on it.
                return Ok(None);
            }
            let mut fresh = std::mem::take(&mut self.answers.fresh);
            // The plan knows a part by its first reading.
            fresh.retain(|id| self.answers.claims.book.seconds.part_of(*id) == *id);
            if fresh.is_empty()
                && first.0 > 0
                && !std::mem::take(released)
                && !self.setup.plan.has_news()
                && !self.holds_nothing_back()
            {
                return Ok(None);
            }
            if self.setup.plan.may_combine() {
                let contexts = contexts_of_writers(&self.providers.peers, &self.setup);
                self.setup.plan.keep_within(contexts);
            }
            let settled: Vec<Settled<'_>> = fresh
                .iter()
                .filter_map(|id| match &self.subtasks.of(*id)?.state {
                    Progress::Accepted(accepted) => Some(Settled {
                        id: *id,
                        outcome: &accepted.outcome,
                        confidence: accepted.smoothed_agreement(),
                    }),
                    _ => None,
                })
                .collect();
            let subtasks = self.setup.plan.next(&settled, first);
            let stage = if self.setup.plan.program().is_some() { "program" } else { "plan" };
            for note in self.setup.plan.take_notes() {
                self.journal.decide(stage, "proceed", &note);
            }
            let subtasks = subtasks?;
            if subtasks.is_empty() {
                *released = learner::analyse(&mut self.planning())
                    || self.answer_proposal()
                    || self.holds_nothing_back();
                if *released {
                    continue;
                }
                return Ok(None);
            }
            let skills = subtasks.iter().fold(0, |skills, subtask| skills | subtask.skill() as u8);
            if !may_be_answered(&self.providers.peers, &self.setup, skills) {
                return Err(PlanError::NeedsWords.into());
            }
            say_what_is_planned_again(&mut self.journal, &subtasks);
            return Ok(Some(subtasks));
        }
    }

    /// Lets the plan grow before there is anything to ask: until nothing is looked up for it any more. A large plan is written
    /// as it joins, so that not all of its record waits in memory.
    pub(super) async fn grow_at_first(&mut self, stop: &CancellationToken) -> Result<(), RunError> {
        loop {
            let mut released = self.learner.asking.take_news();
            while let Some(subtasks) = self.next_of_plan(&mut released)? {
                if subtasks.len() <= MOST_PER_PLAN_EVENT {
                    self.join_plan(subtasks);
                    continue;
                }
                let Some(joining) = self.look_up_or_join(subtasks) else { continue };
                let steps = learner::weigh(&self.setup, &joining, self.subtasks.next_id());
                self.subtasks.make_room(joining.len());
                self.scheduler.entries.make_room(joining.len());
                let mut joining = joining.into_iter();
                while joining.len() > 0 {
                    let some = joining.by_ref().take(MOST_PER_PLAN_EVENT).collect();
                    self.add(some, HashMap::new());
                    self.commit();
                    while !self.errands.outbox.is_empty() {
                        self.await_news(stop).await?;
                    }
                }
                self.learner.note_steps(steps, &mut self.journal);
            }
            if self.errands.outbox.is_empty() && !self.learner.asking.is_open() {
                return Ok(());
            }
            self.await_news(stop).await?;
        }
    }

    /// Waits until something is written, or said that the plan waits for.
    async fn await_news(&mut self, stop: &CancellationToken) -> Result<(), RunError> {
        tokio::select! {
            () = stop.cancelled() => return Err(RunError::Interrupted(self.setup.id.clone())),
            Some(written) = self.errands.outbox.next() => drop(self.on_written(written?)),
            Some(done) = self.errands.mints.next() => self.on_done_by_mint(done),
            Some(said) = self.learner.asking.said() => learner::on_simplicity(&mut self.planning(), said),
        }
        Ok(())
    }

    /// Waits until a plan that makes up its mind beside the run has asked something, or is done: what there is to ask says
    /// who is needed.
    pub(super) async fn think(&mut self, stop: &CancellationToken) -> Result<(), RunError> {
        let deadline = self.began + self.setup.policy.timeout.total;
        while self.scheduler.entries.open() == 0 && self.setup.plan.is_thinking() {
            tokio::select! {
                () = stop.cancelled() => return Err(RunError::Interrupted(self.setup.id.clone())),
                () = tokio::time::sleep_until(deadline) => return Err(RunError::out_of_time_to_think()),
                () = notified(self.setup.plan.woken()) => self.grow_at_first(stop).await?,
            }
        }
        Ok(())
    }

    /// Has the plan ask what it held back by choice, once nothing is open that could still let it go on; `true` if
    /// there is any.
    fn holds_nothing_back(&mut self) -> bool {
        let in_time = self.began.elapsed() < self.setup.policy.timeout.total;
        let settled = self.scheduler.entries.open() == 0 && !self.answers.checks.arbitrations.any_out();
        in_time && settled && self.setup.plan.hold_nothing_back()
    }
}
