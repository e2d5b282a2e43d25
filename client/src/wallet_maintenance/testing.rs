//! A home that owes.

use std::net::SocketAddr;
use std::time::Duration;

use frlm_conductor::store::{NewRun, Store};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::debts::Debt;
use frlm_wallet::seed::{Phrase, vault};
use frlm_wallet::{CashuWallet, Key, Ledger, Sats};
use nostr::Keys;

use crate::home::Home;
use crate::wallet_session;

/// The dead run.
pub const RUN: &str = "a1b2c3d4e5f60718";
/// Longest wait for a payment; only a test that fails waits as long.
pub const TIMEOUT: Duration = Duration::from_mins(1);

/// A home whose dead run owes 13 of its 20 reserved sats to a provider on a relay.
pub struct Owing {
    /// Where it lies.
    pub folder: tempfile::TempDir,
    /// The home.
    pub home: Home,
    /// Its mint, with play money.
    pub mint: PlayMint,
    /// Its wallet.
    pub wallet: CashuWallet,
    /// Its ledger.
    pub ledger: Ledger,
}

impl Owing {
    /// One whose provider listens at this relay.
    pub async fn at(relay: SocketAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        vault::create(&home.wallet(), &Phrase::generate(), None).unwrap();
        let wallet = wallet_session::need(&home).await.unwrap();
        wallet.allow_mint(mint.url(), None).await.unwrap();
        let invoice = wallet.invoice(mint.url(), Sats(100)).await.unwrap();
        wallet.receive_invoice(&invoice, TIMEOUT).await.unwrap();
        let keys = Keys::generate();
        let run = NewRun {
            id: RUN.to_owned(),
            started_at_ms: 0,
            question: "Who is owed?".to_owned(),
            request: serde_json::Value::Null,
            secret_key: keys.secret_key().to_secret_hex(),
        };
        Store::open(&home.store()).unwrap().begin(run).await.unwrap();
        let ledger = home.open_ledger().await.unwrap();
        ledger.open_run(RUN, Sats(60)).await.unwrap();
        let key = Key::new(RUN, 0, 0);
        let mut reservation = ledger.reserve(key.clone(), Sats(20)).await.unwrap();
        reservation.publish().await.unwrap();
        reservation.pay_out().await.unwrap();
        let debt = Debt {
            key,
            peer: Keys::generate().public_key().to_hex(),
            provider: wallet.provider_key(),
            mint: mint.url().to_owned(),
            price: Sats(13),
            job: "5c".repeat(32),
            relays: vec![format!("ws://{relay}")],
        };
        wallet.record_debts(vec![debt]).await.unwrap();
        drop(reservation);
        Self { folder, home, mint, wallet, ledger }
    }
}
