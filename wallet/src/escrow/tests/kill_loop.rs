//! Paid work over and over, at a mint that takes fees and fails requests, beside one that says nothing, with the process
//! of each step killed at the steps of its journal in turn: the sums hold to the sat, and nothing stays open.
//!
//! Each step is a process of its own, as a person's commands are. Ledger and mints live in this one. Locktimes lie in the
//! mints' past and in the parties' future, as in the `faults` module.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

use super::*;
use crate::cashu::tests::place::FOREIGN;
use crate::ledger::{Booking, Scheme};
use crate::mint::Money;
use crate::mint::asking::TIMEOUT;
use crate::{Ledger, audit, failpoint, reconcile};

/// Runs at our own mint, and at a foreign one, unless the environment names another number.
const OWN_RUNS: u32 = 4;
const RUNS: u32 = 10;
const RUNS_VARIABLE: &str = "FRLM_KILL_RUNS";
/// Of a hundred requests, so many meet a fault.
const FAULTS_PERCENT: u32 = 30;
const FUNDS_PER_RUN: u64 = 40;
/// What lies at the mint that falls silent, and what of it is locked there.
const SILENT_FUNDS: u64 = 50;
const SILENT_PRICE: u64 = 13;
/// Less than a day: the mints take every lock for expired.
const LOCK_SECS: u64 = 10_000;
const DAY: u64 = 24 * HOUR;
/// Long for a mint on this machine; what stalls is given up after it.
const SHORT_TIMEOUT: Duration = Duration::from_millis(1_500);
const LONG_TIMEOUT: Duration = Duration::from_mins(2);
/// How often the wallets are opened at the end until nothing is open any more.
const LAST_LOOKS: usize = 5;

const SCENE: &str = "FRLM_TEST_SCENE";
const FOLDER: &str = "FRLM_TEST_FOLDER";
const PHRASE: &str = "FRLM_TEST_PHRASE";
const INPUT: &str = "FRLM_TEST_INPUT";
const OUTPUT: &str = "FRLM_TEST_OUTPUT";
const NOW: &str = "FRLM_TEST_NOW";

/// Every place at which a process may die, in the order in which runs come to them.
const STEPS: [&str; 21] = [
    "lock.0",
    "lock.1",
    "lock.2",
    "lock.3",
    "lock.4",
    "lock.5",
    "release.0",
    "release.1",
    "redeem.0",
    "redeem.1",
    "redeem.2",
    "redeem.3",
    "redeem.4",
    "redeem.5",
    "return.1",
    "reclaim.0",
    "reclaim.1",
    "reclaim.2",
    "reclaim.3",
    "reclaim.4",
    "reclaim.5",
];

/// One side, whose wallet no process of this test has open between two steps.
struct Side {
    phrase: Phrase,
    folder: tempfile::TempDir,
}

struct Scene {
    random: StdRng,
    world: World,
    silent: World,
    now: u64,
    payer: Side,
    provider: Side,
    books: tempfile::TempDir,
    ledger: Ledger,
    killed: usize,
    paid: usize,
    given_back: usize,
}

async fn open(phrase: &Phrase, folder: &Path, now: u64) -> CashuWallet {
    let clock = Clock::from_fn(move || now);
    let (wallet, recovery) = CashuWallet::open_with(folder, phrase.seed(), Money::Play, clock).await.unwrap();
    assert!(!recovery.busy, "its last process is over");
    wallet
}

impl Scene {
    async fn new(runs: u32) -> Self {
        let world = World::with_fee(100).await;
        let silent = World::at_another_mint().await;
        let now = now_secs() - DAY;
        let side = || Side { phrase: Phrase::generate(), folder: tempfile::tempdir().unwrap() };
        let (payer, provider, books) = (side(), side(), tempfile::tempdir().unwrap());
        let ledger = Ledger::open(books.path().join("ledger.sqlite")).await.unwrap();
        let funds = FUNDS_PER_RUN * u64::from(runs) + 100;
        ledger.open_run("run", Sats(funds + SILENT_FUNDS)).await.unwrap();
        let scene = Self {
            random: StdRng::seed_from_u64(24),
            world,
            silent,
            now,
            payer,
            provider,
            books,
            ledger,
            killed: 0,
            paid: 0,
            given_back: 0,
        };
        let provider = scene.open(&scene.provider).await;
        let payer = scene.open(&scene.payer).await;
        for wallet in [&payer, &provider] {
            for mint in [&scene.world.mint, &scene.silent.mint] {
                wallet.allow_mint(mint.url(), None).await.unwrap();
            }
        }
        fund(&payer, scene.world.mint.url(), funds).await;
        fund(&payer, scene.silent.mint.url(), SILENT_FUNDS).await;
        // Its time is over at once, and its mint says nothing: every look meets it.
        let order = LockOrder { locktime: now - HOUR, ..scene.order(0, SILENT_PRICE, &provider) };
        let mut reservation = scene.reserve(0, SILENT_PRICE).await;
        reservation.lock().await.unwrap();
        payer.lock_all(scene.silent.mint.url(), vec![order]).await.unwrap();
        reservation.release().await.unwrap();
        scene.silent.line.fall_silent();
        scene.world.line.set_faults(FAULTS_PERCENT);
        scene
    }

    async fn open(&self, side: &Side) -> CashuWallet {
        open(&side.phrase, side.folder.path(), self.now).await
    }

    async fn reserve(&self, subtask: u32, sats: u64) -> crate::Reservation {
        let booking = Booking {
            key: key(subtask),
            amount: Sats(sats),
            provider: None,
            mint: None,
            scheme: Scheme::Escrow,
        };
        self.ledger.reserve_all(vec![booking]).await.unwrap().remove(0)
    }

    fn order(&self, subtask: u32, price: u64, provider: &CashuWallet) -> LockOrder {
        LockOrder {
            key: key(subtask),
            peer: "npub".to_owned(),
            provider: provider.provider_key(),
            price: Sats(price),
            most: None,
            locktime: self.now + LOCK_SECS,
        }
    }

    /// One step in a process of its own, which dies at the failpoint if it comes there. What it has said, if it did.
    async fn step(
        &mut self,
        side: fn(&Self) -> &Side,
        scene: &str,
        failpoint: &str,
        input: &Value,
    ) -> Option<Value> {
        let output: PathBuf = self.books.path().join("said.json");
        let _ = std::fs::remove_file(&output);
        let mut child = Command::new(std::env::current_exe().unwrap());
        let Side { phrase, folder } = side(self);
        child
            .args(["--exact", "escrow::tests::kill_loop::child", "--ignored", "--nocapture"])
            .env(failpoint::VARIABLE, failpoint)
            .env(SCENE, scene)
            .env(FOLDER, folder.path())
            .env(PHRASE, phrase.reveal())
            .env(INPUT, input.to_string())
            .env(OUTPUT, &output)
            .env(NOW, self.now.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let status = tokio::task::spawn_blocking(move || child.status().unwrap()).await.unwrap();
        if std::os::unix::process::ExitStatusExt::signal(&status) == Some(9) {
            self.killed += 1;
        } else {
            assert!(status.success(), "{scene}: {status}");
        }
        serde_json::from_slice(&std::fs::read(output).ok()?).ok()
    }

    async fn run(&mut self, number: u32, failpoint: &str) {
        let (subtask, price) = (number + 1, self.random.random_range(1..=20));
        if self.random.random_ratio(1, 3) {
            self.world.line.deliver_late().await;
        }
        let provider = self.open(&self.provider).await;
        let order = self.order(subtask, price, &provider);
        drop(provider);
        let payer = self.open(&self.payer).await;
        let Ok(cost) = payer.lock_cost(self.world.mint.url(), Sats(price)).await else { return };
        drop(payer);
        let mut reservation = self.reserve(subtask, cost.total().0).await;
        reservation.publish().await.unwrap();
        reservation.lock().await.unwrap();
        let input = json!({
            "mint": self.world.mint.url(), "subtask": subtask, "price": price, "locktime": order.locktime,
            "provider": order.provider.to_hex(),
        });
        self.step(|scene| &scene.payer, "lock", failpoint, &input).await;
        let payer = self.open(&self.payer).await;
        let row = payer.lock_of(&key(subtask)).await.unwrap().filter(|row| row.state() == "locked");
        drop(payer);
        // Nobody knows yet, or it was never made: the books say so at the end.
        let Some(row) = row else { return reservation.release().await.unwrap() };
        let job = format!("job {subtask}");
        let claim = Claim { asker: format!("asker {subtask}"), ..claim(&job) };
        let provider = self.open(&self.provider).await;
        let need = Need { price: row.lock.price, earliest_locktime: self.now + 60 };
        let mut accepted = false;
        for _ in 0..4 {
            accepted = accepted || provider.accept(&row.lock, need, claim.clone()).await.is_ok();
        }
        drop(provider);
        // A run that is to die while it gives back has nothing to pay for.
        let pays = !failpoint.starts_with("return") && !failpoint.starts_with("reclaim");
        if accepted && pays {
            self.pay(&row, reservation, failpoint).await;
        } else {
            reservation.release().await.unwrap();
            self.give_back(&row, claim, failpoint).await;
        }
    }

    async fn pay(&mut self, row: &LockRow, mut reservation: crate::Reservation, failpoint: &str) {
        reservation.pay_out().await.unwrap();
        let id = row.lock.id.clone();
        let said = self.step(|scene| &scene.payer, "release", failpoint, &json!(id)).await;
        let payer = self.open(&self.payer).await;
        let releases: Vec<Release> = match said {
            Some(said) => serde_json::from_value(said).unwrap(),
            // It died before it could say so, or after: it is said again.
            None => payer.release(vec![id.clone()], self.now).await.unwrap(),
        };
        let fees = row.lock.amount().unwrap().saturating_sub(row.lock.price).saturating_add(row.lock_fee);
        reservation.settle(row.lock.price, fees).await.unwrap();
        payer.settled(vec![id]).await.unwrap();
        drop(payer);
        let provider = self.open(&self.provider).await;
        assert_eq!(provider.released(releases).await.unwrap().len(), 1);
        drop(provider);
        self.step(|scene| &scene.provider, "redeem", failpoint, &Value::Null).await;
        self.paid += 1;
    }

    async fn give_back(&mut self, row: &LockRow, claim: Claim, failpoint: &str) {
        let input = json!({ "lock": row.lock, "job": claim.job, "asker": claim.asker });
        let said = self.step(|scene| &scene.provider, "decline", failpoint, &input).await;
        let returned: Returned = if let Some(said) = said {
            serde_json::from_value(said).unwrap()
        } else {
            let provider = self.open(&self.provider).await;
            provider.decline(&row.lock, claim).await.unwrap()
        };
        self.step(|scene| &scene.payer, "reclaim", failpoint, &json!(returned)).await;
        self.given_back += 1;
    }

    /// The mints are well again and the locktimes pass: everything comes to its end, and adds up.
    async fn end(mut self, runs: u32) {
        let faults = self.world.line.faults_met();
        self.world.line.set_faults(0);
        self.silent.line.set_faults(0);
        while self.world.line.deliver_late().await {}
        self.world.line.quiet().await;
        let (mut left, mut why) = (Vec::new(), Vec::new());
        for look in 0..LAST_LOOKS {
            if look == 1 {
                self.now += LOCK_SECS + HOUR;
            }
            let (payer, provider) = (self.open(&self.payer).await, self.open(&self.provider).await);
            let _ = payer.retry_unclear().await;
            let _ = provider.retry_unclear().await;
            let _ = provider.redeem().await;
            provider.expire_claims(self.now).await.unwrap();
            why = payer.refund_expired().await.unwrap().waiting;
            reconcile(&self.ledger, Some(&payer)).await.unwrap();
            left = payer.stuck().await.unwrap();
            left.extend(provider.stuck().await.unwrap());
            if look > 0 && left.is_empty() {
                break;
            }
        }
        assert!(left.is_empty(), "{left:?}: {why:?}");
        let (payer, provider) = (self.open(&self.payer).await, self.open(&self.provider).await);
        let found = audit(&self.ledger, &payer).await.unwrap();
        assert!(found.differences.is_empty() && found.unasked.is_empty(), "{found:?}");
        assert!(self.ledger.audit().await.unwrap().is_clean());
        let budget = self.ledger.budget("run").await.unwrap();
        assert_eq!((budget.reserved, budget.pending_refund), (Sats(0), Sats(0)));
        let funds = FUNDS_PER_RUN * u64::from(runs) + 100 + SILENT_FUNDS;
        let (left, received) = (available(&payer).await, available(&provider).await);
        assert_eq!(funds - left, budget.spent.0, "ledger and mints disagree");
        let earnings = provider.earnings().await.unwrap();
        assert!(earnings.iter().all(|each| !each.is_open()), "{earnings:?}");
        assert_eq!(received, earnings.iter().map(|each| each.received.0).sum::<u64>());
        let prices = budget.spent.0 - budget.fees.0;
        assert!(received >= prices && received <= budget.spent.0, "{received} of {budget:?}");
        println!(
            "{runs} runs: {} paid, {} given back, {} processes killed, {faults} requests met a fault; {funds} sats = \
             {left} left + {received} earned + {} to the mint",
            self.paid,
            self.given_back,
            self.killed,
            funds - left - received
        );
        assert!(self.killed * 2 >= runs as usize, "{} of {runs} runs were killed", self.killed);
    }
}

#[tokio::test]
async fn paid_runs_that_are_killed_at_every_step_add_up_to_the_sat() {
    let usual = if std::env::var_os(FOREIGN).is_some() { RUNS } else { OWN_RUNS };
    let runs = std::env::var(RUNS_VARIABLE).map_or(usual, |number| number.parse().unwrap());
    let mut scene = Scene::new(runs).await;
    for number in 0..runs {
        // Few runs meet steps from all over the list.
        let failpoint = STEPS[(number as usize * 13) % STEPS.len()];
        TIMEOUT.scope(SHORT_TIMEOUT, scene.run(number, failpoint)).await;
    }
    TIMEOUT.scope(LONG_TIMEOUT, scene.end(runs)).await;
}

#[tokio::test]
#[ignore = "the other half of the test in this file"]
async fn child() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let phrase = Phrase::parse(&variable(PHRASE)).unwrap();
    let now = variable(NOW).parse().unwrap();
    let input: Value = serde_json::from_str(&variable(INPUT)).unwrap();
    let work = async {
        let wallet = open(&phrase, Path::new(&variable(FOLDER)), now).await;
        match variable(SCENE).as_str() {
            "lock" => {
                let text = |name: &str| input[name].as_str().unwrap().to_owned();
                let number = |name: &str| input[name].as_u64().unwrap();
                let order = LockOrder {
                    key: key(u32::try_from(number("subtask")).unwrap()),
                    peer: "npub".to_owned(),
                    provider: text("provider").parse().unwrap(),
                    price: Sats(number("price")),
                    most: None,
                    locktime: number("locktime"),
                };
                drop(wallet.lock_all(&text("mint"), vec![order]).await);
                None
            }
            "release" => {
                let id = input.as_str().unwrap().to_owned();
                Some(json!(wallet.release(vec![id], now).await.unwrap()))
            }
            "decline" => {
                let lock: Lock = serde_json::from_value(input["lock"].clone()).unwrap();
                let text = |name: &str| input[name].as_str().unwrap().to_owned();
                let claim = Claim { asker: text("asker"), ..claim(&text("job")) };
                Some(json!(wallet.decline(&lock, claim).await.unwrap()))
            }
            "redeem" => {
                drop(wallet.redeem().await);
                None
            }
            "reclaim" => {
                drop(wallet.reclaim(vec![serde_json::from_value(input).unwrap()]).await);
                None
            }
            other => unreachable!("no scene {other}"),
        }
    };
    if let Some(said) = TIMEOUT.scope(SHORT_TIMEOUT, work).await {
        std::fs::write(variable(OUTPUT), said.to_string()).unwrap();
    }
}
