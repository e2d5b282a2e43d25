//! Pay: checked before work, redeemed after the verdict, given back when it was not earned.
//!
//! ```text
//!  job ─► check ─► work ─► result ─► released ─► redeemed, many at once
//!            │        │        └────► declined ─► signature returned, within a bound
//!            │        └─ failed, cancelled, stopped ─► signature returned; within that bound, where part of
//!            │                                           the answer was told already
//!            └─ refused ─► signature returned
//! ```
//!
//! Where the operator lets askers pay after the verdict, a job without a lock uses a credit line, as
//! long as that has room; what is paid for it is checked and redeemed like a lock that came with a job.
//!
//! The wallet keeps the books; everything is durable there before it is said.

mod check;
mod errands;
mod queue;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use frlm_protocol::{ReceivedJob, ReceivedSettlement, Settlement};
use frlm_wallet::debts::CreditLine;
use frlm_wallet::escrow::{Claim, Lock, Release, Returned};
use frlm_wallet::{CashuWallet, Sats, WalletError};
use nostr::{Event, EventId, Keys, PublicKey, Timestamp};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

use crate::recent::Recent;
pub(crate) use check::voucher;
use errands::{Errand, Errands};
pub(crate) use queue::PayQueue;

/// Releases that come together are redeemed together.
const GATHER: Duration = Duration::from_millis(250);
/// Orders that are done together.
const MOST_ORDERS: usize = 64;
/// How often what a mint did not answer is tried again, and expired locks are given up.
const ROUND: Duration = Duration::from_secs(30);
/// How long errands at mints may take once the provider ends.
const LAST_ERRANDS: Duration = Duration::from_secs(5);
/// How long relays keep the signature for an asker that is away.
const RETURN_LIFETIME_SECS: u64 = 3_600;
/// Jobs whose askers may still decline them, and jobs of which part of the answer was told.
const MOST_KNOWN: usize = 16_384;

/// What happens outside that concerns pay.
#[derive(Debug)]
pub(crate) enum PaymentCommand {
    /// The asker of a job says what becomes of its pay.
    Settle(ReceivedSettlement),
    /// A job ended without an answer, for reasons on this side.
    GiveBack(Arc<ReceivedJob>),
    /// A job's asker wants no answer any more.
    Cancelled(Arc<ReceivedJob>),
    /// A job was given away on this day.
    Gave { asker: PublicKey, day: u64 },
    /// To be told when everything that was ordered before is done.
    Done(oneshot::Sender<()>),
}

/// What follows from orders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Next {
    /// Something is released.
    redeem: bool,
    /// Pay has come that its mint is to be asked about.
    check: bool,
}

/// A provider's payments.
#[derive(Debug)]
pub(crate) struct Payments {
    wallet: CashuWallet,
    model: String,
    keys: Keys,
    /// Signed words for askers; they may be lost, the locktime decides then.
    said: mpsc::Sender<Event>,
    /// Jobs whose locks are not released, and whose askers have not declined them. The sats of a forgotten one wait for the
    /// locktime.
    known: Mutex<Recent<(PublicKey, Lock)>>,
    /// How much may be owed for work that is paid after the verdict; `None`: nothing.
    credit_line: Option<CreditLine>,
    /// Something was decided about pay: there may be room for a job that waits.
    decided: Notify,
}

impl Payments {
    pub(crate) fn new(wallet: CashuWallet, model: String, keys: Keys, said: mpsc::Sender<Event>) -> Self {
        Self {
            wallet,
            model,
            keys,
            said,
            known: Mutex::new(Recent::of(MOST_KNOWN)),
            credit_line: None,
            decided: Notify::new(),
        }
    }

    /// Lets every key owe for so many jobs; 0 is none.
    pub(crate) fn with_credit_line(self, per_key: u32) -> Self {
        Self { credit_line: (per_key > 0).then_some(CreditLine { per_key }), ..self }
    }

    fn known(&self) -> MutexGuard<'_, Recent<(PublicKey, Lock)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what is ordered until nobody can order any more, then redeems what is left. Whatever waits for a mint waits
    /// in a task of its own: one that does not answer holds up no order, and no other mint.
    pub(crate) async fn run(self: Arc<Self>, mut commands: mpsc::Receiver<PaymentCommand>) {
        let mut round = tokio::time::interval(ROUND);
        let mut redeem_at: Option<Instant> = None;
        let mut inbox = Vec::new();
        let mut errands = Errands::default();
        loop {
            let due = async {
                match redeem_at {
                    Some(moment) => tokio::time::sleep_until(moment).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                count = commands.recv_many(&mut inbox, MOST_ORDERS) => {
                    if count == 0 {
                        break;
                    }
                    let next = self.take_all(std::mem::take(&mut inbox)).await;
                    if next.redeem {
                        redeem_at.get_or_insert(Instant::now() + GATHER);
                    }
                    if next.check {
                        errands.begin(Errand::Check, &self);
                    }
                    self.decided.notify_one();
                }
                () = due => {
                    redeem_at = None;
                    self.redeem(&mut errands).await;
                }
                _ = round.tick() => {
                    errands.begin(Errand::Look, &self);
                    self.redeem(&mut errands).await;
                }
                Some(redeemable) = errands.ended() => {
                    if redeemable {
                        redeem_at.get_or_insert(Instant::now() + GATHER);
                    }
                }
            }
        }
        self.redeem(&mut errands).await;
        if tokio::time::timeout(LAST_ERRANDS, errands.all()).await.is_err() {
            tracing::warn!(
                "a mint does not answer: what was released there is redeemed after the next start"
            );
        }
    }

    /// Redeems what is released, at each mint by itself. Mints that have fallen silent rest.
    async fn redeem(self: &Arc<Self>, errands: &mut Errands) {
        match self.wallet.redeemable().await {
            Ok(mints) => {
                for mint in mints.into_iter().filter(|mint| !self.wallet.is_resting(mint)) {
                    errands.begin(Errand::Redeem(mint), self);
                }
            }
            Err(error) => tracing::warn!(%error, "nobody knows what is released"),
        }
    }

    /// Does what has to wait for mints; whether there may be something to redeem afterwards.
    async fn run_errand(&self, errand: &Errand) -> bool {
        match errand {
            Errand::Redeem(mint) => {
                match self.wallet.redeem_from(mint).await {
                    Ok(received) if received > Sats::ZERO => tracing::info!(%received, "redeemed"),
                    Ok(_) => {}
                    Err(error) => {
                        tracing::warn!(%error, "released pay is not redeemed yet; it is tried again");
                    }
                }
                false
            }
            Errand::Check => self.check_payments().await,
            Errand::Look => self.try_again().await,
        }
    }

    /// Does what was ordered together, in its order; releases that follow each other share a commit.
    async fn take_all(&self, commands: Vec<PaymentCommand>) -> Next {
        let (mut releases, mut next) = (Vec::new(), Next::default());
        for command in commands {
            match command {
                PaymentCommand::Settle(ReceivedSettlement {
                    settlement: Settlement::Released(payload),
                    job,
                    ..
                }) => {
                    if let Ok(release) = serde_json::from_str::<Release>(&payload) {
                        releases.push((job, release));
                    }
                }
                command => {
                    next.redeem |= self.released(std::mem::take(&mut releases)).await;
                    next.check |= self.take(command).await;
                }
            }
        }
        next.redeem |= self.released(releases).await;
        next
    }

    /// Writes signatures down that open locks, with the jobs that they came for; whether one of them does.
    async fn released(&self, ordered: Vec<(EventId, Release)>) -> bool {
        if ordered.is_empty() {
            return false;
        }
        let jobs: Vec<(EventId, String)> =
            ordered.iter().map(|(job, release)| (*job, release.lock.clone())).collect();
        let releases = ordered.into_iter().map(|(_, release)| release).collect();
        match self.wallet.released(releases).await {
            Ok(opened) => {
                self.paid(jobs.iter().filter(|(_, lock)| opened.contains(lock)));
                !opened.is_empty()
            }
            Err(error) => {
                tracing::warn!(%error, "releases could not be written down");
                false
            }
        }
    }

    /// Nothing can become of these jobs and their locks any more.
    fn paid<'a>(&self, jobs: impl Iterator<Item = &'a (EventId, String)>) {
        let mut known = self.known();
        for (job, lock) in jobs {
            // A job's id is its sender's word, the lock is its signature.
            if known.get(job).is_some_and(|(_, of_the_job)| of_the_job.id == *lock) {
                known.forget(job);
            }
        }
    }

    /// Whether pay has come that is to be checked at its mint.
    async fn take(&self, command: PaymentCommand) -> bool {
        match command {
            PaymentCommand::Settle(ReceivedSettlement { settlement: Settlement::Declined, author, job }) => {
                let known = self.known().get(&job).cloned();
                match known {
                    Some((asker, lock)) if asker == author => self.return_declined(job, asker, &lock).await,
                    Some(_) => {}
                    None => self.declined(job, author).await,
                }
                false
            }
            PaymentCommand::Settle(ReceivedSettlement {
                settlement: Settlement::Paid { lock, release },
                author,
                job,
            }) => {
                let (Ok(lock), Ok(release)) = (serde_json::from_str(&lock), serde_json::from_str(&release))
                else {
                    return false;
                };
                match self.wallet.take_payment(&job.to_hex(), &author.to_hex(), lock, release).await {
                    Ok(()) => true,
                    // What was paid is often said again.
                    Err(refusal) => {
                        tracing::debug!(%job, %refusal, "what came for a job is not taken");
                        false
                    }
                }
            }
            PaymentCommand::Settle(_) => false,
            PaymentCommand::GiveBack(job) => {
                self.ended(&job, false).await;
                false
            }
            PaymentCommand::Cancelled(job) => {
                self.ended(&job, true).await;
                false
            }
            PaymentCommand::Gave { asker, day } => {
                let provider = self.keys.public_key().to_hex();
                if let Err(error) = self.wallet.note_free_job(provider, asker.to_hex(), day).await {
                    tracing::warn!(%error, "a job that was given away counts only until the next start");
                }
                false
            }
            PaymentCommand::Done(told) => {
                // The caller may be gone by now.
                let _ = told.send(());
                false
            }
        }
    }

    /// A job has ended without an answer.
    async fn ended(&self, job: &ReceivedJob, cancelled: bool) {
        match lock_of(job) {
            Some(lock) => self.give_back(job.id, job.asker, &lock).await,
            // Else an asker could free its own credit line by cancelling.
            None if cancelled => self.declined(job.id, job.asker).await,
            None if self.credit_line.is_some() => self.excused(job.id).await,
            None => {}
        }
    }

    /// An asker declines a debt; the work was done all the same.
    async fn declined(&self, job: EventId, asker: PublicKey) {
        if let Err(error) = self.wallet.decline_debt(&job.to_hex(), &asker.to_hex()).await {
            tracing::warn!(%job, %error, "that a job was declined could not be written down");
        }
    }

    /// No answer came of a job: its asker owes nothing.
    async fn excused(&self, job: EventId) {
        if let Err(error) = self.wallet.waive_debt(&job.to_hex()).await {
            tracing::warn!(%job, %error, "a job without an answer stays a debt");
        }
    }

    /// Whether pay that came for debts can be redeemed now.
    async fn check_payments(&self) -> bool {
        match self.wallet.check_payments().await {
            Ok(taken) => taken > 0,
            Err(error) => {
                tracing::warn!(%error, "what came for jobs could not be checked");
                false
            }
        }
    }

    async fn give_back(&self, job: EventId, asker: PublicKey, lock: &Lock) {
        match self.wallet.decline(lock, self.claim_of(job, asker)).await {
            // It is not forgotten: these words may be lost, and an asker that declines the job hears them again.
            Ok(returned) => self.say_returned(job, asker, &returned).await,
            Err(error) => tracing::debug!(%job, %error, "a lock is not given back"),
        }
    }

    /// An asker has an answer and says that it does not count.
    async fn return_declined(&self, job: EventId, asker: PublicKey, lock: &Lock) {
        let returned = self.wallet.return_declined(lock, self.claim_of(job, asker)).await;
        if matches!(returned, Ok(Some(_))) {
            self.known().forget(&job);
        }
        match returned {
            Ok(Some(returned)) => self.say_returned(job, asker, &returned).await,
            Ok(None) => {
                tracing::warn!(%job, "too many answers were not paid for today: the lock waits for its locktime");
            }
            Err(error) => tracing::debug!(%job, %error, "a lock is not given back"),
        }
    }

    async fn say_returned(&self, job: EventId, asker: PublicKey, returned: &Returned) {
        let Ok(payload) = serde_json::to_string(returned) else { return };
        let now = Timestamp::now();
        let said =
            Settlement::Returned(payload).to_event(job, asker, now + RETURN_LIFETIME_SECS, &self.keys, now);
        match said {
            // With nobody there to publish it, the locktime opens the lock.
            Ok(event) => drop(self.said.send(event).await),
            Err(error) => tracing::warn!(%job, %error, "a signature could not be sent back"),
        }
    }

    /// Whether there may be something to redeem now.
    async fn try_again(&self) -> bool {
        let outcome: Result<usize, WalletError> = async {
            for lost in self.wallet.expire_claims(Timestamp::now().as_secs()).await? {
                tracing::warn!(job = %lost.job, price = %lost.price, "an answer was kept and never paid");
            }
            for late in self.wallet.expire_debts(Timestamp::now().as_secs()).await? {
                tracing::warn!(job = %late.job, price = %late.price, "the pay for an answer has not come");
            }
            // What needs no mint comes first.
            let ended = self.wallet.retry_due().await?;
            Ok(ended + self.wallet.check_payments().await?)
        }
        .await;
        outcome.unwrap_or_else(|error| {
            tracing::warn!(%error, "the wallet could not be maintained");
            0
        }) > 0
    }

    fn claim_of(&self, job: EventId, asker: PublicKey) -> Claim {
        Claim { job: job.to_hex(), asker: asker.to_hex(), model: self.model.clone() }
    }
}

fn lock_of(job: &ReceivedJob) -> Option<Lock> {
    serde_json::from_str(job.request.payment.as_deref()?).ok()
}
