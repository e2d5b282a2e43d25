//! Payments with a mint of play money.

use std::net::Ipv4Addr;
use std::path::Path;

use frlm_protocol::{JobRequest, Mode};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::escrow::LockOrder;
use frlm_wallet::seed::Phrase;
use frlm_wallet::{Key, Money};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use super::*;
use crate::testing::{directed, request};

/// Who pays and who earns, at one mint.
struct Scene {
    payer: CashuWallet,
    earner: CashuWallet,
    mint: PlayMint,
    line: Line,
    _folder: tempfile::TempDir,
}

impl Scene {
    /// The payer has so much.
    async fn with(sats: Sats) -> Self {
        let mint = PlayMint::start(PlayMintOptions::default()).await.unwrap();
        let line = Line::to(&mint).await;
        let folder = tempfile::tempdir().unwrap();
        let payer = wallet(&folder.path().join("payer"), &line.url).await;
        let invoice = payer.invoice(&line.url, sats).await.unwrap();
        payer.receive_invoice(&invoice, Duration::from_secs(30)).await.unwrap();
        let earner = wallet(&folder.path().join("earner"), &line.url).await;
        Self { payer, earner, mint, line, _folder: folder }
    }

    /// Locks a sat for an hour for each of so many jobs.
    async fn lock(&self, jobs: u32) -> Vec<Lock> {
        let command = |subtask| LockOrder {
            key: Key::new("run", subtask, 0),
            peer: "npub".to_owned(),
            provider: self.earner.provider_key(),
            price: Sats(1),
            most: None,
            locktime: Timestamp::now().as_secs() + 3_600,
        };
        let commands = (0..jobs).map(command).collect();
        let locked = self.payer.lock_all(&self.line.url, commands).await.unwrap();
        locked.into_iter().map(|locked| locked.lock).collect()
    }

    /// Signs the pay of a job over.
    async fn release(&self, lock: &Lock) -> Settlement {
        let signed = self.payer.release(vec![lock.id.clone()], Timestamp::now().as_secs()).await.unwrap();
        Settlement::Released(serde_json::to_string(&signed[0]).unwrap())
    }

    /// The payments of the earner, which says its words there.
    fn payments(&self, said: mpsc::Sender<Event>) -> Payments {
        Payments::new(self.earner.clone(), "model".to_owned(), Keys::generate(), said)
    }
}

async fn wallet(folder: &Path, mint: &str) -> CashuWallet {
    let (wallet, _) = CashuWallet::open(folder, Phrase::generate().seed(), Money::Play).await.unwrap();
    wallet.allow_mint(mint, None).await.unwrap();
    wallet
}

/// A way to a mint. Once it is silent, connections are still taken, and nothing is handed on.
struct Line {
    url: String,
    silence: watch::Sender<bool>,
    _task: AbortOnDropHandle<()>,
}

impl Line {
    async fn to(mint: &PlayMint) -> Self {
        let mint = mint.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (silence, silent) = watch::channel(false);
        let task = async move {
            let mut open = JoinSet::new();
            while let Ok((mut here, _)) = listener.accept().await {
                let (mint, mut silent) = (mint.clone(), silent.clone());
                open.spawn(async move {
                    let mut there = TcpStream::connect(mint).await.unwrap();
                    tokio::select! {
                        _ = silent.changed() => std::future::pending::<()>().await,
                        _ = tokio::io::copy_bidirectional(&mut here, &mut there) => {}
                    }
                });
            }
        };
        Self { url, silence, _task: AbortOnDropHandle::new(tokio::spawn(task)) }
    }
}

/// A job that comes with its pay.
fn paid(mode: Mode, lock: &Lock) -> ReceivedJob {
    let payment = Some(serde_json::to_string(lock).unwrap());
    directed(JobRequest { payment, ..request("copy", &["a"], mode) })
}

#[tokio::test]
async fn what_is_ordered_together_is_done_in_its_order() {
    let scene = Scene::with(Sats(10)).await;
    let locks = scene.lock(1).await;
    let mut job = paid(Mode::Together, &locks[0]);
    job.request.expires_at = Some(Timestamp::now() + 300_u64);
    let (said, _outbox) = mpsc::channel(8);
    let payments = scene.payments(said);
    assert_eq!(payments.check(&job, Sats(1)).await.unwrap(), Sats(1));

    let release = scene.release(&locks[0]).await;
    let settle = |settlement| {
        PaymentCommand::Settle(ReceivedSettlement { settlement, author: job.asker, job: job.id })
    };
    let (told, mut done) = oneshot::channel();
    // An asker that signs and then thinks better of it has paid.
    let commands = vec![settle(release), settle(Settlement::Declined), PaymentCommand::Done(told)];
    assert!(payments.take_all(commands).await.redeem, "there is something to redeem");
    assert_eq!(scene.earner.earnings().await.unwrap().remove(0).state, "released");
    assert!(done.try_recv().is_ok(), "everything before it is done");
    scene.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_job_is_forgotten_and_an_unpaid_one_can_still_be_declined() {
    let scene = Scene::with(Sats(50)).await;
    let locks = scene.lock(2).await;
    let (said, _unread) = mpsc::channel(4);
    let payments = scene.payments(said);
    let job = |number: u8, lock: &Lock| ReceivedJob {
        id: EventId::from_byte_array([number; 32]),
        ..paid(Mode::Each, lock)
    };
    let (first, second) = (job(1, &locks[0]), job(2, &locks[1]));
    for job in [&first, &second] {
        payments.check(job, Sats(1)).await.unwrap();
    }

    let release = scene.release(&locks[0]).await;
    let released = |job: &ReceivedJob| {
        PaymentCommand::Settle(ReceivedSettlement {
            author: job.asker,
            job: job.id,
            settlement: release.clone(),
        })
    };
    // The signature is the first one's, whatever job is named with it.
    assert!(payments.take_all(vec![released(&second), released(&first)]).await.redeem);
    assert!(payments.known().get(&first.id).is_none());
    assert!(payments.known().get(&second.id).is_some());
    let declined =
        ReceivedSettlement { author: second.asker, job: second.id, settlement: Settlement::Declined };
    payments.take_all(vec![PaymentCommand::Settle(declined)]).await;
    assert!(payments.known().get(&second.id).is_none(), "its lock went back");
    scene.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payer_that_declines_a_returned_job_is_told_so_again() {
    let scene = Scene::with(Sats(10)).await;
    let locks = scene.lock(1).await;
    let job = paid(Mode::Each, &locks[0]);
    let (said, mut words) = mpsc::channel(4);
    let payments = scene.payments(said);
    payments.check(&job, Sats(1)).await.unwrap();
    let declined = || {
        PaymentCommand::Settle(ReceivedSettlement {
            author: job.asker,
            job: job.id,
            settlement: Settlement::Declined,
        })
    };
    // The first of these words may come before its asker knows that the job has failed.
    payments.take_all(vec![PaymentCommand::GiveBack(Arc::new(job.clone())), declined()]).await;
    assert!(words.try_recv().is_ok() && words.try_recv().is_ok());
    payments.take_all(vec![declined()]).await;
    assert!(words.try_recv().is_err(), "twice is enough");
    scene.mint.shutdown().await;
}

/// Nobody has any part of its answer, so that nothing bounds how often.
#[tokio::test(flavor = "multi_thread")]
async fn a_paid_job_that_ends_without_an_answer_has_its_lock_back() {
    let scene = Scene::with(Sats(10)).await;
    let locks = scene.lock(2).await;
    let (said, mut words) = mpsc::channel(4);
    let payments = scene.payments(said);
    let end: [fn(Arc<ReceivedJob>) -> PaymentCommand; 2] =
        [PaymentCommand::GiveBack, PaymentCommand::Cancelled];
    for (number, (lock, end)) in (1..).zip(locks.iter().zip(end)) {
        let job = ReceivedJob { id: EventId::from_byte_array([number; 32]), ..paid(Mode::Each, lock) };
        payments.check(&job, Sats(1)).await.unwrap();
        payments.take_all(vec![end(Arc::new(job))]).await;
        assert!(words.try_recv().is_ok(), "its signature goes back");
    }
    assert!(scene.earner.earnings().await.unwrap().iter().all(|earned| earned.state == "returned"));
    scene.mint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mint_that_never_answers_holds_up_no_order() {
    let scene = Scene::with(Sats(10)).await;
    let locks = scene.lock(1).await;
    let job = paid(Mode::Each, &locks[0]);
    let (said, _unread) = mpsc::channel(4);
    let payments = Arc::new(scene.payments(said));
    payments.check(&job, Sats(1)).await.unwrap();
    let settlement = scene.release(&locks[0]).await;
    scene.line.silence.send_replace(true);
    let (commands, inbox) = mpsc::channel(4);
    let _running = AbortOnDropHandle::new(tokio::spawn(payments.run(inbox)));
    let released = PaymentCommand::Settle(ReceivedSettlement { settlement, author: job.asker, job: job.id });
    commands.send(released).await.unwrap();
    let asks_its_mint = async {
        while scene.earner.earnings().await.unwrap()[0].state != "redeeming" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), asks_its_mint).await.expect("releases are redeemed");
    let (told, done) = oneshot::channel();
    commands.send(PaymentCommand::Done(told)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), done).await.expect("orders are done meanwhile").unwrap();
    assert_eq!(scene.earner.earnings().await.unwrap()[0].state, "redeeming", "the mint says nothing still");
    scene.mint.shutdown().await;
}
