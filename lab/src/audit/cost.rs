//! What an audit's pass costs, against reading the same text once and against writing the answer again; and what
//! it costs who writes to commit to the answer.

use std::path::Path;
use std::time::{Duration, Instant};

use frlm_inference::mistral::{Batching, MistralConfig, MistralModel, MistralReader};
use frlm_inference::{AnswerReader as _, GenerationRequest, LanguageModel as _, Message};
use frlm_verifier::audit::score::READ_TOKENS;

use super::{config, request, tokens};

/// Answers that are timed.
const TIMED: usize = 200;
/// Each so many times; the quickest counts, so that a pause of the machine does not.
const ROUNDS: usize = 5;

/// Times all four, one at a time and in turn, each on an engine of one thread.
pub async fn print(weights: &Path, prompts: &[String], reader: &MistralReader) -> anyhow::Result<()> {
    let one = MistralConfig { batching: Batching::Engines(1), ..config(weights) };
    let model = MistralModel::load(one).await?;
    let mut spent = [Duration::ZERO; 4];
    let mut timed = 0_u32;
    for prompt in prompts.iter().take(TIMED) {
        let answer = model.generate(request(prompt)).await?;
        let ids = tokens(&answer);
        if ids.is_empty() {
            continue;
        }
        // Prompt and answer as one prompt, of which one token is written: a prefill as everybody pays it.
        let whole = format!("{prompt}\n{}", answer.text);
        let messages = [Message::user(prompt)];
        let mut quickest = [Duration::MAX; 4];
        for _ in 0..ROUNDS {
            let began = Instant::now();
            reader.read(&messages, &ids, READ_TOKENS).await?;
            quickest[0] = quickest[0].min(began.elapsed());
            let began = Instant::now();
            model.generate(GenerationRequest::greedy(&whole, 1)).await?;
            quickest[1] = quickest[1].min(began.elapsed());
            let began = Instant::now();
            model.generate(request(prompt)).await?;
            quickest[2] = quickest[2].min(began.elapsed());
            let began = Instant::now();
            model.generate(GenerationRequest { top_logprobs: 0, ..request(prompt) }).await?;
            quickest[3] = quickest[3].min(began.elapsed());
        }
        for (sum, quickest) in spent.iter_mut().zip(quickest) {
            *sum += quickest;
        }
        timed += 1;
    }
    let [audit, prefill, again, bare] =
        spent.map(|spent| spent.as_secs_f64() * 1_000.0 / f64::from(timed.max(1)));
    println!("cost      of {timed} answers in ms, one at a time, the quickest of {ROUNDS}");
    println!("  an audit                         {audit:>8.3}");
    println!(
        "  one prefill of prompt + answer   {prefill:>8.3}   the audit costs {:.2} of it",
        audit / prefill
    );
    println!("  writing the answer again         {again:>8.3}   the audit costs {:.2} of it", audit / again);
    println!(
        "  writing, committing to nothing   {bare:>8.3}   committing adds {:.3} of it",
        again / bare - 1.0
    );
    Ok(())
}
