//! What providers give back of attempts that are over.
//!
//! ```text
//!   ended here ─► asked ─► the ledger has its end ─┐
//!     given back (it may come before both) ────────┴─► reclaimed at the mint ─► booked
//! ```

use std::collections::{HashMap, HashSet};
use std::future::Future;

use frlm_wallet::{Key, Ledger, LedgerError, Sats};
use futures::future::join_all;

use super::settled;
use crate::swarm::Ticket;
use crate::trace::TraceEvent;

/// Locks that providers are to give back.
#[derive(Debug, Default)]
pub(in crate::run) struct Returns {
    /// Locks whose provider is asked to return them.
    awaited: HashMap<Ticket, Sats>,
    /// Those of them whose attempt the ledger does not know to be over yet.
    ending: HashSet<Ticket>,
    /// Locks that providers returned and that are not reclaimed yet, because their attempt is not over here.
    returned: HashMap<Ticket, String>,
}

/// What became of pay that was given back.
#[derive(Debug)]
pub(in crate::run) struct Reclaimed {
    /// The attempts that it was for.
    pub tickets: HashMap<Key, Ticket>,
    /// What each cost in fees.
    pub back: Result<Vec<(Key, Sats)>, String>,
}

impl Returns {
    /// A provider is asked to give back the lock of an attempt whose end is being written: it may do so before that is written.
    pub fn ask(&mut self, ticket: Ticket, amount: Sats) {
        self.awaited.insert(ticket, amount);
        self.ending.insert(ticket);
    }

    /// The end of an attempt is written.
    pub fn has_ended(&mut self, ticket: Ticket) {
        self.ending.remove(&ticket);
    }

    /// A provider gave an attempt's pay back. It may say so before it is heard, or known here, that the attempt is over:
    /// a failure and the pay for it come one right after the other. `is_locked`: its attempt is not over here.
    pub fn on_returned(&mut self, ticket: Ticket, payload: String, is_locked: bool) {
        if is_locked || self.awaited.contains_key(&ticket) {
            self.returned.insert(ticket, payload);
        }
    }

    /// Whether a provider is still asked for what it did not earn.
    pub fn any_awaited(&self) -> bool {
        !self.awaited.is_empty()
    }

    /// What was given back of attempts that are over. `is_held`: whether an attempt is not over here.
    pub fn take(&mut self, is_held: impl Fn(&Ticket) -> bool) -> Vec<(Ticket, String)> {
        let (awaited, ending) = (&self.awaited, &self.ending);
        let is_over = |ticket: &Ticket| awaited.contains_key(ticket) && !ending.contains(ticket);
        let taken = self.returned.extract_if(|ticket, _| is_over(ticket)).collect();
        // A provider that has its pay returns nothing.
        self.returned.retain(|ticket, _| is_held(ticket) || ending.contains(ticket));
        taken
    }

    /// What is to be written of what a mint gave back; it comes to what is to be said of it.
    pub fn begin_to_book(
        &mut self,
        done: Reclaimed,
        ledger: Ledger,
    ) -> Option<impl Future<Output = Result<Vec<TraceEvent>, LedgerError>> + Send + use<>> {
        let Reclaimed { tickets, back } = done;
        let back = match back {
            Ok(back) => back,
            Err(reason) => {
                tracing::warn!(%reason, "returned pay could not be reclaimed; it waits for its locktime");
                return None;
            }
        };
        let mut booking = Vec::with_capacity(back.len());
        for (key, fees) in back {
            // A signature for a lock of another run proves nothing about this one.
            let Some(ticket) = tickets.get(&key).copied() else { continue };
            let Some(amount) = self.awaited.remove(&ticket) else { continue };
            // Where the mint takes more than was reserved, that is all of it: no run ends for that.
            booking.push((ticket, key, amount, fees.min(amount)));
        }
        (!booking.is_empty()).then_some(async move {
            let booking = booking.into_iter().map(|(ticket, key, amount, fees)| {
                let booked = ledger.reconcile(key, Sats::ZERO, fees);
                async move { booked.await.map(|()| settled(ticket, amount, fees)) }
            });
            // All of them share a commit.
            join_all(booking).await.into_iter().collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICKET: Ticket = Ticket::at(0, 0);

    #[test]
    fn what_is_given_back_is_taken_once_the_end_of_its_attempt_is_written() {
        let mut returns = Returns::default();
        returns.on_returned(TICKET, "early".to_owned(), true);
        assert!(returns.take(|_| true).is_empty(), "it is not over here");
        returns.ask(TICKET, Sats(3));
        assert!(returns.take(|_| false).is_empty(), "its end is not written");
        returns.has_ended(TICKET);
        assert_eq!(returns.take(|_| false), [(TICKET, "early".to_owned())]);
        assert!(returns.take(|_| false).is_empty(), "it is taken once");
        assert!(returns.any_awaited(), "until the mint has given it back");
    }

    #[test]
    fn what_nobody_asked_for_is_not_kept() {
        let mut returns = Returns::default();
        returns.on_returned(TICKET, "unasked".to_owned(), false);
        returns.ask(TICKET, Sats(3));
        returns.has_ended(TICKET);
        assert!(returns.take(|_| false).is_empty());
        // A provider that was paid after all.
        let mut returns = Returns::default();
        returns.on_returned(TICKET, "early".to_owned(), true);
        assert!(returns.take(|_| false).is_empty());
        returns.ask(TICKET, Sats(3));
        returns.has_ended(TICKET);
        assert!(returns.take(|_| false).is_empty());
    }
}
