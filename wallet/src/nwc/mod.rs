//! A Lightning wallet somewhere else, over Nostr Wallet Connect (NIP-47): it funds a mint or takes sats
//! from one. What it pays is *not in escrow*.
//!
//! ```text
//!  pay ──► pay_invoice ──answer──────────────────────────────► paid | refused
//!             │ no answer, or one that proves nothing
//!             ▼
//!          lookup_invoice ──► settled: paid ── failed: not paid ── no such method: never known ── else: unclear
//! ```
//!
//! NIP-47 has no idempotency, so that a payment is never asked for twice: what got no answer is looked
//! up by its payment hash. An answer proves a payment only with the preimage of the invoice's hash.

mod address;
mod transfer;
mod wire;

#[cfg(test)]
mod tests;

use std::str::FromStr as _;
use std::time::Duration;

use cdk::Bolt11Invoice;
use frlm_relay::{ConnectOptions, Connection, Incoming, Publisher, RelayMessage};
use nostr::{Filter, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

pub use address::{NwcAddress, NwcAddressError};
pub use transfer::{TransferError, fund, quote_withdrawal};
use wire::{BalanceAnswer, Cipher, InvoiceAnswer, PayAnswer};

use crate::amount::Msats;
use crate::cashu::check_invoice;
use crate::error::WalletError;

/// How long a wallet may take to answer; Lightning payments are slow at times.
pub const TIMEOUT: Duration = Duration::from_mins(1);

/// The code of a wallet that does not know us (any more).
const UNAUTHORIZED: [&str; 2] = ["UNAUTHORIZED", "RESTRICTED"];
/// What a wallet answers before it has tried to pay. Every other error may come after it has.
const NOTHING_WAS_TRIED: [&str; 4] =
    ["INSUFFICIENT_BALANCE", "QUOTA_EXCEEDED", "RATE_LIMITED", NOT_IMPLEMENTED];
/// The code of a wallet that has no such method.
const NOT_IMPLEMENTED: &str = "NOT_IMPLEMENTED";
const INFO_SUBSCRIPTION: &str = "nwc-info";
const ANSWER_SUBSCRIPTION: &str = "nwc-answers";

/// Why a wallet did not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NwcError {
    /// No relay of the connection can be reached.
    #[error("the wallet's relays cannot be reached: {0}")]
    Unreachable(String),
    /// The wallet did not describe itself, or did not answer.
    #[error("the wallet did not answer within {} s; is it online?", .0.as_secs())]
    Silent(Duration),
    /// The connection was revoked, or never allowed this.
    #[error("the wallet does not allow this connection to do that ({0}); connect it again in your wallet")]
    Revoked(String),
    /// The wallet said no.
    #[error("the wallet refused ({code}): {message}")]
    Refused {
        /// NIP-47's code.
        code: String,
        /// In the wallet's words.
        message: String,
    },
    /// Nobody knows whether the payment went through.
    #[error(
        "it is not known yet whether {payment_hash} was paid; look at your wallet before you pay it again"
    )]
    Unclear {
        /// What to look for.
        payment_hash: String,
    },
    /// The wallet cannot look a payment up, so that nobody will ever know.
    #[error(
        "your wallet cannot say whether {payment_hash} was paid; it counts as spent: look for it in your wallet before you \
         pay it again"
    )]
    NoLookup {
        /// What to look for.
        payment_hash: String,
    },
    /// The wallet looked it up: it failed.
    #[error("the payment failed; nothing has moved")]
    Failed,
    /// Not to be paid at all.
    #[error(transparent)]
    Invoice(WalletError),
    /// The answer is no proper one.
    #[error("the wallet's answer makes no sense")]
    Unreadable,
}

/// A payment that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NwcPaid {
    /// Without fees.
    pub amount: Msats,
    /// As the wallet says.
    pub fees: Msats,
    /// The proof of payment: hex, its hash is the invoice's.
    pub preimage: String,
}

/// A connection to a wallet. Requests wait for each other.
#[derive(Debug)]
pub struct NwcWallet {
    address: NwcAddress,
    cipher: Cipher,
    timeout: Duration,
    publisher: Publisher,
    incoming: Mutex<Incoming>,
}

impl NwcWallet {
    /// Connects, and learns how the wallet wants to be spoken to.
    ///
    /// # Errors
    ///
    /// [`NwcError::Unreachable`], [`NwcError::Silent`].
    pub async fn connect(address: NwcAddress, timeout: Duration) -> Result<Self, NwcError> {
        let (publisher, mut incoming) = Connection::connect(&address.relays, ConnectOptions::default())
            .await
            .map_err(|error| NwcError::Unreachable(error.to_string()))?;
        let until = Instant::now() + timeout;
        let info = Filter::new().kind(wire::INFO).author(address.wallet);
        publisher.subscribe(INFO_SUBSCRIPTION, vec![info]).await;
        let cipher = timeout_at(until, async {
            while let Some(message) = incoming.recv().await {
                if let RelayMessage::Event(event) = message
                    && event.kind == wire::INFO
                    && event.pubkey == address.wallet
                {
                    return Some(Cipher::offered_by(&event));
                }
            }
            None
        });
        let cipher = cipher.await.ok().flatten().ok_or(NwcError::Silent(timeout))?;
        let answers = Filter::new().kind(wire::RESPONSE).author(address.wallet).pubkey(address.client());
        publisher.subscribe(ANSWER_SUBSCRIPTION, vec![answers.since(Timestamp::now())]).await;
        Ok(Self { address, cipher, timeout, publisher, incoming: Mutex::new(incoming) })
    }

    /// What the wallet lets this connection spend.
    ///
    /// # Errors
    ///
    /// If the wallet refuses or does not answer.
    pub async fn balance(&self) -> Result<Msats, NwcError> {
        let answer: BalanceAnswer = self.ask("get_balance", &json!({})).await?;
        Ok(Msats(answer.balance))
    }

    /// An invoice that the wallet is paid by.
    ///
    /// # Errors
    ///
    /// As [`NwcWallet::balance`]; [`NwcError::Invoice`] if it is over another amount.
    pub async fn make_invoice(&self, amount: Msats, description: &str) -> Result<String, NwcError> {
        let params = json!({ "amount": amount.0, "description": description });
        let answer: InvoiceAnswer = self.ask("make_invoice", &params).await?;
        let invoice = answer.invoice.ok_or(NwcError::Unreadable)?;
        let asked = check_invoice(&invoice, amount).map_err(NwcError::Invoice)?;
        if asked == amount { Ok(invoice) } else { Err(NwcError::Unreadable) }
    }

    /// Pays an invoice over at most `most`, once. Unescrowed: what is paid is gone.
    ///
    /// # Errors
    ///
    /// [`NwcError::Unclear`] if nobody knows; after every other error nothing has moved. An error of the wallet proves that
    /// only where it says that it did not try; after others the payment is looked up.
    pub async fn pay(&self, bolt11: &str, most: Msats) -> Result<NwcPaid, NwcError> {
        let amount = check_invoice(bolt11, most).map_err(NwcError::Invoice)?;
        let invoice = Bolt11Invoice::from_str(bolt11.trim())
            .map_err(|error| NwcError::Invoice(WalletError::BadInvoice(error.to_string())))?;
        let payment_hash = invoice.payment_hash().to_string();
        let asked = self.ask::<PayAnswer>("pay_invoice", &json!({ "invoice": bolt11.trim() })).await;
        match asked {
            Ok(answer) if proves(&answer.preimage, &payment_hash) => {
                Ok(NwcPaid { amount, fees: Msats(answer.fees_paid.unwrap_or(0)), preimage: answer.preimage })
            }
            Err(error @ NwcError::Revoked(_)) => Err(error),
            Err(NwcError::Refused { code, message }) if NOTHING_WAS_TRIED.contains(&code.as_str()) => {
                Err(NwcError::Refused { code, message })
            }
            Ok(_) | Err(_) => self.look_up(&payment_hash, amount).await,
        }
    }

    /// What became of a payment by its hash.
    ///
    /// # Errors
    ///
    /// [`NwcError::Failed`] if it failed; [`NwcError::Unclear`] if the wallet does not say; [`NwcError::NoLookup`] if it
    /// never will.
    pub async fn look_up(&self, payment_hash: &str, amount: Msats) -> Result<NwcPaid, NwcError> {
        let unclear = || NwcError::Unclear { payment_hash: payment_hash.to_owned() };
        let params = json!({ "payment_hash": payment_hash });
        // It may not have got the request yet, or have forgotten it: a refusal proves nothing here.
        let found = match self.ask::<InvoiceAnswer>("lookup_invoice", &params).await {
            Ok(found) => found,
            Err(NwcError::Refused { code, .. }) if code == NOT_IMPLEMENTED => {
                return Err(NwcError::NoLookup { payment_hash: payment_hash.to_owned() });
            }
            Err(_) => return Err(unclear()),
        };
        if found.payment_hash.as_deref().is_some_and(|hash| hash != payment_hash) {
            return Err(unclear());
        }
        match (&found.preimage, found.state.as_deref()) {
            (Some(preimage), _) if proves(preimage, payment_hash) => {
                Ok(NwcPaid { amount, fees: found.fees(), preimage: preimage.clone() })
            }
            (_, Some("failed")) if found.settled_at.is_none() => Err(NwcError::Failed),
            _ => Err(unclear()),
        }
    }

    async fn ask<T: DeserializeOwned>(&self, method: &str, params: &Value) -> Result<T, NwcError> {
        let mut incoming = self.incoming.lock().await;
        let until = Instant::now() + self.timeout;
        let expires_at = Timestamp::now() + self.timeout;
        let asked = wire::request(&self.address, self.cipher, method, params, expires_at)?;
        self.publisher.publish(&asked).await.map_err(|error| NwcError::Unreachable(error.to_string()))?;
        let answer = timeout_at(until, async {
            while let Some(message) = incoming.recv().await {
                let RelayMessage::Event(event) = message else { continue };
                if event.kind == wire::RESPONSE && event.tags.event_ids().any(|id| *id == asked.id) {
                    return Some(wire::response(&self.address, self.cipher, &asked, method, &event));
                }
            }
            None
        });
        let answer = answer.await.ok().flatten().ok_or(NwcError::Silent(self.timeout))?;
        answer.map_err(|error| match error {
            NwcError::Refused { code, .. } if UNAUTHORIZED.contains(&code.as_str()) => {
                NwcError::Revoked(code)
            }
            other => other,
        })
    }

    /// Closes the connection.
    pub async fn shutdown(&self) {
        self.publisher.shutdown().await;
    }
}

/// Whether a preimage is the proof that an invoice with this hash was paid.
fn proves(preimage: &str, payment_hash: &str) -> bool {
    hex::decode(preimage).is_ok_and(|preimage| hex::encode(Sha256::digest(preimage)) == payment_hash)
}
