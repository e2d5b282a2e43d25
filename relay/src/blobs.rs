//! Blobs on their way: to the servers of this connection (BUD-02), and from where a job says that they are (BUD-01).
//!
//! ```text
//!  asker ──PUT /upload──► servers that its user named, else those beside its relays
//!  provider ──GET /<sha256>──► those beside its own relays, then what the job names, as far as `sources` lets it
//! ```
//!
//! A job's addresses are a stranger's choice. So nobody follows them unasked, no redirect is followed, no other path than a
//! blob's is asked for, and no more is read than the job says.

pub(crate) mod sources;
mod upload;

use std::time::Duration;

use frlm_protocol::{BlobError, BlobPointer};
use nostr::RelayUrl;
use reqwest::StatusCode;
use thiserror::Error;
use url::Url;

pub(crate) use self::sources::{Reach, client};
pub(crate) use self::upload::{delete, upload};

/// Which blob servers a connection uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobOptions {
    /// Servers that the user named: blobs are put there and fetched from there. Without any, those beside the relays are used.
    pub servers: Vec<Url>,
    /// Whether blobs are fetched from every public address that a job names.
    pub from_anywhere: bool,
    /// Contents of more characters go apart, even where relays would take them.
    pub over_chars: Option<usize>,
    /// How long one blob may take, either way.
    pub timeout: Duration,
}

impl Default for BlobOptions {
    fn default() -> Self {
        Self { servers: Vec::new(), from_anywhere: false, over_chars: None, timeout: Duration::from_secs(20) }
    }
}

/// Why a blob did not come, or was not taken. The words quote no address: relays show a provider's words to everyone.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TransferError {
    /// No server to go to.
    #[error("no relay has a blob server beside it, and none is named")]
    NoServer,
    /// A server that nobody vouched for.
    #[error(
        "the blob is not beside this provider's relays, and its operator named no other server that the job names"
    )]
    NotAllowed,
    /// An address that is nobody's business.
    #[error("the blob is at a private address, which is not asked for anything")]
    Private,
    /// Not there.
    #[error("the blob is not there, or not any more")]
    Gone,
    /// Elsewhere.
    #[error("the blob server names another address, which is not followed")]
    Redirected,
    /// An odd answer.
    #[error("the blob server answers with status {0}")]
    Status(u16),
    /// It does not want it.
    #[error("the blob server refuses the blob: {words} (status {status})")]
    Refused {
        /// By HTTP.
        status: u16,
        /// Its own words.
        words: String,
    },
    /// No answer, or no end of it.
    #[error("the blob server took longer than {} s", .0.as_secs_f64())]
    Slow(Duration),
    /// No connection, or a lost one.
    #[error("the blob server cannot be reached")]
    Unreachable,
    /// It is something else.
    #[error(transparent)]
    Wrong(#[from] BlobError),
}

/// Where a server beside this relay is.
pub(crate) fn beside(relay: &RelayUrl) -> Option<Url> {
    // ws → http, wss → https.
    let mut url = Url::parse(&relay.as_str().replacen("ws", "http", 1)).ok()?;
    url.set_path("/");
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}

/// Fetches a blob from the first place that has it. `beside` are the servers beside the own relays.
pub(crate) async fn fetch(
    pointer: &BlobPointer,
    beside: &[Url],
    options: &BlobOptions,
) -> Result<Vec<u8>, TransferError> {
    let named = pointer.urls().iter().map(|url| (url.clone(), sources::reach(url, options)));
    let own = beside.iter().filter_map(|server| {
        let url = server.join(&pointer.sha256().to_string()).ok()?;
        Some((url, Ok(Reach::Named)))
    });
    let from_all = async {
        // The last word counts: what the job names comes behind what is beside the relays.
        let mut why = TransferError::NotAllowed;
        for (url, reach) in own.chain(named) {
            why = match reach {
                Ok(reach) => match fetch_from(url, pointer, reach).await {
                    Ok(bytes) => return Ok(bytes),
                    Err(error) => error,
                },
                Err(error) => error,
            };
        }
        Err(why)
    };
    let timeout = options.timeout;
    tokio::time::timeout(timeout, from_all).await.unwrap_or(Err(TransferError::Slow(timeout)))
}

async fn fetch_from(url: Url, pointer: &BlobPointer, reach: Reach) -> Result<Vec<u8>, TransferError> {
    let unreachable = |error: reqwest::Error| {
        tracing::debug!(error = %error.without_url(), "a blob server cannot be reached");
        TransferError::Unreachable
    };
    let mut response = match client(reach)?.get(url).send().await {
        Ok(response) => response,
        Err(error) if sources::is_private(&error) => return Err(TransferError::Private),
        Err(error) => return Err(unreachable(error)),
    };
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_FOUND | StatusCode::GONE => return Err(TransferError::Gone),
        status if status.is_redirection() => return Err(TransferError::Redirected),
        status => return Err(TransferError::Status(status.as_u16())),
    }
    let size = pointer.size();
    // The bytes are counted as they come: a server may say what it likes of their number.
    let mut bytes = Vec::with_capacity(size);
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if bytes.len() + chunk.len() > size {
            return Err(BlobError::Size.into());
        }
        bytes.extend_from_slice(&chunk);
    }
    pointer.check(&bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_server_is_at_the_root_beside_its_relay() {
        for (relay, expected) in [
            ("ws://127.0.0.1:7777", "http://127.0.0.1:7777/"),
            ("wss://relay.example/nostr?x=1", "https://relay.example/"),
            ("ws://ws.example", "http://ws.example/"),
        ] {
            let url = beside(&RelayUrl::parse(relay).unwrap()).unwrap();
            assert_eq!(url.as_str(), expected);
        }
    }
}
