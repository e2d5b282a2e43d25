//! Askers that turn answers down and keep them.

use super::{Parties, claim, need, now_secs};
use crate::escrow::{Claim, Credit, DECLINED_A_DAY, LockOrder, PAID_PER_DECLINED};

/// A job of somebody new each time: keys cost nothing.
fn stranger(number: u32) -> Claim {
    Claim { asker: format!("key {number}"), ..claim(&format!("job {number}")) }
}

#[tokio::test]
async fn a_payer_that_declines_everything_finally_waits_for_its_sats() {
    let last = DECLINED_A_DAY;
    let parties = Parties::new(200).await;
    let orders: Vec<LockOrder> =
        (0..last + 2 + PAID_PER_DECLINED).map(|number| parties.order(number, 1)).collect();
    let locks = parties.payer.lock_all(parties.world.mint.url(), orders).await.unwrap();
    let lock = |number: u32| &locks[number as usize].lock;
    let accept = async |number| {
        parties.provider.accept(lock(number), need(1), stranger(number)).await.unwrap();
    };
    let return_declined = async |number| {
        parties.provider.return_declined(lock(number), stranger(number)).await.unwrap().is_some()
    };
    for number in 0..last {
        accept(number).await;
        assert!(return_declined(number).await, "{number}");
    }
    assert!(return_declined(0).await, "said twice, it counts once");

    accept(last).await;
    assert!(!return_declined(last).await);
    let credit = parties.provider.credit(&format!("key {last}")).await.unwrap();
    assert_eq!(credit, Credit { open: 1, ..Credit::default() }, "it takes its key's room");
    assert!(!credit.has_room());
    // An asker without an answer has its sats back all the same.
    accept(last + 1).await;
    parties.provider.decline(lock(last + 1), stranger(last + 1)).await.unwrap();

    let paid = last + 2..last + 2 + PAID_PER_DECLINED;
    for number in paid.clone() {
        accept(number).await;
    }
    assert!(!return_declined(last).await, "work alone makes no room");
    let ids = paid.map(|number| lock(number).id.clone()).collect();
    let releases = parties.payer.release(ids, now_secs()).await.unwrap();
    parties.provider.released(releases).await.unwrap();
    assert!(return_declined(last).await, "four were paid for");
}
