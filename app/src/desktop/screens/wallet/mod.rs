//! Wallet: the sats themselves, and what the ledger knows. Per run: the limit, what was spent, what is
//! reserved; every transition of a run's money; and an audit that compares it with
//! wallet, receipts and mints.

pub mod balance;
mod state;
mod view;
mod words;
pub mod work;

#[cfg(test)]
mod tests;

pub use state::{Action, Event, Listed, Tab, Wallet};
pub use view::{ACCOUNTS, STEPS, wallet_ui};
pub use words::TABS;
