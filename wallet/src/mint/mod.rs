//! Mints: the wallet's connections to them, and exchanges there. Ways to pay stand on this. Of them nothing is known here but
//! which kinds of exchanges they make ([`swap::Kind`]), and what their tasks hold in one process ([`wallet::Tasks`]).
//!
//! - [`wallet`]: the wallet over several mints, with an allow list and a limit for each
//! - `opening`: its files, and who else has it open
//! - `sealed_store`: the library's store, with what is spendable sealed in it; `sealing`: files of earlier versions, sealed once
//! - `address`: which addresses are taken, and which are the same
//! - [`asking`]: how long a mint is waited for
//! - [`health`]: mints that do not answer, and when they are asked again
//! - [`clocks`]: this machine's clock against those of mints
//! - [`sizes`]: how much a mint takes in one request
//! - [`doubt`]: a mint's word on payments, weighed before it is acted on
//! - [`shared_seed`]: sats that another wallet of the same words has spent
//! - [`swap`]: exchanges that no crash can lose, written ahead and replayed
//! - [`play_mint`]: a real mint with fake Lightning, for demos and tests (feature `play-mint`); `traffic`: what it was asked
//!
//! Each layer above adds methods to [`CashuWallet`]. A method calls those of its own layer and of the layers below; what the
//! end of an exchange means for a layer above is told to a [`swap::Purpose`].
//!
//! What other crates call and what asks a mint is boxed: the body of an `async fn` is compiled where it is polled,
//! and the library's in it would be compiled once more in every crate that pays.

pub(crate) mod address;
pub(crate) mod asking;
pub(crate) mod clocks;
mod doubt;
pub(crate) mod health;
mod opening;
#[cfg(feature = "play-mint")]
pub(crate) mod play_mint;
mod sealed_store;
mod sealing;
mod shared_seed;
pub(crate) mod sizes;
pub(crate) mod swap;
#[cfg(feature = "play-mint")]
mod traffic;
mod wallet;

pub use cdk::nuts;
pub use clocks::ClockOff;
pub use health::SilentMint;
#[cfg(feature = "play-mint")]
pub use play_mint::{PlayMint, PlayMintOptions};
#[cfg(feature = "play-mint")]
pub use traffic::Traffic;
pub use wallet::{CashuWallet, MintBalance, MintRule, Money, Recovery};
