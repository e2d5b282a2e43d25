//! The client against a real server on this machine that behaves, and misbehaves, as servers do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Json;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;

use super::*;
use crate::conformance::conformance;
use crate::{Chunk, FinishReason, Sampling};

const KEY: &str = "sk-sesame";

/// A server that answers every chat request with a function of it.
struct Server {
    url: Url,
    _task: AbortOnDropHandle<()>,
}

type Answer = Arc<dyn Fn(HeaderMap, Value) -> Response + Send + Sync>;

impl Server {
    async fn start(answer: impl Fn(HeaderMap, Value) -> Response + Send + Sync + 'static) -> Self {
        async fn chat(State(answer): State<Answer>, headers: HeaderMap, Json(body): Json<Value>) -> Response {
            answer(headers, body)
        }
        let answer: Answer = Arc::new(answer);
        let models = || async { Json(json!({ "data": [{ "id": "some-model", "max_model_len": 32_768 }] })) };
        let router = Router::new()
            .route("/v1/chat/completions", post(chat))
            .route("/v1/models", get(models))
            .with_state(answer);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let task: JoinHandle<()> = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("serving works");
        });
        let url = format!("http://{address}/v1").parse().expect("an address");
        Self { url, _task: AbortOnDropHandle::new(task) }
    }

    fn model(&self) -> OpenAiModel {
        OpenAiModel::new(OpenAiConfig::new(self.url.clone(), "some-model")).expect("a client")
    }
}

/// The model together with its server, for the conformance tests.
#[derive(Debug)]
struct Served {
    model: OpenAiModel,
    _server: Server,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Server")
    }
}

#[async_trait]
impl LanguageModel for Served {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        self.model.stream(request).await
    }
}

async fn well_behaved() -> Served {
    let server = Server::start(|_, body| {
        let limit = usize::try_from(body["max_tokens"].as_u64().expect("a limit")).expect("small");
        let words: Vec<&str> = "one two three four five six seven".split_inclusive(' ').collect();
        let mut text: String = words[..words.len().min(limit)].concat();
        let mut reason = if limit < words.len() { "length" } else { "stop" };
        if let Some(at) = body["stop"][0].as_str().and_then(|stop| text.find(stop)) {
            text.truncate(at);
            reason = "stop";
        }
        let mut events: Vec<Value> =
            text.split_inclusive(' ').map(|word| delta(&json!({ "content": word }))).collect();
        let written = events.len();
        events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
        events.push(json!({"choices": [], "usage": {"prompt_tokens": 2, "completion_tokens": written}}));
        sse(&events)
    })
    .await;
    Served { model: server.model(), _server: server }
}

conformance!(well_behaved_server, well_behaved());

fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn sse(events: &[Value]) -> Response {
    let mut body: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    body.push("data: [DONE]\n\n".to_owned());
    let body = body.concat();
    ([("content-type", "text/event-stream")], body).into_response()
}

/// A body of these parts that stays open afterwards.
fn endless(parts: Vec<&'static str>, alive: Option<Alive>) -> Response {
    let parts = stream::iter(parts).map(Ok::<_, std::io::Error>).chain(stream::pending());
    Body::from_stream(parts.map(move |part| {
        let _held = &alive;
        part
    }))
    .into_response()
}

/// Tells when the server let go of a response.
struct Alive(Arc<AtomicBool>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

async fn error_of(answer: impl Fn(HeaderMap, Value) -> Response + Send + Sync + 'static) -> ModelError {
    let server = Server::start(answer).await;
    server.model().generate(GenerationRequest::greedy("hi", 8)).await.expect_err("the server misbehaves")
}

const HALF: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";

#[tokio::test]
async fn text_reasoning_log_probabilities_and_usage_are_gathered() {
    let server = Server::start(|_, body| {
        assert_eq!(body["logprobs"], json!(true));
        assert_eq!(body["top_logprobs"], json!(2));
        assert_eq!(body["top_k"], json!(5));
        let logprobs = json!({"content": [{"token": "4", "logprob": -0.5,
            "top_logprobs": [{"token": "4", "logprob": -0.5}, {"token": "5", "logprob": -1.5}]}]});
        sse(&[
            delta(&json!({"role": "assistant", "content": null})),
            delta(&json!({"reasoning_content": "2 and 2 …"})),
            delta(&json!({"reasoning": " is 4"})),
            json!({"choices": [{"delta": {"content": "4"}, "logprobs": logprobs, "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}),
        ])
    })
    .await;
    let request = GenerationRequest {
        top_logprobs: 2,
        sampling: Sampling { temperature: 0.5, top_p: None, top_k: Some(5) },
        ..GenerationRequest::greedy("2+2?", 8)
    };
    let answer = server.model().generate(request).await.expect("an answer");
    assert_eq!(answer.text, "4");
    assert_eq!(answer.reasoning.as_deref(), Some("2 and 2 … is 4"));
    assert_eq!(answer.finish, FinishReason::Stop);
    assert_eq!((answer.usage.prompt_tokens, answer.usage.completion_tokens), (9, 3));
    assert_eq!(answer.logprobs.len(), 1);
    assert_eq!((answer.logprobs[0].top[1].text.as_str(), answer.logprobs[0].top[1].logprob), ("5", -1.5));
}

#[tokio::test]
async fn the_key_is_sent_and_never_shows() {
    let server = Server::start(|headers, _| {
        let key = headers.get("authorization").map(|value| value.to_str().expect("text").to_owned());
        assert_eq!(key.as_deref(), Some("Bearer sk-sesame"));
        let body = json!({"error": {"message": format!("the key {KEY} is\u{1b}[31m expired")}});
        (StatusCode::UNAUTHORIZED, Json(body)).into_response()
    })
    .await;
    let mut config = OpenAiConfig::new(server.url.clone(), "m");
    config.api_key = Some(ApiKey::new(KEY));
    assert!(!format!("{config:?}").contains(KEY));
    let model = OpenAiModel::new(config).expect("a client");
    assert!(!format!("{model:?}").contains(KEY));
    let error = model.generate(GenerationRequest::greedy("hi", 8)).await.expect_err("refused").to_string();
    assert!(error.contains("refuses this key") && error.contains("expired"), "{error}");
    assert!(!error.contains(KEY) && !error.contains('\u{1b}'), "{error}");
}

#[tokio::test]
async fn a_key_that_a_server_takes_apart_does_not_show_and_an_empty_one_is_none() {
    let server = Server::start(|headers, _| {
        let key = if headers.contains_key("authorization") { "sk-\u{7}sesame" } else { "no key" };
        (StatusCode::BAD_REQUEST, format!("{key} is what came")).into_response()
    })
    .await;
    for (key, said) in [(KEY, "… is what came"), ("", "no key is what came")] {
        let mut config = OpenAiConfig::new(server.url.clone(), "m");
        config.api_key = Some(ApiKey::new(key));
        let model = OpenAiModel::new(config).expect("a client");
        let error = model.generate(GenerationRequest::greedy("hi", 8)).await.expect_err("refused");
        assert!(error.to_string().ends_with(said), "{error}");
    }
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let error = error_of(|_, _| (StatusCode::UNAUTHORIZED, "").into_response()).await;
    assert!(error.to_string().contains("wants a key"), "{error}");
    let error =
        error_of(|_, _| (StatusCode::NOT_FOUND, Json(json!({"detail": "no model"}))).into_response()).await;
    assert!(error.to_string().contains("some-model") && error.to_string().contains("no model"), "{error}");
    let error =
        error_of(|_, _| (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7")], "").into_response()).await;
    assert!(error.to_string().contains("retry after 7 s"), "{error}");
    let error = error_of(|_, _| (StatusCode::BAD_GATEWAY, "<html>oops</html>").into_response()).await;
    assert!(
        matches!(&error, ModelError::Unavailable { .. }) && !error.to_string().contains("html"),
        "{error}"
    );
    let error = error_of(|_, _| (StatusCode::BAD_REQUEST, "context is full").into_response()).await;
    assert!(matches!(&error, ModelError::Failed(reason) if reason.contains("context is full")), "{error}");
    let error =
        error_of(|_, _| (StatusCode::FOUND, [("location", "http://elsewhere/")], "").into_response()).await;
    assert!(error.to_string().contains("redirects"), "{error}");
}

#[tokio::test]
async fn garbage_half_answers_and_late_errors_are_errors() {
    let error = error_of(|_, _| "data: {\"choices\": oops\n\n".into_response()).await;
    assert!(error.to_string().contains("no answer"), "{error}");
    let error = error_of(|_, _| "<html>a login page</html>".into_response()).await;
    assert!(error.to_string().contains("broke off"), "{error}");
    let error = error_of(|_, _| HALF.into_response()).await;
    assert!(error.to_string().contains("broke off after 1"), "{error}");
    let error = error_of(|_, _| {
        let parts = vec![Ok(HALF), Err(std::io::Error::other("cut"))];
        Body::from_stream(stream::iter(parts)).into_response()
    })
    .await;
    assert!(matches!(error, ModelError::Unavailable { .. }), "{error}");
    let error = error_of(|_, _| sse(&[json!({"error": {"message": "out of memory"}})])).await;
    assert!(error.to_string().contains("out of memory"), "{error}");
    let withheld = json!({"choices": [{"delta": {"content": "half"}, "finish_reason": "content_filter"}]});
    let error = error_of(move |_, _| sse(std::slice::from_ref(&withheld))).await;
    assert!(matches!(&error, ModelError::Failed(reason) if reason.contains("filter")), "{error}");
}

#[tokio::test]
async fn a_server_cannot_make_us_hold_more_than_the_limits() {
    let error = error_of(|_, _| {
        let block = "x".repeat(1 << 16);
        Body::from_stream(stream::repeat_with(move || Ok::<_, std::io::Error>(block.clone()))).into_response()
    })
    .await;
    assert!(error.to_string().contains("endless"), "{error}");
    let error = error_of(|_, _| {
        let block = "y".repeat(1 << 16);
        let body = Body::from_stream(stream::repeat_with(move || Ok::<_, std::io::Error>(block.clone())));
        (StatusCode::BAD_REQUEST, body).into_response()
    })
    .await;
    assert!(error.to_string().len() < 1000, "{error}");
}

#[tokio::test]
async fn a_silent_server_is_given_up_and_a_slow_one_is_not() {
    let silent = Server::start(|_, _| endless(vec![HALF], None)).await;
    let mut config = OpenAiConfig::new(silent.url.clone(), "m");
    config.timeout = Duration::from_millis(300);
    let model = OpenAiModel::new(config).expect("a client");
    let error = model.generate(GenerationRequest::greedy("hi", 8)).await.expect_err("it never ends");
    assert!(error.to_string().contains("silent"), "{error}");

    let slow = Server::start(|_, _| {
        let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
        let parts = stream::iter([HALF, HALF, HALF, HALF, end]).then(|part| async move {
            tokio::time::sleep(Duration::from_millis(120)).await;
            Ok::<_, std::io::Error>(part)
        });
        Body::from_stream(parts).into_response()
    })
    .await;
    let mut config = OpenAiConfig::new(slow.url.clone(), "m");
    config.timeout = Duration::from_millis(400);
    let model = OpenAiModel::new(config).expect("a client");
    let answer =
        model.generate(GenerationRequest::greedy("hi", 8)).await.expect("slower than the limit in all");
    assert_eq!(answer.text, "halfhalfhalfhalf");
    assert_eq!(answer.usage.completion_tokens, 4, "pieces are counted where no usage is reported");
}

#[tokio::test]
async fn dropping_a_generation_closes_the_connection() {
    let alive = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&alive);
    let server = Server::start(move |_, _| {
        // The server notices at its next write, as real ones do.
        let alive = Alive(Arc::clone(&held));
        let parts = stream::repeat(HALF).then(move |part| {
            let _held = &alive;
            async move {
                tokio::time::sleep(Duration::from_millis(5)).await;
                Ok::<_, std::io::Error>(part)
            }
        });
        Body::from_stream(parts).into_response()
    })
    .await;
    let mut chunks = server.model().stream(GenerationRequest::greedy("hi", 8)).await.expect("starts");
    let first = chunks.next().await.expect("a chunk").expect("fine");
    assert_eq!(first, Chunk::Text("half".to_owned()));
    drop(chunks);
    for _ in 0..400 {
        if !alive.load(Ordering::SeqCst) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the server still writes");
}

#[tokio::test]
async fn only_json_schemas_are_passed_on() {
    let server = Server::start(|_, body| {
        assert_eq!(body["response_format"]["type"], json!("json_schema"));
        sse(&[json!({"choices": [{"delta": {"content": "{}"}, "finish_reason": "stop"}]})])
    })
    .await;
    let constrained =
        |constraint| GenerationRequest { constraint: Some(constraint), ..GenerationRequest::greedy("hi", 8) };
    let model = server.model();
    let answer = model
        .generate(constrained(Constraint::JsonSchema(json!({"type": "object"}))))
        .await
        .expect("passed on");
    assert_eq!(answer.text, "{}");
    let error = model
        .generate(constrained(Constraint::Regex("a+".to_owned())))
        .await
        .expect_err("not in the protocol");
    assert!(matches!(error, ModelError::Unsupported { .. }), "{error}");
}

#[tokio::test]
async fn an_address_without_a_server_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("bound")).parse().expect("an address");
    drop(listener);
    let model = OpenAiModel::new(OpenAiConfig::new(url, "m")).expect("a client");
    let error = model.generate(GenerationRequest::greedy("hi", 8)).await.expect_err("nobody is there");
    assert!(error.to_string().contains("is the server running?"), "{error}");
}

#[tokio::test]
async fn an_endpoints_stated_context_is_believed_unless_the_user_overrides_it() {
    let server = Server::start(|_, _| StatusCode::NOT_FOUND.into_response()).await;
    for (asked, tokens) in [("", 32_768), ("?context=4096", 4_096)] {
        let spec: crate::open::ModelSpec =
            format!("{}{asked}#some-model", server.url).parse().expect("well formed");
        let model = crate::open::open(&spec).await.expect("a client");
        assert_eq!(model.info().context_tokens, tokens);
    }
    // Nobody is there: what is usual does until somebody asks it something.
    let spec: crate::open::ModelSpec = "http://127.0.0.1:1/v1#m".parse().expect("well formed");
    assert_eq!(crate::open::open(&spec).await.expect("a client").info().context_tokens, 8_192);
}
