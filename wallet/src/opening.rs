//! Opening a wallet: its files, and what a dead process left of whatever layer.

mod recovering;

use std::path::Path;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::clock::Clock;
use crate::error::WalletError;
use crate::escrow::Escrow;
use crate::mint::health::Ask;
use crate::mint::{CashuWallet, Money, Recovery};
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
        async move {
            let (wallet, alone) = Self::open_files(folder, seed, money, clock, &Escrow).await?;
            if !alone {
                return Ok((wallet, Recovery { busy: true, ..Recovery::default() }));
            }
            let recovery = Box::pin(wallet.recover_alone(ask)).await?;
            wallet.share_presence().await?;
            Ok((wallet, recovery))
        }
        .boxed()
    }
}
