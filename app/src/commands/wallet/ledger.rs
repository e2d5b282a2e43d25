//! What the ledger knows: limits and what became of them, per run.

use std::sync::Arc;

use frlm_client::wallet::ledger::{HistoryEvent, Limit, RunBudget, Transition, Usage};
use frlm_client::wallet::{Ledger, Sats};
use serde_json::json;

use frlm_client::failure::{Failure, code};

/// Where the sats of each run are: printed for people, or as JSON for the caller to print.
pub async fn balance(ledger: &Ledger, json: bool) -> anyhow::Result<serde_json::Value> {
    let runs = ledger.runs().await?;
    if json {
        return Ok(serde_json::Value::from(runs.iter().map(row_json).collect::<Vec<_>>()));
    }
    if runs.is_empty() {
        say!("no run has used the ledger yet; try: frlm demo");
    }
    for RunBudget { run, budget, .. } in runs {
        say!(
            "{run}  limit {}  spent {} (fees {})  reserved {}  refund pending {}  available {}",
            budget.limit,
            budget.spent,
            budget.fees,
            budget.reserved,
            budget.pending_refund,
            budget.available
        );
    }
    Ok(serde_json::Value::Null)
}

fn row_json(row: &RunBudget) -> serde_json::Value {
    let budget = &row.budget;
    json!({
        "run_id": &*row.run,
        "limit_sats": budget.limit.0,
        "spent_sats": budget.spent.0,
        "fees_sats": budget.fees.0,
        "reserved_sats": budget.reserved.0,
        "pending_refund_sats": budget.pending_refund.0,
        "available_sats": budget.available.0,
    })
}

/// The owner's limits, and what the last 24 hours have taken of them.
pub async fn limits(ledger: &Ledger, json: bool) -> anyhow::Result<()> {
    let Usage { limits, day, providers, mints } = ledger.usage().await?;
    if json {
        let named = |sums: &[(Arc<str>, Sats)]| -> serde_json::Value {
            sums.iter().map(|(name, sats)| json!({ "name": **name, "used_sats": sats.0 })).collect()
        };
        let most = |limit: Limit| limits.get(limit).map(|most| most.0);
        say!(
            "{}",
            json!({
                "per_subtask_sats": most(Limit::Subtask), "per_day_sats": most(Limit::Day),
                "per_provider_sats": most(Limit::Provider), "per_mint_sats": most(Limit::Mint),
                "used_today_sats": day.0, "providers": named(&providers), "mints": named(&mints),
            })
        );
        return Ok(());
    }
    let most = |limit: Limit| limits.get(limit).map_or("no limit".to_owned(), |most| most.to_string());
    say!("per run       --budget, 1000 sats unless told otherwise");
    say!("per subtask   {}", most(Limit::Subtask));
    say!("per day       {}  used {day}", most(Limit::Day));
    say!("per provider  {} in a day", most(Limit::Provider));
    for (provider, used) in &providers {
        say!("  {}  used {used}", provider.get(..8).unwrap_or(provider));
    }
    say!("per mint      {} in a day", most(Limit::Mint));
    for (mint, used) in &mints {
        say!("  {}  used {used}", frlm_client::protocol::printable(mint));
    }
    note!("a day is the last 24 hours, fees included; change them under [limits] in config.toml");
    Ok(())
}

/// Every transition of a run.
pub async fn history(ledger: &Ledger, run: &str, as_json: bool) -> anyhow::Result<()> {
    let booked = ledger.booked(run).await?;
    for row in ledger.history(run).await? {
        let mut whom = None;
        let (what, subtask, attempt, sats) = match &row.event {
            HistoryEvent::Limit(limit) => ("limit", None, None, Some(limit.0)),
            HistoryEvent::Reservation { key, transition } => {
                whom = booked
                    .get(&(key.subtask, key.attempt))
                    .filter(|_| matches!(transition, Transition::Reserve(_)));
                let sats = transition.amount().map(|amount| amount.0);
                (transition.name(), Some(key.subtask), Some(key.attempt), sats)
            }
        };
        if as_json {
            say!(
                "{}",
                json!({
                    "sequence": row.sequence, "at_unix_ms": row.at_unix_ms, "what": what,
                    "subtask": subtask, "attempt": attempt, "sats": sats,
                    "provider": whom.and_then(|whom| whom.provider.as_deref()),
                    "mint": whom.and_then(|whom| whom.mint.as_deref()),
                    "scheme": whom.map(|whom| whom.scheme.name()),
                })
            );
            continue;
        }
        let whose = match (subtask, attempt) {
            (Some(subtask), Some(attempt)) => format!("subtask {subtask} attempt {attempt}"),
            _ => "run".to_owned(),
        };
        let sats = sats.map_or(String::new(), |sats| format!("{sats} sats"));
        let whom = whom.map_or(String::new(), |whom| {
            let provider = whom.provider.as_deref().unwrap_or("nobody named");
            format!("  for {}, {}", provider.get(..8).unwrap_or(provider), whom.scheme.in_words())
        });
        say!("{:>8}  {what:10}  {whose:24}  {sats}{whom}", row.sequence);
    }
    Ok(())
}

/// Folds the log again and compares.
pub async fn audit(ledger: &Ledger) -> anyhow::Result<()> {
    let audit = ledger.audit().await?;
    say!(
        "{} transitions of {} reservations in {} runs folded",
        audit.transitions,
        audit.reservations,
        audit.runs
    );
    for mismatch in &audit.mismatches {
        say!("{mismatch}");
    }
    if audit.is_clean() {
        say!("all sums add up");
        Ok(())
    } else {
        Err(Failure::with_code(code::FAILED, "the ledger's sums do not follow from its log").into())
    }
}
