//! `frlm wallet`: mints, balances, sats in and out, history, receipts, audit, recovery.

mod create;
mod ledger;
mod lightning;
mod publish;
mod sats;
mod tokens;
mod transfers;

use std::time::Duration;

use frlm_client::conductor::store::Store;
use frlm_client::wallet::prepay::{Prepaid, PrepaidState};
use frlm_client::wallet::{CashuWallet, Money, Sats};

use crate::cli::WalletCommand;
use frlm_client::earnings_report::{self, EarningsReport, Sums};
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::ledger_report::{balances_as_json, budgets_as_json};
use frlm_client::receipt::{self, Receipt};
use frlm_client::{wallet_audit, wallet_session};

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
        WalletCommand::Tokens { take_back, json } => tokens::tokens(*take_back, *json, home).await,
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
        WalletCommand::Audit => audit(home).await,
        WalletCommand::Recover => recover(home).await,
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
    wallet_session::settle_the_past(&ledger, wallet.as_ref(), home).await?;
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
        let cap = mint.cap.map_or(String::new(), |cap| format!("  cap {cap}"));
        say!("{}  available {}  pending {}{cap}", mint.url, mint.available, mint.pending);
    }
    let Some(wallet) = &wallet else {
        note!("note: no wallet yet (frlm wallet create); runs are accounts, and no sats have moved");
        return ledger::balance(&ledger).await;
    };
    let out: Sats = wallet.tokens_out().await?.iter().map(|token| token.amount).sum();
    if out > Sats::ZERO {
        say!("in tokens that nobody has taken  {out}: frlm wallet tokens");
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

/// Opening ledger and wallet has recovered them; what is left is to compare them, and to say it.
async fn recover(home: &Home) -> anyhow::Result<()> {
    let ledger = home.open_ledger().await?;
    let recovered = ledger.recovered();
    say!(
        "ledger: {} reservations of dead processes freed, {} in doubt, {} on their way back",
        recovered.returned.len(),
        recovered.doubtful.len(),
        recovered.reclaimed.len()
    );
    let wallet = wallet_session::open_patiently(home).await?;
    if wallet.is_none() {
        say!("wallet: none, so that nothing can have been paid");
    }
    if let Some(wallet) = &wallet {
        look_up_payments(wallet).await?;
        let paid = wallet_session::pay_debts(wallet, home).await?;
        if paid.told > 0 {
            say!("owed: {} were paid for {} jobs", paid.sats, paid.told);
        }
        for waiting in &paid.waiting {
            say!("owed: {}", frlm_client::protocol::printable(waiting));
        }
    }
    let reconciled = frlm_client::wallet::reconcile(&ledger, wallet.as_ref()).await?;
    say!(
        "reconciled: {} were paid, {} are yours again, {} still in escrow",
        reconciled.paid.len(),
        reconciled.back.len(),
        reconciled.waiting.len()
    );
    for (key, until) in &reconciled.waiting {
        say!("  {key}: back by itself at {until} (Unix time) at the latest");
    }
    for key in &reconciled.over {
        say!("  {key}: your Lightning wallet took more in fees than was set aside; spent in full");
    }
    match &wallet {
        Some(wallet) => wallet_session::nothing_is_stuck(wallet).await,
        None => Ok(()),
    }
}

/// Folds the ledger's log again, and compares it with the wallet and its mints where there is one.
async fn audit(home: &Home) -> anyhow::Result<()> {
    let books = home.open_ledger().await?;
    ledger::audit(&books).await?;
    match wallet_session::open(home).await? {
        Some(wallet) => wallet_audit::audit(&books, &wallet).await,
        None => Ok(()),
    }
}

/// Asks what became of payments before work that nobody answered, where a Lightning wallet pays them
/// through it.
async fn look_up_payments(wallet: &CashuWallet) -> anyhow::Result<()> {
    let is_open = |row: &&Prepaid| matches!(row.state, PrepaidState::Planned | PrepaidState::Made);
    let unknown = |rows: &[Prepaid]| rows.iter().filter(is_open).count();
    if unknown(&wallet.prepaid(None).await?) == 0 {
        return Ok(());
    }
    let lightning = match std::env::var(wallet_session::CONNECTION) {
        Ok(_) => Some(wallet_session::connect_lightning(frlm_client::wallet::nwc::PATIENCE).await?),
        Err(_) => None,
    };
    let known = wallet.look_up_prepaid(lightning.as_ref()).await?;
    if let Some(lightning) = lightning {
        lightning.shutdown().await;
    }
    say!(
        "paid before: {known} payments that nobody answered are known now, {} are not",
        unknown(&wallet.prepaid(None).await?)
    );
    Ok(())
}
