//! The sats themselves: what each mint holds, sats in and out, what earlier runs left in escrow, and the
//! words from which everything can be restored. Over the functions that `frlm wallet` uses.

mod backup;
mod doubt;
mod mints;
mod payments;
mod state;
mod view;
pub mod work;

pub use mints::mints_card_ui;
#[cfg(test)]
pub use payments::{Flow, Move, Payment};
pub use payments::{PAYMENTS, payment_key, payments_ui};
pub use state::{Action, Event, Purse};
#[cfg(test)]
pub use state::{Held, Holdings, Mint, Order, Out, Owed, QuizStep, Receiving, Sending, Standing, Words};
pub use view::purse_ui;
