//! What a relay says about itself (NIP-11).

use std::sync::OnceLock;
use std::time::Duration;

use nostr::RelayUrl;
use serde::{Deserialize, Deserializer};

const TIMEOUT: Duration = Duration::from_secs(3);
const MAX_DOCUMENT_BYTES: usize = 64 * 1024;

/// The limits that matter to a publisher; `None` where the relay says nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct RelayLimits {
    /// Largest message in bytes, envelope included.
    pub(super) max_message_length: Option<usize>,
    /// Longest content of an event, in characters.
    pub(super) max_content_length: Option<usize>,
}

/// A blob server beside the relay: our own word in the document (docs/protocol.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) struct BlobOffer {
    /// Largest blob in bytes.
    pub(super) max_size: usize,
}

/// What a relay's document says that matters here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Document {
    pub(super) limitation: RelayLimits,
    #[serde(deserialize_with = "readable")]
    pub(super) blossom: Option<BlobOffer>,
}

/// Somebody else's word of the same name is none of ours.
fn readable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BlobOffer>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

/// Asks the relay. No document, or an odd one, is no limits: most of them are advisory anyway.
pub(super) async fn fetch(url: RelayUrl) -> Document {
    match tokio::time::timeout(TIMEOUT, fetch_document(&url)).await {
        Ok(Ok(document)) => document,
        Ok(Err(error)) => {
            tracing::debug!(relay = %url, %error, "no NIP-11 document");
            Document::default()
        }
        Err(_) => Document::default(),
    }
}

async fn fetch_document(url: &RelayUrl) -> Result<Document, String> {
    // ws → http, wss → https.
    let address = url.as_str().replacen("ws", "http", 1);
    let mut response = client()?
        .get(address)
        .header("Accept", "application/nostr+json")
        .send()
        .await
        .map_err(|error| error.to_string())?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| error.to_string())? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_DOCUMENT_BYTES {
            return Err("the document is too large".to_owned());
        }
    }
    serde_json::from_slice(&body).map_err(|error| error.to_string())
}

/// One client for the whole program, because making one reads the system's certificates. It
/// follows no redirect and uses no proxy, as the websocket does neither, and it keeps no
/// connection, which would belong to the runtime that opened it.
fn client() -> Result<&'static reqwest::Client, String> {
    static CLIENT: OnceLock<Result<reqwest::Client, String>> = OnceLock::new();
    let make = || {
        reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .pool_max_idle_per_host(0)
            .build()
            .map_err(|error| error.to_string())
    };
    CLIENT.get_or_init(make).as_ref().map_err(Clone::clone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_as_far_as_they_go() {
        let read = |json: &str| serde_json::from_str::<Document>(json).unwrap().limitation.max_message_length;
        assert_eq!(
            read(r#"{"name":"x","limitation":{"max_message_length":65536,"auth_required":true}}"#),
            Some(65536)
        );
        assert_eq!(read(r#"{"limitation":{}}"#), None);
        assert_eq!(read("{}"), None);
    }

    #[test]
    fn a_blob_server_is_found_where_the_document_names_its_limit() {
        let read = |json: &str| serde_json::from_str::<Document>(json).unwrap().blossom;
        assert_eq!(read(r#"{"blossom":{"max_size":1000}}"#), Some(BlobOffer { max_size: 1_000 }));
        for odd in ["{}", r#"{"blossom":true}"#, r#"{"blossom":{"max_size":-1}}"#] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
