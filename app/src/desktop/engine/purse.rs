//! The wallets that this window pays from and earns into, each opened once: opening the home's own
//! looks after what an earlier process left, which may take a mint's answer.

use std::sync::{Arc, Mutex as Shared, PoisonError};

use frlm_wallet::CashuWallet;
use tokio::sync::Mutex;

use crate::failure::Failure;
use crate::home::Home;
use crate::purse::{self, Wallets};

/// The wallets. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Keeper {
    own: Arc<Mutex<Option<CashuWallet>>>,
    play: Arc<Shared<Option<CashuWallet>>>,
}

impl Keeper {
    /// The home's own wallet, if one was made.
    pub async fn open(&self, home: &Home) -> anyhow::Result<Option<CashuWallet>> {
        let mut held = self.own.lock().await;
        if held.is_none() {
            *held = purse::open(home).await?;
        }
        Ok(held.clone())
    }

    /// The home's own wallet, or that there is none.
    pub async fn need(&self, home: &Home) -> anyhow::Result<CashuWallet> {
        self.open(home).await?.ok_or_else(|| Failure::usage("this home has no wallet yet").into())
    }

    /// What the asker has in the swarm on this machine; nothing any more when that has ended.
    pub fn play_with(&self, wallet: Option<CashuWallet>) {
        *self.play.lock().unwrap_or_else(PoisonError::into_inner) = wallet;
    }

    /// Everything that runs can be paid from.
    pub async fn wallets(&self, home: &Home) -> anyhow::Result<Wallets> {
        let play = self.play.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Wallets { own: self.open(home).await?, play, lightning: None })
    }
}
