//! What the conductor remembers of a subtask, above the text itself (design.md, section 10).

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use frlm_client::swarm::local::LocalVenue;
use frlm_conductor::swarm::{Swarm, SwarmEvent};
use frlm_conductor::trace::TraceEvent;
use tokio::sync::mpsc;

use super::rig::{Venues, execute, fragments, scripted, setup};
use super::{Row, Target};

/// Subtasks between two looks at the process.
const LOOK_EVERY: usize = 500;

/// Subtasks of the run that comes first, so that the program's code and the process's caches are counted in none.
const WARM_UP: usize = 2_000;

/// Growth of the resident set from the moment the fragments stand in memory to its highest point in
/// the run, by subtask. Plan, scheduler, money and journal are the product's; an instant engine in
/// this process answers, so that no relay and no provider is counted.
pub async fn measure(subtasks: usize) -> anyhow::Result<Row> {
    growth(WARM_UP).await?;
    let (grown, text) = growth(subtasks).await?;
    let each = grown as f64 / subtasks as f64;
    Ok(Row {
        what: format!("conductor memory, {subtasks} subtasks, bytes each above the text"),
        floor: format!("{} B of text each", text / subtasks),
        measured: format!("{each:.0} B"),
        ratio: each / 1_024.0,
        target: Target::AtMost(1.0),
    })
}

/// By how many bytes the process grows in a run of so many subtasks, and how many bytes of text they are about.
async fn growth(subtasks: usize) -> anyhow::Result<(usize, usize)> {
    let fragments = fragments(subtasks, 1);
    let text: usize = fragments.iter().map(|fragment| fragment.text.len()).sum();
    let home = tempfile::tempdir()?;
    let (events_in, events) = mpsc::channel(4_096);
    let venue = LocalVenue::new(scripted(Duration::ZERO, 16), events_in.clone());
    events_in.try_send(SwarmEvent::ProviderSeen(venue.provider())).context("the queue is empty")?;
    let venue: Arc<dyn Swarm> = Arc::new(venue);
    let before = resident_bytes()?;
    let mut highest = before;
    let mut verified = 0;
    let setup = setup("memory", fragments);
    let venues = Venues { swarm: None, local: Some(Arc::clone(&venue)), known: None, events };
    let outcome = execute(home.path(), setup, venues, |record| {
        if matches!(record.event, TraceEvent::Verified { .. }) {
            verified += 1;
            if verified % LOOK_EVERY == 0 {
                highest = highest.max(resident_bytes().unwrap_or(highest));
            }
        }
    })
    .await;
    venue.shutdown().await;
    outcome?;
    highest = highest.max(resident_bytes()?);
    Ok((highest - before, text))
}

fn resident_bytes() -> anyhow::Result<usize> {
    memory_stats::memory_stats()
        .map(|stats| stats.physical_mem)
        .context("this system does not tell how much memory a process uses")
}
