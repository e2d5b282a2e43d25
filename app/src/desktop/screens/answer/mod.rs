//! Answer: the answer, every claim with its quote, line, provider and verdict, and what is missing.

mod checked;
mod page;
mod reading;
mod sources;
mod state;
pub mod table;
mod view;
mod words;
pub mod work;

#[cfg(test)]
mod tests;

pub use state::{Action, AnswerScreen, Event, Format};
pub use view::answer_ui;
