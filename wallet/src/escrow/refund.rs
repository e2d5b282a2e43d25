//! What time opens: refunds after the locktime, and what became of each lock.

use cdk::nuts::State;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::book::{self, LockState};
use super::lock::Lock;
use super::payer::ByKeyset;
use crate::amount::Sats;
use crate::cashu::swap::states;
use crate::cashu::wallet::parse_mint;
use crate::cashu::{CashuWallet, Recovery, WalletError};
use crate::ledger::Key;

/// Seconds after the locktime before the refund is asked for: the mint's clock may be behind.
pub(crate) const CLOCK_SLACK_SECS: u64 = 5;

/// A lock with what the books say of it.
#[derive(Debug, Clone)]
pub struct LockRow {
    /// The attempt that it pays for.
    pub key: Key,
    /// The provider's Nostr key.
    pub peer: String,
    /// Its terms.
    pub(crate) lock: Lock,
    /// Its share of what the mint took for making it.
    pub lock_fee: Sats,
    /// Its share of what the mint took for taking it back.
    pub return_fee: Sats,
    pub(super) state: LockState,
    /// When it last changed, in milliseconds since 1970.
    pub at_unix_ms: i64,
}

/// What became of the sats of a lock, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Nothing was ever locked.
    Void,
    /// In escrow until somebody decides, at the latest from this moment (seconds since 1970).
    Waiting {
        /// The locktime.
        until: u64,
    },
    /// The provider's.
    Paid {
        /// To the provider.
        price: Sats,
        /// To the mint.
        fees: Sats,
    },
    /// The payer's own again.
    Back {
        /// To the mint.
        fees: Sats,
    },
}

impl LockRow {
    /// The mint's address.
    pub fn mint(&self) -> &str {
        &self.lock.mint
    }

    /// What the provider was to get.
    pub fn price(&self) -> Sats {
        self.lock.price
    }

    /// Seconds since 1970.
    pub fn locktime(&self) -> u64 {
        self.lock.locktime
    }

    /// Where it is, in a word.
    pub fn state(&self) -> &'static str {
        self.state.name()
    }

    /// What became of its sats. A released lock waits: it counts as spent until it is known.
    pub fn fate(&self) -> Fate {
        match self.state {
            LockState::Void => Fate::Void,
            LockState::Planned | LockState::Locked | LockState::Reclaiming | LockState::Released => {
                Fate::Waiting { until: self.lock.locktime }
            }
            LockState::Settled => {
                let gross = self.lock.amount().unwrap_or_default();
                let fees = gross.saturating_sub(self.lock.price).saturating_add(self.lock_fee);
                Fate::Paid { price: self.lock.price, fees }
            }
            LockState::Reclaimed => Fate::Back { fees: self.lock_fee.saturating_add(self.return_fee) },
        }
    }
}

impl CashuWallet {
    /// The lock of an attempt, if there is one.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn lock_of(&self, key: &Key) -> Result<Option<LockRow>, WalletError> {
        let id = self.inner.escrow.lock_id(&key.to_string());
        self.inner.journal.write(move |transaction| book::row(transaction, &id)).await
    }

    /// All locks of one run, or of all.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn locks(&self, run: Option<&str>) -> Result<Vec<LockRow>, WalletError> {
        let run = run.map(str::to_owned);
        self.inner.journal.write(move |transaction| book::rows_of(transaction, run.as_deref())).await
    }

    /// How many locks were signed over to each provider since a moment (milliseconds since 1970).
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn released_since(&self, at_unix_ms: i64) -> Result<Vec<(String, u32)>, WalletError> {
        self.inner.journal.write(move |transaction| book::released_since(transaction, at_unix_ms)).await
    }

    /// When the next lock opens by itself; seconds since 1970.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn next_refund_at(&self) -> Result<Option<u64>, WalletError> {
        self.inner.journal.write(book::next_locktime).await
    }

    /// Takes back every lock whose time is over. What a mint does not answer is tried again the
    /// next time.
    ///
    /// # Errors
    ///
    /// If a file fails.
    pub fn refund_expired(&self) -> BoxFuture<'_, Result<Recovery, WalletError>> {
        async move {
            let mut recovery = Recovery::default();
            refund_expired(self, &mut recovery).await?;
            Ok(recovery)
        }
        .boxed()
    }
}

/// As [`CashuWallet::refund_expired`], added to what a recovery has found.
pub(super) async fn refund_expired(wallet: &CashuWallet, recovery: &mut Recovery) -> Result<(), WalletError> {
    let now = wallet.inner.clock.now_secs().saturating_sub(CLOCK_SLACK_SECS);
    let rows = wallet.inner.journal.write(move |transaction| book::expired(transaction, now)).await?;
    let mut groups = ByKeyset::new();
    for row in rows {
        match is_unspent(wallet, &row.lock).await {
            Ok(true) => {
                let signatures = row.lock.sign(&wallet.inner.escrow.refund_key(&row.lock.id))?;
                let proofs = row.lock.signed_proofs(&[&signatures])?;
                groups.entry((row.lock.mint.clone(), row.lock.keyset)).or_default().push((row.lock, proofs));
            }
            Ok(false) => {
                // Spent before its time: only with the payer's signature, so it was released.
                let (id, from) = (row.lock.id.clone(), row.state);
                if from == LockState::Locked {
                    recovery.waiting.push(format!(
                        "{}: says that a lock of {} was spent, which nobody could have done; consider leaving it",
                        row.lock.mint, row.lock.price
                    ));
                }
                let settle = move |transaction: &rusqlite::Transaction<'_>| {
                    book::set_lock_state(transaction, &id, &[from], LockState::Settled)
                };
                wallet.inner.journal.write(settle).await?;
            }
            Err(error) => recovery.waiting.push(error.to_string()),
        }
    }
    for ((mint, keyset), locks) in groups {
        let back = wallet.take_back(&mint, keyset, locks).await;
        recovery.refunded = recovery.refunded.saturating_add(back.sats);
        recovery.waiting.extend(back.failed.map(|error| error.to_string()));
    }
    Ok(())
}

async fn is_unspent(wallet: &CashuWallet, lock: &Lock) -> Result<bool, WalletError> {
    let mint = wallet.known_mint(&parse_mint(&lock.mint)?)?;
    let proofs = lock.to_proofs()?;
    let states = states(&mint, &lock.mint, &proofs).await?;
    if states.len() != proofs.len() {
        return Err(WalletError::Lying {
            mint: lock.mint.clone(),
            what: "asked what is spent, it spoke of another number of proofs".to_owned(),
        });
    }
    if states.iter().any(|state| matches!(state.state, State::Pending)) {
        return Err(WalletError::Unclear {
            mint: lock.mint.clone(),
            reason: "a lock is being spent".to_owned(),
        });
    }
    Ok(states.iter().all(|state| state.state == State::Unspent))
}
