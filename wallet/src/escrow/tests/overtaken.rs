//! A request that everybody took for lost arrives while the mint is asked what became of it.

use super::*;
use crate::cashu::tests::faulty::Fault;
use crate::mint::asking::TIMEOUT;

/// Long for any mint of the tests, however busy its machine is.
const SHORT_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(4);

/// Everything of a wallet at its mints, free or in an exchange that is not over.
async fn holds(wallet: &CashuWallet) -> u64 {
    let balances = wallet.balances().await.unwrap();
    balances.iter().map(|mint| mint.available.0 + mint.pending.0).sum()
}

#[tokio::test]
async fn what_is_in_an_exchange_that_nobody_knows_the_end_of_stays_in_the_books() {
    let parties = Parties::new(100).await;
    let (payer, line) = (&parties.payer, &parties.world.line);
    // The mint knows nothing of the exchange, then has made it, and then cannot be asked for it.
    line.script("swap", [Fault::Late]);
    line.script("checkstate", [Fault::Overtaken]);
    line.script("restore", [Fault::None, Fault::Broken]);
    let orders = vec![parties.order(1, 13)];
    let making = payer.lock_all(parties.world.mint.url(), orders);
    let error = TIMEOUT.scope(SHORT_TIMEOUT, making).await.unwrap_err();
    assert!(!error.is_certain(), "{error}");
    // Its inputs are gone and its change is still to come: they stand for it.
    assert!(holds(payer).await >= 87, "{} of 100 sats are in the books", holds(payer).await);
    payer.retry_unclear().await.unwrap();
    assert_eq!(payer.lock_of(&key(1)).await.unwrap().unwrap().state(), "locked");
    assert_eq!((available(payer).await, holds(payer).await), (87, 87));
}

#[tokio::test]
async fn a_mint_that_is_asked_while_it_signs_is_asked_once_more() {
    let parties = Parties::new(100).await;
    let (payer, line) = (&parties.payer, &parties.world.line);
    // The exchange is made, nobody hears of it, and the mint names half of what it has signed.
    line.script("swap", [Fault::Unanswered]);
    line.script("restore", [Fault::Halved]);
    let making = payer.lock_all(parties.world.mint.url(), vec![parties.order(1, 13)]);
    assert_eq!(TIMEOUT.scope(SHORT_TIMEOUT, making).await.unwrap().len(), 1);
    assert_eq!((available(payer).await, holds(payer).await), (87, 87));
}

#[tokio::test]
async fn a_restore_leaves_an_unfinished_swap_alone() {
    let parties = Parties::new(100).await;
    let (payer, line) = (&parties.payer, &parties.world.line);
    let mint = parties.world.mint.url();
    // As above: the exchange was made, and nobody here knows.
    line.script("swap", [Fault::Late]);
    line.script("checkstate", [Fault::Overtaken]);
    line.script("restore", [Fault::None, Fault::Broken]);
    let making = payer.lock_all(mint, vec![parties.order(1, 13)]);
    TIMEOUT.scope(SHORT_TIMEOUT, making).await.unwrap_err();
    let before = payer.balances().await.unwrap();
    assert_eq!(payer.restore(mint).await.unwrap(), before[0].available);
    assert_eq!(
        payer.balances().await.unwrap(),
        before,
        "its change is still to come, and its inputs stand for it"
    );
    payer.retry_unclear().await.unwrap();
    assert_eq!(payer.lock_of(&key(1)).await.unwrap().unwrap().state(), "locked");
    assert_eq!((available(payer).await, holds(payer).await), (87, 87));
}

/// Makes believe that the mint was asked an hour ago for everything that is planned.
async fn an_hour_passes(wallet: &CashuWallet) {
    let age = |transaction: &rusqlite::Transaction<'_>| {
        transaction.execute("UPDATE swaps SET at_ms = at_ms - 3600000 WHERE state = 'planned'", [])
    };
    assert_eq!(wallet.inner.journal.write(age).await.unwrap(), 1);
}

#[tokio::test]
async fn what_a_process_left_that_died_beside_others_is_finished_by_one_of_them() {
    let Parties { world, payer, provider, .. } = Parties::new(100).await;
    let (stays, too) = (world.wallet().await, world.wallet().await);
    world.line.script("swap", [Fault::Broken]);
    let order = LockOrder {
        key: key(1),
        peer: "npub".to_owned(),
        provider: provider.provider_key(),
        price: Sats(13),
        most: None,
        locktime: now_secs() + HOUR,
    };
    payer.lock_all(world.mint.url(), vec![order]).await.unwrap_err();
    drop(payer);
    assert_eq!(stays.retry_unclear().await.unwrap(), 0, "its maker may still see to it");
    an_hour_passes(&stays).await;
    let (one, other) = tokio::join!(stays.retry_unclear(), too.retry_unclear());
    assert_eq!(one.unwrap() + other.unwrap(), 1, "one of them has it");
    assert_eq!(too.lock_of(&key(1)).await.unwrap().unwrap().state(), "locked");
    assert_eq!((available(&stays).await, holds(&stays).await), (87, 87));
}

#[tokio::test]
async fn a_request_of_a_dead_process_may_arrive_after_its_successors_refusal() {
    let Parties { world, payer, provider, .. } = Parties::new(100).await;
    let line = &world.line;
    line.script("swap", [Fault::Late]);
    let order = LockOrder {
        key: key(1),
        peer: "npub".to_owned(),
        provider: provider.provider_key(),
        price: Sats(13),
        most: None,
        locktime: now_secs() + HOUR,
    };
    let making = payer.lock_all(world.mint.url(), vec![order]);
    TIMEOUT.scope(SHORT_TIMEOUT, making).await.unwrap_err();
    // That was an hour ago, and the mint has dropped this request.
    line.lose_late();
    an_hour_passes(&payer).await;
    drop(payer);
    // The next process asks again and dies before it has an answer.
    line.script("swap", [Fault::Late]);
    tokio::select! {
        _ = world.wallet() => unreachable!("its request is never answered"),
        () = line.holds_late() => {}
    }
    // The one after it is refused; what its predecessor sent may be made all the same.
    line.script("swap", [Fault::Refused]);
    let payer = world.wallet().await;
    assert_eq!(payer.lock_of(&key(1)).await.unwrap().unwrap().state(), "planned");
    assert!(line.deliver_late().await);
    payer.retry_unclear().await.unwrap();
    assert_eq!(payer.lock_of(&key(1)).await.unwrap().unwrap().state(), "locked");
    assert_eq!((available(&payer).await, holds(&payer).await), (87, 87));
}
