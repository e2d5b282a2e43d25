//! Before work: whether the pay that comes with a job, or is to come after it, is good enough to work for.

use frlm_protocol::{ReceivedJob, RefusalReason};
use frlm_wallet::Sats;
use frlm_wallet::escrow::{Claim, LockRefusal, Need};
use nostr::{PublicKey, Timestamp};

use super::{Payments, lock_of};
use crate::admission::Refusal;

/// Time between a job's end and its locktime that a verdict and the redemption need.
const SETTLING_SECS: u64 = 120;
/// Time after a job's end until its pay is due: a run judges answers when others have come.
const DEBT_DUE_SECS: u64 = 3_600;

/// Why a job is not worked on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Turned {
    pub(crate) refusal: Refusal,
    /// Its asker has too much out now; a release that is on its way makes room.
    pub(crate) for_now: bool,
}

impl From<Refusal> for Turned {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, for_now: false }
    }
}

impl Payments {
    /// Whether a job's price is locked as it should be. What needs no mint comes first, and nobody is waited for here: a
    /// job without credit waits where it holds no slot.
    pub(crate) async fn check(&self, job: &ReceivedJob, price: Sats) -> Result<Sats, Turned> {
        let Some(lock) = lock_of(job) else { return self.take_on_credit(job, price).await };
        let need = Need { price, earliest_locktime: ends_secs(job).saturating_add(SETTLING_SECS) };
        let claim = self.claim_of(job.id, known_as(job));
        match self.wallet.accept(&lock, need, claim).await {
            Ok(claimed) => {
                self.known().remember(job.id, (job.asker, lock));
                Ok(claimed.price)
            }
            Err(refusal) => Err(in_words(&refusal)),
        }
    }

    /// Takes a job whose pay is to come after the verdict. Clients of other kinds would never send any.
    async fn take_on_credit(&self, job: &ReceivedJob, price: Sats) -> Result<Sats, Turned> {
        let Some(limits) = self.credit_line.filter(|_| job.is_profile()) else {
            let detail =
                format!("this provider wants {price} locked in escrow (Cashu); see its announcement");
            return Err(Refusal::new(RefusalReason::BidTooLow, detail).into());
        };
        let due = ends_secs(job).saturating_add(DEBT_DUE_SECS);
        match self.wallet.open_debt(self.claim(job), price, due, limits).await {
            Ok(()) => Ok(price),
            Err(refusal) => Err(in_words(&refusal)),
        }
    }

    /// Waits until something was decided about pay: there may be room for a job that waits for credit.
    pub(crate) async fn room_made(&self) {
        self.decided.notified().await;
    }

    /// Who asks, if it has paid for more of its earlier jobs than it has kept the pay of.
    pub(crate) async fn payer(&self, job: &ReceivedJob) -> Option<PublicKey> {
        let asker = known_as(job);
        let credit = self.wallet.credit(&asker.to_hex()).await.ok()?;
        (credit.released > credit.withheld).then_some(asker)
    }

    fn claim(&self, job: &ReceivedJob) -> Claim {
        self.claim_of(job.id, job.asker)
    }
}

/// Whose credit a job with a lock counts against: that of its key's voucher, if there is one. A credit line is the
/// key's own, as only that can say what becomes of it.
fn known_as(job: &ReceivedJob) -> PublicKey {
    voucher(job, |_| true).unwrap_or(job.asker)
}

/// The identity that vouches for a job's key, if it is one that matters: strangers' signatures are not worth checking.
pub(crate) fn voucher(job: &ReceivedJob, matters: impl FnOnce(&PublicKey) -> bool) -> Option<PublicKey> {
    let certificate = job.request.certificate.as_ref().filter(|it| matters(&it.identity()))?;
    certificate.vouches_for(&job.asker, Timestamp::now())
}

/// When nobody waits for a job any more; seconds since 1970.
fn ends_secs(job: &ReceivedJob) -> u64 {
    job.request.expires_at.unwrap_or_else(Timestamp::now).max(Timestamp::now()).as_secs()
}

fn in_words(refusal: &LockRefusal) -> Turned {
    let for_now = matches!(refusal, LockRefusal::Credit { .. } | LockRefusal::CreditLineFull { .. });
    let refusal = match refusal {
        LockRefusal::Credit { .. } => Refusal::new(RefusalReason::Busy, refusal.to_string()),
        LockRefusal::TooLittle { .. } | LockRefusal::CreditLineFull { .. } => {
            Refusal::new(RefusalReason::BidTooLow, refusal.to_string())
        }
        // A mint's address and state are nobody else's business.
        LockRefusal::Unchecked(error) => {
            tracing::warn!(%error, "a lock could not be checked");
            Refusal::new(RefusalReason::Busy, "the lock could not be checked at its mint now")
        }
        other => Refusal::new(RefusalReason::Unsupported, other.to_string()),
    };
    Turned { refusal, for_now }
}
