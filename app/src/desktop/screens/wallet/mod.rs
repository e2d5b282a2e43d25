//! Wallet: the sats themselves, and what the ledger knows. Per run: the limit, what was spent, what is
//! set aside; every transition of a run's money; and an audit that proves the sums.

pub mod purse;
mod state;
mod view;
pub mod work;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub use state::Tab;
pub use state::{Action, Event, Wallet};
pub use view::wallet_ui;
