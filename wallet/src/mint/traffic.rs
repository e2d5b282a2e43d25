//! What a mint in this process was asked: requests and bytes, for benchmarks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

/// Where exchanges are asked for (NUT-03).
const SWAP: &str = "/v1/swap";

/// Counted since the mint was started. Bytes are those of bodies, without headers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// All requests.
    pub requests: u64,
    /// Those for an exchange.
    pub swaps: u64,
    /// Bytes that the mint received.
    pub bytes_in: u64,
    /// Bytes that it answered with.
    pub bytes_out: u64,
}

impl Traffic {
    /// What came since an earlier count.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            requests: self.requests - earlier.requests,
            swaps: self.swaps - earlier.swaps,
            bytes_in: self.bytes_in - earlier.bytes_in,
            bytes_out: self.bytes_out - earlier.bytes_out,
        }
    }
}

/// The counts of one mint; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    requests: AtomicU64,
    swaps: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
}

impl Meter {
    pub fn before(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), count))
    }

    pub fn read(&self) -> Traffic {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Traffic {
            requests: read(&self.0.requests),
            swaps: read(&self.0.swaps),
            bytes_in: read(&self.0.bytes_in),
            bytes_out: read(&self.0.bytes_out),
        }
    }
}

async fn count(State(meter): State<Meter>, request: Request, next: Next) -> Response {
    let add = |count: &AtomicU64, more: u64| count.fetch_add(more, Ordering::Relaxed);
    add(&meter.0.requests, 1);
    add(&meter.0.swaps, u64::from(request.uri().path() == SWAP));
    add(&meter.0.bytes_in, request.body().size_hint().lower());
    let response = next.run(request).await;
    add(&meter.0.bytes_out, response.body().size_hint().lower());
    response
}
