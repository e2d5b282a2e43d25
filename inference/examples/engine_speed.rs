//! How fast a model answers prompts of the `records` dialect, at several concurrencies.
//!
//! ```text
//! cargo run --release -p frlm-inference --features embedded --example engine_speed -- MODEL.gguf [ENGINES] [REQUESTS] [PREFIX_CACHE]
//! ```
//!
//! `ENGINES` is the number of single-threaded engines (0: one engine with all threads), `PREFIX_CACHE`
//! how many sequences each engine keeps for prompts that begin alike (0: none).

use std::sync::Arc;
use std::time::{Duration, Instant};

use frlm_inference::mistral::{Batching, MistralConfig, MistralModel, cores};
use frlm_inference::{GenerationRequest, LanguageModel, ModelError};
use futures::StreamExt;

const MAX_TOKENS: usize = 24;

#[tokio::main]
async fn main() -> Result<(), ModelError> {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: engine_speed MODEL.gguf [ENGINES] [REQUESTS] [PREFIX_CACHE]");
        std::process::exit(2);
    };
    let mut number = |default: usize| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (engines, requests, prefix_cache) = (number(cores()), number(400), number(0));
    let batching = if engines == 0 { Batching::Batch(8) } else { Batching::Engines(engines) };
    let config = MistralConfig {
        batching,
        prefix_cache: (prefix_cache > 0).then_some(prefix_cache),
        ..MistralConfig::new(path)
    };
    let start = Instant::now();
    let model: Arc<dyn LanguageModel> = Arc::new(MistralModel::load(config).await?);
    println!("loaded in {:.2} s: {:?}", start.elapsed().as_secs_f64(), model.info());
    measure(&model, 1, requests.min(50)).await?;
    println!("concurrency  requests/s  generated tokens/s  prompt tokens/s  median ms  p99 ms");
    for concurrency in [1, 2, 4, 8] {
        let run = measure(&model, concurrency, requests).await?;
        let seconds = run.wall.as_secs_f64();
        println!(
            "{concurrency:>11}  {:>10.1}  {:>18.0}  {:>15.0}  {:>9.2}  {:>6.2}",
            requests as f64 / seconds,
            run.completion_tokens as f64 / seconds,
            run.prompt_tokens as f64 / seconds,
            run.percentile_ms(50),
            run.percentile_ms(99),
        );
    }
    Ok(())
}

#[derive(Default)]
struct Run {
    wall: Duration,
    latencies: Vec<Duration>,
    prompt_tokens: u64,
    completion_tokens: u64,
}

impl Run {
    fn percentile_ms(&self, percent: usize) -> f64 {
        let index = (self.latencies.len() * percent / 100).min(self.latencies.len().saturating_sub(1));
        self.latencies.get(index).map_or(0.0, |latency| latency.as_secs_f64() * 1000.0)
    }
}

async fn measure(
    model: &Arc<dyn LanguageModel>,
    concurrency: usize,
    requests: usize,
) -> Result<Run, ModelError> {
    let start = Instant::now();
    let mut answers = futures::stream::iter(0..requests)
        .map(|index| async move {
            let start = Instant::now();
            let answer = model.generate(GenerationRequest::greedy(prompt(index), MAX_TOKENS)).await?;
            Ok::<_, ModelError>((start.elapsed(), answer))
        })
        .buffer_unordered(concurrency);
    let mut run = Run::default();
    while let Some(answer) = answers.next().await {
        let (latency, answer) = answer?;
        run.latencies.push(latency);
        run.prompt_tokens += answer.usage.prompt_tokens;
        run.completion_tokens += answer.usage.completion_tokens;
    }
    run.wall = start.elapsed();
    run.latencies.sort_unstable();
    Ok(run)
}

fn prompt(index: usize) -> String {
    let status = ["shipped", "failed", "open"][index % 3];
    format!(
        "copy status, user\n{index:03} order {} by user{} amount {} {status}",
        4000 + index,
        index % 17,
        index % 90
    )
}
