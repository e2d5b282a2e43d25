//! The engine with a tiny random model. Only in optimised builds: candle is tens of times slower
//! without.

use std::time::{Duration, Instant};

use futures::StreamExt;
use mistralrs::Tensor;
use tokio_util::task::AbortOnDropHandle;

use super::pool::EngineLease;
use super::testing::{CONTEXT_TOKENS, write_tiny_model};
use super::*;
use crate::conformance::conformance;
use crate::{Answer, AnswerReader as _, Chunk, Message, Sampling, weights};

async fn tiny(batching: Batching) -> MistralModel {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("tiny.gguf");
    write_tiny_model(&path);
    let config = MistralConfig { batching, force_cpu: true, ..MistralConfig::new(&path) };
    // The folder may go once the weights are in memory.
    MistralModel::load(config).await.expect("the tiny model loads")
}

async fn one_engine() -> MistralModel {
    tiny(Batching::Engines(1)).await
}

conformance!(
    single_threaded_engines,
    tiny(Batching::Engines(2)),
    cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")
);
conformance!(
    one_engine_on_all_cores,
    tiny(Batching::Batch(4)),
    cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")
);

fn constrained(constraint: Constraint, max_tokens: usize) -> GenerationRequest {
    GenerationRequest { constraint: Some(constraint), ..GenerationRequest::greedy("tell me", max_tokens) }
}

async fn becomes_free(model: &MistralModel, lanes: usize, within: Duration) -> bool {
    let start = Instant::now();
    while model.free_lanes() < lanes {
        if start.elapsed() > within {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    true
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn the_model_is_described_by_its_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("tiny.gguf");
    write_tiny_model(&path);
    let model = MistralModel::load(MistralConfig { force_cpu: true, ..MistralConfig::new(&path) })
        .await
        .expect("loads");
    let info = model.info();
    assert_eq!(info.name, "tiny");
    assert_eq!(info.context_tokens, CONTEXT_TOKENS as usize);
    assert_eq!(info.quantisation.as_deref(), Some("F32"));
    assert_eq!(info.weights_hash, weights::hash(&path).ok());
    assert_eq!(info.concurrency, cores());
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn a_dropped_stream_soon_frees_its_engine() {
    let model = one_engine().await;
    let mut tries = Vec::new();
    // Other tests share the machine: one undisturbed round is enough.
    for _ in 0..8 {
        let mut chunks = model.stream(GenerationRequest::greedy("tell me", 480)).await.expect("starts");
        chunks.next().await.expect("a chunk").expect("the generation begins");
        assert_eq!(model.free_lanes(), 0);
        let start = Instant::now();
        drop(chunks);
        assert!(becomes_free(&model, 1, Duration::from_secs(5)).await, "the engine still works for nobody");
        let freed = start.elapsed();
        let start = Instant::now();
        model.generate(GenerationRequest::greedy("tell me", 480)).await.expect("an answer");
        tries.push((freed, start.elapsed()));
        if freed < start.elapsed() / 4 {
            return;
        }
    }
    panic!("freed no sooner than the work itself takes: {tries:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn a_stream_dropped_before_its_first_chunk_frees_its_engine() {
    let model = tiny(Batching::Engines(2)).await;
    for _ in 0..8 {
        drop(model.stream(GenerationRequest::greedy("tell me", 480)).await.expect("starts"));
    }
    assert!(becomes_free(&model, 2, Duration::from_secs(5)).await);
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn an_answer_nobody_waits_for_soon_frees_its_engine() {
    let model = Arc::new(one_engine().await);
    let generating = model.generate(GenerationRequest::greedy("tell me", 480));
    // It has begun when its first poll has found the engine busy.
    tokio::select! {
        biased;
        _ = generating => panic!("480 tokens take longer than nothing"),
        () = std::future::ready(()) => {}
    }
    assert!(becomes_free(&model, 1, Duration::from_secs(5)).await, "the engine still works for nobody");
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn answers_given_up_in_the_middle_never_harm_those_that_wait() {
    let model = Arc::new(one_engine().await);
    for round in 0..20 {
        let model = Arc::clone(&model);
        let mut given_up = Box::pin({
            let model = Arc::clone(&model);
            async move { model.generate(GenerationRequest::greedy("tell me", 400)).await }
        });
        // It has begun when its first poll has found the engine busy.
        assert!(futures::poll!(&mut given_up).is_pending());
        let waiting = async move { model.generate(GenerationRequest::greedy("x", 4)).await };
        let waiting = AbortOnDropHandle::new(tokio::spawn(waiting));
        // At another token each time.
        tokio::time::sleep(Duration::from_millis(round)).await;
        drop(given_up);
        let answer = waiting.await.expect("no panic");
        assert!(answer.is_ok(), "round {round}: {answer:?}");
    }
    assert!(becomes_free(&model, 1, Duration::from_secs(5)).await);
}

/// Panics in the thread of the engine that works for it.
struct Breakdown {
    _lease: EngineLease,
}

impl CustomLogitsProcessor for Breakdown {
    fn apply(&self, _logits: &Tensor, _context: &[u32]) -> mistralrs::Result<Tensor> {
        panic!("a breakdown on purpose")
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn an_engine_that_broke_down_is_started_again_for_those_who_wait() {
    let model = one_engine().await;
    for round in 0..3 {
        let (responses, mut reader) = mpsc::channel(8);
        let make = Box::new(move |lease| {
            let request = GenerationRequest::greedy("tell me", 4);
            let picker = Arc::new(Breakdown { _lease: lease });
            Request::Normal(Box::new(normal_request(request, responses, false, picker)))
        });
        model.pool.submit(Wanting { log: StepLog::new(), make }).expect("the pool is open");
        let waiting = (0..3).map(|_| model.generate(GenerationRequest::greedy("x", 4)));
        let answers = tokio::time::timeout(Duration::from_secs(30), futures::future::join_all(waiting));
        for answer in answers.await.expect("somebody answers") {
            assert!(answer.is_ok(), "round {round}: {answer:?}");
        }
        assert!(!matches!(reader.recv().await, Some(Response::Done(_))), "the breakdown gave an answer");
    }
    assert!(becomes_free(&model, 1, Duration::from_secs(5)).await);
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn an_answer_in_one_piece_is_the_streamed_one() {
    let model = one_engine().await;
    for (prompt, max_tokens) in [("tell me", 12), ("  another one", 40), ("x", 1)] {
        let request = GenerationRequest { top_logprobs: 2, ..GenerationRequest::greedy(prompt, max_tokens) };
        let whole = model.generate(request.clone()).await.expect("an answer");
        let mut chunks = model.stream(request).await.expect("starts");
        let mut streamed = None;
        while let Some(chunk) = chunks.next().await {
            if let Chunk::Done(answer) = chunk.expect("no error") {
                streamed = Some(answer);
            }
        }
        assert_eq!(Some(whole), streamed, "{prompt}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn every_token_has_its_log_probability_and_rivals() {
    let model = one_engine().await;
    let request = GenerationRequest { top_logprobs: 3, ..GenerationRequest::greedy("tell me", 12) };
    let answer = model.generate(request).await.expect("an answer");
    assert_eq!(answer.logprobs.len(), 12);
    assert_eq!(answer.usage.completion_tokens, 12);
    let text: String = answer.logprobs.iter().map(|token| token.token.as_str()).collect();
    assert_eq!(text.trim_start(), answer.text);
    for token in &answer.logprobs {
        assert_eq!(token.top.len(), 3);
        assert_eq!(
            (token.top[0].id, &token.top[0].text, token.top[0].logprob),
            (token.id, &token.token, token.logprob),
            "greedy takes the first"
        );
        assert!(token.top.windows(2).all(|pair| pair[0].logprob >= pair[1].logprob));
        let mass: f32 = token.top.iter().map(|rival| rival.logprob.exp()).sum();
        assert!(mass <= 1.0 + 1e-4, "{mass} is more than all");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn log_probabilities_end_at_the_stop_text() {
    let model = one_engine().await;
    let whole = model.generate(GenerationRequest::greedy("tell me", 12)).await.expect("an answer").text;
    let stop = whole[6..8].to_owned();
    let request = GenerationRequest { stop: vec![stop], ..GenerationRequest::greedy("tell me", 12) };
    let answer = model.generate(request).await.expect("an answer");
    let text: String = answer.logprobs.iter().map(|token| token.token.as_str()).collect();
    assert_eq!(text.trim_start(), answer.text);
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn constraints_shape_the_text() {
    let model = one_engine().await;
    let text = async |constraint| model.generate(constrained(constraint, 40)).await.expect("an answer").text;
    assert_eq!(text(Constraint::Regex("(yes|no) [0-9]{3}".to_owned())).await.len(), "no 123".len());
    let lark = text(Constraint::Lark("start: \"left\" | \"right\"".to_owned())).await;
    assert!(["left", "right"].contains(&lark.as_str()), "{lark}");
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "count": { "type": "integer", "minimum": 0, "maximum": 99 } },
        "required": ["count"],
        "additionalProperties": false,
    });
    let json = text(Constraint::JsonSchema(schema)).await;
    let value: Value = serde_json::from_str(&json).expect("the text is JSON");
    assert!(value["count"].is_u64(), "{json}");
    assert!(!json.contains(' '), "{json} has white space");
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn a_broken_constraint_is_the_request_s_fault_and_harms_nobody() {
    let model = one_engine().await;
    let error =
        model.generate(constrained(Constraint::Regex("(".to_owned()), 8)).await.expect_err("no such regex");
    assert!(matches!(error, ModelError::Invalid(_)), "{error}");
    model.generate(GenerationRequest::greedy("tell me", 4)).await.expect("the engine lives on");
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn a_prompt_without_room_for_its_answer_is_refused_with_numbers() {
    let model = one_engine().await;
    let error = model.generate(GenerationRequest::greedy("x ".repeat(300), 8)).await.expect_err("too long");
    let ModelError::TooLong { needed, available } = error else { panic!("{error}") };
    assert_eq!(available, CONTEXT_TOKENS as usize);
    assert!((600..700).contains(&needed), "{needed}");
    // As many bytes as tokens fit, and the last token of the context is used.
    let full = GenerationRequest::greedy("x".repeat(500), 11);
    assert_eq!(model.generate(full).await.expect("fits exactly").usage.completion_tokens, 11);
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn temperature_varies_answers_and_greedy_does_not() {
    let model = one_engine().await;
    let hot = Sampling { temperature: 2.0, top_p: Some(0.95), top_k: Some(40) };
    let request = GenerationRequest { sampling: hot, ..GenerationRequest::greedy("tell me", 24) };
    let first = model.generate(request.clone()).await.expect("an answer").text;
    let second = model.generate(request).await.expect("an answer").text;
    assert_ne!(first, second);
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn requests_together_answer_as_they_do_alone() {
    for batching in [Batching::Engines(2), Batching::Batch(4)] {
        let model = tiny(batching).await;
        let ask = |index: usize| GenerationRequest {
            messages: vec![Message::system("be brief"), Message::user(format!("question {index}"))],
            ..GenerationRequest::greedy("", 12)
        };
        let mut alone: Vec<Answer> = Vec::new();
        for index in 0..6 {
            alone.push(model.generate(ask(index)).await.expect("an answer"));
        }
        let together = futures::future::join_all((0..6).map(|index| model.generate(ask(index)))).await;
        for (alone, together) in alone.iter().zip(together) {
            assert_eq!(alone.text, together.expect("an answer").text, "{batching:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn an_unread_stream_does_not_keep_its_engine() {
    let model = one_engine().await;
    let unread = model.stream(GenerationRequest::greedy("tell me", 64)).await.expect("starts");
    let next = tokio::time::timeout(
        Duration::from_secs(20),
        model.generate(GenerationRequest::greedy("tell me", 8)),
    );
    next.await.expect("the engine wrote on without a reader and became free").expect("an answer");
    let chunks: Vec<_> = unread.collect().await;
    assert!(matches!(chunks.last(), Some(Ok(Chunk::Done(answer))) if answer.usage.completion_tokens == 64));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_loaded_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let reason = async |path: PathBuf| {
        let error = MistralModel::load(MistralConfig::new(path)).await.expect_err("nothing to load");
        assert!(matches!(error, ModelError::Load { .. }));
        error.to_string()
    };
    assert!(reason(folder.path().join("none.gguf")).await.contains("no such file"));
    assert!(reason(folder.path().to_owned()).await.contains("config.json"));
    let text = folder.path().join("text.gguf");
    std::fs::write(&text, "hello, I am a text").expect("writable");
    assert!(reason(text).await.contains("not a GGUF file"));
    let cut = folder.path().join("cut.gguf");
    write_tiny_model(&cut);
    let whole = std::fs::read(&cut).expect("readable");
    std::fs::write(&cut, &whole[..whole.len() / 2]).expect("writable");
    reason(cut).await;
}

async fn reader(batching: Batching) -> MistralReader {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("tiny.gguf");
    write_tiny_model(&path);
    let config = MistralConfig { batching, force_cpu: true, ..MistralConfig::new(&path) };
    MistralReader::load(config).await.expect("the tiny model loads")
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn one_pass_over_an_answer_finds_it_as_likely_as_writing_it_did() {
    let request = GenerationRequest { top_logprobs: 5, ..GenerationRequest::greedy("tell me more", 40) };
    let answer = one_engine().await.generate(request.clone()).await.expect("it answers");
    let tokens: Vec<u32> = answer.logprobs.iter().filter_map(|token| token.id).collect();
    assert_eq!(tokens.len(), 40);
    for batching in [Batching::Engines(1), Batching::Auto] {
        let reader = reader(batching).await;
        // Twice: nothing of the first pass is left over.
        for _ in 0..2 {
            let read = reader.read(&request.messages, &tokens, 5).await.expect("it reads");
            assert_eq!(read.text.trim_start(), answer.text);
            assert_eq!(read.tokens.len(), tokens.len());
            for (written, read) in answer.logprobs.iter().zip(&read.tokens) {
                assert_eq!((written.id, &written.token), (read.id, &read.token));
                assert!((written.logprob - read.logprob).abs() < 1e-3, "{written:?} {read:?}");
                for (written, read) in written.top.iter().zip(&read.top) {
                    assert!((written.logprob - read.logprob).abs() < 1e-3, "{written:?} {read:?}");
                }
                assert_eq!(written.top[0].id, read.top[0].id);
            }
        }
        let other = reader.read(&[Message::user("something else")], &tokens, 5).await.expect("it reads");
        let apart = |(a, b): (&crate::TokenLogprob, &crate::TokenLogprob)| (a.logprob - b.logprob).abs();
        assert!(other.tokens.iter().zip(&answer.logprobs).map(apart).any(|apart| apart > 0.1));
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn what_cannot_be_read_is_refused_and_harms_nobody() {
    let reader = reader(Batching::Engines(1)).await;
    let messages = [Message::user("tell me")];
    assert!(matches!(reader.read(&messages, &[], 5).await, Err(ModelError::Invalid(_))));
    assert!(matches!(reader.read(&messages, &[65, u32::MAX], 5).await, Err(ModelError::Invalid(_))));
    assert!(matches!(reader.read(&[], &[65], 5).await, Err(ModelError::Invalid(_))));
    let long = vec![65; CONTEXT_TOKENS as usize];
    assert!(matches!(reader.read(&messages, &long, 5).await, Err(ModelError::TooLong { .. })));
    assert_eq!(reader.read(&messages, &[65], 5).await.expect("it reads").tokens.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn readings_together_and_given_up_in_the_middle_stay_apart() {
    let reader = reader(Batching::Engines(1)).await;
    let messages = [Message::user("tell me")];
    let tokens: Vec<u32> = (65..90).collect();
    let alone = reader.read(&messages, &tokens, 3).await.expect("it reads");
    for _ in 0..20 {
        let mut given_up = Box::pin(reader.read(&messages, &tokens, 3));
        // Its pass is under way when its first poll has found nothing to read.
        assert!(futures::poll!(&mut given_up).is_pending());
        drop(given_up);
        // Passes of one length would share a batch, which the engine gives nothing back for.
        let both = futures::join!(reader.read(&messages, &tokens, 3), reader.read(&messages, &tokens, 3));
        assert_eq!(both.0.expect("it reads"), alone);
        assert_eq!(both.1.expect("it reads"), alone);
    }
}
