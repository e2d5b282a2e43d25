//! How many durable transitions the ledger takes per second, one at a time and many at once:
//! `cargo run --release -p frlm-wallet --example commit_rate [FOLDER]`.
//!
//! A job makes three transitions: reserve, publish, settle.

use std::path::Path;
use std::time::{Duration, Instant};

use frlm_wallet::{Key, Ledger, LedgerError, Sats};
use tokio::task::JoinSet;

const MEASURED: Duration = Duration::from_secs(3);
const PER_JOB: u64 = 3;

#[tokio::main]
async fn main() -> Result<(), LedgerError> {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, Into::into);
    let folder = folder.join(format!("frlm-commit-rate-{}", std::process::id()));
    println!(
        "{:>11} {:>13} {:>9} {:>13} {:>12}",
        "concurrency", "transitions/s", "commits/s", "per commit", "job latency"
    );
    for concurrency in [1, 16, 256, 1_024] {
        measure(&folder, concurrency).await?;
    }
    let _ = std::fs::remove_dir_all(folder);
    Ok(())
}

async fn measure(folder: &Path, concurrency: u32) -> Result<(), LedgerError> {
    let ledger = Ledger::open(folder.join(format!("{concurrency}.sqlite"))).await?;
    ledger.open_run("bench", Sats(u64::from(u32::MAX))).await?;
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for worker in 0..concurrency {
        let ledger = ledger.clone();
        tasks.spawn(async move {
            let mut jobs: u32 = 0;
            while started.elapsed() < MEASURED {
                let reservation = ledger.reserve(Key::new("bench", jobs, worker), Sats(2)).await?;
                reservation.publish().await?;
                reservation.settle(Sats(1), Sats(0)).await?;
                jobs += 1;
            }
            Ok::<_, LedgerError>(u64::from(jobs))
        });
    }
    let mut jobs = 0;
    for result in tasks.join_all().await {
        jobs += result?;
    }
    let elapsed = started.elapsed().as_secs_f64();
    let commits = ledger.activity().await?.commits;
    let transitions = jobs * PER_JOB;
    println!(
        "{concurrency:>11} {:>13.0} {:>9.0} {:>13.1} {:>9.1} ms",
        transitions as f64 / elapsed,
        commits as f64 / elapsed,
        transitions as f64 / commits as f64,
        elapsed * 1_000.0 * f64::from(concurrency) / jobs as f64
    );
    Ok(())
}
