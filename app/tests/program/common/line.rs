//! What lies between programs and a mint: a line that a test stalls, cuts and mends.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

/// Larger than any request of the tests, and than any answer to one.
const MOST_BYTES: usize = 4 << 20;

/// How a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    Good,
    /// Nobody answers, and nothing arrives.
    Stalled,
    /// Every request is told that there is no mint.
    Cut,
}

/// A line to a mint, under an address of its own.
pub struct Line {
    url: String,
    condition: Arc<watch::Sender<Condition>>,
    armed: Arc<AtomicBool>,
    _task: AbortOnDropHandle<()>,
}

#[derive(Clone)]
struct Target {
    mint: String,
    client: reqwest::Client,
    condition: watch::Receiver<Condition>,
}

impl Line {
    pub async fn to(mint: &str) -> Self {
        let (condition, watched) = watch::channel(Condition::Good);
        let target = Target { mint: mint.to_owned(), client: reqwest::Client::new(), condition: watched };
        let router = Router::new().fallback(pass_on).with_state(target);
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            condition: Arc::new(condition),
            armed: Arc::default(),
            _task: AbortOnDropHandle::new(task),
        }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Brings the line into a condition when it is called, the first time after each [`Line::arm`].
    pub fn trap(&self, sprung: Condition) -> Box<dyn Fn() + Send + Sync> {
        let (condition, armed) = (Arc::clone(&self.condition), Arc::clone(&self.armed));
        Box::new(move || {
            if armed.swap(false, Ordering::SeqCst) {
                condition.send_replace(sprung);
            }
        })
    }

    pub fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    pub fn cut(&self) {
        self.condition.send_replace(Condition::Cut);
    }

    pub fn mend(&self) {
        self.condition.send_replace(Condition::Good);
    }
}

async fn pass_on(State(mut target): State<Target>, request: Request) -> Response {
    let moving = target.condition.wait_for(|condition| *condition != Condition::Stalled);
    let good = moving.await.is_ok_and(|condition| *condition == Condition::Good);
    if !good {
        return (StatusCode::BAD_GATEWAY, "no mint here").into_response();
    }
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, MOST_BYTES).await.unwrap();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut asked = target.client.request(parts.method, format!("{}{path}", target.mint)).body(body);
    if let Some(kind) = parts.headers.get(CONTENT_TYPE) {
        asked = asked.header(CONTENT_TYPE, kind);
    }
    let Ok(answer) = asked.send().await else { return StatusCode::BAD_GATEWAY.into_response() };
    let (status, kind) = (answer.status(), answer.headers().get(CONTENT_TYPE).cloned());
    let Ok(body) = answer.bytes().await else { return StatusCode::BAD_GATEWAY.into_response() };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().extend(kind.map(|kind| (CONTENT_TYPE, kind)));
    response
}
