//! Pay before the work by a Cashu token, for providers that name no invoice.
//!
//! ```text
//!  demand ──check──► bill ──prepare──► planned ──make──► made ──give──► paid ──► the token leaves with the job
//!             │     (coins reserved)  (durable)  │ │       │
//!             ▼                                  │ │       └── its attempt is over, or crash: kept
//!          refused                               │ │ refused
//!                                                │ └───────► failed, the coins are free again
//!                                                └── crash: failed
//! ```
//!
//! That a token exists is durable before anybody can read it, and that it counts as paid before it leaves this machine:
//! one of a process that died earlier never did. What was made all the same is this wallet's own: it lists the token
//! and can redeem it again, as it can any other until somebody has taken it ([`CashuWallet::tokens_out`]). The run's
//! account is charged for its fees alone.

use std::fmt;

use cdk::Amount;
use cdk::wallet::SendOptions;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::check::{self, Checked};
use super::{Bill, PaidBill, PrepayFailed, PrepayRefusal, Prepayment, Way, book};
use crate::amount::Sats;
use crate::error::WalletError;
use crate::failpoint;
use crate::ledger::Key;
use crate::mint::CashuWallet;
use crate::mint::asking::bounded;

/// Begins the names of payments by token; those of invoices are hashes.
const NAMES: &str = "token:";

/// A token as text: anybody who reads it has the sats.
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken(String);

impl BearerToken {
    /// The text, for the one who is to have it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BearerToken(…)")
    }
}

/// Whether a payment before work goes by token.
pub(super) fn is_token(name: &str) -> bool {
    name.starts_with(NAMES)
}

impl CashuWallet {
    /// Holds what a provider wants for its work, and names no invoice for, against everything that was agreed.
    /// Nothing moves and nothing is written.
    ///
    /// # Errors
    ///
    /// The refusal says what is wrong.
    pub fn token_bill(&self, order: Prepayment) -> BoxFuture<'_, Result<Bill, PrepayRefusal>> {
        async move {
            let unpayable = |error: WalletError| PrepayRefusal::Unpayable(error.to_string());
            let amount = check::check_demand(order.stated, order.bid)?;
            let peer = order.peer.clone();
            let record = self.inner.journal.write(move |transaction| book::record(transaction, "", &peer));
            record.await.map_err(unpayable)?.allows()?;
            let mints = self.balances().await.map_err(unpayable)?;
            let Some(mint) = mints.into_iter().max_by_key(|mint| mint.available) else {
                return Err(PrepayRefusal::Unpayable("the wallet has no mint".to_owned()));
            };
            if mint.available < amount {
                let (needed, available) = (amount, mint.available);
                return Err(unpayable(WalletError::InsufficientFunds { mint: mint.url, needed, available }));
            }
            if amount > order.reserved {
                return Err(PrepayRefusal::Fees { most: amount, reserved: order.reserved });
            }
            let way = Way::Token { mint: mint.url, operation: String::new() };
            Ok(Bill { order, checked: Checked { hash: String::new(), amount }, way })
        }
        .boxed()
    }

    /// Makes the token of a bill, once.
    pub(super) async fn pay_by_token(&self, bill: &Bill, mint: &str) -> Result<PaidBill, PrepayFailed> {
        let not_paid = |error: &dyn fmt::Display| PrepayFailed { reason: error.to_string(), unclear: false };
        let (amount, reserved) = (bill.amount(), bill.order.reserved);
        let wallet = self.mint(mint).await.map_err(|error| not_paid(&error))?;
        if let Err(error) = self.forget_spent(&wallet.mint_url).await {
            tracing::debug!(%error, "nobody says which coins were spent elsewhere");
        }
        self.pass_taken(mint).await;
        let options = SendOptions { include_fee: true, ..SendOptions::default() };
        let prepared = wallet.prepare_send(Amount::from(amount.0), options).await;
        let prepared = prepared.map_err(|error| not_paid(&WalletError::from_mint(mint, &error)))?;
        let fees = Sats(prepared.fee().to_u64());
        let most = amount.saturating_add(fees);
        if most > reserved {
            // Coins that stay reserved are free again at the next start.
            let _ = prepared.cancel().await;
            return Err(not_paid(&PrepayRefusal::Fees { most, reserved }));
        }
        let operation = prepared.operation_id().to_string();
        let hash = format!("{NAMES}{operation}");
        let row = Bill {
            order: bill.order.clone(),
            checked: Checked { hash: hash.clone(), amount },
            way: Way::Token { mint: mint.to_owned(), operation },
        };
        let owner = self.inner.owner.id;
        let _paying = self.pays(&hash);
        let planned = self.inner.journal.write(move |transaction| book::plan(transaction, &row, owner)).await;
        if !matches!(planned, Ok(true)) {
            let _ = prepared.cancel().await;
            let error = planned.err().map(|error| error.to_string());
            return Err(not_paid(&error.unwrap_or_else(|| PrepayRefusal::Reused.to_string())));
        }
        failpoint::hit("prepay.1");
        let made = bounded(mint, prepared.confirm(None)).await;
        failpoint::hit("prepay.2");
        match made {
            Ok(token) => self.hand_out(hash, PaidBill { amount, fees, token: None }, token.to_string()).await,
            Err(error) => {
                let failed = PrepayFailed { unclear: !error.is_certain(), reason: error.to_string() };
                if !failed.unclear {
                    // If this cannot be written it is looked up, and found to have failed.
                    let _ = self.note_failed(hash).await;
                }
                Err(failed)
            }
        }
    }

    /// Lets a token out of here that was made. A process that looked it up in between, as after a long sleep of this machine,
    /// has found that nobody was given it, and counts on that: then it stays.
    pub(super) async fn hand_out(
        &self,
        hash: String,
        paid: PaidBill,
        token: String,
    ) -> Result<PaidBill, PrepayFailed> {
        let fees = paid.fees;
        let noted = self.inner.journal.write(move |transaction| book::made(transaction, &hash, fees)).await;
        failpoint::hit("prepay.3");
        match noted {
            Ok(true) => Ok(PaidBill { token: Some(BearerToken(token)), ..paid }),
            Ok(false) => Err(PrepayFailed {
                reason: "its token was made too late and was not sent; to redeem it: frlm wallet tokens \
                     --take-back"
                    .to_owned(),
                unclear: false,
            }),
            Err(error) => Err(PrepayFailed { reason: error.to_string(), unclear: true }),
        }
    }

    /// Whether the provider of an attempt may be given the token that was made for it: it counts as paid from here on.
    /// One that was kept meanwhile stays here.
    ///
    /// # Errors
    ///
    /// If the file fails: then it must not be given away either.
    pub async fn give_prepaid(&self, key: &Key) -> Result<bool, WalletError> {
        let key = key.clone();
        self.inner.journal.write(move |transaction| book::give(transaction, &key)).await
    }

    /// Notes that nobody is given the token that was made for an attempt.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn keep_prepaid(&self, key: &Key) -> Result<(), WalletError> {
        let key = key.clone();
        self.inner.journal.write(move |transaction| book::keep(transaction, &key)).await
    }
}
