//! Instant providers: how many events per second, against the bare relay?

use std::time::Duration;

use super::rig::{Rig, fragments, scripted};
use super::{Row, Target};

const PROVIDERS: usize = 4;
/// Events in flight and bytes per event when the bare relay is measured.
const FLOOR_IN_FLIGHT: usize = 256;
const FLOOR_BYTES: usize = 2_048;

/// Full signatures, encryption, durable ledger and journal. Counted are the events that went from one
/// end to the other through the relay: jobs, feedback, results.
pub async fn measure(subtasks: usize) -> anyhow::Result<Row> {
    let floor = frlm_relay::measure_floor(subtasks * 2, FLOOR_IN_FLIGHT, FLOOR_BYTES).await?;
    let models = (0..PROVIDERS).map(|_| scripted(Duration::ZERO, 16)).collect();
    let rig = Rig::start(models).await?;
    let measured = rig.ask(fragments(subtasks, 1)).await;
    rig.shutdown().await;
    let measured = measured?;
    let rate = measured.events as f64 / measured.working.as_secs_f64();
    Ok(Row {
        what: format!("conductor throughput, instant engines, {subtasks} subtasks"),
        floor: format!("{:.0} events/s", floor.events_per_second),
        measured: format!("{rate:.0} events/s"),
        ratio: rate / floor.events_per_second,
        target: Target::AtLeast(0.40),
    })
}
