//! Pay before the work, for foreign NIP-90 providers that answer `payment-required`. *Unescrowed*: what
//! is paid is gone, whatever comes back.
//!
//! ```text
//!  invoice ──check──► bill ──plan──► planned ──pay──► paid ──┬─ the answer counts ──► earned
//!             │               (durable)  │ │                 ├─ it does not ────────► rejected
//!             ▼                          │ │ refused         ├─ none in time ───────► silent
//!          refused                       │ └───────► failed  └─ not wanted any more ► cancelled
//!                                        │ crash, no clear answer
//!                                        └── looked up: paid | failed | not known yet ── a day ──► unknown
//! ```
//!
//! The intent is durable before the payment, and an invoice is planned once in a wallet's life: its
//! payment hash is the row's key. A provider that names no invoice may be paid by a token (the `token` module). What
//! nobody answered counts as paid until the mint, or the Lightning
//! wallet, says otherwise; it is never paid again. Where the Lightning wallet has not said it a day after the invoice's
//! end, or cannot say it, it stays spent and is listed as unknown.
//!
//! A provider can run away with one job's price: nothing more is paid before while a payment is
//! unanswered, never again after one that nothing came for, and not while more of its answers were
//! declined than counted.

mod book;
mod check;
mod lookup;
mod token;

#[cfg(test)]
mod tests;

pub use book::{Prepaid, PrepaidEnd, PrepaidState};
pub use check::PrepayRefusal;
pub use lookup::UnknownPayment;
pub use token::BearerToken;

use check::{Checked, Terms};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::amount::{Msats, Sats};
use crate::cashu::PaymentQuote;
use crate::error::WalletError;
use crate::failpoint;
use crate::ledger::Key;
use crate::mint::CashuWallet;
use crate::nwc::{NwcError, NwcWallet};
use crate::outcome::SettlementOutcome;

/// Of a bid, so much is reserved for fees: a fiftieth, and a few sats for small ones.
const FEE_SHARE: u64 = 50;
const LEAST_FEES: u64 = 5;

/// What paying a bid can cost at most, fees included: what to reserve.
pub fn prepay_cost(bid: Sats) -> Sats {
    bid.saturating_add(Sats(bid.0.div_ceil(FEE_SHARE))).saturating_add(Sats(LEAST_FEES))
}

/// A provider that wants its pay before it works.
#[derive(Debug, Clone)]
pub struct Prepayment {
    /// The attempt that it would be paid for.
    pub key: Key,
    /// The provider's Nostr key.
    pub peer: String,
    /// Its invoice; empty where it names none.
    pub bolt11: String,
    /// What it said beside the invoice, or without one.
    pub stated: Option<Msats>,
    /// The most that was offered for the job.
    pub bid: Sats,
    /// What was reserved for the attempt, fees included.
    pub reserved: Sats,
}

/// An invoice that was checked and may be paid.
#[derive(Debug, Clone)]
pub struct Bill {
    order: Prepayment,
    checked: Checked,
    way: Way,
}

/// How a bill is paid.
#[derive(Debug, Clone)]
enum Way {
    /// A mint pays the invoice, at this offer of its.
    Mint(PaymentQuote),
    /// A Lightning wallet pays the invoice.
    Lightning,
    /// By a token of this mint; once that is planned, with the library's name for making it.
    Token { mint: String, operation: String },
}

impl Bill {
    /// What the provider asks for.
    pub fn amount(&self) -> Sats {
        self.checked.amount
    }

    /// Whose invoice it is.
    pub fn order(&self) -> &Prepayment {
        &self.order
    }
}

/// What a payment has cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidBill {
    /// To the provider.
    pub amount: Sats,
    /// To mint and network.
    pub fees: Sats,
    /// What the provider is still to be given, where it is not paid by invoice.
    pub token: Option<BearerToken>,
}

/// Why an invoice that may be paid was not, as far as that is known.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub struct PrepayFailed {
    /// In words.
    pub reason: String,
    /// Whether it may have been paid all the same.
    pub unclear: bool,
}

impl CashuWallet {
    /// Holds an invoice against everything that was agreed, and asks what paying it would cost. Nothing
    /// moves and nothing is written.
    ///
    /// # Errors
    ///
    /// The refusal says what is wrong.
    pub fn bill<'a>(
        &'a self,
        order: Prepayment,
        lightning: Option<&'a NwcWallet>,
    ) -> BoxFuture<'a, Result<Bill, PrepayRefusal>> {
        async move {
            let terms = Terms {
                bid: order.bid,
                stated: order.stated,
                money: self.money(),
                now_secs: self.inner.clock.now_secs(),
            };
            let checked = check::check(&order.bolt11, terms)?;
            let (hash, peer) = (checked.hash.clone(), order.peer.clone());
            let record =
                self.inner.journal.write(move |transaction| book::record(transaction, &hash, &peer)).await;
            record.map_err(|error| PrepayRefusal::Unpayable(error.to_string()))?.allows()?;
            if lightning.is_some() {
                return Ok(Bill { order, checked, way: Way::Lightning });
            }
            let quote = self.cheapest_payment(&order.bolt11, checked.amount).await?;
            let most = quote.amount.saturating_add(quote.fee_reserve);
            if most > order.reserved {
                return Err(PrepayRefusal::Fees { most, reserved: order.reserved });
            }
            Ok(Bill { order, checked, way: Way::Mint(quote) })
        }
        .boxed()
    }

    /// The offer of the mint with most to spend; another mint is asked only if that one refuses.
    async fn cheapest_payment(&self, bolt11: &str, amount: Sats) -> Result<PaymentQuote, PrepayRefusal> {
        let unpayable = |error: WalletError| PrepayRefusal::Unpayable(error.to_string());
        let mut mints = self.balances().await.map_err(unpayable)?;
        mints.sort_by_key(|mint| std::cmp::Reverse(mint.available));
        let mut latest = PrepayRefusal::Unpayable("the wallet has no mint".to_owned());
        for mint in mints {
            if mint.available < amount {
                let (needed, available) = (amount, mint.available);
                latest = unpayable(WalletError::InsufficientFunds { mint: mint.url, needed, available });
                break;
            }
            let most = amount.to_msats().unwrap_or(Msats(u64::MAX));
            match self.payment_quote(&mint.url, bolt11, most).await {
                Ok(quote) => return Ok(quote),
                Err(error) => latest = unpayable(error),
            }
        }
        Err(latest)
    }

    /// Pays a bill, once in this wallet's life. The ledger's mark that the payment may leave comes
    /// before this.
    ///
    /// # Errors
    ///
    /// With `unclear` the sats count as spent until they are looked up; otherwise nothing has moved.
    pub fn pay_bill<'a>(
        &'a self,
        bill: &'a Bill,
        lightning: Option<&'a NwcWallet>,
    ) -> BoxFuture<'a, Result<PaidBill, PrepayFailed>> {
        async move {
            if let Way::Token { mint, .. } = &bill.way {
                return self.pay_by_token(bill, mint).await;
            }
            let not_paid =
                |error: &dyn std::fmt::Display| PrepayFailed { reason: error.to_string(), unclear: false };
            let (row, owner) = (bill.clone(), self.inner.owner.id);
            let _paying = self.pays(&bill.checked.hash);
            let planned =
                self.inner.journal.write(move |transaction| book::plan(transaction, &row, owner)).await;
            if !planned.map_err(|error| not_paid(&error))? {
                return Err(not_paid(&PrepayRefusal::Reused));
            }
            failpoint::hit("prepay.1");
            let outcome = match (&bill.way, lightning) {
                (Way::Mint(quote), _) => match self.pay(quote).await {
                    Ok(paid) => Ok((paid.fee, paid.preimage)),
                    Err(error) => {
                        Err(PrepayFailed { unclear: !error.is_certain(), reason: error.to_string() })
                    }
                },
                (_, Some(lightning)) => {
                    let most = bill.checked.amount.to_msats().unwrap_or(Msats(u64::MAX));
                    match lightning.pay(&bill.order.bolt11, most).await {
                        Ok(paid) => Ok((paid.fees.ceil_to_sats(), Some(paid.preimage))),
                        Err(error) => {
                            let failed =
                                PrepayFailed { unclear: is_unclear(&error), reason: error.to_string() };
                            if let NwcError::NoLookup { .. } = error {
                                // If this cannot be written it is looked up, and found to be unknown.
                                let _ = self.note_unknown(bill.checked.hash.clone()).await;
                            }
                            Err(failed)
                        }
                    }
                }
                (_, None) => Err(not_paid(&"the Lightning wallet is not connected")),
            };
            failpoint::hit("prepay.2");
            let (hash, amount) = (bill.checked.hash.clone(), bill.checked.amount);
            match outcome {
                Ok((fees, preimage)) => {
                    self.note_paid(hash, fees, preimage)
                        .await
                        .map_err(|error| PrepayFailed { reason: error.to_string(), unclear: true })?;
                    Ok(PaidBill { amount, fees, token: None })
                }
                Err(failed) => {
                    if !failed.unclear {
                        // If this cannot be written it is looked up, and found to have failed.
                        let _ = self.note_failed(hash).await;
                    }
                    Err(failed)
                }
            }
        }
        .boxed()
    }

    /// Says what came of the work that was paid for.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn end_prepaid(&self, key: &Key, end: PrepaidEnd) -> Result<(), WalletError> {
        let key = key.clone();
        self.inner.journal.write(move |transaction| book::end(transaction, &key, end)).await
    }

    /// Payments before work, those of one run or all.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn prepaid(&self, run: Option<&str>) -> Result<Vec<Prepaid>, WalletError> {
        let run = run.map(str::to_owned);
        self.inner.journal.write(move |transaction| book::rows(transaction, run.as_deref())).await
    }

    /// What became of the payment for an attempt, if one was planned.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn prepaid_of(&self, key: &Key) -> Result<Option<Prepaid>, WalletError> {
        let run = key.run.to_string();
        let rows = self.inner.journal.write(move |transaction| book::rows(transaction, Some(&run))).await?;
        Ok(rows.into_iter().find(|row| row.key == *key))
    }

    /// Trusts a provider again: what it was paid for and did not send is forgotten. Says how many
    /// payments that were.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn forgive(&self, peer: &str) -> Result<usize, WalletError> {
        let peer = peer.to_owned();
        self.inner.journal.write(move |transaction| book::forgive(transaction, &peer)).await
    }
}

fn is_unclear(error: &NwcError) -> bool {
    matches!(
        error,
        NwcError::Unclear { .. } | NwcError::NoLookup { .. } | NwcError::Silent(_) | NwcError::Unreadable
    )
}

impl Prepaid {
    /// What became of the sats, as the ledger settles them. What is not known waits.
    pub fn outcome(&self) -> SettlementOutcome {
        match self.state {
            PrepaidState::Planned | PrepaidState::Made => SettlementOutcome::Waiting { until: 0 },
            PrepaidState::Paid => SettlementOutcome::Paid { price: self.amount, fees: self.fees },
            // All that was reserved for it stays spent.
            PrepaidState::Unknown => SettlementOutcome::Paid { price: self.amount, fees: self.most_fees },
            PrepaidState::Failed => SettlementOutcome::Void,
            PrepaidState::Kept => SettlementOutcome::Back { fees: self.fees },
        }
    }
}
