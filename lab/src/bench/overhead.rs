//! Through relay, provider and verification vs. straight into the same engine.

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{Dialect, GenerationRequest, LanguageModel};
use frlm_questions::dialect::claims::Form;
use frlm_questions::dialect::{MapTask, Prompt, json, records};
use frlm_questions::ingest::Fragment;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use super::rig::{Rig, fragments, query, scripted, timed};
use super::{Row, Target};
use frlm_client::home::Home;
use frlm_client::models;

/// Records per fragment with the embedded model: as many as `frlm ask` puts into one.
const LINES: usize = 16;

/// Floor and swarm take turns: short ones, so that both see the same slow and quick moments of a machine that
/// is shared with others, and many.
struct Turns {
    /// Of each side; odd, so that one of them is the middle.
    count: usize,
    /// In each turn.
    jobs: usize,
}

/// The embedded model, as shipped.
pub async fn embedded(scale: usize, home: &Home) -> anyhow::Result<Row> {
    let model = models::open("embedded", None, home).await?;
    let depth = model.info().in_flight;
    let turns = Turns { count: 30 / scale + 1, jobs: 64 };
    let what = format!("overhead, embedded model, {} jobs of {LINES} prompts, {depth} at once", turns.jobs);
    compare(what, model, &turns, LINES, 1.10).await
}

/// An engine that needs 200 ms per call.
pub async fn slow_engine(scale: usize) -> anyhow::Result<Row> {
    let model = scripted(Duration::from_millis(200), 8);
    let turns = Turns { count: 3, jobs: 200 / scale };
    let what = format!("overhead, 200 ms engine, {} jobs, 8 at once", turns.jobs);
    compare(what, model, &turns, 1, 1.02).await
}

/// The middle of the turns' ratios, each of a floor and the swarm right beside it.
async fn compare(
    what: String,
    model: Arc<dyn LanguageModel>,
    turns: &Turns,
    lines: usize,
    limit: f64,
) -> anyhow::Result<Row> {
    let fragments = fragments(turns.jobs, lines);
    // Once unmeasured, so that neither side pays for cold caches.
    straight(model.as_ref(), &fragments[..turns.jobs.min(8)]).await?;
    let mut measured = Vec::with_capacity(turns.count);
    for turn in 0..turns.count {
        // The order changes, so that a machine that grows slower favours nobody.
        let pair = if turn % 2 == 0 {
            let floor = floor(model.as_ref(), &fragments).await?;
            (floor, swarm(&model, &fragments).await?)
        } else {
            let swarm = swarm(&model, &fragments).await?;
            (floor(model.as_ref(), &fragments).await?, swarm)
        };
        measured.push(pair);
    }
    measured.sort_by(|one, other| (one.1 / one.0).total_cmp(&(other.1 / other.0)));
    let ratio = |index: usize| measured[index].1 / measured[index].0;
    let (floor, swarm) = measured[turns.count / 2];
    Ok(Row {
        what: format!(
            "{what}; the middle of {} turns, half of them {:.3} to {:.3}",
            turns.count,
            ratio(turns.count / 4),
            ratio(turns.count * 3 / 4)
        ),
        floor: format!("{floor:.2} s"),
        measured: format!("{swarm:.2} s"),
        ratio: swarm / floor,
        target: Target::AtMost(limit),
    })
}

/// Seconds that the engine alone takes.
async fn floor(model: &dyn LanguageModel, fragments: &[Arc<Fragment>]) -> anyhow::Result<f64> {
    Ok(timed(straight(model, fragments)).await?.as_secs_f64())
}

/// Seconds that the swarm takes.
async fn swarm(model: &Arc<dyn LanguageModel>, fragments: &[Arc<Fragment>]) -> anyhow::Result<f64> {
    let rig = Rig::start(vec![Arc::clone(model)]).await?;
    let measured = rig.ask(fragments.to_vec()).await;
    rig.shutdown().await;
    Ok(measured?.working.as_secs_f64())
}

/// The same prompts without a swarm, as many at once as the engine takes.
async fn straight(model: &dyn LanguageModel, fragments: &[Arc<Fragment>]) -> anyhow::Result<()> {
    let task = MapTask {
        question: String::new(),
        query: Some(query()),
        manner: String::new(),
        form: Form::default(),
    };
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
