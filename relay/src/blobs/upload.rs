//! Putting blobs on servers, and taking them away.

use frlm_protocol::{Authorization, BlobVerb, SealedBlob};
use nostr::hashes::sha256;
use nostr::{Keys, Timestamp};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use url::Url;

use super::{Reach, TransferError, client};
use crate::words::words;

/// How long a leave to delete holds.
const DELETE_WITHIN_SECS: u64 = 60;
/// Most of a refusal that is read.
const MAX_REFUSAL_BYTES: usize = 4_096;
/// Where servers give their reason, in the words of either edition of BUD-02.
const REASONS: [&str; 2] = ["X-Reason", "Blossom-Upload-Message"];

/// Puts a blob on a server. One that honours the expiration of its authorisations keeps it until `until`.
pub(crate) async fn upload(
    blob: &SealedBlob,
    server: &Url,
    until: Timestamp,
    keys: &Keys,
) -> Result<(), TransferError> {
    let leave = Authorization { verb: BlobVerb::Upload, sha256: blob.sha256(), expires_at: until };
    let header = leave.to_header(keys, Timestamp::now()).map_err(|_| TransferError::Unreachable)?;
    let url = server.join("/upload").map_err(|_| TransferError::Unreachable)?;
    let request = client(Reach::Named)?
        .put(url)
        .header(AUTHORIZATION, header)
        .header(CONTENT_TYPE, "application/octet-stream")
        .header("X-SHA-256", blob.sha256().to_string())
        .body(blob.bytes().to_vec());
    let mut response = request.send().await.map_err(|error| {
        tracing::debug!(error = %error.without_url(), "a blob server cannot be reached");
        TransferError::Unreachable
    })?;
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    if status.is_redirection() {
        return Err(TransferError::Redirected);
    }
    let named =
        REASONS.iter().find_map(|name| response.headers().get(*name)?.to_str().ok().map(str::to_owned));
    let reason = match named {
        Some(reason) => reason,
        None => message_in(&mut response).await.unwrap_or_else(|| "it gives no reason".to_owned()),
    };
    Err(TransferError::Refused { status: status.as_u16(), words: words(&reason) })
}

/// Takes a blob away. Nothing depends on it: servers of ours forget it by themselves.
pub(crate) async fn delete(sha256: sha256::Hash, server: &Url, keys: &Keys) {
    let now = Timestamp::now();
    let leave = Authorization { verb: BlobVerb::Delete, sha256, expires_at: now + DELETE_WITHIN_SECS };
    let (Ok(header), Ok(url), Ok(client)) =
        (leave.to_header(keys, now), server.join(&format!("/{sha256}")), client(Reach::Named))
    else {
        return;
    };
    if let Err(error) = client.delete(url).header(AUTHORIZATION, header).send().await {
        tracing::debug!(error = %error.without_url(), "a blob was not deleted");
    }
}

async fn message_in(response: &mut reqwest::Response) -> Option<String> {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_REFUSAL_BYTES {
            return None;
        }
    }
    let json: serde_json::Value = serde_json::from_slice(&body).ok()?;
    json["message"].as_str().map(str::to_owned)
}
