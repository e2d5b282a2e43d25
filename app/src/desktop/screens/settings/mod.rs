//! Settings: what `config.toml` says, written back without losing what its owner wrote there;
//! privacy, appearance, diagnostics and the log.

mod asking;
mod form;
mod kept;
mod logs;
mod look;
mod money;
mod state;
mod thresholds;
mod view;
mod words;
pub mod work;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub use form::Flag;
pub use state::{Action, Event, Section, Settings};
pub use thresholds::figure_counts;
pub use view::settings_ui;
pub use words::SECTIONS;
