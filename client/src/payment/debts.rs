//! Pays what earlier processes owed for work that counts, and tells the providers.
//!
//! A run says such words itself, once a relay has taken them it notes that. What it died before, or
//! what no relay took, is here: the same sats, signed over in the same words, under the key of the
//! run that asked, as often as it takes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use frlm_protocol::Settlement;
use frlm_relay::{ConnectOptions, Connection, Publisher, parse_relay_url};
use frlm_wallet::debts::{DebtPayment, DebtState};
use frlm_wallet::{CashuWallet, Key, Sats, WalletError};
use nostr::{Event, EventId, Keys, PublicKey, Timestamp};

/// How long a relay may take for anything: a user who starts a program waits for this.
const RELAY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long relays keep the word for a provider that is away.
const WORD_LIFETIME_SECS: u64 = 24 * 3_600;

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Providers told of their pay.
    pub told: usize,
    /// What they were told of.
    pub sats: Sats,
    /// What is owed still, and why.
    pub waiting: Vec<String>,
}

/// Goes on with every debt of runs that are over. One that is under way pays its own: a run that locked the same sats for
/// it would make its own try fail. `keys_of` knows a run's own keys, with which it asked.
///
/// # Errors
///
/// If a file of the wallet fails. Mints and relays that do not answer are named in the outcome.
pub async fn pay_debts_of(
    wallet: &CashuWallet,
    is_over: impl Fn(&str) -> bool,
    keys_of: impl Fn(&str) -> Option<Keys>,
) -> Result<Outcome, WalletError> {
    let mut outcome = Outcome::default();
    let mut owed = wallet.debts(None).await?;
    owed.retain(|row| row.state == DebtState::Owed);
    // Looked at after what is owed was read: a run that goes on from here owes for other attempts.
    let mut runs: BTreeSet<Arc<str>> = owed.iter().map(|row| Arc::clone(&row.debt.key.run)).collect();
    runs.retain(|run| is_over(run));
    let attempts: BTreeSet<Key> =
        owed.into_iter().map(|row| row.debt.key).filter(|key| runs.contains(&key.run)).collect();
    if attempts.is_empty() {
        return Ok(outcome);
    }
    let found = wallet.pay_debts_among(&attempts).await?;
    outcome.waiting.extend(found.waiting);
    let mut by_relays: BTreeMap<Vec<String>, Vec<(DebtPayment, Event)>> = BTreeMap::new();
    for payment in found.payments {
        let price = payment.debt.price;
        match word(&payment, &keys_of) {
            Ok(event) => {
                by_relays.entry(payment.debt.relays.clone()).or_default().push((payment, event));
            }
            Err(why) => outcome.waiting.push(format!("{price} for a provider that cannot be told: {why}")),
        }
    }
    for (relays, words) in by_relays {
        let publisher = match connect(&relays).await {
            Ok(publisher) => publisher,
            Err(why) => {
                outcome.waiting.push(format!("{} payments for providers on relays: {why}", words.len()));
                continue;
            }
        };
        for (payment, event) in words {
            match publisher.publish(&event).await {
                Ok(_) => {
                    wallet.settled(vec![payment.lock.id]).await?;
                    outcome.told += 1;
                    outcome.sats = outcome.sats.saturating_add(payment.debt.price);
                }
                Err(error) => outcome.waiting.push(format!("{} owed: {error}", payment.debt.price)),
            }
        }
        publisher.shutdown().await;
    }
    Ok(outcome)
}

fn word(payment: &DebtPayment, keys_of: impl Fn(&str) -> Option<Keys>) -> Result<Event, String> {
    let debt = &payment.debt;
    let keys = keys_of(&debt.key.run).ok_or_else(|| format!("run {} is not here any more", debt.key.run))?;
    let job = EventId::from_hex(&debt.job).map_err(|error| error.to_string())?;
    let provider = PublicKey::from_hex(&debt.peer).map_err(|error| error.to_string())?;
    let in_json = |failed: serde_json::Error| failed.to_string();
    let paid = Settlement::Paid {
        lock: serde_json::to_string(&payment.lock).map_err(in_json)?,
        release: serde_json::to_string(&payment.release).map_err(in_json)?,
    };
    let now = Timestamp::now();
    paid.to_event(job, provider, now + WORD_LIFETIME_SECS, &keys, now).map_err(|error| error.to_string())
}

async fn connect(relays: &[String]) -> Result<Publisher, String> {
    let relays = relays
        .iter()
        .map(|relay| parse_relay_url(relay).map_err(|error| error.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    let options = ConnectOptions {
        connect_timeout: RELAY_TIMEOUT,
        publish_timeout: RELAY_TIMEOUT,
        auth_keys: Some(Keys::generate()),
        ..ConnectOptions::default()
    };
    let (publisher, _) = Connection::connect(&relays, options).await.map_err(|error| error.to_string())?;
    Ok(publisher)
}
