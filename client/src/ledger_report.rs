//! What the ledger knows of runs and limits, in lines for people and as objects for programs.

use std::fmt::Write as _;
use std::sync::Arc;

use frlm_protocol::printable;
use frlm_wallet::cashu::{MintBalance, SentToken, Transfer};
use frlm_wallet::ledger::{HistoryEvent, Limit, RunBudget, Transition, Usage};
use frlm_wallet::prepay::Prepaid;
use frlm_wallet::{Ledger, LedgerError, Sats};
use serde_json::{Value, json};

use crate::units::lasting;

/// Where the sats of each run are, for people; nothing where no run has used the ledger.
pub fn budgets(runs: &[RunBudget]) -> String {
    let mut text = String::new();
    for RunBudget { run, budget, .. } in runs {
        // Writing into a String cannot fail, here and below.
        let _ = writeln!(
            text,
            "{run}  budget {}  spent {} (fees {})  reserved {}  refund pending {}  available {}",
            budget.limit, budget.spent, budget.fees, budget.reserved, budget.pending_refund, budget.available
        );
    }
    text
}

/// The same for programs.
pub fn budgets_as_json(runs: &[RunBudget]) -> Value {
    let row = |RunBudget { run, budget, .. }: &RunBudget| {
        json!({
            "run_id": &**run,
            "limit_sats": budget.limit.0,
            "spent_sats": budget.spent.0,
            "fees_sats": budget.fees.0,
            "reserved_sats": budget.reserved.0,
            "pending_refund_sats": budget.pending_refund.0,
            "available_sats": budget.available.0,
        })
    };
    runs.iter().map(row).collect()
}

/// The owner's limits, and what the last 24 hours have taken of them.
pub fn limits(usage: &Usage) -> String {
    let Usage { limits, day, providers, mints } = usage;
    let most = |limit: Limit| limits.get(limit).map_or("no limit".to_owned(), |most| most.to_string());
    let mut text = format!(
        "per run       --budget, 1000 sats unless told otherwise\nper subtask   {}\nper day       {}  used {day}\n\
         per provider  {} in a day\n",
        most(Limit::Subtask),
        most(Limit::Day),
        most(Limit::Provider)
    );
    for (provider, used) in providers {
        let _ = writeln!(text, "  {}  used {used}", provider.get(..8).unwrap_or(provider));
    }
    let _ = writeln!(text, "per mint      {} in a day", most(Limit::Mint));
    for (mint, used) in mints {
        let _ = writeln!(text, "  {}  used {used}", printable(mint));
    }
    text
}

/// The same for programs.
pub fn limits_as_json(usage: &Usage) -> Value {
    let Usage { limits, day, providers, mints } = usage;
    let named = |sums: &[(Arc<str>, Sats)]| -> Value {
        sums.iter().map(|(name, sats)| json!({ "name": **name, "used_sats": sats.0 })).collect()
    };
    let most = |limit: Limit| limits.get(limit).map(|most| most.0);
    json!({
        "per_subtask_sats": most(Limit::Subtask), "per_day_sats": most(Limit::Day),
        "per_provider_sats": most(Limit::Provider), "per_mint_sats": most(Limit::Mint),
        "used_today_sats": day.0, "providers": named(providers), "mints": named(mints),
    })
}

/// Every transition of a run, a line each: for people, or as objects for programs.
///
/// # Errors
///
/// [`LedgerError::UnknownRun`].
pub async fn history(ledger: &Ledger, run: &str, as_json: bool) -> Result<Vec<String>, LedgerError> {
    let booked = ledger.booked(run).await?;
    let mut lines = Vec::new();
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
            let row = json!({
                "sequence": row.sequence, "at_unix_ms": row.at_unix_ms, "what": what,
                "subtask": subtask, "attempt": attempt, "sats": sats,
                "provider": whom.and_then(|whom| whom.provider.as_deref()),
                "mint": whom.and_then(|whom| whom.mint.as_deref()),
                "scheme": whom.map(|whom| whom.scheme.name()),
            });
            lines.push(row.to_string());
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
        lines.push(format!("{:>8}  {what:10}  {whose:24}  {sats}{whom}", row.sequence));
    }
    Ok(lines)
}

/// What a foreign provider was paid before its work, in a line.
pub fn prepaid(row: &Prepaid) -> String {
    let provider = row.peer.get(..8).unwrap_or(&row.peer);
    let (state, end) = (row.state.name(), row.end.name());
    format!("{provider}  {}  {} and {} in fees  {state}, {end}, unescrowed", row.key, row.amount, row.fees)
}

/// The same for programs.
pub fn prepaid_as_json(row: &Prepaid) -> Value {
    json!({
        "payment_hash": row.hash, "run": &*row.key.run, "subtask": row.key.subtask,
        "attempt": row.key.attempt, "provider": row.peer, "sats": row.amount.0,
        "fees_sats": row.fees.0, "state": row.state.name(), "end": row.end.name(), "escrowed": false,
        "at_ms": row.at_unix_ms,
    })
}

/// Sats that came in or went out, in a line.
pub fn transfer(each: &Transfer, now_secs: u64) -> String {
    let (direction, way) = ways(each);
    let fees = if each.fees > Sats::ZERO { format!(" and {} in fees", each.fees) } else { String::new() };
    let age = lasting(now_secs.saturating_sub(each.at_secs).saturating_mul(1_000));
    let (state, mint) = (each.state.name(), &each.mint);
    format!("{direction:3}  {way:9}  {}{fees}  {state}  {mint}  {age} ago", each.amount)
}

/// The same for programs.
pub fn transfer_as_json(each: &Transfer) -> Value {
    let (direction, way) = ways(each);
    json!({
        "at_secs": each.at_secs, "mint": each.mint, "direction": direction, "way": way,
        "sats": each.amount.0, "fees_sats": each.fees.0, "state": each.state.name(),
    })
}

fn ways(each: &Transfer) -> (&'static str, &'static str) {
    (if each.incoming { "in" } else { "out" }, if each.as_token { "token" } else { "lightning" })
}

/// A token that nobody has taken, in a line; the sats that were redeemed, if it was to be redeemed, or why none were.
pub fn token(token: &SentToken, outcome: (Option<Sats>, Option<&str>), now_secs: u64) -> String {
    let (sats, mint) = (token.amount, &token.mint);
    match outcome {
        (Some(received), _) => format!("{received} redeemed at {mint}"),
        (None, Some(failed)) => format!("{sats} at {mint} were not redeemed: {}", printable(failed)),
        (None, None) => {
            let age = lasting(now_secs.saturating_sub(token.at_secs).saturating_mul(1_000));
            format!("{sats} at {mint}, made {age} ago\n{}", token.text)
        }
    }
}

/// The same for programs.
pub fn token_as_json(token: &SentToken, (received, failed): (Option<Sats>, Option<&str>)) -> Value {
    json!({
        "mint": token.mint, "sats": token.amount.0, "at_secs": token.at_secs, "token": token.text,
        "taken_back_sats": received.map(|sats| sats.0), "failed": failed,
    })
}

/// What the wallet has at its mints, for programs.
pub fn balances_as_json(mints: &[MintBalance]) -> Value {
    let row = |mint: &MintBalance| {
        json!({
            "mint": mint.url, "available_sats": mint.available.0, "pending_sats": mint.pending.0,
            "cap_sats": mint.limit.map(|limit| limit.0),
        })
    };
    mints.iter().map(row).collect()
}
