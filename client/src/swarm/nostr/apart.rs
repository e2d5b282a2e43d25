//! Jobs that are too large for an event: their texts go to a blob server before they leave.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use frlm_conductor::swarm::{OutgoingJob, ProviderId, ProviderInfo, Ticket};
use frlm_protocol::limits::SHORT_RELAY_SECS;
use frlm_protocol::{BlobPointer, Certificate, SealedBlob};
use frlm_relay::Publisher;
use nostr::{Keys, Timestamp};

use super::build::request;

/// How many times its own time a job may wait before it leaves, and be signed again for that: its blob is kept as long.
const SIGNED_AGAIN: u64 = 2;

/// The blobs of a run's jobs, and who fetches any.
#[derive(Default)]
pub(super) struct Blobs {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// How large blobs providers fetch.
    fetchers: HashMap<ProviderId, usize>,
    /// Where the texts of jobs are that travel apart.
    places: HashMap<Ticket, BlobPointer>,
    /// Blobs of jobs that are over.
    over: Vec<BlobPointer>,
}

impl Blobs {
    fn known(&self) -> MutexGuard<'_, Known> {
        // Each change is of one map alone.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a provider fetches.
    pub fn note_fetcher(&self, provider: &ProviderInfo) {
        self.known().fetchers.insert(provider.id.clone(), provider.blob_bytes as usize);
    }

    /// What of a job goes into a blob; `None` where relays take all of it, or where no blob helps: what then cannot be sent
    /// says why.
    pub fn seal(
        &self,
        job: &OutgoingJob,
        certificate: Option<&Certificate>,
        publisher: &Publisher,
    ) -> Option<SealedBlob> {
        let most = self.known().fetchers.get(&job.provider).copied().filter(|_| !job.foreign)?;
        let request = request(certificate, job, Timestamp::now()).ok()?;
        let relays_take = publisher.content_limit().unwrap_or(usize::MAX);
        if request.fits_into_event() && request.content_chars() <= relays_take {
            return None;
        }
        let blob = SealedBlob::seal(&request.apart()).ok()?;
        let size = blob.bytes().len();
        (size <= most && publisher.takes_blobs(size)).then_some(blob)
    }

    /// Puts a job's texts on a server; the words say why that failed.
    pub async fn put(
        &self,
        job: &OutgoingJob,
        blob: &SealedBlob,
        publisher: &Publisher,
        keys: &Keys,
    ) -> Result<(), String> {
        let until = Timestamp::now() + job.expires_in_secs * SIGNED_AGAIN + SHORT_RELAY_SECS;
        let uploaded = publisher.upload(blob, until, keys).await;
        let pointer = uploaded.map_err(|error| format!("the job is too large for an event, and {error}"))?;
        self.known().places.insert(job.ticket, pointer);
        Ok(())
    }

    /// Where the texts of a job are, if they travel apart.
    pub fn place(&self, ticket: Ticket) -> Option<BlobPointer> {
        self.known().places.get(&ticket).cloned()
    }

    /// Nobody needs the blob of this job any more.
    pub fn is_over(&self, ticket: Ticket) {
        let mut known = self.known();
        let blob = known.places.remove(&ticket);
        known.over.extend(blob);
    }

    pub fn any_over(&self) -> bool {
        !self.known().over.is_empty()
    }

    /// Takes blobs away whose jobs are over.
    pub async fn tidy(&self, publisher: &Publisher, keys: &Keys) {
        let over = std::mem::take(&mut self.known().over);
        for blob in over {
            publisher.delete_blob(&blob, keys).await;
        }
    }
}
