//! A mint of play money: the real Cashu protocol over HTTP, with Lightning faked behind it.
//!
//! Every invoice that it writes counts as paid at once, so its sats are worth nothing. It says so
//! in its name, its message of the day and its description, and wallets of play money are kept
//! apart from those of real sats ([`Money`](super::Money)).

use std::collections::{HashMap, HashSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use cdk::mint::{Mint, MintBuilder, MintMeltLimits, UnitConfig};
use cdk::nuts::nut00::KnownMethod;
use cdk::nuts::{CurrencyUnit, PaymentMethod};
use cdk::types::FeeReserve;
use cdk_fake_wallet::FakeWallet;
use cdk_sqlite::MintSqliteDatabase;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::traffic::{Meter, Traffic};
use crate::error::WalletError;

/// What the mint calls itself, everywhere.
pub const PLAY_MONEY: &str = "FRLM PLAY MONEY (worth nothing)";

/// The most that one invoice may be for.
const MOST_SATS: u64 = 10_000_000;
/// The most inputs or outputs in one request, as a stock mint has it.
const MOST_PROOFS: usize = 1_000;
/// How long open requests may take to end.
const STOP_LIMIT: Duration = Duration::from_secs(2);

/// How a play-money mint is set up.
#[derive(Debug, Clone)]
pub struct PlayMintOptions {
    /// Where it listens; port 0 lets the system choose.
    pub listen: SocketAddr,
    /// Where its books are kept; `None` keeps them in memory.
    pub folder: Option<PathBuf>,
    /// The fee for spending one proof, in thousandths of a sat.
    pub input_fee_ppk: u64,
    /// The most inputs or outputs in one request.
    pub most_proofs: usize,
}

impl Default for PlayMintOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            folder: None,
            input_fee_ppk: 0,
            most_proofs: MOST_PROOFS,
        }
    }
}

/// A running mint. Dropping it stops it at once.
pub struct PlayMint {
    url: String,
    mint: Arc<Mint>,
    meter: Meter,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl std::fmt::Debug for PlayMint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PlayMint").field("url", &self.url).finish_non_exhaustive()
    }
}

impl PlayMint {
    /// Starts a mint.
    ///
    /// Boxed, so that the whole mint is compiled here and not once more in everything that starts one: the body
    /// of an `async fn` is compiled where it is polled.
    ///
    /// # Errors
    ///
    /// If the address is taken or the books cannot be opened.
    pub fn start(options: PlayMintOptions) -> BoxFuture<'static, Result<Self, WalletError>> {
        Self::start_behind(options, |router| router).boxed()
    }

    /// As [`PlayMint::start`], with something between it and the world.
    pub(crate) async fn start_behind(
        options: PlayMintOptions,
        front: impl FnOnce(Router) -> Router,
    ) -> Result<Self, WalletError> {
        let mint = Arc::new(build(&options).await?);
        mint.start().await.map_err(WalletError::internal)?;
        let methods = vec![PaymentMethod::Known(KnownMethod::Bolt11).to_string()];
        let router =
            cdk_axum::create_mint_router(Arc::clone(&mint), methods).await.map_err(WalletError::internal)?;
        let meter = Meter::default();
        let router = front(meter.before(router));
        let listener = tokio::net::TcpListener::bind(options.listen)
            .await
            .map_err(|error| WalletError::Internal(format!("{}: {error}", options.listen)))?;
        let address = listener.local_addr().map_err(WalletError::internal)?;
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let stopped = stop.clone();
        tasks.spawn(async move {
            let serving = axum::serve(listener, router).with_graceful_shutdown(stopped.cancelled_owned());
            if let Err(error) = serving.await {
                tracing::error!(%error, "the play-money mint has stopped");
            }
        });
        Ok(Self { url: format!("http://{address}"), mint, meter, stop, tasks })
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it was asked so far.
    pub fn traffic(&self) -> Traffic {
        self.meter.read()
    }

    /// Ends it; open requests get a moment to end.
    pub fn shutdown(mut self) -> BoxFuture<'static, ()> {
        async move {
            self.stop.cancel();
            let _ = tokio::time::timeout(STOP_LIMIT, self.tasks.join_next()).await;
            if let Err(error) = self.mint.stop().await {
                tracing::debug!(%error, "the play-money mint did not stop cleanly");
            }
        }
        .boxed()
    }
}

async fn build(options: &PlayMintOptions) -> Result<Mint, WalletError> {
    let (books, seed) = match &options.folder {
        None => {
            let books = cdk_sqlite::mint::memory::empty().await.map_err(WalletError::internal)?;
            (books, rand::random::<[u8; 32]>().to_vec())
        }
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(WalletError::internal)?;
            let path = folder.join("mint.sqlite");
            let books = MintSqliteDatabase::new(path).await.map_err(WalletError::internal)?;
            (books, kept_seed(&folder.join("mint.seed"))?)
        }
    };
    let books = Arc::new(books);
    let mut builder = MintBuilder::new(Arc::clone(&books) as _)
        .with_name(PLAY_MONEY.to_owned())
        .with_motd(PLAY_MONEY.to_owned())
        .with_description("Every invoice counts as paid. These sats can buy nothing.".to_owned())
        .with_limits(options.most_proofs, options.most_proofs);
    let units = UnitConfig { input_fee_ppk: options.input_fee_ppk, ..UnitConfig::default() };
    builder.configure_unit(CurrencyUnit::Sat, units).map_err(WalletError::internal)?;
    let lightning = FakeWallet::new(
        FeeReserve { min_fee_reserve: 1.into(), percent_fee_reserve: 0.01 },
        HashMap::new(),
        HashSet::new(),
        0,
        CurrencyUnit::Sat,
    );
    builder
        .add_payment_processor(
            CurrencyUnit::Sat,
            PaymentMethod::Known(KnownMethod::Bolt11),
            MintMeltLimits::new(1, MOST_SATS),
            Arc::new(lightning),
        )
        .await
        .map_err(WalletError::internal)?;
    builder.build_with_seed(books, &seed).await.map_err(WalletError::internal)
}

fn kept_seed(path: &std::path::Path) -> Result<Vec<u8>, WalletError> {
    if let Ok(text) = std::fs::read_to_string(path)
        && let Ok(seed) = hex::decode(text.trim())
    {
        return Ok(seed);
    }
    let seed = rand::random::<[u8; 32]>().to_vec();
    std::fs::write(path, hex::encode(&seed)).map_err(WalletError::internal)?;
    Ok(seed)
}
