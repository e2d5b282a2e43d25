//! Opening a wallet whose exchanges are for escrow.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use cdk::mint_url::MintUrl;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use rusqlite::Transaction;

use super::{book, locking, payer, redeeming, refund};
use crate::cashu::health::Ask;
use crate::cashu::swap::{Done, Kind, Planned, Purpose};
use crate::cashu::{CashuWallet, Money, Recovery, WalletError};
use crate::clock::Clock;
use crate::seed::Seed;

impl CashuWallet {
    /// Opens the wallet in a folder, or makes a new one. If no other process uses it, everything
    /// that was under way when an earlier process died is looked at first, at all mints at once. One
    /// that does not answer is waited for a moment, and not at all while it rests after that.
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
        Self::open_asking(folder, seed, money, clock, Ask::Passing)
    }

    /// As [`CashuWallet::open`], for somebody who wants to know what became of everything: mints that rest after a silence
    /// are asked, too, and all are waited for.
    ///
    /// # Errors
    ///
    /// As [`CashuWallet::open`].
    pub fn open_patiently(
        folder: &Path,
        seed: Seed,
        money: Money,
    ) -> BoxFuture<'_, Result<(Self, Recovery), WalletError>> {
        Self::open_asking(folder, seed, money, Clock::system(), Ask::All)
    }

    /// Opens it, and asks these mints what became of everything.
    pub(crate) fn open_asking(
        folder: &Path,
        seed: Seed,
        money: Money,
        clock: Clock,
        ask: Ask,
    ) -> BoxFuture<'_, Result<(Self, Recovery), WalletError>> {
        Self::open_for(folder, seed, money, clock, ask, &Escrow)
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
                Kind::Redeem => redeeming::finish_redeem(wallet, planned, done).await,
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

    fn mints<'a>(&'a self, wallet: &'a CashuWallet) -> BoxFuture<'a, Result<BTreeSet<MintUrl>, WalletError>> {
        async move { Ok(refund::expired(wallet).await?.into_keys().collect()) }.boxed()
    }

    fn recover<'a>(
        &'a self,
        wallet: &'a CashuWallet,
        mint: &'a MintUrl,
        recovery: &'a mut Recovery,
    ) -> BoxFuture<'a, Result<(), WalletError>> {
        async move {
            let Some(rows) = refund::expired(wallet).await?.remove(mint) else { return Ok(()) };
            refund::refund_at(wallet, mint, rows, recovery).await
        }
        .boxed()
    }
}
