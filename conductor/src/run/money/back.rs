//! What providers give back of attempts that are over.

use std::collections::HashMap;
use std::future::Future;

use frlm_wallet::{Key, LedgerError, Sats};
use futures::future::join_all;

use super::mints::{DoneByMint, Errand, Mints};
use super::{Money, settled};
use crate::swarm::Ticket;
use crate::trace::TraceEvent;

/// What became of pay that was given back.
#[derive(Debug)]
pub(in crate::run) struct Reclaimed {
    /// The attempts that it was for.
    tickets: HashMap<Key, Ticket>,
    /// What each cost in fees.
    back: Result<Vec<(Key, Sats)>, String>,
}

impl Money {
    /// A provider gave an attempt's pay back. It may say so before it is heard, or known here, that the attempt is over:
    /// a failure and the pay for it come one right after the other.
    pub fn on_returned(&mut self, ticket: Ticket, payload: String) {
        let is_out = self.held.get(&ticket).is_some_and(|held| held.secured.is_some());
        if is_out || self.awaited.contains_key(&ticket) {
            self.returned.insert(ticket, payload);
        }
    }

    /// Whether a provider is still asked for what it did not earn.
    pub fn awaits_returns(&self) -> bool {
        !self.awaited.is_empty()
    }

    /// When everything that is still locked, or may be, is refunded, as Unix seconds.
    pub fn refund_at(&self) -> Option<u64> {
        (self.awaits_returns() || self.in_doubt).then_some(self.last_locktime)
    }

    /// Begins to reclaim what was returned of attempts that are over.
    pub fn begin_to_reclaim(&mut self, mints: &mut Mints) {
        let (awaited, ending, held) = (&self.awaited, &self.ending, &self.held);
        let is_over = |ticket: &Ticket| awaited.contains_key(ticket) && !ending.contains(ticket);
        let returned: Vec<(Ticket, String)> = self.returned.extract_if(|ticket, _| is_over(ticket)).collect();
        // A provider that has its pay returns nothing.
        self.returned.retain(|ticket, _| held.contains_key(ticket) || ending.contains(ticket));
        let Some(rail) = self.rail.clone().filter(|_| !returned.is_empty()) else { return };
        let tickets: HashMap<Key, Ticket> =
            returned.iter().map(|(ticket, _)| (self.key(*ticket), *ticket)).collect();
        let payloads = returned.into_iter().map(|(_, payload)| payload).collect();
        mints.begin(Errand::Reclaim, async move {
            DoneByMint::Reclaimed(Reclaimed { tickets, back: rail.reclaim(payloads).await })
        });
    }

    /// What is to be written of what a mint gave back; it comes to what is to be said of it.
    pub fn begin_to_book(
        &mut self,
        done: Reclaimed,
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
        let ledger = self.ledger.clone();
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
