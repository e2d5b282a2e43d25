//! Locks of which somebody has spent a part: what is left is settled proof by proof.

use cdk::nuts::SwapRequest;

use super::*;
use crate::mint::address::parse_mint;
use crate::mint::asking::bounded;
use crate::mint::swap::Kind;
use crate::{Ledger, reconcile};

/// 13 sats are coins of 8, 4 and 1. A thief with both signatures spends the one of 8.
const PRICE: u64 = 13;
const STOLEN: u64 = 8;

impl Parties {
    /// A lock whose time was over an hour ago.
    async fn expired_lock(&self) -> Lock {
        let order = LockOrder { locktime: now_secs() - HOUR, ..self.order(1, PRICE) };
        self.payer.lock_all(self.world.mint.url(), vec![order]).await.unwrap().remove(0).lock
    }

    /// As somebody does who has read both signatures where they should not have been.
    async fn steal_from(&self, lock: &Lock) {
        let folder = tempfile::tempdir().unwrap();
        let url = self.world.mint.url();
        let thief = wallet_in(folder.path(), &Phrase::generate().seed(), url).await;
        let cosign = lock.sign(&self.payer.inner.escrow.cosign_key(&lock.id)).unwrap();
        let own = lock.sign(&self.provider.inner.escrow.provider_lock_key(&lock.id)).unwrap();
        let mut proofs = lock.signed_proofs(&[&own, &cosign]).unwrap();
        proofs.retain(|proof| proof.amount.to_u64() == STOLEN);
        assert_eq!(proofs.len(), 1);
        let subjects = vec![lock.id.clone()];
        let plan = thief.plan_own(Kind::Redeem, url, lock.keyset, proofs.clone(), subjects).await.unwrap();
        let request = SwapRequest::new(proofs, thief.blinded(&plan).unwrap());
        let mint = thief.known_mint(&parse_mint(url).unwrap()).unwrap();
        bounded(url, mint.mint_connector().post_swap(request)).await.unwrap();
    }
}

#[tokio::test]
async fn what_is_left_of_a_partly_spent_lock_comes_back() {
    let (parties, books) = (Parties::new(100).await, tempfile::tempdir().unwrap());
    let ledger = Ledger::open(books.path().join("ledger.sqlite")).await.unwrap();
    ledger.open_run("run", Sats(60)).await.unwrap();
    let mut reservation = ledger.reserve(key(1), Sats(PRICE)).await.unwrap();
    reservation.lock().await.unwrap();
    let lock = parties.expired_lock().await;
    reservation.release().await.unwrap();
    parties.steal_from(&lock).await;

    let recovery = parties.payer.refund_expired().await.unwrap();
    assert_eq!(recovery.refunded, Sats(PRICE - STOLEN));
    assert!(recovery.waiting[0].contains("8 sats of a lock of 13 sats were taken"), "{recovery:?}");
    assert_eq!(available(&parties.payer).await, 100 - STOLEN);
    let row = parties.payer.lock_of(&key(1)).await.unwrap().unwrap();
    assert_eq!(row.outcome(), SettlementOutcome::Paid { price: Sats(STOLEN), fees: Sats(0) });
    reconcile(&ledger, Some(&parties.payer)).await.unwrap();
    let budget = ledger.budget("run").await.unwrap();
    assert_eq!((budget.spent, budget.pending_refund, budget.available), (Sats(8), Sats(0), Sats(52)));
    // It is said once, and nothing is looked for any more.
    let again = parties.payer.refund_expired().await.unwrap();
    assert_eq!((again.refunded, again.waiting), (Sats(0), Vec::new()));
}

#[tokio::test]
async fn a_provider_has_what_is_left_of_a_partly_spent_lock() {
    let parties = Parties::new(100).await;
    let (first, second) = (parties.lock(1, PRICE).await.lock, parties.lock(2, 5).await.lock);
    parties.accept(&first, "job").await.unwrap();
    let beside = Claim { asker: "beside".to_owned(), ..claim("job 2") };
    parties.provider.accept(&second, need(5), beside).await.unwrap();
    let ids = vec![first.id.clone(), second.id.clone()];
    parties.provider.released(parties.payer.release(ids, now_secs()).await.unwrap()).await.unwrap();
    parties.steal_from(&first).await;
    // The mint refuses them together; what is there comes with the next look.
    let error = parties.provider.redeem().await.unwrap_err();
    assert!(matches!(error, WalletError::AlreadySpent), "{error}");
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(PRICE - STOLEN + 5));
    let earnings = parties.provider.earnings().await.unwrap();
    assert!(earnings.iter().all(|earning| earning.state == "redeemed"), "{earnings:?}");
    assert_eq!(earnings.iter().map(|earning| earning.received).sum::<Sats>(), Sats(PRICE - STOLEN + 5));
}

#[tokio::test]
async fn a_released_lock_whose_taking_back_was_refused_is_still_released() {
    let parties = Parties::new(100).await;
    let order = LockOrder { locktime: now_secs() + RELEASE_MARGIN_SECS + HOUR, ..parties.order(1, PRICE) };
    let url = parties.world.mint.url();
    let lock = parties.payer.lock_all(url, vec![order]).await.unwrap().remove(0).lock;
    parties.accept(&lock, "job").await.unwrap();
    let releases = parties.payer.release(vec![lock.id.clone()], now_secs()).await.unwrap();
    // The time is over for the payer, and the mint refuses to exchange.
    let signatures = lock.sign(&parties.payer.inner.escrow.refund_key(&lock.id)).unwrap();
    let proofs = lock.signed_proofs(&[&signatures]).unwrap();
    parties.world.line.refuse_exchanges();
    let back = parties.payer.reclaim_locks(url, lock.keyset, vec![(lock.clone(), proofs)]).await;
    assert!(back.failed.is_some_and(|error| error.is_certain()));
    assert_eq!(parties.payer.lock_of(&key(1)).await.unwrap().unwrap().state(), "released");
    // Its provider has it meanwhile: nobody is accused of anything.
    parties.world.line.set_faults(0);
    parties.provider.released(releases).await.unwrap();
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(PRICE));
    let World { folder, seed, .. } = &parties.world;
    let later = now_secs() + 3 * HOUR;
    let clock = Clock::from_fn(move || later);
    let money = crate::Money::Play;
    let (payer, _) = CashuWallet::open_with(folder.path(), seed.clone(), money, clock).await.unwrap();
    assert_eq!(payer.refund_expired().await.unwrap().waiting, Vec::<String>::new());
    assert_eq!(payer.lock_of(&key(1)).await.unwrap().unwrap().state(), "settled");
}
