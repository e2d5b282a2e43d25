//! The thread that owns the write connection.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use rusqlite::{Connection, Transaction, params};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::{NewRun, RunState, StoreError};
use crate::trace::TraceRecord;

type Reply = oneshot::Sender<Result<(), StoreError>>;
/// A run, and the request that its record is to hold.
type Request = (String, serde_json::Value);

enum Command {
    Begin(NewRun, Reply),
    Append(Events),
    State(Arc<str>, RunState, Reply),
    Delete(Arc<str>, Vec<Request>, Reply),
    Flush(Reply),
}

/// Events of a run on their way to the file.
struct Events {
    run: Arc<str>,
    records: Vec<TraceRecord>,
    /// Their places among those that may wait.
    places: Option<OwnedSemaphorePermit>,
}

/// Commands that fit into one transaction at most; the bound keeps replies prompt.
const MOST_PER_COMMIT: usize = 1_024;
/// Events that may wait to be written: a slow disk slows runs down, and does not have them fill the memory with their
/// past.
const MOST_WAITING: u32 = 8_192;

#[derive(Debug, Clone)]
pub(super) struct Writer {
    commands: mpsc::Sender<Command>,
    room: Arc<Semaphore>,
    /// The first failed write of events. A journal with a gap is worth nothing, so no more are taken.
    broken: Arc<OnceLock<StoreError>>,
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
        let broken = Arc::new(OnceLock::new());
        let told = Arc::clone(&broken);
        let thread = std::thread::Builder::new()
            .name("run-store".to_owned())
            .spawn(move || write_all(connection, &path, receiver, &told))
            .ok();
        let room = Arc::new(Semaphore::new(MOST_WAITING as usize));
        Self { commands, room, broken, _thread: Arc::new(Joined(thread)) }
    }

    pub async fn begin(&self, run: NewRun) -> Result<(), StoreError> {
        self.call(|reply| Command::Begin(run, reply)).await
    }

    pub async fn append(&self, run: &str, records: Vec<TraceRecord>) -> Result<(), StoreError> {
        if let Some(error) = self.broken.get() {
            return Err(error.clone());
        }
        // More at once than there is room for take all of it.
        let needed = u32::try_from(records.len()).unwrap_or(MOST_WAITING).min(MOST_WAITING);
        // The semaphore is never closed: an error cannot happen, and without places the events still go.
        let places = Arc::clone(&self.room).acquire_many_owned(needed).await.ok();
        self.send(Command::Append(Events { run: run.into(), records, places })).await
    }

    pub async fn set_state(&self, run: &str, state: RunState) -> Result<(), StoreError> {
        self.call(|reply| Command::State(run.into(), state, reply)).await
    }

    pub async fn delete(&self, run: &str, requests: Vec<Request>) -> Result<(), StoreError> {
        self.call(|reply| Command::Delete(run.into(), requests, reply)).await
    }

    pub async fn flush(&self) -> Result<(), StoreError> {
        self.call(Command::Flush).await?;
        self.broken.get().cloned().map_or(Ok(()), Err)
    }

    async fn call(&self, command: impl FnOnce(Reply) -> Command) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(command(reply)).await?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    async fn send(&self, command: Command) -> Result<(), StoreError> {
        self.commands.send(command).await.map_err(|_| gone())
    }
}

fn gone() -> StoreError {
    StoreError::Write { path: PathBuf::new(), reason: "its writer has stopped".to_owned() }
}

fn write_all(
    mut connection: Connection,
    path: &std::path::Path,
    mut commands: mpsc::Receiver<Command>,
    broken: &OnceLock<StoreError>,
) {
    let mut batch = Vec::new();
    while commands.blocking_recv_many(&mut batch, MOST_PER_COMMIT) > 0 {
        let events = batch.iter().any(|command| matches!(command, Command::Append(_)));
        let mut replies = Vec::new();
        let outcome = commit(&mut connection, batch.drain(..), &mut replies)
            .map_err(|error| StoreError::Write { path: path.to_owned(), reason: error.to_string() });
        if let (Err(error), true) = (&outcome, events) {
            tracing::error!(%error, "the run store lost a batch of events");
            // The first failure is the one to tell of.
            let _ = broken.set(error.clone());
        }
        for reply in replies {
            // The asker may have stopped waiting.
            let _ = reply.send(outcome.clone());
        }
    }
}

fn commit(
    connection: &mut Connection,
    commands: impl Iterator<Item = Command>,
    replies: &mut Vec<Reply>,
) -> rusqlite::Result<()> {
    // Take the replies out first: a failure must reach all of them.
    let commands: Vec<Work> = commands.map(|command| split(command, replies)).collect();
    let deletes = commands.iter().any(|work| matches!(work, Work::Delete(..)));
    let transaction = connection.transaction()?;
    for work in commands {
        apply(&transaction, work)?;
    }
    transaction.commit()?;
    if deletes {
        // What was deleted stands in the log of writes until that is emptied. Where somebody reads just now, it is the next
        // time that it is.
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }
    Ok(())
}

enum Work {
    Begin(NewRun),
    Append(Events),
    State(Arc<str>, RunState),
    Delete(Arc<str>, Vec<Request>),
    Nothing,
}

fn split(command: Command, replies: &mut Vec<Reply>) -> Work {
    let (work, reply) = match command {
        Command::Append(events) => return Work::Append(events),
        Command::Begin(run, reply) => (Work::Begin(run), reply),
        Command::State(run, state, reply) => (Work::State(run, state), reply),
        Command::Delete(run, requests, reply) => (Work::Delete(run, requests), reply),
        Command::Flush(reply) => (Work::Nothing, reply),
    };
    replies.push(reply);
    work
}

fn apply(transaction: &Transaction<'_>, work: Work) -> rusqlite::Result<()> {
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
        Work::Append(Events { run, records, places }) => {
            let mut insert =
                transaction.prepare_cached("INSERT INTO trace (run, seq, body) VALUES (?1, ?2, ?3)")?;
            for record in records {
                let body = serde_json::to_string(&record)
                    .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
                insert.execute(params![run, record.seq, body])?;
            }
            drop(places);
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
        Work::Nothing => {}
    }
    Ok(())
}
