//! The end of reservations: paid, given back, or left to their locktime.

use std::time::Duration;

use frlm_protocol::Settlement;
use frlm_wallet::Sats;
use tokio::time::Instant;

use super::RunError;
use super::driver::Run;
use super::money::{Moved, Notice};
use crate::swarm::{SwarmEvent, Ticket};
use crate::trace::TraceEvent;

/// How long a run that is over waits for pay that its providers give back.
const RETURN_PATIENCE: Duration = Duration::from_secs(2);

impl Run {
    /// Ends reservations and tells the providers what becomes of their pay.
    pub(super) async fn end_money(&mut self, ended: Vec<(Ticket, Option<Sats>)>) -> Result<(), RunError> {
        let Moved { events, notices } = self.money.end(ended).await?;
        for event in events {
            if let TraceEvent::BudgetSettle { spent_sats, .. } = &event {
                self.desk.gauge.spent(*spent_sats);
            }
            self.journal.emit(event);
        }
        for Notice { ticket, provider, settlement } in notices {
            if matches!(settlement, Settlement::Released(_))
                && let Some((index, capacity)) = self.peers.released(&provider)
            {
                self.scheduler.upsert_provider(index, capacity);
            }
            if let Some(swarm) = &self.swarm {
                swarm.settle(ticket, settlement).await;
            }
        }
        Ok(())
    }

    /// Gives providers a moment to return what they did not earn: the rest comes back after its
    /// locktime, and nobody waits for that.
    async fn await_returns(&mut self) -> Result<(), RunError> {
        let until = Instant::now() + RETURN_PATIENCE;
        while self.money.awaits_returns() {
            match tokio::time::timeout_at(until, self.events.recv()).await {
                Ok(Some(SwarmEvent::Returned { ticket, payload })) => {
                    self.money.on_returned(ticket, payload);
                    for event in self.money.take_back().await? {
                        self.journal.emit(event);
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break,
            }
        }
        Ok(())
    }

    /// Takes back what is out and ends every reservation, whatever happened before.
    pub(super) async fn wind_up(&mut self) -> Result<(), RunError> {
        // A payment that has begun is not abandoned half-way.
        while let Some(paid) = self.money.paid_before().await? {
            self.on_paid_before(paid);
        }
        for (ticket, sent) in std::mem::take(&mut self.sent) {
            self.money.called_off(ticket);
            if let Some(venue) = self.venue(&sent.provider) {
                venue.cancel(ticket).await;
            }
        }
        let mut ended = std::mem::take(&mut self.ended);
        let listed: Vec<Ticket> = ended.iter().map(|(ticket, _)| *ticket).collect();
        ended.extend(
            self.money
                .open_tickets()
                .into_iter()
                .filter(|ticket| !listed.contains(ticket))
                .map(|t| (t, None)),
        );
        self.end_money(ended).await?;
        self.await_returns().await
    }
}
