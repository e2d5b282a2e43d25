//! Sats, the budget ledger, Cashu escrow and payment rails.
//!
//! Layout, in reading order:
//! - [`amount`]: [`Sats`] and [`Msats`], which never mix and never pass through floats
//! - [`budget`]: the equation that holds for every run
//! - [`clock`]: what time it is, so that locktimes can be tested
//! - [`ledger`]: reservations and what becomes of them, durable before any network call
//! - [`seed`]: the recovery phrase, sealed at rest, and everything derived from it
//! - [`cashu`]: sats as tokens of several mints; a mint of play money. At its bottom are `cashu::journal`, the file in which
//!   everything is written ahead, and `cashu::swap`, exchanges at a mint that no crash can lose
//! - [`escrow`]: sats that only payer and provider together, or time, can open; debts and credit lines
//! - [`nwc`]: a Lightning wallet somewhere else, to fund a mint from and to withdraw to
//! - [`prepay`]: pay before the work, unescrowed, for foreign providers
//! - [`fn@reconcile`]: the outcome of payments that a dead process left in doubt
//! - `watch`: refunds in the background
//! - [`fn@audit`]: whether ledger, journal and mints match
//! - `peer_words`: what mints and wallet services say, without secrets
//! - `failpoint`: places where tests stop a process
//!
//! ```text
//!   prepay ─► nwc ──┐
//!      └────► escrow ─► cashu: wallet, tokens, Lightning ─► swap ─► journal ─► the file
//! ```
//!
//! `swap` and `journal` know neither escrow nor payments before work: what the end of an exchange means is told to a
//! `Purpose` that the opener of the wallet brings (`escrow::opening`), and each table of the journal belongs to one
//! module (listed in `cashu/journal/schema.rs`).

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod amount;
mod audit;
pub mod budget;
pub mod cashu;
pub mod clock;
pub mod escrow;
mod failpoint;
pub mod ledger;
pub mod nwc;
mod peer_words;
pub mod prepay;
mod reconcile;
pub mod seed;
mod watch;

pub use amount::{AmountError, Msats, Sats};
pub use audit::{Difference, WalletAudit, audit};
pub use budget::Budget;
pub use cashu::{CashuWallet, Money, WalletError};
pub use clock::Clock;
pub use ledger::{Key, Ledger, LedgerError, Reservation};
pub use reconcile::{ReconcileError, Reconciled, reconcile};
pub use watch::{Look, RefundWatch};
