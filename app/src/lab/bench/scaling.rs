//! Many providers: how close to the ideal?

use std::time::Duration;

use super::rig::{Rig, fragments, scripted};
use super::{Row, Target};

const PROVIDERS: usize = 32;
const LATENCY: Duration = Duration::from_millis(200);

/// 32 providers with a 200 ms engine each; the ideal is subtasks × 200 ms / 32.
pub async fn measure(subtasks: usize) -> anyhow::Result<Row> {
    let models = (0..PROVIDERS).map(|_| scripted(LATENCY, 1)).collect();
    let rig = Rig::start(models).await?;
    let measured = rig.ask(fragments(subtasks, 1)).await;
    rig.shutdown().await;
    let measured = measured?.working.as_secs_f64();
    let ideal = LATENCY.as_secs_f64() * subtasks.div_ceil(PROVIDERS) as f64;
    Ok(Row {
        what: format!("scaling, 200 ms engine, {PROVIDERS} providers, {subtasks} subtasks"),
        floor: format!("{ideal:.2} s"),
        measured: format!("{measured:.2} s"),
        ratio: ideal / measured,
        target: Target::AtLeast(0.95),
    })
}
