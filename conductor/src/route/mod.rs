//! What a role tells a model, and which provider of a venue gets a task (seeds/load-balanced-rl-workflow.md; design.md,
//! section 8).
//!
//! Which role at which venue works on a subtask is [`frlm_learning::routing`]'s advice, which runs follow
//! (`run/route`).
//!
//! - [`roles`]: what a role tells a model
//! - [`providers`]: what is known of the providers of a venue, and which of them gets a task (`run/provider_scoring.rs`)

pub mod providers;
pub mod roles;

pub use providers::{ChoiceSettings, Needs, NobodySuits, Offer, Providers, RoleSet};
