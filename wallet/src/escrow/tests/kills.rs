//! `kill -9` at each numbered step, then a restart: nothing is lost, nothing is made.
//!
//! A child process does one thing and is killed by an armed failpoint. The mint lives in this
//! process and goes on.

mod payments;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::*;
use crate::cashu::tests::at_rest;
use crate::cashu::tests::place::FOREIGN;
use crate::cashu::{Invoice, PaymentQuote};
use crate::debts::{CreditLine, Debt, DebtPayment, DebtState};
use crate::mint::{Money, Recovery};
use crate::prepay::{PrepaidState, Prepayment, prepay_cost};
use crate::seed::vault;
use crate::{Msats, failpoint};

const SCENE: &str = "FRLM_TEST_SCENE";
const FOLDER: &str = "FRLM_TEST_FOLDER";
const PHRASE: &str = "FRLM_TEST_PHRASE";
const MINT: &str = "FRLM_TEST_MINT";
const INPUT: &str = "FRLM_TEST_INPUT";
/// How long a foreign mint may take to end what it began.
const FOREIGN_TIMEOUT: Duration = Duration::from_secs(20);

/// Whose wallet the child opens.
struct Owner<'a> {
    phrase: &'a Phrase,
    folder: &'a Path,
    mint: &'a str,
}

/// Runs a scene until the failpoint kills it.
async fn kill_at(failpoint: &str, scene: &str, owner: &Owner<'_>, input: &str) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "escrow::tests::kills::child", "--ignored", "--nocapture"])
        .env(failpoint::VARIABLE, failpoint)
        .env(SCENE, scene)
        .env(FOLDER, owner.folder)
        .env(PHRASE, owner.phrase.reveal())
        .env(MINT, owner.mint)
        .env(INPUT, input)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = tokio::task::spawn_blocking(move || child.status().unwrap()).await.unwrap();
    let killed = std::os::unix::process::ExitStatusExt::signal(&status) == Some(9);
    assert!(killed, "{scene} did not reach {failpoint}: {status}");
}

async fn reopen(owner: &Owner<'_>) -> (CashuWallet, Recovery) {
    let open = || CashuWallet::open(owner.folder, owner.phrase.seed(), Money::Play);
    let (mut wallet, mut recovery) = open().await.unwrap();
    // A foreign mint may still be at work on what the killed process asked of it, and nobody can hurry it.
    let until = tokio::time::Instant::now() + FOREIGN_TIMEOUT;
    while std::env::var_os(FOREIGN).is_some()
        && !recovery.waiting.is_empty()
        && tokio::time::Instant::now() < until
    {
        drop(wallet);
        tokio::time::sleep(Duration::from_millis(200)).await;
        (wallet, recovery) = open().await.unwrap();
    }
    assert!(!recovery.busy && recovery.waiting.is_empty(), "{recovery:?}");
    (wallet, recovery)
}

#[tokio::test]
#[ignore = "the other half of the tests in this file"]
async fn child() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let seed = Phrase::parse(&variable(PHRASE)).unwrap().seed();
    let (input, mint) = (variable(INPUT), variable(MINT));
    let (wallet, _) = CashuWallet::open(Path::new(&variable(FOLDER)), seed, Money::Play).await.unwrap();
    match variable(SCENE).as_str() {
        "lock" => {
            let provider = input.parse().unwrap();
            let order = LockOrder {
                key: key(1),
                peer: "npub".to_owned(),
                provider,
                price: Sats(13),
                most: None,
                locktime: now_secs() + HOUR,
            };
            drop(wallet.lock_all(&mint, vec![order]).await);
        }
        "owe" => {
            let provider = input.parse().unwrap();
            wallet.record_debts(vec![debt(provider, &mint)]).await.unwrap();
            drop(wallet.pay_debts().await);
        }
        "check" => drop(wallet.check_payments().await),
        "release" => drop(wallet.release(vec![input], now_secs()).await),
        "decline" => {
            let lock: Lock = serde_json::from_str(&input).unwrap();
            drop(wallet.decline(&lock, claim("job")).await);
        }
        "redeem" => drop(wallet.redeem().await),
        "reclaim" => drop(wallet.reclaim(vec![serde_json::from_str(&input).unwrap()]).await),
        "mint" => {
            let invoice: Invoice = wallet.invoice(&mint, Sats(50)).await.unwrap();
            drop(wallet.receive_invoice(&invoice, std::time::Duration::from_secs(20)).await);
        }
        "melt" => {
            let quote: PaymentQuote = wallet.payment_quote(&mint, &input, Msats(40_000)).await.unwrap();
            drop(wallet.pay(&quote).await);
        }
        "prepay" => {
            let bill = wallet.bill(prepayment(&input), None).await.unwrap();
            drop(wallet.pay_bill(&bill, None).await);
        }
        "token" => {
            let bill = wallet.token_bill(demand()).await.unwrap();
            drop(wallet.pay_bill(&bill, None).await);
        }
        "passphrase" => {
            let (place, old, new): (String, Option<String>, Option<String>) =
                serde_json::from_str(&input).unwrap();
            vault::change(Path::new(&place), old.as_deref(), new.as_deref()).unwrap();
        }
        other => unreachable!("no scene {other}"),
    }
}

/// 13 sats for a job that counts.
fn debt(provider: cdk::nuts::PublicKey, mint: &str) -> Debt {
    Debt {
        key: key(1),
        peer: "npub".to_owned(),
        provider,
        mint: mint.to_owned(),
        price: Sats(13),
        job: "job".to_owned(),
        relays: Vec::new(),
    }
}

/// What a foreign provider asks for before it works.
fn prepayment(bolt11: &str) -> Prepayment {
    Prepayment {
        key: key(1),
        peer: "npub".to_owned(),
        bolt11: bolt11.to_owned(),
        stated: None,
        bid: Sats(40),
        reserved: prepay_cost(Sats(40)),
    }
}

/// What one asks for that names no invoice.
fn demand() -> Prepayment {
    Prepayment { stated: Some(Msats(40_000)), ..prepayment("") }
}

/// A payer with 100 sats whose wallet is closed, so that a child can open it.
struct Stage {
    world: World,
    phrase: Phrase,
    provider: CashuWallet,
    provider_phrase: Phrase,
    provider_folder: tempfile::TempDir,
}

impl Stage {
    async fn new() -> Self {
        let phrase = Phrase::generate();
        let mut world = World::new().await;
        world.seed = phrase.seed();
        drop(world.funded(100).await);
        let provider_folder = tempfile::tempdir().unwrap();
        let provider_phrase = Phrase::generate();
        let provider = wallet_in(provider_folder.path(), &provider_phrase.seed(), world.mint.url()).await;
        Self { world, phrase, provider, provider_phrase, provider_folder }
    }

    fn payer(&self) -> Owner<'_> {
        Owner { phrase: &self.phrase, folder: self.world.folder.path(), mint: self.world.mint.url() }
    }

    fn order(&self) -> LockOrder {
        LockOrder {
            key: key(1),
            peer: "npub".to_owned(),
            provider: self.provider.provider_key(),
            price: Sats(13),
            most: None,
            locktime: now_secs() + HOUR,
        }
    }

    /// Locks 13 sats that the provider has accepted.
    async fn locked(&self) -> Lock {
        let payer = self.world.wallet().await;
        let locked = payer.lock_all(self.world.mint.url(), vec![self.order()]).await.unwrap().remove(0).lock;
        self.provider.accept(&locked, need(13), claim("job")).await.unwrap();
        locked
    }

    /// Whatever state it was left in: the lock ends with the provider, and both have what is theirs.
    async fn goes_on_to_payment(&self, payer: &CashuWallet, lock: &Lock) {
        let releases = payer.release(vec![lock.id.clone()], now_secs()).await.unwrap();
        self.provider.released(releases).await.unwrap();
        assert_eq!(self.provider.redeem().await.unwrap(), Sats(13));
        assert_eq!((available(payer).await, available(&self.provider).await), (87, 13));
    }
}

#[tokio::test]
async fn killed_while_locking() {
    for step in 0..=5 {
        let stage = Stage::new().await;
        let provider = stage.provider.provider_key().to_hex();
        kill_at(&format!("lock.{step}"), "lock", &stage.payer(), &provider).await;
        let (payer, _) = reopen(&stage.payer()).await;
        let row = payer.lock_of(&key(1)).await.unwrap();
        let lock = match row {
            // Nothing was planned yet: nothing has moved, and it can be done now.
            None => {
                assert_eq!((step, available(&payer).await), (0, 100));
                payer.lock_all(stage.world.mint.url(), vec![stage.order()]).await.unwrap().remove(0).lock
            }
            Some(row) => {
                assert_eq!((row.state(), available(&payer).await), ("locked", 87), "step {step}");
                row.lock
            }
        };
        stage.provider.accept(&lock, need(13), claim("job")).await.unwrap();
        stage.goes_on_to_payment(&payer, &lock).await;
    }
}

#[tokio::test]
async fn killed_while_releasing() {
    for step in 0..=1 {
        let stage = Stage::new().await;
        let lock = stage.locked().await;
        kill_at(&format!("release.{step}"), "release", &stage.payer(), &lock.id).await;
        let (payer, _) = reopen(&stage.payer()).await;
        let found = payer.lock_of(&key(1)).await.unwrap().unwrap().state();
        assert_eq!(found, if step == 0 { "locked" } else { "released" });
        stage.goes_on_to_payment(&payer, &lock).await;
    }
}

#[tokio::test]
async fn killed_while_paying_what_is_owed() {
    let locking = (0..=5).map(|step| format!("lock.{step}"));
    let releasing = (0..=1).map(|step| format!("release.{step}"));
    for failpoint in std::iter::once("owe.1".to_owned()).chain(locking).chain(releasing) {
        let stage = Stage::new().await;
        let due = now_secs() + HOUR;
        let line = CreditLine { per_key: 1 };
        stage.provider.open_debt(claim("job"), Sats(13), due, line).await.unwrap();
        let provider_key = stage.provider.provider_key().to_hex();
        kill_at(&failpoint, "owe", &stage.payer(), &provider_key).await;
        let (payer, _) = reopen(&stage.payer()).await;
        let payment = payer.pay_debts().await.unwrap().payments.remove(0);
        for _ in 0..2 {
            // Said twice: the dead process may have said it already.
            let DebtPayment { debt, lock, release } = payment.clone();
            drop(stage.provider.take_payment(&debt.job, "asker", lock, release).await);
            stage.provider.check_payments().await.unwrap();
        }
        stage.provider.redeem().await.unwrap();
        payer.settled(vec![payment.lock.id]).await.unwrap();
        assert_eq!((available(&payer).await, available(&stage.provider).await), (87, 13), "{failpoint}");
        assert!(payer.pay_debts().await.unwrap().payments.is_empty(), "{failpoint}");
        let row = payer.debt_of(&key(1)).await.unwrap().unwrap();
        assert_eq!(row.state, DebtState::Paid, "{failpoint}");
    }
}

#[tokio::test]
async fn killed_while_checking_what_was_paid() {
    let stage = Stage::new().await;
    let line = CreditLine { per_key: 1 };
    stage.provider.open_debt(claim("job"), Sats(13), now_secs() + HOUR, line).await.unwrap();
    let payer = stage.world.wallet().await;
    payer.record_debts(vec![debt(stage.provider.provider_key(), stage.world.mint.url())]).await.unwrap();
    let DebtPayment { debt, lock, release } = payer.pay_debts().await.unwrap().payments.remove(0);
    stage.provider.take_payment(&debt.job, "asker", lock, release).await.unwrap();
    let Stage { world, provider, provider_phrase, provider_folder, .. } = stage;
    drop(provider);
    let owner = Owner { phrase: &provider_phrase, folder: provider_folder.path(), mint: world.mint.url() };
    kill_at("credit.1", "check", &owner, "").await;
    let (provider, _) = reopen(&owner).await;
    assert_eq!(provider.check_payments().await.unwrap(), 0, "it was written down");
    assert_eq!(provider.redeem().await.unwrap(), Sats(13));
    assert_eq!(available(&provider).await, 13);
}

#[tokio::test]
async fn killed_while_redeeming() {
    for step in 0..=5 {
        let Stage { world, phrase, provider, provider_phrase, provider_folder } = {
            let stage = Stage::new().await;
            let lock = stage.locked().await;
            let payer = stage.world.wallet().await;
            let releases = payer.release(vec![lock.id.clone()], now_secs()).await.unwrap();
            stage.provider.released(releases).await.unwrap();
            stage
        };
        drop(provider);
        let owner =
            Owner { phrase: &provider_phrase, folder: provider_folder.path(), mint: world.mint.url() };
        kill_at(&format!("redeem.{step}"), "redeem", &owner, "").await;
        let (provider, _) = reopen(&owner).await;
        provider.redeem().await.unwrap();
        assert_eq!(available(&provider).await, 13, "step {step}");
        let earning = provider.earnings().await.unwrap().remove(0);
        assert_eq!((earning.state.as_str(), earning.received), ("redeemed", Sats(13)));
        let payer = Owner { phrase: &phrase, folder: world.folder.path(), mint: world.mint.url() };
        assert_eq!(available(&reopen(&payer).await.0).await, 87);
    }
}

#[tokio::test]
async fn killed_while_declining_work_that_was_never_begun() {
    let stage = Stage::new().await;
    let payer = stage.world.wallet().await;
    let lock = payer.lock_all(stage.world.mint.url(), vec![stage.order()]).await.unwrap().remove(0).lock;
    drop(payer);
    let Stage { world, phrase, provider, provider_phrase, provider_folder } = stage;
    drop(provider);
    let owner = Owner { phrase: &provider_phrase, folder: provider_folder.path(), mint: world.mint.url() };
    kill_at("return.1", "decline", &owner, &serde_json::to_string(&lock).unwrap()).await;
    let (provider, _) = reopen(&owner).await;
    // It may have signed the lock away, so that no job is done for it any more; it says so again.
    let refused = provider.accept(&lock, need(13), claim("job")).await.unwrap_err();
    assert!(matches!(refused, LockRefusal::Used), "{refused}");
    let returned = provider.decline(&lock, claim("job")).await.unwrap();
    let payer = Owner { phrase: &phrase, folder: world.folder.path(), mint: world.mint.url() };
    let (payer, _) = reopen(&payer).await;
    payer.reclaim(vec![returned]).await.unwrap();
    assert_eq!((available(&payer).await, available(&provider).await), (100, 0));
}

#[tokio::test]
async fn killed_while_giving_back() {
    let stage = Stage::new().await;
    let lock = stage.locked().await;
    let Stage { world, phrase, provider, provider_phrase, provider_folder } = stage;
    drop(provider);
    let owner = Owner { phrase: &provider_phrase, folder: provider_folder.path(), mint: world.mint.url() };
    kill_at("return.1", "decline", &owner, &serde_json::to_string(&lock).unwrap()).await;
    let (provider, _) = reopen(&owner).await;
    // The signature may have left, so that a release is not taken any more; it is given again.
    let returned = provider.decline(&lock, claim("job")).await.unwrap();
    let payer = Owner { phrase: &phrase, folder: world.folder.path(), mint: world.mint.url() };
    let (payer, _) = reopen(&payer).await;
    payer.reclaim(vec![returned]).await.unwrap();
    assert_eq!((available(&payer).await, available(&provider).await), (100, 0));
}

#[tokio::test]
async fn killed_while_taking_back() {
    for step in 0..=5 {
        let stage = Stage::new().await;
        let lock = stage.locked().await;
        let returned = stage.provider.decline(&lock, claim("job")).await.unwrap();
        let input = serde_json::to_string(&returned).unwrap();
        kill_at(&format!("reclaim.{step}"), "reclaim", &stage.payer(), &input).await;
        let (payer, _) = reopen(&stage.payer()).await;
        if step == 0 {
            assert_eq!(available(&payer).await, 87);
            payer.reclaim(vec![returned]).await.unwrap();
        }
        assert_eq!((available(&payer).await, available(&stage.provider).await), (100, 0), "step {step}");
        assert_eq!(
            payer.lock_of(&key(1)).await.unwrap().unwrap().outcome(),
            SettlementOutcome::Back { fees: Sats(0) }
        );
    }
}
