//! The thread that owns the ledger's file.
//!
//! Group commit: the actor takes what waits in the channel, up to a bound, does all of it in one
//! durable transaction and only then answers. While it commits, the next batch gathers.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::audit::{Audit, audit};
use super::entry::{Entry, Key, State, Transition};
use super::error::LedgerError;
use super::owner::{self, Owner};
use super::reservation::{Grant, Holders};
use super::store::{HistoryRow, RunBudget, Store};
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

/// What recovery did with the reservations of processes that died.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Never left the machine, or free: available again.
    pub returned: Vec<Key>,
    /// May have left: spent until attached again or reconciled.
    pub doubtful: Vec<Key>,
    /// Locked in escrow: pending refund.
    pub reclaimed: Vec<Key>,
}

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
    OpenRun { run: Arc<str>, limit: Sats, reply: Reply<Budget> },
    RaiseLimit { run: Arc<str>, limit: Sats, reply: Reply<Budget> },
    Reserve { items: Vec<(Key, Sats)>, reply: Reply<Vec<Grant>> },
    Attach { key: Key, reply: Reply<Grant> },
    Apply { key: Key, transition: Transition, reply: Reply<()> },
    Reconcile { key: Key, actual: Sats, fees: Sats, reply: Reply<()> },
    Recover { reply: Reply<Recovered> },
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
    Audit { reply: Reply<Audit> },
    Activity { reply: Reply<Activity> },
}

/// An answer that waits for the commit; it is given the commit's error if there is one.
type Answer = Box<dyn FnOnce(Result<(), LedgerError>)>;

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
        Self { store, owner: Some(owner), holders, commands, releases: Vec::new(), activity: Activity::default() }
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
        // Whoever was not reached in a batch that failed is told the same.
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

/// Does a request inside the batch's transaction. The error, if any, ends the whole batch;
/// `taken` are releases that must then be tried again.
fn execute(
    store: &Store,
    holders: &Arc<Holders>,
    command: Command,
    taken: &mut Vec<Key>,
) -> (Answer, Option<LedgerError>) {
    match command {
        Command::OpenRun { run, limit, reply } => defer(reply, store.open_run(&run, limit)),
        Command::RaiseLimit { run, limit, reply } => defer(reply, store.raise_limit(&run, limit)),
        Command::Reserve { items, reply } => defer(reply, reserve(store, holders, items)),
        Command::Attach { key, reply } => defer(reply, attach(store, holders, key, taken)),
        Command::Apply { key, transition, reply } => defer(reply, store.apply(&key, transition).map(drop)),
        Command::Reconcile { key, actual, fees, reply } => {
            defer(reply, reconcile(store, holders, &key, Transition::Reconcile { actual, fees }))
        }
        Command::Recover { reply } => defer(reply, recover(store)),
        Command::Read(_) | Command::Wake => (Box::new(drop), None),
        #[cfg(test)]
        Command::Crash => (Box::new(drop), None),
    }
}

fn defer<T: 'static>(reply: Reply<T>, result: Result<T, LedgerError>) -> (Answer, Option<LedgerError>) {
    let failed = result.as_ref().err().filter(|error| error.is_storage()).cloned();
    let answer = move |committed: Result<(), LedgerError>| {
        // A grant that nobody receives gives itself back when it is dropped here.
        let _ = reply.send(committed.and(result));
    };
    (Box::new(answer), failed)
}

/// The answer to a request that was not even tried.
fn refuse(command: Command, error: &LedgerError) -> Option<Answer> {
    fn with<T: 'static>(reply: Reply<T>, error: &LedgerError) -> Answer {
        let error = error.clone();
        Box::new(move |_| {
            let _ = reply.send(Err(error));
        })
    }
    match command {
        Command::OpenRun { reply, .. } | Command::RaiseLimit { reply, .. } => Some(with(reply, error)),
        Command::Reserve { reply, .. } => Some(with(reply, error)),
        Command::Attach { reply, .. } => Some(with(reply, error)),
        Command::Apply { reply, .. } | Command::Reconcile { reply, .. } => Some(with(reply, error)),
        Command::Recover { reply } => Some(with(reply, error)),
        Command::Read(_) | Command::Wake => None,
        #[cfg(test)]
        Command::Crash => None,
    }
}

/// All or nothing: the sum is checked before the first row is written.
fn reserve(store: &Store, holders: &Arc<Holders>, items: Vec<(Key, Sats)>) -> Result<Vec<Grant>, LedgerError> {
    let mut needed: Vec<(&Arc<str>, Sats)> = Vec::new();
    for (key, amount) in &items {
        match needed.iter_mut().find(|(run, _)| **run == key.run) {
            Some((_, sum)) => *sum = sum.saturating_add(*amount),
            None => needed.push((&key.run, *amount)),
        }
    }
    for (run, needed) in needed {
        let Budget { limit, available, .. } = store.run(run)?.budget;
        if needed > available {
            return Err(LedgerError::BudgetExceeded { needed, available, limit });
        }
    }
    let mut seen = std::collections::HashSet::new();
    for (key, _) in &items {
        if !seen.insert(key) || store.entry(store.run(&key.run)?.id, key)?.is_some() {
            return Err(LedgerError::KeyExists { key: key.clone() });
        }
    }
    for (key, amount) in &items {
        store.apply(key, Transition::Reserve(*amount))?;
    }
    Ok(items.into_iter().map(|(key, amount)| Grant::new(key, amount, holders)).collect())
}

fn attach(
    store: &Store,
    holders: &Arc<Holders>,
    key: Key,
    taken: &mut Vec<Key>,
) -> Result<Grant, LedgerError> {
    // A release that waits would otherwise hit the new holder.
    let dropped = holders.take_dropped();
    taken.extend_from_slice(&dropped);
    for dropped in dropped {
        release(store, &dropped)?;
    }
    check_unheld(store, holders, &key)?;
    let entry = store.apply(&key, Transition::Attach)?;
    Ok(Grant::new(key, entry.amount, holders))
}

fn reconcile(
    store: &Store,
    holders: &Arc<Holders>,
    key: &Key,
    transition: Transition,
) -> Result<(), LedgerError> {
    check_unheld(store, holders, key)?;
    store.apply(key, transition).map(drop)
}

fn check_unheld(store: &Store, holders: &Arc<Holders>, key: &Key) -> Result<(), LedgerError> {
    let (entry, owner) = find(store, key)?;
    if entry.state.is_final() {
        return Ok(());
    }
    let elsewhere = owner != store.owner;
    let held = if elsewhere { owner::is_alive(store.path(), owner) } else { holders.is_held(key) };
    // What recovery has decided about belongs to nobody, whoever ran the recovery.
    let orphaned = matches!(entry.state, State::Doubtful | State::Reclaimed) && !holders.is_held(key);
    if held && !orphaned { Err(LedgerError::InUse { key: key.clone(), elsewhere }) } else { Ok(()) }
}

fn find(store: &Store, key: &Key) -> Result<(Entry, i64), LedgerError> {
    let run = store.run(&key.run)?;
    store.entry(run.id, key)?.ok_or_else(|| LedgerError::UnknownKey { key: key.clone() })
}

/// Gives back what was dropped, unless something else was decided in the meantime.
fn release(store: &Store, key: &Key) -> Result<(), LedgerError> {
    match store.apply(key, Transition::GiveBack) {
        Err(error) if error.is_storage() => Err(error),
        _ => Ok(()),
    }
}

/// Decides about the reservations of owners that have died.
pub(super) fn recover(store: &Store) -> Result<Recovered, LedgerError> {
    let mut recovered = Recovered::default();
    for dead in store.owners_with_open_entries()? {
        if dead == store.owner || owner::is_alive(store.path(), dead) {
            continue;
        }
        for key in store.open_entries(dead)? {
            match store.apply(&key, Transition::Recover)?.state {
                State::Doubtful => recovered.doubtful.push(key),
                State::Reclaimed => recovered.reclaimed.push(key),
                _ => recovered.returned.push(key),
            }
        }
    }
    owner::sweep(store.path());
    Ok(recovered)
}
