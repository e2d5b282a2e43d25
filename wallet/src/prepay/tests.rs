//! Foreign providers who want their pay first, the honest ones and the thieves.

use cdk::lightning_invoice::{Currency, InvoiceBuilder, PaymentSecret};
use cdk::secp256k1::{Secp256k1, SecretKey};
use nostr::hashes::{Hash as _, sha256};

use super::*;
use crate::cashu::tests::{World, available};
use crate::ledger::Ledger;
use crate::mint::Money;
use crate::mint::health::Ask;
use crate::reconcile;

/// An invoice of somebody with a Lightning node, over so many millisats.
struct Wanted {
    msats: Option<u64>,
    currency: Currency,
    written_secs_ago: u64,
    preimage: [u8; 32],
}

impl Wanted {
    fn sats(sats: u64) -> Self {
        Self {
            msats: Some(sats * 1_000),
            currency: Currency::Bitcoin,
            written_secs_ago: 0,
            preimage: rand::random(),
        }
    }

    fn bolt11(&self) -> String {
        let key = SecretKey::from_slice(&[7; 32]).unwrap();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let builder = InvoiceBuilder::new(self.currency.clone())
            .description("work".to_owned())
            .payment_hash(sha256::Hash::hash(&self.preimage))
            .payment_secret(PaymentSecret([9; 32]))
            .duration_since_epoch(now.saturating_sub(std::time::Duration::from_secs(self.written_secs_ago)))
            .expiry_time(std::time::Duration::from_mins(10))
            .min_final_cltv_expiry_delta(144);
        let sign = |hash: &cdk::secp256k1::Message| Secp256k1::new().sign_ecdsa_recoverable(hash, &key);
        match self.msats {
            Some(msats) => builder.amount_milli_satoshis(msats).build_signed(sign),
            None => builder.build_signed(sign),
        }
        .unwrap()
        .to_string()
    }
}

fn order(subtask: u32, bolt11: &str) -> Prepayment {
    Prepayment {
        key: Key::new("run", subtask, 0),
        peer: "provider".to_owned(),
        bolt11: bolt11.to_owned(),
        stated: None,
        bid: Sats(40),
        reserved: prepay_cost(Sats(40)),
    }
}

async fn refusal(wallet: &CashuWallet, order: Prepayment) -> PrepayRefusal {
    wallet.bill(order, None).await.unwrap_err()
}

/// Pays an invoice of a mint's wallet as if a provider had written it.
async fn pay(wallet: &CashuWallet, subtask: u32) -> PaidBill {
    let bill = wallet.bill(order(subtask, &Wanted::sats(20).bolt11()), None).await.unwrap();
    wallet.pay_bill(&bill, None).await.unwrap()
}

#[tokio::test]
async fn an_invoice_within_the_bid_is_paid_once_and_proven() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let bolt11 = Wanted::sats(30).bolt11();
    let bill = wallet.bill(order(1, &bolt11), None).await.unwrap();
    assert_eq!((bill.amount(), available(&wallet).await), (Sats(30), 100));
    let paid = wallet.pay_bill(&bill, None).await.unwrap();
    // The faked Lightning takes one sat.
    assert_eq!(paid, PaidBill { amount: Sats(30), fees: Sats(1), token: None });
    assert_eq!(available(&wallet).await, 69);
    let row = wallet.prepaid_of(&Key::new("run", 1, 0)).await.unwrap().unwrap();
    assert_eq!((row.state, row.end), (PrepaidState::Paid, PrepaidEnd::Open));
    assert_eq!(row.outcome(), SettlementOutcome::Paid { price: Sats(30), fees: Sats(1) });
    // The same bill again moves nothing.
    let again = wallet.pay_bill(&bill, None).await.unwrap_err();
    assert!(!again.unclear && again.reason.contains("used before"), "{again}");
    assert_eq!(available(&wallet).await, 69);
}

#[tokio::test]
async fn an_invoice_above_the_bid_is_refused() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let refused = refusal(&wallet, order(1, &Wanted::sats(41).bolt11())).await;
    assert_eq!(refused, PrepayRefusal::AboveBid { asks: Msats(41_000), bid: Sats(40) });
    // A fraction of a sat above is above.
    let wanted = Wanted { msats: Some(40_001), ..Wanted::sats(0) };
    assert!(matches!(refusal(&wallet, order(1, &wanted.bolt11())).await, PrepayRefusal::AboveBid { .. }));
    assert_eq!(available(&wallet).await, 100);
}

#[tokio::test]
async fn an_expired_invoice_is_refused_and_so_is_one_that_is_about_to() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    for written_secs_ago in [601, 595] {
        let wanted = Wanted { written_secs_ago, ..Wanted::sats(20) };
        assert_eq!(refusal(&wallet, order(1, &wanted.bolt11())).await, PrepayRefusal::Expired);
    }
}

#[tokio::test]
async fn an_invoice_for_another_amount_than_stated_or_for_none_is_refused() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let stated = Prepayment { stated: Some(Msats(10_000)), ..order(1, &Wanted::sats(20).bolt11()) };
    let refused = refusal(&wallet, stated).await;
    assert_eq!(refused, PrepayRefusal::OtherAmount { stated: Msats(10_000), asks: Msats(20_000) });
    let open = Wanted { msats: None, ..Wanted::sats(0) };
    assert_eq!(refusal(&wallet, order(1, &open.bolt11())).await, PrepayRefusal::NoAmount);
}

#[tokio::test]
async fn a_reused_invoice_is_refused_from_any_sender_for_any_job() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let bolt11 = Wanted::sats(20).bolt11();
    let bill = wallet.bill(order(1, &bolt11), None).await.unwrap();
    wallet.pay_bill(&bill, None).await.unwrap();
    wallet.end_prepaid(&Key::new("run", 1, 0), PrepaidEnd::Earned).await.unwrap();
    let other = Prepayment { peer: "somebody else".to_owned(), ..order(2, &bolt11.to_uppercase()) };
    for again in [order(2, &bolt11), other] {
        assert_eq!(refusal(&wallet, again).await, PrepayRefusal::Reused);
    }
    assert_eq!(available(&wallet).await, 79);
}

#[tokio::test]
async fn a_forged_or_foreign_invoice_is_refused() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let mut forged = Wanted::sats(20).bolt11();
    let last = if forged.pop() == Some('q') { 'p' } else { 'q' };
    forged.push(last);
    for text in [forged.as_str(), "lnbc1nonsense", ""] {
        let refused = refusal(&wallet, order(1, text)).await;
        assert!(matches!(refused, PrepayRefusal::Unreadable(_)), "{text}: {refused}");
    }
    // Real sats are for real invoices; this wallet's are taken for real here.
    let bolt11 = Wanted { currency: Currency::Regtest, ..Wanted::sats(20) }.bolt11();
    let terms = Terms { bid: Sats(40), stated: None, money: Money::Real, now_secs: 0 };
    assert_eq!(check::check(&bolt11, terms), Err(PrepayRefusal::Network));
}

#[tokio::test]
async fn fees_beyond_what_was_set_aside_are_refused() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let tight = Prepayment { reserved: Sats(20), ..order(1, &Wanted::sats(20).bolt11()) };
    let refused = refusal(&wallet, tight).await;
    assert_eq!(refused, PrepayRefusal::Fees { most: Sats(21), reserved: Sats(20) });
    assert_eq!(prepay_cost(Sats(40)), Sats(46));
    assert_eq!(prepay_cost(Sats(1_000)), Sats(1_025));
}

#[tokio::test]
async fn a_provider_that_takes_prepayment_and_sends_nothing_gets_it_once() {
    let world = World::new().await;
    let wallet = world.funded(500).await;
    pay(&wallet, 1).await;
    // Not even a second one while the first is open.
    let wanted = || Wanted::sats(20).bolt11();
    assert_eq!(refusal(&wallet, order(2, &wanted())).await, PrepayRefusal::Unanswered);
    wallet.end_prepaid(&Key::new("run", 1, 0), PrepaidEnd::Silent).await.unwrap();
    let refused = refusal(&wallet, order(2, &wanted())).await;
    assert_eq!(refused, PrepayRefusal::Distrusted { silent: 1, rejected: 0 });
    assert!(refused.to_string().contains("sent nothing"), "{refused}");
    assert_eq!(available(&wallet).await, 479, "one job's price and its fee");
    // Others are not their brother's keeper, and the owner may forgive.
    let other = Prepayment { peer: "other".to_owned(), ..order(3, &wanted()) };
    wallet.bill(other, None).await.unwrap();
    assert_eq!(wallet.forgive("provider").await.unwrap(), 1);
    wallet.bill(order(2, &wanted()), None).await.unwrap();
}

#[tokio::test]
async fn a_provider_of_useless_answers_is_prepaid_while_more_of_them_count() {
    let world = World::new().await;
    let wallet = world.funded(500).await;
    for (subtask, end) in [(1, PrepaidEnd::Earned), (2, PrepaidEnd::Rejected), (3, PrepaidEnd::Rejected)] {
        pay(&wallet, subtask).await;
        wallet.end_prepaid(&Key::new("run", subtask, 0), end).await.unwrap();
    }
    let refused = refusal(&wallet, order(4, &Wanted::sats(20).bolt11())).await;
    assert_eq!(refused, PrepayRefusal::Distrusted { silent: 0, rejected: 2 });
}

#[tokio::test]
async fn two_bills_of_one_provider_that_were_checked_at_once_are_not_both_paid() {
    let world = World::new().await;
    let wallet = world.funded(200).await;
    let first = wallet.bill(order(1, &Wanted::sats(20).bolt11()), None).await.unwrap();
    let second = wallet.bill(order(2, &Wanted::sats(20).bolt11()), None).await.unwrap();
    let (first, second) = tokio::join!(wallet.pay_bill(&first, None), wallet.pay_bill(&second, None));
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    assert_eq!(available(&wallet).await, 179);
}

#[tokio::test]
async fn a_doubtful_ledger_entry_is_settled_by_the_fate_of_its_payment() {
    let world = World::new().await;
    let wallet = world.funded(200).await;
    let ledger = Ledger::open(world.folder.path().join("ledger.sqlite")).await.unwrap();
    ledger.open_run("run", Sats(200)).await.unwrap();
    let mut reservation = ledger.reserve(Key::new("run", 1, 0), prepay_cost(Sats(40))).await.unwrap();
    reservation.pay_out().await.unwrap();
    pay(&wallet, 1).await;
    // The process forgets it here.
    drop(reservation);
    assert_eq!(ledger.budget("run").await.unwrap().spent, prepay_cost(Sats(40)));
    let reconciled = reconcile(&ledger, Some(&wallet)).await.unwrap();
    assert_eq!(reconciled.paid, [Key::new("run", 1, 0)]);
    let budget = ledger.budget("run").await.unwrap();
    assert_eq!((budget.spent, budget.fees), (Sats(21), Sats(1)));
    assert_eq!(available(&wallet).await, 179);
}

/// A provider that names an amount and no invoice.
fn demand(subtask: u32, sats: u64) -> Prepayment {
    Prepayment { stated: Some(Msats(sats * 1_000)), ..order(subtask, "") }
}

#[tokio::test]
async fn who_names_no_invoice_is_paid_by_a_token_once_and_nothing_prints_it() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let bill = wallet.token_bill(demand(1, 30)).await.unwrap();
    assert_eq!((bill.amount(), available(&wallet).await), (Sats(30), 100), "nothing has moved");
    let paid = wallet.pay_bill(&bill, None).await.unwrap();
    let token = paid.token.clone().expect("there is a token");
    assert!(token.reveal().starts_with("cashu") && !format!("{paid:?}").contains(token.reveal()), "{paid:?}");
    assert_eq!((paid.amount, available(&wallet).await), (Sats(30), 70 - paid.fees.0));
    let key = Key::new("run", 1, 0);
    let row = wallet.prepaid_of(&key).await.unwrap().unwrap();
    assert_eq!(
        (row.state, row.outcome()),
        (PrepaidState::Made, SettlementOutcome::Waiting { until: 0 }),
        "nobody has it yet"
    );
    assert!(wallet.give_prepaid(&key).await.unwrap());
    assert!(!wallet.give_prepaid(&key).await.unwrap(), "once");
    wallet.keep_prepaid(&key).await.unwrap();
    let row = wallet.prepaid_of(&key).await.unwrap().unwrap();
    assert_eq!((row.state, row.end), (PrepaidState::Paid, PrepaidEnd::Open), "what was given is not kept");
    assert_eq!(row.outcome(), SettlementOutcome::Paid { price: Sats(30), fees: paid.fees });
    // The same attempt again makes no second one.
    let again = wallet.pay_bill(&bill, None).await.unwrap_err();
    assert!(!again.unclear, "{again}");
    assert_eq!(wallet.tokens_out().await.unwrap().len(), 1, "nobody has taken it yet");
    let folder = tempfile::tempdir().unwrap();
    let seed = crate::seed::Phrase::generate().seed();
    let provider = crate::cashu::tests::wallet_in(folder.path(), &seed, world.mint.url()).await;
    assert_eq!(provider.receive_token(token.reveal()).await.unwrap(), Sats(30), "net of fees");
    wallet.look_up_tokens().await.unwrap();
    assert!(wallet.tokens_out().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_token_is_checked_against_bid_reservation_funds_and_record() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let refused = async |order: Prepayment| wallet.token_bill(order).await.unwrap_err();
    let above = PrepayRefusal::AboveBid { asks: Msats(41_000), bid: Sats(40) };
    assert_eq!(refused(demand(1, 41)).await, above);
    let fraction = Prepayment { stated: Some(Msats(40_001)), ..demand(1, 1) };
    assert!(matches!(refused(fraction).await, PrepayRefusal::AboveBid { .. }), "a fraction above is above");
    for stated in [None, Some(Msats::ZERO)] {
        assert_eq!(refused(Prepayment { stated, ..demand(1, 1) }).await, PrepayRefusal::NoPrice);
    }
    let tight = Prepayment { reserved: Sats(29), ..demand(1, 30) };
    assert_eq!(refused(tight).await, PrepayRefusal::Fees { most: Sats(30), reserved: Sats(29) });
    let poor = Prepayment { bid: Sats(500), reserved: prepay_cost(Sats(500)), ..demand(1, 400) };
    assert!(matches!(refused(poor).await, PrepayRefusal::Unpayable(_)));
    // One payment at a time, whatever its kind; nothing is planned by any of the refusals above.
    let bill = wallet.token_bill(demand(1, 20)).await.unwrap();
    let late = wallet.token_bill(demand(2, 20)).await.unwrap();
    wallet.pay_bill(&bill, None).await.unwrap();
    assert_eq!(refused(demand(2, 20)).await, PrepayRefusal::Unanswered);
    assert_eq!(refusal(&wallet, order(2, &Wanted::sats(20).bolt11())).await, PrepayRefusal::Unanswered);
    let before = available(&wallet).await;
    assert!(!wallet.pay_bill(&late, None).await.unwrap_err().unclear);
    assert_eq!(available(&wallet).await, before, "its coins are free again");
    wallet.end_prepaid(&Key::new("run", 1, 0), PrepaidEnd::Silent).await.unwrap();
    assert!(matches!(refused(demand(2, 20)).await, PrepayRefusal::Distrusted { silent: 1, .. }));
}

#[tokio::test]
async fn a_token_that_its_provider_is_never_given_costs_its_run_the_fees_alone() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let ledger = Ledger::open(world.folder.path().join("ledger.sqlite")).await.unwrap();
    ledger.open_run("run", Sats(90)).await.unwrap();
    let key = Key::new("run", 1, 0);
    let mut reservation = ledger.reserve(key.clone(), prepay_cost(Sats(40))).await.unwrap();
    reservation.pay_out().await.unwrap();
    let bill = wallet.token_bill(demand(1, 30)).await.unwrap();
    wallet.pay_bill(&bill, None).await.unwrap();
    // The process forgets it here.
    drop(reservation);
    let reconciled = reconcile(&ledger, Some(&wallet)).await.unwrap();
    assert_eq!(reconciled.waiting, [(key.clone(), 0)], "it may still be given away");
    assert_eq!(ledger.budget("run").await.unwrap().spent, prepay_cost(Sats(40)));

    wallet.keep_prepaid(&key).await.unwrap();
    assert!(!wallet.give_prepaid(&key).await.unwrap(), "what is kept is not given away");
    let row = wallet.prepaid_of(&key).await.unwrap().unwrap();
    assert_eq!((row.state, row.outcome()), (PrepaidState::Kept, SettlementOutcome::Back { fees: row.fees }));
    assert_eq!(reconcile(&ledger, Some(&wallet)).await.unwrap().back, [key]);
    assert_eq!(ledger.budget("run").await.unwrap().spent, row.fees);
    let token = wallet.tokens_out().await.unwrap().remove(0);
    assert_eq!(wallet.reclaim_token(&token.id).await.unwrap(), Sats(30));
    // Its provider has done nothing wrong.
    wallet.token_bill(demand(2, 20)).await.unwrap();
}

#[tokio::test]
async fn a_token_of_which_nobody_said_that_it_was_made_was_given_to_nobody() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let bill = wallet.token_bill(demand(1, 20)).await.unwrap();
    // As if the process had died between the plan and the token, or between the token and its note.
    for (subtask, operation) in [(1, uuid::Uuid::new_v4().to_string()), (2, String::new())] {
        let operation = if operation.is_empty() {
            wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
            wallet.tokens_out().await.unwrap().remove(0).id
        } else {
            operation
        };
        let row = Bill {
            order: Prepayment { peer: format!("provider {subtask}"), ..demand(subtask, 20) },
            checked: Checked { hash: format!("token:{operation}"), amount: bill.amount() },
            way: Way::Token { mint: world.mint.url().to_owned(), operation },
        };
        let owner = wallet.inner.owner.id;
        let plan = move |transaction: &rusqlite::Transaction<'_>| book::plan(transaction, &row, owner);
        assert!(wallet.inner.journal.write(plan).await.unwrap());
    }
    assert_eq!(wallet.look_up_planned(None, Ask::All, None).await.unwrap(), 2);
    for row in wallet.prepaid(Some("run")).await.unwrap() {
        assert_eq!((row.state, row.outcome()), (PrepaidState::Failed, SettlementOutcome::Void), "{row:?}");
    }
    let out = wallet.tokens_out().await.unwrap().remove(0);
    wallet.reclaim_token(&out.id).await.unwrap();
    assert_eq!(available(&wallet).await, 100);
}

#[tokio::test]
async fn a_token_that_was_looked_up_before_it_was_noted_stays_here() {
    let world = World::new().await;
    let wallet = world.funded(100).await;
    let paid = || PaidBill { amount: Sats(20), fees: Sats::ZERO, token: None };
    for (subtask, looked_up) in [(1, true), (2, false)] {
        let row = Bill {
            order: Prepayment { peer: format!("provider {subtask}"), ..demand(subtask, 20) },
            checked: Checked { hash: format!("token:{subtask}"), amount: Sats(20) },
            way: Way::Token { mint: world.mint.url().to_owned(), operation: subtask.to_string() },
        };
        let owner = wallet.inner.owner.id;
        let plan = move |transaction: &rusqlite::Transaction<'_>| book::plan(transaction, &row, owner);
        assert!(wallet.inner.journal.write(plan).await.unwrap());
        if looked_up {
            assert_eq!(wallet.look_up_planned(None, Ask::All, None).await.unwrap(), 1);
        }
        let given = wallet.hand_out(format!("token:{subtask}"), paid(), "cashu".to_owned()).await;
        let row = wallet.prepaid_of(&Key::new("run", subtask, 0)).await.unwrap().unwrap();
        if looked_up {
            let refused = given.unwrap_err();
            assert!(!refused.unclear && refused.reason.contains("frlm wallet tokens"), "{refused}");
            assert_eq!(row.state, PrepaidState::Failed);
        } else {
            assert_eq!(given.unwrap().token.unwrap().reveal(), "cashu");
            assert_eq!(row.state, PrepaidState::Made);
        }
    }
}

#[tokio::test]
async fn the_payment_of_a_living_process_is_nobody_elses_however_long_it_takes() {
    let world = World::new().await;
    let (asker, beside) = (world.funded(100).await, world.wallet().await);
    let key = Key::new("run", 1, 0);
    let bill = asker.bill(order(1, &Wanted::sats(20).bolt11()), None).await.unwrap();
    let (row, owner) = (bill.clone(), asker.inner.owner.id);
    // As a process has it that was stopped for a day between the plan and the payment.
    let plan = move |transaction: &rusqlite::Transaction<'_>| {
        book::plan(transaction, &row, owner)?;
        transaction.execute("UPDATE prepaid SET at_ms = at_ms - 86400000", [])
    };
    assert_eq!(asker.inner.journal.write(plan).await.unwrap(), 1);
    let paying = asker.pays(&bill.checked.hash);
    let state = async || beside.prepaid_of(&key).await.unwrap().unwrap().state;
    assert_eq!(beside.look_up_prepaid(None).await.unwrap(), 0);
    assert_eq!(asker.look_up_prepaid(None).await.unwrap(), 0, "its own task is at it");
    assert_eq!(state().await, PrepaidState::Planned);
    // Once it has died, the next process finds that nothing was paid.
    drop(paying);
    drop(asker);
    assert_eq!(beside.look_up_prepaid(None).await.unwrap(), 1);
    assert_eq!(state().await, PrepaidState::Failed);
}
