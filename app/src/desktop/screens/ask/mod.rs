//! Ask: documents, a question, a budget; what it would cost and what would leave this machine.

mod describe;
mod foot;
mod state;
mod trouble;
mod view;
mod wishes;
mod words;
pub mod work;

#[cfg(test)]
mod tests;

pub use state::{Action, Ask, Event, Venue};
#[cfg(test)]
pub use state::{Previewed, Reading};
pub use view::ask_ui;
pub use wishes::Followed;
pub use words::POLICIES;
