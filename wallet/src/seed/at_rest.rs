//! What is spendable, sealed while it lies in a file: XChaCha20-Poly1305 under a key that is derived from the seed.
//!
//! ```text
//! passphrase or key file ─scrypt─► seed.json ─► seed ─HMAC-SHA256─► key at rest ─► secrets of proofs, tokens, exchanges
//! ```
//!
//! The seed is sealed by the owner's passphrase ([`super::vault`]), and so is, through this key, all that can be spent.
//! Another passphrase seals the seed alone again: nothing else has to be written. What was written in the clear by
//! earlier versions is read as it is, so that a process that dies while it seals leaves nothing unreadable.

use std::fmt;
use std::sync::Arc;

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::Seed;

const CONTEXT: &[u8] = b"frlm/at-rest/v1";
/// Begins what is sealed. No secret, token or JSON text begins so.
pub(crate) const MARK: &str = "frlm-sealed-1:";
const NONCE_BYTES: usize = 24;

/// What is sealed was sealed by another wallet, for another place, or is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("sealed by another seed, or damaged")]
pub struct Unreadable;

/// Seals what is spendable; clones share the key.
#[derive(Clone)]
pub struct KeyAtRest(Arc<Zeroizing<[u8; 32]>>);

impl KeyAtRest {
    pub(super) fn of(seed: &Seed) -> Self {
        let mut mac =
            <Hmac<Sha256> as hmac::Mac>::new_from_slice(seed.bytes()).expect("HMAC takes keys of any length");
        mac.update(CONTEXT);
        Self(Arc::new(Zeroizing::new(mac.finalize().into_bytes().into())))
    }

    /// Seals a text for one place: elsewhere it cannot be opened.
    ///
    /// # Panics
    ///
    /// Never: the cipher refuses nothing that fits into memory.
    pub fn seal(&self, place: &str, text: &str) -> String {
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let payload = Payload { msg: text.as_bytes(), aad: place.as_bytes() };
        let sealed = self.cipher().encrypt(XNonce::from_slice(&nonce), payload).expect("it fits into memory");
        format!("{MARK}{}{}", hex::encode(nonce), hex::encode(sealed))
    }

    /// Opens what [`Self::seal`] has made for this place. What is not sealed is returned as it is.
    ///
    /// # Errors
    ///
    /// [`Unreadable`].
    pub fn open(&self, place: &str, text: &str) -> Result<String, Unreadable> {
        let Some(sealed) = text.strip_prefix(MARK) else { return Ok(text.to_owned()) };
        let bytes = hex::decode(sealed).map_err(|_| Unreadable)?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_BYTES).ok_or(Unreadable)?;
        let payload = Payload { msg: sealed, aad: place.as_bytes() };
        let opened = self.cipher().decrypt(XNonce::from_slice(nonce), payload).map_err(|_| Unreadable)?;
        String::from_utf8(opened).map_err(|_| Unreadable)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new_from_slice(self.0.as_slice()).expect("32 bytes are a key")
    }
}

/// Whether a text is sealed.
pub fn is_sealed(text: &str) -> bool {
    text.starts_with(MARK)
}

impl fmt::Debug for KeyAtRest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("KeyAtRest(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Phrase;

    #[test]
    fn what_is_sealed_opens_in_its_place_with_its_seed_only() {
        let key = Phrase::generate().seed().at_rest();
        let sealed = key.seal("proof a", "a secret");
        assert!(is_sealed(&sealed) && !sealed.contains("secret"));
        assert_ne!(sealed, key.seal("proof a", "a secret"), "each time with another nonce");
        assert_eq!(key.open("proof a", &sealed).unwrap(), "a secret");
        assert_eq!(key.open("proof b", &sealed), Err(Unreadable));
        assert_eq!(Phrase::generate().seed().at_rest().open("proof a", &sealed), Err(Unreadable));
    }

    #[test]
    fn what_was_never_sealed_is_read_as_it_is_and_damage_is_named() {
        let key = Phrase::generate().seed().at_rest();
        assert_eq!(key.open("proof a", "a secret").unwrap(), "a secret");
        let sealed = key.seal("proof a", "a secret");
        let (mut other, last) = (sealed.clone(), if sealed.ends_with('0') { '1' } else { '0' });
        other.pop();
        for damaged in [MARK, "frlm-sealed-1:zz", &format!("{MARK}00"), &format!("{other}{last}"), &other] {
            assert_eq!(key.open("proof a", damaged), Err(Unreadable), "{damaged}");
        }
    }

    #[test]
    fn the_key_is_derived_from_the_seed_and_prints_nothing() {
        let phrase = Phrase::generate();
        let (one, other) = (phrase.seed().at_rest(), phrase.seed().at_rest());
        assert_eq!(other.open("x", &one.seal("x", "text")).unwrap(), "text");
        assert_eq!(format!("{one:?}"), "KeyAtRest(…)");
    }
}
