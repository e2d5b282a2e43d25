//! Files that outlive the run: what a run adds to them is written beside the loop, one write at a time, while the run goes on.
//!
//! ```text
//!   enough has come together ─► begin ─► (the loop goes on) ─► ended: was it kept? ─► the next, in time
//! ```
//!
//! A write reads the latest file, joins it with what is new and makes the result durable. That may take as long as a job, so
//! only the end of the run waits for it.

use tokio::task::{JoinError, JoinSet};

/// Begins to read what blocks; what it has read, or why it has read nothing.
pub(super) fn read_beside<T, E>(
    read: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> impl Future<Output = Result<T, String>> + Send
where
    T: Send + 'static,
    E: ToString + Send + 'static,
{
    let reading = tokio::task::spawn_blocking(read);
    async move { reading.await.map_err(|lost| lost.to_string())?.map_err(|error| error.to_string()) }
}

/// The write that is under way, if one is.
#[derive(Debug, Default)]
pub(super) struct BackgroundWriter {
    out: JoinSet<Result<(), String>>,
}

impl BackgroundWriter {
    /// Whether a write is under way, or has ended without its result having been read.
    pub fn is_busy(&self) -> bool {
        !self.out.is_empty()
    }

    /// Begins a write.
    pub fn begin<E: ToString + 'static>(&mut self, write: impl FnOnce() -> Result<(), E> + Send + 'static) {
        self.out.spawn_blocking(move || write().map_err(|error| error.to_string()));
    }

    /// Why the write failed; `None` if it has not ended, or has not failed.
    pub fn failed(&mut self) -> Option<String> {
        why(self.out.try_join_next()?)
    }

    /// Waits until it has ended, and says why it failed, if it did.
    pub async fn failed_in_the_end(&mut self) -> Option<String> {
        let mut first = None;
        while let Some(joined) = self.out.join_next().await {
            first = first.or(why(joined));
        }
        first
    }
}

fn why(joined: Result<Result<(), String>, JoinError>) -> Option<String> {
    match joined {
        Ok(written) => written.err(),
        Err(lost) => Some(lost.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_write_goes_on_beside_and_says_in_the_end_why_it_failed() {
        let mut writer = BackgroundWriter::default();
        let (let_go, waits) = mpsc::channel::<()>();
        writer.begin(move || waits.recv().map_err(|_| "the disk is gone"));
        assert!(writer.is_busy() && writer.failed().is_none(), "it waits, and nobody waits for it");
        drop(let_go);
        assert_eq!(writer.failed_in_the_end().await.as_deref(), Some("the disk is gone"));
        assert!(!writer.is_busy());
        writer.begin(|| Ok::<(), String>(()));
        assert_eq!(writer.failed_in_the_end().await, None);
    }
}
