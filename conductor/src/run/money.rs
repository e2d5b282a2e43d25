//! Reservations of the attempts that are out, and the sats behind them.
//!
//! ```text
//!  reserve, publish ─► lock (rail) ─► job leaves ─► verdict ─┬─ counts: pay out, release, settle
//!                                                              └─ not: decline, reclaim, reconcile
//! ```
//!
//! This module has what is reserved and what is known of it. `mints` asks mints beside the loop, `lock` makes the locks, `settle`
//! ends attempts, and `back` knows what is returned. Providers with a credit line are paid after the verdict (`pay_after`).
//!
//! The loop waits for none of it: each step that writes is begun here and carried out by the run's outbox, and its result comes
//! back here. Every step is durable in the ledger before the rail acts. Without a rail, and for providers that work for nothing,
//! prices are accounted and nothing moves.

mod back;
mod lock;
mod mints;
mod settle;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;

use frlm_protocol::Settlement;
use frlm_wallet::ledger::{Booking, Scheme};
use frlm_wallet::{Key, Ledger, LedgerError, Reservation, Sats};
use futures::future::join_all;

use super::RunError;
use super::commit::Written;
use super::free_jobs::FreeJobs;
use super::pay_after::{Debt, PayAfter};
use super::pay_before::{Demand, PayBefore, PayOutcome};
use crate::payment::{Cost, PaymentRail, Secured};
use crate::swarm::{ProviderId, ProviderInfo, Ticket};
use crate::trace::TraceEvent;

use back::{Reclaimed, Returns};
pub(super) use lock::{Abandoned, DoneAtMint};
pub(super) use mints::{DoneByMint, Errand, Mints, Priced};
pub(super) use settle::{Finished, settle_paid};

/// Money reserved for attempts; nothing leaves this machine without it.
#[derive(Debug)]
pub(super) struct Money {
    run: Arc<str>,
    pub ledger: Ledger,
    pub rail: Option<Arc<dyn PaymentRail>>,
    pub held: HashMap<Ticket, Held>,
    /// The locktime of this run's last lock; seconds since 1970.
    last_locktime: u64,
    /// Whether locks were asked for, and it is unknown if they were made.
    in_doubt: bool,
    /// Sats that are available again because a lock failed, until the attempt's end is told.
    free_again: HashMap<Ticket, Sats>,
    /// Attempts of which something is being written down: they end once it is.
    pub(super) away: HashSet<Ticket>,
    /// Locks that are given back.
    pub returns: Returns,
    /// What the ledger has for the run, less what is about to be reserved. What other runs take of limits that they share is not
    /// in it.
    pub left: Sats,
    /// What a mint takes for a usual job of the run, once that is known.
    pub fee_of_a_job: Option<Sats>,
    /// Providers that want their pay before they work.
    pub before: PayBefore,
    /// Providers that are paid after the verdict.
    pub after: PayAfter,
    /// Providers that give jobs away.
    pub free_jobs: FreeJobs,
}

#[derive(Debug)]
pub(super) struct Held {
    pub reservation: Reservation,
    pub amount: Sats,
    secured: Option<Bought>,
    /// Paid for after the verdict, if it counts.
    pub debt: Option<Debt>,
}

/// Sats in escrow for an attempt.
#[derive(Debug)]
struct Bought {
    provider: ProviderId,
    price: Sats,
    secured: Secured,
}

/// Sats to reserve for an attempt, and for whom.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub ticket: Ticket,
    pub provider: ProviderId,
    pub amount: Sats,
    pub scheme: Scheme,
    /// Through which mint it is paid, if that is known.
    pub mint: Option<Arc<str>>,
    /// Paid for after the verdict, if it counts.
    pub debt: Option<Debt>,
}

/// A job that is to be paid for through escrow.
#[derive(Debug, Clone)]
pub(super) struct Purchase {
    pub ticket: Ticket,
    pub provider: ProviderInfo,
    pub price: Sats,
    pub cost: Cost,
}

/// What has to be said after money moved.
#[derive(Debug, Default)]
pub(super) struct Moved {
    pub events: Vec<TraceEvent>,
    pub notices: Vec<Notice>,
    /// Providers with an unpaid job on their credit line.
    pub declined: Vec<ProviderId>,
}

/// How a payment before work has ended.
#[derive(Debug)]
pub(super) struct Paid {
    pub ticket: Ticket,
    pub provider: ProviderId,
    /// What was reserved for it.
    pub amount: Sats,
    pub outcome: PayOutcome,
}

/// A word to a provider about its pay.
#[derive(Debug)]
pub(super) struct Notice {
    pub ticket: Ticket,
    pub provider: ProviderId,
    pub settlement: Settlement,
}

impl Money {
    pub fn new(run: &str, ledger: Ledger, rail: Option<Arc<dyn PaymentRail>>) -> Self {
        Self {
            run: run.into(),
            ledger,
            rail,
            held: HashMap::new(),
            last_locktime: 0,
            in_doubt: false,
            free_again: HashMap::new(),
            away: HashSet::new(),
            returns: Returns::default(),
            left: Sats::ZERO,
            fee_of_a_job: None,
            before: PayBefore::default(),
            after: PayAfter::default(),
            free_jobs: FreeJobs::default(),
        }
    }

    /// Begins to raise the budget to so many sats in all.
    pub fn begin_to_raise(
        &self,
        limit: Sats,
    ) -> impl Future<Output = Result<Written, RunError>> + Send + use<> {
        let (ledger, run) = (self.ledger.clone(), Arc::clone(&self.run));
        async move {
            let before = ledger.budget(&*run).await?.limit;
            let raised = match ledger.raise_limit(&*run, limit).await {
                Ok(budget) => Ok(budget.limit.saturating_sub(before)),
                Err(error @ (LedgerError::LimitLowered { .. } | LedgerError::AmountTooLarge { .. })) => {
                    Err(error)
                }
                Err(error) => return Err(error.into()),
            };
            Ok(Written::Raised { limit, raised })
        }
    }

    /// Sets money aside for attempts: for all in one durable commit, or for each that it does for. Those that have a reservation
    /// are marked as possibly known to others: what a killed process leaves behind counts as spent until it is reconciled. Those
    /// of `locks` are marked as possibly locked, too.
    pub fn begin_to_reserve(
        &mut self,
        wanted: Vec<Wanted>,
        locks: HashSet<Ticket>,
    ) -> impl Future<Output = Result<Reserved, LedgerError>> + Send + use<> {
        for Wanted { amount, debt, .. } in &wanted {
            self.left = self.left.saturating_sub(*amount);
            if let Some(debt) = debt {
                self.after.take(debt);
            }
        }
        let bookings: Vec<Booking> = wanted.iter().map(|wanted| self.booking(wanted)).collect();
        reserve(self.ledger.clone(), wanted, bookings, locks)
    }

    /// Takes in what was reserved; what is to be said of it, and why there is nothing for some.
    pub fn reserved(&mut self, made: Reserved) -> (Vec<TraceEvent>, HashMap<Ticket, LedgerError>) {
        let mut events = Vec::with_capacity(made.reserved.len());
        for (Wanted { ticket, amount, debt, .. }, reservation) in made.reserved {
            self.held.insert(ticket, Held { reservation, amount, secured: None, debt });
            events.push(reserved(ticket, amount));
        }
        let mut refused = HashMap::with_capacity(made.refused.len());
        for (Wanted { ticket, amount, debt, .. }, error) in made.refused {
            self.left = self.left.saturating_add(amount);
            if let Some(debt) = debt {
                self.after.paid(&debt.provider);
            }
            refused.insert(ticket, error);
        }
        (events, refused)
    }

    fn booking(&self, wanted: &Wanted) -> Booking {
        Booking {
            key: self.key(wanted.ticket),
            amount: wanted.amount,
            provider: Some(Arc::clone(&wanted.provider)),
            mint: wanted.mint.clone(),
            scheme: wanted.scheme,
        }
    }

    /// How a provider is paid.
    pub fn scheme(&self, provider: &ProviderInfo, escrowed: bool, on_credit: bool) -> Scheme {
        match &self.rail {
            Some(rail) if rail.is_play() => Scheme::Play,
            Some(_) if on_credit => Scheme::After,
            Some(_) if escrowed => Scheme::Escrow,
            Some(_) if provider.flat_price.is_some() => Scheme::Before,
            _ => Scheme::Account,
        }
    }

    /// A provider wants its pay before it works; what becomes of that is told by
    /// [`Money::paid_before`]. In words, why it gets nothing.
    pub fn demand(&mut self, demand: Demand) -> Result<(), String> {
        let Some(rail) = self.rail.clone() else {
            return Err(
                "it wants to be paid before it works and there is no wallet: frlm wallet create".to_owned()
            );
        };
        if self.before.has(demand.ticket) {
            // It is paid once, and its answer is still awaited: it may have got its job again after an outage.
            return Ok(());
        }
        let Some(held) = self.held.remove(&demand.ticket) else {
            return Err("it asks for pay that was not reserved for it".to_owned());
        };
        self.before.pay(rail, self.ledger.clone(), demand, held);
        Ok(())
    }

    /// The next payment before work that comes to an end; `None` if none is under way.
    pub async fn paid_before(&mut self) -> Result<Option<Paid>, LedgerError> {
        let Some(paid) = self.before.next().await? else { return Ok(None) };
        if let Some(held) = paid.unpaid {
            self.held.insert(paid.ticket, held);
        }
        let (ticket, provider, amount) = (paid.ticket, paid.provider, paid.amount);
        Ok(Some(Paid { ticket, provider, amount, outcome: paid.outcome }))
    }

    /// Whether an attempt is paid for after its verdict.
    pub fn is_on_credit(&self, ticket: Ticket) -> bool {
        self.held.get(&ticket).is_some_and(|held| held.debt.is_some())
    }

    /// The provider of such an attempt wants its price locked: it gets no other one in this run. Its
    /// key, if that is news; `None` if the attempt is none.
    pub fn close_debt(&mut self, ticket: Ticket) -> Option<(ProviderId, bool)> {
        let provider = self.held.get(&ticket)?.debt.as_ref()?.provider.clone();
        let news = self.after.close(&provider);
        Some((provider, news))
    }

    /// A provider gave an attempt's pay back.
    pub fn on_returned(&mut self, ticket: Ticket, payload: String) {
        let is_locked = self.held.get(&ticket).is_some_and(|held| held.secured.is_some());
        self.returns.on_returned(ticket, payload, is_locked);
    }

    /// Begins to reclaim what was returned of attempts that are over.
    pub fn begin_to_reclaim(&mut self, mints: &mut Mints) {
        let returned = self.returns.take(|ticket| self.held.contains_key(ticket));
        let Some(rail) = self.rail.clone().filter(|_| !returned.is_empty()) else { return };
        let tickets: HashMap<Key, Ticket> =
            returned.iter().map(|(ticket, _)| (self.key(*ticket), *ticket)).collect();
        let payloads = returned.into_iter().map(|(_, payload)| payload).collect();
        mints.errands.begin(Errand::Reclaim, async move {
            DoneByMint::Reclaimed(Reclaimed { tickets, back: rail.reclaim(payloads).await })
        });
    }

    /// When everything that is still locked, or may be, is refunded, as Unix seconds.
    pub fn refund_at(&self) -> Option<u64> {
        (self.returns.any_awaited() || self.in_doubt).then_some(self.last_locktime)
    }

    fn key(&self, ticket: Ticket) -> Key {
        Key::new(Arc::clone(&self.run), ticket.subtask.0, ticket.attempt.0)
    }
}

/// What could be reserved, and what not.
#[derive(Debug)]
pub(super) struct Reserved {
    reserved: Vec<(Wanted, Reservation)>,
    refused: Vec<(Wanted, LedgerError)>,
}

async fn reserve(
    ledger: Ledger,
    wanted: Vec<Wanted>,
    bookings: Vec<Booking>,
    locks: HashSet<Ticket>,
) -> Result<Reserved, LedgerError> {
    let mut made = Reserved { reserved: Vec::with_capacity(wanted.len()), refused: Vec::new() };
    match ledger.reserve_all(bookings.clone()).await {
        Ok(reservations) => made.reserved.extend(wanted.into_iter().zip(reservations)),
        Err(error) if error.is_over() => {
            for (wanted, booking) in wanted.into_iter().zip(bookings) {
                match ledger.reserve_all(vec![booking]).await {
                    Ok(one) => made.reserved.extend(std::iter::once(wanted).zip(one)),
                    Err(error) if error.is_over() => made.refused.push((wanted, error)),
                    Err(error) => return Err(error),
                }
            }
        }
        Err(error) => return Err(error),
    }
    // Free attempts need no mark.
    let paid = made.reserved.iter().filter(|(wanted, _)| wanted.amount > Sats::ZERO);
    let marks = paid.map(|(_, reservation)| reservation.publish());
    join_all(marks).await.into_iter().collect::<Result<(), _>>()?;
    let escrowed = made.reserved.iter_mut().filter(|(wanted, _)| locks.contains(&wanted.ticket));
    let marks = escrowed.map(|(_, reservation)| reservation.lock());
    join_all(marks).await.into_iter().collect::<Result<(), _>>()?;
    Ok(made)
}

fn reserved(ticket: Ticket, amount: Sats) -> TraceEvent {
    TraceEvent::BudgetReserve { subtask: ticket.subtask, attempt: ticket.attempt, sats: amount.0 }
}

pub(super) fn settled(ticket: Ticket, amount: Sats, spent: Sats) -> TraceEvent {
    TraceEvent::BudgetSettle {
        subtask: ticket.subtask,
        attempt: ticket.attempt,
        spent_sats: spent.0,
        refunded_sats: amount.0.saturating_sub(spent.0),
    }
}
