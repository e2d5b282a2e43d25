//! The thread that owns the ledger's file.
//!
//! Group commit: the actor takes what waits in the channel, up to a bound, does all of it in one
//! durable transaction and only then answers. While it commits, the next batch gathers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::audit::{Audit, audit};
use super::entry::{Entry, Key, Transition};
use super::error::LedgerError;
use super::limits::{Booked, Booking, Limits, Usage};
use super::owner::Owner;
use super::requests::{Answer, Recovered, execute, find, refuse, release};
use super::reservation::{Grant, Holders};
use super::rows::{HistoryRow, RunBudget};
use super::store::{Store, now_ms};
use crate::amount::Sats;
use crate::budget::Budget;

/// Requests that wait for the actor; askers beyond wait for room.
pub(super) const CHANNEL_CAPACITY: usize = 1_024;

/// Most requests in one commit, so that the first of them is not kept waiting by the last.
const MAX_BATCH: usize = 512;

/// Between tries to write releases that a failing file did not take.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Tries before the actor gives up such releases at its end; recovery finds them.
const LAST_TRIES: u32 = 20;

pub(super) type Reply<T> = oneshot::Sender<Result<T, LedgerError>>;

/// How much the actor has done since it started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Activity {
    /// Durable commits.
    pub commits: u64,
    /// Requests and releases that they contained.
    pub writes: u64,
}

#[derive(Debug)]
pub(super) enum Command {
    OpenRun {
        run: Arc<str>,
        limit: Sats,
        reply: Reply<Budget>,
    },
    RaiseLimit {
        run: Arc<str>,
        limit: Sats,
        reply: Reply<Budget>,
    },
    Reserve {
        bookings: Vec<Booking>,
        reply: Reply<Vec<Grant>>,
    },
    SetLimits {
        limits: Limits,
        reply: Reply<()>,
    },
    Attach {
        key: Key,
        reply: Reply<Grant>,
    },
    Apply {
        key: Key,
        transition: Transition,
        reply: Reply<()>,
    },
    Reconcile {
        key: Key,
        actual: Sats,
        fees: Sats,
        reply: Reply<()>,
    },
    Recover {
        reply: Reply<Recovered>,
    },
    Read(Read),
    /// Something was dropped.
    Wake,
    /// Stop at once, as a process does that is killed.
    #[cfg(test)]
    Crash,
}

#[derive(Debug)]
pub(super) enum Read {
    Budget { run: Arc<str>, reply: Reply<Budget> },
    Entry { key: Key, reply: Reply<Entry> },
    History { run: Arc<str>, reply: Reply<Vec<HistoryRow>> },
    Runs { reply: Reply<Vec<RunBudget>> },
    Undecided { reply: Reply<Vec<Key>> },
    Usage { reply: Reply<Usage> },
    Booked { run: Arc<str>, reply: Reply<HashMap<(u32, u32), Booked>> },
    Audit { reply: Reply<Audit> },
    Activity { reply: Reply<Activity> },
}

pub(super) struct Actor {
    store: Store,
    /// Our sign of life, dropped after the file is closed.
    #[cfg_attr(not(test), expect(dead_code, reason = "held for its lock"))]
    owner: Option<Owner>,
    holders: Arc<Holders>,
    commands: mpsc::Receiver<Command>,
    /// Releases that are not in the file yet.
    releases: Vec<Key>,
    activity: Activity,
}

impl Actor {
    pub fn new(store: Store, owner: Owner, holders: Arc<Holders>, commands: mpsc::Receiver<Command>) -> Self {
        Self {
            store,
            owner: Some(owner),
            holders,
            commands,
            releases: Vec::new(),
            activity: Activity::default(),
        }
    }

    /// Works until the last handle is gone and every release is in the file.
    pub fn run(mut self) {
        while let Some(first) = self.next() {
            let mut batch = vec![first];
            while batch.len() < MAX_BATCH
                && let Ok(command) = self.commands.try_recv()
            {
                batch.push(command);
            }
            #[cfg(test)]
            if batch.iter().any(|command| matches!(command, Command::Crash)) {
                self.crash();
                return;
            }
            self.process(batch);
        }
        for _ in 0..LAST_TRIES {
            self.process(Vec::new());
            if self.releases.is_empty() {
                return;
            }
            std::thread::sleep(RETRY_DELAY);
        }
        tracing::error!(
            releases = self.releases.len(),
            path = %self.store.path().display(),
            "releases could not be written; the next start recovers them"
        );
    }

    /// The next request; releases that the file has refused are tried again in between.
    fn next(&mut self) -> Option<Command> {
        while !self.releases.is_empty() {
            match self.commands.try_recv() {
                Ok(command) => return Some(command),
                Err(mpsc::error::TryRecvError::Disconnected) => return None,
                Err(mpsc::error::TryRecvError::Empty) => {
                    std::thread::sleep(RETRY_DELAY);
                    self.process(Vec::new());
                }
            }
        }
        self.commands.blocking_recv()
    }

    fn process(&mut self, batch: Vec<Command>) {
        self.releases.extend(self.holders.take_dropped());
        let mut writes = Vec::with_capacity(batch.len());
        let mut reads = Vec::new();
        for command in batch {
            match command {
                Command::Read(read) => reads.push(read),
                Command::Wake => {}
                command => writes.push(command),
            }
        }
        if !writes.is_empty() || !self.releases.is_empty() {
            self.commit(writes);
        }
        for read in reads {
            self.answer(read);
        }
    }

    fn commit(&mut self, writes: Vec<Command>) {
        let releases = std::mem::take(&mut self.releases);
        let holders = Arc::clone(&self.holders);
        let count = writes.len() + releases.len();
        let mut answers: Vec<Answer> = Vec::with_capacity(writes.len());
        let mut waiting = writes.into_iter();
        let mut taken = Vec::new();
        let result = self.store.write(|store| {
            for key in &releases {
                release(store, key)?;
            }
            for command in waiting.by_ref() {
                let (answer, failed) = execute(store, &holders, command, &mut taken);
                answers.push(answer);
                if let Some(error) = failed {
                    return Err(error);
                }
            }
            Ok(())
        });
        // Callers that were not reached in a batch that failed are told the same.
        if let Err(error) = &result {
            tracing::warn!(%error, requests = count, "the ledger could not commit");
            self.releases = releases;
            self.releases.append(&mut taken);
            answers.extend(waiting.filter_map(|command| refuse(command, error)));
        } else {
            self.activity.commits += 1;
            self.activity.writes += count as u64;
        }
        for answer in answers {
            answer(result.clone());
        }
    }

    fn answer(&mut self, read: Read) {
        // An asker that has gone away needs no answer.
        match read {
            Read::Budget { run, reply } => {
                let _ = reply.send(self.store.read(|store| store.run(&run).map(|row| row.budget)));
            }
            Read::Entry { key, reply } => {
                let _ = reply.send(self.store.read(|store| find(store, &key).map(|(entry, _)| entry)));
            }
            Read::History { run, reply } => {
                let _ = reply.send(self.store.read(|store| store.history(&run)));
            }
            Read::Runs { reply } => {
                let _ = reply.send(self.store.read(Store::runs));
            }
            Read::Undecided { reply } => {
                let _ = reply.send(self.store.read(Store::undecided));
            }
            Read::Usage { reply } => {
                let _ = reply.send(self.store.read(|store| store.usage(now_ms())));
            }
            Read::Booked { run, reply } => {
                let _ = reply.send(self.store.read(|store| store.booked(&run)));
            }
            Read::Audit { reply } => {
                let _ = reply.send(self.store.read(audit));
            }
            Read::Activity { reply } => {
                let _ = reply.send(Ok(self.activity));
            }
        }
    }

    /// Leaves everything as it is on disk, the owner's file included, and frees its lock.
    #[cfg(test)]
    fn crash(mut self) {
        if let Some(owner) = self.owner.take() {
            owner.abandon();
        }
    }
}
