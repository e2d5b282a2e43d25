//! Sats in and out of this home's wallet.

use std::io::IsTerminal as _;
use std::time::Duration;

use frlm_client::wallet::{Msats, Sats, WalletError};

use crate::cli::MintsCommand;
use crate::streams::agreed;
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::wallet_session::{mint_to_receive_at, mint_to_send_from, no_mint};
use frlm_client::{ledger_report, wallet_session};

/// The allow list.
pub async fn mints(command: &MintsCommand, home: &Home) -> anyhow::Result<()> {
    let wallet = wallet_session::need(home).await?;
    match command {
        MintsCommand::List => {
            let mints = wallet.mints().await?;
            if mints.is_empty() {
                note!("{}", no_mint());
            }
            for rule in mints {
                let limit = rule.limit.map_or("no limit".to_owned(), |limit| format!("limit {limit}"));
                say!("{}  {limit}", rule.url);
            }
        }
        MintsCommand::Add { url, limit } => {
            let (rule, found) = match wallet.add_mint(url, limit.map(Sats)).await {
                Err(error @ (WalletError::BadMint(_) | WalletError::PlayMoney { .. })) => {
                    return Err(Failure::usage(error).into());
                }
                added => added?,
            };
            say!("{} may hold your sats; they are a claim on its operator", rule.url);
            if found > Sats::ZERO {
                say!("{found} of this wallet were found there");
            }
        }
        MintsCommand::Remove { url } => {
            wallet.forbid_mint(url).await.map_err(Failure::usage)?;
            say!("not used any more; if it holds sats, they are shown when you add it again");
        }
    }
    Ok(())
}

/// A token, or an invoice that somebody pays.
pub async fn receive(what: &str, mint: Option<&str>, wait_secs: u64, home: &Home) -> anyhow::Result<()> {
    let wallet = wallet_session::need(home).await?;
    if what.starts_with("cashu") {
        let received = match wallet.receive_token(what).await {
            Err(error @ (WalletError::BadToken(_) | WalletError::MintNotAllowed { .. })) => {
                return Err(Failure::usage(error).into());
            }
            received => received?,
        };
        say!("{received} received");
        return Ok(());
    }
    let amount: Sats = what.parse().map_err(Failure::usage)?;
    let mint = mint_to_receive_at(&wallet, mint).await?;
    let invoice = wallet.invoice(&mint, amount).await?;
    let (words, is_payable) = wallet_session::invitation(wallet.money(), &amount.0.to_string());
    if is_payable {
        say!("{}", invoice.bolt11);
    }
    note!("{words} Waiting {wait_secs} s for it at {mint}");
    let received = wallet.receive_invoice(&invoice, Duration::from_secs(wait_secs)).await?;
    note!("{received} received");
    Ok(())
}

/// A token, or the payment of an invoice.
pub async fn send(
    what: &str,
    mint: Option<&str>,
    most: Option<u64>,
    yes: bool,
    home: &Home,
) -> anyhow::Result<()> {
    let wallet = wallet_session::need(home).await?;
    let mint = mint_to_send_from(&wallet, mint).await?;
    if let Ok(amount) = what.parse::<Sats>() {
        confirm(&format!("create a token of {amount}, which anybody who reads it can redeem"), yes)?;
        say!("{}", wallet.send_token(&mint, amount).await?);
        return Ok(());
    }
    let most = most.map_or(Some(Msats(u64::MAX)), |most| Sats(most).to_msats()).unwrap_or(Msats(u64::MAX));
    let quote = wallet.payment_quote(&mint, what, most).await?;
    confirm(&format!("pay {} and at most {} in fees, from {mint}", quote.amount, quote.fee_reserve), yes)?;
    let paid = wallet.pay(&quote).await?;
    say!("paid {} and {} in fees", paid.amount, paid.fee);
    if let Some(preimage) = paid.preimage {
        say!("proof of payment {}", frlm_client::protocol::printable(&preimage));
    }
    Ok(())
}

/// What foreign providers were paid before their work; or one of them is forgiven.
pub async fn prepaid(forgive: Option<&str>, json: bool, home: &Home) -> anyhow::Result<()> {
    let wallet = wallet_session::need(home).await?;
    if let Some(name) = forgive {
        let key = nostr::PublicKey::parse(name)
            .map_err(|_| Failure::usage(format!("--forgive {name}: not a public key (npub1…)")))?;
        say!("{} payments forgiven", wallet.forgive(&key.to_hex()).await?);
        return Ok(());
    }
    for row in wallet.prepaid(None).await? {
        if json {
            say!("{}", ledger_report::prepaid_as_json(&row));
        } else {
            say!("{}", ledger_report::prepaid(&row));
        }
    }
    Ok(())
}

/// Sats that are gone stay gone: asks, unless told not to.
pub(super) fn confirm(what: &str, yes: bool) -> anyhow::Result<()> {
    if yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(format!("--yes is needed to {what}")).into());
    }
    if agreed(&format!("{what}?"))? {
        Ok(())
    } else {
        Err(Failure::with_code(code::FAILED, "nothing was sent").into())
    }
}
