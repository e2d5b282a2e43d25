//! Jobs that are too large for an event: their texts go to a blob server before they leave.

use frlm_protocol::limits::SHORT_RELAY_SECS;
use frlm_protocol::{BlobPointer, SealedBlob};
use nostr::Timestamp;

use super::build::request;
use super::{Jobs, Shared};
use crate::swarm::{OutgoingJob, ProviderInfo, Ticket};

/// How many times its own time a job may wait before it leaves, and be signed again for that: its blob is kept as long.
const SIGNED_AGAIN: u64 = 2;

impl Shared {
    /// Notes what a provider fetches.
    pub(super) fn fetches(&self, provider: &ProviderInfo) {
        self.jobs().fetchers.insert(provider.id.clone(), provider.blob_bytes as usize);
    }

    /// What of a job goes into a blob; `None` where relays take all of it, or where no blob helps: what then cannot be sent
    /// says why.
    pub(super) fn apart(&self, job: &OutgoingJob) -> Option<SealedBlob> {
        let most = self.jobs().fetchers.get(&job.provider).copied().filter(|_| !job.foreign)?;
        let request = request(self.certificate.get(), job, Timestamp::now()).ok()?;
        let relays_take = self.publisher.content_limit().unwrap_or(usize::MAX);
        if request.fits_into_event() && request.content_chars() <= relays_take {
            return None;
        }
        let blob = SealedBlob::seal(&request.apart()).ok()?;
        let size = blob.bytes().len();
        (size <= most && self.publisher.takes_blobs(size)).then_some(blob)
    }

    /// Puts a job's texts on a server; the words say why that failed.
    pub(super) async fn put_apart(&self, job: &OutgoingJob, blob: &SealedBlob) -> Result<(), String> {
        let until = Timestamp::now() + job.expires_in_secs * SIGNED_AGAIN + SHORT_RELAY_SECS;
        let uploaded = self.publisher.upload(blob, until, &self.keys).await;
        let pointer = uploaded.map_err(|error| format!("the job is too large for an event, and {error}"))?;
        self.jobs().apart.insert(job.ticket, pointer);
        Ok(())
    }

    pub(super) fn has_blobs_over(&self) -> bool {
        !self.jobs().blobs_over.is_empty()
    }

    /// Takes blobs away whose jobs are over.
    pub(super) async fn tidy(&self) {
        let over = std::mem::take(&mut self.jobs().blobs_over);
        for blob in over {
            self.publisher.delete_blob(&blob, &self.keys).await;
        }
    }
}

impl Jobs {
    /// Nobody needs the blob of this job any more.
    pub(super) fn blob_is_over(&mut self, ticket: Ticket) {
        let blob: Option<BlobPointer> = self.apart.remove(&ticket);
        self.blobs_over.extend(blob);
    }
}
