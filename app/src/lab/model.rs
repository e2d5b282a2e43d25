//! `frlm lab model`: a records model on a held-out set, through the engine that production uses.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use frlm_inference::GenerationRequest;
use serde::Deserialize;

use crate::failure::Failure;
use crate::home::Home;
use crate::models;

/// One held-out prompt with its answer.
#[derive(Debug, Deserialize)]
struct Example {
    task: String,
    style: String,
    prompt: String,
    answer: String,
}

#[derive(Debug, Default)]
struct Score {
    right: usize,
    total: usize,
}

impl Score {
    fn add(&mut self, right: bool) {
        self.total += 1;
        self.right += usize::from(right);
    }

    fn percent(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.right as f64 * 100.0 / self.total as f64 }
    }
}

/// Bins of the calibration table.
const BINS: usize = 10;
/// Longest answer in the set.
const MOST_TOKENS: usize = 96;
/// Styles shown, worst first.
const WORST_SHOWN: usize = 8;

/// Runs the examples one by one on one engine and prints accuracy, calibration and speed.
pub async fn run(
    model: Option<&str>,
    examples: &Path,
    limit: Option<usize>,
    home: &Home,
) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(examples)
        .map_err(|error| Failure::usage(format!("{}: {error}", examples.display())))?;
    let mut set = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let example: Example = serde_json::from_str(line)
            .with_context(|| format!("{} line {number} is not an example", examples.display()))?;
        set.push(example);
    }
    let began = Instant::now();
    let model = models::open(model.unwrap_or("embedded"), Some(1), home).await?;
    say!("model    {} loaded in {} ms", model.info().name, began.elapsed().as_millis());
    let (mut tasks, mut styles) = (BTreeMap::<String, Score>::new(), BTreeMap::<String, Score>::new());
    let mut judged = Vec::new();
    let (mut tokens, mut spent) = (0, Duration::ZERO);
    for example in set.iter().take(limit.unwrap_or(usize::MAX)) {
        let began = Instant::now();
        let answer = model.generate(GenerationRequest::greedy(&example.prompt, MOST_TOKENS)).await?;
        spent += began.elapsed();
        tokens += answer.usage.prompt_tokens + answer.usage.completion_tokens;
        let right = answer.text.trim_end() == example.answer.trim_end();
        tasks.entry(example.task.clone()).or_default().add(right);
        styles.entry(format!("{}/{}", example.task, example.style)).or_default().add(right);
        if let Some(probability) = answer.probability() {
            judged.push((probability, right));
        }
    }
    for (task, score) in &tasks {
        say!("{task:8} {:6.2}%  ({} of {})", score.percent(), score.right, score.total);
    }
    let mut worst: Vec<_> = styles.iter().filter(|(_, score)| score.right < score.total).collect();
    worst.sort_by(|a, b| a.1.percent().total_cmp(&b.1.percent()));
    for (style, score) in worst.into_iter().take(WORST_SHOWN) {
        say!("  worst  {:6.2}%  {style} ({} of {})", score.percent(), score.right, score.total);
    }
    say!("expected calibration error {:.4}", calibration_error(&judged));
    let seconds = spent.as_secs_f64();
    let prompts: usize = tasks.values().map(|score| score.total).sum();
    say!(
        "{:.1} ms per prompt, {:.0} tokens/s read and written, one engine",
        seconds * 1e3 / prompts.max(1) as f64,
        tokens as f64 / seconds
    );
    Ok(())
}

/// Mean distance between stated probability and share of right answers, over equal bins.
fn calibration_error(judged: &[(f64, bool)]) -> f64 {
    let mut bins = vec![(0.0, 0_usize, 0_usize); BINS];
    for (probability, right) in judged {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a probability times ten"
        )]
        let bin = ((probability * BINS as f64) as usize).min(BINS - 1);
        bins[bin].0 += probability;
        bins[bin].1 += usize::from(*right);
        bins[bin].2 += 1;
    }
    let distance: f64 = bins.iter().map(|(stated, right, _)| (stated - *right as f64).abs()).sum();
    distance / judged.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_compares_what_was_said_with_what_was_right() {
        assert!(calibration_error(&[(1.0, true), (1.0, true)]) < 1e-9);
        assert!((calibration_error(&[(0.95, true), (0.95, false)]) - 0.45).abs() < 1e-9);
    }
}
