//! Sats that should be somewhere else by now, and why they are not.

use std::fmt;

use cdk::wallet::types::{SendSagaState, WalletSagaState};

use crate::amount::Sats;
use crate::error::WalletError;
use crate::escrow::claims::claims_in;
use crate::escrow::refund::expired;
use crate::mint::CashuWallet;
use crate::mint::swap::Asked;

/// What is stuck at one mint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// The mint's address, or what pays in its place.
    pub mint: String,
    /// What the sats are in, in words.
    pub what: &'static str,
    /// How much it is, all together.
    pub sats: Sats,
    /// In words.
    pub why: String,
}

impl fmt::Display for Stuck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} in {}: {}", self.mint, self.sats, self.what, self.why)
    }
}

const EXCHANGES: &str = "exchanges that are not over";
const LOCKS: &str = "locks whose time is over";
const PAY: &str = "released pay that is not redeemed";
const UNDER_WAY: &str = "payments and tokens that are not over";
const BEFORE: &str = "payments before work with unknown outcome";

impl CashuWallet {
    /// What should be over by now and is not; no mint is asked. What waits for a locktime that is to come is not stuck.
    ///
    /// # Errors
    ///
    /// If a file fails.
    pub async fn stuck(&self) -> Result<Vec<Stuck>, WalletError> {
        let mut found = Pile::default();
        for planned in self.planned_exchanges().await? {
            if matches!(planned.asked, Asked::At(_)) {
                found.add(&planned.plan.mint.to_string(), EXCHANGES, planned.plan.held());
            }
        }
        for (mint, rows) in expired(self).await? {
            let held = rows.iter().map(|row| row.lock.amount().unwrap_or_default()).sum();
            found.add(&mint.to_string(), LOCKS, held);
        }
        let released = self.inner.journal.write(|transaction| claims_in(transaction, "released")).await?;
        for (lock, _) in released {
            found.add(&lock.mint, PAY, lock.price);
        }
        let sagas = self.inner.store.get_incomplete_sagas().await.map_err(WalletError::internal)?;
        let made = WalletSagaState::Send(SendSagaState::TokenCreated);
        for saga in sagas.into_iter().filter(|saga| saga.state != made) {
            let held = self.inner.store.get_reserved_proofs(&saga.id).await.map_err(WalletError::internal)?;
            let held = held.iter().map(|proof| Sats(proof.proof.amount.to_u64())).sum();
            found.add(&saga.mint_url.to_string(), UNDER_WAY, held);
        }
        for row in self.left_planned().await? {
            let mint = row.mint.map_or("your Lightning wallet".to_owned(), |(mint, _)| mint);
            found.add(&mint, BEFORE, row.amount);
        }
        let silent = self.silent_mints();
        let why = |mint: &str| match silent.iter().find(|silent| silent.url == mint) {
            Some(silent) => silent.to_string(),
            None => "it has answered, and this is not over yet; frlm wallet recover asks again".to_owned(),
        };
        Ok(found.0.into_iter().map(|stuck| Stuck { why: why(&stuck.mint), ..stuck }).collect())
    }
}

#[derive(Default)]
struct Pile(Vec<Stuck>);

impl Pile {
    fn add(&mut self, mint: &str, what: &'static str, sats: Sats) {
        match self.0.iter_mut().find(|stuck| stuck.mint == mint && stuck.what == what) {
            Some(stuck) => stuck.sats = stuck.sats.saturating_add(sats),
            None => self.0.push(Stuck { mint: mint.to_owned(), what, sats, why: String::new() }),
        }
    }
}
