//! Load-aware routing: which role at which venue for a task at this moment
//! (seeds/load-balanced-rl-workflow.md; design.md, section 8).
//!
//! Runs decide role and venue by [`production`] (the conductor's `run/route`); `frlm-lab learn route` trains and measures.
//!
//! Layout, in reading order:
//! - [`space`]: task types, roles, venues; states and actions made of them
//! - [`load`]: who was busy lately, and what that costs
//! - [`coordinator`]: the learners, a Q-table and a linear bandit, behind one trait
//! - [`router`]: tracker and learner together: decide, account, learn
//! - [`reward`]: from scores, cost and time to what a learner sees
//! - [`judge`]: a model's opinion of an answer
//! - [`tasks`]: what is trained on
//! - [`workers`]: who carries tasks out
//! - [`training`]: the five-step workflow, resumable after every step
//! - [`production`]: limits, greedy routing, online learning, health
//!
//! In the words of the source document an *agent* is a role and a *provider* a venue. Everything here
//! is deterministic for a seed.

pub mod coordinator;
pub mod judge;
pub mod load;
pub mod production;
pub mod reward;
pub mod router;
pub mod space;
pub mod tasks;
pub mod training;
pub mod workers;

pub use coordinator::{Coordinator, Experience, Learner, Mode, Situation};
pub use judge::{Judge, Judgement};
pub use load::{LoadSettings, LoadState, LoadTracker};
pub use production::{Account, Health, Production, ProductionSettings, RoutingMemory};
pub use reward::{RewardSettings, Scores, adjusted};
pub use router::{Accounted, Availability, Decision, Hints, NoRoute, Router};
pub use space::{ActionId, RoleId, Space, TaskType, VenueId};
pub use tasks::{Task, TaskBank};
pub use training::{Training, TrainingSettings};
pub use workers::{Execution, NoAnswer, Workers};

use crate::saved::Stamp;

/// What files of routing say they are.
pub const STAMP: Stamp = Stamp { format: "frlm-routing", version: 1 };
