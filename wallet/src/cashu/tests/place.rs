//! Where a test's sats lie: at our own mint in this process, or, where the environment names one, at a
//! foreign mint that shares no code with ours (`tests/interop.sh`). The same tests hold at both.

use std::net::Ipv4Addr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use tokio_util::task::AbortOnDropHandle;

use super::faulty::Line;
use crate::mint::{PlayMint, PlayMintOptions};

/// The address of a foreign mint that takes nothing for spending.
pub(crate) const FOREIGN: &str = "FRLM_TEST_FOREIGN_MINT";
/// The address of one that takes [`FOREIGN_FEE_PPK`].
const FOREIGN_WITH_FEE: &str = "FRLM_TEST_FOREIGN_MINT_WITH_FEE";
const FOREIGN_FEE_PPK: u64 = 100;
/// Larger than any request of the tests, and than any answer to one.
const MOST_BYTES: usize = 4 << 20;

/// A mint behind a line.
pub(crate) enum Place {
    Own(PlayMint),
    Foreign(Forwarder),
}

impl Place {
    pub async fn behind(line: &Line, input_fee_ppk: u64) -> Self {
        let variable = if input_fee_ppk == 0 { FOREIGN } else { FOREIGN_WITH_FEE };
        if let Ok(mint) = std::env::var(variable) {
            assert!([0, FOREIGN_FEE_PPK].contains(&input_fee_ppk), "no foreign mint takes {input_fee_ppk}");
            return Self::Foreign(Forwarder::start(mint, line).await);
        }
        Self::own(line, input_fee_ppk).await
    }

    /// At our own mint, wherever the others are.
    pub async fn own(line: &Line, input_fee_ppk: u64) -> Self {
        Self::with(line, PlayMintOptions { input_fee_ppk, ..PlayMintOptions::default() }).await
    }

    /// As [`Place::own`], set up like this.
    pub async fn with(line: &Line, options: PlayMintOptions) -> Self {
        Self::Own(PlayMint::start_behind(options, |router| line.before(router)).await.unwrap())
    }

    pub fn url(&self) -> &str {
        match self {
            Self::Own(mint) => mint.url(),
            Self::Foreign(forwarder) => &forwarder.url,
        }
    }

    /// Nobody answers there any more.
    pub async fn shutdown(self) {
        match self {
            Self::Own(mint) => mint.shutdown().await,
            Self::Foreign(forwarder) => drop(forwarder),
        }
    }
}

/// Passes requests on to a mint in another process.
pub(crate) struct Forwarder {
    url: String,
    _task: AbortOnDropHandle<()>,
}

#[derive(Clone)]
struct Target {
    mint: String,
    client: reqwest::Client,
}

impl Forwarder {
    async fn start(mint: String, line: &Line) -> Self {
        let target = Target { mint, client: reqwest::Client::new() };
        let router = line.before(Router::new().fallback(pass_on).with_state(target));
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, _task: AbortOnDropHandle::new(task) }
    }
}

async fn pass_on(State(target): State<Target>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, MOST_BYTES).await.unwrap();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut asked = target.client.request(parts.method, format!("{}{path}", target.mint)).body(body);
    if let Some(kind) = parts.headers.get(CONTENT_TYPE) {
        asked = asked.header(CONTENT_TYPE, kind);
    }
    let Ok(answer) = asked.send().await else { return StatusCode::BAD_GATEWAY.into_response() };
    let (status, kind) = (answer.status(), answer.headers().get(CONTENT_TYPE).cloned());
    let body = answer.bytes().await.unwrap();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().extend(kind.map(|kind| (CONTENT_TYPE, kind)));
    response
}
