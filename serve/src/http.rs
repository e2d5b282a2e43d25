//! The routes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use frlm_client::util::clock::unix_secs;
use futures::StreamExt as _;
use futures::stream;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::chat::{self, Asked, ChatRequest, MODEL};
use super::refusal::Refusal;
use super::service::{Service, Standing};
use frlm_client::ratings::{self, Rating};

/// Largest body: some 24 MB of documents in base64.
const MOST_BYTES: usize = 32 * 1024 * 1024;
/// While a run goes on, a stream says so this often, so that nobody on the way gives up.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Serves until `tidy`: then nothing new is taken, and what is under way ends.
pub async fn serve(
    listener: TcpListener,
    service: Arc<Service>,
    tidy: CancellationToken,
) -> std::io::Result<()> {
    let known = middleware::from_fn_with_state(Arc::clone(&service), identify);
    let router = Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/v1/models", get(models))
        .route("/v1/feedback", post(rate))
        .route("/health", get(health))
        .fallback(nothing)
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .route_layer(known)
        .with_state(service);
    axum::serve(listener, router).with_graceful_shutdown(tidy.cancelled_owned()).await
}

/// Before a body is read: who asks, and whether that is within the limit. How things stand costs nothing.
async fn identify(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let counts = request.uri().path() != "/health";
    let admitted = service
        .callers
        .identify(request.headers())
        .and_then(|caller| if counts { service.admit(caller) } else { Ok(()) });
    match admitted {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

async fn nothing() -> Refusal {
    Refusal::not_found(
        "there are POST /v1/chat/completions, GET /v1/models, POST /v1/feedback and GET /health",
    )
}

async fn models() -> Json<Value> {
    Json(json!({
        "object": "list",
        "data": [{ "id": MODEL, "object": "model", "created": 0, "owned_by": MODEL }],
    }))
}

async fn health(State(service): State<Arc<Service>>) -> Result<Json<Standing>, Refusal> {
    service.standing().await.map(Json)
}

async fn complete(
    State(service): State<Arc<Service>>,
    body: Result<Json<ChatRequest>, JsonRejection>,
) -> Result<Response, Refusal> {
    let Json(request) = body.map_err(|error| Refusal::invalid(error.body_text()))?;
    let (streamed, with_usage) = (request.stream, request.wants_usage());
    let asked = request.asked()?;
    if streamed {
        return Ok(stream_answer(service, asked, with_usage).into_response());
    }
    let answered = service.answer(asked).await?;
    Ok(Json(chat::completion(&answered.answer, &answered.warnings, unix_secs())).into_response())
}

/// The role at once, the answer when it is verified: nothing that is not verified is ever shown.
fn stream_answer(
    service: Arc<Service>,
    asked: Asked,
    with_usage: bool,
) -> Sse<impl futures::Stream<Item = Result<Event, Infallible>>> {
    let created = unix_secs();
    let pending = chat::id("pending");
    let begin = chat::chunk(&pending, created, &json!({ "role": "assistant", "content": "" }), None);
    let first = stream::once(async move { Event::default().data(begin.to_string()) });
    let rest = stream::once(async move {
        let events = match service.answer(asked).await {
            Ok(answered) => {
                let (answer, id) = (&answered.answer, chat::id(&answered.answer.run_id));
                let words = json!({ "content": answer.answer });
                let mut last = chat::chunk(&id, created, &json!({}), Some(answer));
                last["warnings"] = json!(answered.warnings);
                let mut events = vec![chat::chunk(&id, created, &words, None).to_string(), last.to_string()];
                events.extend(with_usage.then(|| chat::usage_chunk(&id, created, answer).to_string()));
                events
            }
            Err(refusal) => vec![refusal.body().to_string()],
        };
        stream::iter(events.into_iter().map(|text| Event::default().data(text)))
    });
    let done = stream::once(async { Event::default().data("[DONE]") });
    let events = first.chain(rest.flatten()).chain(done).map(Ok);
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

/// What somebody thought of an answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Feedback {
    run_id: String,
    stars: Option<u8>,
    thumbs_up: Option<bool>,
    #[serde(default)]
    comment: String,
}

async fn rate(
    State(service): State<Arc<Service>>,
    body: Result<Json<Feedback>, JsonRejection>,
) -> Result<Json<Value>, Refusal> {
    let Json(Feedback { run_id, stars, thumbs_up, comment }) =
        body.map_err(|error| Refusal::invalid(error.body_text()))?;
    let run_id = run_id.strip_prefix("chatcmpl-").unwrap_or(&run_id).to_owned();
    let rating = Rating { run_id, stars, thumbs_up, comment };
    rating.check().map_err(Refusal::invalid)?;
    if !service.knows(&rating.run_id).await? {
        return Err(Refusal::not_found(format!("there is no run {}", rating.run_id)));
    }
    let home = service.home().clone();
    let kept = tokio::task::spawn_blocking(move || ratings::keep_and_teach(&rating, &home)).await;
    match kept {
        Ok(Ok(taught)) => {
            Ok(Json(json!({ "kept": true, "decisions": taught.decisions, "plan": taught.plan })))
        }
        Ok(Err(error)) => Err(Refusal::fault(error.to_string())),
        Err(error) => Err(Refusal::fault(error.to_string())),
    }
}
