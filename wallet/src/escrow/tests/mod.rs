//! Escrow against a real mint over HTTP.

mod cancelled;
mod chunks;
mod declined;
mod faults;
mod kill_loop;
mod kills;
mod mints;
mod overtaken;
mod parts;
mod refunds;
mod thieves;

use super::*;
use crate::cashu::tests::{World, available, fund, wallet_in};
use crate::error::WalletError;
use crate::mint::CashuWallet;
use crate::outcome::SettlementOutcome;
use crate::seed::Phrase;
use crate::{Clock, Key, Sats};

pub(crate) const HOUR: u64 = 3_600;

pub(crate) fn now_secs() -> u64 {
    Clock::system().now_secs()
}

/// A payer with sats and a provider without, who trust one mint.
pub(crate) struct Parties {
    pub world: World,
    pub payer: CashuWallet,
    pub provider: CashuWallet,
    _provider_folder: tempfile::TempDir,
}

impl Parties {
    pub async fn new(sats: u64) -> Self {
        Self::with_fee(sats, 0).await
    }

    pub async fn with_fee(sats: u64, input_fee_ppk: u64) -> Self {
        Self::at(World::with_fee(input_fee_ppk).await, sats).await
    }

    pub async fn at(world: World, sats: u64) -> Self {
        let payer = world.funded(sats).await;
        let provider_folder = tempfile::tempdir().unwrap();
        let provider_seed = Phrase::generate().seed();
        let provider = wallet_in(provider_folder.path(), &provider_seed, world.mint.url()).await;
        Self { world, payer, provider, _provider_folder: provider_folder }
    }

    pub fn order(&self, subtask: u32, price: u64) -> LockOrder {
        LockOrder {
            key: key(subtask),
            peer: "npub".to_owned(),
            provider: self.provider.provider_key(),
            price: Sats(price),
            most: None,
            locktime: now_secs() + HOUR,
        }
    }

    pub async fn lock(&self, subtask: u32, price: u64) -> Locked {
        let orders = vec![self.order(subtask, price)];
        self.payer.lock_all(self.world.mint.url(), orders).await.unwrap().remove(0)
    }

    pub async fn accept(&self, lock: &Lock, job: &str) -> Result<Claimed, LockRefusal> {
        self.provider.accept(lock, need(lock.price.0), claim(job)).await
    }

    /// What both have at the mint, free or on its way.
    pub async fn sums(&self) -> (u64, u64) {
        (available(&self.payer).await, available(&self.provider).await)
    }
}

pub(crate) fn key(subtask: u32) -> Key {
    Key::new("run", subtask, 0)
}

pub(crate) fn need(price: u64) -> Need {
    Need { price: Sats(price), earliest_locktime: now_secs() + HOUR / 2 }
}

pub(crate) fn claim(job: &str) -> Claim {
    Claim { job: job.to_owned(), asker: "asker".to_owned(), model: "model".to_owned() }
}

#[tokio::test]
async fn released_work_is_paid_to_the_sat() {
    let parties = Parties::new(100).await;
    let locked = parties.lock(1, 13).await;
    assert_eq!(locked.fees(), Sats(0));
    assert_eq!(parties.accept(&locked.lock, "job").await.unwrap(), Claimed { price: Sats(13) });
    assert_eq!(parties.sums().await, (87, 0));
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(0), "nothing is released yet");

    let releases = parties.payer.release(vec![locked.lock.id.clone()], now_secs()).await.unwrap();
    assert_eq!(parties.provider.released(releases).await.unwrap(), std::slice::from_ref(&locked.lock.id));
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(13));
    parties.payer.settled(vec![locked.lock.id.clone()]).await.unwrap();
    assert_eq!(parties.sums().await, (87, 13));
    let row = parties.payer.lock_of(&key(1)).await.unwrap().unwrap();
    assert_eq!(row.outcome(), SettlementOutcome::Paid { price: Sats(13), fees: Sats(0) });
    let earning = parties.provider.earnings().await.unwrap().remove(0);
    assert_eq!((earning.state.as_str(), earning.received), ("redeemed", Sats(13)));
}

#[tokio::test]
async fn a_provider_that_lost_gives_back_and_the_payer_has_it_at_once() {
    let parties = Parties::new(100).await;
    let locked = parties.lock(1, 13).await;
    parties.accept(&locked.lock, "job").await.unwrap();
    let returned = parties.provider.decline(&locked.lock, claim("job")).await.unwrap();
    assert_eq!(parties.payer.reclaim(vec![returned]).await.unwrap(), [(key(1), Sats(0))]);
    assert_eq!(parties.sums().await, (100, 0));
    assert_eq!(
        parties.payer.lock_of(&key(1)).await.unwrap().unwrap().outcome(),
        SettlementOutcome::Back { fees: Sats(0) }
    );
    // A release that comes too late opens nothing any more.
    assert!(parties.payer.release(vec![locked.lock.id.clone()], now_secs()).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_job_that_is_refused_at_the_door_gives_its_lock_back() {
    let parties = Parties::new(100).await;
    let lock = parties.lock(1, 13).await.lock;
    let returned = parties.provider.decline(&lock, claim("job")).await.unwrap();
    assert!(matches!(parties.accept(&lock, "job").await, Err(LockRefusal::Used)));
    parties.payer.reclaim(vec![returned]).await.unwrap();
    assert_eq!(parties.sums().await, (100, 0));
    // A lock that is earned, or another job's, is not given away.
    let lock = parties.lock(2, 13).await.lock;
    parties.accept(&lock, "job 2").await.unwrap();
    assert!(parties.provider.decline(&lock, claim("another")).await.is_err());
    let releases = parties.payer.release(vec![lock.id.clone()], now_secs()).await.unwrap();
    parties.provider.released(releases).await.unwrap();
    assert!(parties.provider.decline(&lock, claim("job 2")).await.is_err());
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(13));
}

#[tokio::test]
async fn many_locks_and_many_redemptions_share_one_exchange_and_its_fee() {
    let parties = Parties::with_fee(2_000, 100).await;
    let cost = parties.payer.lock_cost(parties.world.mint.url(), Sats(7)).await.unwrap();
    let orders: Vec<LockOrder> = (0..20).map(|subtask| parties.order(subtask, 7)).collect();
    let locked = parties.payer.lock_all(parties.world.mint.url(), orders).await.unwrap();
    assert_eq!(locked.len(), 20);
    assert!(locked.iter().all(|each| each.fees() <= cost.most_fees));
    let locked_fees: u64 = locked.iter().map(|each| each.lock_fee.0).sum();
    let gross: u64 = locked.iter().map(|each| each.lock.amount().unwrap().0).sum();
    assert_eq!(available(&parties.payer).await, 2_000 - gross - locked_fees);

    let mut ids = Vec::new();
    for (index, each) in locked.iter().enumerate() {
        let claim = Claim { asker: format!("asker {index}"), ..claim(&format!("job {index}")) };
        parties.provider.accept(&each.lock, need(7), claim).await.unwrap();
        ids.push(each.lock.id.clone());
    }
    let releases = parties.payer.release(ids, now_secs()).await.unwrap();
    assert_eq!(parties.provider.released(releases).await.unwrap().len(), 20);
    let received = parties.provider.redeem().await.unwrap();
    assert!(received >= Sats(140), "every provider gets its price after fees: {received}");
    assert_eq!(available(&parties.provider).await, received.0);
    let booked: u64 = parties.provider.earnings().await.unwrap().iter().map(|each| each.received.0).sum();
    assert_eq!(booked, received.0);
}

#[tokio::test]
async fn nothing_is_released_shortly_before_the_locktime() {
    let parties = Parties::new(100).await;
    let locked = parties.lock(1, 5).await;
    let ids = || vec![locked.lock.id.clone()];
    let margin = locked.lock.locktime - RELEASE_MARGIN_SECS;
    assert!(parties.payer.release(ids(), margin).await.unwrap().is_empty());
    assert_eq!(parties.payer.release(ids(), margin - 1).await.unwrap().len(), 1);
}

#[tokio::test]
async fn without_the_sats_nothing_is_locked() {
    let parties = Parties::new(10).await;
    let error =
        parties.payer.lock_all(parties.world.mint.url(), vec![parties.order(1, 11)]).await.unwrap_err();
    assert!(
        matches!(error, WalletError::InsufficientFunds { needed: Sats(11), available: Sats(10), .. }),
        "{error}"
    );
    assert_eq!(available(&parties.payer).await, 10);
}

#[tokio::test]
async fn a_lock_that_would_cost_more_than_was_set_aside_is_not_made() {
    let parties = Parties::with_fee(100, 100).await;
    let mint = parties.world.mint.url();
    let cost = parties.payer.lock_cost(mint, Sats(7)).await.unwrap().total();
    let order = |most| LockOrder { most: Some(most), ..parties.order(1, 7) };
    // As if the mint had taken less when it was asked.
    let error = parties.payer.lock_all(mint, vec![order(Sats(7))]).await.unwrap_err();
    assert!(matches!(error, WalletError::Dearer { most: Sats(7), .. }) && error.is_certain(), "{error}");
    assert_eq!(available(&parties.payer).await, 100);
    assert!(parties.payer.lock_of(&key(1)).await.unwrap().is_none(), "nothing was even planned");
    // Counted again, the same attempt can be paid for.
    let made = parties.payer.lock_all(mint, vec![order(cost)]).await.unwrap().remove(0);
    assert!(Sats(7).saturating_add(made.fees()) <= cost);
}

#[tokio::test]
async fn a_lock_may_take_everything_there_is_and_leave_no_change() {
    let parties = Parties::new(100).await;
    let lock = parties.lock(1, 100).await.lock;
    assert_eq!(parties.sums().await, (0, 0));
    parties.accept(&lock, "job").await.unwrap();
    let releases = parties.payer.release(vec![lock.id], now_secs()).await.unwrap();
    parties.provider.released(releases).await.unwrap();
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(100));
}

#[tokio::test]
async fn locks_made_at_once_never_take_the_same_sats() {
    let parties = Parties::new(64).await;
    fund(&parties.payer, parties.world.mint.url(), 64).await;
    let lock = |subtask| parties.payer.lock_all(parties.world.mint.url(), vec![parties.order(subtask, 20)]);
    let (first, second, third) = tokio::join!(lock(1), lock(2), lock(3));
    let made = [first, second, third].into_iter().flatten().count() as u64;
    assert!(made >= 1);
    assert_eq!(available(&parties.payer).await, 128 - 20 * made);
}

#[tokio::test]
async fn who_finds_all_sats_in_others_exchanges_waits_for_their_change() {
    let parties = Parties::new(64).await;
    let lock = |subtask| parties.payer.lock_all(parties.world.mint.url(), vec![parties.order(subtask, 20)]);
    let (first, second, third) = tokio::join!(lock(1), lock(2), lock(3));
    for made in [first, second, third] {
        made.unwrap();
    }
    assert_eq!(available(&parties.payer).await, 4);
    let error = lock(4).await.unwrap_err();
    assert!(matches!(error, WalletError::InsufficientFunds { .. }), "{error}");
}

#[tokio::test]
async fn with_all_sats_in_swaps_of_another_process_a_payer_waits_for_change() {
    let parties = Parties::new(64).await;
    // The same books, and nothing of this one's in memory.
    let beside = parties.world.wallet().await;
    let url = parties.world.mint.url();
    let (first, second) = tokio::join!(
        parties.payer.lock_all(url, vec![parties.order(1, 20)]),
        beside.lock_all(url, vec![parties.order(2, 20)])
    );
    first.unwrap();
    second.unwrap();
    assert_eq!(available(&beside).await, 24);
}

#[tokio::test]
async fn credit_grows_with_releases() {
    let parties = Parties::new(100).await;
    let (first, second) = (parties.lock(1, 1).await, parties.lock(2, 1).await);
    parties.accept(&first.lock, "a").await.unwrap();
    let refused = parties.accept(&second.lock, "b").await.unwrap_err();
    assert!(matches!(refused, LockRefusal::Credit { open: 1, limit: 1 }), "{refused}");
    let releases = parties.payer.release(vec![first.lock.id], now_secs()).await.unwrap();
    parties.provider.released(releases).await.unwrap();
    parties.accept(&second.lock, "b").await.unwrap();
    let third = parties.lock(3, 1).await;
    parties.accept(&third.lock, "c").await.unwrap();
    let credit = parties.provider.credit("asker").await.unwrap();
    assert_eq!(credit, Credit { released: 1, withheld: 0, open: 2 });
}
