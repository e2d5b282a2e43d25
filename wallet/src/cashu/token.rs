//! Tokens as text: sats that whoever reads them can take.

use std::collections::HashSet;
use std::str::FromStr as _;

use cdk::Amount;
use cdk::dhke::hash_to_curve;
use cdk::nuts::{CurrencyUnit, PublicKey, State, Token};
use cdk::wallet::types::ProofInfo;
use cdk::wallet::{ReceiveOptions, SendOptions};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use uuid::Uuid;

use super::lightning::bounded;
use super::wallet::parse_mint;
use super::{CashuWallet, WalletError};
use crate::amount::Sats;

impl CashuWallet {
    /// Takes the sats of a token: they are exchanged at once, so that the sender cannot spend them
    /// any more. Returns what arrived, fees taken off.
    ///
    /// # Errors
    ///
    /// [`WalletError::MintNotAllowed`] (nothing has moved), [`WalletError::OverCap`],
    /// [`WalletError::AlreadySpent`], or what the mint says.
    pub fn receive_token<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<Sats, WalletError>> {
        async move {
            let token =
                Token::from_str(text.trim()).map_err(|error| WalletError::BadToken(error.to_string()))?;
            if token.unit().unwrap_or_default() != CurrencyUnit::Sat {
                return Err(WalletError::BadToken("it is not in sats".to_owned()));
            }
            let mint =
                token.mint_url().map_err(|error| WalletError::BadToken(error.to_string()))?.to_string();
            let amount = token.value().map_err(|error| WalletError::BadToken(error.to_string()))?;
            self.check_cap(&mint, Sats(amount.to_u64())).await?;
            let wallet = self.mint(&mint).await?;
            let coins = token.token_secrets().into_iter().map(|secret| hash_to_curve(secret.as_bytes()));
            let coins: Vec<PublicKey> = coins
                .collect::<Result<_, _>>()
                .map_err(|error: cdk::dhke::Error| WalletError::BadToken(error.to_string()))?;
            self.refuse_arriving(&mint, &coins).await?;
            self.pass_taken(&mint).await;
            let received = bounded(&mint, wallet.receive(text.trim(), ReceiveOptions::default())).await?;
            // One of our own is not out any more. The sats have arrived, whatever becomes of its record.
            if let Ok(out) = self.tokens_out().await
                && out.iter().any(|token| token.text == text.trim())
                && let Err(error) = self.look_up_tokens().await
            {
                tracing::debug!(%error, "a token that was taken back is cleared later");
            }
            Ok(Sats(received.to_u64()))
        }
        .boxed()
    }

    /// Makes a token. Its sats have left the wallet, and belong to whoever takes them first: until somebody has, it is
    /// one of [`CashuWallet::tokens_out`], and this wallet can take it back.
    ///
    /// # Errors
    ///
    /// [`WalletError::InsufficientFunds`], or what the mint says.
    pub fn send_token<'a>(
        &'a self,
        mint: &'a str,
        amount: Sats,
    ) -> BoxFuture<'a, Result<String, WalletError>> {
        async move {
            let mint = parse_mint(mint)?.to_string();
            let wallet = self.mint(&mint).await?;
            self.catch_up(&mint).await?;
            self.pass_taken(&mint).await;
            let options = SendOptions { include_fee: true, ..SendOptions::default() };
            let prepared = match wallet.prepare_send(Amount::from(amount.0), options).await {
                Ok(prepared) => prepared,
                Err(cdk::Error::InsufficientFunds) => {
                    let available = wallet.total_balance().await.map_err(WalletError::internal)?;
                    return Err(WalletError::InsufficientFunds {
                        mint,
                        needed: amount,
                        available: Sats(available.to_u64()),
                    });
                }
                Err(error) => return Err(WalletError::from_mint(&mint, &error)),
            };
            let token = bounded(&mint, prepared.confirm(None)).await?;
            Ok(token.to_string())
        }
        .boxed()
    }

    /// Looks for sats that the seed has at a mint (NUT-09, NUT-13), for a wallet whose files are
    /// lost. Returns what was found unspent, less what this wallet has promised already: tokens that nobody has taken,
    /// and what is in an exchange or a payment under way.
    ///
    /// # Errors
    ///
    /// What the mint says; nothing can be lost by trying again.
    pub fn restore<'a>(&'a self, mint: &'a str) -> BoxFuture<'a, Result<Sats, WalletError>> {
        async move {
            let wallet = self.mint(mint).await?;
            self.name_token_proofs(false).await?;
            let promised = vec![State::Reserved, State::Pending, State::PendingSpent];
            let place = wallet.mint_url.clone();
            let aside =
                self.inner.store.get_proofs(Some(place), Some(CurrencyUnit::Sat), Some(promised), None).await;
            let aside = aside.map_err(WalletError::internal)?;
            // Not bounded: a long history takes many requests.
            let restored = Box::pin(wallet.restore()).await;
            let kept = self.put_aside_again(aside).await?;
            let restored = restored.map_err(|error| WalletError::from_mint(mint, &error))?;
            Ok(Sats(restored.unspent.to_u64()).saturating_sub(kept))
        }
        .boxed()
    }

    /// The library calls whatever a mint calls unspent free to be spent. Proofs that were promised before, and are
    /// still, are kept aside again; how much that is.
    async fn put_aside_again(&self, aside: Vec<ProofInfo>) -> Result<Sats, WalletError> {
        if aside.is_empty() {
            return Ok(Sats::ZERO);
        }
        let store = &self.inner.store;
        let sagas = store.get_incomplete_sagas().await.map_err(WalletError::internal)?;
        let mut open: HashSet<Uuid> = sagas.into_iter().map(|saga| saga.id).collect();
        open.extend(self.open_exchanges().await?);
        let named = aside.iter().map(|proof| proof.y).collect();
        let known = store.get_proofs_by_ys(named).await.map_err(WalletError::internal)?;
        let freed: HashSet<PublicKey> = known
            .into_iter()
            .filter(|proof| proof.used_by_operation.is_none())
            .filter(|proof| matches!(proof.state, State::Unspent | State::Pending))
            .map(|proof| proof.y)
            .collect();
        let back: Vec<ProofInfo> = aside
            .into_iter()
            .filter(|proof| freed.contains(&proof.y))
            .filter(|proof| proof.used_by_operation.is_some_and(|operation| open.contains(&operation)))
            .collect();
        let kept: Sats = back.iter().map(|proof| Sats(proof.proof.amount.to_u64())).sum();
        store.update_proofs(back, Vec::new()).await.map_err(WalletError::internal)?;
        Ok(kept)
    }
}
