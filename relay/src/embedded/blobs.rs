//! The blob server beside the relay: BUD-01 and BUD-02 as far as jobs need them.
//!
//! `GET` and `HEAD /<sha256>` for everybody, `PUT /upload` and `DELETE /<sha256>` with an authorisation of that key for that
//! blob. A blob is gone when the authorisation of its upload expires. There is no list of blobs.

use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use frlm_protocol::{Authorization, BlobVerb};
use nostr::Timestamp;
use nostr::hashes::{Hash as _, sha256};
use serde_json::json;
use tokio::sync::Semaphore;

use super::shelf::{BlobLimits, Shelf, ShelfError};

/// Uploads at a time; each is in memory as it comes.
const MOST_UPLOADS: usize = 16;
/// How long one upload may take.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How often expired blobs are looked for where nobody asks for any.
const SWEEP: Duration = Duration::from_secs(10);

/// What a path is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// `/upload`
    Upload,
    /// `/<sha256>`, with or without an extension.
    Blob(sha256::Hash),
}

impl Route {
    /// `None`: the path is none of the blob server's.
    pub(super) fn of(path: &str) -> Option<Self> {
        let file = path.strip_prefix('/')?;
        if file == "upload" {
            return Some(Self::Upload);
        }
        let name = file.split_once('.').map_or(file, |(name, _)| name);
        name.parse().ok().map(Self::Blob)
    }
}

#[derive(Debug)]
pub(super) struct BlobServer {
    limits: BlobLimits,
    shelf: Mutex<Shelf>,
    uploads: Semaphore,
}

/// A refusal: its status, and why.
struct Refused(StatusCode, String);

impl From<ShelfError> for Refused {
    fn from(error: ShelfError) -> Self {
        let status = match error {
            ShelfError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            ShelfError::KeyFull(_) => StatusCode::TOO_MANY_REQUESTS,
            ShelfError::Full => StatusCode::INSUFFICIENT_STORAGE,
            ShelfError::Missing => StatusCode::NOT_FOUND,
            ShelfError::NotTheirs => StatusCode::FORBIDDEN,
        };
        Self(status, error.to_string())
    }
}

impl BlobServer {
    pub(super) fn new(limits: BlobLimits) -> Self {
        Self { limits, shelf: Mutex::new(Shelf::new(limits)), uploads: Semaphore::new(MOST_UPLOADS) }
    }

    /// Drops what has expired, for ever.
    pub(super) async fn sweep(&self) {
        let mut interval = tokio::time::interval(SWEEP);
        loop {
            interval.tick().await;
            self.shelf().remove_expired(Timestamp::now());
        }
    }

    pub(super) async fn respond(&self, route: Route, request: Request) -> Response {
        let method = request.method().clone();
        let answered = match (route, &method) {
            (_, &Method::OPTIONS) => Ok(preflight()),
            (Route::Upload, &Method::PUT) => self.upload(request).await,
            (Route::Blob(name), &Method::GET | &Method::HEAD) => self.download(&name),
            (Route::Blob(name), &Method::DELETE) => self.delete(&name, request.headers()),
            _ => Err(Refused(StatusCode::METHOD_NOT_ALLOWED, "this is not done here".to_owned())),
        };
        let mut response = answered.unwrap_or_else(|Refused(status, words)| refusal(status, &words));
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("Authorization, *"));
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, PUT, DELETE"));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("*"));
        response
    }

    async fn upload(&self, request: Request) -> Result<Response, Refused> {
        let (parts, body) = request.into_parts();
        // All that can be said before the bytes come is said before.
        let event = authorization(&parts.headers)?;
        let said: Option<usize> =
            parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        self.shelf().has_room(&event.pubkey, said.unwrap_or(0), Timestamp::now())?;
        let _place = self.uploads.try_acquire().map_err(|_| {
            Refused(StatusCode::SERVICE_UNAVAILABLE, "too many uploads at once; come back soon".to_owned())
        })?;
        let bytes = self.read(body).await?;
        let (name, now) = (sha256::Hash::hash(&bytes), Timestamp::now());
        let leave = Authorization::from_event(&event, BlobVerb::Upload, name, now)
            .map_err(|error| unauthorised(&error))?;
        let size = bytes.len();
        let uploaded = self.shelf().put(name, bytes, event.pubkey, leave.expires_at, now)?;
        let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("HOST:PORT");
        let descriptor = json!({
            "url": format!("http://{host}/{name}"),
            "sha256": name.to_string(),
            "size": size,
            "type": "application/octet-stream",
            "uploaded": uploaded.as_secs(),
        });
        Ok(axum::Json(descriptor).into_response())
    }

    async fn read(&self, body: Body) -> Result<axum::body::Bytes, Refused> {
        let limit = self.limits.max_bytes;
        match tokio::time::timeout(UPLOAD_TIMEOUT, to_bytes(body, limit)).await {
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(_)) => {
                let words = format!("the blob broke off, or has more than the {limit} bytes that are taken");
                Err(Refused(StatusCode::PAYLOAD_TOO_LARGE, words))
            }
            Err(_) => Err(Refused(StatusCode::REQUEST_TIMEOUT, "the blob took too long".to_owned())),
        }
    }

    fn download(&self, name: &sha256::Hash) -> Result<Response, Refused> {
        let bytes = self.shelf().get(name, Timestamp::now()).ok_or(ShelfError::Missing)?;
        // What strangers put here must never be run by a browser.
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
            (CONTENT_LENGTH, HeaderValue::from(bytes.len())),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        ];
        Ok((headers, bytes).into_response())
    }

    fn delete(&self, name: &sha256::Hash, headers: &HeaderMap) -> Result<Response, Refused> {
        let (event, now) = (authorization(headers)?, Timestamp::now());
        Authorization::from_event(&event, BlobVerb::Delete, *name, now)
            .map_err(|error| unauthorised(&error))?;
        self.shelf().delete(name, &event.pubkey, now)?;
        Ok(StatusCode::NO_CONTENT.into_response())
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        // A panic between its steps would leave a wrong sum at worst; serving goes on.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The verified event of the header, whatever it allows.
fn authorization(headers: &HeaderMap) -> Result<nostr::Event, Refused> {
    let header = headers.get(AUTHORIZATION).and_then(|header| header.to_str().ok()).unwrap_or_default();
    let event = Authorization::event_in(header).map_err(|error| unauthorised(&error))?;
    if event.verify().is_err() {
        return Err(unauthorised(&"the signature of the authorisation is wrong"));
    }
    Ok(event)
}

fn unauthorised(words: &dyn Display) -> Refused {
    Refused(StatusCode::UNAUTHORIZED, words.to_string())
}

fn preflight() -> Response {
    (StatusCode::NO_CONTENT, [(ACCESS_CONTROL_MAX_AGE, "86400")]).into_response()
}

/// The reason stands where either edition of BUD-01 looks for it.
fn refusal(status: StatusCode, words: &str) -> Response {
    let reason = [("x-reason", HeaderValue::from_str(words).unwrap_or(HeaderValue::from_static("")))];
    (status, reason, axum::Json(json!({"message": words}))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_blobs_own_path_and_the_upload_are_the_blob_servers() {
        let name = sha256::Hash::hash(b"x");
        for path in [format!("/{name}"), format!("/{name}.bin")] {
            assert_eq!(Route::of(&path), Some(Route::Blob(name)), "{path}");
        }
        assert_eq!(Route::of("/upload"), Some(Route::Upload));
        for other in ["/", "/upload/", "/list/ab", "/ab", "", "/..", &format!("/x/{name}")] {
            assert_eq!(Route::of(other), None, "{other}");
        }
    }
}
