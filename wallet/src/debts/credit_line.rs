//! Work that a provider does before it is paid: its side of pay after the verdict.
//!
//! ```text
//!            ┌── no answer came of it ──► (forgotten)
//!  job ──► owed ──── lock and release, checked at the mint ──► paid, and a claim like any other
//!            │  │                                               ▲   ▲
//!            │  └── the asker says that it does not count ──► declined
//!            └── nothing came in time ──► withheld ─────────────┘
//! ```
//!
//! Whatever the asker says, an answer that it has and has not paid for stays a debt: *declined*
//! and *withheld* take as much room as *owed*. So a key can have [`CreditLine::per_key`] unpaid
//! answers in its life, and all keys together eight times as many in a day; keys cost nothing, so
//! that the second bound is the one that counts. What comes late is taken all the same.

use std::collections::BTreeMap;

use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::amount::Sats;
use crate::error::WalletError;
use crate::escrow::claims::{claim_proofs, insert_claim};
use crate::escrow::payer::lock_ys;
use crate::escrow::{Claim, Earning, Lock, LockRefusal, Need, Release};
use crate::failpoint;
use crate::journal::{from_json, now_ms, sats, sql, to_json};
use crate::mint::CashuWallet;

/// All keys together may owe for so many times more jobs than one.
pub const CREDIT_LINES_OVERALL: u32 = 8;
/// How long an unpaid answer counts among those of all keys.
const REMEMBERED_MS: i64 = 24 * 3_600 * 1_000;
/// Time that redeeming a payment may take before the payer could reclaim it.
const REDEEM_SECS: u64 = 120;

type Rows<T> = Result<T, rusqlite::Error>;

/// How many unpaid answers a provider lets there be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreditLine {
    /// Of one key.
    pub per_key: u32,
}

impl CreditLine {
    /// Of all keys, in a day.
    pub fn overall(self) -> u32 {
        self.per_key.saturating_mul(CREDIT_LINES_OVERALL)
    }
}

/// What came for a job and is to be checked at its mint.
#[derive(Serialize, Deserialize)]
struct Offered {
    lock: Lock,
    signatures: Vec<String>,
}

/// One unpaid job.
struct UnpaidJob {
    claim: Claim,
    price: Sats,
    offered: Option<Offered>,
}

impl CashuWallet {
    /// Notes that work begins for a job that came without its pay. Durable when it returns; the same
    /// job again, after a restart, takes no more room.
    ///
    /// # Errors
    ///
    /// [`LockRefusal::CreditLineFull`]; otherwise only if the file fails.
    pub async fn open_debt(
        &self,
        claim: Claim,
        price: Sats,
        due: u64,
        limits: CreditLine,
    ) -> Result<(), LockRefusal> {
        let work = move |transaction: &Transaction<'_>| {
            let known: Option<String> = transaction
                .query_row("SELECT state FROM tabs WHERE job = ?1", [&claim.job], |row| row.get(0))
                .optional()?;
            if let Some(state) = known {
                return Ok(if state == "owed" { Ok(()) } else { Err(LockRefusal::Used) });
            }
            let full = [
                (owed_by(transaction, &claim.asker)?, limits.per_key),
                (owed_by_all(transaction)?, limits.overall()),
            ];
            if let Some((owed, limit)) = full.into_iter().find(|(owed, limit)| owed >= limit) {
                return Ok(Err(LockRefusal::CreditLineFull { owed, limit }));
            }
            transaction.execute(
                "INSERT INTO tabs (job, asker, model, price_sats, due, state, opened_at_ms, at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'owed', ?6, ?6)",
                params![claim.job, claim.asker, claim.model, sql(price.0), sql(due), now_ms()],
            )?;
            Ok(Ok(()))
        };
        self.inner.journal.write(work).await?
    }

    /// No answer came of a job: nothing is owed for it.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn waive_debt(&self, job: &str) -> Result<(), WalletError> {
        let job = job.to_owned();
        let work = move |transaction: &Transaction<'_>| {
            transaction
                .execute("DELETE FROM tabs WHERE job = ?1 AND state = 'owed' AND payment IS NULL", [job])
                .map(drop)
        };
        self.inner.journal.write(work).await
    }

    /// An asker says of a job of its own that the answer does not count, or that it wants none any more.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn decline_debt(&self, job: &str, asker: &str) -> Result<(), WalletError> {
        let (job, asker) = (job.to_owned(), asker.to_owned());
        let work = move |transaction: &Transaction<'_>| {
            transaction
                .execute(
                    "UPDATE tabs SET state = 'declined', at_ms = ?3
                     WHERE job = ?1 AND asker = ?2 AND state = 'owed'",
                    params![job, asker, now_ms()],
                )
                .map(drop)
        };
        self.inner.journal.write(work).await
    }

    /// Takes what an asker sends for a job of its own. It is written down before it is checked, so
    /// that it is not lost with a mint that does not answer; [`Self::check_payments`] goes on.
    ///
    /// # Errors
    ///
    /// What is wrong with it, as far as that can be seen here.
    pub async fn take_payment(
        &self,
        job: &str,
        asker: &str,
        lock: Lock,
        release: Release,
    ) -> Result<(), LockRefusal> {
        self.check_shape(&lock)?;
        if release.lock != lock.id || !lock.is_signed_by(&lock.cosign, &release.signatures) {
            return Err(LockRefusal::Terms("its release does not open it"));
        }
        let (job, asker) = (job.to_owned(), asker.to_owned());
        let work = move |transaction: &Transaction<'_>| {
            let query = "SELECT price_sats FROM tabs WHERE job = ?1 AND asker = ?2 AND state <> 'paid'";
            let owed = transaction.query_row(query, [&job, &asker], |row| sats(row, 0)).optional()?;
            let Some(price) = owed else {
                return Ok(Err(LockRefusal::Terms("nothing is owed for this job")));
            };
            if lock.price < price {
                return Ok(Err(LockRefusal::TooLittle { net: lock.price, price }));
            }
            let offered = to_json(&Offered { lock, signatures: release.signatures })?;
            transaction
                .execute("UPDATE tabs SET payment = ?2 WHERE job = ?1", params![job, offered])
                .map(|_| Ok(()))
        };
        self.inner.journal.write(work).await?
    }

    /// Checks what has come for debts at its mints. What is good is a released claim from
    /// then on and is redeemed like any other; says how many are.
    ///
    /// # Errors
    ///
    /// If the file fails. What a mint does not answer is looked at again the next time.
    pub fn check_payments(&self) -> BoxFuture<'_, Result<usize, WalletError>> {
        async move {
            let mut by_mint: BTreeMap<String, Vec<UnpaidJob>> = BTreeMap::new();
            for unpaid in self.inner.journal.write(offered).await? {
                let Some(offered) = &unpaid.offered else { continue };
                by_mint.entry(offered.lock.mint.clone()).or_default().push(unpaid);
            }
            // One mint that does not answer holds up nothing at another one, and rests.
            by_mint.retain(|mint, _| !self.is_resting(mint));
            let each =
                by_mint.into_iter().map(|(mint, unpaid_jobs)| self.check_payments_at(mint, unpaid_jobs));
            let mut taken = 0;
            for found in join_all(each).await {
                taken += found?;
            }
            Ok(taken)
        }
        .boxed()
    }

    /// Checks what has come from one mint, until it does not answer.
    async fn check_payments_at(
        &self,
        mint: String,
        unpaid_jobs: Vec<UnpaidJob>,
    ) -> Result<usize, WalletError> {
        let mut taken = 0;
        for unpaid in unpaid_jobs {
            let UnpaidJob { claim, price, offered: Some(Offered { lock, signatures }) } = unpaid else {
                continue;
            };
            let job = claim.job.clone();
            let earliest_locktime = self.inner.clock.now_secs().saturating_add(REDEEM_SECS);
            let outcome = match self.check_lock(&lock, Need { price, earliest_locktime }).await {
                Ok(amount) => {
                    let ys = lock_ys(&lock)?;
                    let row = move |transaction: &Transaction<'_>| {
                        paid(transaction, &lock, amount, &ys, &signatures, &claim)
                    };
                    self.inner.journal.write(row).await?
                }
                Err(refusal) => Err(refusal),
            };
            failpoint::hit("credit.1");
            match outcome {
                Ok(()) => taken += 1,
                Err(LockRefusal::Unchecked(error)) => {
                    tracing::warn!(%job, %error, "what came for a job cannot be checked yet");
                    if self.is_resting(&mint) {
                        break;
                    }
                }
                Err(refusal) => {
                    tracing::warn!(%job, %refusal, "what came for a job is no pay");
                    self.inner.journal.write(move |transaction| forget_payment(transaction, &job)).await?;
                }
            }
        }
        Ok(taken)
    }

    /// Gives up jobs whose pay has not come in time, and says whose they were. It is taken all the
    /// same if it comes after all.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn expire_debts(&self, now_secs: u64) -> Result<Vec<Earning>, WalletError> {
        let work = move |transaction: &Transaction<'_>| {
            let late = "state = 'owed' AND payment IS NULL AND due < ?1";
            let found = unpaid_where(transaction, late, sql(now_secs))?;
            transaction.execute(
                &format!("UPDATE tabs SET state = 'withheld', at_ms = ?2 WHERE {late}"),
                params![sql(now_secs), now_ms()],
            )?;
            Ok(found)
        };
        self.inner.journal.write(work).await
    }

    /// Unpaid answers of a key, of whatever kind.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn owed_by(&self, asker: &str) -> Result<u32, WalletError> {
        let asker = asker.to_owned();
        self.inner.journal.write(move |transaction| owed_by(transaction, &asker)).await
    }
}

fn owed_by(transaction: &Transaction<'_>, asker: &str) -> Rows<u32> {
    let query = "SELECT COUNT(*) FROM tabs WHERE asker = ?1 AND state <> 'paid'";
    transaction.query_row(query, [asker], |row| row.get(0))
}

fn owed_by_all(transaction: &Transaction<'_>) -> Rows<u32> {
    let query = "SELECT COUNT(*) FROM tabs WHERE state <> 'paid' AND (state = 'owed' OR opened_at_ms >= ?1)";
    transaction.query_row(query, [now_ms().saturating_sub(REMEMBERED_MS)], |row| row.get(0))
}

/// Jobs for which something came that is not checked yet.
fn offered(transaction: &Transaction<'_>) -> Rows<Vec<UnpaidJob>> {
    let query = "SELECT job, asker, model, price_sats, payment FROM tabs
                 WHERE state <> 'paid' AND payment IS NOT NULL ORDER BY at_ms, job";
    let mut statement = transaction.prepare(query)?;
    let rows = statement.query_map([], |row| {
        let payment: Option<String> = row.get(4)?;
        Ok(UnpaidJob {
            claim: Claim { job: row.get(0)?, asker: row.get(1)?, model: row.get(2)? },
            price: sats(row, 3)?,
            offered: payment.as_deref().map(from_json).transpose()?,
        })
    })?;
    rows.collect()
}

/// A payment that is good: a claim that is released already. One lock pays for one job, and one job
/// is paid for once.
fn paid(
    transaction: &Transaction<'_>,
    lock: &Lock,
    amount: Sats,
    ys: &[String],
    signatures: &[String],
    claim: &Claim,
) -> Rows<Result<(), LockRefusal>> {
    let known: bool =
        transaction
            .query_row("SELECT EXISTS (SELECT 1 FROM claims WHERE id = ?1)", [&lock.id], |row| row.get(0))?;
    if known || !claim_proofs(transaction, ys, &lock.id)? {
        return Ok(Err(LockRefusal::Used));
    }
    insert_claim(transaction, lock, amount, claim, "accepted")?;
    transaction.execute(
        "UPDATE claims SET state = 'released', released = ?2 WHERE id = ?1",
        params![lock.id, to_json(&signatures)?],
    )?;
    transaction
        .execute(
            "UPDATE tabs SET state = 'paid', payment = NULL, at_ms = ?2 WHERE job = ?1",
            params![claim.job, now_ms()],
        )
        .map(|_| Ok(()))
}

fn forget_payment(transaction: &Transaction<'_>, job: &str) -> Rows<()> {
    transaction.execute("UPDATE tabs SET payment = NULL WHERE job = ?1", [job]).map(drop)
}

/// Unpaid jobs, for the books.
pub(crate) fn unpaid_where(transaction: &Transaction<'_>, condition: &str, value: i64) -> Rows<Vec<Earning>> {
    let query = format!(
        "SELECT job, asker, model, price_sats, state, due, at_ms FROM tabs
         WHERE state <> 'paid' AND {condition} ORDER BY at_ms, job"
    );
    let mut statement = transaction.prepare(&query)?;
    let rows = statement.query_map([value], earning)?;
    rows.collect()
}

fn earning(row: &Row<'_>) -> Rows<Earning> {
    let state: String = row.get(4)?;
    let due: i64 = row.get(5)?;
    Ok(Earning {
        job: row.get(0)?,
        asker: row.get(1)?,
        model: row.get(2)?,
        // The payer chooses it.
        mint: String::new(),
        // Both say that the asker declined it; of these no lock was returned.
        state: if state == "declined" { "returned".to_owned() } else { state },
        price: sats(row, 3)?,
        received: Sats::ZERO,
        locktime: u64::try_from(due).unwrap_or(0),
        at_unix_ms: row.get(6)?,
    })
}
