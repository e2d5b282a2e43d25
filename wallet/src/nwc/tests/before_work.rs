//! Providers that are paid before their work from a Lightning wallet.

use super::*;

#[tokio::test]
async fn a_lightning_wallet_prepays_a_provider_and_no_mint_is_used() {
    let scene = Scene::with(Behaviour::Honest).await;
    let (lightning, (_folder, wallet)) = (scene.connect(PATIENT).await, books(&scene).await);
    let bill = wallet.bill(prepayment(&scene), Some(&lightning)).await.unwrap();
    let paid = wallet.pay_bill(&bill, Some(&lightning)).await.unwrap();
    assert_eq!((paid.amount, paid.fees), (Sats(40), Sats(1)));
    let row = wallet.prepaid_of(&prepayment(&scene).key).await.unwrap().unwrap();
    assert_eq!((row.mint, row.preimage.as_deref()), (None, Some(scene.preimage.as_str())));
    assert_eq!((available(&wallet).await, available(&scene.holder).await, scene.times_paid()), (0, 59, 1));
    // A provider that asks again is not paid again.
    wallet.pay_bill(&bill, Some(&lightning)).await.unwrap_err();
    assert_eq!(scene.times_paid(), 1);
    lightning.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn a_prepayment_whose_answer_is_lost_is_looked_up_and_made_once() {
    let scene = Scene::with(Behaviour::PaysSilently).await;
    let (lightning, (_folder, wallet)) = (scene.connect(Duration::from_secs(3)).await, books(&scene).await);
    let bill = wallet.bill(prepayment(&scene), Some(&lightning)).await.unwrap();
    wallet.pay_bill(&bill, Some(&lightning)).await.unwrap();
    assert_eq!(scene.times_paid(), 1);
    lightning.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn a_prepayment_that_nobody_speaks_of_counts_as_spent_until_it_is_known() {
    let scene = Scene::with(Behaviour::PaysAndGoesAway).await;
    let (lightning, (_folder, wallet)) = (scene.connect(Duration::from_secs(3)).await, books(&scene).await);
    let bill = wallet.bill(prepayment(&scene), Some(&lightning)).await.unwrap();
    let failed = wallet.pay_bill(&bill, Some(&lightning)).await.unwrap_err();
    assert!(failed.unclear, "{failed}");
    let row = wallet.prepaid_of(&prepayment(&scene).key).await.unwrap().unwrap();
    assert!(matches!(row.outcome(), SettlementOutcome::Waiting { .. }), "{row:?}");
    assert!(matches!(wallet.bill(prepayment(&scene), Some(&lightning)).await, Err(PrepayRefusal::Reused)));
    assert_eq!(scene.times_paid(), 1);
    lightning.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn a_lightning_wallet_that_only_says_it_has_paid_is_not_believed() {
    let scene = Scene::with(Behaviour::Lies).await;
    let (lightning, (_folder, wallet)) = (scene.connect(Duration::from_secs(3)).await, books(&scene).await);
    let bill = wallet.bill(prepayment(&scene), Some(&lightning)).await.unwrap();
    wallet.pay_bill(&bill, Some(&lightning)).await.unwrap_err();
    let row = wallet.prepaid_of(&prepayment(&scene).key).await.unwrap().unwrap();
    assert!(!matches!(row.outcome(), SettlementOutcome::Paid { .. }), "{row:?}");
    assert_eq!((scene.times_paid(), row.preimage), (0, None));
    lightning.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn fees_above_the_reservation_take_all_of_it_and_block_nobody_else() {
    let scene = Scene::with(Behaviour::Dear).await;
    let (lightning, (folder, wallet)) = (scene.connect(PATIENT).await, books(&scene).await);
    let ledger = Ledger::open(folder.path().join("ledger.sqlite")).await.unwrap();
    ledger.open_run("run", Sats(100)).await.unwrap();
    let order = prepayment(&scene);
    let mut dear = ledger.reserve(order.key.clone(), order.reserved).await.unwrap();
    let mut other = ledger.reserve(Key::new("run", 2, 0), Sats(10)).await.unwrap();
    for reservation in [&mut dear, &mut other] {
        reservation.publish().await.unwrap();
        reservation.pay_out().await.unwrap();
    }
    let bill = wallet.bill(order.clone(), Some(&lightning)).await.unwrap();
    assert_eq!(wallet.pay_bill(&bill, Some(&lightning)).await.unwrap().fees, Sats(20));
    // The run ends before it has settled either: the books say what became of them.
    drop((dear, other));
    for _ in 0..2 {
        let reconciled = reconcile(&ledger, Some(&wallet)).await.unwrap();
        assert_eq!(reconciled.over, std::slice::from_ref(&order.key));
    }
    let budget = ledger.budget("run").await.unwrap();
    assert_eq!((budget.spent, budget.available), (order.reserved, Sats(100).saturating_sub(order.reserved)));
    lightning.shutdown().await;
    scene.end().await;
}

/// A payment before work whose wallet does not say what became of it; its key, what was reserved, and the ledger.
async fn unclear(
    wallet: &CashuWallet,
    lightning: &NwcWallet,
    scene: &Scene,
    folder: &tempfile::TempDir,
) -> (Key, Sats, Ledger) {
    let ledger = Ledger::open(folder.path().join("ledger.sqlite")).await.unwrap();
    ledger.open_run("run", Sats(100)).await.unwrap();
    let order = prepayment(scene);
    let mut reservation = ledger.reserve(order.key.clone(), order.reserved).await.unwrap();
    reservation.publish().await.unwrap();
    let bill = wallet.bill(order.clone(), Some(lightning)).await.unwrap();
    reservation.pay_out().await.unwrap();
    assert!(wallet.pay_bill(&bill, Some(lightning)).await.unwrap_err().unclear);
    drop(reservation);
    (order.key, order.reserved, ledger)
}

/// It is spent in full, and listed with what to look for.
async fn is_listed_as_unknown(
    wallet: &CashuWallet,
    scene: &Scene,
    (key, reserved, ledger): &(Key, Sats, Ledger),
) {
    let hash = Bolt11Invoice::from_str(&scene.invoice).unwrap().payment_hash().to_string();
    reconcile(ledger, Some(wallet)).await.unwrap();
    let budget = ledger.budget("run").await.unwrap();
    assert_eq!((budget.spent, budget.available), (*reserved, Sats(100).saturating_sub(*reserved)));
    let unknown = wallet.unknown_payments().await.unwrap().remove(0);
    assert_eq!((&unknown.key, unknown.sats), (key, *reserved));
    assert!(unknown.to_string().contains(&hash), "{unknown}");
}

#[tokio::test]
async fn what_a_wallet_cannot_look_up_stays_spent_and_is_listed() {
    let scene = Scene::with(Behaviour::PaysAndKnowsNoLookup).await;
    let (lightning, (folder, wallet)) = (scene.connect(PATIENT).await, books(&scene).await);
    let spent = unclear(&wallet, &lightning, &scene, &folder).await;
    is_listed_as_unknown(&wallet, &scene, &spent).await;
    assert_eq!(wallet.look_up_prepaid(Some(&lightning)).await.unwrap(), 0, "nobody is asked any more");
    is_listed_as_unknown(&wallet, &scene, &spent).await;
    lightning.shutdown().await;
    scene.end().await;
}

#[tokio::test]
async fn a_day_after_an_invoices_end_its_payment_stays_spent_and_is_listed() {
    let scene = Scene::with(Behaviour::PaysAndGoesAway).await;
    let lightning = scene.connect(SHORT).await;
    let folder = tempfile::tempdir().unwrap();
    let later = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let told = Arc::clone(&later);
    let clock = crate::Clock::from_fn(move || {
        crate::Clock::system().now_secs() + told.load(std::sync::atomic::Ordering::SeqCst)
    });
    let seed = crate::seed::Phrase::generate().seed();
    let (wallet, _) = CashuWallet::open_with(folder.path(), seed, crate::Money::Play, clock).await.unwrap();
    let spent = unclear(&wallet, &lightning, &scene, &folder).await;
    // An invoice without another word ends after an hour.
    later.store(3_600 + 23 * 3_600, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(wallet.look_up_prepaid(None).await.unwrap(), 0);
    assert!(wallet.unknown_payments().await.unwrap().is_empty());
    later.store(3_600 + 25 * 3_600, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(wallet.look_up_prepaid(None).await.unwrap(), 1);
    is_listed_as_unknown(&wallet, &scene, &spent).await;
    lightning.shutdown().await;
    scene.end().await;
}
