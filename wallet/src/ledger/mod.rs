//! The budget ledger: the only authority over what a run may spend.
//!
//! ```text
//!                reserve                        settle(actual, fees)
//!                   │        ┌────────────────────────────────────────────► Settled
//!                   ▼        │                                              ▲  ▲  ▲
//!   crash,      Reserved ────┤ release, drop                                │  │  │
//!   not published│  │ │     └──────────────► Returned                      │  │  │
//!   or free ─────┘  │ │                        ▲                            │  │  │
//!     └─────────────│─│────────────────────────┘                            │  │  │
//!                   │ │ pay_out               settle, reconcile             │  │  │
//!                   │ └─────────────► Released ─────────────────────────────┘  │  │
//!                   │                    ▲                                     │  │
//!                   │ lock      pay_out  │                                     │  │
//!                   ├──────────► Locked ─┤ settle ─────────────────────────────┤  │
//!                   │              ▲     │                                     │  │
//!                   │       attach │     │ release, drop, crash                │  │
//!                   │              └─────┴──► Reclaimed ─── reconcile ─────────┘  │
//!                   │ crash, published                                            │
//!                   └──────────► Doubtful ─── reconcile ──────────────────────────┘
//!                         ▲          │
//!                         └─ attach ─┘ (to Reserved)
//! ```
//!
//! What a state contributes to the budget: Reserved and Locked are `reserved`; Released and
//! Doubtful are `spent` in full until they are reconciled; Reclaimed is `pending_refund`; Settled
//! is `spent` by what it cost; Returned is nothing.
//!
//! Order of marks and network calls: every transition is durable before the call it announces.
//! [`Reservation::publish`] comes before the job leaves, [`Reservation::lock`] before the escrow,
//! [`Reservation::pay_out`] before a payment or a signature. What the file says after a crash is
//! therefore the most that can have happened: an attempt without the mark never left, an escrow
//! without `pay_out` can only be refunded, and everything else counts as spent until somebody
//! knows better.
//!
//! Beside the run's own budget the owner may limit what a subtask, a day, a provider and a mint may
//! take (the `limits` module): a reservation is granted only if all of them cover it, in the same
//! durable commit.
//!
//! Free providers use the same path with an amount of zero: Reserved → Settled or Returned.
//!
//! Recovery runs when the file is opened, for the reservations of owners whose process has died
//! (the `owner` module says how that is known), and leaves those of live processes alone: any
//! number of processes may use one file. A resumed run takes its attempts up again with
//! [`Ledger::attach`].

mod actor;
mod audit;
mod bookings;
mod entry;
mod error;
mod limits;
pub(crate) mod owner;
mod reading;
mod requests;
mod reservation;
mod rows;
mod schema;
mod store;

#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

pub use actor::Activity;
pub use audit::{Audit, Mismatch};
pub use entry::{Entry, Key, State, Transition};
pub use error::LedgerError;
pub use limits::{Booked, Booking, Limit, Limits, Scheme, Usage};
pub use requests::Recovered;
pub use reservation::Reservation;
pub use rows::{HistoryEvent, HistoryRow, RunBudget};

use actor::{Actor, CHANNEL_CAPACITY, Command, Read, Reply};
use reservation::Holders;
use store::Store;

use crate::amount::Sats;
use crate::budget::Budget;

/// How long another process may hold the file before that is an error.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// A handle on the ledger; clones share one actor.
///
/// The actor's thread ends, with every release in the file, when the last handle and the last
/// reservation are gone; that drop waits for it.
#[derive(Debug, Clone)]
pub struct Ledger {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    /// Nothing only while dropping.
    commands: Option<mpsc::Sender<Command>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    recovered: Recovered,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.commands = None;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!(path = %self.path.display(), "the ledger's thread has panicked");
        }
    }
}

impl Ledger {
    /// Opens the ledger, or makes a new one with its folder, and recovers what dead processes
    /// left behind ([`Ledger::recovered`]).
    ///
    /// # Errors
    ///
    /// Names the path: no permission, disk full, locked for over ten seconds, damaged, or written
    /// by a newer version.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Self::open_with(path.as_ref(), BUSY_TIMEOUT).await
    }

    async fn open_with(path: &Path, busy_timeout: Duration) -> Result<Self, LedgerError> {
        let (commands, receiver) = mpsc::channel(CHANNEL_CAPACITY);
        let holders = Arc::new(Holders::new(commands.downgrade()));
        let (opened, reply) = oneshot::channel();
        let path = path.to_owned();
        let file = path.clone();
        let thread = std::thread::Builder::new()
            .name("frlm-ledger".to_owned())
            .spawn(move || match start(&file, busy_timeout) {
                Ok((store, owner, recovered)) => {
                    let actor = Actor::new(store, owner, holders, receiver);
                    if opened.send(Ok(recovered)).is_ok() {
                        actor.run();
                    }
                }
                Err(error) => {
                    let _ = opened.send(Err(error));
                }
            })
            .map_err(|source| LedgerError::io(&path, source))?;
        let recovered = reply.await.map_err(|_| LedgerError::Stopped { path: path.clone() })??;
        let thread = Mutex::new(Some(thread));
        Ok(Self { shared: Arc::new(Shared { path, commands: Some(commands), thread, recovered }) })
    }

    /// The ledger's file.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// What recovery did when this handle was opened.
    pub fn recovered(&self) -> &Recovered {
        &self.shared.recovered
    }

    /// Enters a run and its limit. Opening it again with the same limit changes nothing.
    ///
    /// # Errors
    ///
    /// [`LedgerError::RunExists`] if it is there with another limit.
    pub async fn open_run(&self, run: impl Into<Arc<str>>, limit: Sats) -> Result<Budget, LedgerError> {
        let run = run.into();
        self.ask(|reply| Command::OpenRun { run, limit, reply }).await
    }

    /// Sets a higher limit.
    ///
    /// # Errors
    ///
    /// [`LedgerError::LimitLowered`] if it is not.
    pub async fn raise_limit(&self, run: impl Into<Arc<str>>, limit: Sats) -> Result<Budget, LedgerError> {
        let run = run.into();
        self.ask(|reply| Command::RaiseLimit { run, limit, reply }).await
    }

    /// Sets sats aside for an attempt, durably. Zero is fine: free attempts are counted too.
    ///
    /// # Errors
    ///
    /// [`LedgerError::BudgetExceeded`], [`LedgerError::LimitReached`], [`LedgerError::KeyExists`],
    /// [`LedgerError::UnknownRun`].
    pub async fn reserve(&self, key: Key, amount: Sats) -> Result<Reservation, LedgerError> {
        let mut reservations = self.reserve_all(vec![(key, amount)]).await?;
        reservations.pop().ok_or_else(|| self.stopped())
    }

    /// Sets sats aside for several attempts, all or none, in the order given.
    ///
    /// # Errors
    ///
    /// As [`Ledger::reserve`]; `needed` is then the sum.
    pub async fn reserve_all<B: Into<Booking>>(
        &self,
        items: Vec<B>,
    ) -> Result<Vec<Reservation>, LedgerError> {
        let bookings = items.into_iter().map(Into::into).collect();
        let grants = self.ask(|reply| Command::Reserve { bookings, reply }).await?;
        Ok(grants.into_iter().map(|grant| Reservation::new(grant, self.clone())).collect())
    }

    /// Replaces the owner's limits, for all processes that use the file. What is reserved already
    /// stays.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn set_limits(&self, limits: Limits) -> Result<(), LedgerError> {
        self.ask(|reply| Command::SetLimits { limits, reply }).await
    }

    /// The limits, and what the last day has taken of them.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn usage(&self) -> Result<Usage, LedgerError> {
        self.ask(|reply| Command::Read(Read::Usage { reply })).await
    }

    /// For whom the paid attempts of a run were booked, by subtask and attempt.
    ///
    /// # Errors
    ///
    /// [`LedgerError::UnknownRun`].
    pub async fn booked(&self, run: impl Into<Arc<str>>) -> Result<HashMap<(u32, u32), Booked>, LedgerError> {
        let run = run.into();
        self.ask(|reply| Command::Read(Read::Booked { run, reply })).await
    }

    /// Takes a reservation up again: after a crash, or after a settlement that could not be
    /// written.
    ///
    /// # Errors
    ///
    /// [`LedgerError::InUse`] while it is held, here or in a live process;
    /// [`LedgerError::WrongState`] if it is over.
    pub async fn attach(&self, key: Key) -> Result<Reservation, LedgerError> {
        let grant = self.ask(|reply| Command::Attach { key, reply }).await?;
        Ok(Reservation::new(grant, self.clone()))
    }

    /// Settles what nobody holds any more (released, doubtful, reclaimed), once it is known what
    /// it cost. A refund that has arrived cost nothing, or its fees. Saying the same again changes
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`LedgerError::OverReservation`], [`LedgerError::InUse`], [`LedgerError::WrongState`].
    pub async fn reconcile(&self, key: Key, actual: Sats, fees: Sats) -> Result<(), LedgerError> {
        self.ask(|reply| Command::Reconcile { key, actual, fees, reply }).await
    }

    /// Decides about reservations of processes that have died since. [`Ledger::open`] has done it
    /// once already.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn recover(&self) -> Result<Recovered, LedgerError> {
        self.ask(|reply| Command::Recover { reply }).await
    }

    /// Where a run's sats are.
    ///
    /// # Errors
    ///
    /// [`LedgerError::UnknownRun`].
    pub async fn budget(&self, run: impl Into<Arc<str>>) -> Result<Budget, LedgerError> {
        let run = run.into();
        self.ask(|reply| Command::Read(Read::Budget { run, reply })).await
    }

    /// Where a reservation is.
    ///
    /// # Errors
    ///
    /// [`LedgerError::UnknownKey`], [`LedgerError::UnknownRun`].
    pub async fn entry(&self, key: Key) -> Result<Entry, LedgerError> {
        self.ask(|reply| Command::Read(Read::Entry { key, reply })).await
    }

    /// Everything that happened to a run, in order.
    ///
    /// # Errors
    ///
    /// [`LedgerError::UnknownRun`].
    pub async fn history(&self, run: impl Into<Arc<str>>) -> Result<Vec<HistoryRow>, LedgerError> {
        let run = run.into();
        self.ask(|reply| Command::Read(Read::History { run, reply })).await
    }

    /// All runs, oldest first.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn runs(&self) -> Result<Vec<RunBudget>, LedgerError> {
        self.ask(|reply| Command::Read(Read::Runs { reply })).await
    }

    /// Reservations of which only the books behind the ledger can say what became of them: not final, and not merely set
    /// aside or locked.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn undecided(&self) -> Result<Vec<Key>, LedgerError> {
        self.ask(|reply| Command::Read(Read::Undecided { reply })).await
    }

    /// Folds the log again and compares every sum with what the ledger holds.
    ///
    /// # Errors
    ///
    /// If the file fails; contradictions are no error but the audit's result.
    pub async fn audit(&self) -> Result<Audit, LedgerError> {
        self.ask(|reply| Command::Read(Read::Audit { reply })).await
    }

    /// Commits and writes since this ledger was opened.
    ///
    /// # Errors
    ///
    /// If the actor has stopped.
    pub async fn activity(&self) -> Result<Activity, LedgerError> {
        self.ask(|reply| Command::Read(Read::Activity { reply })).await
    }

    async fn apply(&self, key: Key, transition: Transition) -> Result<(), LedgerError> {
        let reply = self.send_apply(key, transition).await?;
        self.receive(reply).await
    }

    async fn send_apply(
        &self,
        key: Key,
        transition: Transition,
    ) -> Result<oneshot::Receiver<Result<(), LedgerError>>, LedgerError> {
        self.send(|reply| Command::Apply { key, transition, reply }).await
    }

    async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, LedgerError> {
        let reply = self.send(command).await?;
        self.receive(reply).await
    }

    async fn send<T>(
        &self,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Result<oneshot::Receiver<Result<T, LedgerError>>, LedgerError> {
        let (reply, receiver) = oneshot::channel();
        let commands = self.shared.commands.as_ref().ok_or_else(|| self.stopped())?;
        commands.send(command(reply)).await.map_err(|_| self.stopped())?;
        Ok(receiver)
    }

    async fn receive<T>(&self, reply: oneshot::Receiver<Result<T, LedgerError>>) -> Result<T, LedgerError> {
        reply.await.map_err(|_| self.stopped())?
    }

    fn stopped(&self) -> LedgerError {
        LedgerError::Stopped { path: self.shared.path.clone() }
    }
}

fn start(path: &Path, busy_timeout: Duration) -> Result<(Store, owner::Owner, Recovered), LedgerError> {
    let mut store = Store::open(path, busy_timeout)?;
    let owner = store.claim_owner()?;
    let recovered = store.write(requests::recover)?;
    Ok((store, owner, recovered))
}
