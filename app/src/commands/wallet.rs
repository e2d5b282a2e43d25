//! `frlm wallet`: what the ledger knows.

use frlm_conductor::store::Store;
use frlm_wallet::Ledger;

use crate::cli::WalletCommand;
use crate::failure::Failure;
use crate::home::Home;

/// Prints what was asked for.
pub async fn run(command: &WalletCommand, home: &Home) -> Result<(), Failure> {
    let ledger = Ledger::open(home.ledger()).await?;
    match command {
        WalletCommand::Balance { json } => balance(&ledger, *json).await,
        WalletCommand::History { run, json } => {
            let run = Store::open(&home.store())?.find(run).map_err(Failure::usage)?;
            history(&ledger, &run.id, *json).await
        }
        WalletCommand::Audit => audit(&ledger).await,
    }
}

async fn balance(ledger: &Ledger, json: bool) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for run in ledger.runs().await? {
        rows.push((run.clone(), ledger.budget(&run).await?));
    }
    if json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(run, budget)| serde_json::json!({ "run_id": run, "budget": budget }))
            .collect();
        println!("{}", serde_json::Value::from(rows));
        return Ok(());
    }
    if rows.is_empty() {
        println!("no run has used the ledger yet; try: frlm demo");
    }
    for (run, budget) in rows {
        println!(
            "{run}  limit {}  spent {} (fees {})  reserved {}  refund pending {}  available {}",
            budget.limit, budget.spent, budget.fees, budget.reserved, budget.pending_refund, budget.available
        );
    }
    eprintln!("note: no payment rail is connected yet; these are accounts, no sats have moved");
    Ok(())
}

async fn history(ledger: &Ledger, run: &str, json: bool) -> Result<(), Failure> {
    let transitions = ledger.history(run).await?;
    if json {
        println!("{}", serde_json::to_string(&transitions)?);
        return Ok(());
    }
    for transition in transitions {
        println!("{transition}");
    }
    Ok(())
}

async fn audit(ledger: &Ledger) -> Result<(), Failure> {
    let report = ledger.audit().await?;
    println!("{report}");
    if report.is_clean() { Ok(()) } else { Err(Failure::with_code(1, "the ledger's sums do not add up")) }
}
