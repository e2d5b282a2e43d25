//! Whether an invoice may be paid at all: a pure function of the invoice, what was agreed, and the time.

use std::str::FromStr as _;
use std::time::Duration;

use cdk::Bolt11Invoice;
use cdk::lightning_invoice::Currency;

use crate::amount::{Msats, Sats};
use crate::mint::Money;

/// An invoice that ends sooner than this might end while it is being paid.
const LEAST_SECS_LEFT: u64 = 10;

/// What an invoice is held against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// The most that was offered for the job.
    pub bid: Sats,
    /// What the provider said beside the invoice, if it did.
    pub stated: Option<Msats>,
    /// Real sats go to real invoices only.
    pub money: Money,
    /// Seconds since 1970.
    pub now_secs: u64,
}

/// An invoice that may be paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checked {
    /// Its payment hash, as hex: no two invoices that may be paid share one.
    pub hash: String,
    /// What it asks for, in whole sats.
    pub amount: Sats,
}

/// Why a provider is not paid before it works. Nothing has moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepayRefusal {
    /// Not an invoice, or one whose signature does not fit.
    #[error("the invoice cannot be read ({0})")]
    Unreadable(String),
    /// For another kind of coins.
    #[error("the invoice is not for Bitcoin's main network")]
    Network,
    /// The payer chooses the amount.
    #[error("the invoice names no amount")]
    NoAmount,
    /// It wants pay, and neither an invoice nor an amount is there.
    #[error("it wants to be paid before it works and names neither an invoice nor an amount")]
    NoPrice,
    /// It asks for more than was offered.
    #[error("it asks for {asks}; the bid was {bid}")]
    AboveBid {
        /// The invoice's amount.
        asks: Msats,
        /// The most that was offered.
        bid: Sats,
    },
    /// The provider's words and its invoice differ.
    #[error("the provider asks for {stated} and its invoice for {asks}")]
    OtherAmount {
        /// In the provider's words.
        stated: Msats,
        /// In its invoice.
        asks: Msats,
    },
    /// Over, or nearly.
    #[error("the invoice has expired, or does within {LEAST_SECS_LEFT} s")]
    Expired,
    /// An invoice is paid once.
    #[error("the invoice was used before")]
    Reused,
    /// One payment at a time: what a provider can run away with is one job's price.
    #[error("an earlier payment to this provider is still unanswered (frlm wallet prepaid)")]
    Unanswered,
    /// It took money and gave nothing, or mostly nothing of use.
    #[error(
        "this provider was paid before and {}; it is not paid before its work again (frlm wallet prepaid)",
        if *.silent > 0 { "sent nothing" } else { "its answers mostly did not count" }
    )]
    Distrusted {
        /// Payments that nothing came for.
        silent: u32,
        /// Answers that did not count.
        rejected: u32,
    },
    /// More in fees than was reserved.
    #[error("paying it may cost {most}; {reserved} were reserved for it")]
    Fees {
        /// Amount and fees.
        most: Sats,
        /// The reservation.
        reserved: Sats,
    },
    /// No wallet or mint can pay it now.
    #[error("it cannot be paid: {0}")]
    Unpayable(String),
}

/// What a provider that names no invoice gets, in whole sats.
pub(super) fn check_demand(stated: Option<Msats>, bid: Sats) -> Result<Sats, PrepayRefusal> {
    let asks = stated.filter(|asks| *asks > Msats::ZERO).ok_or(PrepayRefusal::NoPrice)?;
    let amount = asks.ceil_to_sats();
    if amount > bid { Err(PrepayRefusal::AboveBid { asks, bid }) } else { Ok(amount) }
}

/// Checks an invoice. Its signature is checked with reading it: the key that it recovers is the
/// receiver's (BOLT 11).
pub(super) fn check(bolt11: &str, terms: Terms) -> Result<Checked, PrepayRefusal> {
    let invoice = Bolt11Invoice::from_str(bolt11.trim())
        .map_err(|error| PrepayRefusal::Unreadable(error.to_string()))?;
    if terms.money == Money::Real && invoice.currency() != Currency::Bitcoin {
        return Err(PrepayRefusal::Network);
    }
    let asks = invoice.amount_milli_satoshis().map(Msats).ok_or(PrepayRefusal::NoAmount)?;
    if asks.ceil_to_sats() > terms.bid {
        return Err(PrepayRefusal::AboveBid { asks, bid: terms.bid });
    }
    if let Some(stated) = terms.stated.filter(|stated| *stated != asks) {
        return Err(PrepayRefusal::OtherAmount { stated, asks });
    }
    if invoice.would_expire(Duration::from_secs(terms.now_secs.saturating_add(LEAST_SECS_LEFT))) {
        return Err(PrepayRefusal::Expired);
    }
    Ok(Checked { hash: invoice.payment_hash().to_string(), amount: asks.ceil_to_sats() })
}
