//! The caller of an exchange goes away while it is under way: the process lives on, and so does what
//! was written. Each test goes away at every await there is, one after the other.

use std::pin::pin;
use std::task::Poll;

use super::*;
use crate::reconcile;
use crate::{Ledger, Reservation};

/// More awaits than an exchange has.
const MOST_POLLS: u32 = 500;
/// An exchange whose first request is still with the mint is asked for again so often.
const MOST_LOOKS: usize = 100;

/// Polls an operation so many times and drops it; what it gave, if it came to its end before.
async fn polled<T>(work: impl Future<Output = T>, mut polls: u32) -> Option<T> {
    let mut work = pin!(work);
    std::future::poll_fn(|context| {
        if polls == 0 {
            return Poll::Ready(None);
        }
        polls -= 1;
        work.as_mut().poll(context).map(Some)
    })
    .await
}

/// What the wallet does in the background, until nothing is open any more.
async fn looked_after(wallet: &CashuWallet) {
    for _ in 0..MOST_LOOKS {
        wallet.retry_unclear().await.unwrap();
        let open = |transaction: &rusqlite::Transaction<'_>| {
            transaction.query_row("SELECT COUNT(*) FROM swaps WHERE state = 'planned'", [], |row| {
                row.get::<_, u32>(0)
            })
        };
        if wallet.inner.journal.write(open).await.unwrap() == 0 {
            return;
        }
    }
    panic!("an exchange is planned and nobody sees to it");
}

#[tokio::test]
async fn a_lock_whose_maker_goes_away_is_in_the_books_or_is_never_made() {
    let parties = Parties::new(1_000).await;
    let (payer, mint) = (&parties.payer, parties.world.mint.url());
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(folder.path().join("ledger.sqlite")).await.unwrap();
    ledger.open_run("run", Sats(1_000)).await.unwrap();
    let mut decided = 0;
    for polls in 0..MOST_POLLS {
        let mut reservation: Reservation = ledger.reserve(key(polls), Sats(1)).await.unwrap();
        reservation.publish().await.unwrap();
        reservation.lock().await.unwrap();
        let made = polled(payer.lock_all(mint, vec![parties.order(polls, 1)]), polls).await;
        reservation.release().await.unwrap();
        // At this moment the books may say that nothing was locked; then that is how it stays.
        decided += reconcile(&ledger, Some(payer)).await.unwrap().back.len();
        if made.is_some() {
            break;
        }
    }
    assert!(decided > 0, "it was never stopped before its plan was written");
    looked_after(payer).await;
    reconcile(&ledger, Some(payer)).await.unwrap();
    let budget = ledger.budget("run").await.unwrap();
    assert!(budget.pending_refund > Sats::ZERO, "it was never stopped after its plan was written");
    assert_eq!((budget.spent, budget.reserved), (Sats(0), Sats(0)));
    assert_eq!(available(payer).await, 1_000 - budget.pending_refund.0);
    assert!(payer.locks(None).await.unwrap().iter().all(|row| ["locked", "void"].contains(&row.state())));
}

#[tokio::test]
async fn a_redemption_that_is_cut_short_is_finished_by_the_next_look() {
    let parties = Parties::new(1_000).await;
    let (payer, provider) = (&parties.payer, &parties.provider);
    let mut earned = 0;
    for polls in 0..MOST_POLLS {
        let lock = parties.lock(polls, 1).await.lock;
        let claim = Claim { asker: format!("asker {polls}"), ..claim(&format!("job {polls}")) };
        provider.accept(&lock, need(1), claim).await.unwrap();
        provider.released(payer.release(vec![lock.id], now_secs()).await.unwrap()).await.unwrap();
        earned += 1;
        let redeemed = polled(provider.redeem(), polls).await;
        looked_after(provider).await;
        if redeemed.is_some() {
            break;
        }
    }
    provider.redeem().await.unwrap();
    assert_eq!(available(provider).await, earned);
    assert!(provider.earnings().await.unwrap().iter().all(|each| each.state == "redeemed"));
}

#[tokio::test]
async fn sats_spent_meanwhile_are_not_restored_when_their_swap_is_redone() {
    let parties = Parties::new(100).await;
    let (payer, mint) = (&parties.payer, parties.world.mint.url());
    for polls in 0..MOST_POLLS {
        let order = vec![parties.order(2 * polls, 1)];
        let made = polled(payer.lock_all(mint, order), polls).await;
        // Spends the change of the exchange before, should it be there.
        let next = payer.lock_all(mint, vec![parties.order(2 * polls + 1, 1)]).await.unwrap().remove(0);
        looked_after(payer).await;
        let locks = payer.locks(None).await.unwrap();
        let out = locks.iter().filter(|row| row.state() == "locked").count() as u64;
        assert_eq!(available(payer).await, 100 - out, "stopped after {polls} polls");
        // Back again, so that there is enough for the next.
        let mut returned = Vec::new();
        for row in locks.iter().filter(|row| row.state() == "locked") {
            let key = parties.provider.inner.escrow.provider_lock_key(&row.lock.id);
            returned.push(Returned { lock: row.lock.id.clone(), signatures: row.lock.sign(&key).unwrap() });
        }
        assert!(returned.iter().any(|each| each.lock == next.lock.id));
        payer.reclaim(returned).await.unwrap();
        if made.is_some() {
            break;
        }
    }
    assert_eq!(available(payer).await, 100);
}
