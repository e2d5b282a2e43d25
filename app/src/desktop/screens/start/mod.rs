//! Start: what can be done here, and what this machine can do.

mod abilities;
mod checklist;
mod view;
mod words;

#[cfg(test)]
mod tests;

pub use view::{start_swarm_ui, start_ui};
