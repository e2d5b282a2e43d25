//! Tokens as text: sats that any reader can take.

use std::str::FromStr as _;

use cdk::Amount;
use cdk::dhke::hash_to_curve;
use cdk::mint_url::MintUrl;
use cdk::nuts::{CurrencyUnit, PublicKey, Token};
use cdk::wallet::{ReceiveOptions, SendOptions};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::amount::Sats;
use crate::error::WalletError;
use crate::mint::CashuWallet;
use crate::mint::address::parse_mint;
use crate::mint::asking::bounded;

impl CashuWallet {
    /// Takes the sats of a token: they are exchanged at once, so that the sender cannot spend them
    /// any more. Returns what arrived, fees taken off.
    ///
    /// # Errors
    ///
    /// [`WalletError::MintNotAllowed`] (nothing has moved), [`WalletError::OverLimit`],
    /// [`WalletError::AlreadySpent`], or what the mint says.
    pub fn receive_token<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<Sats, WalletError>> {
        async move {
            let token = Token::from_str(text.trim()).map_err(|error| {
                WalletError::BadToken(format!("{error}; copy all of it, from \"cashu\" to its end"))
            })?;
            if token.unit().unwrap_or_default() != CurrencyUnit::Sat {
                return Err(WalletError::BadToken("it is not in sats".to_owned()));
            }
            let spelled = token.mint_url().map_err(|error| WalletError::BadToken(error.to_string()))?;
            let listed = self.listed_as(&parse_mint(&spelled.to_string())?).await?;
            let mint = listed.to_string();
            let here = at_mint(&token, &spelled, listed);
            let amount = token.value().map_err(|error| WalletError::BadToken(error.to_string()))?;
            self.check_limit(&mint, Sats(amount.to_u64())).await?;
            let wallet = self.mint(&mint).await?;
            let coins = token.token_secrets().into_iter().map(|secret| hash_to_curve(secret.as_bytes()));
            let coins: Vec<PublicKey> = coins
                .collect::<Result<_, _>>()
                .map_err(|error: cdk::dhke::Error| WalletError::BadToken(error.to_string()))?;
            self.refuse_arriving(&mint, &coins).await?;
            self.pass_taken(&mint).await;
            let received = bounded(&mint, wallet.receive(&here, ReceiveOptions::default())).await?;
            // One of our own is not out any more. The sats have arrived, whatever becomes of its record.
            if let Ok(out) = self.tokens_out().await
                && out.iter().any(|token| token.text == text.trim())
                && let Err(error) = self.look_up_tokens().await
            {
                tracing::debug!(%error, "a token that was redeemed again is cleared later");
            }
            Ok(Sats(received.to_u64()))
        }
        .boxed()
    }

    /// Makes a token. Its sats have left the wallet, and belong to the first taker: until somebody has, it is
    /// one of [`CashuWallet::tokens_out`], and this wallet can redeem it again.
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
            if amount == Sats::ZERO {
                return Err(WalletError::Nothing);
            }
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
}

/// A token with its mint spelled as on the list: the library takes no other.
fn at_mint(token: &Token, spelled: &MintUrl, listed: MintUrl) -> String {
    if *spelled == listed {
        return token.to_string();
    }
    let mut token = token.clone();
    match &mut token {
        Token::TokenV4(token) => token.mint_url = listed,
        Token::TokenV3(token) => {
            for part in &mut token.token {
                part.mint = listed.clone();
            }
        }
    }
    token.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cashu::tests::{World, available};

    #[tokio::test]
    async fn a_token_over_nothing_is_refused_without_a_word_of_sats_under_way() {
        let world = World::new().await;
        let wallet = world.funded(8).await;
        let error = wallet.send_token(world.mint.url(), Sats::ZERO).await.unwrap_err();
        assert!(error.is_certain() && !error.to_string().contains("stay reserved"), "{error}");
        assert_eq!(available(&wallet).await, 8);
    }
}
