//! Sats in and out over Lightning: mint and melt quotes.
//!
//! The library keeps its own write-ahead records (sagas) for both, which recovery completes or
//! undoes. Failpoints stand between our steps, and in the middle of the library's, where the mint has answered and
//! nothing is written yet (`doubt`), so that tests can kill the process at each.

use std::collections::HashMap;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use cdk::amount::SplitTarget;
use cdk::nuts::nut00::KnownMethod;
use cdk::nuts::{MeltQuoteState, MintQuoteState, PaymentMethod};
use cdk::wallet::Wallet;
use cdk::{Amount, Bolt11Invoice};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::amount::{Msats, Sats};
use crate::error::WalletError;
use crate::failpoint;
use crate::mint::asking::bounded;
use crate::mint::{CashuWallet, Recovery};

/// Between looks at an invoice that is not paid yet.
const POLL: Duration = Duration::from_millis(500);

/// An invoice that brings sats to a mint once somebody pays it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invoice {
    /// The mint.
    pub mint: String,
    /// The mint's name for it.
    pub quote: String,
    /// What to pay: bolt11.
    pub bolt11: String,
    /// How much arrives.
    pub amount: Sats,
    /// Seconds since 1970 after which it is void; 0 if the mint names no end.
    pub expires_at: u64,
}

/// What paying an invoice would cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentQuote {
    /// The mint that would pay.
    pub mint: String,
    /// The mint's name for it.
    pub quote: String,
    /// What the receiver gets.
    pub amount: Sats,
    /// The most that Lightning may cost on top; what is not used is refunded.
    pub fee_reserve: Sats,
}

/// An invoice that was paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paid {
    /// What the receiver got.
    pub amount: Sats,
    /// What it cost on top.
    pub fee: Sats,
    /// The proof of payment, where the mint gives one.
    pub preimage: Option<String>,
}

impl CashuWallet {
    /// Asks a mint for an invoice.
    ///
    /// # Errors
    ///
    /// [`WalletError::OverLimit`], or what the mint says.
    pub fn invoice<'a>(&'a self, mint: &'a str, amount: Sats) -> BoxFuture<'a, Result<Invoice, WalletError>> {
        async move {
            self.check_limit(mint, amount).await?;
            let wallet = self.mint(mint).await?;
            let method = PaymentMethod::Known(KnownMethod::Bolt11);
            let quote =
                bounded(mint, wallet.mint_quote(method, Some(Amount::from(amount.0)), None, None)).await?;
            let asked = Bolt11Invoice::from_str(&quote.request)
                .map_err(|error| lying(mint, format!("its invoice cannot be read: {error}")))?;
            if asked.amount_milli_satoshis() != amount.to_msats().map(|msats| msats.0) {
                return Err(lying(
                    mint,
                    format!("asked for an invoice over {amount}, it wrote one over another amount"),
                ));
            }
            failpoint::hit("mint.1");
            Ok(Invoice {
                mint: mint.to_owned(),
                quote: quote.id,
                bolt11: quote.request,
                amount,
                expires_at: quote.expiry,
            })
        }
        .boxed()
    }

    /// Waits until an invoice is paid and takes the sats.
    ///
    /// # Errors
    ///
    /// [`WalletError::NotPaid`] after `timeout`; the invoice stays known, and a payment that
    /// comes later is found the next time the wallet is opened.
    pub fn receive_invoice<'a>(
        &'a self,
        invoice: &'a Invoice,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<Sats, WalletError>> {
        async move {
            let wallet = self.mint(&invoice.mint).await?;
            let until = Instant::now() + timeout;
            let amount = loop {
                let quote = bounded(&invoice.mint, wallet.check_mint_quote_status(&invoice.quote)).await?;
                match quote.state {
                    MintQuoteState::Paid => break quote.amount,
                    MintQuoteState::Issued => return Ok(Sats(quote.amount_issued.to_u64())),
                    MintQuoteState::Unpaid if Instant::now() + POLL > until => {
                        return Err(WalletError::NotPaid);
                    }
                    MintQuoteState::Unpaid => tokio::time::sleep(POLL).await,
                }
            };
            failpoint::hit("mint.2");
            self.pass_taken(&invoice.mint).await;
            let mint = |target| bounded(&invoice.mint, wallet.mint(&invoice.quote, target, None));
            let proofs = match (mint(SplitTarget::default()).await, amount) {
                // By itself it makes several proofs of each size, for change to be at hand.
                (Err(WalletError::TooLarge { .. }), Some(amount)) => {
                    mint(fewest_proofs(amount.to_u64())).await?
                }
                (minted, _) => minted?,
            };
            failpoint::hit("mint.4");
            Ok(proofs.iter().map(|proof| Sats(proof.amount.to_u64())).sum())
        }
        .boxed()
    }

    /// Asks what paying an invoice would cost. Nothing moves.
    ///
    /// # Errors
    ///
    /// [`WalletError::BadInvoice`] if it is expired, names no amount or asks for more than `most`.
    pub fn payment_quote<'a>(
        &'a self,
        mint: &'a str,
        bolt11: &'a str,
        most: Msats,
    ) -> BoxFuture<'a, Result<PaymentQuote, WalletError>> {
        async move {
            let invoice = check_invoice(bolt11, most)?;
            let wallet = self.mint(mint).await?;
            let method = PaymentMethod::Known(KnownMethod::Bolt11);
            let quote = bounded(mint, wallet.melt_quote(method, bolt11.trim(), None, None)).await?;
            let amount = Sats(quote.amount.to_u64());
            if amount != invoice.ceil_to_sats() {
                return Err(lying(mint, format!("it wants {amount} for an invoice over {invoice}")));
            }
            failpoint::hit("melt.1");
            Ok(PaymentQuote {
                mint: mint.to_owned(),
                quote: quote.id,
                amount,
                fee_reserve: Sats(quote.fee_reserve.to_u64()),
            })
        }
        .boxed()
    }

    /// Pays an invoice that was quoted.
    ///
    /// # Errors
    ///
    /// [`WalletError::InsufficientFunds`] if the mint does not hold amount and fee reserve;
    /// [`WalletError::Unclear`] if the payment may still go through: it is looked up by the next
    /// opening, never sent again. [`WalletError::Refused`] if the mint has said of quote and inputs, for
    /// seconds and without a contradiction, that nothing was paid: the inputs are free again.
    pub fn pay<'a>(&'a self, quote: &'a PaymentQuote) -> BoxFuture<'a, Result<Paid, WalletError>> {
        async move {
            let wallet = self.mint(&quote.mint).await?;
            self.catch_up(&quote.mint).await?;
            let needed = quote.amount.saturating_add(quote.fee_reserve);
            let available = Sats(bounded(&quote.mint, wallet.total_balance()).await?.to_u64());
            if available < needed {
                return Err(WalletError::InsufficientFunds { mint: quote.mint.clone(), needed, available });
            }
            // What is left of the reserve is returned as change, which is signed like any other coin.
            self.pass_taken(&quote.mint).await;
            let prepared = bounded(&quote.mint, wallet.prepare_melt(&quote.quote, HashMap::new())).await?;
            failpoint::hit("melt.2");
            let melted = match bounded(&quote.mint, prepared.confirm()).await {
                Ok(melted) => melted,
                // Whatever the library makes of the mint's words: while it holds the inputs, nobody knows.
                Err(error) if error.is_certain() && self.is_under_way(&quote.quote).await? => {
                    return Err(WalletError::Unclear { mint: quote.mint.clone(), reason: error.to_string() });
                }
                Err(error) => return Err(error),
            };
            failpoint::hit("melt.4");
            Ok(Paid {
                amount: Sats(melted.amount().to_u64()),
                fee: Sats(melted.fee_paid().to_u64()),
                preimage: melted.payment_proof().filter(|proof| !proof.is_empty()).map(str::to_owned),
            })
        }
        .boxed()
    }

    /// Whether the library still holds inputs for a payment.
    async fn is_under_way(&self, quote: &str) -> Result<bool, WalletError> {
        let quote = self.inner.store.get_melt_quote(quote).await.map_err(WalletError::internal)?;
        Ok(quote.is_some_and(|quote| quote.used_by_operation.is_some()))
    }

    /// Takes the sats of invoices that were paid while nobody waited, and asks about payments
    /// whose end is not known.
    pub(crate) async fn recover_invoices(&self, mint: &str, wallet: &Arc<Wallet>, recovery: &mut Recovery) {
        match bounded(mint, wallet.mint_unissued_quotes()).await {
            Ok(minted) => recovery.minted = recovery.minted.saturating_add(Sats(minted.to_u64())),
            Err(error) => recovery.waiting.push(error.to_string()),
        }
        match bounded(mint, wallet.finalize_pending_melts()).await {
            Ok(melted) => {
                let paid = melted.iter().filter(|melt| melt.state() == MeltQuoteState::Paid).count();
                recovery.completed += paid;
                recovery.undone += melted.len() - paid;
            }
            Err(error) => recovery.waiting.push(error.to_string()),
        }
    }
}

/// What an invoice asks for, if it may be paid at all.
///
/// # Errors
///
/// [`WalletError::BadInvoice`] if it cannot be read, is over, names no amount, or asks for more
/// than `most`.
pub fn check_invoice(bolt11: &str, most: Msats) -> Result<Msats, WalletError> {
    let invoice =
        Bolt11Invoice::from_str(bolt11.trim()).map_err(|error| WalletError::BadInvoice(error.to_string()))?;
    let Some(amount) = invoice.amount_milli_satoshis().map(Msats) else {
        return Err(WalletError::BadInvoice("it names no amount".to_owned()));
    };
    if amount > most {
        return Err(WalletError::BadInvoice(format!("it asks for {amount}, at most {most} were agreed")));
    }
    if invoice.is_expired() {
        return Err(WalletError::BadInvoice("it has expired; ask for a new one".to_owned()));
    }
    Ok(amount)
}

/// As few proofs as there are: each size once.
fn fewest_proofs(amount: u64) -> SplitTarget {
    let sizes = (0..u64::BITS).map(|bit| amount & (1 << bit)).filter(|size| *size > 0);
    SplitTarget::Values(sizes.map(Amount::from).collect())
}

fn lying(mint: &str, what: String) -> WalletError {
    WalletError::Lying { mint: mint.to_owned(), what }
}
