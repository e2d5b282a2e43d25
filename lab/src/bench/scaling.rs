//! Many providers: how close to the ideal?

use std::time::Duration;

use frlm_verifier::VerificationPolicy;

use super::rig::{Measured, Rig, fragments, honest};
use super::{Row, Target};

const PROVIDERS: usize = 32;
const LATENCY: Duration = Duration::from_millis(200);

/// Of as many answers each provider is known: enough that one answer of it suffices, and that no more of them are rechecked
/// than of anybody's.
const KNOWN_BY: usize = 200;

/// 32 providers with a 200 ms engine each; the ideal is jobs × 200 ms / 32. First every fragment is asked once. Then the default
/// policy decides, which has some answers rechecked (tier 3): those are jobs, too.
pub async fn measure(subtasks: usize) -> anyhow::Result<[Row; 2]> {
    let mut rig = Rig::start((0..PROVIDERS).map(|_| honest(LATENCY)).collect()).await?;
    let once = rig.ask(fragments(subtasks, 1)).await;
    rig.know(KNOWN_BY)?;
    let rechecked = rig.ask_under(VerificationPolicy::DEFAULT, fragments(subtasks, 1)).await;
    rig.shutdown().await;
    let row = |what, measured: Measured| {
        let ideal = LATENCY.as_secs_f64() * measured.jobs.div_ceil(PROVIDERS) as f64;
        let took = measured.working.as_secs_f64();
        Row {
            what,
            floor: format!("{ideal:.2} s"),
            measured: format!("{took:.2} s"),
            ratio: ideal / took,
            target: Target::AtLeast(0.97),
        }
    };
    let (once, rechecked) = (once?, rechecked?);
    let engines =
        format!("scaling, 200 ms engine, {PROVIDERS} providers, {subtasks} subtasks, {} jobs", once.jobs);
    let again = format!("the same with rechecks: {} jobs", rechecked.jobs);
    Ok([row(engines, once), row(again, rechecked)])
}
