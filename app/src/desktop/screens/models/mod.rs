//! Models: what this machine can run, why or why not, and a small chat to try it.

mod download;
mod state;
mod view;
mod words;
pub mod work;

#[cfg(test)]
mod tests;

pub use download::Action as Fetch;
#[cfg(test)]
pub use download::DownloadStage;
#[cfg(test)]
pub use state::Opened;
pub use state::{Action, Event, Models};
pub use view::models_ui;
