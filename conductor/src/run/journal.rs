//! Every event of a run, numbered, stored, and shown to watchers.
//!
//! ```text
//!  emit ─► take ─► Unwritten::write (watchers and the store have it)
//! ```
//!
//! What watchers are shown is what the store was given: nobody is shown an event that a full disk has not taken.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::store::{RunState, Store, StoreError};
use crate::trace::{TraceEvent, TraceRecord};

/// Numbers events and passes them on, to the store first.
#[derive(Debug)]
pub struct Journal {
    run: String,
    store: Option<Store>,
    watchers: Option<mpsc::UnboundedSender<TraceRecord>>,
    next_seq: u64,
    /// What earlier starts of the run took.
    before: Duration,
    started: Instant,
    pending: Vec<TraceRecord>,
}

impl Journal {
    /// A journal that goes on at `next_seq`, `before` into the run.
    pub fn new(
        run: &str,
        store: Option<Store>,
        watchers: Option<mpsc::UnboundedSender<TraceRecord>>,
        next_seq: u64,
        before: Duration,
    ) -> Self {
        Self {
            run: run.to_owned(),
            store,
            watchers,
            next_seq,
            before,
            started: Instant::now(),
            pending: Vec::new(),
        }
    }

    /// Time since the run was first started; pauses between processes do not count.
    pub fn now(&self) -> Duration {
        self.before + self.started.elapsed()
    }

    /// Records an event. It reaches watchers and the store once what [`Journal::take`] hands out is written.
    pub fn emit(&mut self, event: TraceEvent) {
        let at_ms = u64::try_from(self.now().as_millis()).unwrap_or(u64::MAX);
        self.pending.push(TraceRecord { seq: self.next_seq, at_ms, event });
        self.next_seq += 1;
    }

    /// Hands out what was recorded and has to be written; `None` if that is nothing.
    pub(super) fn take(&mut self) -> Option<Unwritten> {
        if self.pending.is_empty() {
            return None;
        }
        let records = std::mem::take(&mut self.pending);
        let (store, watchers) = (self.store.clone(), self.watchers.clone());
        Some(Unwritten { store, watchers, run: self.run.clone(), records })
    }

    /// Writes what was recorded, and returns when everything is on disk.
    pub async fn flush(&mut self) -> Result<(), StoreError> {
        if let Some(records) = self.take() {
            records.write().await?;
        }
        match &self.store {
            Some(store) => store.flush(&self.run).await,
            None => Ok(()),
        }
    }

    /// Records how the run ended.
    pub async fn close(&mut self, state: RunState) -> Result<(), StoreError> {
        self.flush().await?;
        match &self.store {
            Some(store) => store.set_state(&self.run, state).await,
            None => Ok(()),
        }
    }
}

/// Events on their way to the watchers and the store.
#[derive(Debug)]
pub(super) struct Unwritten {
    store: Option<Store>,
    watchers: Option<mpsc::UnboundedSender<TraceRecord>>,
    run: String,
    records: Vec<TraceRecord>,
}

impl Unwritten {
    /// Shows them, and hands them to the store.
    pub async fn write(self) -> Result<(), StoreError> {
        if let Some(watchers) = self.watchers {
            for record in &self.records {
                // Nobody watching is fine.
                let _ = watchers.send(record.clone());
            }
        }
        match self.store {
            Some(store) => store.append(&self.run, self.records).await,
            None => Ok(()),
        }
    }
}
