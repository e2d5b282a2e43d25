//! From Stop to stopped, with jobs out that nobody ends by himself.

use std::time::{Duration, Instant};

use frlm_conductor::trace::TraceEvent;
use frlm_verifier::VerificationPolicy;
use tokio_util::sync::CancellationToken;

use super::rig::{Rig, fragments, scripted};
use super::{Row, Target};

const PROVIDERS: usize = 4;
const JOBS: usize = 64;
/// So many are out when the run is stopped.
const OUT: usize = 8;
/// Longer than anybody waits for a program that was told to stop.
const PROMISED: Duration = Duration::from_secs(1);

/// All jobs are cancelled, every reservation is ended and the journal is on disk. The middle of so many turns.
pub async fn measure(turns: usize) -> anyhow::Result<Row> {
    let models = (0..PROVIDERS).map(|_| scripted(Duration::from_hours(1), 16)).collect();
    let rig = Rig::start(models).await?;
    let mut took = Vec::with_capacity(turns);
    for _ in 0..turns {
        let (stop, mut sent, mut stopped_at) = (CancellationToken::new(), 0, None);
        let watcher = |event: TraceEvent| {
            sent += usize::from(matches!(event, TraceEvent::SubQuerySent { .. }));
            if sent == OUT && !stop.is_cancelled() {
                stopped_at = Some(Instant::now());
                stop.cancel();
            }
            if matches!(event, TraceEvent::RunFailed { .. }) {
                took.extend(stopped_at.map(|at: Instant| at.elapsed()));
            }
        };
        let mut watcher = watcher;
        let run = rig
            .run_until(fragments(JOBS, 1), VerificationPolicy::None, &stop, |record| watcher(record.event));
        anyhow::ensure!(run.await.is_err(), "a run that was stopped has an answer");
    }
    rig.shutdown().await;
    took.sort_unstable();
    anyhow::ensure!(took.len() == turns, "{} of {turns} runs were stopped", took.len());
    let middle = took[turns / 2];
    Ok(Row {
        what: format!("from Stop to stopped, {OUT} jobs out; the middle of {turns} turns"),
        floor: format!("{:.0} ms promised", PROMISED.as_secs_f64() * 1_000.0),
        measured: format!("{:.0} ms", middle.as_secs_f64() * 1_000.0),
        ratio: middle.as_secs_f64() / PROMISED.as_secs_f64(),
        target: Target::AtMost(1.0),
    })
}
