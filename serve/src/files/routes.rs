//! `/v1/files` on the wire.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Json, Router};
use futures::stream;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use super::super::callers::AskedBy;
use super::super::refusal::Refusal;
use super::{FileStore, StoredFile, form};

/// Of a file that is read for a caller.
const CHUNK_BYTES: usize = 64 * 1024;

/// The routes, over the files of a home.
pub fn routes<S: Clone + Send + Sync + 'static>(store: Arc<FileStore>) -> Router<S> {
    Router::new()
        .route("/v1/files", get(list).post(upload))
        .route("/v1/files/{id}", get(find).delete(delete))
        .route("/v1/files/{id}/content", get(content))
        .with_state(store)
}

async fn upload(
    State(store): State<Arc<FileStore>>,
    Extension(AskedBy(caller)): Extension<AskedBy>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, Refusal> {
    form::upload(&store, caller, &headers, body).await.map(|file| Json(object(&file)))
}

async fn list(
    State(store): State<Arc<FileStore>>,
    Extension(AskedBy(caller)): Extension<AskedBy>,
    Query(wanted): Query<HashMap<String, String>>,
) -> Result<Json<Value>, Refusal> {
    let most = match wanted.get("limit").map(|limit| limit.parse::<usize>()) {
        None => usize::MAX,
        Some(Ok(limit)) if limit > 0 => limit,
        Some(_) => return Err(Refusal::field("limit", "limit is a whole number from 1")),
    };
    let mut files = blocking(move || {
        store.list(&caller).map_err(|error| Refusal::fault(format!("files cannot be listed: {error}")))
    })
    .await?;
    match wanted.get("order").map(String::as_str) {
        None | Some("desc") => files.reverse(),
        Some("asc") => {}
        Some(_) => return Err(Refusal::field("order", "order is asc or desc")),
    }
    if let Some(purpose) = wanted.get("purpose") {
        files.retain(|file| file.record.purpose == *purpose);
    }
    if let Some(after) = wanted.get("after") {
        let Some(at) = files.iter().position(|file| file.id == *after) else {
            return Err(Refusal::not_found(format!("there is no file {after}")).at("after"));
        };
        files.drain(..=at);
    }
    let has_more = files.len() > most;
    files.truncate(most);
    Ok(Json(json!({
        "object": "list",
        "data": files.iter().map(object).collect::<Vec<_>>(),
        "first_id": files.first().map(|file| &file.id),
        "last_id": files.last().map(|file| &file.id),
        "has_more": has_more,
    })))
}

async fn find(
    State(store): State<Arc<FileStore>>,
    Extension(AskedBy(caller)): Extension<AskedBy>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let file = blocking(move || store.find(&caller, &id)).await?;
    Ok(Json(object(&file)))
}

async fn content(
    State(store): State<Arc<FileStore>>,
    Extension(AskedBy(caller)): Extension<AskedBy>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let (file, path) = blocking(move || {
        let file = store.find(&caller, &id)?;
        let path = store.data(&file);
        Ok((file, path))
    })
    .await?;
    let opened = tokio::fs::File::open(path).await;
    let opened = opened.map_err(|error| Refusal::fault(format!("{} cannot be read: {error}", file.id)))?;
    let chunks = stream::try_unfold(opened, |mut opened| async move {
        let mut chunk = vec![0; CHUNK_BYTES];
        let read = opened.read(&mut chunk).await?;
        chunk.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then_some((chunk, opened)))
    });
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (CONTENT_LENGTH, file.record.bytes.to_string()),
    ];
    Ok((headers, Body::from_stream(chunks)).into_response())
}

async fn delete(
    State(store): State<Arc<FileStore>>,
    Extension(AskedBy(caller)): Extension<AskedBy>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let named = id.clone();
    blocking(move || store.delete(&caller, &named)).await?;
    Ok(Json(json!({ "id": id, "object": "file", "deleted": true })))
}

fn object(StoredFile { id, record }: &StoredFile) -> Value {
    json!({
        "id": id,
        "object": "file",
        "bytes": record.bytes,
        "created_at": record.created_at_ms / 1_000,
        "expires_at": record.expires_at_ms / 1_000,
        "filename": record.filename,
        "purpose": record.purpose,
        "status": "processed",
    })
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Refusal::fault(error.to_string()))?
}
