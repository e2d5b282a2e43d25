//! The routes.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use frlm_client::util::clock::unix_secs;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::body;
use super::callers::AskedBy;
use super::chat::answer::{Interface, run_of};
use super::chat::{ChatRequest, MODEL};
use super::files::FileStore;
use super::files::routes::routes as file_routes;
use super::refusal::Refusal;
use super::service::{Service, ServiceHealth};
use super::stream;
use frlm_client::ratings::{self, Rating};

/// Largest question: some 24 MB of documents in base64.
const MOST_BYTES: usize = 32 * 1024 * 1024;
/// Largest rating.
const MOST_RATING_BYTES: usize = 64 * 1024;
/// Uploaded files that are too old are deleted this often, and with each upload.
const SWEEP: Duration = Duration::from_hours(1);

/// Serves until `tidy`: then nothing new is taken, and what is under way ends.
pub async fn serve(
    listener: TcpListener,
    service: Arc<Service>,
    tidy: CancellationToken,
) -> std::io::Result<()> {
    let known = middleware::from_fn_with_state(Arc::clone(&service), identify);
    let files = Arc::clone(&service.files);
    let router = Router::new()
        .route("/v1/chat/completions", post(chat))
        .route("/v1/completions", post(complete))
        .route("/v1/models", get(models))
        .route("/v1/feedback", post(rate))
        .route("/health", get(health))
        .merge(file_routes(Arc::clone(&files)))
        .fallback(nothing)
        .route_layer(known)
        .with_state(service);
    let serving = axum::serve(listener, router).with_graceful_shutdown(tidy.cancelled_owned());
    tokio::select! {
        outcome = async { serving.await } => outcome,
        never = sweep(files) => match never {},
    }
}

/// Deletes uploaded files that are too old, also where nobody asks anything.
async fn sweep(files: Arc<FileStore>) -> std::convert::Infallible {
    let mut times = tokio::time::interval(SWEEP);
    loop {
        times.tick().await;
        let files = Arc::clone(&files);
        let swept = tokio::task::spawn_blocking(move || files.sweep()).await;
        if let Ok(Err(error)) = swept {
            tracing::warn!(%error, "uploaded files that are too old cannot be deleted");
        }
    }
}

/// Before a body is read: who asks, and whether that is within the limit. How things stand costs nothing.
async fn identify(State(service): State<Arc<Service>>, mut request: Request, next: Next) -> Response {
    let counts = request.uri().path() != "/health";
    let admitted = service.callers.identify(request.headers()).and_then(|caller| {
        if counts {
            service.admit(caller)?;
        }
        Ok(caller.to_owned())
    });
    match admitted {
        Ok(caller) => {
            request.extensions_mut().insert(AskedBy(caller));
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

async fn nothing() -> Refusal {
    Refusal::not_found(
        "there are POST /v1/chat/completions, /v1/completions and /v1/files, GET /v1/models, POST /v1/feedback and GET /health",
    )
}

async fn models() -> Json<Value> {
    Json(json!({
        "object": "list",
        "data": [{ "id": MODEL, "object": "model", "created": 0, "owned_by": MODEL }],
    }))
}

async fn health(State(service): State<Arc<Service>>) -> Result<Json<ServiceHealth>, Refusal> {
    service.health().await.map(Json)
}

async fn chat(
    State(service): State<Arc<Service>>,
    Extension(asked_by): Extension<AskedBy>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request = body::json(&headers, body, MOST_BYTES).await?;
    answer(service, asked_by, request, Interface::Chat).await
}

async fn complete(
    State(service): State<Arc<Service>>,
    Extension(asked_by): Extension<AskedBy>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request: ChatRequest = body::json(&headers, body, MOST_BYTES).await?;
    answer(service, asked_by, request.about_its_prompt()?, Interface::Completions).await
}

async fn answer(
    service: Arc<Service>,
    AskedBy(caller): AskedBy,
    request: ChatRequest,
    interface: Interface,
) -> Result<Response, Refusal> {
    let (streamed, with_usage, shape) = (request.is_streamed(), request.wants_usage(), request.shape()?);
    let files = Arc::clone(&service.files);
    let read = move || request.asked(&|id| files.document(&caller, id));
    let asked = tokio::task::spawn_blocking(read).await;
    let asked = asked.map_err(|error| Refusal::fault(error.to_string()))??;
    if streamed {
        return Ok(stream::answer(service, asked, interface, shape, with_usage).into_response());
    }
    let answered = service.answer(asked).await?;
    Ok(Json(interface.completion(&answered, &shape, unix_secs())).into_response())
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
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, Refusal> {
    let Feedback { run_id, stars, thumbs_up, comment } =
        body::json(&headers, body, MOST_RATING_BYTES).await?;
    let run_id = run_of(&run_id).to_owned();
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
