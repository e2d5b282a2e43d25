//! Everybody who tries to get more than is theirs, and what they get.

use cdk::nuts::{Proof, SecretKey, SwapRequest};

use super::*;
use crate::mint::address::parse_mint;
use crate::mint::swap::Kind;

/// Spends proofs with whatever signatures they carry; the mint's word on it.
async fn try_to_spend(wallet: &CashuWallet, lock: &Lock, proofs: Vec<Proof>) -> Result<(), cdk::Error> {
    let plan = wallet
        .plan_own(Kind::Redeem, &lock.mint, lock.keyset, proofs.clone(), vec![lock.id.clone()])
        .await
        .unwrap();
    let planned = wallet.begin(plan, |_| Ok(())).await.unwrap();
    let outputs = wallet.blinded(&planned.plan).unwrap();
    let mint = wallet.known_mint(&parse_mint(&lock.mint).unwrap()).unwrap();
    mint.mint_connector().post_swap(SwapRequest::new(proofs, outputs)).await.map(drop)
}

#[tokio::test]
async fn a_provider_cannot_redeem_without_the_co_signature() {
    let parties = Parties::new(100).await;
    let lock = parties.lock(1, 8).await.lock;
    parties.accept(&lock, "job").await.unwrap();
    let own = lock.sign(&parties.provider.inner.escrow.provider_lock_key(&lock.id)).unwrap();
    let foreign = lock.sign(&SecretKey::generate()).unwrap();
    for signatures in [vec![&own[..]], vec![&own[..], &own[..]], vec![&own[..], &foreign[..]], vec![]] {
        let proofs = lock.signed_proofs(&signatures).unwrap();
        try_to_spend(&parties.provider, &lock, proofs).await.unwrap_err();
    }
    // What looks like a release and is not is not taken for one either.
    let forged = Release { lock: lock.id.clone(), signatures: foreign };
    assert!(parties.provider.released(vec![forged]).await.unwrap().is_empty());
    assert_eq!(parties.sums().await, (92, 0));
}

#[tokio::test]
async fn a_provider_cannot_redeem_after_the_refund() {
    let parties = Parties::new(100).await;
    // The locktime was an hour ago already, so that nobody has to wait for it.
    let order = LockOrder { locktime: now_secs() - HOUR, ..parties.order(1, 8) };
    let lock = parties.payer.lock_all(parties.world.mint.url(), vec![order]).await.unwrap().remove(0).lock;
    let need = Need { price: Sats(8), earliest_locktime: 0 };
    parties.provider.accept(&lock, need, claim("job")).await.unwrap();
    // Even with a signature that the payer should not have given: it was just too late.
    let cosign = lock.sign(&parties.payer.inner.escrow.cosign_key(&lock.id)).unwrap();
    assert_eq!(parties.payer.refund_expired().await.unwrap().refunded, Sats(8));
    let release = Release { lock: lock.id.clone(), signatures: cosign };
    parties.provider.released(vec![release]).await.unwrap();
    let error = parties.provider.redeem().await.unwrap_err();
    assert!(matches!(error, WalletError::AlreadySpent), "{error}");
    assert_eq!(parties.provider.earnings().await.unwrap()[0].state, "lost");
    assert_eq!(parties.sums().await, (100, 0));
}

#[tokio::test]
async fn a_payer_cannot_spend_what_it_has_locked() {
    let parties = Parties::new(100).await;
    let lock = parties.lock(1, 8).await.lock;
    parties.accept(&lock, "job").await.unwrap();
    let escrow = &parties.payer.inner.escrow;
    let cosign = lock.sign(&escrow.cosign_key(&lock.id)).unwrap();
    let refund = lock.sign(&escrow.refund_key(&lock.id)).unwrap();
    for signatures in [vec![&cosign[..]], vec![&refund[..]], vec![&cosign[..], &refund[..]]] {
        let proofs = lock.signed_proofs(&signatures).unwrap();
        try_to_spend(&parties.payer, &lock, proofs).await.unwrap_err();
    }
    // Nor with signatures that are not the provider's.
    let forged = Returned { lock: lock.id.clone(), signatures: refund };
    assert!(parties.payer.reclaim(vec![forged]).await.unwrap().is_empty());
    assert_eq!(parties.sums().await, (92, 0));
}

#[tokio::test]
async fn a_payer_that_spent_the_locked_sats_is_found_out_before_work() {
    let parties = Parties::new(100).await;
    let lock = parties.lock(1, 8).await.lock;
    // Together with a second provider key of the same owner this could have been arranged.
    let key = parties.provider.inner.escrow.provider_lock_key(&lock.id);
    let returned = Returned { lock: lock.id.clone(), signatures: lock.sign(&key).unwrap() };
    parties.payer.reclaim(vec![returned]).await.unwrap();
    let refused = parties.accept(&lock, "job").await.unwrap_err();
    assert!(matches!(refused, LockRefusal::Spent), "{refused}");
}

#[tokio::test]
async fn a_payer_that_withholds_costs_a_stranger_one_job_and_is_remembered() {
    let parties = Parties::new(100).await;
    let lock = parties.lock(1, 8).await.lock;
    parties.accept(&lock, "job").await.unwrap();
    let lost = parties.provider.expire_claims(lock.locktime + 1).await.unwrap();
    assert_eq!((lost.len(), lost[0].price), (1, Sats(8)));
    let credit = parties.provider.credit("asker").await.unwrap();
    assert_eq!(credit, Credit { released: 0, withheld: 1, open: 0 });
    let second = parties.lock(2, 8).await.lock;
    let refused = parties.accept(&second, "job 2").await.unwrap_err();
    assert!(matches!(refused, LockRefusal::Credit { .. }), "{refused}");
}

#[tokio::test]
async fn a_lock_that_is_not_what_it_says_is_refused_before_work() {
    let parties = Parties::new(100).await;
    let good = parties.lock(1, 8).await.lock;
    let refused = async |change: &dyn Fn(&mut Lock)| {
        let mut lock = good.clone();
        change(&mut lock);
        parties.provider.accept(&lock, need(8), claim("job")).await.unwrap_err()
    };
    let other = SecretKey::generate().public_key();
    assert!(matches!(
        refused(&|lock| lock.mint = "https://mint.example".to_owned()).await,
        LockRefusal::Mint(_)
    ));
    assert!(matches!(refused(&|lock| lock.provider = other).await, LockRefusal::Terms(_)));
    // Conditions that are not those that the mint has signed.
    for change in [
        &|lock: &mut Lock| lock.cosign = other,
        &|lock: &mut Lock| lock.refund = other,
        &|lock: &mut Lock| lock.locktime += HOUR,
        &|lock: &mut Lock| lock.id = "ab".repeat(32),
        &|lock: &mut Lock| lock.proofs[0].nonce = "cd".repeat(32),
        &|lock: &mut Lock| lock.proofs[0].c = other,
        &|lock: &mut Lock| lock.proofs[0].e = SecretKey::generate(),
        &|lock: &mut Lock| lock.proofs[0].r = SecretKey::generate(),
    ] as [&dyn Fn(&mut Lock); 8]
    {
        let why = refused(change).await;
        assert!(matches!(why, LockRefusal::NotSigned), "{why}");
    }
    assert!(matches!(refused(&|lock| lock.proofs[0].amount = 16).await, LockRefusal::NotSigned));
    assert!(matches!(refused(&|lock| lock.proofs[0].amount = 4).await, LockRefusal::TooLittle { .. }));
    assert!(matches!(refused(&|lock| lock.price = Sats(7)).await, LockRefusal::TooLittle { .. }));
    assert!(matches!(refused(&|lock| lock.price = Sats(9)).await, LockRefusal::TooLittle { .. }));
    assert!(matches!(refused(&|lock| lock.refund = lock.cosign).await, LockRefusal::Terms(_)));
    assert!(matches!(refused(&|lock| lock.locktime = now_secs()).await, LockRefusal::TooSoon { .. }));
    assert!(matches!(refused(&|lock| lock.proofs.clear()).await, LockRefusal::Terms(_)));
    let many = |lock: &mut Lock| lock.proofs = vec![lock.proofs[0].clone(); 33];
    assert!(matches!(refused(&many).await, LockRefusal::Terms(_)));
    // The same proof twice is not twice the sats.
    let twice = |lock: &mut Lock| {
        lock.price = Sats(16);
        lock.proofs = vec![lock.proofs[0].clone(); 2];
    };
    assert!(matches!(
        refused(&twice).await,
        LockRefusal::Used | LockRefusal::Spent | LockRefusal::Unchecked(_)
    ));
    // Without a proof of the mint's signature it is not even read.
    for part in ["e", "s", "r"] {
        let mut without = serde_json::to_value(&good).unwrap();
        without["proofs"][0].as_object_mut().unwrap().remove(part).unwrap();
        assert!(serde_json::from_value::<Lock>(without).is_err(), "{part}");
    }
    parties.accept(&good, "job").await.unwrap();
}

#[tokio::test]
async fn one_lock_pays_for_one_job_only() {
    let parties = Parties::new(100).await;
    let lock = parties.lock(1, 8).await.lock;
    parties.accept(&lock, "job").await.unwrap();
    parties.accept(&lock, "job").await.unwrap();
    let refused = parties.accept(&lock, "another job").await.unwrap_err();
    assert!(matches!(refused, LockRefusal::Used), "{refused}");
}

#[tokio::test]
async fn a_lock_for_one_provider_is_worth_nothing_to_another() {
    let parties = Parties::new(100).await;
    let folder = tempfile::tempdir().unwrap();
    let thief = wallet_in(folder.path(), &Phrase::generate().seed(), parties.world.mint.url()).await;
    let lock = parties.lock(1, 8).await.lock;
    let refused = thief.accept(&lock, need(8), claim("job")).await.unwrap_err();
    assert!(matches!(refused, LockRefusal::Terms(_)), "{refused}");
    // With the release in hand, too.
    let cosign = parties.payer.release(vec![lock.id.clone()], now_secs()).await.unwrap().remove(0).signatures;
    let own = lock.sign(&thief.inner.escrow.provider_lock_key(&lock.id)).unwrap();
    try_to_spend(&thief, &lock, lock.signed_proofs(&[&cosign, &own]).unwrap()).await.unwrap_err();
}

#[tokio::test]
async fn a_mint_that_refuses_gets_nothing_more_and_what_it_holds_is_shown() {
    let parties = Parties::new(100).await;
    let (payer, provider, url) = (&parties.payer, &parties.provider, parties.world.mint.url());
    let lock = parties.lock(1, 8).await.lock;
    parties.accept(&lock, "job").await.unwrap();
    provider.released(payer.release(vec![lock.id], now_secs()).await.unwrap()).await.unwrap();
    parties.world.line.refuse_exchanges();
    // It is certain that nothing has moved: no sat stays reserved for it.
    let refused = payer.lock_all(url, vec![parties.order(2, 8)]).await.unwrap_err();
    assert!(refused.is_certain() && refused.to_string().contains(url), "{refused}");
    assert_eq!(parties.sums().await, (92, 0));
    // What is at risk: the earned job, by name and price, and what the payer has there.
    let refused = provider.redeem().await.unwrap_err().to_string();
    assert!(refused.contains(url), "{refused}");
    let earning = provider.earnings().await.unwrap().remove(0);
    assert_eq!((earning.state.as_str(), earning.price, earning.received), ("released", Sats(8), Sats(0)));
    let [balance] = &payer.balances().await.unwrap()[..] else { unreachable!("it has one mint") };
    assert_eq!((balance.available, balance.pending), (Sats(92), Sats(0)));
    // No more comes to it than its owner allows, whatever it says.
    payer.allow_mint(url, Some(Sats(92))).await.unwrap();
    let over = payer.invoice(url, Sats(1)).await.unwrap_err();
    assert!(matches!(over, WalletError::OverLimit { held: Sats(92), .. }), "{over}");
    // Whenever it takes requests again, everything goes on.
    parties.world.line.set_faults(0);
    assert_eq!(provider.redeem().await.unwrap(), Sats(8));
    parties.lock(2, 8).await;
    assert_eq!(parties.sums().await, (84, 8));
}

#[tokio::test]
async fn a_mint_that_disappears_shows_what_is_at_risk_and_loses_no_record() {
    let parties = Parties::new(100).await;
    let lock = parties.lock(1, 8).await.lock;
    parties.accept(&lock, "job").await.unwrap();
    let Parties { world, payer, provider, .. } = parties;
    let url = world.mint.url().to_owned();
    world.mint.shutdown().await;
    let releases = payer.release(vec![lock.id.clone()], now_secs()).await.unwrap();
    provider.released(releases).await.unwrap();
    let error = provider.redeem().await.unwrap_err().to_string();
    assert!(error.contains(&url), "{error}");
    let earning = provider.earnings().await.unwrap().remove(0);
    assert_eq!((earning.price, earning.received), (Sats(8), Sats(0)));
    assert!(["released", "redeeming"].contains(&earning.state.as_str()), "{earning:?}");
}

#[tokio::test]
async fn a_mint_that_calls_spent_sats_unspent_costs_one_lock_and_is_found_out() {
    let parties = Parties::new(100).await;
    let lock = parties.lock(1, 8).await.lock;
    // The payer has its sats back already; the mint says otherwise.
    let key = parties.provider.inner.escrow.provider_lock_key(&lock.id);
    let returned = Returned { lock: lock.id.clone(), signatures: lock.sign(&key).unwrap() };
    let cosign = lock.sign(&parties.payer.inner.escrow.cosign_key(&lock.id)).unwrap();
    parties.payer.reclaim(vec![returned]).await.unwrap();
    parties.world.line.lie_about_states("UNSPENT");
    parties.accept(&lock, "job").await.unwrap();
    // What it shows as pending is no more than this stranger's credit allows.
    let second = parties.lock(2, 8).await.lock;
    let refused = parties.accept(&second, "job 2").await.unwrap_err();
    assert!(matches!(refused, LockRefusal::Credit { open: 1, limit: 1 }), "{refused}");
    let release = Release { lock: lock.id.clone(), signatures: cosign };
    parties.provider.released(vec![release]).await.unwrap();
    parties.provider.redeem().await.unwrap_err();
    assert_eq!(parties.sums().await, (92, 0), "nobody has got anything that was not theirs");
    assert!(parties.provider.earnings().await.unwrap().iter().all(|each| each.received == Sats(0)));
}

#[tokio::test]
async fn an_invented_lock_is_not_returned_and_leaves_nothing_in_the_ledger() {
    let parties = Parties::new(100).await;
    let lock = parties.lock(1, 8).await.lock;
    let renamed = Lock { id: "ab".repeat(32), ..lock.clone() };
    let elsewhere = Lock { mint: "http://127.0.0.1:9".to_owned(), ..lock.clone() };
    let mut inflated = lock.clone();
    inflated.proofs[0].amount *= 2;
    for made_up in [renamed, elsewhere, inflated] {
        let error = parties.provider.decline(&made_up, claim("job")).await.unwrap_err();
        assert!(matches!(error, WalletError::BadToken(_)), "{error}");
    }
    assert!(parties.provider.earnings().await.unwrap().is_empty());
    // The real one is none the worse for it, and goes back although its mint is away.
    parties.world.line.cut();
    let returned = parties.provider.decline(&lock, claim("job")).await.unwrap();
    parties.world.line.set_faults(0);
    parties.payer.reclaim(vec![returned]).await.unwrap();
    assert_eq!(parties.sums().await, (100, 0));
}

#[tokio::test]
async fn a_mint_that_calls_unspent_sats_spent_is_named_and_gets_no_work_done() {
    let parties = Parties::new(100).await;
    // The locktime was an hour ago already, so that nobody has to wait for it.
    let order = LockOrder { locktime: now_secs() - HOUR, ..parties.order(1, 8) };
    let url = parties.world.mint.url();
    let lock = parties.payer.lock_all(url, vec![order]).await.unwrap().remove(0).lock;
    parties.world.line.lie_about_states("SPENT");
    let need = Need { price: Sats(8), earliest_locktime: 0 };
    let refused = parties.provider.accept(&lock, need, claim("job")).await.unwrap_err();
    assert!(matches!(refused, LockRefusal::Spent), "{refused}");
    // Nobody has signed it away, so that only the mint can have taken it.
    let recovery = parties.payer.refund_expired().await.unwrap();
    assert_eq!(recovery.refunded, Sats(0));
    assert!(
        recovery.waiting[0].contains(url) && recovery.waiting[0].contains("which is impossible"),
        "{recovery:?}"
    );
}

#[tokio::test]
async fn an_asker_without_credit_causes_no_request_to_a_mint() {
    let parties = Parties::new(100).await;
    let first = parties.lock(1, 8).await.lock;
    parties.accept(&first, "job").await.unwrap();
    let second = parties.lock(2, 8).await.lock;
    // Nobody answers there any more, so that a single question would not come back.
    parties.world.line.fall_silent();
    for _ in 0..50 {
        let refused = parties.accept(&second, "job 2").await.unwrap_err();
        assert!(matches!(refused, LockRefusal::Credit { open: 1, limit: 1 }), "{refused}");
    }
    assert_eq!(parties.world.line.asked_in_vain(), 0);
}
