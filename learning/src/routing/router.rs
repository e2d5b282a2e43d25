//! Tracker and learner together: decide, account, learn.
//!
//! ```text
//! decide ──► account (penalty read, then assignment recorded) ──► … the work … ──► learn
//! ```
//!
//! A caller that works on one task at a time accounts when the work is done, as the source document's
//! `rl_update` does (section 3.4); one with many tasks in flight accounts when it sends a task out, so
//! that the next decision sees it. With one task at a time both give the same numbers.

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::coordinator::{Coordinator, Experience, Learner, Mode, Situation};
use super::load::{LoadSettings, LoadState, LoadTracker};
use super::space::{ActionId, RoleId, Space, SpaceError, TaskType, VenueId};

/// Which actions are possible now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Availability {
    /// Per action: whether the venue is up and somebody there takes on the role.
    open: Vec<bool>,
    /// Per venue.
    venue_up: Vec<bool>,
}

impl Availability {
    /// Everything is possible.
    pub fn all(space: &Space) -> Self {
        Self { open: vec![true; space.actions()], venue_up: vec![true; space.venues().len()] }
    }

    /// A venue does not answer.
    pub fn close_venue(&mut self, space: &Space, venue: VenueId) {
        if let Some(up) = self.venue_up.get_mut(usize::from(venue.0)) {
            *up = false;
        }
        for role in space.role_ids() {
            self.close(space, role, venue);
        }
    }

    /// Nobody at the venue takes on the role.
    pub fn close(&mut self, space: &Space, role: RoleId, venue: VenueId) {
        if let Some(open) = self.open.get_mut(space.action(role, venue).0 as usize) {
            *open = false;
        }
    }

    /// One flag per action.
    pub fn open(&self) -> &[bool] {
        &self.open
    }
}

/// Why nothing can be decided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoRoute {
    /// No venue answers.
    #[error("all venues are down ({venues}); nothing was sent, try again when one of them answers")]
    AllVenuesDown {
        /// Their names.
        venues: String,
    },
    /// Venues answer, but nobody takes on any of the roles.
    #[error("no provider takes on any of the roles {roles}; start one that announces one of them")]
    RoleWithoutProviders {
        /// Their names.
        roles: String,
    },
    /// The task type is not known to this router.
    #[error("the task type \"{task_type}\" is not known here; known are {known}")]
    UnknownTaskType {
        /// As asked.
        task_type: String,
        /// What there is.
        known: String,
    },
}

/// What was decided, and in which situation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Where it was made.
    pub situation: Situation,
    /// What to do.
    pub action: ActionId,
    /// The action's role.
    pub role: RoleId,
    /// The action's venue.
    pub venue: VenueId,
    /// Chosen to learn something.
    pub explored: bool,
    /// What the learner thinks it is worth.
    pub value: f64,
}

impl Decision {
    /// The same decision in the positions of another space; `None` if one of its names is not there.
    pub fn translated(&self, from: &Space, to: &Space) -> Option<Self> {
        let role = |role: RoleId| to.role(from.role_name(role));
        let load = match self.situation.load {
            LoadState::Balanced => LoadState::Balanced,
            LoadState::Hot(hot) => LoadState::Hot(role(hot)?),
        };
        let penalty = |name: &String| {
            let at = from.role(name)?;
            self.situation.penalties.get(usize::from(at.0)).copied()
        };
        let situation = Situation {
            task_type: to.task_type(from.task_type_name(self.situation.task_type))?,
            load,
            penalties: to.roles().iter().map(|name| penalty(name).unwrap_or(0.0)).collect(),
        };
        let (role, venue) = (role(self.role)?, to.venue(from.venue_name(self.venue))?);
        Some(Self { situation, action: to.action(role, venue), role, venue, ..self.clone() })
    }
}

/// What an assignment cost, and the load state behind it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Accounted {
    /// Read before the assignment was recorded.
    pub penalty: f64,
    /// Read after it.
    pub next_load: LoadState,
}

/// Decides which role at which venue works on a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Router {
    space: Space,
    tracker: LoadTracker,
    learner: Learner,
}

impl Router {
    /// A router that has seen nothing.
    pub fn new(space: Space, learner: Learner, settings: LoadSettings) -> Self {
        let tracker = LoadTracker::new(space.roles().len(), settings);
        Self { space, tracker, learner }
    }

    /// Chooses a role and a venue. Nothing is recorded yet.
    pub fn decide(
        &self,
        task_type: TaskType,
        available: &Availability,
        hints: Option<&Hints>,
        mode: Mode,
        rng: &mut dyn RngCore,
    ) -> Result<Decision, NoRoute> {
        let situation = self.situation(task_type);
        let allowed = &available.open;
        let chosen = self.learner.select(&self.space, &situation, allowed, mode, rng);
        let Some(mut choice) = chosen else { return Err(self.why_not(available)) };
        let mut values = self.learner.values(&self.space, &situation);
        if let (Some(hints), false) = (hints, choice.explored) {
            hints.add_to(&self.space, &mut values);
            if let Some(action) = super::coordinator::best(&values, allowed) {
                choice.action = action;
            }
        }
        let (role, venue) = self.space.parts(choice.action);
        let value = values.get(choice.action.0 as usize).copied().unwrap_or(0.0);
        Ok(Decision { situation, action: choice.action, role, venue, explored: choice.explored, value })
    }

    /// Reads the penalty of the decision's role, then records the assignment.
    pub fn account(&mut self, role: RoleId) -> Accounted {
        let penalty = self.tracker.penalty(role);
        self.tracker.record(role);
        Accounted { penalty, next_load: self.tracker.load_state() }
    }

    /// Learns from the adjusted reward. `next`: the next task's type, `None` in production
    /// (section 3.5).
    pub fn learn(
        &mut self,
        decision: &Decision,
        accounted: Accounted,
        adjusted: f64,
        next: Option<TaskType>,
    ) {
        let experience = Experience {
            situation: &decision.situation,
            action: decision.action,
            reward: adjusted,
            next: next.map(|task_type| (task_type, accounted.next_load)),
        };
        self.learner.learn(&self.space, &experience);
    }

    /// Ends a training iteration.
    pub fn end_iteration(&mut self) {
        self.learner.end_iteration();
    }

    /// The situation of a task of this type now.
    pub fn situation(&self, task_type: TaskType) -> Situation {
        Situation { task_type, load: self.tracker.load_state(), penalties: self.tracker.penalties() }
    }

    /// A situation as it usually is in a load state: a hot role costs the most that load ever does.
    pub fn typical(&self, task_type: TaskType, load: LoadState) -> Situation {
        let most = self.tracker.settings().max_penalty;
        let penalty = |role| if load == LoadState::Hot(role) { most } else { 0.0 };
        Situation { task_type, load, penalties: self.space.role_ids().map(penalty).collect() }
    }

    /// A task type by its name.
    pub fn task_type(&self, name: &str) -> Result<TaskType, NoRoute> {
        self.space.task_type(name).ok_or_else(|| NoRoute::UnknownTaskType {
            task_type: name.to_owned(),
            known: self.space.task_types().join(", "),
        })
    }

    /// The space it decides in.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Who was busy lately.
    pub fn tracker(&self) -> &LoadTracker {
        &self.tracker
    }

    /// What was learned.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// Whether tracker and tables have the shape of the space: a file may say otherwise.
    pub fn is_sound(&self) -> bool {
        self.tracker.roles() == self.space.roles().len() && self.learner.fits(&self.space)
    }

    /// The router for other names: what was learned about names that both have is kept. The window is
    /// kept where the roles stay, and starts empty otherwise.
    #[must_use]
    pub fn adapted(&self, to: Space) -> Self {
        let learner = self.learner.adapted(&self.space, &to);
        let same_roles = to.roles() == self.space.roles();
        let adapted = Self::new(to, learner, self.tracker.settings());
        if same_roles { Self { tracker: self.tracker.clone(), ..adapted } } else { adapted }
    }

    /// The router with these names beside its own.
    pub fn joined(&self, with: &Space) -> Result<Self, SpaceError> {
        let to = self.space.joined(with)?;
        Ok(if to == self.space { self.clone() } else { self.adapted(to) })
    }

    fn why_not(&self, available: &Availability) -> NoRoute {
        if available.venue_up.iter().any(|up| *up) {
            NoRoute::RoleWithoutProviders { roles: self.space.roles().join(", ") }
        } else {
            NoRoute::AllVenuesDown { venues: self.space.venues().join(", ") }
        }
    }
}

/// What the brain suggests for a task, as a prior (seeds/super-llm-block.md, "Routing Hint"): worth at
/// most [`Hints::MOST`] reward, so that what was learned outweighs it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Hints {
    /// A role that suits, with the brain's confidence 0..=1.
    pub role: Option<(RoleId, f64)>,
    /// A venue that suits, with the brain's confidence 0..=1.
    pub venue: Option<(VenueId, f64)>,
}

impl Hints {
    /// The most that a hint can add to an action's value.
    pub const MOST: f64 = 0.10;

    fn add_to(&self, space: &Space, values: &mut [f64]) {
        for (action, value) in (0..).map(ActionId).zip(values) {
            let (role, venue) = space.parts(action);
            let weight =
                |confidence: f64| if confidence.is_finite() { confidence.clamp(0.0, 1.0) } else { 0.0 };
            for confidence in [
                self.role.filter(|(hinted, _)| *hinted == role).map(|(_, confidence)| confidence),
                self.venue.filter(|(hinted, _)| *hinted == venue).map(|(_, confidence)| confidence),
            ]
            .into_iter()
            .flatten()
            {
                *value += Self::MOST / 2.0 * weight(confidence);
            }
        }
    }
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;
