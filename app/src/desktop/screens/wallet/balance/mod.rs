//! The sats themselves: what each mint holds, sats in and out, what earlier runs left in escrow, and the
//! words from which everything can be restored. Over the functions that `frlm wallet` uses.

mod action;
mod backup;
mod doubt;
mod holdings;
mod mints;
mod payments;
mod state;
mod view;
pub mod work;

#[cfg(test)]
pub use action::QuizStep;
pub use action::{Action, Event};
#[cfg(test)]
pub use holdings::{Held, Holdings, Mint, Out, Owed, WalletStatus};
pub use mints::mints_card_ui;
#[cfg(test)]
pub use payments::{Flow, Move, Payment};
pub use payments::{PAYMENTS, payment_key, payments_ui};
pub use state::Balance;
#[cfg(test)]
pub use state::{Receiving, Secret, SendRequest, Sending};
pub use view::balance_ui;
