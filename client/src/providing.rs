//! Serving jobs with this machine.

use frlm_inference::{Dialect, ModelInfo};
use frlm_protocol::limits::ANNOUNCED_POW_BITS;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle, StartError};
use frlm_relay::{ConnectOptions, Connection};
use frlm_wallet::CashuWallet;
use nostr::RelayUrl;

use crate::config::relay_urls;
use crate::failure::{Failure, code};
use crate::home::{Home, Identity};
use crate::prices::Prices;
use crate::run::NO_RELAY_TO_SERVE;
use crate::{models, vouching, wallet_session};

/// Bits of proof of work where none are named: some seconds of one core for a hundred keys, and a fraction of one for an asker.
const POW_BITS: u8 = 16;

/// What to serve, where and for what.
#[derive(Debug, Clone, Default)]
pub struct ProviderSpec {
    /// Where jobs come from: `ws://` or `wss://`.
    pub relays: Vec<String>,
    /// The model: a file, an address or `embedded`.
    pub model: String,
    /// What the provider calls itself, where that is not made from its key.
    pub name: Option<String>,
    /// Jobs that may wait.
    pub queue: Option<usize>,
    /// Whether jobs are taken that are not addressed to it.
    pub open_jobs: bool,
    /// Whether nobody is told at which other relays it is.
    pub hide_relays: bool,
    /// Bits of proof of work that keys of which nothing is known have to show while many wait; 0: none.
    pub pow: Option<u8>,
    /// What it asks.
    pub prices: Prices,
}

/// A provider that is online.
pub struct Serving {
    /// What it does, and how it is ended.
    pub handle: ProviderHandle,
    /// Where it listens.
    pub relays: Vec<RelayUrl>,
    /// What answers.
    pub model: ModelInfo,
    /// Where its pay goes, where it is paid.
    pub wallet: Option<CashuWallet>,
    /// No other process serves under this key meanwhile.
    _identity: Identity,
}

impl ProviderSpec {
    fn config(&self) -> ProviderConfig {
        let mut config = self.prices.offer();
        config.accept_open_jobs = self.open_jobs;
        config.hide_relays = self.hide_relays;
        config.pow_bits = self.pow.unwrap_or(POW_BITS);
        config.announced_pow_bits = ANNOUNCED_POW_BITS;
        if let Some(name) = &self.name {
            config.name.clone_from(name);
        }
        if let Some(queue) = self.queue {
            config.max_queue = queue;
        }
        config
    }

    fn relay_urls(&self) -> anyhow::Result<Vec<RelayUrl>> {
        if self.relays.is_empty() {
            return Err(Failure::usage(NO_RELAY_TO_SERVE).into());
        }
        Ok(relay_urls(&self.relays)?)
    }
}

/// Goes online, paid into this wallet where something is asked for. Loading a model may take minutes: whatever else can
/// be wrong is found before.
pub async fn serve(spec: &ProviderSpec, home: &Home, wallet: Option<CashuWallet>) -> anyhow::Result<Serving> {
    let relays = spec.relay_urls()?;
    let mut config = spec.config();
    config.check().map_err(Failure::usage)?;
    config.blobs = home.config()?.blobs.options()?;
    models::check(&spec.model)?;
    let identity = home.provider_identity()?;
    reach(&relays).await?;
    let vouched = vouching::current(home, &home.config()?.trust, &relays).await?;
    config.vouched = vouched.vouching.iter().map(|(key, _)| *key).collect();
    let wallet = wallet.filter(|_| config.is_paid());
    if let Some(wallet) = &wallet {
        // A price that nobody can pay helps nobody.
        wallet_session::names(wallet).await?;
    }
    let model = models::open(&spec.model, None, home).await?;
    let info = model.info().clone();
    // What copies fields is not asked for words, and its time does not go by tokens.
    config.tries_engine = info.dialect == Dialect::Json;
    let keys = identity.keys.clone();
    let started = match &wallet {
        Some(wallet) => Provider::start_paid(config, keys, &relays, model, wallet.clone()).await,
        None => Provider::start(config, keys, &relays, model).await,
    };
    let handle = started.map_err(from_start)?;
    Ok(Serving { handle, relays, model: info, wallet, _identity: identity })
}

/// Whether any of the relays is there now. The connection for the work is another one, made with the offer.
async fn reach(relays: &[RelayUrl]) -> Result<(), Failure> {
    let connected = Connection::connect(relays, ConnectOptions::default()).await;
    let (publisher, _incoming) = connected.map_err(|error| Failure::with_code(code::NO_PROVIDERS, error))?;
    publisher.shutdown().await;
    Ok(())
}

/// An unreachable relay is exit 4, as for `ask`; a wallet that fails is nobody's mistake.
fn from_start(error: StartError) -> Failure {
    match error {
        StartError::Connect(error) => Failure::with_code(code::NO_PROVIDERS, error),
        mistake @ (StartError::Config(_) | StartError::Offer(_)) => Failure::usage(mistake),
        StartError::Wallet(error) => Failure::with_code(code::FAILED, error),
    }
}

#[cfg(test)]
mod tests {
    use frlm_provider::ConfigError;
    use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
    use frlm_wallet::WalletError;

    use super::*;

    #[test]
    fn an_unworkable_setting_is_a_user_mistake_and_a_failing_wallet_is_none() {
        assert_eq!(from_start(StartError::Config(ConfigError::Surge)).code, code::USAGE);
        assert_eq!(from_start(StartError::Wallet(WalletError::NoMint)).code, code::FAILED);
    }

    #[tokio::test]
    async fn a_key_belongs_to_its_provider_for_as_long_as_that_is_online() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let relay =
            EmbeddedRelay::start(EmbeddedRelayConfig::at("127.0.0.1:0".parse().unwrap())).await.unwrap();
        let spec = ProviderSpec {
            relays: vec![relay.url().to_string()],
            // Nothing is asked of it.
            model: "http://127.0.0.1:1/v1#nobody".to_owned(),
            ..ProviderSpec::default()
        };
        let serving = serve(&spec, &home, None).await.unwrap();
        assert_ne!(home.provider_identity().unwrap().keys.public_key(), serving.handle.public_key());
        let key = serving.handle.public_key();
        serving.handle.shutdown().immediate.cancel();
        serving.handle.stopped().await;
        drop(serving);
        assert_eq!(home.provider_identity().unwrap().keys.public_key(), key);
        relay.shutdown().await;
    }
}
