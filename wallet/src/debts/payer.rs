//! What a payer owes for work that counts and was not locked for before: pay after the verdict.
//!
//! ```text
//!  owed ──lock──► (its lock: locked) ──release──► (released) ──a relay has the word──► paid
//!    │                                                │
//!    └── never told, and the locktime has passed: the sats are back ──────────────► lapsed
//! ```
//!
//! A debt is durable before the run says that the work counts, and names everything that paying
//! needs, so that a later process can pay it. It is paid with a lock that is released at once: the
//! lock of an attempt can be made once, with the same nonces and the same request after any crash,
//! so that one attempt is never paid for twice. The word may be said as often as it takes.

use std::collections::{BTreeMap, BTreeSet};

use cdk::nuts::PublicKey;
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use crate::amount::Sats;
use crate::error::WalletError;
use crate::escrow::book::{self, LockState};
use crate::escrow::{Lock, LockOrder, LockRow, Release};
use crate::failpoint;
use crate::journal::{from_json, now_ms, sats, sql, to_json};
use crate::ledger::Key;
use crate::mint::CashuWallet;
use crate::mint::address::parse_mint;
use crate::mint::health::Ask;

/// How long the sats of a debt wait for a provider that is away. Nobody waits for this but them.
pub const DEBT_LOCK_SECS: u64 = 24 * 3_600;

type Rows<T> = Result<T, rusqlite::Error>;

/// Pay for work that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debt {
    /// The attempt that it pays for.
    pub key: Key,
    /// For whom: the provider's Nostr key.
    pub peer: String,
    /// The key that the provider announced.
    pub provider: PublicKey,
    /// The mint that both trust.
    pub mint: String,
    /// What the provider is to get.
    pub price: Sats,
    /// The job's event id.
    pub job: String,
    /// Where the provider listens.
    pub relays: Vec<String>,
}

/// Where a debt is; drawn in the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebtState {
    /// To be paid.
    Owed,
    /// A relay has the word that pays it. Final.
    Paid,
    /// Nobody could be told in time, and the sats are the payer's again. Final.
    Lapsed,
}

impl DebtState {
    const ALL: [Self; 3] = [Self::Owed, Self::Paid, Self::Lapsed];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Owed => "owed",
            Self::Paid => "paid",
            Self::Lapsed => "lapsed",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// A debt with what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebtRow {
    /// The debt.
    pub debt: Debt,
    /// Where it is.
    pub state: DebtState,
    /// When it last changed, in milliseconds since 1970.
    pub at_unix_ms: i64,
}

/// The word that pays a debt, for its provider.
#[derive(Debug, Clone)]
pub struct DebtPayment {
    /// What it pays.
    pub debt: Debt,
    /// The sats.
    pub lock: Lock,
    /// What opens them.
    pub release: Release,
}

/// What [`CashuWallet::pay_debts`] could do.
#[derive(Debug, Clone, Default)]
pub struct DebtsPaid {
    /// To be said to the providers; [`CashuWallet::settled`] notes that it was.
    pub payments: Vec<DebtPayment>,
    /// What could not be paid now, and why.
    pub waiting: Vec<String>,
}

impl CashuWallet {
    /// Writes down what is owed. Durable when it returns; a debt that is known stays as it is.
    ///
    /// # Errors
    ///
    /// If the file fails; then nothing of it is written.
    pub async fn record_debts(&self, debts: Vec<Debt>) -> Result<(), WalletError> {
        let rows: Vec<(String, Debt)> =
            debts.into_iter().map(|debt| (self.inner.escrow.lock_id(&debt.key.to_string()), debt)).collect();
        self.inner.journal.write(move |transaction| insert(transaction, &rows)).await?;
        failpoint::hit("owe.1");
        Ok(())
    }

    /// Debts of one run, or of all.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn debts(&self, run: Option<&str>) -> Result<Vec<DebtRow>, WalletError> {
        let run = run.map(str::to_owned);
        let read = move |transaction: &Transaction<'_>| {
            let query =
                format!("SELECT {COLUMNS} FROM debts WHERE ?1 IS NULL OR run = ?1 ORDER BY at_ms, id");
            let mut statement = transaction.prepare(&query)?;
            let rows = statement.query_map([run], read_row)?;
            rows.collect()
        };
        self.inner.journal.write(read).await
    }

    /// What is owed for an attempt, if anything ever was.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn debt_of(&self, key: &Key) -> Result<Option<DebtRow>, WalletError> {
        let id = self.inner.escrow.lock_id(&key.to_string());
        let read = move |transaction: &Transaction<'_>| {
            let query = format!("SELECT {COLUMNS} FROM debts WHERE id = ?1");
            transaction.query_row(&query, [id], read_row).optional()
        };
        self.inner.journal.write(read).await
    }

    /// Goes on with every debt of an earlier process: makes the lock that is not made yet, signs it
    /// over, and returns what providers are to be told. Calling it again returns the same words.
    ///
    /// # Errors
    ///
    /// If the file fails. What a mint does not do now waits, and is named.
    pub async fn pay_debts(&self) -> Result<DebtsPaid, WalletError> {
        let known = self.debts(None).await?;
        self.pay_debts_among(&known.into_iter().map(|row| row.debt.key).collect()).await
    }

    /// As [`CashuWallet::pay_debts`], for these attempts alone: what others owe is left to them.
    ///
    /// # Errors
    ///
    /// As [`CashuWallet::pay_debts`].
    pub fn pay_debts_among<'a>(
        &'a self,
        attempts: &'a BTreeSet<Key>,
    ) -> BoxFuture<'a, Result<DebtsPaid, WalletError>> {
        async move {
            // Two at once would make the same locks, and one of them would be told that it cannot.
            let _turn = self.inner.tasks.paying.lock().await;
            // A lock of which the mint said nothing clear before may be made by now.
            let mints = self.inner.journal.write(open).await?.into_iter();
            let mints = mints.filter(|(debt, _)| attempts.contains(&debt.key));
            let mints = mints.filter_map(|(debt, _)| parse_mint(&debt.mint).ok()).collect();
            self.retry_unclear_at(Ask::Due, Some(mints)).await?;
            let mut found = DebtsPaid::default();
            let unpaid = self.lock_debts(attempts, &mut found).await?;
            let mut payable = Vec::new();
            for (debt, lock) in self.inner.journal.write(open).await? {
                let Some(lock) = lock else { continue };
                match lock.state {
                    // Its provider has redeemed it, so that it was told.
                    LockState::Settled => self.end_debt(&lock.lock.id, DebtState::Paid).await?,
                    LockState::Reclaimed => self.end_debt(&lock.lock.id, DebtState::Lapsed).await?,
                    _ if !attempts.contains(&debt.key) || unpaid.contains(&debt.key) => {}
                    LockState::Locked | LockState::Released => payable.push((debt, lock.lock)),
                    LockState::Planned | LockState::Reclaiming => {
                        let mint = &debt.mint;
                        found.waiting.push(owed(&debt, &format!("{mint} gave no clear answer yet")));
                    }
                    LockState::Void => {}
                }
            }
            let ids = payable.iter().map(|(_, lock)| lock.id.clone()).collect();
            let releases = self.release(ids, self.inner.clock.now_secs()).await?;
            for (debt, lock) in payable {
                match releases.iter().find(|release| release.lock == lock.id).cloned() {
                    Some(release) => found.payments.push(DebtPayment { debt, lock, release }),
                    None => found.waiting.push(owed(
                        &debt,
                        &format!("not delivered in time; refunded at {} (Unix time)", lock.locktime),
                    )),
                }
            }
            Ok(found)
        }
        .boxed()
    }

    /// Makes the locks that are missing; says of which debts that failed, and why in `found`.
    async fn lock_debts(
        &self,
        attempts: &BTreeSet<Key>,
        found: &mut DebtsPaid,
    ) -> Result<BTreeSet<Key>, WalletError> {
        let mut by_mint: BTreeMap<String, Vec<Debt>> = BTreeMap::new();
        for (debt, lock) in self.inner.journal.write(open).await? {
            if attempts.contains(&debt.key) && lock.is_none_or(|lock| lock.state == LockState::Void) {
                by_mint.entry(debt.mint.clone()).or_default().push(debt);
            }
        }
        let mut failed = BTreeSet::new();
        // One mint that does not answer holds up no debt at another one.
        for (keys, waiting) in join_all(by_mint.into_values().map(|debts| self.lock_debts_at(debts))).await {
            failed.extend(keys);
            found.waiting.extend(waiting);
        }
        Ok(failed)
    }

    /// Makes the locks that are missing at one mint, until it does not answer.
    async fn lock_debts_at(&self, debts: Vec<Debt>) -> (Vec<Key>, Vec<String>) {
        let (mut failed, mut waiting, mut is_silent) = (Vec::new(), Vec::new(), false);
        for debt in debts {
            if is_silent || self.is_resting(&debt.mint) {
                waiting.push(owed(&debt, &format!("{} does not answer now", debt.mint)));
                failed.push(debt.key);
                continue;
            }
            let order = LockOrder {
                key: debt.key.clone(),
                peer: debt.peer.clone(),
                provider: debt.provider,
                price: debt.price,
                most: None,
                locktime: self.inner.clock.now_secs().saturating_add(DEBT_LOCK_SECS),
            };
            // One by one: a debt that cannot be paid holds up no other.
            if let Err(error) = self.lock_all(&debt.mint, vec![order]).await {
                waiting.push(owed(&debt, &error.to_string()));
                is_silent |= matches!(error, WalletError::Unclear { .. });
                failed.push(debt.key);
            }
        }
        (failed, waiting)
    }

    /// Notes that the ledger has settled released locks: they are the provider's now, whenever it
    /// redeems them. A debt that such a lock pays is paid.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn settled(&self, locks: Vec<String>) -> Result<(), WalletError> {
        let work = move |transaction: &rusqlite::Transaction<'_>| {
            locks.iter().try_for_each(|lock| {
                book::set_lock_state(transaction, lock, &[LockState::Released], LockState::Settled)?;
                end(transaction, lock, DebtState::Paid)
            })
        };
        self.inner.journal.write(work).await
    }

    async fn end_debt(&self, id: &str, state: DebtState) -> Result<(), WalletError> {
        let id = id.to_owned();
        self.inner.journal.write(move |transaction| end(transaction, &id, state)).await
    }
}

/// In words, why a debt is not paid yet.
fn owed(debt: &Debt, why: &str) -> String {
    format!("{} owed for a job: {why}", debt.price)
}

/// A debt is over, if there was one.
fn end(transaction: &Transaction<'_>, id: &str, state: DebtState) -> Rows<()> {
    transaction
        .execute(
            "UPDATE debts SET state = ?2, at_ms = ?3 WHERE id = ?1 AND state = 'owed'",
            params![id, state.name(), now_ms()],
        )
        .map(drop)
}

fn insert(transaction: &Transaction<'_>, rows: &[(String, Debt)]) -> Rows<()> {
    for (id, debt) in rows {
        transaction.execute(
            "INSERT INTO debts (id, run, subtask, attempt, peer, provider, mint, price_sats, job, relays,
                                state, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'owed', ?11)
             ON CONFLICT (id) DO NOTHING",
            params![
                id,
                &*debt.key.run,
                debt.key.subtask,
                debt.key.attempt,
                debt.peer,
                to_json(&debt.provider)?,
                debt.mint,
                sql(debt.price.0),
                debt.job,
                to_json(&debt.relays)?,
                now_ms()
            ],
        )?;
    }
    Ok(())
}

const COLUMNS: &str =
    "run, subtask, attempt, peer, provider, mint, price_sats, job, relays, state, at_ms, id";

/// Debts that are not over, with their locks.
fn open(transaction: &Transaction<'_>) -> Rows<Vec<(Debt, Option<LockRow>)>> {
    let query = format!("SELECT {COLUMNS} FROM debts WHERE state = 'owed' ORDER BY at_ms, id");
    let mut statement = transaction.prepare(&query)?;
    let rows = statement.query_map([], |row| Ok((read_row(row)?.debt, row.get::<_, String>(11)?)))?;
    rows.map(|row| {
        let (debt, id) = row?;
        Ok((debt, book::row(transaction, &id)?))
    })
    .collect()
}

fn read_row(row: &Row<'_>) -> Rows<DebtRow> {
    let run: String = row.get(0)?;
    let state: String = row.get(9)?;
    Ok(DebtRow {
        debt: Debt {
            key: Key::new(run, row.get(1)?, row.get(2)?),
            peer: row.get(3)?,
            provider: from_json(&row.get::<_, String>(4)?)?,
            mint: row.get(5)?,
            price: sats(row, 6)?,
            job: row.get(7)?,
            relays: from_json(&row.get::<_, String>(8)?)?,
        },
        state: DebtState::from_name(&state).ok_or(rusqlite::Error::InvalidQuery)?,
        at_unix_ms: row.get(10)?,
    })
}
