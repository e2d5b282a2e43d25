//! Keys, blinding factors and nonces of escrow, all from the seed.
//!
//! Deterministic, so that a lock that was being made when a process died is made again and not
//! again: the mint then answers with the signatures that it gave before.
//!
//! ```text
//! root        = HMAC-SHA256(seed, "frlm/escrow/v1")
//! lock id     = HMAC-SHA256(root, "lock-id" ‖ 0 ‖ run/subtask.attempt ‖ 0 ‖ 0)
//! anything    = HMAC-SHA256(root, label ‖ 0 ‖ lock id ‖ 0 ‖ index)
//! provider    = static key + SHA256("frlm/escrow/v1/provider" ‖ static key ‖ lock id)
//! ```
//!
//! A lock id is known to the two parties only, so that nobody else, the mint included, can tell
//! which provider a lock is for.

use std::fmt;

use cdk::nuts::{PublicKey, SecretKey};
use cdk::secp256k1::{Scalar, Secp256k1};
use hmac::{Hmac, Mac as _};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

const CONTEXT: &[u8] = b"frlm/escrow/v1";
const PROVIDER_CONTEXT: &[u8] = b"frlm/escrow/v1/provider";

/// Where all of one wallet's escrow secrets come from.
#[derive(Clone)]
pub struct EscrowRoot(Zeroizing<[u8; 32]>);

impl fmt::Debug for EscrowRoot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EscrowRoot(…)")
    }
}

impl EscrowRoot {
    pub(super) fn new(seed: &[u8; 64]) -> Self {
        Self(Zeroizing::new(hmac(seed, &[CONTEXT])))
    }

    /// The name of the lock for one attempt: 64 hex digits that nobody can guess.
    pub fn lock_id(&self, attempt: &str) -> String {
        hex::encode(self.derive("lock-id", attempt, 0))
    }

    /// The payer's key whose signature releases a lock.
    pub fn cosign_key(&self, lock: &str) -> SecretKey {
        self.key("cosign", lock, 0)
    }

    /// The payer's key for the time after the locktime.
    pub fn refund_key(&self, lock: &str) -> SecretKey {
        self.key("refund", lock, 0)
    }

    /// The nonce of one of a lock's proofs, as hex.
    pub fn nonce(&self, lock: &str, index: u32) -> String {
        hex::encode(self.derive("nonce", lock, index))
    }

    /// The blinding factor of one of a lock's proofs.
    pub fn blinding(&self, lock: &str, index: u32) -> SecretKey {
        self.key("blinding", lock, index)
    }

    /// The key that a provider announces; never the Nostr key (NIP-61 forbids locking to that).
    pub fn provider_key(&self) -> SecretKey {
        self.key("provider", "", 0)
    }

    /// The provider's own key for one lock.
    ///
    /// # Panics
    ///
    /// For the one lock in 2^128 whose hash cancels the key out.
    pub fn provider_lock_key(&self, lock: &str) -> SecretKey {
        let announced = self.provider_key();
        let tweaked = announced.add_tweak(&tweak(&announced.public_key(), lock));
        tweaked.expect("the sum of two hashes is not zero").into()
    }

    fn derive(&self, label: &str, lock: &str, index: u32) -> [u8; 32] {
        hmac(self.0.as_slice(), &[label.as_bytes(), &[0], lock.as_bytes(), &[0], &index.to_be_bytes()])
    }

    fn key(&self, label: &str, lock: &str, index: u32) -> SecretKey {
        SecretKey::from_slice(&self.derive(label, lock, index))
            .expect("one hash in 2^128 is no key of the curve")
    }
}

/// A provider's key for one lock, as everybody can compute it who knows the announced key and the
/// lock's id.
///
/// # Errors
///
/// If the announced key is the one in 2^128 that the lock cancels out.
pub fn provider_lock_key(announced: &PublicKey, lock: &str) -> Result<PublicKey, cdk::secp256k1::Error> {
    announced.add_exp_tweak(&Secp256k1::new(), &tweak(announced, lock)).map(PublicKey::from)
}

fn tweak(announced: &PublicKey, lock: &str) -> Scalar {
    let mut hash = Sha256::new();
    hash.update(PROVIDER_CONTEXT);
    hash.update(announced.to_bytes());
    hash.update(lock.as_bytes());
    Scalar::from_be_bytes(hash.finalize().into()).expect("one hash in 2^128 is no scalar of the curve")
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_find_the_same_provider_key() {
        let provider = EscrowRoot::new(&[7; 64]);
        for lock in ["a", "b"] {
            let seen = provider_lock_key(&provider.provider_key().public_key(), lock).unwrap();
            assert_eq!(seen, provider.provider_lock_key(lock).public_key());
        }
        assert_ne!(provider.provider_lock_key("a"), provider.provider_lock_key("b"));
    }

    #[test]
    fn everything_is_different_and_comes_out_the_same_again() {
        let root = EscrowRoot::new(&[1; 64]);
        let keys = [
            root.cosign_key("x"),
            root.refund_key("x"),
            root.blinding("x", 0),
            root.blinding("x", 1),
            root.cosign_key("y"),
            root.provider_key(),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(keys[..index].iter().all(|other| other != key));
        }
        assert_eq!(EscrowRoot::new(&[1; 64]).cosign_key("x"), keys[0]);
        assert_ne!(EscrowRoot::new(&[2; 64]).lock_id("run/1.0"), root.lock_id("run/1.0"));
        assert_eq!(root.lock_id("run/1.0").len(), 64);
    }
}
