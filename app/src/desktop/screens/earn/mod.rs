//! Earn: this machine as a provider. What is offered, the jobs as they come, what became of each
//! and why, and why there are none.

mod form;
mod hours;
mod jobs;
mod lists;
mod offer;
mod payment_setup;
mod rest;
mod state;
mod view;
mod words;
pub mod work;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub use form::Field;
pub use lists::{JOBS, PAY};
#[cfg(test)]
#[cfg(test)]
pub use state::PaymentSetup;
pub use state::{Action, Earn, Event, Listed, Status};
pub use view::earn_ui;
