//! A run in progress: what it holds, and its life from the first look at what is known to the journal's last line.

mod rounds;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_learning::planning::performance::Phase;
use frlm_verifier::trust::ReputationStore;
use frlm_verifier::validation::ground_truth::KnownAnswers;
use frlm_wallet::{Ledger, Sats};
use nostr::Keys;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::checks::Checks;
use super::claims::ClaimDesk;
use super::cluster::Clusters;
use super::commit::Written;
use super::control::{Control, RunCommand};
use super::decide::DecisionDesk;
use super::decided::Decided;
use super::heard::Heard;
use super::journal::Journal;
use super::learner::LearnerDesk;
use super::leave::Departures;
use super::money::{Mints, Money};
use super::outbox::Outbox;
use super::paces::Paces;
use super::peers::Peers;
use super::provider_scoring::ProviderScoring;
use super::recheck::Rechecks;
use super::route::RouteDesk;
use super::score::{AnswerMetadata, Verdicts};
use super::subtasks::SubtaskRecord;
use super::trust::TrustDesk;
use super::validate::Validation;
use super::{RunError, RunSetup, finish};
use crate::answer::{Answer, Decision, UsageReport};
use crate::asker::Priority;
use crate::dialect::Prompt;
use crate::payment::PaymentRail;
use crate::policy::TimeoutPolicy;
use crate::scheduler::{Scheduler, SchedulerConfig, SubtaskId};
use crate::store::RunState;
use crate::swarm::{ProviderInfo, Swarm, SwarmEvent, Ticket};
use crate::trace::TraceEvent;

/// A run in progress.
pub struct Run {
    pub(super) setup: RunSetup,
    pub(super) swarm: Option<Arc<dyn Swarm>>,
    local: Option<Arc<dyn Swarm>>,
    pub(super) events: mpsc::Receiver<SwarmEvent>,
    pub(super) control: Control,
    commands: mpsc::Receiver<RunCommand>,
    pub(super) journal: Journal,
    pub(super) money: Money,
    pub(super) scheduler: Scheduler,
    pub(super) peers: Peers,
    pub(super) scoring: ProviderScoring,
    /// How quickly providers are found to be.
    pub(super) paces: Paces,
    pub(super) subtasks: Vec<SubtaskRecord>,
    pub(super) sent: HashMap<Ticket, Sent>,
    /// Jobs that have not left yet.
    pub(super) departures: Departures,
    /// What is being written, and what leaves once it is.
    pub(super) outbox: Outbox<Written>,
    /// What mints are asked for.
    pub(super) mints: Mints,
    /// Verified since the plan was last asked to grow.
    pub(super) fresh: Vec<SubtaskId>,
    /// Reservations that ended in this round: they share one commit.
    pub(super) ended: Vec<(Ticket, Option<Sats>)>,
    pub(super) decisions: Decided,
    /// What relays and strangers said beside the work.
    pub(super) heard: Heard,
    /// What is known of the providers.
    pub(super) trust: TrustDesk,
    /// What the user knows to be true.
    pub(super) known: Option<Arc<dyn KnownAnswers>>,
    /// What providers have to be told of their answers.
    pub(super) verdicts: Verdicts,
    /// What verdicts say of those who answered one kind of task together.
    pub(super) clusters: Clusters,
    /// Accepted answers that others are asked for, too.
    pub(super) rechecks: Rechecks,
    /// What decides where subtasks go; `None`: any provider with room gets them.
    pub(super) route: Option<RouteDesk>,
    /// What the brain makes of the plan.
    pub(super) learner: LearnerDesk,
    /// Answers in words, and the claims that they are made of.
    pub(super) claims: ClaimDesk,
    /// Answers that wait for the policy's validator.
    pub(super) validation: Validation,
    /// Answers that are checked beside the loop.
    pub(super) checks: Checks,
    /// What is decided after each stage, and by what.
    pub(super) desk: DecisionDesk,
    /// The policy's name as it was asked for: a decision may have made it stricter.
    pub(super) policy_name: String,
    /// The answer, once the last stage has looked at it.
    pub(super) finished: Option<finish::Finished>,
    fallback_used: bool,
    /// The first of the owner's limits that stood in the way, in words.
    pub(super) over_limit: Option<String>,
    /// What models read and wrote for it, in earlier starts too.
    pub(super) usage: UsageReport,
    pub(super) began: Instant,
}

/// An attempt that is out.
pub(super) struct Sent {
    pub provider: ProviderInfo,
    pub prompt: Arc<Prompt>,
    pub at: Duration,
    /// Until when its answer is waited for.
    pub due: Duration,
    /// Whether the job is with its venue; else it waits for its pay, or for the disk.
    pub has_left: bool,
    /// Feedback events that came for it.
    pub feedback: u32,
    /// How its answer was given, once there is one.
    pub metadata: Option<AnswerMetadata>,
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
    pub fn new(setup: RunSetup, wiring: Wiring) -> Self {
        let TimeoutPolicy { per_query: per_attempt, total } = setup.policy.timeout;
        let mut config = SchedulerConfig { per_attempt, total, ..SchedulerConfig::default() };
        config.by_trust = setup.policy.verification.is_adaptive();
        config.seed = rand::random();
        config.newcomer_wait = setup.newcomers;
        if setup.asker.priority == Priority::High {
            config = config.in_a_hurry();
        }
        if wiring.swarm.is_none() {
            // Nobody else can come to this machine.
            config.newcomer_wait = Duration::ZERO;
        }
        let (control, commands) = Control::new();
        Self {
            swarm: wiring.swarm,
            local: wiring.local,
            events: wiring.events,
            control,
            commands,
            journal: wiring.journal,
            money: Money::new(&setup.id, wiring.ledger, None),
            scheduler: Scheduler::new(config).after(setup.known.attempts),
            peers: Peers::new(setup.only.clone(), setup.blocked.clone()),
            scoring: ProviderScoring::for_asker(setup.asker.priority),
            paces: Paces::default(),
            subtasks: Vec::new(),
            sent: HashMap::new(),
            departures: Departures::default(),
            outbox: Outbox::default(),
            mints: Mints::default(),
            fresh: Vec::new(),
            ended: Vec::new(),
            decisions: Decided::default(),
            heard: Heard::default(),
            trust: TrustDesk::new(&setup),
            known: None,
            verdicts: Verdicts::default(),
            clusters: Clusters::default(),
            rechecks: Rechecks::default(),
            route: None,
            learner: LearnerDesk::default(),
            claims: ClaimDesk::new(),
            validation: Validation::under(&setup.policy.verification),
            checks: Checks::under(&setup.policy.verification),
            desk: DecisionDesk::new(&setup),
            policy_name: setup.policy.verification.to_string(),
            finished: None,
            fallback_used: false,
            over_limit: None,
            usage: setup.known.usage,
            began: Instant::now(),
            setup,
        }
    }

    /// Pays providers through this rail. Without one, prices are accounted and nothing moves.
    #[must_use]
    pub fn paying_with(mut self, rail: Arc<dyn PaymentRail>) -> Self {
        let ledger = self.money.ledger().clone();
        self.money = Money::new(&self.setup.id, ledger, Some(rail));
        self
    }

    /// Is known to the providers that it pays as a run of this identity's, which has released so many locks to each of
    /// them before: they do more unreleased work for whom they know (design.md, section 5).
    #[must_use]
    pub fn known_as(mut self, identity: &Keys, released: impl IntoIterator<Item = (String, u32)>) -> Self {
        if let Some(swarm) = &self.swarm {
            swarm.known_as(identity);
        }
        self.peers.known_to(released);
        self
    }

    /// Knows providers from earlier runs by this file, and adds to it what this run sees of them.
    #[must_use]
    pub fn remembering(mut self, store: ReputationStore) -> Self {
        self.trust.remember_in(store);
        self
    }

    /// Runs to the end. Whatever happens, every reservation is ended and the journal is on disk.
    pub async fn execute(mut self, stop: CancellationToken) -> Result<Answer, RunError> {
        self.learner.stop = stop.clone();
        self.learner.watch.enter(Phase::Understanding);
        self.recall().await;
        self.recall_claims().await;
        self.recall_routes().await;
        self.recall_learner().await;
        // Boxed, so that the caller's future does not hold all that decisions may come to.
        let outcome = Box::pin(self.drive(&stop)).await;
        let wound_up = self.shutdown().await;
        self.remember().await;
        self.keep_claims().await;
        self.remember_routes().await;
        self.learner.watch.enter(Phase::Synthesis);
        let outcome = match (outcome, wound_up) {
            (Ok(()), Ok(())) => finish::answer(&mut self).await,
            (Err(error), _) | (Ok(()), Err(error)) => Err(error),
        };
        self.record_service(&outcome).await;
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
        self.checks.may_change_a_stage() || self.setup.plan.is_thinking()
    }

    /// Lets the user's own model step in; `false` if there is none or it may not.
    pub(super) fn fall_back(&mut self, reason: &str, last_resort: bool) -> bool {
        let Some(info) = self.setup.fallback.clone() else { return false };
        if !self.setup.policy.allow_local_fallback {
            return false;
        }
        if !std::mem::replace(&mut self.fallback_used, true) {
            self.journal.emit(TraceEvent::FallbackLocal {
                reason: reason.to_owned(),
                subtasks: self.scheduler.open(),
            });
            self.decide("dispatch", "retry", &format!("{reason}: your own model answers instead"));
            self.on_provider(info, last_resort);
        }
        true
    }

    /// Records a decision, as long as there are few enough of them to be read.
    pub(super) fn decide(&mut self, stage: &str, decision: &str, reasoning: &str) {
        if !self.decisions.has_room() {
            return;
        }
        self.journal.emit(TraceEvent::Decision {
            stage: stage.to_owned(),
            decision: decision.to_owned(),
            reasoning: reasoning.to_owned(),
            basis: None,
        });
        self.decisions.push(Decision {
            stage: stage.to_owned(),
            decision: decision.to_owned(),
            reasoning: reasoning.to_owned(),
            retry_reason: None,
        });
    }

    pub(super) fn venue(&self, provider: &ProviderInfo) -> Option<Arc<dyn Swarm>> {
        if provider.trusted {
            self.own_venue(&provider.id).or_else(|| self.local.clone())
        } else {
            self.swarm.clone()
        }
    }
}
