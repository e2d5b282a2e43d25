//! Pay after the verdict: what is owed is paid once, and what can be lost is bounded.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::cashu::tests::{World, available};
use crate::escrow::tests::{HOUR, Parties, claim, key, now_secs};
use crate::escrow::{Claim, LockRefusal, Release};
use crate::mint::{CashuWallet, Money};
use crate::outcome::SettlementOutcome;
use crate::{Clock, Ledger, Sats, reconcile};

const TWO: CreditLine = CreditLine { per_key: 2 };

fn claim_of(asker: &str, job: &str) -> Claim {
    Claim { asker: asker.to_owned(), ..claim(job) }
}

impl Parties {
    fn debt(&self, subtask: u32, price: u64) -> Debt {
        Debt {
            key: key(subtask),
            peer: "npub".to_owned(),
            provider: self.provider.provider_key(),
            mint: self.world.mint.url().to_owned(),
            price: Sats(price),
            job: format!("job {subtask}"),
            relays: vec!["ws://127.0.0.1:1".to_owned()],
        }
    }

    async fn open(&self, asker: &str, job: &str, price: u64) -> Result<(), LockRefusal> {
        self.provider.open_debt(claim_of(asker, job), Sats(price), now_secs() + HOUR, TWO).await
    }

    /// A job of "asker", done and owed for, and the word that pays it.
    async fn owed(&self, subtask: u32, price: u64) -> DebtPayment {
        self.open("asker", &format!("job {subtask}"), price).await.unwrap();
        self.payer.record_debts(vec![self.debt(subtask, price)]).await.unwrap();
        let mut found = self.payer.pay_debts().await.unwrap();
        assert!(found.waiting.is_empty(), "{found:?}");
        found.payments.pop().expect("one is owed")
    }

    async fn take(&self, payment: &DebtPayment) -> Result<(), LockRefusal> {
        let DebtPayment { debt, lock, release } = payment;
        self.provider.take_payment(&debt.job, "asker", lock.clone(), release.clone()).await
    }

    async fn states(&self) -> Vec<String> {
        self.provider.earnings().await.unwrap().into_iter().map(|each| each.state).collect()
    }
}

fn is_full(outcome: &Result<(), LockRefusal>, owed: u32) -> bool {
    matches!(outcome, Err(LockRefusal::CreditLineFull { owed: found, limit }) if *found == owed && *limit == owed)
}

#[tokio::test]
async fn what_is_owed_is_paid_to_the_sat_and_makes_room_again() {
    let parties = Parties::with_fee(100, 100).await;
    parties.open("asker", "job 2", 5).await.unwrap();
    let payment = parties.owed(1, 13).await;
    assert!(is_full(&parties.open("asker", "job 3", 5).await, 2));
    assert_eq!(parties.states().await, ["owed", "owed"]);
    parties.take(&payment).await.unwrap();
    assert_eq!(parties.provider.check_payments().await.unwrap(), 1);
    let received = parties.provider.redeem().await.unwrap();
    assert!(received >= Sats(13), "its price after fees: {received}");
    parties.payer.settled(vec![payment.lock.id.clone()]).await.unwrap();

    let fees = payment.lock.amount().unwrap().0 - 13 + parties.locked_for(1).await;
    assert_eq!(parties.sums().await, (100 - 13 - fees, received.0));
    let row = parties.payer.debt_of(&key(1)).await.unwrap().unwrap();
    assert_eq!(row.state, DebtState::Paid);
    let lock = parties.payer.lock_of(&key(1)).await.unwrap().unwrap();
    assert_eq!(lock.outcome(), SettlementOutcome::Paid { price: Sats(13), fees: Sats(fees) });
    assert!(parties.payer.pay_debts().await.unwrap().payments.is_empty(), "nothing is owed any more");
    parties.open("asker", "job 3", 5).await.unwrap();
    assert_eq!(parties.provider.owed_by("asker").await.unwrap(), 2);
}

impl Parties {
    /// What making the lock of an attempt took.
    async fn locked_for(&self, subtask: u32) -> u64 {
        self.payer.lock_of(&key(subtask)).await.unwrap().unwrap().lock_fee.0
    }
}

#[tokio::test]
async fn a_key_that_never_pays_gets_two_answers_and_all_such_keys_sixteen_a_day() {
    let parties = Parties::new(10).await;
    for job in ["a", "b"] {
        parties.open("mallory", job, 5).await.unwrap();
    }
    assert!(is_full(&parties.open("mallory", "c", 5).await, 2));
    parties.open("mallory", "a", 5).await.expect("the same job again takes no room");
    // Nothing that an asker says makes room.
    parties.provider.decline_debt("a", "mallory").await.unwrap();
    assert!(is_full(&parties.open("mallory", "c", 5).await, 2));
    let late = parties.provider.expire_debts(now_secs() + 2 * HOUR).await.unwrap();
    assert_eq!(late.iter().map(|each| each.job.as_str()).collect::<Vec<_>>(), ["b"]);
    assert!(is_full(&parties.open("mallory", "c", 5).await, 2));
    assert_eq!(parties.states().await, ["returned", "withheld"]);
    // Nobody else can turn a job down, and one without an answer is not owed for.
    parties.open("friend", "d", 5).await.unwrap();
    parties.provider.decline_debt("d", "mallory").await.unwrap();
    assert_eq!(parties.states().await, ["returned", "withheld", "owed"]);
    parties.provider.waive_debt("d").await.unwrap();
    parties.provider.waive_debt("b").await.unwrap();
    assert_eq!(parties.states().await, ["returned", "withheld"]);

    for number in 0..14 {
        parties.open(&format!("fresh key {}", number / 2), &format!("job {number}"), 5).await.unwrap();
    }
    assert!(is_full(&parties.open("another fresh key", "e", 5).await, 16));
}

#[tokio::test]
async fn one_job_is_paid_for_once_and_one_lock_pays_for_one_job() {
    let parties = Parties::new(100).await;
    let first = parties.owed(1, 13).await;
    let again = parties.payer.pay_debts().await.unwrap().payments;
    assert_eq!(again[0].lock, first.lock, "said again in the same words");
    parties.take(&first).await.unwrap();
    parties.take(&again[0]).await.unwrap();
    assert_eq!(parties.provider.check_payments().await.unwrap(), 1);
    assert_eq!(parties.provider.check_payments().await.unwrap(), 0);
    assert!(matches!(parties.take(&first).await, Err(LockRefusal::Terms(_))), "it is paid");

    // The same sats for another job, and other sats for the same job.
    parties.open("asker", "job 2", 13).await.unwrap();
    let reused = DebtPayment { debt: parties.debt(2, 13), ..first.clone() };
    parties.take(&reused).await.unwrap();
    assert_eq!(parties.provider.check_payments().await.unwrap(), 0);
    let second = parties.lock(3, 13).await.lock;
    let release = parties.payer.release(vec![second.id.clone()], now_secs()).await.unwrap().remove(0);
    let double = DebtPayment { debt: parties.debt(1, 13), lock: second, release };
    assert!(matches!(parties.take(&double).await, Err(LockRefusal::Terms(_))));
    // The payer, too, makes one lock for an attempt, whatever is asked of it.
    parties.payer.record_debts(vec![parties.debt(1, 13)]).await.unwrap();
    let more = parties.payer.lock_all(parties.world.mint.url(), vec![parties.order(1, 13)]).await;
    assert!(more.is_err(), "{more:?}");
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(13));
    assert_eq!(parties.sums().await, (100 - 13 - 13, 13));
}

#[tokio::test]
async fn what_is_no_pay_is_turned_down_and_good_pay_is_taken_afterwards() {
    let parties = Parties::new(100).await;
    let good = parties.owed(1, 13).await;
    let refused = |outcome: Result<(), LockRefusal>| assert!(outcome.is_err(), "{outcome:?}");
    // Somebody else's word, somebody else's signature, another job, too little, another provider's key.
    let DebtPayment { debt, lock, release } = good.clone();
    refused(parties.provider.take_payment(&debt.job, "mallory", lock.clone(), release.clone()).await);
    refused(parties.provider.take_payment("no job", "asker", lock.clone(), release.clone()).await);
    let forged = lock.sign(&cdk::nuts::SecretKey::generate()).unwrap();
    let forged = DebtPayment { release: Release { signatures: forged, ..release.clone() }, ..good.clone() };
    refused(parties.take(&forged).await);
    let little = parties.lock(2, 12).await.lock;
    let release = parties.payer.release(vec![little.id.clone()], now_secs()).await.unwrap().remove(0);
    refused(parties.take(&DebtPayment { lock: little, release, ..good.clone() }).await);
    assert_eq!(parties.provider.check_payments().await.unwrap(), 0);

    // Well made, and no mint has signed it: that is found out at the check.
    let mut made_up = lock.clone();
    made_up.id = "ab".repeat(32);
    let cosign = cdk::nuts::SecretKey::generate();
    made_up.cosign = cosign.public_key();
    let signatures = made_up.sign(&cosign).unwrap();
    let release = Release { lock: made_up.id.clone(), signatures };
    parties.take(&DebtPayment { lock: made_up, release, ..good.clone() }).await.unwrap();
    assert_eq!(parties.provider.check_payments().await.unwrap(), 0);
    assert_eq!(parties.states().await, ["owed"]);

    parties.take(&good).await.unwrap();
    assert_eq!(parties.provider.check_payments().await.unwrap(), 1);
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(13));
}

#[tokio::test]
async fn pay_that_comes_late_or_while_the_mint_is_away_is_taken_all_the_same() {
    let parties = Parties::new(100).await;
    let payment = parties.owed(1, 13).await;
    parties.provider.expire_debts(now_secs() + 2 * HOUR).await.unwrap();
    assert_eq!(parties.states().await, ["withheld"]);
    parties.world.line.cut();
    parties.take(&payment).await.unwrap();
    assert_eq!(parties.provider.check_payments().await.unwrap(), 0);
    parties.world.line.set_faults(0);
    assert_eq!(parties.provider.check_payments().await.unwrap(), 1);
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(13));
    assert_eq!(parties.states().await, ["redeemed"]);
}

#[tokio::test]
async fn a_debt_counts_as_spent_until_it_is_paid_and_then_as_what_it_cost() {
    let parties = Parties::new(100).await;
    let books = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(books.path().join("ledger.sqlite")).await.unwrap();
    ledger.open_run("run", Sats(60)).await.unwrap();
    let mut reservation = ledger.reserve(key(1), Sats(20)).await.unwrap();
    reservation.publish().await.unwrap();
    reservation.pay_out().await.unwrap();
    parties.open("asker", "job 1", 13).await.unwrap();
    parties.payer.record_debts(vec![parties.debt(1, 13)]).await.unwrap();
    // The run dies here, before anything is locked.
    drop(reservation);
    let found = reconcile(&ledger, Some(&parties.payer)).await.unwrap();
    assert_eq!(found.waiting.len(), 1, "{found:?}");
    assert_eq!(ledger.budget("run").await.unwrap().spent, Sats(20));

    let payment = parties.payer.pay_debts().await.unwrap().payments.remove(0);
    assert_eq!(reconcile(&ledger, Some(&parties.payer)).await.unwrap().waiting.len(), 1, "nobody was told");
    parties.take(&payment).await.unwrap();
    parties.payer.settled(vec![payment.lock.id]).await.unwrap();
    assert_eq!(reconcile(&ledger, Some(&parties.payer)).await.unwrap().paid, [key(1)]);
    let budget = ledger.budget("run").await.unwrap();
    assert_eq!((budget.spent, budget.available), (Sats(13), Sats(47)));
    assert!(ledger.audit().await.unwrap().is_clean());
}

#[tokio::test]
async fn sats_of_which_nobody_could_be_told_come_back_and_the_debt_lapses() {
    let parties = Parties::new(100).await;
    let now = Arc::new(AtomicU64::new(now_secs() - 3 * DEBT_LOCK_SECS));
    let told = Arc::clone(&now);
    let clock = Clock::from_fn(move || told.load(Ordering::SeqCst));
    let World { folder, seed, .. } = &parties.world;
    let (payer, _) = CashuWallet::open_with(folder.path(), seed.clone(), Money::Play, clock).await.unwrap();
    payer.record_debts(vec![parties.debt(1, 13)]).await.unwrap();
    assert_eq!(payer.pay_debts().await.unwrap().payments.len(), 1);
    now.fetch_add(DEBT_LOCK_SECS + 60, Ordering::SeqCst);
    assert!(payer.pay_debts().await.unwrap().payments.is_empty(), "too late to be sure");
    assert_eq!(payer.refund_expired().await.unwrap().refunded, Sats(13));
    payer.pay_debts().await.unwrap();
    assert_eq!(payer.debt_of(&key(1)).await.unwrap().unwrap().state, DebtState::Lapsed);
    assert_eq!(available(&payer).await, 100);
}

#[tokio::test]
async fn what_a_mint_does_not_answer_is_named_until_it_does_and_paid_once_then() {
    let parties = Parties::new(100).await;
    parties.open("asker", "job 1", 13).await.unwrap();
    parties.payer.record_debts(vec![parties.debt(1, 13), parties.debt(2, 5)]).await.unwrap();
    // What the locks are made of is known; then nobody is there who could make them.
    parties.payer.lock_cost(parties.world.mint.url(), Sats(13)).await.unwrap();
    parties.world.line.cut();
    for _ in 0..2 {
        let found = parties.payer.pay_debts().await.unwrap();
        assert_eq!((found.payments.len(), found.waiting.len()), (0, 2), "{found:?}");
        let named = found.waiting.iter().filter(|why| why.contains(parties.world.mint.url()));
        assert_eq!(named.count(), 2, "{found:?}");
    }
    parties.world.line.set_faults(0);
    let found = parties.payer.pay_debts().await.unwrap();
    assert_eq!((found.payments.len(), found.waiting.len()), (2, 0), "{found:?}");
    let first = found.payments.iter().find(|payment| payment.debt.key == key(1)).unwrap();
    parties.take(first).await.unwrap();
    assert_eq!(parties.provider.check_payments().await.unwrap(), 1);
    assert_eq!(parties.provider.redeem().await.unwrap(), Sats(13));
    assert_eq!(parties.sums().await, (100 - 13 - 5, 13));
}

#[tokio::test]
async fn what_others_see_to_is_left_to_them() {
    let parties = Parties::new(100).await;
    parties.payer.record_debts(vec![parties.debt(1, 13), parties.debt(2, 5)]).await.unwrap();
    let found = parties.payer.pay_debts_among(&BTreeSet::from([key(2)])).await.unwrap();
    assert_eq!((found.payments.len(), found.waiting.len()), (1, 0), "{found:?}");
    assert_eq!(found.payments[0].debt.key, key(2));
    assert!(parties.payer.lock_of(&key(1)).await.unwrap().is_none(), "nothing has moved for it");
    assert_eq!(available(&parties.payer).await, 95);
}

#[tokio::test]
async fn two_who_pay_at_once_make_one_lock_and_say_the_same_words() {
    let parties = Parties::new(100).await;
    parties.payer.record_debts(vec![parties.debt(1, 13)]).await.unwrap();
    let (one, other) = tokio::join!(parties.payer.pay_debts(), parties.payer.pay_debts());
    let (one, other) = (one.unwrap(), other.unwrap());
    assert!(one.waiting.is_empty() && other.waiting.is_empty(), "{one:?} {other:?}");
    assert_eq!(one.payments[0].lock, other.payments[0].lock);
    assert_eq!(available(&parties.payer).await, 87);
}
