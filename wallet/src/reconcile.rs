//! What became of doubtful sats: the ledger's open entries, compared with the locks behind them.
//!
//! After a crash the ledger holds what may have been spent as spent, and what was locked as a
//! pending refund. The wallet's books, and the mints behind them, say what really happened.

use crate::amount::Sats;
use crate::debts::{DEBT_LOCK_SECS, DebtState};
use crate::error::WalletError;
use crate::ledger::{Key, Ledger, LedgerError};
use crate::mint::CashuWallet;
use crate::outcome::SettlementOutcome;

/// What was decided, and what still waits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconciled {
    /// Turned out to have been paid.
    pub paid: Vec<Key>,
    /// Turned out to be the payer's own, fees apart.
    pub back: Vec<Key>,
    /// In escrow until this moment (Unix seconds) at the latest.
    pub waiting: Vec<(Key, u64)>,
    /// Cost more than was reserved, by a Lightning wallet's own fees or those that a mint has raised since: spent in full.
    pub over: Vec<Key>,
}

/// Why it could not be found out.
#[derive(Debug, thiserror::Error)]
pub enum ReconcileError {
    /// The ledger's file.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The wallet's files.
    #[error(transparent)]
    Wallet(#[from] WalletError),
}

/// Decides every entry that nobody holds and that is not final. Without a wallet nothing can ever
/// have been paid: every payment goes through one.
///
/// # Errors
///
/// If a file fails. What is held by a live run is left alone.
pub async fn reconcile(ledger: &Ledger, wallet: Option<&CashuWallet>) -> Result<Reconciled, ReconcileError> {
    let mut reconciled = Reconciled::default();
    for key in ledger.undecided().await? {
        let entry = ledger.entry(key.clone()).await?;
        if entry.state.is_final() {
            continue;
        }
        let outcome = match wallet {
            Some(wallet) => outcome_of(wallet, &key).await?,
            None => SettlementOutcome::Void,
        };
        let (actual, fees) = match outcome {
            SettlementOutcome::Void => (Sats::ZERO, Sats::ZERO),
            // Never more than was reserved, whatever the mint takes by now: nothing would come after that.
            SettlementOutcome::Back { fees } => (Sats::ZERO, fees.min(entry.amount)),
            SettlementOutcome::Paid { price, fees } => (price, fees),
            SettlementOutcome::Waiting { until } => {
                reconciled.waiting.push((key, until));
                continue;
            }
        };
        match ledger.reconcile(key.clone(), actual, fees).await {
            Ok(()) if actual > Sats::ZERO => reconciled.paid.push(key),
            Ok(()) => reconciled.back.push(key),
            // A live run decides about it itself.
            Err(LedgerError::InUse { .. }) => {}
            // It stays as it is, and holds up nothing else.
            Err(LedgerError::OverReservation { .. }) => reconciled.over.push(key),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(reconciled)
}

/// What the wallet's books say: a lock, a debt, a payment before the work, or nothing.
pub(crate) async fn outcome_of(wallet: &CashuWallet, key: &Key) -> Result<SettlementOutcome, WalletError> {
    let owed = wallet.debt_of(key).await?.filter(|row| row.state == DebtState::Owed);
    match (wallet.lock_of(key).await?.map(|lock| lock.outcome()), owed) {
        (None | Some(SettlementOutcome::Void), Some(owed)) => {
            // It will be paid: what it may take is spent until it has been.
            let from = u64::try_from(owed.at_unix_ms / 1_000).unwrap_or(0);
            return Ok(SettlementOutcome::Waiting { until: from.saturating_add(DEBT_LOCK_SECS) });
        }
        (Some(outcome), _) => return Ok(outcome),
        (None, None) => {}
    }
    Ok(wallet.prepaid_of(key).await?.map_or(SettlementOutcome::Void, |paid| paid.outcome()))
}
