//! What a run needs of a payment rail. `frlm_client::payment` has the adapter to Cashu escrow, and pays what
//! earlier processes owed.
//!
//! The ledger stays the only budget authority: a rail is asked to move sats after the transition
//! that allows it is durable, and what it says afterwards is what the ledger settles.

use async_trait::async_trait;
use frlm_wallet::prepay::{Bill, PaidBill, PrepaidEnd, PrepayFailed, Prepayment};
use frlm_wallet::{Key, Sats};

use crate::swarm::{EscrowOffer, ProviderId};

/// How a provider can be paid, and what that can cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// The mint that both trust.
    pub mint: String,
    /// The price with the most that the mint can take.
    pub total: Sats,
}

/// Sats that are to be locked for an attempt.
#[derive(Debug, Clone)]
pub struct Payment {
    /// Which attempt.
    pub key: Key,
    /// For whom.
    pub provider: ProviderId,
    /// How it wants to be paid.
    pub offer: EscrowOffer,
    /// Where the sats are.
    pub mint: String,
    /// What the provider is to get.
    pub price: Sats,
    /// What was reserved for it, fees included, which locking it must not exceed; `None`: it is owed already.
    pub most: Option<Sats>,
    /// Seconds since 1970 after which the sats are refunded.
    pub locktime: u64,
}

/// Sats that are locked.
#[derive(Debug, Clone)]
pub struct Secured {
    /// Which attempt.
    pub key: Key,
    /// For the provider.
    pub payload: String,
    /// What the mint takes on top of the price if the lock is released.
    pub fees: Sats,
}

/// Pay that is owed for work that counts, with what it takes to tell its provider later.
#[derive(Debug, Clone)]
pub struct Unpaid {
    /// What is to be locked; when it is, says its locktime.
    pub order: Payment,
    /// The job's event id.
    pub job: String,
    /// Relays that the provider listens on.
    pub relays: Vec<String>,
}

/// Why sats could not be locked.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub struct LockFailed {
    /// In words.
    pub reason: String,
    /// Whether the sats may have moved all the same.
    pub unclear: bool,
}

/// A way to pay for work that verifies.
#[async_trait]
pub trait PaymentRail: Send + Sync + std::fmt::Debug {
    /// Whether its sats are worth nothing, so that no limit counts them.
    fn is_play(&self) -> bool {
        false
    }

    /// What paying a price can cost at most; in words, why this provider cannot be paid.
    async fn cost(&self, offer: &EscrowOffer, price: Sats) -> Result<Cost, String>;

    /// Locks sats at one mint for several attempts: all or none.
    async fn lock(&self, mint: &str, orders: Vec<Payment>) -> Result<Vec<Secured>, LockFailed>;

    /// Signs attempts over to their providers. Those that are missing in the answer are not.
    async fn release(&self, keys: Vec<Key>) -> Result<Vec<(Key, String)>, String>;

    /// Writes down what is owed, durably, before anybody counts the work.
    async fn record_debts(&self, _debts: Vec<Unpaid>) -> Result<(), String> {
        Err("nothing can be owed without a wallet".to_owned())
    }

    /// The ledger has counted these as spent; of debts, a relay has the word that pays them.
    async fn settled(&self, keys: Vec<Key>) -> Result<(), String>;

    /// Holds the invoice of a provider that wants its pay before it works, or what it wants without one, against what
    /// was agreed; in words, why it is not paid. Nothing moves.
    async fn bill(&self, _order: Prepayment) -> Result<Bill, String> {
        Err("without a wallet nothing is paid before the work".to_owned())
    }

    /// Pays a bill, unescrowed, once.
    async fn pay_bill(&self, _bill: &Bill) -> Result<PaidBill, PrepayFailed> {
        Err(PrepayFailed { reason: "there is no wallet".to_owned(), unclear: false })
    }

    /// Whether a provider may be given the token that was made for its attempt: it counts as paid from here on.
    async fn give_prepaid(&self, _key: &Key) -> Result<bool, String> {
        Err("there is no wallet".to_owned())
    }

    /// Nobody is given the token that was made for an attempt.
    async fn keep_prepaid(&self, _key: &Key) -> Result<(), String> {
        Ok(())
    }

    /// What came of work that was paid before.
    async fn end_prepaid(&self, _key: &Key, _end: PrepaidEnd) -> Result<(), String> {
        Ok(())
    }

    /// Takes back what providers returned; what each cost in fees.
    async fn reclaim(&self, payloads: Vec<String>) -> Result<Vec<(Key, Sats)>, String>;
}
