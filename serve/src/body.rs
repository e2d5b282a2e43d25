//! Bodies of requests, up to a limit that a refusal names.

use axum::Json;
use axum::body::{Body, BodyDataStream};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use futures::StreamExt as _;
use serde::de::DeserializeOwned;

use super::refusal::Refusal;

/// What is read of a body that is too long, so that its sender hears why: a connection that is closed while somebody
/// writes takes the answer with it.
const MOST_SKIPPED_BYTES: u64 = 64 * 1024 * 1024;

/// A body of JSON. Faults name the field that they are in.
pub async fn json<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
    most_bytes: usize,
) -> Result<T, Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !kind.trim_start().to_ascii_lowercase().starts_with("application/json") {
        return Err(Refusal::invalid("send JSON, and say so: Content-Type: application/json"));
    }
    let mut chunks = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| broken(&error))?;
        if bytes.len() + chunk.len() > most_bytes {
            drop(bytes);
            skip_rest(chunks).await;
            let instead = "upload documents with POST /v1/files, and name them by file_id in the question";
            return Err(Refusal::too_large("the request", most_bytes as u64, instead));
        }
        bytes.extend_from_slice(&chunk);
    }
    let Json(value) = Json::from_bytes(&bytes).map_err(|error| Refusal::invalid(error.body_text()))?;
    Ok(value)
}

/// A body that ended before its time.
pub fn broken(error: &dyn std::error::Error) -> Refusal {
    Refusal::invalid(format!("the request did not come whole: {error}"))
}

/// Reads what is left of a body, within bounds.
pub async fn skip_rest(mut chunks: BodyDataStream) {
    let mut skipped = 0;
    while let Some(Ok(chunk)) = chunks.next().await {
        skipped += chunk.len() as u64;
        if skipped > MOST_SKIPPED_BYTES {
            return;
        }
    }
}
