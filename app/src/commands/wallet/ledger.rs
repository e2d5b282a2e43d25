//! What the ledger knows: limits and what became of them, per run.

use frlm_wallet::Ledger;
use frlm_wallet::ledger::{HistoryEvent, RunBudget};
use serde_json::json;

use crate::failure::Failure;

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

/// Every transition of a run.
pub async fn history(ledger: &Ledger, run: &str, as_json: bool) -> anyhow::Result<()> {
    for row in ledger.history(run).await? {
        let (what, subtask, attempt, sats) = match &row.event {
            HistoryEvent::Limit(limit) => ("limit", None, None, Some(limit.0)),
            HistoryEvent::Reservation { key, transition } => (
                transition.name(),
                Some(key.subtask),
                Some(key.attempt),
                transition.amount().map(|amount| amount.0),
            ),
        };
        if as_json {
            say!(
                "{}",
                json!({
                    "sequence": row.sequence, "at_unix_ms": row.at_unix_ms, "what": what,
                    "subtask": subtask, "attempt": attempt, "sats": sats,
                })
            );
            continue;
        }
        let whose = match (subtask, attempt) {
            (Some(subtask), Some(attempt)) => format!("subtask {subtask} attempt {attempt}"),
            _ => "run".to_owned(),
        };
        let sats = sats.map_or(String::new(), |sats| format!("{sats} sats"));
        say!("{:>8}  {what:10}  {whose:24}  {sats}", row.sequence);
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
        Err(Failure::with_code(1, "the ledger's sums do not follow from its log").into())
    }
}
