//! The till with a mint of play money.

use std::path::Path;

use frlm_protocol::{JobRequest, Mode};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::escrow::LockOrder;
use frlm_wallet::seed::Phrase;
use frlm_wallet::{Key, Money};

use super::*;
use crate::testing::{directed, request};

async fn wallet(folder: &Path, mint: &PlayMint) -> CashuWallet {
    let (wallet, _) = CashuWallet::open(folder, Phrase::generate().seed(), Money::Play).await.unwrap();
    wallet.allow_mint(mint.url(), None).await.unwrap();
    wallet
}

#[tokio::test]
async fn what_is_ordered_together_is_done_in_its_order() {
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let payer = wallet(&folder.path().join("payer"), &mint).await;
    let invoice = payer.invoice(mint.url(), Sats(10)).await.unwrap();
    payer.receive_invoice(&invoice, Duration::from_secs(20)).await.unwrap();
    let earner = wallet(&folder.path().join("earner"), &mint).await;
    let now = Timestamp::now();
    let order = LockOrder {
        key: Key::new("run", 0, 0),
        peer: "npub".to_owned(),
        provider: earner.provider_key(),
        price: Sats(1),
        most: None,
        locktime: now.as_secs() + 3_600,
    };
    let lock = payer.lock_all(mint.url(), vec![order]).await.unwrap().remove(0).lock;
    let mut job = directed(request("copy", &["a"], Mode::Together));
    job.request.payment = Some(serde_json::to_string(&lock).unwrap());
    job.request.expires_at = Some(now + 300_u64);
    let (said, _outbox) = mpsc::channel(8);
    let till = Till::new(earner.clone(), "model".to_owned(), Keys::generate(), said);
    assert_eq!(till.check(&job, Sats(1)).await.unwrap(), Sats(1));

    let release = payer.release(vec![lock.id.clone()], now.as_secs()).await.unwrap().remove(0);
    let release = Settlement::Released(serde_json::to_string(&release).unwrap());
    let settle =
        |settlement| Order::Settle(ReceivedSettlement { settlement, author: job.asker, job: job.id });
    let (told, mut done) = oneshot::channel();
    // An asker that signs and then thinks better of it has paid.
    let orders = vec![settle(release), settle(Settlement::Declined), Order::Done(told)];
    assert!(till.take_all(orders).await, "there is something to redeem");
    assert_eq!(earner.earnings().await.unwrap().remove(0).state, "released");
    assert!(done.try_recv().is_ok(), "everything before it is done");
    mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_paid_is_forgotten_and_one_that_is_not_can_still_be_declined() {
    let home = tempfile::tempdir().unwrap();
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let payer = wallet(&home.path().join("asker"), &mint).await;
    let invoice = payer.invoice(mint.url(), Sats(50)).await.unwrap();
    payer.receive_invoice(&invoice, Duration::from_secs(30)).await.unwrap();
    let earner = wallet(&home.path().join("provider"), &mint).await;
    let order = |subtask: u32| LockOrder {
        key: Key::new("run", subtask, 0),
        peer: "npub".to_owned(),
        provider: earner.provider_key(),
        price: Sats(1),
        most: None,
        locktime: Timestamp::now().as_secs() + 3_600,
    };
    let locked = payer.lock_all(mint.url(), vec![order(0), order(1)]).await.unwrap();
    let (said, _unread) = mpsc::channel(4);
    let till = Till::new(earner, "model".to_owned(), Keys::generate(), said);
    let job = |number: u8, lock: &Lock| {
        let payment = Some(serde_json::to_string(lock).unwrap());
        let request = JobRequest { payment, ..request("copy", &["a"], Mode::Each) };
        ReceivedJob { id: EventId::from_byte_array([number; 32]), ..directed(request) }
    };
    let (first, second) = (job(1, &locked[0].lock), job(2, &locked[1].lock));
    for job in [&first, &second] {
        till.check(job, Sats(1)).await.unwrap();
        till.telling(job.id);
    }

    let opened = locked[0].lock.id.clone();
    let release = payer.release(vec![opened], Timestamp::now().as_secs()).await.unwrap().remove(0);
    let released = |job: &ReceivedJob| {
        let settlement = Settlement::Released(serde_json::to_string(&release).unwrap());
        Order::Settle(ReceivedSettlement { author: job.asker, job: job.id, settlement })
    };
    // The signature is the first one's, whatever job is named with it.
    assert!(till.take_all(vec![released(&second), released(&first)]).await);
    assert!(till.known().get(&first.id).is_none() && till.told().get(&first.id).is_none());
    assert!(till.known().get(&second.id).is_some() && till.told().get(&second.id).is_some());
    let declined =
        ReceivedSettlement { author: second.asker, job: second.id, settlement: Settlement::Declined };
    till.take_all(vec![Order::Settle(declined)]).await;
    assert!(till.known().get(&second.id).is_none(), "its lock went back");
    mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_declines_a_job_that_was_given_back_is_told_so_again() {
    let home = tempfile::tempdir().unwrap();
    let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
    let payer = wallet(&home.path().join("asker"), &mint).await;
    let invoice = payer.invoice(mint.url(), Sats(10)).await.unwrap();
    payer.receive_invoice(&invoice, Duration::from_secs(30)).await.unwrap();
    let earner = wallet(&home.path().join("provider"), &mint).await;
    let order = LockOrder {
        key: Key::new("run", 0, 0),
        peer: "npub".to_owned(),
        provider: earner.provider_key(),
        price: Sats(1),
        most: None,
        locktime: Timestamp::now().as_secs() + 3_600,
    };
    let lock = payer.lock_all(mint.url(), vec![order]).await.unwrap().remove(0).lock;
    let payment = Some(serde_json::to_string(&lock).unwrap());
    let job = directed(JobRequest { payment, ..request("copy", &["a"], Mode::Each) });
    let (said, mut words) = mpsc::channel(4);
    let till = Till::new(earner, "model".to_owned(), Keys::generate(), said);
    till.check(&job, Sats(1)).await.unwrap();
    let declined = || {
        Order::Settle(ReceivedSettlement { author: job.asker, job: job.id, settlement: Settlement::Declined })
    };
    // The first of these words may come before its asker knows that the job has failed.
    till.take_all(vec![Order::GiveBack(Arc::new(job.clone())), declined()]).await;
    assert!(words.try_recv().is_ok() && words.try_recv().is_ok());
    till.take_all(vec![declined()]).await;
    assert!(words.try_recv().is_err(), "twice is enough");
    mint.shutdown().await;
}

#[test]
fn whoever_has_part_of_an_answer_has_its_sats_back_within_the_bound_only() {
    for called_off in [false, true] {
        assert_eq!(unanswered(true, called_off, true), Unanswered::PartlyTold);
        assert_eq!(unanswered(false, called_off, true), Unanswered::PartlyTold);
        assert_eq!(unanswered(true, called_off, false), Unanswered::GivenBack);
    }
    assert_eq!(unanswered(false, false, false), Unanswered::GivenBack);
    assert_eq!(unanswered(false, true, false), Unanswered::PartlyTold);
}
