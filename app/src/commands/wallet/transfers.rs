//! Sats in and out of this home's wallet.

use frlm_client::wallet::Sats;

use frlm_client::home::Home;
use frlm_client::units::lasting;
use frlm_client::wallet_session;

/// Lists them, the newest first.
pub async fn transfers(json: bool, home: &Home) -> anyhow::Result<()> {
    let wallet = wallet_session::need(home).await?;
    let transfers = wallet.transfers().await?;
    if transfers.is_empty() {
        note!("no sats came in or went out yet; what runs paid is in: frlm wallet receipt RUN");
    }
    let now_secs = frlm_client::util::clock::unix_secs();
    for each in transfers {
        let (direction, way) =
            (if each.incoming { "in" } else { "out" }, if each.as_token { "token" } else { "lightning" });
        if json {
            say!(
                "{}",
                serde_json::json!({
                    "at_secs": each.at_secs, "mint": each.mint, "direction": direction, "way": way,
                    "sats": each.amount.0, "fees_sats": each.fees.0, "state": each.state.name(),
                })
            );
            continue;
        }
        let fees = if each.fees > Sats::ZERO { format!(" and {} in fees", each.fees) } else { String::new() };
        let age = lasting(now_secs.saturating_sub(each.at_secs).saturating_mul(1_000));
        say!(
            "{direction:3}  {way:9}  {}{fees}  {}  {}  {age} ago",
            each.amount,
            each.state.name(),
            each.mint
        );
    }
    Ok(())
}
