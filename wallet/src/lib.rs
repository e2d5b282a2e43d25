//! Sats, the budget ledger, Cashu escrow and payment rails.
//!
//! Layout, in reading order; each layer knows those before it and none after it (`docs/modules.md` draws it, and
//! `cargo xtask check` refuses a cycle).
//!
//! Values and small tools:
//! - [`amount`]: [`Sats`] and [`Msats`], which never mix and never pass through floats
//! - [`budget`]: the equation that holds for every run
//! - [`clock`]: what time it is, so that locktimes can be tested
//! - [`seed`]: the recovery phrase, sealed at rest, and everything derived from it
//! - `peer_words`: what mints and wallet services say, without secrets
//! - `failpoint`: places where tests stop a process
//! - `outcome`: what became of a payment
//! - `error`: what can go wrong between a wallet and its mints
//!
//! What is written ahead:
//! - [`ledger`]: reservations and what becomes of them, durable before any network call
//! - `journal`: what is about to happen at a mint, durable before it happens
//!
//! Mints:
//! - `mint`: connections to mints, and `mint::swap`: exchanges there that no crash can lose
//!
//! Ways to pay and to be paid:
//! - [`cashu`]: Lightning invoices and tokens of mints; its names include those of `mint` that other crates need
//! - [`escrow`]: sats that payer and provider can move only together, or the payer alone after the locktime
//! - [`debts`]: pay after the verdict, with a lock of escrow: debts and credit lines
//! - [`nwc`]: a Lightning wallet somewhere else, to fund a mint from and to withdraw to
//! - [`prepay`]: pay before the work, unescrowed, for foreign providers
//!
//! The wallet as a whole:
//! - `opening`: opens a wallet, and recovers what a dead process left at its mints
//! - `earnings`: what a provider has earned and is owed
//! - `stuck`: sats that should be somewhere else by now
//! - [`fn@reconcile`]: the outcome of payments that a dead process left in doubt
//! - `watch`: refunds in the background
//! - [`fn@audit`]: whether ledger, journal and mints match
//!
//! ```text
//!  opening, earnings, stuck, reconcile, watch, audit
//!      │                        │
//!    debts ─► escrow          prepay ─► nwc ─► cashu
//!                │               │               │
//!                └───────► mint (swap) ◄─────────┘
//!                              │
//!                       journal, ledger ─► the files
//! ```
//!
//! [`CashuWallet`] is the wallet that every layer adds methods to, each for what it knows. What the end of an
//! exchange means, a `mint::swap::Purpose` writes down: `escrow` implements it, and `opening` passes it in. Each table of the
//! journal belongs to one module (listed in `journal/schema.rs`).

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod amount;
mod audit;
pub mod budget;
pub mod cashu;
pub mod clock;
pub mod debts;
mod earnings;
mod error;
pub mod escrow;
mod failpoint;
mod journal;
pub mod ledger;
mod mint;
pub mod nwc;
mod opening;
mod outcome;
mod peer_words;
pub mod prepay;
mod reconcile;
pub mod seed;
mod stuck;
mod watch;

pub use amount::{AmountError, Msats, Sats};
pub use audit::{Difference, WalletAudit, audit};
pub use budget::Budget;
pub use clock::Clock;
pub use error::WalletError;
pub use ledger::{Key, Ledger, LedgerError, Reservation};
pub use mint::{CashuWallet, Money};
pub use outcome::SettlementOutcome;
pub use reconcile::{ReconcileError, Reconciled, reconcile};
pub use stuck::Stuck;
pub use watch::{Look, RefundWatch};
