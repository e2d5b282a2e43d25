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
//! Each row was seen at the versions named. The test in the last column brings it about and covers the workaround; where the
//! projects speak of it, the row names their issue or pull request: [cdk], [Nutshell], [cashu-ts], [nuts].
//! `doubt`, `sizes`, `swap`, `shared_seed` and `clocks` are modules of `mint`; `recovering` is one of `opening`.
//!
//! | behaviour | workaround | shown by |
//! |---|---|---|
//! | cdk frees the inputs of a payment as soon as the mint calls its quote unpaid, and Nutshell 0.20.2 does so after "pending", before it begins to pay (Nutshell 1087; the same in cdk's mint: cdk 2339) | `doubt`: the word is weighed | `tests/hesitant.rs` |
//! | cdk takes a 4xx answer to a restore request, "too many requests" included, for the mint's last word about a swap or a token that it redeemed, and forgets it (since cdk 2513 it keeps one that was answered in part) | `doubt`, `post_restore` | `tokens::sats_that_a_busy_mint_did_not_name_are_asked_for_by_the_next_process` |
//! | cdk's question for the states of proofs (`check_proofs_spent`) forgets those that are spent (cdk 393), also while the exchange that spent them is not finished | `swap::inquiry::states` asks the mint itself | `escrow/tests/kills.rs` |
//! | cdk's restore calls every unspent proof free, and moves each counter on by all that it found, however far on it was | `restore` searches for an empty wallet in memory | `restore::after_adding_a_mint_many_times_the_words_still_restore_later_sats` |
//! | cdk's recovery drops the records of made tokens before it asks the mint about them, where it holds no proof for them | `recovering` lists them again | `tokens::a_token_with_an_unanswered_reclaim_is_left_alone_until_it_is_back` |
//! | cdk asks about a token's proofs by the operation that holds them, and names none where it exchanged coins for the token | `sent::name_token_proofs` names it | `tokens::a_token_made_with_change_stays_listed_across_processes_until_claimed` |
//! | cdk cannot abandon an exchange whose outputs the mint has signed for another wallet of the same words (cdk 105) | `shared_seed` asks first which counters are taken | `shared_seed::a_token_is_made_and_taken_at_the_first_try_in_a_wallet_that_is_behind` |
//! | cdk sends lists of any length, and mints bound them; they announce it since nuts 425 | `sizes`; `doubt` asks in parts | `escrow/tests/chunks.rs` |
//! | cdk makes several proofs of each size of what an invoice brings, which may be more than the mint signs at once | `lightning::fewest_proofs` | `chunks::the_words_bring_back_sats_from_a_mint_that_signs_sixteen_at_once` |
//! | cdk redeems a token only if its mint is spelled as in the wallet (cdk 267) | `token::at_mint` | `adding::a_token_that_spells_its_mint_otherwise_is_taken_there` |
//! | cdk writes and reads signatures in `cashuB` tokens as `witness`, where NUT-00, Nutshell 0.20.2 and cashu-ts 4.8.0 (cashu-ts 280) have `w` | tokens with signatures go out as `cashuA`, in tests only | `tests/foreign.rs` |
//! | cdk keeps no HTTP headers, so that the date of a mint's answer is lost | `clocks::date_of` makes a request of its own | `clocks::a_mint_without_a_time_is_held_to_the_date_of_its_answers` |
//!
//! [cdk]: https://github.com/cashubtc/cdk/issues
//! [Nutshell]: https://github.com/cashubtc/nutshell/issues
//! [cashu-ts]: https://github.com/cashubtc/cashu-ts/issues
//! [nuts]: https://github.com/cashubtc/nuts/issues
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
