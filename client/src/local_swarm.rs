//! A swarm on this machine: an embedded relay and three providers, each with its own key,
//! connection and engine. `frlm demo` and the desktop app's first try use it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use frlm_inference::{Dialect, GenerationRequest, LanguageModel};
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use nostr::RelayUrl;

use crate::demo_mint::DemoMint;
use crate::failure::Failure;
use crate::home::Home;
use crate::{models, recorded};

/// Millisats per 1,000 tokens that each provider asks for, in play money.
const PRICE_MSATS_PER_1K: u64 = 1_000;

/// A model for each provider.
pub type Models = [Arc<dyn LanguageModel>; 3];

/// What speaks for the three providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Speaks {
    /// The embedded model, which copies fields out of records.
    #[default]
    Embedded,
    /// A recording of three general models, one of which lies, about one question in words.
    Recording,
    /// The user's own general model, for all three.
    OwnModel,
}

impl Speaks {
    /// What it reads: the bundled document that it is tried on, and the question about that.
    pub fn tried_on(self) -> (SampleDocument, &'static str) {
        match self {
            Self::Embedded => (ORDERS, QUESTION),
            Self::Recording | Self::OwnModel => (GPL3, recorded::QUESTION),
        }
    }

    /// A model for each provider; `own` is the user's, as the settings name it.
    ///
    /// # Errors
    ///
    /// If a model cannot be opened, or the user's reads no prose.
    pub async fn models(self, own: Option<&str>, home: &Home) -> anyhow::Result<Models> {
        match self {
            Self::Embedded => embedded_models(home).await,
            Self::Recording => recorded::models(),
            Self::OwnModel => {
                let own = own.context("no model of yours is named: name one in the settings")?;
                general_models(own, home).await
            }
        }
    }
}

/// The providers' names.
pub const PROVIDERS: [&str; 3] = ["demo-a", "demo-b", "demo-c"];

/// What everyone should know about it before they trust its answers.
pub const CAVEAT: &str = "they share this machine and one model family, so their agreement shows how it works, not that the \
     answer is true";

/// A question about the bundled orders.
pub const QUESTION: &str = "How many orders have status failed?";

/// A question of several parts about the bundled orders and the shop's log.
pub const COMPOUND_QUESTION: &str = "Which user has the most failed orders, how many errors did the log show for that \
     user, and was the largest of that user's orders shipped?";

/// A bundled document.
pub struct SampleDocument {
    name: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// A week of orders.
pub const ORDERS: SampleDocument =
    SampleDocument { name: "orders.log", text: include_str!("../../assets/samples/orders.log") };

impl SampleDocument {
    /// Writes it to a file, so that its citations can be looked up and the run resumed.
    pub fn unpack(&self, home: &Home) -> anyhow::Result<PathBuf> {
        let folder = home.root().join("samples");
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let path = folder.join(self.name);
        std::fs::write(&path, self.text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

/// What the shop's pages logged in that week, with the same users.
pub const SHOP: SampleDocument =
    SampleDocument { name: "shop.log", text: include_str!("../../assets/samples/shop.log") };

/// The GNU General Public License, version 3: prose, about which the recording was made.
pub const GPL3: SampleDocument =
    SampleDocument { name: "GPL-3.txt", text: include_str!("../../assets/recorded/gpl3/GPL-3.txt") };

/// A running swarm. It ends with [`Swarm::stop`].
pub struct Swarm {
    demo_mint: DemoMint,
    relay: EmbeddedRelay,
    address: RelayUrl,
    providers: Vec<ProviderHandle>,
}

impl Swarm {
    /// Relay, on a port that the system picks, and providers for play money: each has a wallet of this mint
    /// and a price.
    pub async fn start(models: Models, demo_mint: DemoMint) -> anyhow::Result<Self> {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await?;
        let address = frlm_relay::parse_relay_url(&relay.url().to_string())?;
        let mut swarm = Self { demo_mint, relay, address, providers: Vec::new() };
        for (name, model) in PROVIDERS.into_iter().zip(models) {
            match swarm.provider(name, model).await {
                Ok(provider) => swarm.providers.push(provider),
                Err(error) => {
                    swarm.stop().await;
                    return Err(error);
                }
            }
        }
        Ok(swarm)
    }

    /// The relay's address.
    pub fn relay(&self) -> &RelayUrl {
        &self.address
    }

    /// Everybody's play money.
    pub fn demo_mint(&self) -> &DemoMint {
        &self.demo_mint
    }

    /// Ends the providers, then relay and mint.
    pub async fn stop(self) {
        ProviderHandle::stop_all(&self.providers).await;
        self.relay.shutdown().await;
        self.demo_mint.stop().await;
    }

    async fn provider(&self, name: &str, model: Arc<dyn LanguageModel>) -> anyhow::Result<ProviderHandle> {
        let earner = self.demo_mint.provider(name).context("every provider has a wallet")?;
        let config = ProviderConfig {
            name: name.to_owned(),
            price_msats_per_1k: PRICE_MSATS_PER_1K,
            ..ProviderConfig::default()
        };
        let relays = std::slice::from_ref(&self.address);
        let (keys, wallet) = (earner.keys.clone(), earner.wallet.clone());
        Ok(Provider::start_paid(config, keys, relays, model, wallet).await?)
    }
}

/// One general model, which speaks for all three: what it costs in memory, it costs once.
///
/// # Errors
///
/// If it cannot be opened, does not answer, or reads no prose.
pub async fn general_models(name: &str, home: &Home) -> anyhow::Result<Models> {
    let model = models::open(name, None, home).await?;
    if model.info().dialect == Dialect::Records {
        return Err(Failure::usage(
            "a demo of prose needs a general model: the embedded one only extracts fields from logs and \
             tables (frlm demo shows it; frlm demo --recorded shows prose without a model)",
        )
        .into());
    }
    // An endpoint that is not there is found out now, and not by three providers one after the other.
    let hello = GenerationRequest::greedy("Say ok.", 1);
    model
        .generate(hello)
        .await
        .with_context(|| format!("{name} does not answer; start it, or check its name"))?;
    Ok([model.clone(), model.clone(), model])
}

/// An instance of the embedded model for each provider.
async fn embedded_models(home: &Home) -> anyhow::Result<Models> {
    // One engine each: three providers already keep every core of a small machine busy.
    let open = || models::open("embedded", Some(1), home);
    Ok([open().await?, open().await?, open().await?])
}
