//! The policy that chooses how a question is taken apart, and learns from what came of it
//! (seeds/super-llm-block.md, function 2, "Reinforcement learning for decomposition").
//!
//! ```text
//!   State ─► networks ─► four heads ─► Action ─► (plan, run, verify) ─► reward
//!              ▲                          │                                │
//!              └── every 100 rewards ◄── experiences (the newest 1,000) ◄──┘
//! ```
//!
//! - [`action`]: how many steps, in which pattern, phrased how, depending on each other how
//! - [`strategy`]: what runs distinguish of that
//! - `draws`: how an action is drawn, within what is open
//! - [`state`]: what the policy sees
//! - `networks`: policy and baseline, on candle
//! - `experience`: what is learned from
//! - `surprise`: when tastes have changed
//! - [`learner`]: choosing and learning, in files that survive a restart
//! - [`tuning`]: what its user may change of that

pub mod action;
mod draws;
mod experience;
pub mod learner;
mod networks;
pub mod state;
pub mod strategy;
mod surprise;
pub mod tuning;

pub use action::{Action, Dependencies, Pattern, Phrasing};
pub use draws::Field;
pub use learner::{Choice, EpisodeId, LearnError, Learner, LearnerSettings, Stored, Update};
pub use state::{Expertise, Moment, State};
pub use strategy::{AskingOrder, Strategy};
pub use tuning::Tuning;
