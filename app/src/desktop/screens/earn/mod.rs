//! Earn: this machine as a provider. What is offered, the jobs as they come, what became of each
//! and why, and why there are none.

mod jobs;
mod state;
mod view;
pub mod work;

#[cfg(test)]
mod tests;

pub use state::{Action, Earn, Event};
pub use view::earn_ui;
