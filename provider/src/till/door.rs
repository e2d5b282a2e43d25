//! At the door: whether the pay that comes with a job, or is to come after it, is good enough to work for.

use std::time::Duration;

use frlm_protocol::{ReceivedJob, RefusalReason};
use frlm_wallet::Sats;
use frlm_wallet::escrow::{Claim, LockRefusal, Need};
use nostr::{PublicKey, Timestamp};
use tokio::time::Instant;

use super::{Till, lock_of};
use crate::admission::Refusal;

/// Time between a job's end and its locktime that a verdict and the redemption need.
const SETTLING_SECS: u64 = 120;
/// A release that is on its way makes room for the next job: it is waited for this long.
const CREDIT_PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked for what made room without an order, such as the passing of time.
const CREDIT_POLL: Duration = Duration::from_millis(100);
/// A payment that is on its way makes room on a tab: it is waited for this long.
const TAB_PATIENCE: Duration = Duration::from_secs(3);
/// Time after a job's end until its pay is due: a run judges answers when others have come.
const TAB_DUE_SECS: u64 = 3_600;

impl Till {
    /// Whether a job's price is locked as it should be. A job that waits for an earlier one to be
    /// released is patient for a while.
    pub(crate) async fn check(&self, job: &ReceivedJob, price: Sats) -> Result<Sats, Refusal> {
        let Some(lock) = lock_of(job) else { return self.put_on_tab(job, price).await };
        let need = Need { price, earliest_locktime: ends_secs(job).saturating_add(SETTLING_SECS) };
        let until = Instant::now() + CREDIT_PATIENCE;
        let claim = self.claim_of(job.id, known_as(job));
        loop {
            // Before the wallet is asked: what is decided meanwhile is not missed.
            let decided = self.decided.notified();
            match self.wallet.accept(&lock, need, claim.clone()).await {
                Ok(claimed) => {
                    self.known().remember(job.id, (job.asker, lock));
                    return Ok(claimed.price);
                }
                Err(LockRefusal::Credit { .. }) if Instant::now() < until => {
                    let _ = tokio::time::timeout(CREDIT_POLL, decided).await;
                }
                Err(refusal) => return Err(in_words(&refusal)),
            }
        }
    }

    /// Takes a job whose pay is to come after the verdict. Clients of other kinds would never send any.
    async fn put_on_tab(&self, job: &ReceivedJob, price: Sats) -> Result<Sats, Refusal> {
        let Some(limits) = self.tabs.filter(|_| job.is_profile()) else {
            let detail =
                format!("this provider wants {price} locked in escrow (Cashu); see its announcement");
            return Err(Refusal::new(RefusalReason::BidTooLow, detail));
        };
        let due = ends_secs(job).saturating_add(TAB_DUE_SECS);
        let until = Instant::now() + TAB_PATIENCE;
        loop {
            let decided = self.decided.notified();
            match self.wallet.open_tab(self.claim(job), price, due, limits).await {
                Ok(()) => return Ok(price),
                Err(LockRefusal::TabFull { .. }) if Instant::now() < until => {
                    let _ = tokio::time::timeout(CREDIT_POLL, decided).await;
                }
                Err(refusal) => return Err(in_words(&refusal)),
            }
        }
    }

    fn claim(&self, job: &ReceivedJob) -> Claim {
        self.claim_of(job.id, job.asker)
    }
}

/// Whose credit a job with a lock counts against: that of whoever vouches for its key, if somebody does. A tab is the
/// key's own, as only that can say what becomes of it.
fn known_as(job: &ReceivedJob) -> PublicKey {
    let certificate = job.request.certificate.as_ref();
    certificate.and_then(|it| it.vouches_for(&job.asker, Timestamp::now())).unwrap_or(job.asker)
}

/// When nobody waits for a job any more; seconds since 1970.
fn ends_secs(job: &ReceivedJob) -> u64 {
    job.request.expires_at.unwrap_or_else(Timestamp::now).max(Timestamp::now()).as_secs()
}

fn in_words(refusal: &LockRefusal) -> Refusal {
    match refusal {
        LockRefusal::Credit { .. } => Refusal::new(RefusalReason::Busy, refusal.to_string()),
        LockRefusal::TooLittle { .. } | LockRefusal::TabFull { .. } => {
            Refusal::new(RefusalReason::BidTooLow, refusal.to_string())
        }
        // A mint's address and state are nobody else's business.
        LockRefusal::Unchecked(error) => {
            tracing::warn!(%error, "a lock could not be checked");
            Refusal::new(RefusalReason::Busy, "the lock could not be checked at its mint now")
        }
        other => Refusal::new(RefusalReason::Unsupported, other.to_string()),
    }
}
