//! `frlm wallet`: mints, balances, sats in and out, history, receipts, audit, recovery.

mod ledger;
mod lightning;
mod sats;

use frlm_conductor::store::Store;
use frlm_wallet::{Ledger, Sats};

use crate::cli::WalletCommand;
use crate::failure::Failure;
use crate::home::Home;
use crate::receipt::{self, Receipt};
use crate::{purse, receipt as receipts};

/// Does what was asked for.
pub async fn run(command: &WalletCommand, home: &Home) -> anyhow::Result<()> {
    match command {
        WalletCommand::Create { restore } => sats::create(*restore, home),
        WalletCommand::Mints(command) => sats::mints(command, home).await,
        WalletCommand::Balance { json } => balance(*json, home).await,
        WalletCommand::Receive { what, mint, wait } => {
            sats::receive(what, mint.as_deref(), *wait, home).await
        }
        WalletCommand::Send { what, mint, most, yes } => {
            sats::send(what, mint.as_deref(), *most, *yes, home).await
        }
        WalletCommand::Fund { amount, mint, yes } => {
            lightning::fund(Sats(*amount), mint.as_deref(), *yes, home).await
        }
        WalletCommand::Withdraw { amount, mint, yes } => {
            lightning::withdraw(Sats(*amount), mint.as_deref(), *yes, home).await
        }
        WalletCommand::History { run: Some(run), json } => {
            let run = find(run, home)?;
            ledger::history(&Ledger::open(home.ledger()).await?, &run, *json).await
        }
        WalletCommand::History { run: None, json } => earned(*json, home).await,
        WalletCommand::Receipt { run, json, csv } => print_receipt(run, *json, *csv, home).await,
        WalletCommand::Audit => ledger::audit(&Ledger::open(home.ledger()).await?).await,
        WalletCommand::Recover => recover(home).await,
    }
}

fn find(run: &str, home: &Home) -> anyhow::Result<String> {
    Ok(Store::open(&home.store())?.find(run).map_err(Failure::usage)?.id)
}

async fn balance(json: bool, home: &Home) -> anyhow::Result<()> {
    let wallet = purse::open(home).await?;
    let mints = match &wallet {
        Some(wallet) => wallet.balances().await?,
        None => Vec::new(),
    };
    let ledger = Ledger::open(home.ledger()).await?;
    purse::settle_the_past(&ledger, wallet.as_ref()).await?;
    if json {
        let mints: Vec<_> = mints
            .iter()
            .map(|mint| {
                serde_json::json!({
                    "mint": mint.url, "available_sats": mint.available.0, "pending_sats": mint.pending.0,
                    "cap_sats": mint.cap.map(|cap| cap.0),
                })
            })
            .collect();
        let runs = ledger::balance(&ledger, true).await?;
        say!("{}", serde_json::json!({ "mints": mints, "runs": runs }));
        return Ok(());
    }
    for mint in &mints {
        let cap = mint.cap.map_or(String::new(), |cap| format!("  cap {cap}"));
        say!("{}  available {}  pending {}{cap}", mint.url, mint.available, mint.pending);
    }
    if wallet.is_none() {
        note!("note: no wallet yet (frlm wallet create); runs are accounts, and no sats have moved");
    }
    ledger::balance(&ledger, false).await.map(drop)
}

async fn earned(json: bool, home: &Home) -> anyhow::Result<()> {
    let Some(wallet) = purse::open(home).await? else {
        note!(
            "note: no wallet yet (frlm wallet create), so nothing was earned. \
             What a run did with its budget: frlm wallet history RUN"
        );
        return Ok(());
    };
    let earnings = wallet.earnings().await?;
    for each in &earnings {
        if json {
            say!(
                "{}",
                serde_json::json!({
                    "job": each.job, "asker": each.asker, "model": each.model, "mint": each.mint,
                    "state": each.state, "price_sats": each.price.0, "received_sats": each.received.0,
                    "locktime": each.locktime, "at_ms": each.at_unix_ms,
                })
            );
        } else {
            say!(
                "{}  {:9}  {} agreed, {} received  {}",
                each.job.get(..8).unwrap_or(&each.job),
                each.state,
                each.price,
                each.received,
                frlm_protocol::printable(&each.model)
            );
        }
    }
    note!("{}", receipts::earnings(&earnings, wallet.money()));
    Ok(())
}

async fn print_receipt(run: &str, json: bool, csv: bool, home: &Home) -> anyhow::Result<()> {
    let run = find(run, home)?;
    let wallet = purse::need(home).await?;
    let receipt: receipt::Receipt = Receipt::of(&wallet, &Ledger::open(home.ledger()).await?, &run).await?;
    if json {
        say!("{}", serde_json::to_string(&receipt)?);
    } else if csv {
        say_raw!("{}", receipt.csv());
    } else {
        say!("{}", receipt.describe());
    }
    Ok(())
}

/// Opening ledger and wallet has recovered them; what is left is to compare them, and to say it.
async fn recover(home: &Home) -> anyhow::Result<()> {
    let ledger = Ledger::open(home.ledger()).await?;
    let recovered = ledger.recovered();
    say!(
        "ledger: {} reservations of dead processes freed, {} in doubt, {} on their way back",
        recovered.returned.len(),
        recovered.doubtful.len(),
        recovered.reclaimed.len()
    );
    let wallet = purse::open(home).await?;
    if wallet.is_none() {
        say!("wallet: none, so that nothing can have been paid");
    }
    let reconciled = frlm_wallet::reconcile(&ledger, wallet.as_ref()).await?;
    say!(
        "reconciled: {} were paid, {} are yours again, {} still in escrow",
        reconciled.paid.len(),
        reconciled.back.len(),
        reconciled.waiting.len()
    );
    for (key, until) in &reconciled.waiting {
        say!("  {key}: back by itself at {until} (Unix time) at the latest");
    }
    Ok(())
}
