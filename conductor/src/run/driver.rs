//! A run in progress: what it holds, and how it goes from its start to the last line of its journal.

mod plan;
mod rounds;

use self::plan::notified;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use frlm_learning::planning::performance::Phase;
use frlm_questions::answer::{Answer, Decision};
use frlm_questions::asker::Priority;
use frlm_scheduler::{Scheduler, SchedulerConfig};
use frlm_wallet::Ledger;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::attempts::Attempts;
use super::control::Control;
use super::decide::DecisionDesk;
use super::desks::{Errands, JobDesk, Ports};
use super::engine::{AnswerDesk, Engine};
use super::equipment::Equipment;
use super::journal::Journal;
use super::learner::{LearnerDesk, Planning};
use super::money::{Errand, Money};
use super::provider_desk::ProviderDesk;
use super::route::RouteDesk;
use super::work::Work;
use super::{RunError, RunSetup, finish, learner};
use crate::policy::TimeoutPolicy;
use crate::store::RunState;
use crate::swarm::{Swarm, SwarmEvent, Ticket};
use crate::trace::{RunStage, TraceEvent};

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

/// A run in progress.
pub struct Run {
    /// What is asked, of whom, and what becomes of answers.
    pub(super) engine: Engine,
    /// What is decided after each stage, and by what.
    pub(super) decisions: DecisionDesk,
    /// What is made of the plan.
    pub(super) learner: LearnerDesk,
    /// Sends jobs and pays for them.
    pub(super) jobs: JobDesk,
}

/// What [`Run::new`] is wired to.
pub struct Wiring {
    /// The swarm; `None` for purely local runs.
    pub swarm: Option<Arc<dyn Swarm>>,
    /// The user's own model.
    pub local: Option<Arc<dyn Swarm>>,
    /// Events of both.
    pub events: mpsc::Receiver<SwarmEvent>,
    /// The budget authority.
    pub ledger: Ledger,
    /// Where everything is recorded.
    pub journal: Journal,
}

impl Run {
    /// A run that has not begun.
    pub fn new(mut setup: RunSetup, wiring: Wiring, mut equipment: Equipment) -> Self {
        let TimeoutPolicy { per_query: per_attempt, total } = setup.policy.timeout;
        let mut config = SchedulerConfig { per_attempt, total, ..SchedulerConfig::default() };
        config.by_trust = setup.policy.verification.is_adaptive();
        config.seed = rand::random();
        config.newcomer_wait = setup.candidates.newcomers;
        if setup.asker.priority == Priority::High {
            config = config.in_a_hurry();
        }
        if wiring.swarm.is_none() {
            // Nobody else can come to this machine.
            config.newcomer_wait = Duration::ZERO;
        }
        let (control, commands) = Control::new();
        let Wiring { swarm, local, events, ledger, journal } = wiring;
        let answers = AnswerDesk::new(&mut setup, &mut equipment);
        let mut providers = ProviderDesk::new(&setup, &mut equipment);
        if let Some((identity, released)) = equipment.identity.take() {
            if let Some(swarm) = &swarm {
                swarm.known_as(&identity);
            }
            providers.peers.known_to(released);
        }
        let route = equipment.routing.take().map(RouteDesk::new);
        if let Some(desk) = &route {
            providers.peers.place(&desk.venues);
        }
        let own = route.as_ref().map_or_else(HashMap::new, |desk| desk.venues.engines().collect());
        let jobs = JobDesk {
            ports: Ports { swarm, local, own, events, control, commands },
            money: Money::new(&setup.id, ledger, equipment.rail.take()),
            errands: Errands::default(),
            began: Instant::now(),
        };
        let learner = LearnerDesk::new(&mut equipment);
        let decisions = DecisionDesk::new(&setup, equipment);
        let mut scheduler = Scheduler::new(config);
        scheduler.entries.count_from(setup.known.attempts);
        let work = Work::new(setup, journal, scheduler, providers, route);
        Self { engine: Engine { work, answers }, decisions, learner, jobs }
    }

    /// What gives orders to this run.
    pub fn control(&self) -> Control {
        self.jobs.ports.control.clone()
    }

    /// Runs to the end. Whatever happens, every reservation is ended and the journal is on disk.
    pub async fn execute(mut self, stop: CancellationToken) -> Result<Answer, RunError> {
        self.learner.stop = stop.clone();
        self.learner.watch.enter(Phase::Understanding);
        let Engine { work: Work { providers, journal, route, .. }, answers } = &mut self.engine;
        providers.trust.recall(journal).await;
        answers.claims.recall_claims(&providers.trust, journal).await;
        if let Some(desk) = route {
            desk.recall(journal).await;
        }
        learner::recall_learner(&mut self.planning()).await;
        // Boxed, so that the caller's future does not hold all that decisions may come to.
        let outcome = Box::pin(self.drive(&stop)).await;
        let wound_up = self.shutdown().await;
        let Engine { work, answers: AnswerDesk { claims, .. } } = &mut self.engine;
        let Work { setup, providers, subtasks, journal, route, .. } = work;
        providers.trust.remember(&providers.peers, claims, journal).await;
        let asked = (setup.id.clone(), setup.question.clone());
        claims.keep_claims(asked, &providers.peers, subtasks, journal).await;
        if let Some(desk) = route {
            desk.remember(journal).await;
        }
        self.learner.watch.enter(Phase::Synthesis);
        let outcome = match (outcome, wound_up) {
            (Ok(()), Ok(())) => finish::answer(&mut self).await,
            (Err(error), _) | (Ok(()), Err(error)) => Err(error),
        };
        let providers = self.engine.work.providers.peers.all().len();
        learner::record_service(&mut self.planning(), &outcome, providers).await;
        let (event, state) = match &outcome {
            Ok(answer) => (TraceEvent::RunDone { answer: Box::new(answer.clone()) }, RunState::Done),
            Err(error) => {
                let event = TraceEvent::RunFailed { error: error.to_string(), exit_code: error.exit_code() };
                let interrupted = matches!(error, RunError::Interrupted(_));
                (event, if interrupted { RunState::Interrupted } else { RunState::Failed })
            }
        };
        self.engine.work.journal.emit(event);
        let closed = self.engine.work.journal.close(state).await;
        let mut answer = outcome?;
        if let Err(error) = closed {
            // The answer is paid for: it is shown, and says that it could not be recorded.
            answer.decisions.push(Decision::notice(RunStage::Record, error.to_string()));
        }
        Ok(answer)
    }

    /// What planning works on.
    pub(super) fn planning(&mut self) -> Planning<'_> {
        let Work { setup, journal, subtasks, steps, .. } = &mut self.engine.work;
        let (learner, decisions) = (&mut self.learner, &self.decisions);
        Planning { learner, setup, journal, decisions, subtasks, steps, began: self.jobs.began }
    }

    /// Takes back what is out and ends every reservation, whatever happened before.
    pub(super) async fn shutdown(&mut self) -> Result<(), RunError> {
        self.engine.answers.rechecks.end(&mut self.engine.work);
        self.jobs.cancel_at_once(&mut self.engine);
        let written = self.drain().await;
        // A payment that has begun is not abandoned half-way.
        while let Some(paid) = self.jobs.money.paid_before().await? {
            // Nobody waits for an answer any more: a token stays here.
            if let Some(handover) = self.jobs.on_paid_before(&mut self.engine, paid) {
                self.jobs.money.before.kept_back(handover.ticket);
            }
        }
        let locked = self.await_locks().await;
        for answer in self.engine.answers.validation.held() {
            self.engine.end_without_verdict(answer, "the run was over before it came");
        }
        let Attempts { sent, ended, .. } = &mut self.engine.work.attempts;
        self.jobs.cancel_all(std::mem::take(sent));
        let listed: HashSet<Ticket> = ended.iter().map(|(ticket, _)| *ticket).collect();
        let open = self.jobs.money.held.keys().filter(|ticket| !listed.contains(ticket));
        ended.extend(open.map(|ticket| (*ticket, None)));
        self.jobs.commit(&mut self.engine.work);
        // What cannot be recorded is settled all the same.
        let recorded = self.drain().await;
        self.jobs.money.end(&mut self.engine.work.attempts, &mut self.jobs.errands.outbox);
        let ended = self.drain().await;
        let paid = self.await_mints(Errand::Pay, LAST_PAY).await;
        self.jobs.money.settle_acknowledged(&mut self.jobs.errands.outbox);
        let told = self.drain().await;
        // Behind the words that pay, and while those are awaited.
        let told_by = self.engine.answers.verdicts.tell_last_verdicts(&self.jobs.ports);
        let returned = self.await_returns().await;
        self.engine.answers.verdicts.await_verdicts(told_by).await;
        written.and(locked).and(recorded).and(ended).and(paid).and(told).and(returned)
    }

    /// Gives mints a moment for the locks of a run that is over; jobs whose cost is still asked for never leave.
    async fn await_locks(&mut self) -> Result<(), RunError> {
        self.jobs.errands.mints.errands.give_up(Errand::Price);
        let locked = self.await_mints(Errand::Lock, LAST_LOCKS).await;
        self.jobs.money.give_up_locks(&mut self.jobs.errands.mints);
        self.engine.work.attempts.departures.unlocked.clear();
        locked.and(self.drain().await)
    }

    /// Waits for mints, as long as the run is not stopped; once it is, for a moment.
    async fn await_mints(&mut self, errand: Errand, timeout: Duration) -> Result<(), RunError> {
        let stop = self.learner.stop.clone();
        let mut is_stopped = false;
        let mut until = Instant::now() + timeout;
        while self.jobs.errands.mints.errands.any(errand) {
            tokio::select! {
                () = tokio::time::sleep_until(until) => break,
                () = stop.cancelled(), if !is_stopped => {
                    is_stopped = true;
                    until = until.min(Instant::now() + WHEN_STOPPED);
                }
                Some(done) = self.jobs.errands.mints.next() => self.on_done_by_mint(done),
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
            self.jobs.money.begin_to_reclaim(&mut self.jobs.errands.mints);
            self.jobs.money.settle_acknowledged(&mut self.jobs.errands.outbox);
            self.drain().await?;
            if !self.jobs.money.returns.any_awaited() && !self.jobs.money.after.is_telling() {
                return Ok(());
            }
            tokio::select! {
                () = tokio::time::sleep_until(until) => break,
                Some(done) = self.jobs.errands.mints.next() => self.on_done_by_mint(done),
                event = self.jobs.ports.events.recv() => match event {
                    Some(SwarmEvent::Returned { ticket, payload }) => self.jobs.money.on_returned(ticket, payload),
                    Some(SwarmEvent::Told { ticket }) => self.jobs.money.after.on_told(ticket),
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
}
