//! Sats at two mints, of which one does not answer: nothing at the other waits for it.

use super::*;
use crate::mint::Money;
use crate::mint::asking::TIMEOUT;
use crate::mint::health::Ask;

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

/// Locks at both mints, all expired: three of 8 sats at the one that is turned to first, one at the other.
async fn expired_at_both(scene: &TwoMints) {
    let locktime = now_secs() - HOUR;
    for (world, subtasks) in scene.in_order().into_iter().zip([0..3, 3..4]) {
        let orders = subtasks.map(|subtask| LockOrder { locktime, ..scene.parties.order(subtask, 8) });
        scene.parties.payer.lock_all(world.mint.url(), orders.collect()).await.unwrap();
    }
}

#[tokio::test]
async fn opening_asks_a_silent_mint_once_and_finishes_what_is_at_others() {
    let scene = TwoMints::new().await;
    expired_at_both(&scene).await;
    let [silent, _] = scene.in_order();
    let (folder, seed, url) = (&scene.parties.world.folder, &scene.parties.world.seed, silent.mint.url());
    // Nobody has it open any more, so that the next to open it looks at everything.
    scene.parties.payer.inner.presence.0.unlock().unwrap();
    silent.line.fall_silent();
    let open = || CashuWallet::open(folder.path(), seed.clone(), Money::Play);
    let (wallet, recovery) = open().await.unwrap();
    assert!(!recovery.busy);
    assert_eq!(recovery.refunded, Sats(8), "what is at the other mint is back");
    assert!(recovery.waiting.iter().all(|why| why.contains(url)), "{recovery:?}");
    assert_eq!(silent.line.asked_in_vain(), 1);
    assert_eq!(wallet.silent_mints().iter().map(|mint| mint.url.as_str()).collect::<Vec<_>>(), [url]);
    let stuck = wallet.stuck().await.unwrap();
    assert_eq!(
        stuck.iter().map(|stuck| (stuck.mint.as_str(), stuck.sats)).collect::<Vec<_>>(),
        [(url, Sats(24))]
    );
    assert!(stuck[0].to_string().contains("24 sats in locks whose time is over"), "{}", stuck[0]);
    drop(wallet);

    // The next one does not wait for it at all, and says so.
    let (wallet, recovery) = open().await.unwrap();
    assert_eq!((recovery.busy, recovery.refunded, recovery.waiting.len()), (false, Sats(0), 1));
    assert!(recovery.waiting[0].contains("has not answered"), "{recovery:?}");
    assert_eq!(silent.line.asked_in_vain(), 1);
    drop(wallet);

    // A caller that wants to know asks it all the same.
    silent.line.set_faults(0);
    let (wallet, recovery) =
        CashuWallet::open_patiently(folder.path(), seed.clone(), Money::Play).await.unwrap();
    assert_eq!((recovery.refunded, recovery.waiting), (Sats(24), Vec::new()));
    assert_eq!((wallet.silent_mints(), wallet.stuck().await.unwrap()), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn looks_leave_a_silent_mint_alone_while_it_rests() {
    let scene = TwoMints::new().await;
    expired_at_both(&scene).await;
    let [silent, _] = scene.in_order();
    silent.line.fall_silent();
    let look = || scene.parties.payer.refund_expired_at(Ask::Due);
    let first = TIMEOUT.scope(std::time::Duration::from_secs(4), look()).await.unwrap();
    assert_eq!((first.refunded, first.waiting.len()), (Sats(8), 1));
    let asked = silent.line.asked_in_vain();
    assert_eq!(asked, 1);
    let second = look().await.unwrap();
    assert_eq!((second.refunded, second.waiting.len()), (Sats(0), 1));
    assert_eq!(silent.line.asked_in_vain(), asked);
}

#[tokio::test]
async fn released_work_is_redeemed_while_a_silent_mint_is_waited_for() {
    let scene = TwoMints::new().await;
    let Parties { payer, provider, .. } = &scene.parties;
    let ids = scene.jobs([1, 2]).await.into_iter().map(|lock| lock.id).collect();
    provider.released(payer.release(ids, now_secs()).await.unwrap()).await.unwrap();
    let [silent, healthy] = scene.in_order();
    silent.line.fall_silent();
    let (beside, url) = (provider.clone(), silent.mint.url().to_owned());
    let waits = tokio::spawn(async move { beside.redeem_from(&url).await });
    while silent.line.asked_in_vain() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(provider.redeem_from(healthy.mint.url()).await.unwrap(), Sats(8));
    assert!(!waits.is_finished(), "nobody has waited for the other one");
    waits.abort();
}
