//! Every event of a run, numbered, stored, and shown to watchers.
//!
//! ```text
//!  emit ─► take ─► Unwritten::write (watchers and the store have it)
//! ```
//!
//! Watchers see only events that the store has: nobody sees an event that a full disk has not taken. The record has no gap: if a
//! write is given up, the next write writes its events, too.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use frlm_questions::answer::Decision;
use frlm_scheduler::SubtaskId;
use frlm_verifier::Report;
use frlm_verifier::decisions::Verb;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::store::{RunState, Store, StoreError};
use crate::trace::{DecisionBasis, RunStage, TraceEvent, TraceRecord};

/// The most decisions and notices that are listed one by one: keys cost nothing, and each provider may be excluded for a reason of its own.
const MOST_LISTED: usize = 1_000;

/// Numbers events and passes them on, to the store first.
#[derive(Debug)]
pub struct Journal {
    run: String,
    store: Option<Store>,
    watchers: Option<mpsc::UnboundedSender<TraceRecord>>,
    next_seq: u64,
    /// The time that earlier starts of the run took.
    before: Duration,
    started: Instant,
    /// Recorded, and in no write yet.
    pending: Vec<TraceRecord>,
    /// In a write that has not begun.
    waiting: Waiting,
    /// What was decided and told, in order, for the reader of the answer; and how many notices are not in it.
    listed: Vec<Decision>,
    unlisted: usize,
}

/// Events in their order.
type Waiting = Arc<Mutex<Vec<TraceRecord>>>;

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
            waiting: Waiting::default(),
            listed: Vec::new(),
            unlisted: 0,
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

    /// Records whether an answer to a subtask is accepted, and who gave which.
    pub(super) fn verify(&mut self, subtask: SubtaskId, passed: bool, report: Report) {
        let Report { agreeing, dissenting, agreement, .. } = report;
        self.emit(TraceEvent::Verify { subtask, passed, agreement, agreeing, dissenting });
    }

    /// Tells people something, as long as there are few enough notices to be read.
    pub(super) fn notice(&mut self, stage: RunStage, says: &str) {
        if self.listed.len() >= MOST_LISTED {
            self.unlisted += 1;
            return;
        }
        let says = says.to_owned();
        self.emit(TraceEvent::Notice { stage, says: says.clone() });
        self.listed.push(Decision::notice(stage, says));
    }

    /// Records a decision of code alone, for which nothing was weighed.
    pub(super) fn decide(&mut self, stage: RunStage, decision: Verb, reasoning: &str) {
        let reasoning = reasoning.to_owned();
        self.record(Decision { stage, decision, reasoning, retry_reason: None }, None);
    }

    /// Records a decision that was taken after a stage, and what it rests on.
    pub(super) fn record(&mut self, taken: Decision, basis: Option<DecisionBasis>) {
        self.emit(TraceEvent::Decision {
            stage: taken.stage,
            decision: taken.decision,
            reasoning: taken.reasoning.clone(),
            basis: basis.map(Box::new),
        });
        self.listed.push(taken);
    }

    /// The decisions and notices so far, for the reader of the answer.
    pub(super) fn decisions(&self) -> Vec<Decision> {
        let rest = (self.unlisted > 0).then(|| {
            Decision::notice(RunStage::Record, format!("{} more notices are not listed", self.unlisted))
        });
        self.listed.iter().cloned().chain(rest).collect()
    }

    /// Hands out what was recorded and has to be written; `None` if that is nothing.
    pub(super) fn take(&mut self) -> Option<Unwritten> {
        if self.pending.is_empty() {
            return None;
        }
        lock(&self.waiting).append(&mut self.pending);
        Some(Unwritten {
            store: self.store.clone(),
            watchers: self.watchers.clone(),
            run: self.run.clone(),
            waiting: Arc::clone(&self.waiting),
            before_seq: self.next_seq,
        })
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
    waiting: Waiting,
    /// All that wait with a smaller number are written.
    before_seq: u64,
}

impl Unwritten {
    /// Shows them, and hands them to the store.
    pub async fn write(self) -> Result<(), StoreError> {
        let records: Vec<TraceRecord> = {
            let mut waiting = lock(&self.waiting);
            let count = waiting.partition_point(|record| record.seq < self.before_seq);
            waiting.drain(..count).collect()
        };
        if let Some(watchers) = self.watchers {
            for record in &records {
                // Nobody watching is fine.
                let _ = watchers.send(record.clone());
            }
        }
        match self.store {
            Some(store) => store.append(&self.run, records).await,
            None => Ok(()),
        }
    }
}

fn lock(waiting: &Waiting) -> MutexGuard<'_, Vec<TraceRecord>> {
    // A list of events holds no invariant that a panic could break.
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(shown: &mut mpsc::UnboundedReceiver<TraceRecord>) -> Vec<u64> {
        std::iter::from_fn(|| shown.try_recv().ok()).map(|record| record.seq).collect()
    }

    #[tokio::test]
    async fn a_crowd_of_reasons_is_counted_and_not_listed() {
        let mut journal = Journal::new("run", None, None, 0, Duration::ZERO);
        for number in 0..1_000_000 {
            journal.notice(RunStage::Dispatch, &format!("provider {number} cannot be paid"));
        }
        let listed = journal.decisions();
        assert_eq!((listed.len(), journal.pending.len()), (MOST_LISTED + 1, MOST_LISTED));
        assert!(listed[MOST_LISTED].reasoning.starts_with("999000 more"), "{:?}", listed[MOST_LISTED]);
    }

    #[tokio::test]
    async fn what_a_given_up_write_did_not_reach_is_written_by_the_next() {
        let (watchers, mut shown) = mpsc::unbounded_channel();
        let mut journal = Journal::new("run", None, Some(watchers), 7, Duration::ZERO);
        let event = |relay: &str| TraceEvent::RelayOnline { relay: relay.to_owned() };
        journal.emit(event("a"));
        journal.emit(event("b"));
        drop(journal.take());
        journal.emit(event("c"));
        let second = journal.take().unwrap();
        journal.emit(event("d"));
        let third = journal.take().unwrap();
        second.write().await.unwrap();
        assert_eq!(numbers(&mut shown), [7, 8, 9]);
        third.write().await.unwrap();
        assert_eq!(numbers(&mut shown), [10]);
        assert!(journal.take().is_none());
    }
}
