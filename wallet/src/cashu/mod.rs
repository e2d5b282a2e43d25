//! The Cashu rail: sats as bearer tokens of several mints, over their HTTP protocol.
//!
//! - [`wallet`]: one wallet over several mints, with an allow list and a cap for each
//! - `opening`: its files, who else has it open, and what a dead process left
//! - `sealed_store`: the library's store, with what is spendable sealed in it; `sealing`: files of earlier versions, sealed once
//! - `mint_address`: which addresses are taken, and which are the same
//! - [`adding`]: trusting a mint
//! - [`lightning`]: sats in and out over Lightning invoices
//! - [`doubt`]: a mint's word on payments, weighed before it is acted on
//! - [`token`]: tokens in and out as text; [`sent`]: those that nobody has taken; [`arriving`]: coins of which a mint did
//!   not say whether it exchanged them
//! - [`recovering`]: what a dead process left, at all mints at once
//! - [`restore`]: sats that the words have at a mint
//! - [`shared_seed`]: sats that another wallet of the same words has spent
//! - [`clocks`]: this machine's clock against those of mints
//! - [`health`]: mints that do not answer, and when they are asked again
//! - `sizes`: how much a mint takes in one request
//! - [`transfers`]: what came in and went out over Lightning and as tokens
//! - [`swap`]: exchanges at a mint that no crash can lose, written ahead and replayed
//! - [`journal`]: the file in which they are written ahead
//! - [`play_mint`]: a real mint with fake Lightning, for demos and tests (feature `play-mint`); [`traffic`]: what it was asked
//!
//! What other crates call and what asks a mint is boxed here: the body of an `async fn` is compiled where it is polled,
//! and the library's in it would be compiled once more in every crate that pays.
//!
//! Sats of a mint are a claim against that mint. Which mints may hold how much is the owner's
//! decision; nothing here ever adds a mint by itself.

mod adding;
mod arriving;
pub mod clocks;
mod doubt;
mod error;
pub mod health;
pub(crate) mod journal;
pub mod lightning;
mod mint_address;
mod opening;
#[cfg(feature = "play-mint")]
pub mod play_mint;
mod recovering;
mod restore;
mod sealed_store;
mod sealing;
pub mod sent;
mod shared_seed;
pub(crate) mod sizes;
pub(crate) mod swap;
pub mod token;
#[cfg(feature = "play-mint")]
mod traffic;
pub mod transfers;
pub mod wallet;

#[cfg(test)]
pub(crate) mod tests;

pub use cdk::nuts;
pub use clocks::ClockOff;
pub use error::WalletError;
pub use health::SilentMint;
pub use lightning::{Invoice, Paid, PaymentQuote, check_invoice};
#[cfg(feature = "play-mint")]
pub use play_mint::{PlayMint, PlayMintOptions};
pub use sent::SentToken;
#[cfg(feature = "play-mint")]
pub use traffic::Traffic;
pub use transfers::{Transfer, TransferState};
pub use wallet::{CashuWallet, MintBalance, MintRule, Money, Recovery};
