//! Runs: every recorded run, to find, replay, compare, go on with, export and delete.

mod compare;
mod state;
mod view;
pub mod work;

#[cfg(test)]
mod tests;

pub use state::{Action, Event, Runs, Show};
pub use view::{COLUMNS, runs_ui};
