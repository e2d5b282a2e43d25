//! The wallets that a program which stays pays from and earns into, each opened once: opening the home's own looks
//! after what an earlier process left, which may take a mint's answer. From then on it is looked after until the
//! program ends.

use std::sync::{Arc, Mutex as Shared, PoisonError};

use frlm_wallet::CashuWallet;
use frlm_wallet::nwc::{self, NwcWallet};
use tokio::sync::Mutex;

use crate::failure::Failure;
use crate::home::Home;
use crate::payment::debts::Outcome;
use crate::wallet_maintenance::Maintenance;
use crate::wallet_session::{self, PayBefore, Wallets};

/// The wallets. Clones share them.
#[derive(Clone)]
pub struct WalletManager {
    own: Arc<Mutex<Option<Kept>>>,
    play: Arc<Shared<Option<CashuWallet>>>,
    /// What pays foreign providers, once it was needed; `None` where the settings want none.
    lightning: Arc<Mutex<Option<Arc<NwcWallet>>>>,
    tell: Arc<dyn Fn(&Outcome) + Send + Sync>,
}

/// The home's own wallet.
struct Kept {
    wallet: CashuWallet,
    /// None if there is no ledger to compare it with; the caller that opens it says why.
    maintenance: Option<Maintenance>,
}

impl WalletManager {
    /// Wallets that are not open yet. `tell` hears what becomes of what earlier runs owe.
    pub fn new(tell: impl Fn(&Outcome) + Send + Sync + 'static) -> Self {
        Self { own: Arc::default(), play: Arc::default(), lightning: Arc::default(), tell: Arc::new(tell) }
    }

    /// The home's own wallet, if one was made.
    pub async fn open(&self, home: &Home) -> anyhow::Result<Option<CashuWallet>> {
        let mut held = self.own.lock().await;
        if held.is_none()
            && let Some(wallet) = wallet_session::open(home).await?
        {
            let maintenance = match home.open_ledger().await {
                Ok(ledger) => {
                    let tell = Arc::clone(&self.tell);
                    Some(Maintenance::start(wallet.clone(), ledger, home.clone(), move |found| tell(found)))
                }
                Err(error) => {
                    tracing::warn!(%error, "the wallet is not maintained");
                    None
                }
            };
            *held = Some(Kept { wallet, maintenance });
        }
        Ok(held.as_ref().map(|kept| kept.wallet.clone()))
    }

    /// The home's own wallet, or that there is none.
    pub async fn need(&self, home: &Home) -> anyhow::Result<CashuWallet> {
        self.open(home).await?.ok_or_else(|| Failure::usage("this home has no wallet yet").into())
    }

    /// What a run would be paid from, if there is such a wallet.
    pub async fn payer(&self, home: &Home, play_money: bool) -> anyhow::Result<Option<CashuWallet>> {
        if play_money {
            return Ok(self.play.lock().unwrap_or_else(PoisonError::into_inner).clone());
        }
        self.open(home).await
    }

    /// A run has ended: what it owes is seen to now. A wallet that is being opened is looked after in a moment.
    pub fn wake(&self) {
        if let Ok(held) = self.own.try_lock()
            && let Some(maintenance) = held.as_ref().and_then(|kept| kept.maintenance.as_ref())
        {
            maintenance.wake();
        }
    }

    /// What the asker has in the swarm on this machine; nothing any more when that has ended.
    pub fn play_with(&self, wallet: Option<CashuWallet>) {
        *self.play.lock().unwrap_or_else(PoisonError::into_inner) = wallet;
    }

    /// Everything that runs can be paid from. `foreign`: the run asks providers that may want their pay before they
    /// work; nobody waits for a Lightning wallet otherwise.
    pub async fn wallets(&self, home: &Home, foreign: bool) -> anyhow::Result<Wallets> {
        let play = self.play.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let own = self.open(home).await?;
        let before = if foreign { self.pay_before(home).await? } else { PayBefore::default() };
        let held = self.own.lock().await;
        let kept = held.as_ref().is_some_and(|kept| kept.maintenance.is_some());
        Ok(Wallets { own, play, before, kept })
    }

    /// How foreign providers are paid, by the settings as they are now. A Lightning wallet stays connected.
    async fn pay_before(&self, home: &Home) -> anyhow::Result<PayBefore> {
        let settings = home.config()?.pay_before;
        let mut held = self.lightning.lock().await;
        if !settings.lightning {
            *held = None;
        } else if held.is_none() {
            *held = Some(Arc::new(wallet_session::connect_lightning(nwc::TIMEOUT).await?));
        }
        Ok(PayBefore { lightning: held.clone(), tokens: settings.token })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn foreign_payment_follows_the_settings_and_is_asked_only_when_needed() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let manager = WalletManager::new(|_| {});
        std::fs::write(home.config_file(), "[pay_before]\ntoken = true\n").unwrap();
        assert!(manager.wallets(&home, true).await.unwrap().before.tokens);
        std::fs::write(home.config_file(), "[pay_before]\nlightning = true\n").unwrap();
        let wallets = manager.wallets(&home, false).await.unwrap();
        assert!(wallets.before.lightning.is_none() && !wallets.before.tokens);
        // No test has a connection in its environment.
        let Err(error) = manager.wallets(&home, true).await else { panic!("there is nothing to connect to") };
        assert!(error.to_string().contains(wallet_session::CONNECTION), "{error}");
    }
}
