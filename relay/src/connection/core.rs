//! What publisher, reader and relay tasks share, and how all of it ends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::incoming::Inbox;
use super::limits::Document;
use super::link::Command;
use super::position::Subscription;
use super::{ConnectOptions, RelayStatus};

/// How long shutting down waits for close handshakes.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(2);

/// State that every relay task works with.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) options: ConnectOptions,
    pub(super) inbox: Arc<Inbox>,
    subscriptions: Mutex<BTreeMap<String, Arc<Subscription>>>,
}

impl Shared {
    pub(super) fn new(options: ConnectOptions, inbox: Arc<Inbox>) -> Self {
        Self { options, inbox, subscriptions: Mutex::new(BTreeMap::new()) }
    }

    /// The standing subscriptions by name.
    pub(super) fn subscriptions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Subscription>>> {
        // No code panics while it holds the lock, and the map is valid between any two steps.
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handle of one relay's task.
#[derive(Debug)]
pub(super) struct LinkHandle {
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) status: watch::Receiver<RelayStatus>,
    /// When it last said that it takes less.
    pub(super) complaint: watch::Receiver<Option<Instant>>,
    /// What it says of itself, once it has.
    pub(super) document: watch::Receiver<Option<Document>>,
    pub(super) ask_again: Arc<Notify>,
}

/// Held by every publisher clone and by the reader: when the last of them goes, so do the tasks.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) links: Vec<LinkHandle>,
    pub(super) shared: Arc<Shared>,
    pub(super) cancel: CancellationToken,
    tasks: TaskTracker,
    _cancel_on_drop: DropGuard,
}

impl Core {
    pub(super) fn new(
        links: Vec<LinkHandle>,
        shared: Arc<Shared>,
        cancel: CancellationToken,
        tasks: TaskTracker,
    ) -> Self {
        tasks.close();
        let guard = cancel.clone().drop_guard();
        Self { links, shared, cancel, tasks, _cancel_on_drop: guard }
    }

    /// Repeats the standing subscriptions everywhere.
    pub(super) fn ask_again(&self) {
        for link in &self.links {
            link.ask_again.notify_one();
        }
    }

    pub(super) async fn send_to_all(&self, mut command: impl FnMut() -> Command) {
        for link in &self.links {
            // A task that is gone was cancelled, and its caller knows.
            let _ = link.commands.send(command()).await;
        }
    }

    pub(super) async fn shutdown(&self) {
        self.cancel.cancel();
        if tokio::time::timeout(SHUTDOWN_LIMIT, self.tasks.wait()).await.is_err() {
            tracing::warn!("relay connections did not close in time");
        }
        self.shared.inbox.close();
    }
}
