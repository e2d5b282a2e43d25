//! Through relay, provider and verification vs. straight into the same engine.

use std::sync::Arc;
use std::time::Duration;

use frlm_conductor::dialect::{MapTask, Prompt, json, records};
use frlm_conductor::ingest::Fragment;
use frlm_inference::{Dialect, GenerationRequest, LanguageModel};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use super::rig::{Rig, fragments, query, scripted, timed};
use super::{Row, Target};
use crate::home::Home;
use crate::models;

/// Records per fragment with the embedded model: as many as `frlm ask` puts into one.
const LINES: usize = 16;

/// Floor and swarm take turns so often; the round with the middle ratio is reported. What else the
/// machine does meanwhile then falls on both.
const ROUNDS: usize = 5;

/// The embedded model, as shipped.
pub async fn embedded(jobs: usize, home: &Home) -> anyhow::Result<Row> {
    let model = models::open("embedded", None, home).await?;
    let depth = model.info().in_flight;
    compare(
        format!("overhead, embedded model, {jobs} jobs of {LINES} prompts, {depth} at once"),
        model,
        jobs,
        LINES,
        1.10,
    )
    .await
}

/// An engine that needs 200 ms per call.
pub async fn slow_engine(jobs: usize) -> anyhow::Result<Row> {
    let model = scripted(Duration::from_millis(200), 8);
    compare(format!("overhead, 200 ms engine, {jobs} jobs, 8 at once"), model, jobs, 1, 1.02).await
}

async fn compare(
    what: String,
    model: Arc<dyn LanguageModel>,
    jobs: usize,
    lines: usize,
    limit: f64,
) -> anyhow::Result<Row> {
    let fragments = fragments(jobs, lines);
    // Once unmeasured, so that neither side pays for cold caches.
    straight(model.as_ref(), &fragments[..jobs.min(8)]).await?;
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let floor = timed(straight(model.as_ref(), &fragments)).await?.as_secs_f64();
        let rig = Rig::start(vec![Arc::clone(&model)]).await?;
        let measured = rig.ask(fragments.clone()).await;
        rig.shutdown().await;
        rounds.push((floor, measured?.working.as_secs_f64()));
    }
    rounds.sort_by(|one, other| (one.1 / one.0).total_cmp(&(other.1 / other.0)));
    let (floor, measured) = rounds[ROUNDS / 2];
    Ok(Row {
        what,
        floor: format!("{floor:.2} s"),
        measured: format!("{measured:.2} s"),
        ratio: measured / floor,
        target: Target::AtMost(limit),
    })
}

/// The same prompts without a swarm, as many at once as the engine takes.
async fn straight(model: &dyn LanguageModel, fragments: &[Arc<Fragment>]) -> anyhow::Result<()> {
    let task = MapTask { question: String::new(), query: Some(query()) };
    let prompts = fragments.iter().map(|fragment| match model.info().dialect {
        Dialect::Json => json::prompt(&task, fragment),
        Dialect::Records => records::prompt(&task, fragment),
    });
    stream::iter(prompts)
        .map(|prompt| answer(model, prompt))
        .buffer_unordered(model.info().in_flight)
        .try_collect::<()>()
        .await
}

async fn answer(model: &dyn LanguageModel, prompt: Prompt) -> anyhow::Result<()> {
    let request = |text| GenerationRequest::greedy(text, prompt.max_tokens as usize);
    model.generate_all(prompt.texts().into_iter().map(request).collect()).await?;
    Ok(())
}
