//! Sats between a mint and a Lightning wallet somewhere else, over Nostr Wallet Connect.

use std::time::Duration;

use frlm_wallet::Sats;
use frlm_wallet::nwc;

use super::sats::{confirm, no_mint, richest};
use crate::home::Home;
use crate::purse;

/// From the Lightning wallet to a mint.
pub async fn fund(
    amount: Sats,
    mint: Option<&str>,
    patience: Duration,
    yes: bool,
    home: &Home,
) -> anyhow::Result<()> {
    let wallet = purse::need(home).await?;
    let mint = match mint {
        Some(mint) => mint.to_owned(),
        None => wallet.mints().await?.first().map(|rule| rule.url.clone()).ok_or_else(no_mint)?,
    };
    let lightning = purse::connect_lightning(patience).await?;
    confirm(&format!("pay {amount} from your Lightning wallet to {mint}, unescrowed"), yes)?;
    let received = nwc::fund(&lightning, &wallet, &mint, amount).await;
    lightning.shutdown().await;
    say!("{} received at {mint}", received?);
    Ok(())
}

/// From a mint to the Lightning wallet.
pub async fn withdraw(
    amount: Sats,
    mint: Option<&str>,
    patience: Duration,
    yes: bool,
    home: &Home,
) -> anyhow::Result<()> {
    let wallet = purse::need(home).await?;
    let mint = match mint {
        Some(mint) => mint.to_owned(),
        None => richest(&wallet).await?,
    };
    let lightning = purse::connect_lightning(patience).await?;
    let quote = nwc::quote_withdrawal(&lightning, &wallet, &mint, amount).await;
    lightning.shutdown().await;
    let quote = quote?;
    confirm(&format!("send {} and at most {} in fees, from {mint}", quote.amount, quote.fee_reserve), yes)?;
    let paid = wallet.pay(&quote).await?;
    say!("sent {} and {} in fees", paid.amount, paid.fee);
    Ok(())
}
