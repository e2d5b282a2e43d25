//! Opening a wallet whose exchanges are for escrow.

use std::collections::HashSet;
use std::path::Path;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use rusqlite::Transaction;

use super::{book, locking, payer, provider, refund};
use crate::cashu::swap::{Done, Kind, Planned, Purpose};
use crate::cashu::{CashuWallet, Money, Recovery, WalletError};
use crate::clock::Clock;
use crate::seed::Seed;

impl CashuWallet {
    /// Opens the wallet in a folder, or makes a new one. If no other process uses it, everything
    /// that was under way when an earlier process died is looked at first.
    ///
    /// # Errors
    ///
    /// If a file cannot be used. A mint that does not answer is no error: it is named in the
    /// [`Recovery`].
    pub fn open(
        folder: &Path,
        seed: Seed,
        money: Money,
    ) -> BoxFuture<'_, Result<(Self, Recovery), WalletError>> {
        Self::open_with(folder, seed, money, Clock::system())
    }

    /// As [`CashuWallet::open`], with a clock that decides what is due.
    ///
    /// # Errors
    ///
    /// As [`CashuWallet::open`].
    pub fn open_with(
        folder: &Path,
        seed: Seed,
        money: Money,
        clock: Clock,
    ) -> BoxFuture<'_, Result<(Self, Recovery), WalletError>> {
        Self::open_for(folder, seed, money, clock, &Escrow)
    }
}

/// What becomes of locks and claims when an exchange ends.
struct Escrow;

impl Purpose for Escrow {
    fn done<'a>(
        &'a self,
        wallet: &'a CashuWallet,
        planned: &'a Planned,
        done: &'a Done,
    ) -> BoxFuture<'a, Result<(), WalletError>> {
        async move {
            match planned.plan.kind {
                Kind::Lock => locking::finish_lock(wallet, planned, done).await,
                Kind::Redeem => provider::finish_redeem(wallet, planned, done).await,
                Kind::Reclaim => payer::finish_reclaim(wallet, planned, done).await,
            }
        }
        .boxed()
    }

    fn undone(
        &self,
        transaction: &Transaction<'_>,
        kind: Kind,
        subjects: &[String],
    ) -> Result<(), rusqlite::Error> {
        book::undone(transaction, kind, subjects)
    }

    fn lost(
        &self,
        transaction: &Transaction<'_>,
        kind: Kind,
        subjects: &[String],
        spent: &HashSet<String>,
    ) -> Result<(), rusqlite::Error> {
        book::lost(transaction, kind, subjects, spent)
    }

    fn recover<'a>(
        &'a self,
        wallet: &'a CashuWallet,
        recovery: &'a mut Recovery,
    ) -> BoxFuture<'a, Result<(), WalletError>> {
        refund::refund_expired(wallet, recovery).boxed()
    }
}
