//! Sats in and out of this home's wallet.

use frlm_client::home::Home;
use frlm_client::util::clock::unix_secs;
use frlm_client::{ledger_report, wallet_session};

/// Lists them, the newest first.
pub async fn transfers(json: bool, home: &Home) -> anyhow::Result<()> {
    let wallet = wallet_session::need(home).await?;
    let transfers = wallet.transfers().await?;
    if transfers.is_empty() {
        note!("no sats were received or sent yet; for payments of runs see: frlm wallet receipt RUN");
    }
    for each in transfers {
        if json {
            say!("{}", ledger_report::transfer_as_json(&each));
        } else {
            say!("{}", ledger_report::transfer(&each, unix_secs()));
        }
    }
    Ok(())
}
