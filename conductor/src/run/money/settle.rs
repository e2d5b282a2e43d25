//! The end of attempts: pay released to providers that earned it, the rest freed or refunded.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use frlm_protocol::Settlement;
use frlm_wallet::{Key, LedgerError, Reservation, Sats};
use futures::future::join_all;

use super::mints::Mints;
use super::{Bought, Held, Money, Moved, Notice, settled};
use crate::payment::PaymentRail;
use crate::run::attempts::Attempts;
use crate::run::commit::Written;
use crate::run::journal::Journal;
use crate::run::outbox::{Outbox, Step};
use crate::run::pay_after::{Debt, NewDebts, begin_to_pay};
use crate::run::pay_before::PrepaidEnds;
use crate::swarm::{Address, ProviderId, Ticket};
use crate::trace::TraceEvent;

/// Attempts that end, by what becomes of their reservations.
#[derive(Debug, Default)]
struct Ending {
    /// Nothing is locked: what they cost, or nothing.
    accounted: Vec<(Ticket, Option<Sats>, Held)>,
    /// Locked, and released to their providers.
    earned: Vec<(Ticket, Held)>,
    /// Locked, and to be taken back.
    lost: Vec<(Ticket, Held)>,
    /// To be paid after the verdict.
    owed: Vec<(Ticket, Debt, Held)>,
}

/// Attempts whose end is written down.
#[derive(Debug)]
pub(in crate::run) struct Finished {
    moved: Moved,
    owed: Vec<(Ticket, Debt, Held)>,
    /// Their locks may be taken back.
    lost: Vec<Ticket>,
}

impl Money {
    /// Has reservations ended. Once that is written, the providers are told what happens to their pay. If something about an attempt
    /// is still being written, the attempt ends after that; what ends while ends are being written is written next, together.
    pub fn end(&mut self, attempts: &mut Attempts, outbox: &mut Outbox<Written>) {
        if outbox.holds(Step::End) {
            return;
        }
        let (later, mut ended): (Vec<_>, Vec<_>) = std::mem::take(&mut attempts.ended)
            .into_iter()
            .partition(|(ticket, _)| self.away.contains(ticket));
        attempts.ended = later;
        // What has not left ends once it is known whether it is reserved and locked.
        ended.retain(|(ticket, _)| !attempts.departures.contains(*ticket));
        if ended.is_empty() {
            return;
        }
        let ending = self.begin_to_end(ended);
        outbox.push_as(Step::End, async move { Ok(Written::Finished(ending.await?)) });
    }

    /// Has settled what providers were told of.
    pub fn settle_acknowledged(&mut self, outbox: &mut Outbox<Written>) {
        if let Some(told) = self.after.begin_to_settle(self.rail.clone()) {
            outbox.push(async move { Ok(Written::Acknowledged(told.write().await?)) });
        }
    }

    /// Records what is free again.
    pub fn note_refunds(&mut self, journal: &mut Journal, events: Vec<TraceEvent>) {
        for event in events {
            if let TraceEvent::BudgetSettle { refunded_sats, .. } = &event {
                self.left = self.left.saturating_add(Sats(*refunded_sats));
            }
            journal.emit(event);
        }
    }

    /// Records that a provider is paid outside escrow. The pair: how much it has, and what that took.
    pub fn note_unescrowed(
        &mut self,
        journal: &mut Journal,
        (ticket, provider): (Ticket, &ProviderId),
        reserved: Sats,
        (sats, fees): (Sats, Sats),
    ) {
        journal.emit(TraceEvent::PaidUnescrowed {
            subtask: ticket.subtask,
            attempt: ticket.attempt,
            provider: provider.to_string(),
            sats: sats.0,
            fees_sats: fees.0,
        });
        self.note_refunds(journal, vec![settled(ticket, reserved, sats.saturating_add(fees))]);
    }

    /// Begins to end reservations: `Some(cost)` pays, `None` gives everything back. All share a commit.
    pub fn begin_to_end(
        &mut self,
        ended: Vec<(Ticket, Option<Sats>)>,
    ) -> impl Future<Output = Result<Finished, LedgerError>> + Send + use<> {
        let prepaid = self.rail.as_ref().map(|_| self.before.ends(&ended)).unwrap_or_default();
        let (mut moved, mut ending) = (Moved::default(), Ending::default());
        for (ticket, cost) in ended {
            let Some(held) = self.held.remove(&ticket) else {
                moved.events.extend(
                    self.free_again.remove(&ticket).map(|amount| settled(ticket, amount, Sats::ZERO)),
                );
                continue;
            };
            match (&held.secured, &held.debt, cost) {
                (_, Some(debt), Some(_)) => ending.owed.push((ticket, debt.clone(), held)),
                (_, Some(debt), None) => {
                    let (provider, settlement) = (debt.provider.clone(), Settlement::Declined);
                    moved.declined.push(provider.clone());
                    moved.notices.push(Notice { ticket, provider, settlement });
                    ending.accounted.push((ticket, None, held));
                }
                (None, None, cost) => ending.accounted.push((ticket, cost, held)),
                (Some(_), None, Some(_)) => ending.earned.push((ticket, held)),
                (Some(_), None, None) => {
                    self.returns.ask(ticket, held.amount);
                    ending.lost.push((ticket, held));
                }
            }
        }
        end(self.rail.clone(), prepaid, ending, moved)
    }

    /// Takes in attempts whose end is written down, and begins to pay what is owed.
    pub fn finished(&mut self, finished: Finished, mints: &mut Mints) -> Moved {
        let Finished { moved, owed, lost } = finished;
        for ticket in lost {
            self.returns.has_ended(ticket);
        }
        if let Some(rail) = &self.rail {
            begin_to_pay(rail, owed, mints);
        }
        moved
    }

    /// What is owed for attempts that count and is to be written down: it is spent from there on, and paid by this process or a
    /// later one. `None` if there is nothing new; else what is to be said of it, too.
    pub fn begin_to_owe(&mut self, owed: Vec<(Ticket, Address)>) -> Option<(Vec<TraceEvent>, NewDebts)> {
        let rail = self.rail.clone()?;
        let mut debts = Vec::new();
        for (ticket, address) in owed {
            let is_new = |held: &Held| held.debt.as_ref().is_some_and(|debt| !debt.owed);
            if self.held.get(&ticket).is_some_and(is_new)
                && let Some(held) = self.held.remove(&ticket)
            {
                self.away.insert(ticket);
                debts.push((ticket, held, address));
            }
        }
        let events = debts.iter().map(|(ticket, held, _)| TraceEvent::Owed {
            subtask: ticket.subtask,
            attempt: ticket.attempt,
            sats: held.amount.0,
        });
        let events = events.collect();
        (!debts.is_empty()).then_some((events, NewDebts { rail, debts }))
    }

    /// Takes in attempts for which it is written down that they are owed for.
    pub fn owed(&mut self, owed: Vec<(Ticket, Held)>) {
        for (ticket, held) in owed {
            self.away.remove(&ticket);
            self.held.insert(ticket, held);
        }
    }
}

async fn end(
    rail: Option<Arc<dyn PaymentRail>>,
    prepaid: PrepaidEnds,
    ending: Ending,
    mut moved: Moved,
) -> Result<Finished, LedgerError> {
    let Ending { accounted, earned, lost, owed } = ending;
    if let Some(rail) = &rail {
        for (ticket, amount, fees) in prepaid.write(rail.as_ref()).await? {
            moved.events.push(settled(ticket, amount, fees));
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
    if let Some(rail) = rail.filter(|_| !earned.is_empty()) {
        pay(rail.as_ref(), earned, &mut moved).await?;
    }
    let returns = lost.into_iter().map(|(ticket, held)| async move {
        held.reservation.release().await.map(|()| (ticket, held.secured))
    });
    let mut over = Vec::new();
    for lost in join_all(returns).await {
        let (ticket, bought) = lost?;
        over.push(ticket);
        if let Some(Bought { provider, .. }) = bought {
            moved.notices.push(Notice { ticket, provider, settlement: Settlement::Declined });
        }
    }
    Ok(Finished { moved, owed, lost: over })
}

/// Releases the pay of attempts that count.
async fn pay(
    rail: &dyn PaymentRail,
    mut earned: Vec<(Ticket, Held)>,
    moved: &mut Moved,
) -> Result<(), LedgerError> {
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
            let spent = settle_paid(reservation, (price, fees)).await?;
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

/// Settles what an attempt has cost; what it counts as. Where the mint takes more than it did when this was reserved,
/// that is all of it, until the wallet's books are looked at: nobody's pay waits for that.
pub(in crate::run) async fn settle_paid(
    reservation: Reservation,
    (price, fees): (Sats, Sats),
) -> Result<Sats, LedgerError> {
    let reserved = reservation.amount();
    match reservation.settle(price, fees).await {
        Ok(()) => Ok(price.saturating_add(fees)),
        Err(LedgerError::OverReservation { .. }) => Ok(reserved),
        Err(error) => Err(error),
    }
}
