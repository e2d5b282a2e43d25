//! Runs: every recorded run, to find, replay, compare, go on with, export and delete.

mod compare;
mod state;
mod view;
mod words;
pub mod work;

#[cfg(test)]
mod tests;

pub use state::{Action, Event, Runs};
pub use view::{COLUMNS, runs_ui};
pub use words::SHOWN;
