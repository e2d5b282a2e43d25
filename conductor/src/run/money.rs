//! Reservations of the attempts that are out.

use std::collections::HashMap;
use std::sync::Arc;

use frlm_wallet::{Key, Ledger, LedgerError, Reservation, Sats};
use futures::future::join_all;

use crate::scheduler::{AttemptId, SubtaskId};
use crate::swarm::Ticket;
use crate::trace::TraceEvent;

/// Money set aside for attempts; nothing leaves this machine without it.
#[derive(Debug)]
pub(super) struct Money {
    run: Arc<str>,
    ledger: Ledger,
    held: HashMap<Ticket, (Reservation, Sats)>,
}

impl Money {
    pub fn new(run: &str, ledger: Ledger) -> Self {
        Self { run: run.into(), ledger, held: HashMap::new() }
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Sets money aside for one attempt. Durable when it returns.
    pub async fn reserve(&mut self, ticket: Ticket, amount: Sats) -> Result<TraceEvent, LedgerError> {
        let reservation = self.ledger.reserve(self.key(ticket), amount).await?;
        self.held.insert(ticket, (reservation, amount));
        Ok(reserved(ticket, amount))
    }

    /// Sets money aside for several attempts in one durable commit, or for none.
    pub async fn reserve_all(&mut self, wanted: &[(Ticket, Sats)]) -> Result<Vec<TraceEvent>, LedgerError> {
        let keys = wanted.iter().map(|(ticket, amount)| (self.key(*ticket), *amount)).collect();
        let reservations = self.ledger.reserve_all(keys).await?;
        let mut events = Vec::with_capacity(wanted.len());
        for ((ticket, amount), reservation) in wanted.iter().zip(reservations) {
            self.held.insert(*ticket, (reservation, *amount));
            events.push(reserved(*ticket, *amount));
        }
        Ok(events)
    }

    /// Ends reservations: `Some(cost)` pays, `None` gives everything back. All share a commit.
    pub async fn end(&mut self, ended: Vec<(Ticket, Option<Sats>)>) -> Result<Vec<TraceEvent>, LedgerError> {
        let held: Vec<_> = ended
            .into_iter()
            .filter_map(|(ticket, cost)| {
                let (reservation, amount) = self.held.remove(&ticket)?;
                Some((ticket, cost, reservation, amount))
            })
            .collect();
        let work = held.into_iter().map(|(ticket, cost, reservation, amount)| async move {
            let spent = if let Some(cost) = cost {
                let cost = cost.min(amount);
                reservation.settle(cost, Sats::ZERO).await?;
                cost
            } else {
                reservation.release().await?;
                Sats::ZERO
            };
            Ok(TraceEvent::BudgetSettle {
                subtask: SubtaskId(ticket.subtask),
                attempt: AttemptId(ticket.attempt),
                spent_sats: spent.0,
                refunded_sats: amount.0 - spent.0,
            })
        });
        join_all(work).await.into_iter().collect()
    }

    /// Marks attempts as possibly known to others, before they are: what a killed process leaves
    /// behind counts as spent until it is reconciled. Free attempts need no mark.
    pub async fn publish(&self, tickets: &[Ticket]) -> Result<(), LedgerError> {
        let paid = tickets
            .iter()
            .filter_map(|ticket| self.held.get(ticket))
            .filter(|(_, amount)| *amount > Sats::ZERO);
        join_all(paid.map(|(reservation, _)| reservation.publish())).await.into_iter().collect()
    }

    /// Attempts that still hold money.
    pub fn open_tickets(&self) -> Vec<Ticket> {
        self.held.keys().copied().collect()
    }

    fn key(&self, ticket: Ticket) -> Key {
        Key::new(Arc::clone(&self.run), ticket.subtask, ticket.attempt)
    }
}

fn reserved(ticket: Ticket, amount: Sats) -> TraceEvent {
    TraceEvent::BudgetReserve {
        subtask: SubtaskId(ticket.subtask),
        attempt: AttemptId(ticket.attempt),
        sats: amount.0,
    }
}
