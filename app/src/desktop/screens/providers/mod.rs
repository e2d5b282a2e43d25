//! Providers: who can be asked at the configured relays, what each announces, how each did in the
//! recorded runs, and where each relay stands.

mod record;
mod state;
mod view;
pub mod work;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub use state::Watching;
pub use state::{Action, Event, Providers, Show};
pub use view::{COLUMNS, providers_ui};
