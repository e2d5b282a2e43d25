//! From error responses to errors that say what to do.

use futures::StreamExt;
use reqwest::{Response, StatusCode};
use serde_json::Value;

use super::{Endpoint, wire};
use crate::ModelError;

/// Error bodies longer than this are cut: they are web pages, not messages.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// The request did not get through, or the connection broke.
pub(super) fn transport(endpoint: &Endpoint, error: &reqwest::Error) -> ModelError {
    let reason = if error.is_timeout() {
        "it stayed silent for too long".to_owned()
    } else if error.is_connect() {
        "nothing accepts connections there; is the server running?".to_owned()
    } else {
        // The innermost cause is the only one that says what happened.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        endpoint.quote(&format!("the connection failed: {cause}"))
    };
    endpoint.unavailable(reason)
}

/// Turns a response other than success into an error.
pub(super) async fn read(endpoint: &Endpoint, model: &str, response: Response) -> ModelError {
    let status = response.status();
    let retry_after =
        response.headers().get("retry-after").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let body = bounded_body(response).await;
    let message = match serde_json::from_slice::<Value>(&body) {
        Ok(value) => wire::error_message(&value).map(|message| endpoint.quote(message)).unwrap_or_default(),
        // Proxies answer in HTML, which helps nobody.
        Err(_) if body.trim_ascii_start().starts_with(b"<") => String::new(),
        Err(_) => endpoint.quote(&String::from_utf8_lossy(&body)),
    };
    let said = if message.is_empty() { String::new() } else { format!("; it says: {message}") };
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            let fix = if endpoint.api_key.is_some() { "it refuses this key" } else { "it wants a key" };
            endpoint.unavailable(format!("{fix} ({status}){said}"))
        }
        StatusCode::NOT_FOUND => endpoint.unavailable(format!(
            "it knows no model `{model}`, or the address misses its /v1 ({status}){said}"
        )),
        StatusCode::TOO_MANY_REQUESTS => {
            let when = retry_after
                .map_or_else(String::new, |after| format!(", retry after {} s", endpoint.quote(&after)));
            endpoint.unavailable(format!("it has too many requests{when} ({status}){said}"))
        }
        status if status.is_redirection() => {
            endpoint.unavailable(format!("it redirects elsewhere ({status}); use that address instead"))
        }
        status if status.is_server_error() => endpoint.unavailable(format!("it failed ({status}){said}")),
        status => ModelError::Failed(format!("{} refused the request ({status}){said}", endpoint.shown)),
    }
}

async fn bounded_body(response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    let mut parts = response.bytes_stream();
    while let Some(Ok(part)) = parts.next().await {
        let room = MAX_ERROR_BYTES - body.len();
        body.extend_from_slice(&part[..part.len().min(room)]);
        if body.len() == MAX_ERROR_BYTES {
            break;
        }
    }
    body
}
