//! What the ledger knows: limits and what became of them, per run.

use frlm_client::ledger_report::{self, budgets, limits_as_json};
use frlm_client::wallet::Ledger;

/// Where the sats of each run are.
pub async fn balance(ledger: &Ledger) -> anyhow::Result<()> {
    let runs = ledger.runs().await?;
    if runs.is_empty() {
        say!("no run has used the ledger yet; try: frlm demo");
    }
    say_raw!("{}", budgets(&runs));
    Ok(())
}

/// The owner's limits, and what the last 24 hours have taken of them.
pub async fn limits(ledger: &Ledger, json: bool) -> anyhow::Result<()> {
    let usage = ledger.usage().await?;
    if json {
        say!("{}", limits_as_json(&usage));
    } else {
        say_raw!("{}", ledger_report::limits(&usage));
        note!("a day is the last 24 hours, fees included; change them under [limits] in config.toml");
    }
    Ok(())
}

/// Every transition of a run.
pub async fn history(ledger: &Ledger, run: &str, as_json: bool) -> anyhow::Result<()> {
    for line in ledger_report::history(ledger, run, as_json).await? {
        say!("{line}");
    }
    Ok(())
}
