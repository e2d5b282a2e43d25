//! Training mode: the five-step workflow as a state machine that can be put away after every step
//! (seeds/load-balanced-rl-workflow.md, sections 2.5, 3.1, 4, 5 and 9.1).
//!
//! ```text
//!   Pick ─► Assign ─► Execute ─► Judge ─► Update ─┬─► Pick   iteration < iterations
//!                        │                        └─► Done   else
//!                        └─ one call to a worker  Judge: one call to the judge, or a check
//! ```
//!
//! Recovery: everything that a step needs is in the state before it, draws included (each comes from its
//! own stream of the seed, [`crate::seeded`]). A process that dies within a step repeats that step and nothing
//! else; with workers that repeat themselves the result is the one of a run that never died.

use rand::Rng as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::coordinator::{Coordinator as _, Learner, Mode};
use super::judge::{Judge, Judgement};
use super::load::{LoadSettings, LoadState};
use super::reward::{RewardSettings, adjusted};
use super::router::{Decision, NoRoute, Router};
use super::space::{RoleId, Space, TaskType};
use super::tasks::TaskBank;
use super::workers::{Execution, Workers, judgement};
use crate::seeded::{Purpose, stream};

/// What a training is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingSettings {
    /// How many tasks (section 5).
    pub iterations: u32,
    /// Makes every draw.
    pub seed: u64,
    /// Names who does the work, models above all: a training goes on only with the same. Empty: anybody.
    pub workers: String,
    /// Scores, cost and time → reward.
    pub reward: RewardSettings,
    /// The load tracker's numbers.
    pub load: LoadSettings,
}

impl Default for TrainingSettings {
    fn default() -> Self {
        Self {
            iterations: 50,
            seed: 1,
            workers: String::new(),
            reward: RewardSettings::default(),
            load: LoadSettings::default(),
        }
    }
}

/// Where an iteration stands; each step holds what the earlier ones found (section 2.5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// `pick_task` is next.
    Pick,
    /// `assign_agent` is next.
    Assign {
        /// Place of the task in the bank.
        task: usize,
    },
    /// `agent_execute` is next.
    Execute {
        /// Place of the task in the bank.
        task: usize,
        /// Who is to do it.
        decision: Decision,
    },
    /// `judge_output` is next.
    Judge {
        /// Place of the task in the bank.
        task: usize,
        /// Who did it.
        decision: Decision,
        /// What came of it, or why nothing did.
        outcome: Result<Execution, String>,
    },
    /// `rl_update` is next.
    Update {
        /// Place of the task in the bank.
        task: usize,
        /// Who did it.
        decision: Decision,
        /// What came of it, or why nothing did.
        outcome: Result<Execution, String>,
        /// What that is worth.
        judgement: Judgement,
    },
    /// All iterations are done.
    Done,
}

/// One finished iteration: what the source document's logs hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// The task's id.
    pub task: String,
    /// Its type.
    pub task_type: TaskType,
    /// Who did it, where, and why.
    pub decision: Decision,
    /// What came of it, or why nothing did.
    pub outcome: Result<Execution, String>,
    /// What that is worth.
    pub judgement: Judgement,
    /// Reward before the load penalty.
    pub raw: f64,
    /// The load penalty at the moment of decision.
    pub penalty: f64,
    /// What was learned from.
    pub adjusted: f64,
    /// Shares of the window after recording.
    pub utilization: Vec<f64>,
    /// σ/μ after recording.
    pub imbalance: f64,
    /// Chance of a try after this iteration.
    pub exploration: f64,
}

impl Iteration {
    /// The load state in which was decided.
    pub fn load(&self) -> LoadState {
        self.decision.situation.load
    }

    /// The role that did it.
    pub fn role(&self) -> RoleId {
        self.decision.role
    }
}

/// What a role has done in a training: the source document's `AgentState` (sections 2.1 and 3.4).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RoleRecord {
    /// Tasks that it was given.
    pub completed_tasks: u32,
    /// Sum of its adjusted rewards.
    pub total_reward: f64,
}

impl RoleRecord {
    /// `total_reward / completed_tasks`; 0 before the first task.
    pub fn avg_quality(&self) -> f64 {
        self.total_reward / f64::from(self.completed_tasks.max(1))
    }
}

/// Why a training cannot go on. Nothing is lost: the state is the one before the step.
#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    /// Nobody can be asked.
    #[error(transparent)]
    NoRoute(#[from] NoRoute),
    /// The tasks are not those that it began with.
    #[error("this training began with other tasks; give the same ones, or begin a new one")]
    OtherTasks,
    /// The router has no such type, role or venue any more.
    #[error("this training's state does not fit together; begin a new one")]
    Unsound,
}

/// A training under way, or done. It can be stored after every step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    settings: TrainingSettings,
    tasks: String,
    router: Router,
    step: Step,
    log: Vec<Iteration>,
}

impl Training {
    /// A training that has not begun.
    pub fn new(settings: TrainingSettings, bank: &TaskBank, space: Space, learner: Learner) -> Self {
        let router = Router::new(space, learner, settings.load);
        let step = if settings.iterations == 0 { Step::Done } else { Step::Pick };
        Self { settings, tasks: bank.fingerprint(), router, step, log: Vec::new() }
    }

    /// Whether a stored state can go on with these tasks.
    pub fn check(&self, bank: &TaskBank) -> Result<(), TrainingError> {
        if self.tasks != bank.fingerprint() {
            return Err(TrainingError::OtherTasks);
        }
        let known = |task: &usize| *task < bank.tasks().len();
        let sound = match &self.step {
            Step::Pick | Step::Done => true,
            Step::Assign { task } => known(task),
            Step::Execute { task, decision }
            | Step::Judge { task, decision, .. }
            | Step::Update { task, decision, .. } => {
                known(task) && self.router.space().action(decision.role, decision.venue) == decision.action
            }
        };
        if sound && self.router.is_sound() { Ok(()) } else { Err(TrainingError::Unsound) }
    }

    /// Does the next step.
    pub async fn advance(
        &mut self,
        bank: &TaskBank,
        workers: &dyn Workers,
        judge: Option<&Judge>,
    ) -> Result<(), TrainingError> {
        self.step = match self.step.clone() {
            Step::Pick => Step::Assign { task: self.draw(Purpose::Task).random_range(0..bank.tasks().len()) },
            Step::Assign { task } => {
                let task_type = self.type_of(bank, task)?;
                let available = workers.available(self.router.space());
                let mut rng = self.draw(Purpose::Action);
                let decision = self.router.decide(task_type, &available, None, Mode::Explore, &mut rng)?;
                Step::Execute { task, decision }
            }
            Step::Execute { task, decision } => {
                let (role, venue) = self.names(&decision);
                let doing = bank.tasks().get(task).ok_or(TrainingError::Unsound)?;
                let outcome = workers.execute(doing, &role, &venue).await.map_err(|error| error.to_string());
                Step::Judge { task, decision, outcome }
            }
            Step::Judge { task, decision, outcome } => {
                let (role, _) = self.names(&decision);
                let done = bank.tasks().get(task).ok_or(TrainingError::Unsound)?;
                let judgement = judgement(done, &role, &outcome, judge).await;
                Step::Update { task, decision, outcome, judgement }
            }
            Step::Update { task, decision, outcome, judgement } => {
                let iteration = self.update(bank, task, decision, outcome, judgement)?;
                self.log.push(iteration);
                if self.iteration() < self.settings.iterations { Step::Pick } else { Step::Done }
            }
            Step::Done => Step::Done,
        };
        Ok(())
    }

    /// `rl_update` (section 3.4): the penalty is read before the assignment is recorded, the next load
    /// state after it.
    fn update(
        &mut self,
        bank: &TaskBank,
        task: usize,
        decision: Decision,
        outcome: Result<Execution, String>,
        judgement: Judgement,
    ) -> Result<Iteration, TrainingError> {
        let task_type = self.type_of(bank, task)?;
        let raw = match &outcome {
            Ok(done) => self.settings.reward.raw(judgement.quality, done.cost_msats, done.latency_secs),
            Err(_) => 0.0,
        };
        let accounted = self.router.account(decision.role);
        let adjusted = adjusted(raw, accounted.penalty);
        let types = u16::try_from(self.router.space().task_types().len()).unwrap_or(u16::MAX);
        let next = TaskType(self.draw(Purpose::NextTask).random_range(0..types));
        self.router.learn(&decision, accounted, adjusted, Some(next));
        self.router.end_iteration();
        let id = bank.tasks().get(task).map(|task| task.id.clone()).unwrap_or_default();
        let tracker = self.router.tracker();
        Ok(Iteration {
            task: id,
            task_type,
            outcome,
            judgement,
            raw,
            penalty: accounted.penalty,
            adjusted,
            utilization: tracker.utilization(),
            imbalance: tracker.imbalance(),
            exploration: self.router.learner().exploration(),
            decision,
        })
    }

    /// What each role has done, in role order.
    pub fn role_records(&self) -> Vec<RoleRecord> {
        let mut records = vec![RoleRecord::default(); self.router.space().roles().len()];
        for iteration in &self.log {
            if let Some(record) = records.get_mut(usize::from(iteration.role().0)) {
                record.completed_tasks += 1;
                record.total_reward += iteration.adjusted;
            }
        }
        records
    }

    /// Whether all iterations are done.
    pub fn is_done(&self) -> bool {
        self.step == Step::Done
    }

    /// What comes next.
    pub fn step(&self) -> &Step {
        &self.step
    }

    /// How many iterations are done.
    pub fn iteration(&self) -> u32 {
        u32::try_from(self.log.len()).unwrap_or(u32::MAX)
    }

    /// Names the result: sha256 over every decision, its reward and what was learned, hex. Who answered
    /// and how long that really took are not in it.
    pub fn fingerprint(&self) -> Result<String, serde_json::Error> {
        let steps: Vec<_> = self
            .log
            .iter()
            .map(|one| (&one.task, &one.decision, one.judgement.quality, one.raw, one.adjusted))
            .collect();
        let text = serde_json::to_vec(&(steps, &self.router))?;
        Ok(format!("{:x}", Sha256::digest(text)))
    }

    /// What it is.
    pub fn settings(&self) -> &TrainingSettings {
        &self.settings
    }

    /// What was learned so far.
    pub fn router(&self) -> &Router {
        &self.router
    }

    /// The iterations so far.
    pub fn log(&self) -> &[Iteration] {
        &self.log
    }

    fn draw(&self, purpose: Purpose) -> rand_chacha::ChaCha8Rng {
        stream(self.settings.seed, self.log.len() as u64, purpose)
    }

    fn type_of(&self, bank: &TaskBank, task: usize) -> Result<TaskType, TrainingError> {
        let task = bank.tasks().get(task).ok_or(TrainingError::Unsound)?;
        Ok(self.router.task_type(&task.task_type)?)
    }

    fn names(&self, decision: &Decision) -> (String, String) {
        let space = self.router.space();
        (space.role_name(decision.role).to_owned(), space.venue_name(decision.venue).to_owned())
    }
}

#[cfg(test)]
#[path = "training_tests.rs"]
mod tests;
