//! What the actor does for each request, inside a transaction that others share.

use std::sync::Arc;

use super::actor::{Command, Reply};
use super::entry::{Entry, Key, State, Transition};
use super::error::LedgerError;
use super::limits::Booking;
use super::owner;
use super::reservation::{Grant, Holders};
use super::store::{Store, now_ms};

/// An answer that waits for the commit; it is given the commit's error if there is one.
pub(super) type Answer = Box<dyn FnOnce(Result<(), LedgerError>)>;

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

/// Does a request inside the batch's transaction. The error, if any, ends the whole batch;
/// `taken` are releases that must then be tried again.
pub(super) fn execute(
    store: &Store,
    holders: &Arc<Holders>,
    command: Command,
    taken: &mut Vec<Key>,
) -> (Answer, Option<LedgerError>) {
    match command {
        Command::OpenRun { run, limit, reply } => defer(reply, store.open_run(&run, limit)),
        Command::RaiseLimit { run, limit, reply } => defer(reply, store.raise_limit(&run, limit)),
        Command::Reserve { bookings, reply } => defer(reply, reserve(store, holders, bookings)),
        Command::SetLimits { limits, reply } => defer(reply, store.set_limits(&limits)),
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
pub(super) fn refuse(command: Command, error: &LedgerError) -> Option<Answer> {
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
        Command::Apply { reply, .. }
        | Command::Reconcile { reply, .. }
        | Command::SetLimits { reply, .. } => Some(with(reply, error)),
        Command::Recover { reply } => Some(with(reply, error)),
        Command::Read(_) | Command::Wake => None,
        #[cfg(test)]
        Command::Crash => None,
    }
}

/// All or nothing.
fn reserve(store: &Store, holders: &Arc<Holders>, bookings: Vec<Booking>) -> Result<Vec<Grant>, LedgerError> {
    store.book(&bookings, now_ms())?;
    Ok(bookings.into_iter().map(|booking| Grant::new(booking.key, booking.amount, holders)).collect())
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
    let (entry, _) = find(store, key)?;
    if entry.state.is_final() && (entry.actual, entry.fees) == transition.amounts() {
        // Somebody else has found out the same.
        return Ok(());
    }
    store.apply(key, transition).map(drop)
}

fn check_unheld(store: &Store, holders: &Arc<Holders>, key: &Key) -> Result<(), LedgerError> {
    let (entry, owner) = find(store, key)?;
    if entry.state.is_final() {
        return Ok(());
    }
    let in_other_process = owner != store.owner;
    let held = if in_other_process { owner::is_alive(store.path(), owner) } else { holders.is_held(key) };
    // What recovery has decided about belongs to nobody.
    let orphaned = matches!(entry.state, State::Doubtful | State::Reclaimed) && !holders.is_held(key);
    if held && !orphaned { Err(LedgerError::InUse { key: key.clone(), in_other_process }) } else { Ok(()) }
}

pub(super) fn find(store: &Store, key: &Key) -> Result<(Entry, i64), LedgerError> {
    let run = store.run(&key.run)?;
    store.entry(run.id, key)?.ok_or_else(|| LedgerError::UnknownKey { key: key.clone() })
}

/// Gives back what was dropped, unless something else was decided in the meantime.
pub(super) fn release(store: &Store, key: &Key) -> Result<(), LedgerError> {
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
