//! Mints that take few proofs at once: whatever is exchanged goes in whole locks, as many as they take.

use axum::http::StatusCode;

use super::*;
use crate::cashu::tests::faulty::Fault;
use crate::mint::Money;

/// In ten coins.
const PRICE: u64 = 1_023;
const LOCKS: u32 = 6;
const FUNDS: u64 = 10_000;
const BACK: u64 = PRICE * LOCKS as u64;

impl Parties {
    /// Six locks of ten coins each. `locktime`: when they open by themselves.
    async fn six_locks(&self, locktime: u64) -> Vec<Lock> {
        let orders: Vec<LockOrder> =
            (0..LOCKS).map(|subtask| LockOrder { locktime, ..self.order(subtask, PRICE) }).collect();
        let locked = self.payer.lock_all(self.world.mint.url(), orders).await.unwrap();
        assert_eq!(locked.len(), LOCKS as usize);
        assert!(locked.iter().all(|each| each.lock.proofs.len() == 10));
        assert_eq!(available(&self.payer).await, FUNDS - BACK);
        locked.into_iter().map(|each| each.lock).collect()
    }

    async fn accept_all(&self, locks: &[Lock]) {
        for (index, lock) in locks.iter().enumerate() {
            let claim = Claim { asker: format!("asker {index}"), ..claim(&format!("job {index}")) };
            let need = Need { price: lock.price, earliest_locktime: 0 };
            self.provider.accept(lock, need, claim).await.unwrap();
        }
    }

    /// Six locks that expired are reclaimed, at a mint that takes fewer than those of six at once.
    async fn expired_locks_come_back(&self) {
        self.six_locks(now_secs() - HOUR).await;
        let recovery = self.payer.refund_expired().await.unwrap();
        assert_eq!((recovery.refunded, recovery.waiting), (Sats(BACK), Vec::new()));
        assert_eq!(available(&self.payer).await, FUNDS);
    }
}

#[tokio::test]
async fn expired_locks_come_back_from_a_mint_that_announces_a_limit_of_fifty() {
    Parties::at(World::with_limit(50).await, FUNDS).await.expired_locks_come_back().await;
}

#[tokio::test]
async fn expired_locks_come_back_from_mints_that_only_refuse_what_is_too_long() {
    for status in [StatusCode::UNPROCESSABLE_ENTITY, StatusCode::PAYLOAD_TOO_LARGE] {
        let parties = Parties::at(World::at_another_mint().await, FUNDS).await;
        parties.world.line.refuse_longer(50, status);
        parties.expired_locks_come_back().await;
    }
}

#[tokio::test]
async fn released_work_is_redeemed_in_as_many_exchanges_as_its_mint_wants() {
    let parties = Parties::at(World::with_limit(50).await, FUNDS).await;
    let locks = parties.six_locks(now_secs() + HOUR).await;
    parties.accept_all(&locks).await;
    let ids = locks.into_iter().map(|lock| lock.id).collect();
    let releases = parties.payer.release(ids, now_secs()).await.unwrap();
    parties.provider.released(releases).await.unwrap();
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(BACK));
    assert!(parties.provider.earnings().await.unwrap().iter().all(|each| each.state == "redeemed"));
    assert_eq!(parties.sums().await, (FUNDS - BACK, BACK));
}

#[tokio::test]
async fn what_was_given_back_comes_back_from_a_mint_that_takes_little_at_once() {
    let parties = Parties::at(World::at_another_mint().await, FUNDS).await;
    let locks = parties.six_locks(now_secs() + HOUR).await;
    let mut given = Vec::new();
    for (index, lock) in locks.iter().enumerate() {
        given.push(parties.provider.decline(lock, claim(&format!("job {index}"))).await.unwrap());
    }
    // Fewer than the coins of two locks.
    parties.world.line.refuse_longer(16, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(parties.payer.reclaim(given).await.unwrap().len(), LOCKS as usize);
    assert_eq!(parties.sums().await, (FUNDS, 0));
}

#[tokio::test]
async fn chunks_are_plans_of_their_own_and_one_that_fails_holds_up_itself() {
    let parties = Parties::at(World::with_limit(50).await, FUNDS).await;
    parties.six_locks(now_secs() - HOUR).await;
    // The second exchange of two gets no clear answer.
    parties.world.line.script("swap", [Fault::None, Fault::Broken]);
    let recovery = parties.payer.refund_expired().await.unwrap();
    assert_eq!((recovery.refunded, recovery.waiting.len()), (Sats(5 * PRICE), 1));
    assert_eq!(parties.payer.retry_unclear().await.unwrap(), 1);
    assert_eq!(available(&parties.payer).await, FUNDS);
}

#[tokio::test]
async fn the_words_bring_back_sats_from_a_mint_that_signs_sixteen_at_once() {
    let world = World::with_limit(16).await;
    world.funded(65_535).await;
    let folder = tempfile::tempdir().unwrap();
    let (again, _) = CashuWallet::open(folder.path(), world.seed.clone(), Money::Play).await.unwrap();
    assert_eq!(again.add_mint(world.mint.url(), None).await.unwrap().1, Sats(65_535));
    assert_eq!(available(&again).await, 65_535);
}
