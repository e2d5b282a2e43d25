//! Providers: who can be asked at the configured relays, what each announces, how each did in the
//! recorded runs, and where each relay stands.

mod past_jobs;
mod state;
mod view;
mod words;
pub mod work;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub use state::Watching;
pub use state::{Action, Event, Providers, Relay};
pub use view::{COLUMNS, providers_ui};
pub use words::SHOWN;
