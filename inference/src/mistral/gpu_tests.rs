//! The engine on an NVIDIA GPU. On a machine with one:
//! `cargo test --release -p frlm-inference --features cuda,embedded gpu -- --ignored`.

use std::path::Path;

use super::testing::{write_paged_model, write_tiny_model};
use super::*;
use crate::Answer;
use crate::conformance::conformance;

async fn on_gpu(write: fn(&Path), force_cpu: bool) -> MistralModel {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("tiny.gguf");
    write(&path);
    load(&path, force_cpu).await
}

async fn load(path: &Path, force_cpu: bool) -> MistralModel {
    let config = MistralConfig { force_cpu, ..MistralConfig::new(path) };
    MistralModel::load(config).await.expect("the model loads")
}

conformance!(heads_with_paged_kernels, on_gpu(write_paged_model, false), ignore = "needs an NVIDIA GPU");
conformance!(heads_without_paged_kernels, on_gpu(write_tiny_model, false), ignore = "needs an NVIDIA GPU");

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs an NVIDIA GPU"]
async fn only_pages_let_requests_run_together() {
    assert_eq!(on_gpu(write_paged_model, false).await.info().concurrency, 32);
    assert_eq!(on_gpu(write_tiny_model, false).await.info().concurrency, 1);
}

/// A GPU computes with fewer digits: where two tokens are about as likely, answers may part. Prompts of different lengths
/// that were mixed up would agree in next to nothing.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs an NVIDIA GPU"]
async fn many_at_once_begin_as_they_do_alone_on_the_cpu() {
    const PROMPTS: usize = 32;
    let ask = |index: usize| GenerationRequest::greedy(format!("{index} {}", "tell me ".repeat(index)), 8);
    let cpu = on_gpu(write_paged_model, true).await;
    let gpu = on_gpu(write_paged_model, false).await;
    let together = futures::future::join_all((0..PROMPTS).map(|index| gpu.generate(ask(index)))).await;
    let mut alike = 0;
    for (index, found) in together.into_iter().enumerate() {
        let expected = cpu.generate(ask(index)).await.expect("an answer");
        let first = |answer: &Answer| answer.logprobs.first().map(|token| (token.id, token.logprob));
        let (expected, found) = (first(&expected), first(&found.expect("an answer")));
        println!("{index}: {expected:?} on the CPU, {found:?} on the GPU");
        alike += usize::from(
            expected.zip(found).is_some_and(|(cpu, gpu)| cpu.0 == gpu.0 && (cpu.1 - gpu.1).abs() < 0.1),
        );
    }
    assert!(alike >= PROMPTS * 9 / 10, "{alike} of {PROMPTS} begin alike");
}

/// A model that was trained is sure of nearly every token.
#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs an NVIDIA GPU"]
async fn the_records_model_reads_on_a_gpu_what_it_reads_on_the_cpu() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("records.gguf");
    std::fs::write(&path, crate::embedded::WEIGHTS).expect("writable");
    let (cpu, gpu) = (load(&path, true).await, load(&path, false).await);
    let ask = |index: usize| {
        let status = ["shipped", "failed", "open"][index % 3];
        let record = format!("order {} by user{} amount {} {status}", 4000 + index, index % 17, index % 90);
        GenerationRequest::greedy(format!("copy status, user\n{index:03} {record}"), 24)
    };
    const PROMPTS: usize = 60;
    let found = futures::future::join_all((0..PROMPTS).map(|index| gpu.generate(ask(index)))).await;
    let mut alike = 0;
    for (index, found) in found.into_iter().enumerate() {
        let expected = cpu.generate(ask(index)).await.expect("an answer").text;
        let found = found.expect("an answer").text;
        if expected == found {
            alike += 1;
        } else {
            println!("{index}: {expected:?} on the CPU, {found:?} on the GPU");
        }
    }
    assert!(alike >= PROMPTS * 95 / 100, "{alike} of {PROMPTS} are alike");
}
