//! Many providers: how close to the ideal?

use std::time::Duration;

use super::rig::{Rig, fragments, scripted};
use super::{Row, Target};

const PROVIDERS: usize = 32;
const LATENCY: Duration = Duration::from_millis(200);

/// 32 providers with a 200 ms engine each; the ideal is subtasks × 200 ms / 32. Some answers are looked at again (tier 3),
/// and those are jobs, too: the second row holds the same time against all that were asked.
pub async fn measure(subtasks: usize) -> anyhow::Result<[Row; 2]> {
    let models = (0..PROVIDERS).map(|_| scripted(LATENCY, 1)).collect();
    let rig = Rig::start(models).await?;
    let measured = rig.ask(fragments(subtasks, 1)).await;
    rig.shutdown().await;
    let measured = measured?;
    let took = measured.working.as_secs_f64();
    let row = |what, of: usize, target| {
        let ideal = LATENCY.as_secs_f64() * of.div_ceil(PROVIDERS) as f64;
        Row {
            what,
            floor: format!("{ideal:.2} s"),
            measured: format!("{took:.2} s"),
            ratio: ideal / took,
            target,
        }
    };
    let engines = format!("scaling, 200 ms engine, {PROVIDERS} providers, {subtasks} subtasks");
    let again =
        format!("the same against all {} jobs: tier 3 has some answers looked at again", measured.jobs);
    Ok([row(engines, subtasks, Target::AtLeast(0.95)), row(again, measured.jobs, Target::None)])
}
