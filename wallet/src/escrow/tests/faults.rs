//! Payer, provider and their ledger in random order, with a mint behind a bad line and processes
//! that die at any moment. Whatever happens, no sat is lost or made, and it comes to an end.
//!
//! The mint is real, over HTTP. Locktimes lie in its past and in the parties' future: the mint
//! would take a refund at any time, and the parties' own clock decides when they ask for one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom as _;
use rand::{Rng as _, SeedableRng as _};

use super::*;
use crate::cashu::tests::faulty::Line;
use crate::ledger::tests::crash;
use crate::mint::asking::TIMEOUT;
use crate::mint::health::Ask;
use crate::mint::{Money, PlayMint, PlayMintOptions};
use crate::reconcile;
use crate::seed::Seed;
use crate::{Budget, Ledger, Reservation};

/// Interleavings unless `FRLM_INTERLEAVINGS` says otherwise; about a minute of them.
const INTERLEAVINGS: u64 = 40;
const STEPS: usize = 40;
/// Most of their time is waiting for answers that do not come.
const AT_ONCE: usize = 8;
const FUNDS: u64 = 300;
const LIMIT: u64 = 250;
/// How long a lock is good for, on the parties' clock.
const LOCK_SECS: u64 = 400;
/// Long for a mint in the same process; stalling requests are given up after it.
const SHORT_TIMEOUT: Duration = Duration::from_millis(400);
/// Where nothing stalls and an answer must come: for a machine that is busy with something else.
const LONG_TIMEOUT: Duration = Duration::from_mins(5);
/// Of a hundred operations, so many are cut short by the death of their process.
const DEATHS_PERCENT: u32 = 12;

/// One side: its wallet, and what it takes to open it again.
struct Side {
    folder: tempfile::TempDir,
    seed: Seed,
    wallet: Option<CashuWallet>,
}

impl Side {
    fn wallet(&self) -> CashuWallet {
        self.wallet.clone().unwrap()
    }

    /// The end of its process, and the start of the next.
    async fn restart(&mut self, clock: &Clock, ask: Ask) {
        self.wallet = None;
        self.wallet = Some(open(self.folder.path(), &self.seed, clock, ask).await);
    }

    /// Everything at the mint that is this side's alone, free or in an exchange that is not over.
    async fn holds(&self) -> u64 {
        let balances = self.wallet().balances().await.unwrap();
        balances.iter().map(|mint| mint.available.0 + mint.pending.0).sum()
    }
}

async fn open(folder: &Path, seed: &Seed, clock: &Clock, ask: Ask) -> CashuWallet {
    let opened = CashuWallet::open_asking(folder, seed.clone(), Money::Play, clock.clone(), ask).await;
    let (wallet, recovery) = opened.unwrap();
    assert!(!recovery.busy, "its last process is over: the next one recovers what it left");
    wallet
}

/// A job that is paid for.
#[derive(Default)]
struct Job {
    reservation: Option<Reservation>,
    lock: Option<Locked>,
    /// The provider has said that it works.
    accepted: bool,
    /// The payer has said that the answer does not count.
    declined: bool,
    /// What the payer has said, and the provider has not heard.
    release: Option<Release>,
    /// What the provider has said, and the payer has not heard.
    returned: Option<Returned>,
}

struct Scene {
    random: StdRng,
    line: Line,
    mint: PlayMint,
    now: Arc<AtomicU64>,
    clock: Clock,
    payer: Side,
    provider: Side,
    ledger_file: tempfile::TempDir,
    ledger: Option<Ledger>,
    jobs: BTreeMap<u32, Job>,
    /// Which mints a wallet asks when it is opened again.
    ask: Ask,
}

/// A stranger's job.
fn claim_of(subtask: u32) -> Claim {
    Claim { asker: format!("asker {subtask}"), ..claim(&format!("job {subtask}")) }
}

/// Runs an operation, or the first part of it: its process dies at some point where it waits.
async fn cut(future: impl Future, random: &mut StdRng) -> bool {
    if random.random_range(0..100) >= DEATHS_PERCENT {
        future.await;
        return false;
    }
    let mut left = random.random_range(0..40);
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|context| {
        if left == 0 {
            return std::task::Poll::Ready(true);
        }
        left -= 1;
        future.as_mut().poll(context).map(|_| false)
    })
    .await
}

impl Scene {
    async fn new(seed: u64) -> Self {
        let line = Line::seeded(seed);
        let input_fee_ppk = if seed.is_multiple_of(2) { 0 } else { 100 };
        let options = PlayMintOptions { input_fee_ppk, ..PlayMintOptions::default() };
        let mint = PlayMint::start_behind(options, |router| line.before(router)).await.unwrap();
        // A day ago, so that the mint takes every locktime for past.
        let now = Arc::new(AtomicU64::new(now_secs() - 24 * HOUR));
        let told = Arc::clone(&now);
        let clock = Clock::from_fn(move || told.load(Ordering::SeqCst));
        let side = async || {
            let (folder, seed) = (tempfile::tempdir().unwrap(), Phrase::generate().seed());
            let wallet = open(folder.path(), &seed, &clock, Ask::Passing).await;
            wallet.allow_mint(mint.url(), None).await.unwrap();
            Side { folder, seed, wallet: Some(wallet) }
        };
        let (payer, provider) = (side().await, side().await);
        let invoice = payer.wallet().invoice(mint.url(), Sats(FUNDS)).await.unwrap();
        payer.wallet().receive_invoice(&invoice, LONG_TIMEOUT).await.unwrap();
        let ledger_file = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(ledger_file.path().join("ledger.sqlite")).await.unwrap();
        ledger.open_run("run", Sats(LIMIT)).await.unwrap();
        line.set_faults(30);
        Self {
            random: StdRng::seed_from_u64(seed.wrapping_add(1)),
            line,
            mint,
            now,
            clock,
            payer,
            provider,
            ledger_file,
            ledger: Some(ledger),
            jobs: BTreeMap::new(),
            ask: Ask::Passing,
        }
    }

    fn ledger(&self) -> Ledger {
        self.ledger.clone().unwrap()
    }

    fn now(&self) -> u64 {
        self.now.load(Ordering::SeqCst)
    }

    fn pick(&mut self, wanted: impl Fn(&Job) -> bool) -> Option<u32> {
        let fitting = self.jobs.iter().filter(|(_, job)| wanted(job)).map(|(subtask, _)| *subtask);
        fitting.choose(&mut self.random)
    }

    async fn step(&mut self) {
        match self.random.random_range(0..20) {
            0..=4 => self.buy().await,
            5..=6 => self.accept().await,
            7..=9 => self.release().await,
            10 => self.hear_release().await,
            11..=12 => {
                let wallet = self.provider.wallet();
                let died = cut(wallet.redeem(), &mut self.random).await;
                drop(wallet);
                self.provider_after(died).await;
            }
            13 => self.lose(),
            14..=15 => self.give_back().await,
            16 => {
                self.now.fetch_add(150, Ordering::SeqCst);
            }
            17 => self.look_after().await,
            18 => {
                self.line.deliver_late().await;
            }
            _ => {
                let payer = self.random.random();
                if payer { self.payer_after(true).await } else { self.provider_after(true).await }
            }
        }
    }

    /// Reserves, and locks in one exchange.
    async fn buy(&mut self) {
        let first = u32::try_from(self.jobs.len()).unwrap();
        let (count, price) = (self.random.random_range(1..=3), self.random.random_range(1..=20));
        let (ledger, wallet, mint) = (self.ledger(), self.payer.wallet(), self.mint.url().to_owned());
        let (provider, locktime) = (self.provider.wallet().provider_key(), self.now() + LOCK_SECS);
        let jobs = &mut self.jobs;
        let buying = async {
            let Ok(cost) = wallet.lock_cost(&mint, Sats(price)).await else { return };
            let keys: Vec<_> = (first..first + count).map(|subtask| (key(subtask), cost.total())).collect();
            let Ok(reservations) = ledger.reserve_all(keys).await else { return };
            let mut orders = Vec::new();
            for (subtask, mut reservation) in (first..).zip(reservations) {
                reservation.publish().await.unwrap();
                reservation.lock().await.unwrap();
                orders.push(LockOrder {
                    key: key(subtask),
                    peer: "npub".to_owned(),
                    provider,
                    price: Sats(price),
                    most: Some(cost.total()),
                    locktime,
                });
                jobs.insert(subtask, Job { reservation: Some(reservation), ..Job::default() });
            }
            match wallet.lock_all(&mint, orders).await {
                Ok(locked) => {
                    for locked in locked {
                        let job = jobs.get_mut(&locked.key.subtask).unwrap();
                        job.lock = Some(locked);
                    }
                }
                Err(error) => {
                    for subtask in first..first + count {
                        let reservation = jobs.get_mut(&subtask).unwrap().reservation.take().unwrap();
                        reservation.release().await.unwrap();
                        if error.is_certain() {
                            ledger.reconcile(key(subtask), Sats(0), Sats(0)).await.unwrap();
                        }
                    }
                }
            }
        };
        let died = cut(buying, &mut self.random).await;
        // A subtask's number is used once, also by an attempt that never came to be.
        for subtask in first..first + count {
            self.jobs.entry(subtask).or_default();
        }
        drop((wallet, ledger));
        self.payer_after(died).await;
    }

    async fn accept(&mut self) {
        let Some(subtask) = self.pick(|job| job.lock.is_some()) else { return };
        let lock = self.jobs[&subtask].lock.as_ref().unwrap().lock.clone();
        let need = Need { price: lock.price, earliest_locktime: self.now() + 60 };
        let claim = claim_of(subtask);
        let wallet = self.provider.wallet();
        let accepted = &mut self.jobs.get_mut(&subtask).unwrap().accepted;
        let accepting = async { *accepted |= wallet.accept(&lock, need, claim).await.is_ok() };
        let died = cut(accepting, &mut self.random).await;
        drop(wallet);
        self.provider_after(died).await;
    }

    /// An answer counts.
    async fn release(&mut self) {
        let Some(subtask) = self.pick(|job| job.accepted && job.reservation.is_some()) else { return };
        let (wallet, now) = (self.payer.wallet(), self.now());
        let job = self.jobs.get_mut(&subtask).unwrap();
        let locked = job.lock.clone().unwrap();
        let mut reservation = job.reservation.take().unwrap();
        let said = &mut job.release;
        let paying = async {
            reservation.pay_out().await.unwrap();
            let Some(release) = wallet.release(vec![locked.lock.id.clone()], now).await.unwrap().pop() else {
                return;
            };
            *said = Some(release);
            reservation.settle(locked.lock.price, locked.fees()).await.unwrap();
            wallet.settled(vec![locked.lock.id.clone()]).await.unwrap();
        };
        let died = cut(paying, &mut self.random).await;
        drop(wallet);
        self.payer_after(died).await;
    }

    async fn hear_release(&mut self) {
        let Some(subtask) = self.pick(|job| job.release.is_some()) else { return };
        let release = self.jobs.get_mut(&subtask).unwrap().release.take().unwrap();
        self.provider.wallet().released(vec![release]).await.unwrap();
    }

    /// An answer does not count.
    fn lose(&mut self) {
        let Some(subtask) = self.pick(|job| job.reservation.is_some()) else { return };
        let job = self.jobs.get_mut(&subtask).unwrap();
        job.declined = job.lock.is_some();
        drop(job.reservation.take());
    }

    /// The provider gives back what it has not earned; the payer may hear it.
    async fn give_back(&mut self) {
        if let Some(subtask) = self.pick(|job| job.declined && job.returned.is_none()) {
            let lock = self.jobs[&subtask].lock.as_ref().unwrap().lock.clone();
            // What was released, or has lapsed, is not given back any more.
            let given = self.provider.wallet().decline(&lock, claim_of(subtask)).await;
            self.jobs.get_mut(&subtask).unwrap().returned = given.ok();
        }
        let Some(subtask) = self.pick(|job| job.returned.is_some()) else { return };
        let returned = self.jobs.get_mut(&subtask).unwrap().returned.take().unwrap();
        let (wallet, ledger) = (self.payer.wallet(), self.ledger());
        let taking = async {
            for (key, fees) in wallet.reclaim(vec![returned]).await.unwrap_or_default() {
                // Something else may have decided about it in the meantime.
                let _ = ledger.reconcile(key, Sats(0), fees).await;
            }
        };
        let died = cut(taking, &mut self.random).await;
        drop((wallet, ledger));
        self.payer_after(died).await;
    }

    /// What both sides do in the background.
    async fn look_after(&mut self) {
        let (payer, provider, ledger) = (self.payer.wallet(), self.provider.wallet(), self.ledger());
        let looking = async {
            let _ = payer.retry_unclear().await;
            payer.refund_expired().await.unwrap();
            reconcile(&ledger, Some(&payer)).await.unwrap();
        };
        let died = cut(looking, &mut self.random).await;
        let _ = provider.retry_unclear().await;
        provider.expire_claims(self.now()).await.unwrap();
        drop((payer, provider, ledger));
        self.payer_after(died).await;
    }

    async fn payer_after(&mut self, died: bool) {
        if died {
            crash(self.ledger.take().unwrap()).await;
            for job in self.jobs.values_mut() {
                drop(job.reservation.take());
            }
            let ledger = Ledger::open(self.ledger_file.path().join("ledger.sqlite")).await.unwrap();
            self.payer.restart(&self.clock, self.ask).await;
            reconcile(&ledger, Some(&self.payer.wallet())).await.unwrap();
            self.ledger = Some(ledger);
        }
    }

    async fn provider_after(&mut self, died: bool) {
        if died {
            self.provider.restart(&self.clock, self.ask).await;
        }
    }

    /// What holds at every moment.
    async fn check(&self, when: &str) {
        let Budget { limit, spent, reserved, pending_refund, available, .. } =
            self.ledger().budget("run").await.unwrap();
        assert_eq!(limit, Sats(spent.0 + reserved.0 + pending_refund.0 + available.0));
        let audit = self.ledger().audit().await.unwrap();
        assert!(audit.is_clean(), "{when}: {audit:?}");
        let (payer, provider) = (self.payer.holds().await, self.provider.holds().await);
        assert!(payer + provider <= FUNDS, "{when}: sats were made: {payer} and {provider}");
        let accounted = spent.0 + reserved.0 + pending_refund.0;
        let gone = FUNDS - payer;
        assert!(gone <= accounted, "{when}: {gone} are gone, {accounted} are accounted for");
    }

    /// The line is good again and the locktimes pass: everything comes to an end.
    async fn end(mut self, when: &str) {
        self.line.set_faults(0);
        // A mint that was silent rests, and a caller that asks in passing would leave it alone.
        self.ask = Ask::All;
        while self.line.deliver_late().await {}
        self.line.quiet().await;
        for job in self.jobs.values_mut() {
            drop(job.reservation.take());
        }
        // Exchanges that were never answered, and releases that are still on their way.
        self.payer_after(true).await;
        self.provider_after(true).await;
        let releases = self.jobs.values_mut().filter_map(|job| job.release.take()).collect();
        self.provider.wallet().released(releases).await.unwrap();
        // What somebody else was quicker to take is found out in the first round, and the rest moves
        // in the second.
        for _ in 0..2 {
            let _ = self.provider.wallet().redeem().await;
        }
        self.now.fetch_add(LOCK_SECS + HOUR, Ordering::SeqCst);
        self.payer_after(true).await;
        self.provider.wallet().expire_claims(self.now()).await.unwrap();

        let reconciled = reconcile(&self.ledger(), Some(&self.payer.wallet())).await.unwrap();
        assert!(reconciled.waiting.is_empty(), "{when}: {reconciled:?}");
        self.check(when).await;
        let budget = self.ledger().budget("run").await.unwrap();
        assert_eq!((budget.reserved, budget.pending_refund), (Sats(0), Sats(0)), "{when}");
        for subtask in self.jobs.keys() {
            if let Ok(entry) = self.ledger().entry(key(*subtask)).await {
                assert!(entry.state.is_final(), "{when}, {subtask}: {entry:?}");
            }
        }
        let (payer, provider) = (self.payer.wallet(), self.provider.wallet());
        assert_eq!(
            FUNDS - available(&payer).await,
            budget.spent.0,
            "{when}: the ledger and the mint disagree"
        );
        let earnings = provider.earnings().await.unwrap();
        assert!(earnings.iter().all(|each| !each.is_open()), "{when}: {earnings:?}");
        let received: u64 = earnings.iter().map(|each| each.received.0).sum();
        assert_eq!(available(&provider).await, received, "{when}");
        let paid: u64 = payer
            .locks(None)
            .await
            .unwrap()
            .iter()
            .map(|row| if let SettlementOutcome::Paid { price, .. } = row.outcome() { price.0 } else { 0 })
            .sum();
        assert_eq!(budget.spent.0 - budget.fees.0, paid, "{when}");
        // Without the mint's fees, to the sat; with them, the provider has its prices in full.
        assert!(received >= paid && received <= budget.spent.0, "{when}: {received} of {budget:?}");
        self.mint.shutdown().await;
    }
}

async fn interleaving(seed: u64) -> usize {
    let mut scene = TIMEOUT.scope(LONG_TIMEOUT, Scene::new(seed)).await;
    for step in 0..STEPS {
        TIMEOUT.scope(SHORT_TIMEOUT, scene.step()).await;
        scene.check(&format!("interleaving {seed}, step {step}")).await;
    }
    let faults = scene.line.faults_met();
    TIMEOUT.scope(LONG_TIMEOUT, scene.end(&format!("interleaving {seed}, at its end"))).await;
    faults
}

/// `FRLM_INTERLEAVING` names the first, to look at one again.
#[tokio::test]
async fn no_sat_is_lost_or_made_however_bad_the_line() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let first = number("FRLM_INTERLEAVING").unwrap_or(0);
    let count = number("FRLM_INTERLEAVINGS").unwrap_or(INTERLEAVINGS);
    let faults: Vec<usize> =
        stream::iter(first..first + count).map(interleaving).buffer_unordered(AT_ONCE).collect().await;
    let faults: usize = faults.into_iter().sum();
    println!("{count} interleavings of {STEPS} steps; {faults} requests met a fault");
    assert!(faults as u64 >= count);
}
