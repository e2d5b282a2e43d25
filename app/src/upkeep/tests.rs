//! A dead run that owes, and whoever looks after its home.

use std::net::SocketAddr;

use frlm_conductor::store::{NewRun, Store};
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::escrow::{Debt, DebtState};
use frlm_wallet::seed::{Phrase, vault};
use frlm_wallet::{Key, Sats};
use nostr::Keys;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;

const RUN: &str = "a1b2c3d4e5f60718";
/// Looks are waited for so long: only for a test that fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// A home whose dead run owes 13 of its 20 reserved sats to a provider on a relay.
pub(crate) struct Owing {
    pub folder: tempfile::TempDir,
    pub home: Home,
    pub mint: PlayMint,
    pub wallet: CashuWallet,
    pub ledger: Ledger,
}

impl Owing {
    pub async fn at(relay: SocketAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        vault::create(&home.wallet(), &Phrase::generate(), None).unwrap();
        let wallet = purse::need(&home).await.unwrap();
        wallet.allow_mint(mint.url(), None).await.unwrap();
        let invoice = wallet.invoice(mint.url(), Sats(100)).await.unwrap();
        wallet.receive_invoice(&invoice, PATIENCE).await.unwrap();
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
        wallet.owe(vec![debt]).await.unwrap();
        drop(reservation);
        Self { folder, home, mint, wallet, ledger }
    }

    fn upkeep(&self) -> (Upkeep, UnboundedReceiver<Outcome>) {
        let (said, says) = unbounded_channel();
        let tell = move |found: &Outcome| drop(said.send(found.clone()));
        let upkeep = Upkeep::start(self.wallet.clone(), self.ledger.clone(), self.home.clone(), tell);
        (upkeep, says)
    }

    async fn spent(&self) -> Sats {
        self.ledger.budget(RUN).await.unwrap().spent
    }

    async fn debt(&self) -> DebtState {
        self.wallet.debts(Some(RUN)).await.unwrap()[0].state
    }
}

async fn relay_at(address: SocketAddr) -> EmbeddedRelay {
    EmbeddedRelay::start(EmbeddedRelayConfig::at(address)).await.unwrap()
}

async fn next(says: &mut UnboundedReceiver<Outcome>) -> Outcome {
    tokio::time::timeout(PATIENCE, says.recv()).await.expect("it is said").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_dead_run_owes_is_paid_when_its_relay_is_back_and_said_until_then() {
    let relay = relay_at(SocketAddr::from(([127, 0, 0, 1], 0))).await;
    let address = relay.address();
    relay.shutdown().await;
    let owing = Owing::at(address).await;
    let (upkeep, mut says) = owing.upkeep();
    let first = next(&mut says).await;
    assert_eq!((first.told, first.waiting.len()), (0, 1), "{first:?}");
    assert_eq!((owing.spent().await, owing.debt().await), (Sats(20), DebtState::Owed));

    let relay = relay_at(address).await;
    upkeep.wake();
    let second = next(&mut says).await;
    assert_eq!((second.told, second.sats, second.waiting.len()), (1, Sats(13), 0), "{second:?}");
    assert_eq!(owing.debt().await, DebtState::Paid);
    assert_eq!(owing.wallet.available().await.unwrap(), Sats(87));
    assert_eq!(owing.spent().await, Sats(13), "the ledger knows what it was");
    drop(upkeep);
    relay.shutdown().await;
    owing.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_under_way_owes_is_paid_once_it_has_ended() {
    let relay = relay_at(SocketAddr::from(([127, 0, 0, 1], 0))).await;
    let owing = Owing::at(relay.address()).await;
    let under_way = owing.home.claim_run(RUN).await.unwrap();
    let found = look(&owing.wallet, &owing.ledger, &owing.home).await;
    assert_eq!(found, Outcome::default());
    assert_eq!(owing.wallet.available().await.unwrap(), Sats(100), "nothing has moved");
    drop(under_way);
    let (_upkeep, mut says) = owing.upkeep();
    assert_eq!(next(&mut says).await.told, 1);
    assert_eq!(owing.debt().await, DebtState::Paid);
    relay.shutdown().await;
    owing.mint.shutdown().await;
}
