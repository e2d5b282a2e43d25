//! Pay before the work, for foreign NIP-90 providers that answer `payment-required`. *Unescrowed*: what
//! is paid is gone, whatever comes back.
//!
//! ```text
//!  invoice ──check──► bill ──plan──► planned ──pay──► paid ──┬─ the answer counts ──► earned
//!             │               (durable)  │ │                 ├─ it does not ────────► rejected
//!             ▼                          │ │ refused         ├─ none in time ───────► silent
//!          refused                       │ └───────► failed  └─ not wanted any more ► called off
//!                                        │ crash, no clear answer
//!                                        └── looked up: paid | failed | not known yet
//! ```
//!
//! The intent is durable before the payment, and an invoice is planned once in a wallet's life: its
//! payment hash is the row's key. Who names no invoice may be paid by a token (the `token` module). What
//! nobody answered counts as paid until the mint, or the Lightning
//! wallet, says otherwise; it is never paid again.
//!
//! A provider can run away with one job's price: nothing more is paid before while a payment is
//! unanswered, never again after one that nothing came for, and not while more of its answers were
//! turned down than counted.

mod book;
mod check;
mod token;

#[cfg(test)]
mod tests;

pub use book::{Prepaid, PrepaidEnd, PrepaidState};
pub use check::PrepayRefusal;
pub use token::BearerToken;

use std::collections::{BTreeMap, HashSet};
use std::sync::{MutexGuard, PoisonError};
use std::time::Instant;

use cdk::mint_url::MintUrl;
use check::{Checked, Terms};
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};

use crate::amount::{Msats, Sats};
use crate::cashu::health::Ask;
use crate::cashu::journal::now_ms;
use crate::cashu::lightning::bounded;
use crate::cashu::wallet::parse_mint;
use crate::cashu::{CashuWallet, PaymentQuote, WalletError};
use crate::escrow::Fate;
use crate::failpoint;
use crate::ledger::{Key, owner};
use crate::nwc::{NwcError, NwcWallet};

/// Of a bid, so much is set aside for fees: a fiftieth, and a few sats for small ones.
const FEE_SHARE: u64 = 50;
const LEAST_FEES: u64 = 5;
/// A token that was made by this process and is older will not be given away by it any more.
const SETTLING_MS: i64 = 120_000;

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
    /// What was set aside for the attempt, fees included.
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
                            Err(PrepayFailed { unclear: is_unclear(&error), reason: error.to_string() })
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

    /// Asks what became of payments whose end is not known; they are never made again. Those through a
    /// Lightning wallet are looked up if it is connected. Returns how many are known now.
    ///
    /// # Errors
    ///
    /// If a file fails. Whoever does not answer is asked the next time.
    pub fn look_up_prepaid<'a>(
        &'a self,
        lightning: Option<&'a NwcWallet>,
    ) -> BoxFuture<'a, Result<usize, WalletError>> {
        self.look_up_prepaid_at(lightning, Ask::All).boxed()
    }

    /// As [`Self::look_up_prepaid`], at these mints.
    pub(crate) async fn look_up_prepaid_at(
        &self,
        lightning: Option<&NwcWallet>,
        ask: Ask,
    ) -> Result<usize, WalletError> {
        self.keep_unsent_tokens().await?;
        self.look_up_planned(lightning, ask, None).await
    }

    /// Whoever made these tokens has died before it gave them away, or will find that it may not any more.
    pub(crate) async fn keep_unsent_tokens(&self) -> Result<(), WalletError> {
        let made =
            self.left_open(PrepaidState::Made).await?.into_iter().map(|row| row.hash).collect::<Vec<_>>();
        self.inner.journal.write(move |transaction| book::keep_named(transaction, &made)).await
    }

    /// Payments in a state that nobody sees to any more. That of a living process is nobody else's, however long it
    /// takes: it may have been stopped for a while.
    async fn left_open(&self, state: PrepaidState) -> Result<Vec<Prepaid>, WalletError> {
        let rows = self.inner.journal.write(book::open).await?;
        let before_ms = now_ms().saturating_sub(SETTLING_MS);
        let is_left = |row: &Prepaid, owner: Option<i64>| match owner {
            Some(owner) if owner == self.inner.owner.id => match state {
                PrepaidState::Planned => !self.paying_before().contains(&row.hash),
                _ => row.at_unix_ms <= before_ms,
            },
            Some(owner) => !owner::is_alive(self.inner.journal.path(), owner),
            // Planned by a version that did not say by whom.
            None => row.at_unix_ms <= before_ms,
        };
        let left = rows.into_iter().filter(|(row, owner)| row.state == state && is_left(row, *owner));
        Ok(left.map(|(row, _)| row).collect())
    }

    fn paying_before(&self) -> MutexGuard<'_, HashSet<String>> {
        self.inner.paying_before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A task of this process makes a payment, until this is dropped.
    fn pays(&self, hash: &str) -> Paying {
        self.paying_before().insert(hash.to_owned());
        Paying { wallet: self.clone(), hash: hash.to_owned() }
    }

    pub(crate) async fn look_up_planned(
        &self,
        lightning: Option<&NwcWallet>,
        ask: Ask,
        only: Option<&MintUrl>,
    ) -> Result<usize, WalletError> {
        let planned = self.left_open(PrepaidState::Planned).await?;
        let resting = self.inner.health.resting(ask);
        let mut by_mint: BTreeMap<Option<MintUrl>, Vec<Prepaid>> = BTreeMap::new();
        for row in planned {
            let mint = row.mint.as_ref().and_then(|(mint, _)| parse_mint(mint).ok());
            by_mint.entry(mint).or_default().push(row);
        }
        by_mint.retain(|mint, _| match mint {
            Some(mint) => !resting.contains(mint) && only.is_none_or(|only| only == mint),
            None => only.is_none(),
        });
        let each = by_mint.into_iter().map(|(mint, rows)| self.look_up_rows(mint, rows, lightning));
        let mut known = 0;
        for found in join_all(each).await {
            known += found?;
        }
        Ok(known)
    }

    /// Looks up payments of one mint, or of the Lightning wallet, until it does not answer.
    async fn look_up_rows(
        &self,
        mint: Option<MintUrl>,
        rows: Vec<Prepaid>,
        lightning: Option<&NwcWallet>,
    ) -> Result<usize, WalletError> {
        let began = Instant::now();
        let mut known = 0;
        for row in rows {
            if mint.as_ref().is_some_and(|mint| self.inner.health.missed_since(mint, began)) {
                break;
            }
            let found = match (&row.mint, lightning) {
                (Some((_, operation)), _) if token::is_token(&row.hash) => {
                    self.became_of_token(operation).await
                }
                (Some((mint, quote)), _) => self.became_of_melt(mint, quote, &row).await,
                (None, Some(lightning)) => became_of_payment(lightning, &row).await,
                (None, None) => None,
            };
            match found {
                None => continue,
                // Whoever noted its end meanwhile knows it as well.
                Some(Some((fees, preimage))) => self.note_paid(row.hash, fees, preimage).await?,
                Some(None) => self.note_failed(row.hash).await?,
            }
            known += 1;
        }
        Ok(known)
    }

    /// `None`: not known. `Some(None)`: nothing was paid.
    async fn became_of_melt(
        &self,
        mint: &str,
        quote: &str,
        row: &Prepaid,
    ) -> Option<Option<(Sats, Option<String>)>> {
        let wallet = self.mint(mint).await.ok()?;
        let found = bounded(mint, wallet.check_melt_quote_status(quote)).await.ok()?;
        if found.state == cdk::nuts::MeltQuoteState::Paid {
            // What it cost is in the library's books once it has completed the payment.
            let made = wallet.list_transactions(None).await.ok()?;
            let made = made.into_iter().find(|made| made.quote_id.as_deref() == Some(quote));
            let fees = made.map_or(row.most_fees, |made| Sats(made.fee.to_u64()));
            return Some(Some((fees, found.payment_proof.filter(|proof| !proof.is_empty()))));
        }
        let over =
            matches!(found.state, cdk::nuts::MeltQuoteState::Unpaid | cdk::nuts::MeltQuoteState::Failed);
        // With an operation under way the mint may still be paying.
        (over && found.used_by_operation.is_none()).then_some(None)
    }

    async fn note_paid(&self, hash: String, fees: Sats, preimage: Option<String>) -> Result<(), WalletError> {
        let work = move |transaction: &rusqlite::Transaction<'_>| {
            book::paid(transaction, &hash, fees, preimage.as_deref())
        };
        self.inner.journal.write(work).await
    }

    async fn note_failed(&self, hash: String) -> Result<(), WalletError> {
        self.inner.journal.write(move |transaction| book::failed(transaction, &hash)).await
    }
}

/// A payment that a task of this process is making.
struct Paying {
    wallet: CashuWallet,
    hash: String,
}

impl Drop for Paying {
    fn drop(&mut self) {
        self.wallet.paying_before().remove(&self.hash);
    }
}

async fn became_of_payment(lightning: &NwcWallet, row: &Prepaid) -> Option<Option<(Sats, Option<String>)>> {
    let amount = row.amount.to_msats().unwrap_or(Msats(u64::MAX));
    match lightning.look_up(&row.hash, amount).await {
        Ok(paid) => Some(Some((paid.fees.ceil_to_sats(), Some(paid.preimage)))),
        Err(NwcError::Failed) => Some(None),
        Err(_) => None,
    }
}

fn is_unclear(error: &NwcError) -> bool {
    matches!(error, NwcError::Unclear { .. } | NwcError::Silent(_) | NwcError::Unreadable)
}

impl Prepaid {
    /// What became of the sats, as the ledger settles them. What is not known waits.
    pub fn fate(&self) -> Fate {
        match self.state {
            PrepaidState::Planned | PrepaidState::Made => Fate::Waiting { until: 0 },
            PrepaidState::Paid => Fate::Paid { price: self.amount, fees: self.fees },
            PrepaidState::Failed => Fate::Void,
            PrepaidState::Kept => Fate::Back { fees: self.fees },
        }
    }
}
