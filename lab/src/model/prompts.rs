//! Single prompts with their exact answers: what the model says, before code looks at it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use frlm_inference::{GenerationRequest, LanguageModel};
use serde::Deserialize;

use super::score::{Score, calibration_error};
use frlm_client::failure::Failure;

/// One held-out prompt with its answer.
#[derive(Debug, Deserialize)]
struct Example {
    task: String,
    style: String,
    prompt: String,
    answer: String,
}

/// Longest answer of the sets: a plan of the brain's.
const MOST_TOKENS: usize = 320;
/// Styles shown, worst first.
const WORST_SHOWN: usize = 8;

/// Runs the examples one by one on one engine and prints accuracy, calibration and speed.
pub async fn run(model: &dyn LanguageModel, examples: &Path, limit: Option<usize>) -> anyhow::Result<()> {
    let text = crate::lines::read(examples)
        .map_err(|error| Failure::usage(format!("{}: {error}", examples.display())))?;
    let mut set = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let example: Example = serde_json::from_str(line)
            .with_context(|| format!("{} line {number} is not an example", examples.display()))?;
        set.push(example);
    }
    let (mut tasks, mut styles) = (BTreeMap::<String, Score>::new(), BTreeMap::<String, Score>::new());
    let mut judged = Vec::new();
    let (mut tokens, mut spent) = (0, Duration::ZERO);
    for example in set.iter().take(limit.unwrap_or(usize::MAX)) {
        let began = Instant::now();
        let answer = model.generate(GenerationRequest::greedy(&example.prompt, MOST_TOKENS)).await?;
        spent += began.elapsed();
        tokens += answer.usage.total();
        let right = answer.text.trim_end() == example.answer.trim_end();
        tasks.entry(example.task.clone()).or_default().add(right);
        styles.entry(format!("{}/{}", example.task, example.style)).or_default().add(right);
        if let Some(probability) = answer.probability() {
            judged.push((probability, right));
        }
    }
    for (task, score) in &tasks {
        println!("{task:8} {:6.2}%  ({} of {})", score.percent(), score.right, score.total);
    }
    let mut worst: Vec<_> = styles.iter().filter(|(_, score)| score.right < score.total).collect();
    worst.sort_by(|a, b| a.1.percent().total_cmp(&b.1.percent()));
    for (style, score) in worst.into_iter().take(WORST_SHOWN) {
        println!("  worst  {:6.2}%  {style} ({} of {})", score.percent(), score.right, score.total);
    }
    println!("expected calibration error {:.4}", calibration_error(&judged));
    let seconds = spent.as_secs_f64();
    let prompts: usize = tasks.values().map(|score| score.total).sum();
    println!(
        "{:.1} ms per prompt, {:.0} tokens/s read and written, one engine",
        seconds * 1e3 / prompts.max(1) as f64,
        tokens as f64 / seconds
    );
    Ok(())
}
