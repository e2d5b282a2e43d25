//! The end of attempts: pay released to providers that earned it, the rest freed or refunded.

use std::collections::HashMap;

use frlm_protocol::Settlement;
use frlm_wallet::{Key, LedgerError, Reservation, Sats};
use futures::future::join_all;

use super::mints::Mints;
use super::{Bought, Held, Money, Moved, Notice, settled};
use crate::swarm::Ticket;

impl Money {
    /// Ends reservations: `Some(cost)` pays, `None` gives everything back. All share a commit.
    pub async fn end(
        &mut self,
        ended: Vec<(Ticket, Option<Sats>)>,
        mints: &mut Mints,
    ) -> Result<Moved, LedgerError> {
        let mut moved = Moved::default();
        for (ticket, amount, fees) in self.before.end(self.rail.as_ref(), &ended).await? {
            moved.events.push(settled(ticket, amount, fees));
        }
        let (mut accounted, mut earned, mut lost) = (Vec::new(), Vec::new(), Vec::new());
        let mut owed = Vec::new();
        for (ticket, cost) in ended {
            let Some(held) = self.held.remove(&ticket) else {
                moved.events.extend(
                    self.free_again.remove(&ticket).map(|amount| settled(ticket, amount, Sats::ZERO)),
                );
                continue;
            };
            match (&held.secured, &held.debt, cost) {
                (_, Some(debt), Some(_)) => owed.push((ticket, debt.clone(), held)),
                (_, Some(debt), None) => {
                    let (provider, settlement) = (debt.provider.clone(), Settlement::Declined);
                    moved.declined.push(provider.clone());
                    moved.notices.push(Notice { ticket, provider, settlement });
                    accounted.push((ticket, None, held));
                }
                (None, None, cost) => accounted.push((ticket, cost, held)),
                (Some(_), None, Some(_)) => earned.push((ticket, held)),
                (Some(_), None, None) => lost.push((ticket, held)),
            }
        }
        let accounts = accounted.into_iter().map(|(ticket, cost, held)| async move {
            let spent = cost.map_or(Sats::ZERO, |cost| cost.min(held.amount));
            if cost.is_some() {
                held.reservation.settle(spent, Sats::ZERO).await?;
            } else {
                held.reservation.release().await?;
            }
            Ok::<_, LedgerError>(settled(ticket, held.amount, spent))
        });
        for event in join_all(accounts).await {
            moved.events.push(event?);
        }
        self.pay(earned, &mut moved).await?;
        self.begin_to_pay(owed, mints);
        let returns = lost.into_iter().map(|(ticket, held)| async move {
            held.reservation.release().await.map(|()| (ticket, held.amount, held.secured))
        });
        for lost in join_all(returns).await {
            let (ticket, amount, bought) = lost?;
            self.awaited.insert(ticket, amount);
            if let Some(Bought { provider, .. }) = bought {
                moved.notices.push(Notice { ticket, provider, settlement: Settlement::Declined });
            }
        }
        Ok(moved)
    }

    /// Releases the pay of attempts that count.
    async fn pay(&mut self, mut earned: Vec<(Ticket, Held)>, moved: &mut Moved) -> Result<(), LedgerError> {
        let Some(rail) = self.rail.clone().filter(|_| !earned.is_empty()) else { return Ok(()) };
        // Durable before a signature exists: from here on it counts as spent.
        let marks = earned.iter_mut().map(|(_, held)| held.reservation.pay_out());
        join_all(marks).await.into_iter().collect::<Result<(), _>>()?;
        let keys: Vec<Key> = earned.iter().map(|(_, held)| held.reservation.key().clone()).collect();
        let released: HashMap<Key, String> = match rail.release(keys).await {
            Ok(released) => released.into_iter().collect(),
            Err(reason) => {
                tracing::warn!(%reason, "pay could not be released; it counts as spent until it is known");
                return Ok(());
            }
        };
        let mut settling = Vec::new();
        for (ticket, Held { reservation, amount, secured, .. }) in earned {
            let key = reservation.key().clone();
            let (Some(payload), Some(bought)) = (released.get(&key), secured) else {
                // Too near to the locktime: it is refunded then, and counts as spent until it is.
                drop(reservation);
                continue;
            };
            let (price, fees) = (bought.price, bought.secured.fees);
            let settlement = Settlement::Released(payload.clone());
            moved.notices.push(Notice { ticket, provider: bought.provider, settlement });
            settling.push(async move {
                let spent = settle_paid(reservation, amount, (price, fees)).await?;
                Ok::<_, LedgerError>((settled(ticket, amount, spent), key))
            });
        }
        // All of them share a commit.
        let mut done = Vec::new();
        for paid in join_all(settling).await {
            let (event, key) = paid?;
            moved.events.push(event);
            done.push(key);
        }
        if let Err(reason) = rail.settled(done).await {
            tracing::warn!(%reason, "the wallet could not note what the ledger has settled");
        }
        Ok(())
    }
}

/// Settles pay that was signed over; what it counts as. Where the mint takes more than it did when this was reserved,
/// that is all of it, until the wallet's books are looked at: nobody's pay waits for that.
pub(in crate::run) async fn settle_paid(
    reservation: Reservation,
    reserved: Sats,
    (price, fees): (Sats, Sats),
) -> Result<Sats, LedgerError> {
    match reservation.settle(price, fees).await {
        Ok(()) => Ok(price.saturating_add(fees)),
        Err(LedgerError::OverReservation { .. }) => Ok(reserved),
        Err(error) => Err(error),
    }
}
