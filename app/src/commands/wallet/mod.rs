//! `frlm wallet`: mints, balances, sats in and out, history, receipts, audit, recovery.

mod create;
mod ledger;
mod lightning;
mod passphrase;
mod publish;
mod sats;
mod tokens;
mod transfers;

use std::time::Duration;

use frlm_client::conductor::store::Store;
use frlm_client::wallet::{Money, Sats};

use crate::cli::WalletCommand;
use frlm_client::earnings_report::{self, EarningsReport, Sums};
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::ledger_report::{balances_as_json, budgets_as_json};
use frlm_client::receipt::{self, Receipt};
use frlm_client::{wallet_audit, wallet_recovery, wallet_session};

/// Does what was asked for.
pub async fn run(command: &WalletCommand, home: &Home) -> anyhow::Result<()> {
    match command {
        WalletCommand::Create { restore, yes } => create::create(*restore, *yes, home),
        WalletCommand::Mints(command) => sats::mints(command, home).await,
        WalletCommand::Balance { json } => balance(*json, home).await,
        WalletCommand::Receive { what, mint, wait } => {
            sats::receive(what, mint.as_deref(), *wait, home).await
        }
        WalletCommand::Send { what, mint, most, yes } => {
            sats::send(what, mint.as_deref(), *most, *yes, home).await
        }
        WalletCommand::Transfers { json } => transfers::transfers(*json, home).await,
        WalletCommand::Tokens { reclaim, json } => tokens::tokens(*reclaim, *json, home).await,
        WalletCommand::Fund { amount, mint, wait, yes } => {
            lightning::fund(Sats(*amount), mint.as_deref(), Duration::from_secs(*wait), *yes, home).await
        }
        WalletCommand::Withdraw { amount, mint, wait, yes } => {
            lightning::withdraw(Sats(*amount), mint.as_deref(), Duration::from_secs(*wait), *yes, home).await
        }
        WalletCommand::History { run: Some(run), json } => {
            let run = find(run, home)?;
            ledger::history(&home.open_ledger().await?, &run, *json).await
        }
        WalletCommand::History { run: None, json } => earned(*json, home).await,
        WalletCommand::Receipt { run, publish: true, relays, yes, .. } => {
            publish::publish(run, relays, *yes, home).await
        }
        WalletCommand::Receipt { run, json, csv, .. } => print_receipt(run, *json, *csv, home).await,
        WalletCommand::Earned { json, csv } => report(*json, *csv, home).await,
        WalletCommand::Limits { json } => ledger::limits(&home.open_ledger().await?, *json).await,
        WalletCommand::Prepaid { forgive, json } => sats::prepaid(forgive.as_deref(), *json, home).await,
        WalletCommand::Passphrase { drop, json } => passphrase::passphrase(*drop, *json, home),
        WalletCommand::Audit => audit(home).await,
        WalletCommand::Recover => wallet_recovery::recover(home, |line| say!("{line}")).await,
    }
}

fn find(run: &str, home: &Home) -> anyhow::Result<String> {
    Ok(Store::open(&home.store())?.find(run).map_err(Failure::from)?.id)
}

async fn balance(json: bool, home: &Home) -> anyhow::Result<()> {
    let wallet = wallet_session::open(home).await?;
    let mints = match &wallet {
        Some(wallet) => wallet.balances().await?,
        None => Vec::new(),
    };
    let ledger = home.open_ledger().await?;
    wallet_session::reconcile_previous_runs(&ledger, wallet.as_ref(), home).await?;
    if json {
        let mints = balances_as_json(&mints);
        let runs = budgets_as_json(&ledger.runs().await?);
        let play_money = home.money() == Money::Play;
        say!("{}", serde_json::json!({ "play_money": play_money, "mints": mints, "runs": runs }));
        return Ok(());
    }
    if home.money() == Money::Play {
        say!("in {}", Money::Play.unit());
    }
    for mint in &mints {
        let limit = mint.limit.map_or(String::new(), |limit| format!("  limit {limit}"));
        say!("{}  available {}  pending {}{limit}", mint.url, mint.available, mint.pending);
    }
    let Some(wallet) = &wallet else {
        note!("note: no wallet yet (frlm wallet create); runs are accounts, and no sats have moved");
        return ledger::balance(&ledger).await;
    };
    let out: Sats = wallet.tokens_out().await?.iter().map(|token| token.amount).sum();
    if out > Sats::ZERO {
        say!("in tokens not redeemed yet  {out}: frlm wallet tokens");
    }
    ledger::balance(&ledger).await
}

async fn earned(json: bool, home: &Home) -> anyhow::Result<()> {
    let Some(wallet) = wallet_session::open(home).await? else {
        note!(
            "note: no wallet yet (frlm wallet create), so nothing was earned. \
             What a run did with its budget: frlm wallet history RUN"
        );
        return Ok(());
    };
    let earnings = wallet.earnings().await?;
    for each in &earnings {
        if json {
            say!("{}", earnings_report::as_json(each));
        } else {
            say!("{}", earnings_report::line(each));
        }
    }
    note!("{}", Sums::of(&earnings).describe(wallet.money()));
    Ok(())
}

/// What this home's provider has earned, summed up.
async fn report(json: bool, csv: bool, home: &Home) -> anyhow::Result<()> {
    let wallet = wallet_session::need(home).await?;
    let now_ms = frlm_client::util::clock::unix_millis_signed();
    let report = EarningsReport::of(&wallet.earnings().await?, wallet.money(), now_ms);
    if json {
        say!("{}", serde_json::to_string(&report)?);
    } else if csv {
        say_raw!("{}", report.csv());
    } else {
        say_raw!("{}", report.describe());
    }
    Ok(())
}

async fn print_receipt(run: &str, json: bool, csv: bool, home: &Home) -> anyhow::Result<()> {
    let run = find(run, home)?;
    let wallet = wallet_session::need(home).await?;
    let receipt: receipt::Receipt = Receipt::of(&wallet, &home.open_ledger().await?, &run).await?;
    if json {
        say!("{}", serde_json::to_string(&receipt)?);
    } else if csv {
        say_raw!("{}", receipt.csv());
    } else {
        say!("{}", receipt.describe());
    }
    Ok(())
}

/// Folds the ledger's log again, and compares it with the wallet and its mints where there is one.
async fn audit(home: &Home) -> anyhow::Result<()> {
    let ledger = home.open_ledger().await?;
    let opened = wallet_session::open(home).await;
    let found = wallet_audit::audit(&ledger, &opened).await?;
    say_raw!("{}", found.describe());
    found.agrees()?;
    opened.map(drop)
}
