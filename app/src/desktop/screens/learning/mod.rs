//! Learning: what routing has learned from runs, or in a training, as stored on this machine: the six panels of
//! the source document (seeds/load-balanced-rl-workflow.md, section 5), the load states that were met, what each
//! role at each venue is worth by load state, where the policy shifts, and costs. Below them, what runs have taught about
//! taking questions apart (seeds/super-llm-block.md, "Intelligence State"). Beside them,
//! how each verification policy fares in a simulated swarm with liars in it.

mod charts;
mod grid;
mod plans_view;
mod red_team_view;
mod state;
mod view;
mod words;
pub mod work;

#[cfg(test)]
mod tests;

pub use state::{Action, Event, Learning, Source};
pub use view::learning_ui;
