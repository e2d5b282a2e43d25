//! What travels between payer and provider about one lock.
//!
//! A proof's secret, with all its conditions, does not travel: both sides make it from the terms.
//! So there are no conditions to parse and none to be deceived about. If the mint has signed
//! exactly that secret, the lock is what the terms say.

use std::fmt;
use std::str::FromStr as _;

use cdk::Amount;
use cdk::mint_url::MintUrl;
use cdk::nuts::{Id, Proof, ProofDleq, PublicKey, SecretKey};
use cdk::secp256k1::schnorr::Signature;
use cdk::secret::Secret;
use serde::{Deserialize, Serialize};

use crate::amount::Sats;
use crate::error::WalletError;
use crate::seed::{EscrowRoot, provider_lock_key};

/// Most proofs in one lock: enough for any amount of 32 bits and a bound on what a peer can make
/// us check.
pub const MOST_PROOFS: usize = 32;

/// Sats locked for one job: the terms, and the proofs that they were locked.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// 64 hex digits that only the two parties know.
    pub id: String,
    /// The mint's address.
    pub mint: String,
    /// The mint's keyset.
    pub keyset: Id,
    /// What the provider gets, fees taken off.
    pub price: Sats,
    /// The key that the provider announced.
    pub provider: PublicKey,
    /// The payer's key for the release.
    pub cosign: PublicKey,
    /// The payer's key for the time after the locktime.
    pub refund: PublicKey,
    /// Seconds since 1970.
    pub locktime: u64,
    /// The locked sats.
    pub proofs: Vec<LockProof>,
}

/// One locked proof, without its secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockProof {
    /// In sats.
    #[serde(rename = "a")]
    pub amount: u64,
    /// Makes the secret unique: 64 hex digits.
    #[serde(rename = "n")]
    pub nonce: String,
    /// The mint's signature.
    pub c: PublicKey,
    /// The proof that the signature was made with the keyset's key (NUT-12).
    pub e: SecretKey,
    /// As `e`.
    pub s: SecretKey,
    /// The blinding factor, which that proof needs.
    pub r: SecretKey,
}

impl fmt::Debug for Lock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Lock")
            .field("mint", &self.mint)
            .field("price", &self.price)
            .field("locktime", &self.locktime)
            .field("proofs", &self.proofs.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for LockProof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LockProof").field("amount", &self.amount).finish_non_exhaustive()
    }
}

/// The payer's signatures for a lock: the owner of the provider's key can take the sats.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// The lock's id.
    pub lock: String,
    /// One per proof, in order; hex.
    pub signatures: Vec<String>,
}

/// The provider's signatures for a lock: the payer can reclaim the sats at once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// The lock's id.
    pub lock: String,
    /// One per proof, in order; hex.
    pub signatures: Vec<String>,
}

impl fmt::Debug for Release {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Release").field("signatures", &self.signatures.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Returned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Returned").field("signatures", &self.signatures.len()).finish_non_exhaustive()
    }
}

impl Lock {
    /// All the sats in it, the fee for taking them included; nothing beyond 64 bits.
    pub fn amount(&self) -> Option<Sats> {
        self.proofs.iter().try_fold(Sats::ZERO, |sum, proof| sum.checked_add(Sats(proof.amount)))
    }

    /// The provider's key for this lock alone.
    pub fn provider_lock_key(&self) -> Result<PublicKey, WalletError> {
        provider_lock_key(&self.provider, &self.id).map_err(WalletError::internal)
    }

    /// The secret that the mint must have signed: 2-of-2 of provider and payer, after the locktime
    /// the payer's refund key alone (NUT-11).
    pub(crate) fn secret(&self, nonce: &str) -> Result<String, WalletError> {
        let tags = serde_json::json!([
            ["sigflag", "SIG_INPUTS"],
            ["n_sigs", "2"],
            ["pubkeys", self.cosign.to_hex()],
            ["locktime", self.locktime.to_string()],
            ["refund", self.refund.to_hex()],
        ]);
        let data = self.provider_lock_key()?.to_hex();
        let secret = serde_json::json!(["P2PK", { "nonce": nonce, "data": data, "tags": tags }]);
        Ok(secret.to_string())
    }

    /// The proofs as the mint knows them.
    pub(crate) fn to_proofs(&self) -> Result<Vec<Proof>, WalletError> {
        let proof = |part: &LockProof| {
            let secret = Secret::from_str(&self.secret(&part.nonce)?).map_err(WalletError::internal)?;
            let mut proof = Proof::new(Amount::from(part.amount), self.keyset, secret, part.c);
            proof.dleq = Some(ProofDleq::new(part.e.clone(), part.s.clone(), part.r.clone()));
            Ok(proof)
        };
        self.proofs.iter().map(proof).collect()
    }

    /// One signature per proof.
    pub(crate) fn sign(&self, key: &SecretKey) -> Result<Vec<String>, WalletError> {
        let sign = |part: &LockProof| {
            let secret = self.secret(&part.nonce)?;
            key.sign(secret.as_bytes()).map(|signature| signature.to_string()).map_err(WalletError::internal)
        };
        self.proofs.iter().map(sign).collect()
    }

    /// Whether these are the signatures of a key over all proofs.
    pub(crate) fn is_signed_by(&self, key: &PublicKey, signatures: &[String]) -> bool {
        signatures.len() == self.proofs.len()
            && self.proofs.iter().zip(signatures).all(|(part, signature)| {
                Signature::from_str(signature).is_ok_and(|signature| {
                    self.secret(&part.nonce)
                        .is_ok_and(|secret| key.verify(secret.as_bytes(), &signature).is_ok())
                })
            })
    }

    /// The proofs with several signatures each, ready to be spent.
    pub(crate) fn signed_proofs(&self, signatures: &[&[String]]) -> Result<Vec<Proof>, WalletError> {
        let mut proofs = self.to_proofs()?;
        for (index, proof) in proofs.iter_mut().enumerate() {
            let witness = signatures.iter().filter_map(|each| each.get(index).cloned()).collect();
            proof.witness =
                Some(cdk::nuts::Witness::P2PKWitness(cdk::nuts::P2PKWitness { signatures: witness }));
            // The mint has no use for it, and it would link the proof to its making.
            proof.dleq = None;
        }
        Ok(proofs)
    }

    /// The terms of a lock that is to be made.
    pub(crate) fn terms(
        root: &EscrowRoot,
        id: String,
        (mint, keyset): (&MintUrl, Id),
        price: Sats,
        provider: PublicKey,
        locktime: u64,
    ) -> Self {
        Self {
            mint: mint.to_string(),
            keyset,
            price,
            provider,
            cosign: root.cosign_key(&id).public_key(),
            refund: root.refund_key(&id).public_key(),
            locktime,
            proofs: Vec::new(),
            id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> Lock {
        let payer = crate::seed::Phrase::generate().seed().escrow();
        let provider = crate::seed::Phrase::generate().seed().escrow();
        let mint = MintUrl::from_str("https://mint.example").unwrap();
        let keyset = Id::from_str("009a1f293253e41e").unwrap();
        let id = payer.lock_id("run/1.0");
        let mut lock = Lock::terms(
            &payer,
            id,
            (&mint, keyset),
            Sats(5),
            provider.provider_key().public_key(),
            2_000_000_000,
        );
        let key = payer.blinding(&lock.id, 0);
        lock.proofs = [1, 4]
            .into_iter()
            .zip(0..)
            .map(|(amount, index)| LockProof {
                amount,
                nonce: payer.nonce(&lock.id, index),
                c: key.public_key(),
                e: key.clone(),
                s: key.clone(),
                r: key.clone(),
            })
            .collect();
        lock
    }

    #[test]
    fn the_secret_is_that_of_nut_11() {
        let lock = lock();
        let secret = lock.secret("ab").unwrap();
        let data = lock.provider_lock_key().unwrap().to_hex();
        assert_eq!(
            secret,
            format!(
                r#"["P2PK",{{"nonce":"ab","data":"{data}","tags":[["sigflag","SIG_INPUTS"],["n_sigs","2"],["pubkeys","{}"],["locktime","2000000000"],["refund","{}"]]}}]"#,
                lock.cosign.to_hex(),
                lock.refund.to_hex()
            )
        );
        let proofs = lock.to_proofs().unwrap();
        let conditions = cdk::nuts::SpendingConditions::try_from(&proofs[0].secret).unwrap();
        assert_eq!(conditions.num_sigs(), Some(2));
        assert_eq!(conditions.refund_keys(), Some(vec![lock.refund]));
    }

    #[test]
    fn a_lock_survives_its_journey() {
        let lock = lock();
        let text = serde_json::to_string(&lock).unwrap();
        assert_eq!(serde_json::from_str::<Lock>(&text).unwrap(), lock);
        assert_eq!(lock.amount(), Some(Sats(5)));
    }

    #[test]
    fn debug_prints_nothing_secret() {
        let lock = lock();
        let shown = format!("{lock:?} {:?}", lock.proofs);
        for secret in [&lock.id, &lock.proofs[0].nonce, &lock.proofs[0].r.to_secret_hex()] {
            assert!(!shown.contains(secret.as_str()), "{shown}");
        }
        let release = Release { lock: lock.id.clone(), signatures: vec!["5ec".repeat(40)] };
        assert_eq!(format!("{release:?}"), "Release { signatures: 1, .. }");
    }
}
