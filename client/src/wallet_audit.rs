//! What `frlm wallet audit` says: whether ledger, journal, receipts and mints say the same.

use frlm_wallet::{CashuWallet, Difference, Ledger};

use crate::failure::{Failure, code};
use crate::receipt::Receipt;

/// Compares ledger, journal, receipts and mints, and says each difference with what to do about it.
///
/// # Errors
///
/// If there is one.
pub async fn audit(ledger: &Ledger, wallet: &CashuWallet) -> anyhow::Result<()> {
    let mut found = frlm_wallet::audit(ledger, wallet).await?;
    let receipts = Receipts::compared(ledger, wallet).await?;
    notice!(
        "wallet: {} attempts compared in ledger and journal, {} receipts added up ({} are not over), {} proofs asked about \
         at their mints",
        found.attempts,
        receipts.over,
        receipts.under_way,
        found.proofs
    );
    found.differences.extend(receipts.wrong);
    for mint in &found.unasked {
        notice!("wallet: not compared: {}", frlm_protocol::printable(mint));
    }
    for difference in &found.differences {
        notice!("wallet: {}", frlm_protocol::printable(&difference.to_string()));
    }
    if found.differences.is_empty() {
        return Ok(());
    }
    let why = "ledger, journal, receipts and mints do not say the same, as said above";
    Err(Failure::with_code(code::FAILED, why).into())
}

/// The receipts of all runs, held against the ledger.
#[derive(Debug, Default)]
struct Receipts {
    over: usize,
    /// Those that add up once what waits is known.
    under_way: usize,
    wrong: Vec<Difference>,
}

impl Receipts {
    async fn compared(ledger: &Ledger, wallet: &CashuWallet) -> anyhow::Result<Self> {
        const REMEDY: &str = "compare frlm wallet receipt RUN with frlm wallet history RUN: what the receipt lacks is a \
                              payment that the journal does not know";
        let mut receipts = Self::default();
        for run in ledger.runs().await? {
            let receipt = Receipt::of(wallet, ledger, &run.run).await?;
            if receipt.lines.is_empty() {
                continue;
            }
            if receipt.is_under_way() {
                receipts.under_way += 1;
                continue;
            }
            receipts.over += 1;
            if !receipt.adds_up {
                let what = format!("the receipt of run {} does not add up to its ledger", run.run);
                receipts.wrong.push(Difference { what, remedy: REMEDY });
            }
        }
        Ok(receipts)
    }
}
