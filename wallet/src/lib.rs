//! Sats, the budget ledger and (later) payment rails.
//!
//! Layout:
//! - [`amount`]: [`Sats`] and [`Msats`], which never mix and never pass through floats
//! - [`budget`]: the equation that holds for every run
//! - [`ledger`]: reservations and what becomes of them, durable before any network call

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod amount;
pub mod budget;
pub mod ledger;

pub use amount::{AmountError, Msats, Sats};
pub use budget::Budget;
pub use ledger::{Key, Ledger, LedgerError, Reservation};
