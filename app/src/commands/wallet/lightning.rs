//! Sats between a mint and a Lightning wallet somewhere else, over Nostr Wallet Connect.

use std::time::Duration;

use frlm_client::protocol::shown_path;
use frlm_client::wallet::nwc;
use frlm_client::wallet::{Money, Sats};

use super::sats::confirm;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::wallet_session::{self, mint_to_receive_at, mint_to_send_from};

/// From the Lightning wallet to a mint.
pub async fn fund(
    amount: Sats,
    mint: Option<&str>,
    timeout: Duration,
    yes: bool,
    home: &Home,
) -> anyhow::Result<()> {
    only_real(home)?;
    let wallet = wallet_session::need(home).await?;
    let mint = mint_to_receive_at(&wallet, mint).await?;
    let lightning = wallet_session::connect_lightning(timeout).await?;
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
    timeout: Duration,
    yes: bool,
    home: &Home,
) -> anyhow::Result<()> {
    only_real(home)?;
    let wallet = wallet_session::need(home).await?;
    let mint = mint_to_send_from(&wallet, mint).await?;
    let lightning = wallet_session::connect_lightning(timeout).await?;
    let quote = nwc::quote_withdrawal(&lightning, &wallet, &mint, amount).await;
    lightning.shutdown().await;
    let quote = quote?;
    confirm(&format!("send {} and at most {} in fees, from {mint}", quote.amount, quote.fee_reserve), yes)?;
    let paid = wallet.pay(&quote).await?;
    say!("sent {} and {} in fees", paid.amount, paid.fee);
    Ok(())
}

/// A Lightning wallet's sats are worth something, and a demo's are not.
fn only_real(home: &Home) -> Result<(), Failure> {
    if home.money() == Money::Real {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} was left by a demo, and its sats are play money, which Lightning wallets do not use; use a wallet \
         in another home: --home DIR",
        shown_path(home.root())
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use frlm_client::failure::{code, render_error};

    #[tokio::test]
    async fn no_sats_of_a_lightning_wallet_become_play_money_or_come_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        home.mark_as_play().unwrap();
        let timeout = Duration::from_secs(1);
        for refused in [
            fund(Sats(1), None, timeout, true, &home).await,
            withdraw(Sats(1), None, timeout, true, &home).await,
        ] {
            let (words, exit) = render_error(&refused.unwrap_err());
            assert_eq!(exit, code::USAGE);
            assert!(words.contains("play money") && words.contains("--home DIR"), "{words}");
        }
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let (words, _) = render_error(&fund(Sats(1), None, timeout, true, &home).await.unwrap_err());
        assert!(words.contains("frlm wallet create"), "a home of its owner's: {words}");
    }
}
