//! Locks that go back before their time.
//!
//! A lock whose job was not done, or whose answer does not count, is returned at once: an honest asker
//! needs its sats for the next job. But an asker could decline every answer, keep it, and get the sats back
//! as well, under a new key each time, as keys cost nothing. So there is a bound for all keys together: in a
//! day [`DECLINED_A_DAY`] declined answers, and one more for every [`PAID_PER_DECLINED`] that were paid
//! for. Beyond it a lock stays until its locktime, like one that is withheld: the asker's sats are locked for
//! that long, and they use up the credit of its key.

use rusqlite::{Transaction, params};

use super::claims::{claim, insert_claim};
use super::lock::{Lock, Returned};
use super::provider::Claim;
use crate::error::WalletError;
use crate::failpoint;
use crate::journal::now_ms;
use crate::mint::CashuWallet;

/// Answers that all askers together may decline in a day and have their sats returned at once.
pub const DECLINED_A_DAY: u32 = 64;
/// Paid answers for each further one that may be declined: a provider that is right four times of five never
/// comes near the bound.
pub const PAID_PER_DECLINED: u32 = 4;
const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// Why a lock goes back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// No answer came of the job.
    NoAnswer,
    /// Its asker says that the answer does not count.
    Declined,
}

impl Reason {
    /// In the books; 0 is what has no bound.
    fn number(self) -> u8 {
        match self {
            Self::NoAnswer => 0,
            Self::Declined => 1,
        }
    }

    /// Answers that are paid for, for each further one; `None`: no bound.
    fn paid_per(self) -> Option<u32> {
        match self {
            Self::NoAnswer => None,
            Self::Declined => Some(PAID_PER_DECLINED),
        }
    }
}

/// What becomes of a lock.
enum Outcome {
    Back,
    /// It stays until the locktime.
    Stays,
    /// It is earned, or another job's.
    NotThisOnes,
}

impl CashuWallet {
    /// Returns the lock of a job that was never worked on, or did not succeed. A job with this lock is not
    /// accepted any more.
    ///
    /// # Errors
    ///
    /// If the file fails, the lock was released already, or no mint of this provider's has made it; then nothing was
    /// signed.
    pub async fn decline(&self, lock: &Lock, claim: Claim) -> Result<Returned, WalletError> {
        self.hand_back(lock, claim, Reason::NoAnswer).await?.ok_or_else(not_this_ones)
    }

    /// As [`Self::decline`], because the asker declined an answer. `None`: too many were declined, and the lock
    /// stays until its locktime.
    ///
    /// # Errors
    ///
    /// As [`Self::decline`].
    pub async fn return_declined(&self, lock: &Lock, claim: Claim) -> Result<Option<Returned>, WalletError> {
        self.hand_back(lock, claim, Reason::Declined).await
    }

    async fn hand_back(
        &self,
        lock: &Lock,
        asked: Claim,
        reason: Reason,
    ) -> Result<Option<Returned>, WalletError> {
        if self.check_shape(lock).is_err() {
            return Err(WalletError::BadToken("the lock is not one for this provider".to_owned()));
        }
        // What is made up holds nothing that could go back, and would fill the books: making it up costs nothing.
        let id = lock.id.clone();
        let known = self.inner.journal.write(move |transaction| claim(transaction, &id)).await?.is_some();
        if !known && self.check_signed(lock).await.is_err() {
            let why = "no mint that this provider accepts has signed the lock's sats, as far as it knows";
            return Err(WalletError::BadToken(why.to_owned()));
        }
        let row = lock.clone();
        match self.inner.journal.write(move |transaction| decide(transaction, &row, &asked, reason)).await? {
            Outcome::Back => {}
            Outcome::Stays => return Ok(None),
            Outcome::NotThisOnes => return Err(not_this_ones()),
        }
        failpoint::hit("return.1");
        let key = self.inner.escrow.provider_lock_key(&lock.id);
        Ok(Some(Returned { lock: lock.id.clone(), signatures: lock.sign(&key)? }))
    }
}

fn not_this_ones() -> WalletError {
    WalletError::BadToken("the lock is earned, or belongs to another job".to_owned())
}

fn decide(
    transaction: &Transaction<'_>,
    lock: &Lock,
    asked: &Claim,
    reason: Reason,
) -> Result<Outcome, rusqlite::Error> {
    let reason = match claim(transaction, &lock.id)? {
        // Work never began, so that nobody has an answer.
        None => {
            insert_claim(transaction, lock, lock.amount().unwrap_or_default(), asked, "returned")?;
            Reason::NoAnswer
        }
        Some((_, state)) if state == "accepted" => reason,
        Some(_) => Reason::NoAnswer,
    };
    if !may_come_back(transaction, reason)? {
        return Ok(Outcome::Stays);
    }
    // Another job's lock is not this one's to give away.
    transaction.execute(
        "UPDATE claims SET state = 'returned', turned_down = ?3, at_ms = ?4
         WHERE id = ?1 AND job = ?2 AND state = 'accepted'",
        params![lock.id, asked.job, reason.number(), now_ms()],
    )?;
    let back = transaction.query_row(
        "SELECT state = 'returned' AND job = ?2 FROM claims WHERE id = ?1",
        params![lock.id, asked.job],
        |found| found.get::<_, bool>(0),
    )?;
    Ok(if back { Outcome::Back } else { Outcome::NotThisOnes })
}

fn may_come_back(transaction: &Transaction<'_>, reason: Reason) -> Result<bool, rusqlite::Error> {
    let Some(paid_per) = reason.paid_per() else { return Ok(true) };
    let query = "SELECT COALESCE(SUM(turned_down = ?2), 0),
                        COALESCE(SUM(state IN ('released', 'redeeming', 'redeemed')), 0)
                 FROM claims WHERE at_ms >= ?1";
    let since = now_ms().saturating_sub(DAY_MS);
    let (gone, paid) = transaction
        .query_row(query, params![since, reason.number()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(is_within(gone, paid, paid_per))
}

/// Whether one more may be returned.
fn is_within(gone: u32, paid: u32, paid_per: u32) -> bool {
    gone < DECLINED_A_DAY.saturating_add(paid / paid_per)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fourth_answer_that_is_paid_for_lets_one_more_be_turned_down() {
        assert!(is_within(63, 3, PAID_PER_DECLINED));
        assert!(!is_within(64, 3, PAID_PER_DECLINED));
        assert!(is_within(64, 4, PAID_PER_DECLINED));
        assert!(!is_within(65, 4, PAID_PER_DECLINED));
    }
}
