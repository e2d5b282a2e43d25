//! Opening a wallet: its files, who else has it open, and what a dead process left.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex};

use cdk_sqlite::WalletSqliteDatabase;
use frlm_util::files;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::clocks::Clocks;
use super::health::{Ask, Health};
use super::journal::Journal;
use super::sealed_store::SealedStore;
use super::sealing::seal_old;
use super::swap::Purpose;
use super::wallet::Inner;
use super::{CashuWallet, Money, Recovery, WalletError};
use crate::clock::Clock;
use crate::ledger::owner::{self, Owner};
use crate::seed::Seed;

impl CashuWallet {
    /// As [`CashuWallet::open_with`]. `ask`: whether mints that rest are asked what became of things, too, and waited for.
    /// `purpose`: what its exchanges are for.
    ///
    /// # Errors
    ///
    /// As [`CashuWallet::open`].
    pub(crate) fn open_for<'a>(
        folder: &'a Path,
        seed: Seed,
        money: Money,
        clock: Clock,
        ask: Ask,
        purpose: &'static dyn Purpose,
    ) -> BoxFuture<'a, Result<(Self, Recovery), WalletError>> {
        async move {
            let folder = folder.join(money.folder());
            let fail = |error: std::io::Error| WalletError::Storage {
                path: folder.clone(),
                reason: error.to_string(),
            };
            files::create_private_folder(&folder).map_err(fail)?;
            let presence = Presence(files::open_private(&folder.join("in-use")).map_err(fail)?);
            // A person who reads proofs can spend them.
            for name in ["cashu.sqlite", "journal.sqlite"] {
                files::open_private(&folder.join(name)).map_err(fail)?;
            }
            let alone = presence.0.try_lock().is_ok();
            let (store_file, at_rest) = (folder.join("cashu.sqlite"), seed.at_rest());
            let store = WalletSqliteDatabase::new(store_file.clone()).await.map_err(WalletError::internal)?;
            let store = SealedStore::new(store, at_rest.clone());
            let journal = Journal::open(&folder.join("journal.sqlite"))?;
            let health = Health::load(&journal).await?;
            // The process that has the wallet alone sweeps: all others claim after that.
            let waited = if alone { Ok(()) } else { wait_for(&presence).await };
            waited.map_err(fail)?;
            let owner = Owner::claim(journal.path(), rand::random::<i64>() & i64::MAX).map_err(fail)?;
            if alone {
                owner::sweep(journal.path());
                seal_old(&store_file, &store, &journal, &at_rest).await?;
            }
            let escrow = seed.escrow();
            let wallet = Self {
                inner: Arc::new(Inner {
                    money,
                    folder: folder.clone(),
                    seed,
                    escrow,
                    at_rest,
                    clock: clock.clone(),
                    purpose,
                    store: Arc::new(store),
                    journal,
                    mints: Mutex::default(),
                    sizes: Mutex::default(),
                    health: Arc::new(health),
                    clocks: Arc::new(Clocks::new(clock)),
                    fresh: Mutex::default(),
                    spare: Mutex::default(),
                    unclear: Mutex::default(),
                    turns: Mutex::default(),
                    paying: tokio::sync::Mutex::default(),
                    checked: Mutex::default(),
                    owner,
                    paying_before: Mutex::default(),
                    presence,
                }),
            };
            let recovery = if alone {
                Box::pin(wallet.recover_alone(ask)).await?
            } else {
                Recovery { busy: true, ..Recovery::default() }
            };
            if alone {
                wallet.inner.presence.0.unlock().map_err(fail)?;
                wait_for(&wallet.inner.presence).await.map_err(fail)?;
            }
            Ok((wallet, recovery))
        }
        .boxed()
    }
}

/// The operating system's lock on a file of the wallet.
pub(crate) struct Presence(pub File);

/// Shares the wallet with other processes. One that recovers it meanwhile may take a while, with a mint that is slow.
async fn wait_for(presence: &Presence) -> std::io::Result<()> {
    let waiting = presence.0.try_clone()?;
    tokio::task::spawn_blocking(move || waiting.lock_shared()).await.map_err(std::io::Error::other)?
}

impl Drop for Presence {
    fn drop(&mut self) {
        // Closing the file is not enough: a program that this process has just started holds it too,
        // until it has become another program. If this fails, the lock ends a moment later.
        let _ = self.0.unlock();
    }
}
