//! The Cashu rail: sats as bearer tokens of several mints, over their HTTP protocol.
//!
//! - [`wallet`]: one wallet over several mints, with an allow list and a limit for each
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
//! # What cdk 0.18.3 and mints do, and is worked around here
//!
//! Each row was seen at the versions named. The test in the last column brings it about and covers the workaround.
//!
//! | behaviour | workaround | shown by |
//! |---|---|---|
//! | cdk frees the inputs of a payment as soon as the mint calls its quote unpaid, and Nutshell 0.20.2 does so after "pending", before it begins to pay (the mint's side of the same: cdk pull request 2339) | `doubt`: the word is weighed | `tests/hesitant.rs` |
//! | cdk takes any HTTP error to a restore request, "too many requests" included, for the mint's last word about an exchange, and forgets it | `doubt`, `post_restore` | `tokens::sats_that_a_busy_mint_did_not_name_are_asked_for_by_the_next_process` |
//! | cdk's question for the states of proofs forgets those that are spent, also while the exchange that spent them is not finished | `swap::inquiry::states` asks the mint itself | `escrow/tests/kills.rs` |
//! | cdk's restore calls every unspent proof free, and moves each counter on by all that it found, however far on it was | `restore` searches for an empty wallet in memory | `restore::after_adding_a_mint_many_times_the_words_still_restore_later_sats` |
//! | cdk's recovery drops the records of made tokens before it asks the mint about them | `recovering` lists them again | `tokens::a_token_with_an_unanswered_reclaim_is_left_alone_until_it_is_back` |
//! | cdk cannot abandon an exchange whose outputs the mint has signed for another wallet of the same words | `shared_seed` asks first which counters are taken | `shared_seed::a_token_is_made_and_taken_at_the_first_try_in_a_wallet_that_is_behind` |
//! | cdk redeems a token only if its mint is spelled as in the wallet | `token::at_mint` | `adding::a_token_that_spells_its_mint_otherwise_is_taken_there` |
//! | cdk writes and reads signatures in `cashuB` tokens as `witness`, where NUT-00, cashu-ts 4.8.0 and Nutshell 0.20.2 have `w` | tokens with signatures go out as `cashuA`, in tests only | `tests/foreign.rs` |
//! | cdk keeps no HTTP headers, so that the date of a mint's answer is lost | `clocks::date_of` makes a request of its own | `clocks::a_mint_without_a_time_is_held_to_the_date_of_its_answers` |
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
