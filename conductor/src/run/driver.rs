//! A run in progress: what it holds, and how it goes from its start to the last line of its journal.

mod rounds;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_learning::planning::performance::Phase;
use frlm_wallet::Ledger;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::attempts::Attempts;
use super::control::Control;
use super::decide::DecisionDesk;
use super::desks::{AnswerDesk, Errands, Notes, Ports};
use super::equipment::Equipment;
use super::journal::Journal;
use super::learner::LearnerDesk;
use super::money::Money;
use super::provider_desk::ProviderDesk;
use super::route::RouteDesk;
use super::subtasks::Subtasks;
use super::{RunError, RunSetup, finish, learner};
use crate::answer::{Answer, Decision};
use crate::asker::Priority;
use crate::policy::TimeoutPolicy;
use crate::scheduler::{Scheduler, SchedulerConfig};
use crate::store::RunState;
use crate::swarm::{Swarm, SwarmEvent};
use crate::trace::TraceEvent;

/// A run in progress.
pub struct Run {
    pub(super) setup: RunSetup,
    pub(super) ports: Ports,
    pub(super) journal: Journal,
    pub(super) money: Money,
    /// What is done beside the loop.
    pub(super) errands: Errands,
    pub(super) scheduler: Scheduler,
    pub(super) providers: ProviderDesk,
    pub(super) subtasks: Subtasks,
    pub(super) attempts: Attempts,
    /// What becomes of answers.
    pub(super) answers: AnswerDesk,
    /// What decides where subtasks go; `None`: any provider with room gets them.
    pub(super) route: Option<RouteDesk>,
    /// What is made of the plan.
    pub(super) learner: LearnerDesk,
    /// What is decided after each stage, and by what.
    pub(super) decisions: DecisionDesk,
    pub(super) report: Notes,
    pub(super) began: Instant,
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

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("setup", &self.setup)
            .field("subtasks", &self.subtasks.len())
            .finish_non_exhaustive()
    }
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
        Self {
            ports: Ports { swarm, local, own, events, control, commands },
            journal,
            money: Money::new(&setup.id, ledger, equipment.rail.take()),
            errands: Errands::default(),
            scheduler: Scheduler::new(config).after(setup.known.attempts),
            providers,
            subtasks: Subtasks::default(),
            attempts: Attempts::default(),
            answers,
            route,
            learner: LearnerDesk::new(&mut equipment),
            decisions: DecisionDesk::new(&setup, equipment),
            report: Notes::new(&setup),
            began: Instant::now(),
            setup,
        }
    }

    /// Runs to the end. Whatever happens, every reservation is ended and the journal is on disk.
    pub async fn execute(mut self, stop: CancellationToken) -> Result<Answer, RunError> {
        self.learner.stop = stop.clone();
        self.learner.watch.enter(Phase::Understanding);
        self.providers.trust.recall(&mut self.journal).await;
        self.answers.claims.recall_claims(&self.providers.trust, &mut self.journal).await;
        if let Some(desk) = &mut self.route {
            desk.recall(&mut self.journal).await;
        }
        learner::recall_learner(&mut self.planning()).await;
        // Boxed, so that the caller's future does not hold all that decisions may come to.
        let outcome = Box::pin(self.drive(&stop)).await;
        let wound_up = self.shutdown().await;
        self.providers
            .trust
            .remember(&self.providers.peers, &mut self.answers.claims, &mut self.journal)
            .await;
        let asked = (self.setup.id.clone(), self.setup.question.clone());
        self.answers
            .claims
            .keep_claims(asked, &self.providers.peers, &self.subtasks, &mut self.journal)
            .await;
        if let Some(desk) = &mut self.route {
            desk.remember(&mut self.journal).await;
        }
        self.learner.watch.enter(Phase::Synthesis);
        let outcome = match (outcome, wound_up) {
            (Ok(()), Ok(())) => finish::answer(&mut self).await,
            (Err(error), _) | (Ok(()), Err(error)) => Err(error),
        };
        let providers = self.providers.peers.all().len();
        learner::record_service(&mut self.planning(), &outcome, providers).await;
        let (event, state) = match &outcome {
            Ok(answer) => (TraceEvent::RunDone { answer: Box::new(answer.clone()) }, RunState::Done),
            Err(error) => {
                let event = TraceEvent::RunFailed { error: error.to_string(), exit_code: error.exit_code() };
                let interrupted = matches!(error, RunError::Interrupted(_));
                (event, if interrupted { RunState::Interrupted } else { RunState::Failed })
            }
        };
        self.journal.emit(event);
        let closed = self.journal.close(state).await;
        let mut answer = outcome?;
        if let Err(error) = closed {
            // The answer is paid for: it is shown, and says that it could not be recorded.
            answer.decisions.push(Decision {
                stage: "record".to_owned(),
                decision: "escalate".to_owned(),
                reasoning: error.to_string(),
                retry_reason: None,
            });
        }
        Ok(answer)
    }

    /// Whether anything is looked at beside the loop that may still change what a stage would find.
    pub(super) fn reviewing(&self) -> bool {
        self.answers.checks.may_change_a_stage() || self.setup.plan.is_thinking()
    }

    /// Lets the user's own model step in; `false` if there is none or it may not.
    pub(super) fn fall_back(&mut self, reason: &str, last_resort: bool) -> bool {
        let Some(info) = self.setup.candidates.fallback.clone() else { return false };
        if !self.setup.policy.allow_local_fallback {
            return false;
        }
        if !std::mem::replace(&mut self.report.fallback_used, true) {
            self.journal.emit(TraceEvent::FallbackLocal {
                reason: reason.to_owned(),
                subtasks: self.scheduler.entries.open(),
            });
            self.journal.decide("dispatch", "retry", &format!("{reason}: your own model answers instead"));
            self.on_provider(info, last_resort);
        }
        true
    }
}
