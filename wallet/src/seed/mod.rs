//! The wallet's seed: a BIP-39 phrase of its own, and everything that is derived from it.
//!
//! The phrase is shown to its owner once. At rest it is sealed ([`vault`]), and with it what can be spent. From the seed come the
//! secrets of all sats that the wallet receives (NUT-13), and, through [`Escrow`](EscrowRoot) keys,
//! the nonces and keys of every lock: what was in flight when a process died can be made again.

pub(crate) mod at_rest;
mod escrow_root;
pub mod vault;

use std::fmt;

use bip39::Mnemonic;
use zeroize::Zeroize as _;

pub use at_rest::KeyAtRest;
pub use escrow_root::{EscrowRoot, provider_lock_key};
/// What holds words outside of a [`Phrase`]: it wipes them when it goes.
pub use zeroize::Zeroizing;

/// Words of a phrase that are asked for, to see that all were written down.
const ASKED_WORDS: usize = 3;
/// Bytes of entropy behind a phrase of twelve words.
const ENTROPY_BYTES: usize = 16;

/// Why a phrase is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no recovery phrase: {0}; write the 12 or 24 words as they were shown, in order")]
pub struct PhraseError(String);

/// The words from which everything can be restored.
#[derive(Clone, PartialEq, Eq)]
pub struct Phrase(Mnemonic);

impl Phrase {
    /// Twelve new words from the system's randomness.
    ///
    /// # Panics
    ///
    /// Never: sixteen bytes are a valid length.
    pub fn generate() -> Self {
        let mut entropy: [u8; ENTROPY_BYTES] = rand::random();
        let phrase = Mnemonic::from_entropy(&entropy).expect("sixteen bytes are a valid length");
        entropy.zeroize();
        Self(phrase)
    }

    /// Reads words that somebody wrote down; capitals and spacing do not matter.
    ///
    /// # Errors
    ///
    /// An unknown word, a wrong number of words, or a checksum that does not fit.
    pub fn parse(words: &str) -> Result<Self, PhraseError> {
        let words = Zeroizing::new(frlm_util::text::collapse_whitespace(words));
        let words = Zeroizing::new(words.to_lowercase());
        Mnemonic::parse_normalized(&words).map(Self).map_err(|error| PhraseError(error.to_string()))
    }

    /// The words, for the one moment in which they are shown.
    pub fn reveal(&self) -> String {
        self.0.to_string()
    }

    /// As [`places_to_ask`], of this phrase.
    pub fn places_to_ask(&self) -> Vec<usize> {
        places_to_ask(self.0.word_count())
    }

    /// As [`is_word_at`], of this phrase.
    pub fn has_word(&self, place: usize, typed: &str) -> bool {
        let word = place.checked_sub(1).and_then(|index| self.0.words().nth(index));
        word.is_some_and(|word| is_typed(word, typed))
    }

    /// What everything is derived from (BIP-39, without a passphrase of its own).
    pub fn seed(&self) -> Seed {
        Seed(Zeroizing::new(self.0.to_seed_normalized("")))
    }
}

/// Places in a phrase of so many words, counted from 1 and in their order: a user who knows the words there has written all of
/// them down. Others each time.
pub fn places_to_ask(words: usize) -> Vec<usize> {
    let mut places = rand::seq::index::sample(&mut rand::rng(), words, ASKED_WORDS.min(words)).into_vec();
    places.sort_unstable();
    places.iter().map(|index| index + 1).collect()
}

/// Whether this word stands at a place of a phrase, counted from 1; capitals and spacing do not matter.
pub fn is_word_at(phrase: &str, place: usize, typed: &str) -> bool {
    let word = place.checked_sub(1).and_then(|index| phrase.split_whitespace().nth(index));
    word.is_some_and(|word| is_typed(word, typed))
}

fn is_typed(word: &str, typed: &str) -> bool {
    word.eq_ignore_ascii_case(typed.trim())
}

impl fmt::Debug for Phrase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Phrase(…)")
    }
}

/// 64 bytes that own all the wallet's sats.
#[derive(Clone)]
pub struct Seed(Zeroizing<[u8; 64]>);

impl Seed {
    /// The bytes, for the wallet library.
    pub(crate) fn bytes(&self) -> &[u8; 64] {
        &self.0
    }

    /// The key that seals what is spendable in files.
    pub fn at_rest(&self) -> KeyAtRest {
        KeyAtRest::of(self)
    }

    /// The keys and nonces of escrow.
    pub fn escrow(&self) -> EscrowRoot {
        EscrowRoot::new(&self.0)
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Seed(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str =
        "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

    #[test]
    fn what_was_shown_can_be_read_back() {
        let phrase = Phrase::generate();
        assert_eq!(phrase.reveal().split(' ').count(), 12);
        assert_eq!(Phrase::parse(&format!("  {}\n", phrase.reveal().to_uppercase())).unwrap(), phrase);
        assert_ne!(Phrase::generate(), phrase);
    }

    #[test]
    fn some_words_are_asked_for_by_their_places() {
        let phrase = Phrase::parse(WORDS).unwrap();
        assert!(phrase.has_word(1, "abandon") && phrase.has_word(12, " About\n"));
        assert!(!phrase.has_word(12, "abandon") && !phrase.has_word(1, ""));
        assert!(!phrase.has_word(0, "abandon") && !phrase.has_word(13, "about"), "there are twelve");
        assert!(is_word_at(WORDS, 12, "about") && !is_word_at(WORDS, 13, "about") && !is_word_at("", 1, ""));
        assert_eq!(places_to_ask(2), [1, 2], "no more than there are");
        for _ in 0..50 {
            let places = phrase.places_to_ask();
            assert_eq!(places.len(), ASKED_WORDS);
            assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
            assert!(places.iter().all(|place| (1..=12).contains(place)), "{places:?}");
        }
    }

    #[test]
    fn the_seed_is_that_of_bip39() {
        // The test vector of BIP-39 for these words without a passphrase begins so.
        let seed = Phrase::parse(WORDS).unwrap().seed();
        assert!(
            hex::encode(seed.bytes())
                .starts_with("5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc1")
        );
    }

    #[test]
    fn a_wrong_phrase_says_what_to_do() {
        for wrong in
            ["", "abandon about", &WORDS.replace("about", "abandon"), &WORDS.replace("about", "frlm")]
        {
            let error = Phrase::parse(wrong).unwrap_err().to_string();
            assert!(error.contains("write the 12 or 24 words"), "{error}");
        }
    }

    #[test]
    fn debug_prints_nothing_secret() {
        let phrase = Phrase::parse(WORDS).unwrap();
        let seed = phrase.seed();
        let root = seed.escrow();
        assert_eq!(format!("{phrase:?} {seed:?} {root:?}"), "Phrase(…) Seed(…) EscrowRoot(…)");
    }
}
