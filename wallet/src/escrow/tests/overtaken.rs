//! A request that everybody took for lost arrives while the mint is asked what became of it.

use super::*;
use crate::cashu::lightning::PATIENCE;
use crate::cashu::tests::faulty::Fault;

/// Long for a mint in the same process.
const SHORT_PATIENCE: std::time::Duration = std::time::Duration::from_millis(400);

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
    let error = PATIENCE.scope(SHORT_PATIENCE, making).await.unwrap_err();
    assert!(!error.is_certain(), "{error}");
    // Its inputs are gone and its change is still to come: they stand for it.
    assert!(holds(payer).await >= 87, "{} of 100 sats are in the books", holds(payer).await);
    payer.retry_unclear().await.unwrap();
    assert_eq!(payer.lock_of(&key(1)).await.unwrap().unwrap().state(), "locked");
    assert_eq!((available(payer).await, holds(payer).await), (87, 87));
}
