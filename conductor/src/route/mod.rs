//! What a role tells a model, and what each provider of a venue promises (seeds/load-balanced-rl-workflow.md; design.md,
//! section 8).
//!
//! Which role at which venue works on a subtask is [`frlm_learning::routing`]'s advice, which runs follow
//! (`run/route`).
//!
//! - [`roles`]: what a role tells a model
//! - [`worth`]: what is known of the providers of a venue, and what each promises (`run/provider_scoring.rs`)

pub mod roles;
pub mod worth;

pub use worth::{ProviderWorth, Terms};
