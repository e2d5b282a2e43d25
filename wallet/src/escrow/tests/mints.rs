//! Sats at two mints, of which one does not answer: nothing at the other waits for it.

use super::*;

/// A payer with sats at two mints and a provider who trusts both.
struct TwoMints {
    parties: Parties,
    other: World,
}

impl TwoMints {
    async fn new() -> Self {
        let (parties, other) = (Parties::new(100).await, World::new().await);
        for wallet in [&parties.payer, &parties.provider] {
            wallet.allow_mint(other.mint.url(), None).await.unwrap();
        }
        fund(&parties.payer, other.mint.url(), 100).await;
        Self { parties, other }
    }

    /// The mint that is turned to first, then the other.
    fn in_order(&self) -> [&World; 2] {
        let mut worlds = [&self.parties.world, &self.other];
        worlds.sort_by_key(|world| world.mint.url().to_owned());
        worlds
    }

    /// One job at each mint, worked on.
    async fn jobs(&self, subtasks: [u32; 2]) -> Vec<Lock> {
        let mut locks = Vec::new();
        for (world, subtask) in self.in_order().into_iter().zip(subtasks) {
            let order = vec![self.parties.order(subtask, 8)];
            let lock = self.parties.payer.lock_all(world.mint.url(), order).await.unwrap().remove(0).lock;
            let claim = Claim { asker: format!("asker {subtask}"), ..claim(&format!("job {subtask}")) };
            self.parties.provider.accept(&lock, need(8), claim).await.unwrap();
            locks.push(lock);
        }
        locks
    }
}

#[tokio::test]
async fn released_work_is_redeemed_although_another_mint_is_away() {
    let scene = TwoMints::new().await;
    let Parties { payer, provider, .. } = &scene.parties;
    let ids = scene.jobs([1, 2]).await.into_iter().map(|lock| lock.id).collect();
    provider.released(payer.release(ids, now_secs()).await.unwrap()).await.unwrap();
    let [away, _] = scene.in_order();
    away.line.cut();
    let error = provider.redeem().await.unwrap_err().to_string();
    assert!(error.contains(away.mint.url()), "{error}");
    assert_eq!(available(provider).await, 8, "what lies at the other mint is here");
    away.line.set_faults(0);
    provider.retry_unclear().await.unwrap();
    provider.redeem().await.unwrap();
    assert_eq!(available(provider).await, 16);
}

#[tokio::test]
async fn what_was_given_back_comes_back_although_another_mint_is_away() {
    let scene = TwoMints::new().await;
    let Parties { payer, provider, .. } = &scene.parties;
    let mut given = Vec::new();
    for (subtask, lock) in [1, 2].into_iter().zip(scene.jobs([1, 2]).await) {
        given.push(provider.decline(&lock, claim(&format!("job {subtask}"))).await.unwrap());
    }
    let [away, _] = scene.in_order();
    away.line.cut();
    assert_eq!(payer.reclaim(given.clone()).await.unwrap(), [(key(2), Sats(0))]);
    assert_eq!(available(payer).await, 192);
    away.line.set_faults(0);
    payer.retry_unclear().await.unwrap();
    payer.reclaim(given).await.unwrap();
    assert_eq!(available(payer).await, 200);
}
