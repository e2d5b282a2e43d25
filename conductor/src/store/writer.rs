//! The thread that owns the write connection.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rusqlite::{Connection, params};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::{NewRun, RunState, StoreError};
use crate::trace::{TraceEvent, TraceRecord};

type Reply = oneshot::Sender<Result<(), StoreError>>;
/// A run, and the request that its record is to hold.
type Request = (String, serde_json::Value);
/// The first failed write of events of each run. A journal with a gap is worth nothing, so no more of that run are taken.
type Broken = Arc<Mutex<HashMap<Arc<str>, StoreError>>>;

/// Something to write, and who waits for it.
struct Command {
    work: Work,
    reply: Option<Reply>,
}

enum Work {
    Begin(NewRun),
    Append(Events),
    State(Arc<str>, RunState),
    Delete(Arc<str>, Vec<Request>),
    /// Nothing: what came before it is written.
    Flush,
}

/// Events of a run on their way to the file.
struct Events {
    run: Arc<str>,
    records: Vec<TraceRecord>,
    /// Their places among those that may wait, until they are written.
    _places: Option<OwnedSemaphorePermit>,
}

/// Commands that fit into one transaction at most; the bound keeps replies prompt.
const MOST_PER_COMMIT: usize = 1_024;
/// Events that may wait to be written: a slow disk slows runs down, and does not have them fill the memory with their
/// past. One that names subtasks counts as one for each of them.
const MOST_WAITING: u32 = 8_192;

#[derive(Debug, Clone)]
pub(super) struct Writer {
    commands: mpsc::Sender<Command>,
    room: Arc<Semaphore>,
    broken: Broken,
    // Dropped after `commands`: closing the channel is what ends the thread.
    _thread: Arc<Joined>,
}

/// Joins the thread when the last handle goes, so that queued events reach the disk.
#[derive(Debug)]
struct Joined(Option<JoinHandle<()>>);

impl Drop for Joined {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // A panicked writer has already failed every reply; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

impl Writer {
    pub fn start(connection: Connection, path: PathBuf) -> Self {
        let (commands, receiver) = mpsc::channel(4_096);
        let broken = Broken::default();
        let told = Arc::clone(&broken);
        let thread = std::thread::Builder::new()
            .name("run-store".to_owned())
            .spawn(move || write_all(connection, &path, receiver, &told))
            .ok();
        let room = Arc::new(Semaphore::new(MOST_WAITING as usize));
        Self { commands, room, broken, _thread: Arc::new(Joined(thread)) }
    }

    pub async fn begin(&self, run: NewRun) -> Result<(), StoreError> {
        self.call(Work::Begin(run)).await
    }

    pub async fn append(&self, run: &str, records: Vec<TraceRecord>) -> Result<(), StoreError> {
        self.is_whole(run)?;
        // More at once than there is room for take all of it.
        let needed = u32::try_from(records.iter().map(places).sum::<usize>()).unwrap_or(u32::MAX);
        // The semaphore is never closed: an error cannot happen, and without places the events still go.
        let places = Arc::clone(&self.room).acquire_many_owned(needed.min(MOST_WAITING)).await.ok();
        let work = Work::Append(Events { run: run.into(), records, _places: places });
        self.send(Command { work, reply: None }).await
    }

    pub async fn set_state(&self, run: &str, state: RunState) -> Result<(), StoreError> {
        self.call(Work::State(run.into(), state)).await
    }

    pub async fn delete(&self, run: &str, requests: Vec<Request>) -> Result<(), StoreError> {
        self.call(Work::Delete(run.into(), requests)).await
    }

    pub async fn flush(&self, run: &str) -> Result<(), StoreError> {
        self.call(Work::Flush).await?;
        self.is_whole(run)
    }

    /// Whether all of a run's events were written so far.
    fn is_whole(&self, run: &str) -> Result<(), StoreError> {
        lock(&self.broken).get(run).cloned().map_or(Ok(()), Err)
    }

    async fn call(&self, work: Work) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Command { work, reply: Some(reply) }).await?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    async fn send(&self, command: Command) -> Result<(), StoreError> {
        self.commands.send(command).await.map_err(|_| gone())
    }
}

/// Of the places of those that wait, how many an event takes.
fn places(record: &TraceRecord) -> usize {
    if let TraceEvent::Plan { subtasks } = &record.event { subtasks.len().max(1) } else { 1 }
}

fn gone() -> StoreError {
    StoreError::Write { path: PathBuf::new(), reason: "its writer has stopped".to_owned() }
}

fn lock(broken: &Broken) -> MutexGuard<'_, HashMap<Arc<str>, StoreError>> {
    // The map holds no invariant that a panic could break.
    broken.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_all(
    mut connection: Connection,
    path: &std::path::Path,
    mut commands: mpsc::Receiver<Command>,
    broken: &Broken,
) {
    let mut batch = Vec::new();
    while commands.blocking_recv_many(&mut batch, MOST_PER_COMMIT) > 0 {
        let failed =
            |error: &rusqlite::Error| StoreError::Write { path: path.to_owned(), reason: error.to_string() };
        // Each by itself, so that what cannot be written of one run is nobody else's loss …
        let mut outcomes = vec![Ok(()); batch.len()];
        if let Err(error) = commit(&mut connection, &batch, &mut outcomes, &failed) {
            // … but where nothing can be written, all of them have lost theirs, for the reason that came first.
            let first = outcomes.iter().find_map(|outcome| outcome.as_ref().err().cloned());
            let first = first.unwrap_or_else(|| failed(&error));
            outcomes.iter_mut().filter(|outcome| outcome.is_ok()).for_each(|lost| *lost = Err(first.clone()));
        }
        for (Command { work, reply }, outcome) in batch.drain(..).zip(outcomes) {
            if let (Work::Append(events), Err(error)) = (&work, &outcome) {
                tracing::error!(%error, run = %events.run, "the run store lost events");
                // The first failure is the one to tell of.
                lock(broken).entry(Arc::clone(&events.run)).or_insert_with(|| error.clone());
            }
            if let Work::Delete(run, _) = &work {
                lock(broken).remove(run);
            }
            if let Some(reply) = reply {
                // The asker may have stopped waiting.
                let _ = reply.send(outcome);
            }
        }
    }
}

fn commit(
    connection: &mut Connection,
    commands: &[Command],
    outcomes: &mut [Result<(), StoreError>],
    failed: &dyn Fn(&rusqlite::Error) -> StoreError,
) -> rusqlite::Result<()> {
    let mut transaction = connection.transaction()?;
    for (Command { work, .. }, outcome) in commands.iter().zip(outcomes) {
        let step = transaction.savepoint()?;
        match apply(&step, work) {
            Ok(()) => step.commit()?,
            // Dropped, it takes back what it had written.
            Err(error) => *outcome = Err(failed(&error)),
        }
    }
    transaction.commit()?;
    if commands.iter().any(|command| matches!(command.work, Work::Delete(..))) {
        // What was deleted stands in the log of writes until that is emptied. Where somebody reads just now, it is the next
        // time that it is.
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }
    Ok(())
}

fn apply(transaction: &Connection, work: &Work) -> rusqlite::Result<()> {
    match work {
        Work::Begin(run) => {
            transaction.execute(
                "INSERT INTO runs (id, started_at_ms, question, state, request, secret_key)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    run.id,
                    run.started_at_ms,
                    run.question,
                    RunState::Running.name(),
                    run.request.to_string(),
                    run.secret_key
                ],
            )?;
        }
        Work::Append(Events { run, records, .. }) => {
            let mut insert =
                transaction.prepare_cached("INSERT INTO trace (run, seq, body) VALUES (?1, ?2, ?3)")?;
            for record in records {
                let body = serde_json::to_string(record)
                    .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
                insert.execute(params![run, record.seq, body])?;
            }
        }
        Work::State(run, state) => {
            transaction.execute("UPDATE runs SET state = ?2 WHERE id = ?1", params![run, state.name()])?;
        }
        Work::Delete(run, requests) => {
            transaction.execute("DELETE FROM runs WHERE id = ?1", params![run])?;
            for (other, request) in requests {
                transaction.execute(
                    "UPDATE runs SET request = ?2 WHERE id = ?1",
                    params![other, request.to_string()],
                )?;
            }
        }
        Work::Flush => {}
    }
    Ok(())
}
