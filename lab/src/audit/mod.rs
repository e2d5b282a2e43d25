//! `frlm-lab audit`: does one pass over prompt and answer tell who wrote it (design.md, section 6, "Prefill
//! audit")?
//!
//! ```text
//!  held-out prompts ─► writers: the embedded weights, and variants of them made here by code
//!                        │ answer + top-5 log-probabilities at hashed positions, as a provider commits to
//!                        ▼
//!                      auditor: the embedded weights, one pass ─► score per answer ─► trials of 20
//! ```
//!
//! Nothing is simulated: every answer is written, and every pass made, by the engine of production. A trial
//! draws 20 of these answers.
//!
//! - [`variants`]: the weights that write
//! - [`trials`]: who is accused, how often, after how many answers
//! - [`cost`]: what a pass costs

mod cost;
mod trials;
mod variants;

use std::path::Path;

use anyhow::Context as _;
use frlm_inference::mistral::{Batching, MistralConfig, MistralModel, MistralReader, cores};
use frlm_inference::{
    Answer, AnswerReader as _, Dialect, GenerationRequest, LanguageModel as _, Message, embedded,
};
use frlm_verifier::audit::calibration::Calibrated;
use frlm_verifier::audit::commitment::COMMITTED_TOKENS;
use frlm_verifier::audit::score::READ_TOKENS;
use frlm_verifier::audit::{Calibration, Calibrations, commit, score};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use serde::Deserialize;

use self::trials::{Row, draws};
use self::variants::{Committing, Variant, Writer};
use crate::arguments::LabAuditArgs;
use frlm_client::failure::Failure;

/// Answers within which a provider is to be told apart.
const ANSWERS: usize = 20;
/// Honest providers that are accused all the same within so many.
const FALSE_ALARMS: f64 = 0.01;
/// The first writers run the claimed weights, the second of them in a wider format.
const HONEST_ROWS: usize = 2;
/// Longer than any answer to these prompts.
const MOST_TOKENS: usize = 96;

/// A held-out prompt.
#[derive(Deserialize)]
struct Example {
    prompt: String,
}

/// What a writer's answers came to.
struct Written {
    /// In nats, of the answers that have a word.
    scores: Vec<f64>,
    /// Answers that could not be read as what was committed to.
    unreadable: usize,
    texts: Vec<String>,
}

/// Writes, audits, and prints the tables.
pub async fn run(args: &LabAuditArgs) -> anyhow::Result<()> {
    let prompts = prompts(&args.examples, args.answers)?;
    let folder = tempfile::tempdir()?;
    let reader = MistralReader::load(config(&Variant::Same.write(folder.path())?)).await?;
    let quantisation = reader.info().quantisation.clone().unwrap_or_default();
    println!(
        "auditor   {} {quantisation}, one pass per answer; {} prompts of {}",
        embedded::NAME,
        prompts.len(),
        args.examples.display()
    );
    let honest = written(Writer::HONEST, folder.path(), &prompts, &reader).await?;
    let (to_calibrate, to_test) = honest.scores.split_at(honest.scores.len() / 2);
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    let calibration = Calibration::of(&draws(to_calibrate, ANSWERS, args.trials, &mut rng), FALSE_ALARMS)
        .ok_or_else(|| Failure::usage("--trials: at least 100, to tell one false alarm in a hundred"))?;
    println!(
        "honest    {:.6} ± {:.6} nats over {} answers; accused beyond {:.2} deviations of the mean, which {:.0} \
         % of {} honest trials of {ANSWERS} answers pass\n",
        calibration.mean_nats,
        calibration.deviation_nats,
        to_calibrate.len(),
        calibration.bound,
        FALSE_ALARMS * 100.0,
        args.trials
    );
    let mut row = |name, scores: &[f64], agree| {
        Row::of(name, agree, &calibration, &draws(scores, ANSWERS, args.trials, &mut rng))
    };
    let mut rows = vec![row(Writer::HONEST.name(), to_test, None)];
    for writer in Writer::OTHERS {
        let other = written(writer, folder.path(), &prompts, &reader).await?;
        let same = honest.texts.iter().zip(&other.texts).filter(|(a, b)| a == b).count();
        if other.unreadable > 0 {
            println!("{}: {} answers could not be read", writer.name(), other.unreadable);
        }
        rows.push(row(writer.name(), &other.scores, Some(same as f64 / honest.texts.len() as f64)));
    }
    print!("{}", trials::table(&rows));
    println!(
        "\nruns accuse beyond {:.1} deviations; the furthest honest trial came to {:.1}",
        calibration.in_runs().bound,
        rows.iter().take(HONEST_ROWS).map(Row::furthest).fold(f64::NEG_INFINITY, f64::max)
    );
    println!();
    cost::print(&Variant::Same.write(folder.path())?, &prompts, &reader).await?;
    if let Some(path) = &args.plot {
        std::fs::write(path, trials::plot(&rows)).with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.calibration {
        let calibrated = Calibrated {
            engine: "mistral.rs".to_owned(),
            quantisation,
            weights_hash: embedded::weights_hash(),
            calibration,
        };
        let file = serde_json::to_string_pretty(&Calibrations { calibrations: vec![calibrated] })?;
        std::fs::write(path, file + "\n").with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// So many of the file's prompts, spread evenly over it.
fn prompts(path: &Path, count: usize) -> anyhow::Result<Vec<String>> {
    let unusable = |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", path.display()));
    let text = crate::lines::read(path).map_err(|error| unusable(&error))?;
    let examples = text.lines().map(serde_json::from_str::<Example>).collect::<Result<Vec<_>, _>>();
    let examples = examples.map_err(|error| unusable(&error))?;
    let count = count.min(examples.len());
    if count < 4 * ANSWERS {
        return Err(unusable(&format!("{count} prompts; at least {} are needed", 4 * ANSWERS)).into());
    }
    let whole = examples.len();
    let mut numbered = examples.into_iter().enumerate();
    Ok((0..count)
        .filter_map(|at| numbered.find(|(n, _)| *n == at * whole / count))
        .map(|(_, it)| it.prompt)
        .collect())
}

fn config(path: &Path) -> MistralConfig {
    MistralConfig {
        dialect: Dialect::Records,
        force_cpu: true,
        batching: Batching::Engines(cores()),
        ..MistralConfig::new(path)
    }
}

fn request(prompt: &str) -> GenerationRequest {
    GenerationRequest { top_logprobs: COMMITTED_TOKENS, ..GenerationRequest::greedy(prompt, MOST_TOKENS) }
}

fn tokens(answer: &Answer) -> Vec<u32> {
    answer.logprobs.iter().filter_map(|token| token.id).collect()
}

/// Has a writer answer every prompt, and audits every answer.
async fn written(
    writer: Writer,
    folder: &Path,
    prompts: &[String],
    reader: &MistralReader,
) -> anyhow::Result<Written> {
    let path = writer.weights.write(folder).with_context(|| writer.name())?;
    let model = MistralModel::load(config(&path)).await?;
    let at_once = model.info().in_flight;
    let answers: Vec<Answer> = stream::iter(prompts)
        .map(|prompt| model.generate(request(prompt)))
        .buffered(at_once)
        .try_collect()
        .await?;
    let mut written = Written { scores: Vec::new(), unreadable: 0, texts: Vec::new() };
    for (number, (prompt, answer)) in prompts.iter().zip(answers).enumerate() {
        let (ids, job) = (tokens(&answer), format!("job {number}"));
        // An answer without a word commits to nothing; there is nothing to be audited in it.
        if !ids.is_empty() {
            let read = reader.read(&[Message::user(prompt)], &ids, READ_TOKENS).await?;
            let committed = match writer.committing {
                Committing::ByItself => commit(&job, 0, &answer.logprobs),
                Committing::ByTheClaimedWeights => commit(&job, 0, &read.tokens),
            };
            let committed = committed.context("the engine numbers its tokens")?;
            match score(&job, &answer.text, &committed, &read, true) {
                Ok(found) => written.scores.push(found.total()),
                Err(_) => written.unreadable += 1,
            }
        }
        written.texts.push(answer.text);
    }
    Ok(written)
}
