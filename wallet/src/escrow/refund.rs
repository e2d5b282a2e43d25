//! What time opens: refunds after the locktime, and what became of each lock.

use std::collections::{BTreeMap, HashMap, HashSet};

use cdk::mint_url::MintUrl;
use cdk::nuts::{Proof, State};
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};

use super::book::{self, LockState};
use super::lock::Lock;
use super::payer::{ByKeyset, lock_ys};
use crate::amount::Sats;
use crate::error::WalletError;
use crate::ledger::Key;
use crate::mint::address::parse_mint;
use crate::mint::health::Ask;
use crate::mint::swap::states;
use crate::mint::{CashuWallet, Recovery};
use crate::outcome::SettlementOutcome;

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
    pub(crate) state: LockState,
    /// What somebody has taken of it while the rest was still there.
    pub(super) gone: Sats,
    /// When it last changed, in milliseconds since 1970.
    pub at_unix_ms: i64,
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
    pub fn outcome(&self) -> SettlementOutcome {
        match self.state {
            LockState::Void => SettlementOutcome::Void,
            LockState::Planned | LockState::Locked | LockState::Reclaiming | LockState::Released => {
                SettlementOutcome::Waiting { until: self.lock.locktime }
            }
            LockState::Settled => {
                let gross = self.lock.amount().unwrap_or_default().saturating_add(self.gone);
                let fees = gross.saturating_sub(self.lock.price).saturating_add(self.lock_fee);
                SettlementOutcome::Paid { price: self.lock.price, fees }
            }
            LockState::Reclaimed => {
                let fees = self.lock_fee.saturating_add(self.return_fee);
                if self.gone == Sats::ZERO {
                    SettlementOutcome::Back { fees }
                } else {
                    SettlementOutcome::Paid { price: self.gone, fees }
                }
            }
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

    /// Locks of which the mint must still have every proof.
    pub(crate) async fn locks_in_escrow(&self) -> Result<Vec<(Key, Lock)>, WalletError> {
        let rows = self.locks(None).await?.into_iter().filter(|row| row.state == LockState::Locked);
        Ok(rows.map(|row| (row.key, row.lock)).collect())
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
        self.refund_expired_at(Ask::All).boxed()
    }

    /// As [`Self::refund_expired`], without waiting for mints that say nothing.
    ///
    /// # Errors
    ///
    /// If a file fails.
    pub fn refund_in_passing(&self) -> BoxFuture<'_, Result<Recovery, WalletError>> {
        self.refund_expired_at(Ask::Passing).boxed()
    }

    /// As [`Self::refund_expired`], at these mints; none waits for another one.
    pub(crate) async fn refund_expired_at(&self, ask: Ask) -> Result<Recovery, WalletError> {
        let resting = self.inner.health.resting(ask);
        let each = expired(self).await?.into_iter().map(|(mint, rows)| {
            let rests = resting.contains(&mint);
            async move {
                let mut found = Recovery::default();
                if rests {
                    found.waiting.push(self.rests(&mint));
                } else {
                    let work = refund_at(self, &mint, rows, &mut found);
                    if self.unless_silent(&mint, ask, work).await.transpose()?.is_none() {
                        found.waiting.push(self.rests(&mint));
                    }
                }
                Ok::<_, WalletError>(found)
            }
        });
        let mut recovery = Recovery::default();
        for found in join_all(each).await {
            recovery.add(found?);
        }
        Ok(recovery)
    }
}

/// Locks whose time is over, by their mints.
pub(crate) async fn expired(wallet: &CashuWallet) -> Result<BTreeMap<MintUrl, Vec<LockRow>>, WalletError> {
    let now = wallet.inner.clock.now_secs().saturating_sub(CLOCK_SLACK_SECS);
    let rows = wallet.inner.journal.write(move |transaction| book::expired(transaction, now)).await?;
    let mut by_mint: BTreeMap<MintUrl, Vec<LockRow>> = BTreeMap::new();
    for row in rows {
        by_mint.entry(parse_mint(&row.lock.mint)?).or_default().push(row);
    }
    Ok(by_mint)
}

/// Takes back what is left of the expired locks of one mint.
pub(crate) async fn refund_at(
    wallet: &CashuWallet,
    mint: &MintUrl,
    rows: Vec<LockRow>,
    recovery: &mut Recovery,
) -> Result<(), WalletError> {
    let states = match states_of(wallet, mint, &rows).await {
        Ok(states) => states,
        Err(error) => {
            recovery.waiting.push(error.to_string());
            return Ok(());
        }
    };
    let mut groups = ByKeyset::new();
    for row in rows {
        match whose(&row.lock, &states)? {
            Whose::Unknown(error) => recovery.waiting.push(error.to_string()),
            Whose::Gone => {
                if row.state == LockState::Locked {
                    recovery.waiting.push(format!(
                        "{mint}: says that a lock of {} was spent, which is impossible; consider leaving it",
                        row.lock.price
                    ));
                }
                // Spent before its time: only with the payer's signature, so it was released.
                let (id, from) = (row.lock.id.clone(), row.state);
                let settle = move |transaction: &rusqlite::Transaction<'_>| {
                    book::set_lock_state(transaction, &id, &[from], LockState::Settled)
                };
                wallet.inner.journal.write(settle).await?;
            }
            Whose::Partly(spent) => {
                let id = row.lock.id.clone();
                let shed =
                    move |transaction: &rusqlite::Transaction<'_>| book::shed(transaction, &id, &spent);
                let Some((lock, gone)) = wallet.inner.journal.write(shed).await? else { continue };
                recovery.waiting.push(format!(
                    "{mint}: {gone} of a lock of {} were taken by somebody who had both signatures; the rest \
                     is refunded",
                    lock.price
                ));
                push_signed(wallet, &mut groups, lock)?;
            }
            Whose::Here => push_signed(wallet, &mut groups, row.lock)?,
        }
    }
    for ((mint, keyset), locks) in groups {
        let back = wallet.reclaim_locks(&mint, keyset, locks).await;
        recovery.refunded = recovery.refunded.saturating_add(back.sats);
        recovery.waiting.extend(back.failed.map(|error| error.to_string()));
    }
    Ok(())
}

fn push_signed(wallet: &CashuWallet, groups: &mut ByKeyset, lock: Lock) -> Result<(), WalletError> {
    let signatures = lock.sign(&wallet.inner.escrow.refund_key(&lock.id))?;
    let proofs = lock.signed_proofs(&[&signatures])?;
    groups.entry((lock.mint.clone(), lock.keyset)).or_default().push((lock, proofs));
    Ok(())
}

/// What a mint says of the proofs of locks, by their identities.
type States = HashMap<String, State>;

async fn states_of(wallet: &CashuWallet, mint: &MintUrl, rows: &[LockRow]) -> Result<States, WalletError> {
    let at = wallet.known_mint(mint)?;
    let proofs: Vec<Vec<Proof>> =
        rows.iter().map(|row| row.lock.to_proofs()).collect::<Result<_, WalletError>>()?;
    let found = states(&at, &mint.to_string(), &proofs.concat()).await?;
    Ok(found.into_iter().map(|proof| (proof.y.to_hex(), proof.state)).collect())
}

/// Where the proofs of a lock are.
enum Whose {
    /// All are where they were.
    Here,
    /// All are spent.
    Gone,
    /// These are spent, and others are not.
    Partly(HashSet<String>),
    /// The mint does not say.
    Unknown(WalletError),
}

fn whose(lock: &Lock, states: &States) -> Result<Whose, WalletError> {
    let ys = lock_ys(lock)?;
    if ys.iter().any(|y| !states.contains_key(y)) {
        return Ok(Whose::Unknown(WalletError::Lying {
            mint: lock.mint.clone(),
            what: "asked what is spent, it did not speak of all proofs".to_owned(),
        }));
    }
    let is = |y: &String, state: State| states.get(y) == Some(&state);
    if ys.iter().any(|y| is(y, State::Pending)) {
        let (mint, reason) = (lock.mint.clone(), "a lock is being spent".to_owned());
        return Ok(Whose::Unknown(WalletError::Unclear { mint, reason }));
    }
    let spent: HashSet<String> = ys.iter().filter(|y| is(y, State::Spent)).cloned().collect();
    Ok(match spent.len() {
        0 => Whose::Here,
        count if count == ys.len() => Whose::Gone,
        _ => Whose::Partly(spent),
    })
}
