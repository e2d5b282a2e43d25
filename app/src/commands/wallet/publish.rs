//! A run's receipt, made public: only when the user says so, and never of play money.

use frlm_client::conductor::store::Store;
use frlm_client::protocol::receipt::ReceiptLabel;
use frlm_client::relay::{ConnectOptions, Connection};
use nostr::{Keys, PublicKey, Timestamp};

use super::sats::confirm;
use frlm_client::config::{first_named, relay_urls};
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::receipt::Receipt;
use frlm_client::wallet_session;

/// Publishes one label for each provider.
pub async fn publish(run: &str, relays: &[String], yes: bool, home: &Home) -> anyhow::Result<()> {
    let config = home.config()?;
    let relays = first_named([&relays.to_vec(), &config.ask.relays, &config.relays]);
    if relays.is_empty() {
        return Err(Failure::usage("no relay is named: --relay wss://HOST").into());
    }
    let addresses = relay_urls(&relays)?;
    let run = Store::open(&home.store())?.find(run).map_err(Failure::from)?;
    let keys = Keys::parse(&run.secret_key)?;
    let wallet = wallet_session::need(home).await?;
    let receipt = Receipt::of(&wallet, &home.open_ledger().await?, &run.id).await?;
    if receipt.play_money {
        return Err(Failure::usage("play money is worth nothing, so its receipts are not published").into());
    }
    if receipt.lines.is_empty() {
        return Err(Failure::usage("this run has paid nobody, so there is nothing to publish").into());
    }
    confirm(
        &format!(
            "tell everybody at {} which {} providers this run has paid, and how much",
            relays.join(", "),
            receipt.lines.len()
        ),
        yes,
    )?;
    let (publisher, _incoming) = Connection::connect(&addresses, ConnectOptions::default())
        .await
        .map_err(|error| Failure::with_code(code::NO_PROVIDERS, error))?;
    for line in &receipt.lines {
        let label = ReceiptLabel {
            provider: PublicKey::from_hex(&line.provider)?,
            run: run.id.clone(),
            jobs: line.jobs as u64,
            accepted: line.accepted as u64,
            paid_msats: line.paid_msats,
        };
        let event = label.to_event(&keys, Timestamp::now())?;
        publisher.publish(&event).await?;
        say!("{}", event.id.to_hex());
    }
    publisher.shutdown().await;
    Ok(())
}
