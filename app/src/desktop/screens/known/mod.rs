//! Known answers: what the user holds to be right, by own check or from a file, listed, searched, forgotten, brought in
//! and taken out as JSON lines. It is a tab of Learning, over the functions that `frlm known` uses.

mod state;
mod view;
mod words;
pub mod work;

#[cfg(test)]
mod tests;

pub use state::{Action, Event, Known};
pub use view::known_ui;
