//! A dead run that owes, and the program that maintains its home.

use std::net::SocketAddr;

use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use frlm_wallet::Sats;
use frlm_wallet::debts::DebtState;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::testing::{Owing, RUN, TIMEOUT};
use super::*;

impl Owing {
    fn maintenance(&self) -> (Maintenance, UnboundedReceiver<Outcome>) {
        let (said, says) = unbounded_channel();
        let tell = move |found: &Outcome| drop(said.send(found.clone()));
        let maintenance =
            Maintenance::start(self.wallet.clone(), self.ledger.clone(), self.home.clone(), tell);
        (maintenance, says)
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
    tokio::time::timeout(TIMEOUT, says.recv()).await.expect("it is said").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_runs_debt_is_paid_when_its_relay_is_back_and_named_until_then() {
    let relay = relay_at(SocketAddr::from(([127, 0, 0, 1], 0))).await;
    let address = relay.address();
    relay.shutdown().await;
    let owing = Owing::at(address).await;
    let (maintenance, mut says) = owing.maintenance();
    let first = next(&mut says).await;
    assert_eq!((first.told, first.waiting.len()), (0, 1), "{first:?}");
    assert_eq!((owing.spent().await, owing.debt().await), (Sats(20), DebtState::Owed));

    let relay = relay_at(address).await;
    maintenance.wake();
    let second = next(&mut says).await;
    assert_eq!((second.told, second.sats, second.waiting.len()), (1, Sats(13), 0), "{second:?}");
    assert_eq!(owing.debt().await, DebtState::Paid);
    assert_eq!(owing.wallet.available().await.unwrap(), Sats(87));
    assert_eq!(owing.spent().await, Sats(13), "the ledger knows what it was");
    drop(maintenance);
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
    let (_maintenance, mut says) = owing.maintenance();
    assert_eq!(next(&mut says).await.told, 1);
    assert_eq!(owing.debt().await, DebtState::Paid);
    relay.shutdown().await;
    owing.mint.shutdown().await;
}
