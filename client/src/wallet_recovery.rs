//! What became of sats that were under way when a process died: what `frlm wallet recover` does and says.

use frlm_protocol::printable;
use frlm_wallet::CashuWallet;
use frlm_wallet::nwc;
use frlm_wallet::prepay::{Prepaid, PrepaidState};

use crate::home::Home;
use crate::wallet_session;

/// Opening ledger and wallet recovers them; what is left is to compare them, and to say it line by line.
///
/// # Errors
///
/// If a file cannot be read, the wallet cannot be opened, or something is stuck.
pub async fn recover(home: &Home, say: impl Fn(&str)) -> anyhow::Result<()> {
    let ledger = home.open_ledger().await?;
    let recovered = ledger.recovered();
    say(&format!(
        "ledger: {} reservations of dead processes freed, {} in doubt, {} being refunded",
        recovered.returned.len(),
        recovered.doubtful.len(),
        recovered.reclaimed.len()
    ));
    let wallet = wallet_session::open_patiently(home).await?;
    if wallet.is_none() {
        say("wallet: none, so nothing can have been paid");
    }
    if let Some(wallet) = &wallet {
        if let Some((known, unknown)) = look_up_payments(wallet).await? {
            say(&format!(
                "paid before: the outcome of {known} payments is known now, of {unknown} it is not"
            ));
        }
        let paid = wallet_session::pay_debts(wallet, home).await?;
        if paid.told > 0 {
            say(&format!("owed: {} were paid for {} jobs", paid.sats, paid.told));
        }
        for waiting in &paid.waiting {
            say(&format!("owed: {}", printable(waiting)));
        }
    }
    let reconciled = frlm_wallet::reconcile(&ledger, wallet.as_ref()).await?;
    say(&format!(
        "reconciled: {} paid, {} refunded, {} still in escrow",
        reconciled.paid.len(),
        reconciled.back.len(),
        reconciled.waiting.len()
    ));
    for (key, until) in &reconciled.waiting {
        say(&format!("  {key}: refunded at {until} (Unix time) at the latest"));
    }
    for key in &reconciled.over {
        say(&format!("  {key}: your Lightning wallet took more in fees than was reserved; spent in full"));
    }
    match &wallet {
        Some(wallet) => wallet_session::nothing_is_stuck(wallet).await,
        None => Ok(()),
    }
}

/// Asks what became of payments before work that nobody answered, where a Lightning wallet pays them
/// through it: how many are known now, and how many are not; nothing where none was open.
async fn look_up_payments(wallet: &CashuWallet) -> anyhow::Result<Option<(usize, usize)>> {
    let is_open = |row: &&Prepaid| matches!(row.state, PrepaidState::Planned | PrepaidState::Made);
    let unknown = |rows: &[Prepaid]| rows.iter().filter(is_open).count();
    if unknown(&wallet.prepaid(None).await?) == 0 {
        return Ok(None);
    }
    let lightning = match std::env::var(wallet_session::CONNECTION) {
        Ok(_) => Some(wallet_session::connect_lightning(nwc::TIMEOUT).await?),
        Err(_) => None,
    };
    let known = wallet.look_up_prepaid(lightning.as_ref()).await?;
    if let Some(lightning) = lightning {
        lightning.shutdown().await;
    }
    Ok(Some((known, unknown(&wallet.prepaid(None).await?))))
}
