//! The port's HTTP side: NIP-11 for programs, a page for people, websockets for clients.

use std::sync::Arc;

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    CONTENT_TYPE, HOST,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::blobs::{self, BlobServer};
use super::hub::Hub;
use super::session;

const NIP11: &str = "application/nostr+json";

/// What requests are answered with.
#[derive(Debug, Clone)]
pub(super) struct Front {
    pub(super) hub: Arc<Hub>,
    pub(super) blobs: Option<Arc<BlobServer>>,
    pub(super) sessions: TaskTracker,
    pub(super) cancel: CancellationToken,
}

pub(super) async fn serve(listener: TcpListener, front: Front) {
    let cancel = front.cancel.clone();
    // One event is one small packet that somebody waits for.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY cannot be set");
        }
    });
    let router = Router::new().fallback(respond).with_state(front);
    if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(cancel.cancelled_owned()).await {
        tracing::error!(%error, "the relay stopped");
    }
}

async fn respond(
    State(front): State<Front>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    request: Request,
) -> Response {
    if let Ok(upgrade) = upgrade {
        // Room for the event's envelope, and for refusing an event that is a little too large
        // without losing the connection.
        let max_message_bytes = front.hub.config.max_event_bytes * 2;
        let (hub, cancel) = (Arc::clone(&front.hub), front.cancel.clone());
        return upgrade
            .max_message_size(max_message_bytes)
            .max_frame_size(max_message_bytes)
            .on_upgrade(move |socket| front.sessions.track_future(session::run(hub, socket, cancel)));
    }
    if let Some(blobs) = &front.blobs
        && let Some(route) = blobs::Route::of(request.uri().path())
    {
        return blobs.respond(route, request).await;
    }
    let (method, headers) = (request.method().clone(), request.headers());
    let cors = [
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (ACCESS_CONTROL_ALLOW_HEADERS, "*"),
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, OPTIONS"),
    ];
    match method {
        Method::OPTIONS => (StatusCode::NO_CONTENT, cors).into_response(),
        Method::GET | Method::HEAD if wants_document(headers) => {
            (cors, [(CONTENT_TYPE, NIP11)], document(&front.hub).to_string()).into_response()
        }
        Method::GET | Method::HEAD => {
            (cors, [(CONTENT_TYPE, "text/plain; charset=utf-8")], page(&front.hub, headers)).into_response()
        }
        _ => (StatusCode::METHOD_NOT_ALLOWED, cors).into_response(),
    }
}

fn wants_document(headers: &HeaderMap) -> bool {
    headers.get_all(ACCEPT).iter().any(|value| value.to_str().is_ok_and(|value| value.contains(NIP11)))
}

fn document(hub: &Hub) -> serde_json::Value {
    let config = &hub.config;
    let mut document = json!({
        "name": config.name,
        "description": "A relay for one machine or a private swarm. Events are kept in memory only.",
        "software": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "supported_nips": [1, 9, 11, 40, 42],
        "limitation": {
            "max_message_length": config.max_event_bytes,
            "max_content_length": config.max_content_chars,
            "max_subscriptions": config.max_subscriptions,
            "max_filters": session::MAX_FILTERS,
            "max_subid_length": 64,
            "max_limit": config.max_limit,
            "auth_required": config.auth_required,
            "payment_required": false,
            "restricted_writes": false,
        },
    });
    if let Some(limits) = &config.blobs {
        document["blossom"] = json!({"max_size": limits.max_bytes});
    }
    document
}

fn page(hub: &Hub, headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("HOST:PORT");
    format!(
        "{}\n\nThis is a Nostr relay. Clients connect to\n\n    ws://{host}\n\nfor example\n\n    frlm provide --relay ws://{host}\n",
        hub.config.name
    )
}
