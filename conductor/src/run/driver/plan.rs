//! The plan of a run, and whether it can begin: are there enough providers, and is there enough money? The plan grows as answers
//! are verified.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_learning::planning::performance::Phase;
use frlm_questions::plan::{PlanError, PlanTask, Settled, Skill, Subtask, Task};
use frlm_scheduler::{FailureReason, SubtaskId};
use frlm_wallet::Sats;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::Run;
use crate::run::commit::Written;
use crate::run::engine::{AnswerDesk, Engine};
use crate::run::journal::Journal;
use crate::run::learner::ask_as_it_is;
use crate::run::peers::Peers;
use crate::run::quote::Quote;
use crate::run::subtasks::{MOST_PER_PLAN_EVENT, Progress, SubtaskRecord};
use crate::run::work::Work;
use crate::run::writers::contexts_of_writers;
use crate::run::{RunError, RunSetup, learner, quote};
use crate::swarm::Swarm;
use crate::trace::{RunStage, TraceEvent};

/// How long a slow relay may take to send the providers that it knows.
const SLOWEST_RELAY: Duration = Duration::from_secs(30);

/// Waits until a plan has decided what comes next; forever if it is not deciding.
pub(in crate::run) async fn notified(woken: Option<Arc<Notify>>) {
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
        journal.notice(RunStage::Plan, &format!("{why}: it is summed up in {digests} groups first"));
    }
}

/// Why a run cannot begin, with relays that its user may want to name.
async fn with_other_relays(swarm: Option<Arc<dyn Swarm>>, reason: String) -> String {
    let found = match swarm {
        Some(swarm) => swarm.other_relays().await,
        None => Vec::new(),
    };
    if found.is_empty() {
        return reason;
    }
    let found = found.join(", ");
    format!(
        "{reason}. Those that you named or asked before say that they are also at {found}: name a relay with --relay to ask there"
    )
}

impl Run {
    /// Plans, and finds those who are to answer; `false` where nobody is needed.
    pub(super) async fn prepare(&mut self, stop: &CancellationToken) -> Result<bool, RunError> {
        if self.engine.work.setup.by_code() {
            return Ok(false);
        }
        self.learner.watch.enter(Phase::Decomposition);
        learner::take_apart(&mut self.planning()).await?;
        if let Some(compound) = &self.engine.work.setup.compound {
            let parts = compound.describe();
            self.engine.work.journal.notice(RunStage::Plan, &parts);
        }
        let setup = &mut self.engine.work.setup;
        if setup.by_code() {
            return Ok(false);
        }
        if setup.plan.program().is_none() {
            setup.known.hold_to(setup.query.as_ref());
        }
        learner::choose_plan(&mut self.planning()).await;
        learner::choose_words(&mut self.planning()).await?;
        let budget = self.jobs.money.ledger.budget(&*self.engine.work.setup.id).await?;
        self.jobs.money.left = budget.available;
        self.grow_at_first(stop).await?;
        self.think(stop).await?;
        let Work { setup, subtasks, .. } = &self.engine.work;
        if subtasks.is_empty() && setup.plan.program().is_some_and(|program| program.ended) {
            // It asked nothing that takes anybody, and there is nothing to decide.
            return Ok(false);
        }
        self.jobs.commit(&mut self.engine.work);
        self.drain().await?;
        self.learner.watch.enter(Phase::Routing);
        self.jobs.money.before.agreed = self.engine.work.setup.candidates.agreed_before;
        for foreign in std::mem::take(&mut self.engine.work.setup.candidates.foreign) {
            self.engine.on_provider(foreign, false);
        }
        self.discover(stop).await?;
        let Work { setup, providers, scheduler, subtasks, journal, .. } = &mut self.engine.work;
        providers.trust.tell_trust(setup, &providers.peers, scheduler, subtasks, journal);
        Ok(true)
    }

    /// Waits until enough providers are there for the first subtask.
    pub(super) async fn discover(&mut self, stop: &CancellationToken) -> Result<(), RunError> {
        let until = self.jobs.began + self.engine.work.setup.candidates.discovery;
        let at_most = until.max(self.jobs.began + SLOWEST_RELAY);
        // Thinking about the question may have taken all of that time: who came meanwhile is here, all the same.
        self.take_up_what_came();
        let recorded = self.engine.work.recorded_to_wait_for();
        let mut is_early = true;
        while self.engine.work.hopes_for_more()
            || self.engine.work.lacks_affordable()
            || self.engine.answers.validation.is_missing()
            || is_early
                && self.engine.work.providers.heard.looking
                && self.engine.work.providers.peers.known_here() < recorded
        {
            tokio::select! {
                () = stop.cancelled() => return Err(RunError::Interrupted(self.engine.work.setup.id.clone())),
                () = tokio::time::sleep_until(until), if !self.engine.work.providers.heard.looking => break,
                () = tokio::time::sleep_until(at_most) => break,
                () = tokio::time::sleep_until(until), if is_early => is_early = false,
                event = self.jobs.ports.events.recv() => match event {
                    Some(event) => {
                        self.engine.work.now = self.jobs.began.elapsed();
                        self.on_event(event);
                    }
                    None => break,
                },
            }
        }
        if let Some(id) = self.query_that_nobody_writes() {
            self.engine.work.scheduler.give_up(id, FailureReason::NobodyLeft);
            self.planner_gave_up(id, FailureReason::NobodyLeft);
            self.grow_at_first(stop).await?;
        }
        let work = &self.engine.work;
        self.learner.found(work.providers.peers.all());
        if work.cannot_begin() {
            let reason = work.providers.heard.with_complaints(work.too_few());
            let own_model_will_do = work.own_model_can_do_all();
            let reason = with_other_relays(self.jobs.ports.swarm.clone(), reason).await;
            if !own_model_will_do || !self.engine.fall_back(&reason, false) {
                return Err(RunError::NoProviders(reason));
            }
        }
        let Engine { work, answers: AnswerDesk { validation, .. } } = &self.engine;
        let own_machine = work.providers.peers.all().iter().any(|info| info.trusted);
        if validation.is_missing() && !own_machine {
            return Err(RunError::NoProviders(validation.without_validator(&work.setup)));
        }
        self.check_budget().await
    }

    async fn check_budget(&mut self) -> Result<(), RunError> {
        let work = &self.engine.work;
        let open = work.open().map(|record| record.subtask.clone());
        let open: Vec<Subtask> = open.chain(work.setup.plan.to_come()).collect();
        let (quote, fees, limit) = self.quote_for(&open).await?;
        if quote.expected > limit {
            return Err(RunError::over_budget(quote, limit));
        }
        let usage = self.jobs.money.ledger.usage().await?;
        let work = &self.engine.work;
        work.check_limits(&open, quote.expected, &usage)?;
        if let Some(quoted) = work.quoted(quote, fees, limit, self.jobs.money.rail.as_ref()) {
            self.engine.work.journal.emit(quoted);
        }
        Ok(())
    }

    /// What subtasks will cost, how much of what is expected a mint takes, if one could be asked, and what is left of the budget:
    /// a resumed run has spent some of it already.
    async fn quote_for(&mut self, open: &[Subtask]) -> Result<(Quote, Option<Sats>, Sats), RunError> {
        let usual = self.engine.work.usual_quote(open);
        let asking = self.engine.work.fee_of_a_job(usual, open.len(), self.jobs.money.rail.as_ref());
        let each = match asking {
            Some(asking) => {
                let each = self.learner.stop.run_until_cancelled(asking).await;
                each.ok_or_else(|| RunError::Interrupted(self.engine.work.setup.id.clone()))?
            }
            None => None,
        };
        self.jobs.money.fee_of_a_job = each;
        let policy = &self.engine.work.setup.policy;
        let quote = quote::with_fees(usual, open.len(), policy, each.unwrap_or(Sats::ZERO));
        Ok((quote, each.map(|_| quote.expected.saturating_sub(usual.expected)), self.jobs.money.left))
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
                let Work { setup, subtasks, scheduler, .. } = &mut self.engine.work;
                let steps = learner::weigh(setup, &joining, subtasks.next_id());
                subtasks.make_room(joining.len());
                scheduler.entries.make_room(joining.len());
                let mut joining = joining.into_iter();
                while joining.len() > 0 {
                    let some = joining.by_ref().take(MOST_PER_PLAN_EVENT).collect();
                    self.engine.work.add(some, HashMap::new());
                    self.jobs.commit(&mut self.engine.work);
                    while !self.jobs.errands.outbox.is_empty() {
                        self.await_news(stop).await?;
                    }
                }
                self.engine.work.note_steps(steps);
            }
            if self.jobs.errands.outbox.is_empty() && !self.learner.asking.is_open() {
                return Ok(());
            }
            self.await_news(stop).await?;
        }
    }

    /// Waits until something is written, or said that the plan waits for.
    async fn await_news(&mut self, stop: &CancellationToken) -> Result<(), RunError> {
        tokio::select! {
            () = stop.cancelled() => return Err(RunError::Interrupted(self.engine.work.setup.id.clone())),
            Some(written) = self.jobs.errands.outbox.next() => drop(self.on_written(written?)),
            Some(said) = self.learner.asking.said() => learner::on_simplicity(&mut self.planning(), said),
        }
        Ok(())
    }

    /// Waits until a plan that makes up its mind beside the run has asked something, or is done: what there is to ask says
    /// who is needed.
    pub(super) async fn think(&mut self, stop: &CancellationToken) -> Result<(), RunError> {
        let deadline = self.jobs.began + self.engine.work.setup.policy.timeout.total;
        while self.engine.work.scheduler.entries.open() == 0 && self.engine.work.setup.plan.is_thinking() {
            tokio::select! {
                () = stop.cancelled() => return Err(RunError::Interrupted(self.engine.work.setup.id.clone())),
                () = tokio::time::sleep_until(deadline) => return Err(RunError::out_of_time_to_think()),
                () = notified(self.engine.work.setup.plan.woken()) => self.grow_at_first(stop).await?,
            }
        }
        Ok(())
    }

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
        let mut is_replaced = false;
        loop {
            if self.engine.answers.claims.kept.is_looking || self.learner.asking.is_open() {
                // What joins the plan next waits for that.
                return Ok(None);
            }
            let first = self.engine.work.subtasks.next_id();
            let AnswerDesk { claims, rechecks, .. } = &self.engine.answers;
            if !rechecks.out.is_empty() || claims.book.any_again() || !claims.rereading.is_empty() {
                // What is in doubt may turn out otherwise, and a second reading may add to it: nothing is built on it.
                return Ok(None);
            }
            let mut fresh = std::mem::take(&mut self.engine.work.subtasks.fresh);
            // The plan knows a part by its first reading.
            fresh.retain(|id| claims.book.seconds.part_of(*id) == *id);
            if fresh.is_empty()
                && first.0 > 0
                && !std::mem::take(released)
                && !self.engine.work.setup.plan.has_news()
                && !self.holds_nothing_back()
            {
                return Ok(None);
            }
            let Work { setup, providers, subtasks, journal, .. } = &mut self.engine.work;
            if setup.plan.may_combine() {
                let contexts = contexts_of_writers(&providers.peers, setup);
                setup.plan.keep_within(contexts);
            }
            let settled: Vec<Settled<'_>> = fresh
                .iter()
                .filter_map(|id| match &subtasks.of(*id)?.state {
                    Progress::Accepted(accepted) => Some(Settled {
                        id: *id,
                        outcome: &accepted.outcome,
                        confidence: accepted.smoothed_agreement(),
                    }),
                    _ => None,
                })
                .collect();
            let subtasks = setup.plan.next(&settled, first);
            let stage = if setup.plan.program().is_some() { RunStage::Program } else { RunStage::Plan };
            for note in setup.plan.take_notes() {
                journal.notice(stage, &note);
            }
            let subtasks = subtasks?;
            if subtasks.is_empty() {
                if let Some(plan) = setup.plan.instead() {
                    (setup.plan, *released, is_replaced) = (plan, true, true);
                    continue;
                }
                *released = learner::analyse(&mut self.planning())
                    || self.answer_proposal()
                    || self.holds_nothing_back();
                if *released {
                    continue;
                }
                return Ok(None);
            }
            let skills = subtasks.iter().fold(0, |skills, subtask| skills | subtask.skill() as u8);
            let Work { setup, providers, journal, .. } = &mut self.engine.work;
            if !may_be_answered(&providers.peers, setup, skills) {
                return Err(PlanError::NeedsWords.into());
            }
            say_what_is_planned_again(journal, &subtasks);
            if is_replaced || setup.plan.table().is_some() {
                self.pays_for(&subtasks)?;
            }
            return Ok(Some(subtasks));
        }
    }

    /// Whether the budget pays for subtasks of which no quote told, as a planner's word decided that they are asked.
    fn pays_for(&self, subtasks: &[Subtask]) -> Result<(), RunError> {
        let (quote, limit) = (self.engine.work.usual_quote(subtasks), self.jobs.money.left);
        if quote.expected > limit {
            return Err(RunError::over_budget(quote, limit));
        }
        Ok(())
    }

    /// Takes up subtasks of the plan: at once, or once it was looked up which of them earlier runs have answered.
    pub(super) fn join_plan(&mut self, subtasks: Vec<Subtask>) {
        if let Some(subtasks) = self.look_up_or_join(subtasks) {
            self.engine.work.add_subtasks(subtasks, HashMap::new());
        }
    }

    /// Has it looked up which subtasks earlier runs have answered; those that join at once where there is nothing to look up.
    pub(super) fn look_up_or_join(&mut self, subtasks: Vec<Subtask>) -> Option<Vec<Subtask>> {
        let Some(look_up) = self.engine.answers.claims.begin_to_look_up(&self.engine.work.setup, &subtasks)
        else {
            return Some(subtasks);
        };
        self.jobs.errands.outbox.push(async move { Ok(Written::Looked { found: look_up.await, subtasks }) });
        None
    }

    /// Has the plan ask what it held back by choice, once nothing is open that could still let it go on; `true` if
    /// there is any.
    fn holds_nothing_back(&mut self) -> bool {
        let work = &mut self.engine.work;
        let in_time = work.now < work.setup.policy.timeout.total;
        let settled = work.scheduler.entries.open() == 0;
        in_time && settled && work.setup.plan.hold_nothing_back()
    }

    /// Says whether the steps that were proposed are asked: where the budget pays for all of them. `false` where none are. What a
    /// mint takes for each is what it took for a job when the run was quoted, or zero where nobody was asked then; every
    /// reservation asks again.
    pub(in crate::run) fn answer_proposal(&mut self) -> bool {
        let Some(steps) = self.engine.work.setup.plan.proposed() else { return false };
        let (parts, told) = (steps.texts(), steps.describe());
        let to_come = self.engine.work.setup.plan.to_come();
        if self.engine.work.setup.known.taken_apart.is_none() {
            let usual = self.engine.work.usual_quote(&to_come);
            let fee = self.jobs.money.fee_of_a_job.unwrap_or(Sats::ZERO);
            let quote = quote::with_fees(usual, to_come.len(), &self.engine.work.setup.policy, fee);
            let left = self.jobs.money.left;
            if quote.expected > left {
                let why = format!(
                    "{told}; they are expected to cost {}, and {left} are left of the budget: the question is asked as it is",
                    quote.expected
                );
                ask_as_it_is(&mut self.planning(), &why);
                return true;
            }
            let reasoning = "something has to be found out before the rest can be asked".to_owned();
            self.engine.work.journal.emit(TraceEvent::TakenApart { parts, reasoning });
        }
        self.engine.work.journal.notice(RunStage::Plan, &told);
        self.engine.work.setup.plan.ask_in_steps(true);
        true
    }

    /// The subtask that asks for a query over a table, where providers are here and none of them can write one.
    fn query_that_nobody_writes(&self) -> Option<SubtaskId> {
        let Work { subtasks, providers, .. } = &self.engine.work;
        let peers = &providers.peers;
        if peers.all().is_empty() || peers.capable(Skill::Words as u8) > 0 {
            return None;
        }
        let is_it = |record: &SubtaskRecord| {
            matches!(record.task(), Task::Plan(PlanTask::Query(_))) && matches!(record.state, Progress::Open)
        };
        (0_u32..).zip(subtasks.iter()).find(|(_, record)| is_it(record)).map(|(id, _)| SubtaskId(id))
    }

    /// Nobody plans how the question is asked: it is asked as it is. `false` where it is another subtask.
    pub(in crate::run) fn planner_gave_up(&mut self, id: SubtaskId, why: FailureReason) -> bool {
        let Some(record) = self.engine.work.subtasks.of_mut(id) else { return false };
        let Task::Plan(task) = record.task() else { return false };
        if matches!(record.state, Progress::GaveUp(_)) {
            return true;
        }
        let lacks = match task {
            PlanTask::Steps(_) => "has a plan that counts",
            PlanTask::Query(_) => "wrote a query that code can run",
        };
        record.state = Progress::GaveUp(why);
        let latest = record.last_failure.as_deref().map_or(String::new(), |latest| format!(": {latest}"));
        self.engine.work.journal.emit(TraceEvent::GaveUp { subtask: id, why });
        ask_as_it_is(
            &mut self.planning(),
            &format!("no provider {lacks} ({}{latest}); the question is asked as it is", why.in_words()),
        );
        true
    }
}
