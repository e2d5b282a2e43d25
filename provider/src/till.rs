//! Pay: checked before work, redeemed after the verdict, given back when it was not earned.
//!
//! ```text
//!  job ─► check ─► work ─► result ─► released ─► redeemed, many at once
//!            │        │        └────► declined ─► signature returned
//!            │        └─ failed, cancelled, stopped ─► signature returned
//!            └─ refused ─► signature returned
//! ```
//!
//! The wallet keeps the books; everything is durable there before it is said.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use frlm_protocol::{ReceivedJob, ReceivedSettlement, RefusalReason, Settlement};
use frlm_wallet::escrow::{Claim, Lock, LockRefusal, Need, Release};
use frlm_wallet::{CashuWallet, Sats, WalletError};
use nostr::{Event, EventId, Keys, PublicKey, Timestamp};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::admission::Refusal;

/// Time between a job's end and its locktime that a verdict and the redemption need.
const SETTLING_SECS: u64 = 120;
/// A release that is on its way makes room for the next job: it is waited for this long.
const CREDIT_PATIENCE: Duration = Duration::from_secs(10);
const CREDIT_POLL: Duration = Duration::from_millis(100);
/// Releases that come together are redeemed together.
const GATHER: Duration = Duration::from_millis(250);
/// How often what a mint did not answer is tried again, and expired locks are given up.
const ROUND: Duration = Duration::from_secs(30);
/// How long relays keep the signature for an asker that is away.
const RETURN_LIFETIME_SECS: u64 = 3_600;
/// Jobs whose askers may still decline them.
const MOST_KNOWN: usize = 16_384;

/// What happens outside that concerns pay.
#[derive(Debug)]
pub(crate) enum Order {
    /// The asker of a job says what becomes of its pay.
    Settle(ReceivedSettlement),
    /// A job ended without an answer.
    GiveBack(Arc<ReceivedJob>),
}

/// A provider's till.
#[derive(Debug)]
pub(crate) struct Till {
    wallet: CashuWallet,
    model: String,
    keys: Keys,
    /// Signed words for askers; they may be lost, the locktime decides then.
    said: mpsc::Sender<Event>,
    known: Mutex<HashMap<EventId, (PublicKey, Lock)>>,
}

impl Till {
    pub(crate) fn new(wallet: CashuWallet, model: String, keys: Keys, said: mpsc::Sender<Event>) -> Self {
        Self { wallet, model, keys, said, known: Mutex::default() }
    }

    /// Whether a job's price is locked as it should be. A job that waits for an earlier one to be
    /// released is patient for a while.
    pub(crate) async fn check(&self, job: &ReceivedJob, price: Sats) -> Result<Sats, Refusal> {
        let Some(lock) = lock_of(job) else {
            let detail =
                format!("this provider wants {price} locked in escrow (Cashu); see its announcement");
            return Err(Refusal::new(RefusalReason::BidTooLow, detail));
        };
        let ends = job.request.expires_at.unwrap_or_else(Timestamp::now).max(Timestamp::now());
        let need = Need { price, earliest_locktime: ends.as_secs().saturating_add(SETTLING_SECS) };
        let until = Instant::now() + CREDIT_PATIENCE;
        loop {
            match self.wallet.accept(&lock, need, self.claim(job)).await {
                Ok(claimed) => {
                    let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
                    if known.len() >= MOST_KNOWN {
                        // Whoever is forgotten waits for the locktime.
                        known.clear();
                    }
                    known.insert(job.id, (job.asker, lock));
                    return Ok(claimed.price);
                }
                Err(LockRefusal::Credit { .. }) if Instant::now() < until => {
                    tokio::time::sleep(CREDIT_POLL).await;
                }
                Err(refusal) => return Err(in_words(&refusal)),
            }
        }
    }

    /// Does what is ordered until nobody can order any more, then redeems what is left.
    pub(crate) async fn run(self: Arc<Self>, mut orders: mpsc::Receiver<Order>) {
        let mut round = tokio::time::interval(ROUND);
        let mut redeem_at: Option<Instant> = None;
        loop {
            let due = async {
                match redeem_at {
                    Some(moment) => tokio::time::sleep_until(moment).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => {
                        if self.take(order).await {
                            redeem_at.get_or_insert(Instant::now() + GATHER);
                        }
                    }
                    None => break,
                },
                () = due => {
                    redeem_at = None;
                    self.redeem().await;
                }
                _ = round.tick() => self.look_again().await,
            }
        }
        self.redeem().await;
    }

    /// Whether there is something to redeem now.
    async fn take(&self, order: Order) -> bool {
        match order {
            Order::Settle(ReceivedSettlement { settlement: Settlement::Released(payload), .. }) => {
                let Ok(release) = serde_json::from_str::<Release>(&payload) else { return false };
                match self.wallet.released(vec![release]).await {
                    Ok(opened) => !opened.is_empty(),
                    Err(error) => {
                        tracing::warn!(%error, "a release could not be written down");
                        false
                    }
                }
            }
            Order::Settle(ReceivedSettlement { settlement: Settlement::Declined, author, job }) => {
                let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&job).cloned();
                if let Some((asker, lock)) = known.filter(|(asker, _)| *asker == author) {
                    self.give_back(job, asker, &lock).await;
                }
                false
            }
            Order::Settle(_) => false,
            Order::GiveBack(job) => {
                if let Some(lock) = lock_of(&job) {
                    self.give_back(job.id, job.asker, &lock).await;
                }
                false
            }
        }
    }

    async fn give_back(&self, job: EventId, asker: PublicKey, lock: &Lock) {
        let claim = Claim { job: job.to_hex(), asker: asker.to_hex(), model: self.model.clone() };
        let returned = match self.wallet.decline(lock, claim).await {
            Ok(returned) => returned,
            Err(error) => {
                tracing::debug!(%job, %error, "a lock is not given back");
                return;
            }
        };
        let Ok(payload) = serde_json::to_string(&returned) else { return };
        let now = Timestamp::now();
        let said =
            Settlement::Returned(payload).to_event(job, asker, now + RETURN_LIFETIME_SECS, &self.keys, now);
        match said {
            // With nobody there to publish it, the locktime opens the lock.
            Ok(event) => drop(self.said.send(event).await),
            Err(error) => tracing::warn!(%job, %error, "a signature could not be sent back"),
        }
    }

    async fn redeem(&self) {
        match self.wallet.redeem().await {
            Ok(received) if received > Sats::ZERO => tracing::info!(%received, "redeemed"),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "released pay is not redeemed yet; it is tried again"),
        }
    }

    async fn look_again(&self) {
        let outcome: Result<(), WalletError> = async {
            self.wallet.retry_unclear().await?;
            for lost in self.wallet.expire_claims(Timestamp::now().as_secs()).await? {
                tracing::warn!(job = %lost.job, price = %lost.price, "an answer was kept and never paid");
            }
            Ok(())
        }
        .await;
        if let Err(error) = outcome {
            tracing::warn!(%error, "the wallet could not be looked after");
        }
        self.redeem().await;
    }

    fn claim(&self, job: &ReceivedJob) -> Claim {
        Claim { job: job.id.to_hex(), asker: job.asker.to_hex(), model: self.model.clone() }
    }
}

fn lock_of(job: &ReceivedJob) -> Option<Lock> {
    serde_json::from_str(job.request.payment.as_deref()?).ok()
}

fn in_words(refusal: &LockRefusal) -> Refusal {
    match refusal {
        LockRefusal::Credit { .. } => Refusal::new(RefusalReason::Busy, refusal.to_string()),
        LockRefusal::TooLittle { .. } => Refusal::new(RefusalReason::BidTooLow, refusal.to_string()),
        // A mint's address and state are nobody else's business.
        LockRefusal::Unchecked(error) => {
            tracing::warn!(%error, "a lock could not be checked");
            Refusal::new(RefusalReason::Busy, "the lock could not be checked at its mint now")
        }
        other => Refusal::new(RefusalReason::Unsupported, other.to_string()),
    }
}
