//! A quote becomes an invoice, and an invoice that is paid a claim.
//!
//! ```text
//!   price ─► enough left? ──────────────────────────────┬─► claim
//!              │ no                                      │
//!              ├─► was an earlier bill paid late? ─ yes ─┤
//!              └─► bill, on disk, sent ─► paid in time ──┘
//!                                            └─ not: refused; paid later, it counts when its payer comes again
//! ```

use std::sync::Arc;
use std::time::Duration;

use frlm_client::protocol::{Feedback, ReceivedJob, RefusalReason};
use frlm_client::wallet::cashu::Invoice;
use frlm_client::wallet::{CashuWallet, Sats, WalletError};
use nostr::{PublicKey, Timestamp};
use tokio::time::Instant;

use super::super::credit::{Bill, Claim, Credits};
use super::NostrService;
use super::form::{JobRejection, left};

/// The longest that a payment is waited for, and that a bill has its place: also where its job is cancelled, so that nobody
/// has the mint write invoices without end.
const TIMEOUT: Duration = Duration::from_mins(5);
/// Between questions to a mint that does not answer.
const PAUSE: Duration = Duration::from_secs(5);

impl NostrService {
    /// Waits until the price is paid; what this key has left of earlier jobs comes first. In a task of its own: an asker that
    /// cancels the job may have paid already, and its bill keeps its place.
    pub(super) async fn collect(&self, job: &ReceivedJob, price: Sats) -> Result<Claim, JobRejection> {
        let msats = price.to_msats().map_or(u64::MAX, |msats| msats.0);
        if job.request.bid_msats.is_some_and(|bid| bid < msats) {
            return Err(JobRejection(RefusalReason::BidTooLow, "the answer may cost more than is bid"));
        }
        self.settle(job.asker).await;
        if let Some(claim) = self.credits.claim(job.asker, price) {
            return Ok(claim);
        }
        self.look_up_bills(job.asker).await;
        if let Some(claim) = self.credits.claim(job.asker, price) {
            return Ok(claim);
        }
        let _place = self.bills.try_acquire().map_err(|_| {
            JobRejection(
                RefusalReason::Busy,
                "too many invoices wait to be paid; come again in a few minutes",
            )
        })?;
        let failed = |error: anyhow::Error| {
            frlm_client::notice!(
                "serve: no invoice could be made: {}",
                frlm_client::protocol::printable(&format!("{error:#}"))
            );
            JobRejection(RefusalReason::EngineFailed, "no invoice could be made")
        };
        let (wallet, invoice) = self.service.invoice(price).await.map_err(failed)?;
        let bill = Bill::of(job.asker, &invoice);
        self.credits.billed(bill.clone()).await.map_err(failed)?;
        self.publish(Feedback::bill(job, msats, &invoice.bolt11, &self.keys, Timestamp::now())).await;
        tokio::select! {
            biased;
            paid = payment(&wallet, &invoice, &bill, &self.credits, left(job).min(TIMEOUT)) => paid?,
            () = self.tidy.cancelled() => {
                return Err(JobRejection(RefusalReason::ShuttingDown, "the service ends; pay nothing any more"));
            }
        }
        self.credits.claim(job.asker, price).ok_or(JobRejection(
            RefusalReason::Busy,
            "what was paid went to another question of yours; ask again",
        ))
    }

    /// Takes off what a payer's questions without an answer have cost, where that is known by now.
    async fn settle(&self, payer: PublicKey) {
        for run in self.credits.unsettled(payer) {
            let Some(cost) = self.service.cost(&run).await else { continue };
            if let Err(error) = self.credits.ended(&run, cost).await {
                tracing::warn!(%error, %run, "what a run has cost could not be written down");
            }
        }
    }

    /// Finds what a payer has paid when nobody waited for it any more.
    async fn look_up_bills(&self, payer: PublicKey) {
        let Some(wallet) = self.service.wallet() else { return };
        for bill in self.credits.bills(payer) {
            match wallet.receive_invoice(&bill.invoice(), Duration::ZERO).await {
                Ok(_) => {
                    // What goes wrong is said there, and the payer is asked for the price then.
                    let _ = write_down(&self.credits, &bill).await;
                }
                // A mint that is away is not waited for once for each.
                Err(WalletError::Unclear { .. }) => break,
                // Nothing was paid, or its mint is not on the list any more.
                Err(_) => {}
            }
        }
    }
}

/// Waits for a payment. What a mint that is away for a while says nothing of may have been paid all the same.
async fn payment(
    wallet: &CashuWallet,
    invoice: &Invoice,
    bill: &Bill,
    credits: &Arc<Credits>,
    timeout: Duration,
) -> Result<(), JobRejection> {
    let until = Instant::now() + timeout;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match wallet.receive_invoice(invoice, left).await {
            Ok(_) => return write_down(credits, bill).await,
            Err(WalletError::NotPaid) => break,
            Err(error) if left <= PAUSE => {
                tracing::warn!(%error, "whether an invoice was paid is not known");
                break;
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
    Err(JobRejection(RefusalReason::TooLate, "nothing was paid in time; pay nothing any more"))
}

/// Writes a payment down before anything is done for it.
async fn write_down(credits: &Arc<Credits>, bill: &Bill) -> Result<(), JobRejection> {
    credits.paid(bill).await.map_err(|error| {
        frlm_client::notice!(
            "serve: {}: a payment: {bill:?}",
            frlm_client::protocol::printable(&format!("{error:#}"))
        );
        JobRejection(
            RefusalReason::EngineFailed,
            "the payment came and could not be written down; ask the operator",
        )
    })
}
