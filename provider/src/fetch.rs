//! Fetching the blob of a job, a few at a time.

use std::sync::Arc;

use frlm_protocol::{ReceivedJob, RefusalReason};
use frlm_relay::{Publisher, TransferError};
use nostr::EventId;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::admission::Refusal;

/// Requests to blob servers at a time.
const AT_ONCE: usize = 8;

/// A job by its id, and what its blob says.
pub(crate) type Fetched = (EventId, Result<String, Refusal>);

/// Blobs on their way.
#[derive(Debug)]
pub(crate) struct Fetches {
    publisher: Publisher,
    places: Arc<Semaphore>,
    tasks: JoinSet<Fetched>,
}

impl Fetches {
    pub(crate) fn new(publisher: Publisher) -> Self {
        Self { publisher, places: Arc::new(Semaphore::new(AT_ONCE)), tasks: JoinSet::new() }
    }

    pub(crate) fn begin(&mut self, job: Arc<ReceivedJob>) {
        let (publisher, places) = (self.publisher.clone(), Arc::clone(&self.places));
        self.tasks.spawn(async move {
            // The semaphore is never closed.
            let _place = places.acquire().await.ok();
            (job.id, fetch(&publisher, &job).await)
        });
    }

    /// The next one that is over; waits for ever where none is on its way.
    pub(crate) async fn next(&mut self) -> Fetched {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(fetched)) => return fetched,
                // Nothing in there panics, and only dropping all of them aborts one.
                Some(Err(error)) => tracing::error!(%error, "a blob was not fetched"),
                None => std::future::pending().await,
            }
        }
    }
}

async fn fetch(publisher: &Publisher, job: &ReceivedJob) -> Result<String, Refusal> {
    let Some(pointer) = &job.blob else { return Ok("[]".to_owned()) };
    let bytes = publisher.fetch_blob(pointer).await.map_err(|error| refusal(&error))?;
    pointer.open(&bytes).map_err(|error| refusal(&error.into()))
}

/// What the asker is told. None of these words quotes an address.
fn refusal(error: &TransferError) -> Refusal {
    Refusal::new(RefusalReason::Unsupported, error.to_string())
}
