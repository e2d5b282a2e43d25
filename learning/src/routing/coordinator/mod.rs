//! The learners behind routing.
//!
//! [`QTable`] is the source document's coordinator; [`LinearBandit`] is its rival, and the default where it was
//! better in the simulation (docs/decisions/0008-routing-by-a-bandit.md). Both see the same situations and learn
//! from the same adjusted rewards.

mod bandit;
mod q_table;

pub use bandit::{BanditSettings, LinearBandit};
pub use q_table::{QSettings, QTable};
use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::load::LoadState;
use super::space::{ActionId, Space, TaskType};

/// Where a decision is due.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Situation {
    /// What sort of task it is.
    pub task_type: TaskType,
    /// Which role is hot.
    pub load: LoadState,
    /// The load penalty of every role now, in role order.
    pub penalties: Vec<f64>,
}

/// Whether to try things out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Training: explore as the learner's schedule says.
    Explore,
    /// Production: the best known action, always (section 3.5: ε = 0).
    Greedy,
}

/// What became of a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Experience<'a> {
    /// Where it was made.
    pub situation: &'a Situation,
    /// What was done.
    pub action: ActionId,
    /// The reward after the load penalty, 0..=1.
    pub reward: f64,
    /// The next task's type and the load state after recording; `None` ends the episode (production).
    pub next: Option<(TaskType, LoadState)>,
}

/// A choice and whether it was a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Role and venue.
    pub action: ActionId,
    /// Chosen to learn something, not because it is best.
    pub explored: bool,
}

/// Learns which role at which venue is best.
pub trait Coordinator {
    /// For people: `q-table`, `linucb`.
    fn name(&self) -> &'static str;

    /// Chooses among the allowed actions (one flag per action); `None` if none is allowed.
    fn select(
        &self,
        space: &Space,
        situation: &Situation,
        allowed: &[bool],
        mode: Mode,
        rng: &mut dyn RngCore,
    ) -> Option<Choice>;

    /// Takes in what became of a decision.
    fn learn(&mut self, space: &Space, experience: &Experience<'_>);

    /// Ends a training iteration: exploration becomes rarer where there is a schedule.
    fn end_iteration(&mut self);

    /// The worth of every action as the learner sees it.
    fn values(&self, space: &Space, situation: &Situation) -> Vec<f64>;

    /// The chance that a decision in training is a try (ε); 0 where tries are not drawn.
    fn exploration(&self) -> f64;

    /// The learner for another space: what was learned about names that both have is kept.
    #[must_use]
    fn adapted(&self, from: &Space, to: &Space) -> Self
    where
        Self: Sized;
}

/// A learner that can be stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Learner {
    /// The source document's.
    QTable(QTable),
    /// The rival.
    Linear(LinearBandit),
}

impl Learner {
    /// A Q-table with the source document's numbers.
    pub fn q_table(space: &Space) -> Self {
        Self::QTable(QTable::new(space, QSettings::default()))
    }

    /// A linear bandit with its default numbers.
    pub fn linear(space: &Space) -> Self {
        Self::Linear(LinearBandit::new(space, BanditSettings::default()))
    }

    /// The one that is used unless another is named (docs/decisions/0008-routing-by-a-bandit.md).
    pub fn default_for(space: &Space) -> Self {
        Self::linear(space)
    }

    /// Whether its tables have the shape of this space.
    pub fn fits(&self, space: &Space) -> bool {
        match self {
            Self::QTable(table) => table.fits(space),
            Self::Linear(bandit) => bandit.fits(space),
        }
    }
}

impl Coordinator for Learner {
    fn name(&self) -> &'static str {
        match self {
            Self::QTable(table) => table.name(),
            Self::Linear(bandit) => bandit.name(),
        }
    }

    fn select(
        &self,
        space: &Space,
        situation: &Situation,
        allowed: &[bool],
        mode: Mode,
        rng: &mut dyn RngCore,
    ) -> Option<Choice> {
        match self {
            Self::QTable(table) => table.select(space, situation, allowed, mode, rng),
            Self::Linear(bandit) => bandit.select(space, situation, allowed, mode, rng),
        }
    }

    fn learn(&mut self, space: &Space, experience: &Experience<'_>) {
        match self {
            Self::QTable(table) => table.learn(space, experience),
            Self::Linear(bandit) => bandit.learn(space, experience),
        }
    }

    fn end_iteration(&mut self) {
        match self {
            Self::QTable(table) => table.end_iteration(),
            Self::Linear(bandit) => bandit.end_iteration(),
        }
    }

    fn values(&self, space: &Space, situation: &Situation) -> Vec<f64> {
        match self {
            Self::QTable(table) => table.values(space, situation),
            Self::Linear(bandit) => bandit.values(space, situation),
        }
    }

    fn exploration(&self) -> f64 {
        match self {
            Self::QTable(table) => table.exploration(),
            Self::Linear(bandit) => bandit.exploration(),
        }
    }

    fn adapted(&self, from: &Space, to: &Space) -> Self {
        match self {
            Self::QTable(table) => Self::QTable(table.adapted(from, to)),
            Self::Linear(bandit) => Self::Linear(bandit.adapted(from, to)),
        }
    }
}

/// The first allowed action of highest value.
pub(super) fn best(values: &[f64], allowed: &[bool]) -> Option<ActionId> {
    let mut found: Option<(u32, f64)> = None;
    for (action, (value, allowed)) in (0_u32..).zip(values.iter().zip(allowed)) {
        if *allowed && found.is_none_or(|(_, best)| *value > best) {
            found = Some((action, *value));
        }
    }
    found.map(|(action, _)| ActionId(action))
}

/// Pairs of an action here and the action of the same names there.
fn common_actions<'a>(from: &'a Space, to: &'a Space) -> impl Iterator<Item = (usize, usize)> + 'a {
    from.action_ids().filter_map(move |action| {
        let (role, venue) = from.parts(action);
        let role = to.role(from.role_name(role))?;
        let venue = to.venue(from.venue_name(venue))?;
        Some((action.0 as usize, to.action(role, venue).0 as usize))
    })
}
