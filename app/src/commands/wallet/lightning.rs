//! Sats between a mint and a Lightning wallet somewhere else, over Nostr Wallet Connect.

use frlm_wallet::Sats;
use frlm_wallet::nwc::{self, NwcAddress, NwcWallet};

use super::sats::{confirm, no_mint, richest};
use crate::failure::Failure;
use crate::home::Home;
use crate::purse;

/// The wallet connection: it is a secret, so that it is no argument that others on this machine see.
const CONNECTION: &str = "FRLM_NWC";

/// From the Lightning wallet to a mint.
pub async fn fund(amount: Sats, mint: Option<&str>, yes: bool, home: &Home) -> anyhow::Result<()> {
    let wallet = purse::need(home).await?;
    let mint = match mint {
        Some(mint) => mint.to_owned(),
        None => wallet.mints().await?.first().map(|rule| rule.url.clone()).ok_or_else(no_mint)?,
    };
    let lightning = connect().await?;
    confirm(&format!("pay {amount} from your Lightning wallet to {mint}, unescrowed"), yes)?;
    let received = nwc::fund(&lightning, &wallet, &mint, amount).await;
    lightning.shutdown().await;
    say!("{} received at {mint}", received?);
    Ok(())
}

/// From a mint to the Lightning wallet.
pub async fn withdraw(amount: Sats, mint: Option<&str>, yes: bool, home: &Home) -> anyhow::Result<()> {
    let wallet = purse::need(home).await?;
    let mint = match mint {
        Some(mint) => mint.to_owned(),
        None => richest(&wallet).await?,
    };
    let lightning = connect().await?;
    let quote = nwc::quote_withdrawal(&lightning, &wallet, &mint, amount).await;
    lightning.shutdown().await;
    let quote = quote?;
    confirm(&format!("send {} and at most {} in fees, from {mint}", quote.amount, quote.fee_reserve), yes)?;
    let paid = wallet.pay(&quote).await?;
    say!("sent {} and {} in fees", paid.amount, paid.fee);
    Ok(())
}

async fn connect() -> anyhow::Result<NwcWallet> {
    let address = std::env::var(CONNECTION).map_err(|_| {
        Failure::usage(format!(
            "no wallet connection: set {CONNECTION} to what your Lightning wallet shows for Nostr Wallet Connect \
             (nostr+walletconnect://…)"
        ))
    })?;
    let address: NwcAddress = address.parse().map_err(Failure::usage)?;
    Ok(NwcWallet::connect(address, nwc::PATIENCE).await?)
}
