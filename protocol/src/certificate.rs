//! A person's word for the key of a run, so that what a provider knows of that person counts for the run.
//!
//! Every run has a fresh key, and so is a stranger to everybody: relays cannot link what somebody asks, and providers
//! give a stranger little credit (design.md, sections 4 and 5). An asker who would rather be known to those that it pays
//! has its identity sign the key. The certificate travels in encrypted jobs only. Its recipient knows who asks,
//! and can show it to others; it lets nobody act for the asker, since jobs are signed by the run's key.

use std::str::FromStr as _;

use nostr::hashes::{Hash as _, sha256};
use nostr::secp256k1::Message;
use nostr::secp256k1::schnorr::Signature;
use nostr::{Keys, PublicKey, SECP256K1, Timestamp};

use crate::tags::{array, whole_number};

/// A signature that was read, and not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    identity: PublicKey,
    until: Timestamp,
    signature: Signature,
}

impl Certificate {
    /// The word of `identity` for the key of a run, until a moment.
    pub fn sign(identity: &Keys, run: &PublicKey, until: Timestamp) -> Self {
        Self {
            identity: identity.public_key(),
            until,
            signature: identity.sign_schnorr(&statement(run, until)),
        }
    }

    /// Whose word it says that it is. Nothing of it is checked.
    pub fn identity(&self) -> PublicKey {
        self.identity
    }

    /// Who vouches for this key now; `None` if it is another run's, or over, or nobody has signed it.
    pub fn vouches_for(&self, run: &PublicKey, now: Timestamp) -> Option<PublicKey> {
        if self.until <= now {
            return None;
        }
        let key = self.identity.xonly().ok()?;
        SECP256K1.verify_schnorr(&self.signature, &statement(run, self.until), &key).ok()?;
        Some(self.identity)
    }

    pub(crate) fn to_tag(&self) -> Vec<String> {
        array([
            "certificate",
            &self.identity.to_hex(),
            &self.until.as_secs().to_string(),
            &self.signature.to_string(),
        ])
    }

    /// What stands behind the tag's name; what cannot be read vouches for nobody.
    pub(crate) fn from_values(values: &[String]) -> Option<Self> {
        let [identity, until, signature, ..] = values else { return None };
        Some(Self {
            identity: PublicKey::from_hex(identity).ok()?,
            until: Timestamp::from_secs(whole_number(until)?),
            signature: Signature::from_str(signature).ok()?,
        })
    }
}

/// What is signed; no event's id can be the same, since those are hashes of JSON.
fn statement(run: &PublicKey, until: Timestamp) -> Message {
    let text = format!("frlm certificate 1 for {} until {}", run.to_hex(), until.as_secs());
    Message::from_digest(sha256::Hash::hash(text.as_bytes()).to_byte_array())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: u64) -> Timestamp {
        Timestamp::from_secs(secs)
    }

    #[test]
    fn it_vouches_for_its_own_run_until_its_end() {
        let (identity, run, other) = (Keys::generate(), Keys::generate(), Keys::generate());
        let certificate = Certificate::sign(&identity, &run.public_key(), at(1_000));
        let tag = certificate.to_tag();
        assert_eq!(Certificate::from_values(&tag[1..]).as_ref(), Some(&certificate), "{tag:?}");
        assert_eq!(certificate.vouches_for(&run.public_key(), at(999)), Some(identity.public_key()));
        assert_eq!(certificate.vouches_for(&run.public_key(), at(1_000)), None);
        assert_eq!(certificate.vouches_for(&other.public_key(), at(999)), None);
    }

    #[test]
    fn nobody_vouches_in_the_name_of_another_or_for_longer_than_was_signed() {
        let (identity, run, thief) = (Keys::generate(), Keys::generate(), Keys::generate());
        let good = Certificate::sign(&identity, &run.public_key(), at(1_000));
        let named = Certificate {
            identity: identity.public_key(),
            ..Certificate::sign(&thief, &run.public_key(), at(1_000))
        };
        let longer = Certificate { until: at(2_000), ..good };
        for forged in [named, longer] {
            assert_eq!(forged.vouches_for(&run.public_key(), at(500)), None, "{forged:?}");
        }
    }

    #[test]
    fn what_is_no_certificate_vouches_for_nobody() {
        let run = Keys::generate().public_key();
        let good = Certificate::sign(&Keys::generate(), &run, at(1_000)).to_tag();
        for (place, odd) in [(1, "npub"), (2, "soon"), (3, "00")] {
            let mut tag = good.clone();
            odd.clone_into(&mut tag[place]);
            assert_eq!(Certificate::from_values(&tag[1..]), None, "{tag:?}");
        }
        assert_eq!(Certificate::from_values(&good[1..3]), None);
        assert_eq!(Certificate::from_values(&[]), None);
    }
}
