//! What providers offer, what a task demands, and what stands in the way.

use frlm_conductor::route::Terms;
use frlm_learning::routing::space::RoleId;

/// Roles that a provider takes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RoleSet([u64; 4]);

impl RoleSet {
    /// A set of these roles. Roles beyond the most that a [`Space`](frlm_learning::routing::Space) holds (256) are left out.
    pub fn of(roles: impl IntoIterator<Item = RoleId>) -> Self {
        let mut set = Self::default();
        for role in roles {
            if let Some(word) = set.0.get_mut(usize::from(role.0) / 64) {
                *word |= 1 << (role.0 % 64);
            }
        }
        set
    }

    /// Whether the role is in it.
    pub fn contains(&self, role: RoleId) -> bool {
        self.0.get(usize::from(role.0) / 64).is_some_and(|word| word & (1 << (role.0 % 64)) != 0)
    }
}

/// What a provider announces. Claims, all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// Roles that it takes on.
    pub roles: RoleSet,
    /// What it can do, as bits that the caller defines.
    pub skills: u8,
    /// Tokens that prompt and answer may fill together.
    pub context_tokens: u32,
    /// What it asks, and takes at once.
    pub terms: Terms,
    /// The user's own machine: nothing leaves it.
    pub is_own_machine: bool,
}

/// What a task demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Only providers that take on this role; `None`: any.
    pub role: Option<RoleId>,
    /// All of these bits.
    pub skills: u8,
    /// Tokens of prompt and answer together.
    pub tokens: u32,
    /// What may still be spent on it.
    pub most_msats: u64,
    /// Nothing of it may leave the user's machine.
    pub private: bool,
}

/// The constraint that rules a provider out; the first that does, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The task must stay on the user's machine.
    Privacy,
    /// It does not take on the role, or lacks a skill.
    Capability,
    /// The task does not fit its context.
    Context,
    /// It asks for more than may be spent.
    Budget,
    /// It has no room now.
    Room,
}

/// Why nobody can be asked: how many providers each constraint rules out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, thiserror::Error)]
#[error(
    "none of {all} providers can take this now: {privacy} are not your own machine, {capability} lack the role or \
     skill, {context} read too little at once, {budget} are too dear, {room} are busy{}", self.advice()
)]
pub struct NobodySuits {
    /// Providers that are there.
    pub all: usize,
    /// Ruled out because the task is private.
    pub privacy: usize,
    /// Without the role or a skill.
    pub capability: usize,
    /// With too small a context.
    pub context: usize,
    /// Beyond the budget.
    pub budget: usize,
    /// Without room.
    pub room: usize,
}

impl NobodySuits {
    fn advice(&self) -> &'static str {
        if self.all == 0 {
            "; start one (frlm provide) or name a relay where some listen"
        } else if self.room > 0 {
            "; wait, room comes back when jobs are done"
        } else if self.budget > 0 {
            "; raise the budget"
        } else {
            ""
        }
    }

    pub(super) fn count(&mut self, obstacle: Obstacle) {
        let counter = match obstacle {
            Obstacle::Privacy => &mut self.privacy,
            Obstacle::Capability => &mut self.capability,
            Obstacle::Context => &mut self.context,
            Obstacle::Budget => &mut self.budget,
            Obstacle::Room => &mut self.room,
        };
        *counter += 1;
    }
}
