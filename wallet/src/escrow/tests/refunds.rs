//! What nobody decided about is refunded by itself, also after restarts. The parties' clock is the
//! test's; the mint's own is far beyond every locktime.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::*;
use crate::ledger::tests::crash;
use crate::mint::Money;
use crate::{Budget, Ledger, Look, RefundWatch, reconcile};

/// Looks of a watch are waited for so long: only for a test that fails.
const TIMEOUT: Duration = Duration::from_secs(20);

struct Scene {
    parties: Parties,
    now: Arc<AtomicU64>,
    clock: Clock,
    books: tempfile::TempDir,
}

impl Scene {
    async fn new() -> Self {
        let parties = Parties::new(100).await;
        let now = Arc::new(AtomicU64::new(now_secs() - 24 * HOUR));
        let told = Arc::clone(&now);
        let clock = Clock::from_fn(move || told.load(Ordering::SeqCst));
        Self { parties, now, clock, books: tempfile::tempdir().unwrap() }
    }

    fn advance(&self, secs: u64) {
        self.now.fetch_add(secs, Ordering::SeqCst);
    }

    async fn ledger(&self) -> Ledger {
        Ledger::open(self.books.path().join("ledger.sqlite")).await.unwrap()
    }

    /// The payer's wallet in a process of its own.
    async fn payer(&self) -> CashuWallet {
        let World { folder, seed, .. } = &self.parties.world;
        CashuWallet::open_with(folder.path(), seed.clone(), Money::Play, self.clock.clone()).await.unwrap().0
    }

    /// Reserves and locks 40 sats for a minute, with the ledger's marks.
    async fn lock(&self, payer: &CashuWallet, ledger: &Ledger) {
        ledger.open_run("run", Sats(60)).await.unwrap();
        let mut reservation = ledger.reserve(key(1), Sats(40)).await.unwrap();
        reservation.lock().await.unwrap();
        let locktime = self.now.load(Ordering::SeqCst) + 60;
        let order = LockOrder { locktime, ..self.parties.order(1, 40) };
        payer.lock_all(self.parties.world.mint.url(), vec![order]).await.unwrap();
        drop(reservation);
    }
}

async fn look(watch: &RefundWatch, after: u64) -> Look {
    let mut looks = watch.looks();
    let looked = tokio::time::timeout(TIMEOUT, looks.wait_for(|look| look.number > after)).await;
    looked.expect("it looks").unwrap().clone()
}

async fn budget(ledger: &Ledger) -> Budget {
    ledger.budget("run").await.unwrap()
}

#[tokio::test]
async fn a_lock_comes_back_while_the_program_runs() {
    let scene = Scene::new().await;
    let (payer, ledger) = (scene.payer().await, scene.ledger().await);
    scene.lock(&payer, &ledger).await;
    let watch = RefundWatch::start(payer.clone(), Some(ledger.clone()));
    let first = look(&watch, 0).await;
    let locktime = scene.now.load(Ordering::SeqCst) + 60;
    assert_eq!((first.refunded, first.next_at), (Sats(0), Some(locktime)));
    assert_eq!(budget(&ledger).await.pending_refund, Sats(40));

    scene.advance(67);
    watch.wake();
    let second = look(&watch, first.number).await;
    assert_eq!((second.refunded, second.next_at, second.waiting), (Sats(40), None, Vec::new()));
    assert_eq!(available(&payer).await, 100);
    let after = budget(&ledger).await;
    assert_eq!((after.pending_refund, after.available), (Sats(0), Sats(60)));
}

#[tokio::test]
async fn a_lock_comes_back_after_its_process_has_died() {
    let scene = Scene::new().await;
    let (payer, ledger) = (scene.payer().await, scene.ledger().await);
    scene.lock(&payer, &ledger).await;
    drop(payer);
    crash(ledger).await;

    scene.advance(30);
    let (payer, ledger) = (scene.payer().await, scene.ledger().await);
    let watch = RefundWatch::start(payer.clone(), Some(ledger.clone()));
    assert_eq!(look(&watch, 0).await.refunded, Sats(0), "its time is not over");
    assert_eq!(budget(&ledger).await.pending_refund, Sats(40));
    drop((watch, payer));
    crash(ledger).await;

    scene.advance(60);
    let (payer, ledger) = (scene.payer().await, scene.ledger().await);
    let watch = RefundWatch::start(payer.clone(), Some(ledger.clone()));
    look(&watch, 0).await;
    assert_eq!(available(&payer).await, 100);
    assert_eq!(budget(&ledger).await.available, Sats(60));
}

#[tokio::test]
async fn a_mint_that_is_away_is_named_and_asked_again() {
    let scene = Scene::new().await;
    let (payer, ledger) = (scene.payer().await, scene.ledger().await);
    scene.lock(&payer, &ledger).await;
    scene.advance(67);
    scene.parties.world.line.cut();
    let watch = RefundWatch::start(payer.clone(), Some(ledger.clone()));
    let first = look(&watch, 0).await;
    assert_eq!(first.refunded, Sats(0));
    assert!(first.waiting[0].contains(scene.parties.world.mint.url()), "{first:?}");
    assert_eq!(budget(&ledger).await.pending_refund, Sats(40), "nobody knows better");

    scene.parties.world.line.set_faults(0);
    watch.wake();
    assert_eq!(look(&watch, first.number).await.refunded, Sats(40));
    assert_eq!((available(&payer).await, budget(&ledger).await.available), (100, Sats(60)));
}

#[tokio::test]
async fn what_comes_back_for_more_than_was_set_aside_is_decided_all_the_same() {
    let (parties, books) = (Parties::with_fee(100, 100).await, tempfile::tempdir().unwrap());
    let ledger = Ledger::open(books.path().join("ledger.sqlite")).await.unwrap();
    ledger.open_run("run", Sats(60)).await.unwrap();
    // As if nothing had been taken for moving sats when it was reserved.
    let mut reservation = ledger.reserve(key(1), Sats(1)).await.unwrap();
    reservation.lock().await.unwrap();
    let lock = parties.lock(1, 1).await.lock;
    reservation.release().await.unwrap();
    let returned = parties.provider.decline(&lock, claim("job")).await.unwrap();
    let back = parties.payer.reclaim(vec![returned]).await.unwrap();
    assert!(back[0].1 > Sats(1), "{back:?}");
    let found = reconcile(&ledger, Some(&parties.payer)).await.unwrap();
    assert_eq!((found.back, found.over.len(), found.waiting.len()), (vec![key(1)], 0, 0));
    let budget = ledger.budget("run").await.unwrap();
    assert_eq!((budget.spent, budget.pending_refund, budget.available), (Sats(1), Sats(0), Sats(59)));
}
