//! What a connection knows of blob servers: those beside its relays, and those that its user named.

use std::time::Duration;

use frlm_protocol::limits::MAX_BLOB_SERVERS;
use frlm_protocol::{BlobPointer, SealedBlob};
use nostr::{Keys, Timestamp};
use url::Url;

use super::Publisher;
use crate::blobs::{self, TransferError};

/// How long somebody who fetches waits for relays to say whether they have a server.
const DOCUMENT_TIMEOUT: Duration = Duration::from_secs(3);
/// Bytes of a message around the content of a directed event, at most.
const AROUND_CONTENT: usize = 1_024;

impl Publisher {
    /// The longest content, in characters, that every connected relay takes by its own word, and that the user wants there.
    pub fn content_limit(&self) -> Option<usize> {
        let said = self.core.links.iter().filter(|link| link.status.borrow().connected).filter_map(|link| {
            let limits = (*link.document.borrow())?.limitation;
            let by_message = limits.max_message_length.map(|bytes| bytes.saturating_sub(AROUND_CONTENT));
            [limits.max_content_length, by_message].into_iter().flatten().min()
        });
        said.chain(self.core.shared.options.blobs.over_chars).min()
    }

    /// Whether there is a server to put a blob of so many bytes on, as far as is known.
    pub fn takes_blobs(&self, size: usize) -> bool {
        !self.core.shared.options.blobs.servers.is_empty() || !self.beside(size).is_empty()
    }

    /// Puts a blob where a provider finds it, to be kept until `until`. One server is enough.
    pub async fn upload(
        &self,
        blob: &SealedBlob,
        until: Timestamp,
        keys: &Keys,
    ) -> Result<BlobPointer, TransferError> {
        let options = &self.core.shared.options.blobs;
        let beside = self.beside(blob.bytes().len());
        let is_named = !options.servers.is_empty();
        let servers = if is_named { &options.servers } else { &beside };
        let mut refused = TransferError::NoServer;
        let mut urls = Vec::new();
        let mut found = false;
        for server in servers.iter().take(MAX_BLOB_SERVERS) {
            let uploading = blobs::upload(blob, server, until, keys);
            let uploaded = tokio::time::timeout(options.timeout, uploading).await;
            match uploaded.unwrap_or(Err(TransferError::Slow(options.timeout))) {
                Ok(()) => {
                    found = true;
                    // Beside relays no address is needed, and each side may know those relays by others.
                    urls.extend(server.join(&blob.sha256().to_string()).ok().filter(|_| is_named));
                }
                Err(error) => refused = error,
            }
        }
        if found { Ok(blob.at(urls)) } else { Err(refused) }
    }

    /// Fetches a blob that a job names, and checks that it is the one.
    pub async fn fetch_blob(&self, pointer: &BlobPointer) -> Result<Vec<u8>, TransferError> {
        if self.core.shared.options.read_limits {
            self.documents().await;
        }
        blobs::fetch(pointer, &self.beside(pointer.size()), &self.core.shared.options.blobs).await
    }

    /// Takes a blob away that nobody needs any more. It is gone in time, too, if this fails.
    pub async fn delete_blob(&self, pointer: &BlobPointer, keys: &Keys) {
        let options = &self.core.shared.options.blobs;
        let beside = self.beside(pointer.size());
        let servers = if options.servers.is_empty() { &beside } else { &options.servers };
        for server in servers.iter().take(MAX_BLOB_SERVERS) {
            let deleting = blobs::delete(pointer.sha256(), server, keys);
            let _ = tokio::time::timeout(options.timeout, deleting).await;
        }
    }

    /// The servers beside connected relays that take blobs of so many bytes.
    fn beside(&self, size: usize) -> Vec<Url> {
        let here = self.core.links.iter().filter(|link| link.status.borrow().connected);
        let with_server = here.filter(|link| {
            let offer = link.document.borrow().and_then(|document| document.blossom);
            offer.is_some_and(|offer| size <= offer.max_size)
        });
        with_server.filter_map(|link| blobs::beside(&link.status.borrow().url)).collect()
    }

    /// Waits until each connected relay has said what it offers, or is unlikely to.
    async fn documents(&self) {
        let here = self.core.links.iter().filter(|link| link.status.borrow().connected);
        let waiting = here.map(|link| {
            let mut document = link.document.clone();
            async move {
                let _ = document.wait_for(Option::is_some).await;
            }
        });
        let _ = tokio::time::timeout(DOCUMENT_TIMEOUT, futures::future::join_all(waiting)).await;
    }
}
