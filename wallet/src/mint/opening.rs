//! The files of a wallet, and who else has it open.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex};

use cdk_sqlite::WalletSqliteDatabase;
use frlm_util::files;

use super::clocks::Clocks;
use super::health::Health;
use super::sealed_store::SealedStore;
use super::sealing::seal_old;
use super::swap::Purpose;
use super::wallet::{Inner, Tasks};
use super::{CashuWallet, Money};
use crate::clock::Clock;
use crate::error::WalletError;
use crate::journal::Journal;
use crate::ledger::owner::{self, Owner};
use crate::seed::Seed;

impl CashuWallet {
    /// Opens the wallet's files; `purpose`: what its exchanges are for. Returns whether this process has the wallet alone: it
    /// has until [`CashuWallet::share_presence`].
    pub(crate) async fn open_files(
        folder: &Path,
        seed: Seed,
        money: Money,
        clock: Clock,
        purpose: &'static dyn Purpose,
    ) -> Result<(Self, bool), WalletError> {
        let folder = folder.join(money.folder());
        let fail =
            |error: std::io::Error| WalletError::Storage { path: folder.clone(), reason: error.to_string() };
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
                tasks: Tasks::default(),
                owner,
                presence,
            }),
        };
        Ok((wallet, alone))
    }

    /// Lets other processes have the wallet, too.
    pub(crate) async fn share_presence(&self) -> Result<(), WalletError> {
        let shared = match self.inner.presence.0.unlock() {
            Ok(()) => wait_for(&self.inner.presence).await,
            failed => failed,
        };
        shared.map_err(|error| WalletError::Storage {
            path: self.inner.folder.clone(),
            reason: error.to_string(),
        })
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
