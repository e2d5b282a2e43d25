//! What every engine must do, as one macro that each engine's tests run.

use std::time::Duration;

use futures::StreamExt;

use crate::{Answer, Chunk, FinishReason, GenerationRequest, LanguageModel, ModelError};

/// Makes a module of tests for a model, given as an expression that is awaited once per test.
///
/// The model must answer [`PROMPT`] with at least four tokens of text.
macro_rules! conformance {
    ($name:ident, $model:expr $(, $attribute:meta)*) => {
        mod $name {
            use super::*;

            conformance!(@test $name $model; a_stream_ends_with_done_and_repeats_its_text; $(#[$attribute])*);
            conformance!(@test $name $model; max_tokens_is_respected; $(#[$attribute])*);
            conformance!(@test $name $model; a_stop_text_ends_the_answer_before_it; $(#[$attribute])*);
            conformance!(@test $name $model; a_request_without_messages_is_a_clear_error; $(#[$attribute])*);
            conformance!(@test $name $model; a_dropped_stream_leaves_the_model_usable; $(#[$attribute])*);
            conformance!(@test $name $model; several_answers_come_in_the_order_of_their_requests; $(#[$attribute])*);
            conformance!(@test $name $model; one_bad_request_fails_its_handful; $(#[$attribute])*);
        }
    };
    (@test $name:ident $model:expr; $check:ident; $(#[$attribute:meta])*) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        $(#[$attribute])*
        async fn $check() {
            let model = $model.await;
            $crate::conformance::$check(&model).await;
        }
    };
}
pub(crate) use conformance;

/// A short prompt in no dialect.
pub(crate) const PROMPT: &str = "tell me";

fn request(max_tokens: usize) -> GenerationRequest {
    GenerationRequest::greedy(PROMPT, max_tokens)
}

async fn collect(model: &dyn LanguageModel, request: GenerationRequest) -> (String, Answer) {
    let mut chunks = model.stream(request).await.expect("the stream starts");
    let mut text = String::new();
    let mut answer = None;
    while let Some(chunk) = chunks.next().await {
        assert!(answer.is_none(), "nothing follows Done");
        match chunk.expect("the generation succeeds") {
            Chunk::Text(piece) => text.push_str(&piece),
            Chunk::Reasoning(_) => {}
            Chunk::Done(done) => answer = Some(done),
        }
    }
    (text, answer.expect("the stream ends with Done"))
}

pub(crate) async fn a_stream_ends_with_done_and_repeats_its_text(model: &dyn LanguageModel) {
    let (text, answer) = collect(model, request(16)).await;
    assert_eq!(text, answer.text);
    assert!(!text.is_empty());
    assert!(answer.usage.prompt_tokens > 0);
    assert!(answer.usage.completion_tokens > 0);
    let whole = model.generate(request(16)).await.expect("an answer");
    assert_eq!(whole.text, text, "greedy answers repeat");
    for token in &answer.logprobs {
        assert!(token.logprob <= 0.0, "{token:?} is no log-probability");
    }
}

pub(crate) async fn max_tokens_is_respected(model: &dyn LanguageModel) {
    let (_, short) = collect(model, request(2)).await;
    assert!(short.usage.completion_tokens <= 2);
    assert_eq!(short.finish, FinishReason::Length);
    let (_, long) = collect(model, request(4)).await;
    assert!(long.text.starts_with(&short.text));
}

pub(crate) async fn a_stop_text_ends_the_answer_before_it(model: &dyn LanguageModel) {
    let (text, _) = collect(model, request(16)).await;
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let stop: String = text[middle..].chars().take(2).collect();
    let before = text.find(&stop).expect("the stop text was cut from this text");
    let (stopped, answer) = collect(model, GenerationRequest { stop: vec![stop], ..request(16) }).await;
    assert_eq!(stopped, text[..before]);
    assert_eq!(answer.finish, FinishReason::Stop);
}

pub(crate) async fn a_request_without_messages_is_a_clear_error(model: &dyn LanguageModel) {
    let empty = GenerationRequest { messages: Vec::new(), ..request(4) };
    let error = model.generate(empty).await.expect_err("there is nothing to answer");
    assert!(matches!(&error, ModelError::Invalid(reason) if reason.contains("messages")), "{error}");
}

pub(crate) async fn a_dropped_stream_leaves_the_model_usable(model: &dyn LanguageModel) {
    for _ in 0..4 {
        let mut chunks = model.stream(request(64)).await.expect("the stream starts");
        chunks.next().await.expect("a first chunk").expect("the generation begins");
    }
    let next = tokio::time::timeout(Duration::from_secs(20), model.generate(request(4))).await;
    next.expect("the engine became free").expect("an answer");
}

pub(crate) async fn several_answers_come_in_the_order_of_their_requests(model: &dyn LanguageModel) {
    let lengths = [4, 1, 3, 2, 4, 1];
    let requests = lengths.map(request).to_vec();
    let answers = tokio::time::timeout(Duration::from_secs(20), model.generate_all(requests)).await;
    let answers = answers.expect("all of them end").expect("all of them succeed");
    assert_eq!(answers.len(), lengths.len());
    for (answer, length) in answers.iter().zip(lengths) {
        let alone = model.generate(request(length)).await.expect("an answer");
        assert_eq!((&answer.text, answer.usage), (&alone.text, alone.usage));
    }
}

pub(crate) async fn one_bad_request_fails_its_handful(model: &dyn LanguageModel) {
    let empty = GenerationRequest { messages: Vec::new(), ..request(4) };
    let answers = model.generate_all(vec![request(4), empty, request(4)]).await;
    assert!(matches!(answers, Err(ModelError::Invalid(_))), "{answers:?}");
    model.generate(request(4)).await.expect("the engine became free");
}
