//! What escrow costs on top of the work itself: lock, check, release, redeem, with ledger and books as
//! durable as in production, at a mint of play money in this process over HTTP.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use frlm_wallet::cashu::{PlayMint, PlayMintOptions, Traffic};
use frlm_wallet::escrow::{Claim, LockOrder, Locked, Need};
use frlm_wallet::seed::Phrase;
use frlm_wallet::{CashuWallet, Clock, Key, Ledger, Money, Sats};
use futures::future::{join_all, try_join_all};

use super::{Row, Target};

/// The target of design.md, section 10: milliseconds of escrow per subtask.
const LIMIT_MS: f64 = 25.0;
/// Locks that one exchange makes, for one provider.
const BATCH: u32 = 16;
/// The target for a thousand locks, in seconds.
const THOUSAND_LIMIT_SECS: f64 = 20.0;
/// What each job costs: three coins.
const PRICE: Sats = Sats(7);
/// Longer than the bench.
const LOCK_SECS: u64 = 3_600;
const TIMEOUT: Duration = Duration::from_secs(30);

/// Payer and provider, who trust one mint.
struct Parties {
    mint: PlayMint,
    payer: CashuWallet,
    provider: CashuWallet,
    ledger: Ledger,
    next: u32,
    _home: tempfile::TempDir,
}

/// Every row about escrow.
pub async fn measure(scale: u32) -> anyhow::Result<Vec<Row>> {
    let mut parties = Parties::start().await?;
    // Once unmeasured, so that nobody pays for cold caches.
    parties.subtasks(BATCH, BATCH).await?;
    let batched = parties.subtasks(512 / scale, BATCH).await?;
    let single = parties.subtasks(64 / scale, 1).await?;
    let locks = 1_000 / scale;
    let began = Instant::now();
    parties.lock(locks).await?;
    let seconds = began.elapsed().as_secs_f64();
    let limit = THOUSAND_LIMIT_SECS / f64::from(scale);
    let rows = vec![
        batched.row(&format!("escrow per subtask, batches of {BATCH}"), Target::AtMost(1.0)),
        single.row("escrow per subtask, unbatched", Target::None),
        Row {
            what: format!("{locks} locks in one exchange"),
            floor: format!("{limit:.0} s allowed"),
            measured: format!("{seconds:.2} s"),
            ratio: seconds / limit,
            target: Target::AtMost(1.0),
        },
    ];
    parties.mint.shutdown().await;
    Ok(rows)
}

/// What a number of subtasks took.
struct Cost {
    subtasks: u32,
    took: Duration,
    traffic: Traffic,
}

impl Cost {
    fn row(&self, what: &str, target: Target) -> Row {
        let each = |count: u64| count as f64 / f64::from(self.subtasks);
        let milliseconds = self.took.as_secs_f64() * 1_000.0 / f64::from(self.subtasks);
        Row {
            what: format!(
                "{what}, {} subtasks; each {:.2} exchanges, {:.2} requests, {:.0} B to the mint and {:.0} B back",
                self.subtasks,
                each(self.traffic.swaps),
                each(self.traffic.requests),
                each(self.traffic.bytes_in),
                each(self.traffic.bytes_out),
            ),
            floor: format!("{LIMIT_MS:.0} ms allowed"),
            measured: format!("{milliseconds:.1} ms"),
            ratio: milliseconds / LIMIT_MS,
            target,
        }
    }
}

impl Parties {
    async fn start() -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let mint = PlayMint::start(PlayMintOptions::default()).await?;
        let open = async |name: &str| {
            let (wallet, _) =
                CashuWallet::open(&home.path().join(name), Phrase::generate().seed(), Money::Play).await?;
            wallet.allow_mint(mint.url(), None).await?;
            anyhow::Ok(wallet)
        };
        let (payer, provider) = (open("payer").await?, open("provider").await?);
        let funds = Sats(100_000);
        let invoice = payer.invoice(mint.url(), funds).await?;
        payer.receive_invoice(&invoice, TIMEOUT).await?;
        let ledger = Ledger::open(home.path().join("ledger.db")).await?;
        ledger.open_run("bench", funds).await?;
        Ok(Self { mint, payer, provider, ledger, next: 0, _home: home })
    }

    /// Pays for subtasks from reservation to redemption, so many at once.
    async fn subtasks(&mut self, count: u32, at_once: u32) -> anyhow::Result<Cost> {
        let before = self.mint.traffic();
        let began = Instant::now();
        for _ in 0..count / at_once {
            self.batch(at_once).await?;
        }
        let took = began.elapsed();
        Ok(Cost { subtasks: count / at_once * at_once, took, traffic: self.mint.traffic().since(before) })
    }

    async fn batch(&mut self, count: u32) -> anyhow::Result<()> {
        let keys: Vec<Key> = self.keys(count);
        let wanted = keys.iter().map(|key| (key.clone(), PRICE)).collect();
        let mut reservations = self.ledger.reserve_all(wanted).await?;
        try_join_all(reservations.iter().map(frlm_wallet::Reservation::publish)).await?;
        try_join_all(reservations.iter_mut().map(frlm_wallet::Reservation::lock)).await?;
        let locked = self.lock_for(keys).await?;
        let checks = locked.iter().map(|each| self.accept(each));
        for accepted in join_all(checks).await {
            accepted?;
        }
        try_join_all(reservations.iter_mut().map(frlm_wallet::Reservation::pay_out)).await?;
        let ids: Vec<String> = locked.iter().map(|each| each.lock.id.clone()).collect();
        let releases = self.payer.release(ids.clone(), Clock::system().now_secs()).await?;
        try_join_all(reservations.into_iter().map(|each| each.settle(PRICE, Sats::ZERO))).await?;
        self.payer.settled(ids).await?;
        self.provider.released(releases).await?;
        let received = self.provider.redeem().await?;
        ensure!(received == Sats(PRICE.0 * u64::from(count)), "{received} arrived for {count} jobs");
        Ok(())
    }

    async fn accept(&self, locked: &Locked) -> anyhow::Result<()> {
        let name = locked.key.to_string();
        // Each asker is a stranger with one job, so that nobody's credit runs out.
        let claim = Claim { job: name.clone(), asker: name, model: "bench".to_owned() };
        let need = Need { price: PRICE, earliest_locktime: 0 };
        self.provider.accept(&locked.lock, need, claim).await?;
        Ok(())
    }

    /// Locks and nothing else.
    async fn lock(&mut self, count: u32) -> anyhow::Result<()> {
        let keys = self.keys(count);
        let made = self.lock_for(keys).await?.len();
        ensure!(made == count as usize, "{made} of {count} locks were made");
        Ok(())
    }

    async fn lock_for(&self, keys: Vec<Key>) -> anyhow::Result<Vec<Locked>> {
        let locktime = Clock::system().now_secs() + LOCK_SECS;
        let provider = self.provider.provider_key();
        let order =
            |key| LockOrder { key, peer: "bench".to_owned(), provider, price: PRICE, most: None, locktime };
        let orders = keys.into_iter().map(order).collect();
        self.payer.lock_all(self.mint.url(), orders).await.context("the locks were not made")
    }

    fn keys(&mut self, count: u32) -> Vec<Key> {
        let first = self.next;
        self.next += count;
        (first..self.next).map(|subtask| Key::new("bench", subtask, 0)).collect()
    }
}
