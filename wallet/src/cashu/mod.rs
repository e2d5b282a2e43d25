//! The Cashu rail: sats as bearer tokens of several mints, over their HTTP protocol.
//!
//! What a mint does with tokens that anybody may have: Lightning invoices in and out, tokens in and out, sats that the words
//! of a wallet have somewhere. How a mint is asked, and exchanges that no crash can lose, are below this, in `mint`, whose
//! public types are named here too: outside of this crate the rail is one module.
//!
//! - `adding`: trusting a mint
//! - [`lightning`]: sats in and out over Lightning invoices
//! - [`token`]: tokens in and out as text; [`sent`]: those that nobody has taken; `arriving`: coins of which a mint did
//!   not say whether it exchanged them
//! - `restore`: sats that the words have at a mint
//! - [`transfers`]: what came in and went out over Lightning and as tokens
//!
//! # What cdk 0.18.3 and mints do, and is worked around here
//!
//! Each row was seen at the versions named. The test in the last column brings it about and covers the workaround.
//! `doubt`, `swap`, `shared_seed` and `clocks` are modules of `mint`; `recovering` is one of `opening`.
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
//! Sats of a mint are a claim against that mint. Which mints may hold how much is the owner's
//! decision; nothing here ever adds a mint by itself.

mod adding;
mod arriving;
pub mod lightning;
mod restore;
pub mod sent;
pub mod token;
pub mod transfers;

#[cfg(test)]
pub(crate) mod tests;

pub use lightning::{Invoice, Paid, PaymentQuote, check_invoice};
pub use sent::SentToken;
pub use transfers::{Transfer, TransferState};

pub use crate::mint::{CashuWallet, ClockOff, MintBalance, MintRule, Money, Recovery, SilentMint, nuts};
#[cfg(feature = "play-mint")]
pub use crate::mint::{PlayMint, PlayMintOptions, Traffic};
