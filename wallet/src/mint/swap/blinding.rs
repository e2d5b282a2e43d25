//! Outputs as the mint may see them, and proofs from what it signed.

use std::str::FromStr as _;

use cdk::Amount;
use cdk::dhke::{blind_message, construct_proofs};
use cdk::nuts::{BlindSignature, BlindedMessage, Keys, Proof, SecretKey};
use cdk::secret::Secret;

use super::{Origin, Output, Plan};
use crate::error::WalletError;
use crate::mint::CashuWallet;

impl CashuWallet {
    /// The outputs as the mint sees them.
    #[cfg(test)]
    pub(crate) fn blinded(&self, plan: &Plan) -> Result<Vec<BlindedMessage>, WalletError> {
        Ok(self.blind(plan)?.into_iter().map(|blind| blind.message).collect())
    }

    pub(super) fn blind(&self, plan: &Plan) -> Result<Vec<Blind>, WalletError> {
        let seed = self.inner.seed.bytes();
        let blind = |output: &Output| {
            let (secret, factor) = match &output.origin {
                Origin::Own { counter } => (
                    Secret::from_seed(seed, plan.keyset, *counter).map_err(WalletError::internal)?,
                    SecretKey::from_seed(seed, plan.keyset, *counter).map_err(WalletError::internal)?,
                ),
                Origin::Lock { id, index, secret } => (
                    Secret::from_str(secret).map_err(WalletError::internal)?,
                    self.inner.escrow.blinding(id, *index),
                ),
            };
            let (blinded, factor) =
                blind_message(&secret.to_bytes(), Some(factor)).map_err(WalletError::internal)?;
            let message = BlindedMessage::new(Amount::from(output.amount), plan.keyset, blinded);
            Ok(Blind { message, secret, factor })
        };
        plan.outputs.iter().map(blind).collect()
    }
}

/// An output with what only its maker knows.
pub(super) struct Blind {
    pub message: BlindedMessage,
    secret: Secret,
    factor: SecretKey,
}

/// Proofs from signatures that were checked: as many as asked for, for the amounts asked for, each
/// with a proof that it was made with the keyset's own key (NUT-12).
pub(super) fn unblind(
    mint: &str,
    blinded: Vec<Blind>,
    signatures: Vec<BlindSignature>,
    keys: &Keys,
) -> Result<Vec<Proof>, WalletError> {
    let lying = |what: &str| WalletError::Lying { mint: mint.to_owned(), what: what.to_owned() };
    if signatures.len() != blinded.len() {
        return Err(lying("it signed another number of outputs than it was asked for"));
    }
    for (blind, signature) in blinded.iter().zip(&signatures) {
        if signature.amount != blind.message.amount || signature.keyset_id != blind.message.keyset_id {
            return Err(lying("it signed another amount than it was asked for"));
        }
        let key = keys
            .amount_key(signature.amount)
            .ok_or_else(|| lying("it signed with a key that it does not have"))?;
        signature
            .verify_dleq(key, blind.message.blinded_secret)
            .map_err(|_| lying("a signature does not come with a proof that its key was used"))?;
    }
    let (secrets, factors) = blinded.into_iter().map(|blind| (blind.secret, blind.factor)).unzip();
    construct_proofs(signatures, factors, secrets, keys).map_err(WalletError::internal)
}
