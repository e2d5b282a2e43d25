//! The table behind an answer that code computed: its rows with the cited ones marked, what the query found, as a chart too
//! where that is a series, and the query as SQL, which can be edited and run again.

mod chart;
mod state;
mod view;
pub mod work;

#[cfg(test)]
mod tests;

pub use state::{Action, Behind, Event};
pub use view::{file_ui, found_ui, readings_ui, show_sql_ui};
