//! Coins on their way in: the mint was asked to exchange a token's, and nobody heard what it said.
//!
//! They may be spent, and what they were exchanged for is known by the record of that attempt alone. It is finished when
//! the wallet is opened the next time. Until then nothing may touch them: the library would give the coins to the process that
//! asks next, forget the attempt, and with it sats that are found again by the words only.

use std::collections::HashSet;

use cdk::nuts::PublicKey;
use cdk::wallet::types::{ReceiveSagaState, WalletSaga, WalletSagaState};

use super::sent::Known;
use crate::error::WalletError;
use crate::mint::CashuWallet;
use crate::mint::swap::ys;

impl CashuWallet {
    /// All of them.
    pub(super) async fn arriving(&self) -> Result<HashSet<PublicKey>, WalletError> {
        let asked = WalletSagaState::Receive(ReceiveSagaState::SwapRequested);
        let sagas = self.inner.store.get_incomplete_sagas().await.map_err(WalletError::internal)?;
        let mut coins = HashSet::new();
        for saga in sagas.into_iter().filter(|saga| saga.state == asked) {
            let held = self.inner.store.get_reserved_proofs(&saga.id).await.map_err(WalletError::internal)?;
            coins.extend(held.into_iter().map(|proof| proof.y));
        }
        Ok(coins)
    }

    /// Refuses coins that are on their way.
    ///
    /// # Errors
    ///
    /// [`WalletError::Unclear`] if one is.
    pub(super) async fn refuse_arriving(&self, mint: &str, coins: &[PublicKey]) -> Result<(), WalletError> {
        let arriving = self.arriving().await?;
        if coins.iter().any(|coin| arriving.contains(coin)) {
            let reason = "it was asked to exchange this token already".to_owned();
            return Err(WalletError::Unclear { mint: mint.to_owned(), reason });
        }
        Ok(())
    }

    /// Records of the tokens that are on their way back. The library drops them when it looks at what a dead process
    /// left, as if somebody had taken them; see [`Self::list_again`].
    pub(crate) async fn coming_back(&self) -> Result<Vec<WalletSaga>, WalletError> {
        let arriving = self.arriving().await?;
        let mut coming = Vec::new();
        for Known { operation, proofs, .. } in self.known_tokens().await? {
            if ys(&proofs)?.iter().any(|coin| arriving.contains(coin)) {
                let saga = self.inner.store.get_saga(&operation).await.map_err(WalletError::internal)?;
                coming.extend(saga);
            }
        }
        Ok(coming)
    }

    /// Lists these tokens again, of which the mint may call some spent: those have come back. One that its mint did
    /// not exchange can be tried again. How many were not listed any more.
    pub(crate) async fn list_again(&self, tokens: Vec<WalletSaga>) -> Result<usize, WalletError> {
        let mut dropped = 0;
        for token in tokens {
            let known = self.inner.store.get_saga(&token.id).await.map_err(WalletError::internal)?;
            if known.is_none() {
                self.inner.store.add_saga(token).await.map_err(WalletError::internal)?;
                dropped += 1;
            }
        }
        Ok(dropped)
    }
}
