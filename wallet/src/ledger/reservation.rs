//! Sats that somebody holds for an attempt.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::Ledger;
use super::actor::Command;
use super::entry::{Key, State, Transition};
use super::error::LedgerError;
use crate::amount::Sats;

/// Which keys are held in this process, and which were dropped since the actor last looked.
///
/// The list of dropped keys is bounded by the number of reservations: each is dropped once.
#[derive(Debug)]
pub(super) struct Holders {
    keys: Mutex<Keys>,
    wake: mpsc::WeakSender<Command>,
}

#[derive(Debug, Default)]
struct Keys {
    held: HashSet<Key>,
    dropped: Vec<Key>,
}

impl Holders {
    pub fn new(wake: mpsc::WeakSender<Command>) -> Self {
        Self { keys: Mutex::default(), wake }
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_held(&self, key: &Key) -> bool {
        self.keys().held.contains(key)
    }

    pub fn take_dropped(&self) -> Vec<Key> {
        std::mem::take(&mut self.keys().dropped)
    }
}

/// The right to decide about one key. Made by the actor, so that a grant whose asker has gone
/// away gives itself back.
#[derive(Debug)]
pub(super) struct Grant {
    pub key: Key,
    pub amount: Sats,
    holders: Arc<Holders>,
    armed: bool,
}

impl Grant {
    pub fn new(key: Key, amount: Sats, holders: &Arc<Holders>) -> Self {
        holders.keys().held.insert(key.clone());
        Self { key, amount, holders: Arc::clone(holders), armed: true }
    }

    /// What becomes of the key is decided elsewhere now.
    pub fn disarm(&mut self) {
        self.armed = false;
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        let mut keys = self.holders.keys();
        keys.held.remove(&self.key);
        if self.armed {
            keys.dropped.push(self.key.clone());
        }
        drop(keys);
        // With a full channel the actor is at work and looks at the list before it rests.
        if self.armed
            && let Some(wake) = self.holders.wake.upgrade()
        {
            let _ = wake.try_send(Command::Wake);
        }
    }
}

/// Sats reserved for one attempt.
///
/// Either [`settle`](Self::settle) or [`release`](Self::release) it. Dropping it enqueues a
/// release, which is not lost while any handle of the ledger or any reservation lives; after
/// [`pay_out`](Self::pay_out) a drop leaves the sats spent until they are reconciled.
#[must_use = "dropping a reservation releases its sats"]
pub struct Reservation {
    // Before `ledger`: the key goes back while the actor still lives.
    grant: Grant,
    ledger: Ledger,
}

impl fmt::Debug for Reservation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Reservation")
            .field("key", &self.grant.key)
            .field("amount", &self.grant.amount)
            .finish_non_exhaustive()
    }
}

impl Reservation {
    pub(super) fn new(grant: Grant, ledger: Ledger) -> Self {
        Self { grant, ledger }
    }

    /// What it is for.
    pub fn key(&self) -> &Key {
        &self.grant.key
    }

    /// How much was reserved.
    pub fn amount(&self) -> Sats {
        self.grant.amount
    }

    /// Marks that the attempt is about to leave the machine. Await it before any network call:
    /// after a crash an attempt with this mark counts as spent until it is reconciled, and one
    /// without it is released.
    ///
    /// # Errors
    ///
    /// Without the mark in the file the attempt must not leave.
    pub async fn publish(&self) -> Result<(), LedgerError> {
        self.ledger.apply(self.grant.key.clone(), Transition::Publish).await
    }

    /// Marks that the sats are about to be locked in escrow. From then on a release or a drop
    /// makes them a pending refund.
    ///
    /// # Errors
    ///
    /// Without the mark in the file nothing must be locked.
    pub async fn lock(&mut self) -> Result<(), LedgerError> {
        self.ledger.apply(self.grant.key.clone(), Transition::Lock).await
    }

    /// Marks that the payment, or the signature that opens the escrow, is about to leave. From
    /// then on the sats count as spent until they are settled or reconciled.
    ///
    /// # Errors
    ///
    /// Without the mark in the file nothing must be paid.
    pub async fn pay_out(&mut self) -> Result<(), LedgerError> {
        self.ledger.apply(self.grant.key.clone(), Transition::PayOut).await
    }

    /// Ends the attempt with what it cost; the rest is available again.
    ///
    /// # Errors
    ///
    /// [`LedgerError::OverReservation`] if it cost more than was reserved: the whole reservation
    /// then counts as spent until it is reconciled. If the file fails, the sats stay reserved and
    /// [`Ledger::attach`] gives the reservation back for another try.
    pub async fn settle(mut self, actual: Sats, fees: Sats) -> Result<(), LedgerError> {
        let reserved = self.amount();
        if actual.checked_add(fees).is_none_or(|cost| cost > reserved) {
            let key = self.key().clone();
            match self.finish(Transition::PayOut).await {
                // An earlier payout has said so before: it counts as spent already.
                Ok(()) | Err(LedgerError::WrongState { state: State::Released, .. }) => {}
                Err(error) => return Err(error),
            }
            return Err(LedgerError::OverReservation { key, actual, fees, reserved });
        }
        self.finish(Transition::Settle { actual, fees }).await
    }

    /// Ends the attempt without payment: the sats are available again, or a pending refund if
    /// they were locked.
    ///
    /// # Errors
    ///
    /// If a payment may have left, or the file fails.
    pub async fn release(mut self) -> Result<(), LedgerError> {
        self.finish(Transition::GiveBack).await
    }

    async fn finish(&mut self, transition: Transition) -> Result<(), LedgerError> {
        let reply = self.ledger.send_apply(self.grant.key.clone(), transition).await?;
        // From here the request is in the channel: it happens even if nobody waits for it, and
        // a release behind it must not overtake it.
        self.grant.disarm();
        self.ledger.receive(reply).await
    }
}
