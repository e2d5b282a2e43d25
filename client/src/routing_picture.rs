//! What routing has learned, from what is stored to what a front end draws. Everything here follows from a router and its log.

use frlm_learning::routing::space::{ActionId, TaskType};
use frlm_learning::routing::{
    Account, Coordinator as _, Health, LoadState, ProductionSettings, Router, Training,
};
use frlm_protocol::printable;

/// What one decision came to, as far as it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    task_type: String,
    load_state: String,
    action: String,
    venue: String,
    answered: bool,
    cost_msats: u64,
    latency_secs: f64,
    /// Before the load penalty, 0..=1.
    pub raw: f64,
    /// After it.
    pub adjusted: f64,
    /// 0..=1.
    pub quality: f64,
    /// 0..=0.2.
    pub penalty: f64,
    /// σ/μ of the roles' shares.
    pub imbalance: f64,
    /// Share of the window per role.
    pub utilization: Vec<f64>,
}

/// What role and venue are worth in one load state.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// Its name.
    pub load_state: String,
    /// Share of the decisions that were made in it.
    pub share: f64,
    /// Task types × actions, row by row; `None` was never tried there.
    pub cells: Vec<Option<f64>>,
}

/// What is done with a sort of task, and where a busy role shifts it.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The sort of task.
    pub task_type: String,
    /// Role and venue while nobody is hot.
    pub balanced: String,
    /// What that is worth.
    pub worth: f64,
    /// Load states that were met and in which something else is done, and what.
    pub shifts: Vec<(String, String)>,
}

/// What a venue did and cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// Its name.
    pub venue: String,
    /// Decisions that went there.
    pub jobs: u64,
    /// Those without an answer.
    pub failed: u64,
    /// Mean quality.
    pub quality: f64,
    /// Mean seconds to an answer.
    pub latency_secs: f64,
    /// All of it.
    pub msats: u64,
}

/// How production mode stands since the beginning: its `health()`, as far as it is no curve (section 2.6).
#[derive(Debug, Clone, PartialEq)]
pub struct RoutingStatus {
    /// Decisions with an answer, and without one.
    pub answered: u64,
    /// Without one.
    pub failed: u64,
    /// Failed over both, 0..=1.
    pub error_rate: f64,
    /// Requests beyond a caller's limit.
    pub refused: u64,
    /// Subtasks for which nobody could be asked.
    pub unroutable: u64,
    /// Answers that nobody checked: 0.5 counts.
    pub unjudged: u64,
    /// Answers that nobody checked and that count as their run was rated.
    pub rated: u64,
    /// Whether outcomes change what is known.
    pub online_learning: bool,
    /// Whether what is not known to be best is tried.
    pub explore: bool,
}

impl From<Health> for RoutingStatus {
    fn from(health: Health) -> Self {
        Self {
            answered: health.answered,
            failed: health.failed,
            error_rate: health.error_rate,
            refused: health.refused,
            unroutable: health.unroutable,
            unjudged: health.unjudged,
            rated: health.rated,
            online_learning: health.online_learning,
            explore: health.explore,
        }
    }
}

/// Everything on the screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// In a sentence: what this is.
    pub about: String,
    /// What its learner's name stands for.
    pub learner: &'static str,
    /// The load state now.
    pub load_state: String,
    /// σ/μ now.
    pub imbalance: f64,
    /// The chance of a try now.
    pub exploration: f64,
    /// Names of the roles.
    pub roles: Vec<String>,
    /// Names of the actions: role@venue.
    pub actions: Vec<String>,
    /// Names of the sorts of task.
    pub task_types: Vec<String>,
    /// The latest decisions, oldest first.
    pub steps: Vec<Step>,
    /// Share of all work per role.
    pub shares: Vec<f64>,
    /// Mean adjusted reward per sort of task; `None` without any.
    pub by_type: Vec<Option<f64>>,
    /// One per load state that was met.
    pub heat: Vec<Heat>,
    /// One per sort of task.
    pub policy: Vec<Policy>,
    /// One per venue.
    pub costs: Vec<Cost>,
    /// Of runs; a training has none.
    pub status: Option<RoutingStatus>,
}

/// What was learned from runs under these settings; `None` before the first decision.
pub fn of_account(account: &Account, settings: &ProductionSettings) -> Option<Picture> {
    let steps: Vec<Step> = account
        .log()
        .map(|entry| Step {
            task_type: entry.task_type.clone(),
            load_state: entry.load_state.clone(),
            action: format!("{}@{}", entry.role, entry.venue),
            venue: entry.venue.clone(),
            answered: entry.answered,
            cost_msats: entry.cost_msats,
            latency_secs: entry.latency_secs,
            raw: entry.raw,
            adjusted: entry.adjusted,
            quality: entry.judgement.quality,
            penalty: entry.penalty,
            imbalance: entry.imbalance,
            utilization: entry.utilization.clone(),
        })
        .collect();
    let router = account.router();
    let about = format!(
        "The latest {} decisions of your runs, {}; each was learned from the verdict on its answer.",
        steps.len(),
        learner(router.learner().name()).0
    );
    let health = account.health(settings.online_learning, settings.explore);
    picture(router, steps, about).map(|picture| Picture { status: Some(health.into()), ..picture })
}

/// What was learned in a training; `None` before its first iteration.
pub fn of_training(training: &Training) -> Option<Picture> {
    let router = training.router();
    let space = router.space();
    let steps: Vec<Step> = training
        .log()
        .iter()
        .map(|one| {
            let done = one.outcome.as_ref().ok();
            Step {
                task_type: space.task_type_name(one.task_type).to_owned(),
                load_state: space.load_name(one.load()),
                action: space.action_name(one.decision.action),
                venue: space.venue_name(one.decision.venue).to_owned(),
                answered: done.is_some(),
                cost_msats: done.map_or(0, |done| done.cost_msats),
                latency_secs: done.map_or(0.0, |done| done.latency_secs),
                raw: one.raw,
                adjusted: one.adjusted,
                quality: one.judgement.quality,
                penalty: one.penalty,
                imbalance: one.imbalance,
                utilization: one.utilization.clone(),
            }
        })
        .collect();
    let about = format!(
        "{} of {} iterations of the latest frlm-lab learn route on this machine, {}.",
        steps.len(),
        training.settings().iterations,
        learner(router.learner().name()).0
    );
    picture(router, steps, about)
}

fn picture(router: &Router, steps: Vec<Step>, about: String) -> Option<Picture> {
    if steps.is_empty() {
        return None;
    }
    let space = router.space();
    let met: Vec<LoadState> = space
        .load_states()
        .filter(|load| steps.iter().any(|step| step.load_state == space.load_name(*load)))
        .collect();
    let share = |count: usize| count as f64 / steps.len() as f64;
    let of_state = |name: &str| steps.iter().filter(|step| step.load_state == name).count();
    let lifetime = router.tracker().lifetime();
    let all = lifetime.iter().sum::<u64>().max(1);
    let by_type = space
        .task_types()
        .iter()
        .map(|name| mean(steps.iter().filter(|step| step.task_type == *name).map(|step| step.adjusted)));
    let costs = space.venues().iter().map(|venue| cost(venue, &steps));
    let heat = met.iter().map(|load| {
        let name = space.load_name(*load);
        Heat {
            load_state: load_words(&name),
            share: share(of_state(&name)),
            cells: cells(router, *load, &steps),
        }
    });
    Some(Picture {
        load_state: load_words(&space.load_name(router.tracker().load_state())),
        imbalance: router.tracker().imbalance(),
        exploration: router.learner().exploration(),
        roles: space.roles().iter().map(|name| shown(name)).collect(),
        actions: space.action_ids().map(|action| shown(&space.action_name(action))).collect(),
        task_types: space.task_types().iter().map(|name| shown(name)).collect(),
        shares: lifetime.iter().map(|count| *count as f64 / all as f64).collect(),
        by_type: by_type.collect(),
        heat: heat.collect(),
        policy: policy(router, &met),
        costs: costs.collect(),
        status: None,
        learner: learner(router.learner().name()).1,
        about,
        steps,
    })
}

/// Names come from settings and files.
fn shown(name: &str) -> String {
    printable(name).into_owned()
}

/// A load state as people say it: "coder hot".
fn load_words(name: &str) -> String {
    shown(name).replace('_', " ")
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn cost(venue: &str, steps: &[Step]) -> Cost {
    let here = || steps.iter().filter(|step| step.venue == venue);
    let done = || here().filter(|step| step.answered);
    Cost {
        venue: shown(venue),
        jobs: here().count() as u64,
        failed: here().filter(|step| !step.answered).count() as u64,
        quality: mean(here().map(|step| step.quality)).unwrap_or(0.0),
        latency_secs: mean(done().map(|step| step.latency_secs)).unwrap_or(0.0),
        msats: here().map(|step| step.cost_msats).sum(),
    }
}

/// What each action is worth to the learner in a load state.
fn values(router: &Router, task_type: TaskType, load: LoadState) -> Vec<f64> {
    router.learner().values(router.space(), &router.typical(task_type, load))
}

fn cells(router: &Router, load: LoadState, steps: &[Step]) -> Vec<Option<f64>> {
    let space = router.space();
    let name = space.load_name(load);
    (0..)
        .map(TaskType)
        .zip(space.task_types())
        .flat_map(|(task_type, type_name)| {
            let tried = |action: ActionId| {
                let action = space.action_name(action);
                steps.iter().any(|step| {
                    step.task_type == *type_name && step.load_state == name && step.action == action
                })
            };
            let values = values(router, task_type, load);
            space
                .action_ids()
                .zip(values)
                .map(|(action, value)| tried(action).then_some(value))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn policy(router: &Router, met: &[LoadState]) -> Vec<Policy> {
    let space = router.space();
    let best = |task_type, load| {
        let values = values(router, task_type, load);
        let best = space.action_ids().zip(values).max_by(|(_, left), (_, right)| left.total_cmp(right));
        best.map_or_else(Default::default, |(action, value)| (shown(&space.action_name(action)), value))
    };
    (0..)
        .map(TaskType)
        .zip(space.task_types())
        .map(|(task_type, name)| {
            let (balanced, worth) = best(task_type, LoadState::Balanced);
            let hot = met.iter().filter(|load| **load != LoadState::Balanced);
            let shifts = hot
                .map(|load| (load_words(&space.load_name(*load)), best(task_type, *load).0))
                .filter(|(_, action)| *action != balanced)
                .collect();
            Policy { task_type: shown(name), balanced, worth, shifts }
        })
        .collect()
}

/// How decisions are made, in words, and what the learner's name stands for.
fn learner(name: &str) -> (&'static str, &'static str) {
    match name {
        "q-table" => (
            "by a table of the mean reward of each choice",
            "Q-table: for each kind of task and state of load, the mean reward of each role and venue so far",
        ),
        _ => (
            "by an estimate of the reward of each choice",
            "LinUCB: the reward of each role and venue is estimated from kind of task and load; rarely tried \
             choices get a bonus",
        ),
    }
}
