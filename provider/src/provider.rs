//! Starting and stopping a provider.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use frlm_inference::LanguageModel;
use frlm_protocol::BuildError;
use frlm_relay::{ConnectError, ConnectOptions, Connection};
use frlm_wallet::escrow::Earning;
use frlm_wallet::{CashuWallet, WalletError};
use nostr::{Keys, PublicKey, RelayUrl, Timestamp};
use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::task::TaskTracker;

use crate::actor::Actor;
use crate::announcer::Announcer;
use crate::config::{ConfigError, ProviderConfig};
use crate::events::{ProviderEvent, ProviderStats};
use crate::payments::{PayQueue, Payments};
use crate::quota::day_of;
use crate::session::Session;
use crate::shutdown::Shutdown;
use crate::work::JobExecutor;

/// Events a slow reader may lag behind before it misses some.
const EVENT_CAPACITY: usize = 1024;
/// Words of the payments task on their way to the outbox.
const WORD_CAPACITY: usize = 64;
/// Words about pay that wait for the payments task.
const COMMAND_CAPACITY: usize = 1024;

/// Why a provider did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A setting cannot work.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What is offered fits into no announcement, so that nobody would learn of it.
    #[error(
        "the offer cannot be announced: {0}; give the model or its file a shorter name, or trust fewer mints"
    )]
    Offer(#[from] BuildError),
    /// No relay is there.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The wallet cannot be used.
    #[error(transparent)]
    Wallet(#[from] WalletError),
}

fn options(config: &ProviderConfig, keys: &Keys) -> ConnectOptions {
    let blobs = config.blobs.clone();
    ConnectOptions { auth_keys: Some(keys.clone()), blobs, ..ConnectOptions::default() }
}

/// Serves jobs with one model under one key.
#[derive(Debug, Clone, Copy)]
pub struct Provider;

impl Provider {
    /// Connects, announces the offer and serves until it is shut down.
    ///
    /// `keys` sign everything this provider says; one key is one provider.
    pub async fn start(
        config: ProviderConfig,
        keys: Keys,
        relays: &[RelayUrl],
        model: Arc<dyn LanguageModel>,
    ) -> Result<ProviderHandle, StartError> {
        let options = options(&config, &keys);
        Self::start_with(config, keys, relays, options, model).await
    }

    /// As [`Provider::start`], for pay: jobs must come with their price locked for this wallet, at
    /// one of its mints, unless [`ProviderConfig::pay_after_jobs`] lets askers pay later. A provider without a price works for nothing all the same.
    pub async fn start_paid(
        config: ProviderConfig,
        keys: Keys,
        relays: &[RelayUrl],
        model: Arc<dyn LanguageModel>,
        wallet: CashuWallet,
    ) -> Result<ProviderHandle, StartError> {
        let options = options(&config, &keys);
        let mints = wallet.mints().await?.into_iter().map(|rule| rule.url).collect();
        let payments = config.is_paid().then_some((wallet, mints));
        Self::launch(config, keys, relays, options, model, payments).await
    }

    /// As [`Provider::start`], with the connection's own options, those of blobs included.
    pub async fn start_with(
        config: ProviderConfig,
        keys: Keys,
        relays: &[RelayUrl],
        options: ConnectOptions,
        model: Arc<dyn LanguageModel>,
    ) -> Result<ProviderHandle, StartError> {
        Self::launch(config, keys, relays, options, model, None).await
    }

    async fn launch(
        config: ProviderConfig,
        keys: Keys,
        relays: &[RelayUrl],
        options: ConnectOptions,
        model: Arc<dyn LanguageModel>,
        payments: Option<(CashuWallet, Vec<String>)>,
    ) -> Result<ProviderHandle, StartError> {
        config.check()?;
        let info = model.info().clone();
        let mut announcer = Announcer::new(&config, &info, keys.clone());
        if let Some((wallet, mints)) = &payments {
            announcer.pay_to(wallet.provider_key().to_hex(), mints.clone(), config.pay_after_jobs);
        }
        announcer.announcement(Timestamp::now())?;
        let (publisher, incoming) = Connection::connect(relays, options).await?;
        let public_key = keys.public_key();
        let (events, first) = broadcast::channel(EVENT_CAPACITY);
        let (stats_sender, stats) = watch::channel(ProviderStats::default());
        let (said, words) = mpsc::channel(WORD_CAPACITY);
        let shutdown = Shutdown::default();
        let tasks = TaskTracker::new();
        let mut payment_commands = None;
        let mut session = Session::new(config.clone(), info.clone(), keys.clone(), Timestamp::now());
        if let Some((wallet, _)) = &payments {
            session.remember_payers(payers(&wallet.earnings().await?));
        }
        if let Some((wallet, _)) = payments.as_ref().filter(|_| config.free_jobs_per_day > 0) {
            let given = wallet.free_jobs(public_key.to_hex(), day_of(Timestamp::now())).await?;
            session.remember_given(
                given.into_iter().filter_map(|(asker, jobs)| Some((PublicKey::from_hex(&asker).ok()?, jobs))),
            );
        }
        let payments = payments.map(|(wallet, _)| {
            let payments = Payments::new(wallet, info.name.clone(), keys.clone(), said.clone());
            let payments = Arc::new(payments.with_credit_line(config.pay_after_jobs));
            let (orders, received) = mpsc::channel(COMMAND_CAPACITY);
            tasks.spawn(Arc::clone(&payments).run(received));
            payment_commands = Some(PayQueue::new(orders));
            payments
        });
        let actor = Actor {
            session,
            executor: Arc::new(JobExecutor::new(config.clone(), keys.clone(), model, payments)),
            words,
            payments: payment_commands,
            announcer,
            publisher,
            incoming,
            events: events.clone(),
            stats: stats_sender,
            shutdown: shutdown.clone(),
            config,
            keys,
        };
        tasks.spawn(actor.run());
        tasks.close();
        let first = Mutex::new(Some(first));
        Ok(ProviderHandle { public_key, events, first, stats, shutdown, tasks })
    }
}

/// Those who have paid for more of their jobs than they have kept the pay of.
fn payers(earnings: &[Earning]) -> impl Iterator<Item = PublicKey> {
    let mut of = HashMap::<&str, i64>::new();
    for earning in earnings {
        *of.entry(&earning.asker).or_default() += match earning.state.as_str() {
            "released" | "redeeming" | "redeemed" => 1,
            "lost" | "withheld" => -1,
            _ => 0,
        };
    }
    of.into_iter().filter(|(_, paid)| *paid > 0).filter_map(|(asker, _)| PublicKey::from_hex(asker).ok())
}

/// A running provider. Dropping the handle ends it at once.
#[derive(Debug)]
pub struct ProviderHandle {
    public_key: PublicKey,
    events: broadcast::Sender<ProviderEvent>,
    /// For the first who listens: it hears what happened before it could.
    first: Mutex<Option<broadcast::Receiver<ProviderEvent>>>,
    stats: watch::Receiver<ProviderStats>,
    shutdown: Shutdown,
    tasks: TaskTracker,
}

impl ProviderHandle {
    /// The key that jobs are directed to.
    pub fn public_key(&self) -> PublicKey {
        self.public_key
    }

    /// Events from now on; for the first who asks, from the start. A reader that lags far behind misses the oldest.
    pub fn events(&self) -> broadcast::Receiver<ProviderEvent> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.unwrap_or_else(|| self.events.subscribe())
    }

    /// Counts and load now.
    pub fn stats(&self) -> ProviderStats {
        *self.stats.borrow()
    }

    /// Counts and load, to wait for changes.
    pub fn watch_stats(&self) -> watch::Receiver<ProviderStats> {
        self.stats.clone()
    }

    /// The tokens that end it; then wait with [`ProviderHandle::stopped`].
    pub fn shutdown(&self) -> Shutdown {
        self.shutdown.clone()
    }

    /// Resolves when the provider has ended, for whatever reason.
    pub async fn stopped(&self) {
        self.tasks.wait().await;
    }

    /// Ends several at once: none waits for another's end.
    pub async fn stop_all(providers: &[Self]) {
        for provider in providers {
            provider.shutdown.immediate.cancel();
        }
        for provider in providers {
            provider.stopped().await;
        }
    }
}

impl Drop for ProviderHandle {
    fn drop(&mut self) {
        self.shutdown.immediate.cancel();
    }
}
