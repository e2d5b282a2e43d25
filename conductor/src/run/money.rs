//! Reservations of the attempts that are out, and the sats behind them.
//!
//! ```text
//!  reserve ─► publish ─► lock (rail) ─► job leaves ─► verdict ─┬─ counts: pay out, release, settle
//!                                                              └─ not: decline, take back, reconcile
//! ```
//!
//! Providers that let us owe are paid after the verdict (the `pay_after` module).
//!
//! Every step is durable in the ledger before the rail acts. Without a rail, and for providers
//! that work for nothing, prices are accounted and nothing moves.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use frlm_protocol::Settlement;
use frlm_wallet::ledger::{Booking, Scheme};
use frlm_wallet::{Key, Ledger, LedgerError, Reservation, Sats};
use futures::future::join_all;

use super::gifts::Gifts;
use super::pay_after::{PayAfter, Tab};
use super::pay_before::{Demand, PayBefore, PayOutcome};
use crate::payment::{Cost, Order, PaymentRail, Secured};
use crate::scheduler::{AttemptId, SubtaskId};
use crate::swarm::{ProviderId, ProviderInfo, Ticket};
use crate::trace::TraceEvent;

#[cfg(test)]
mod tests;

/// How much longer than a run may last its locks are kept: time for the last verdict, for the
/// provider to redeem, and for clocks that differ.
const LOCK_GRACE: Duration = Duration::from_mins(5);

/// How often jobs whose pay could not be locked together are tried in halves: as often as it takes to find one among
/// 256 that holds up the others, and no oftener, for a mint may refuse all of them.
const MOST_SPLITS: u32 = 8;

/// Money set aside for attempts; nothing leaves this machine without it.
#[derive(Debug)]
pub(super) struct Money {
    run: Arc<str>,
    ledger: Ledger,
    pub rail: Option<Arc<dyn PaymentRail>>,
    pub held: HashMap<Ticket, Held>,
    /// Locks whose provider is asked to give them back.
    awaited: HashMap<Ticket, Sats>,
    /// When the last lock of this run opens by itself; seconds since 1970.
    last_locktime: u64,
    /// Whether locks were asked for of which nobody knows whether they were made.
    in_doubt: bool,
    /// What providers gave back and nobody has taken yet: of an attempt that is not over here, until it is.
    returned: HashMap<Ticket, String>,
    /// What is free again of attempts whose lock failed, until their end is told.
    free_again: HashMap<Ticket, Sats>,
    /// Providers that want their pay before they work.
    pub before: PayBefore,
    /// Providers that are paid after the verdict.
    pub after: PayAfter,
    /// Providers that give jobs away.
    pub gifts: Gifts,
}

#[derive(Debug)]
pub(super) struct Held {
    pub reservation: Reservation,
    pub amount: Sats,
    secured: Option<Bought>,
    /// Paid for after the verdict, if it counts.
    pub tab: Option<Tab>,
}

/// Sats in escrow for an attempt.
#[derive(Debug)]
struct Bought {
    provider: ProviderId,
    price: Sats,
    secured: Secured,
}

/// Sats to set aside for an attempt, and for whom.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub ticket: Ticket,
    pub provider: ProviderId,
    pub amount: Sats,
    pub scheme: Scheme,
    /// Through which mint it is paid, if that is known.
    pub mint: Option<Arc<str>>,
    /// Paid for after the verdict, if it counts.
    pub tab: Option<Tab>,
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
    /// Providers with a job on their tab that stays there, unpaid.
    pub turned_down: Vec<ProviderId>,
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
            awaited: HashMap::new(),
            last_locktime: 0,
            in_doubt: false,
            returned: HashMap::new(),
            free_again: HashMap::new(),
            before: PayBefore::default(),
            after: PayAfter::default(),
            gifts: Gifts::default(),
        }
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What paying a provider can cost; nothing for those that are not paid through a rail, and in
    /// words why one cannot be paid.
    pub async fn cost(&self, provider: &ProviderInfo, price: Sats) -> Result<Option<Cost>, String> {
        if provider.flat_price.is_some() {
            // It says itself what it wants, once it has the job.
            return Ok(None);
        }
        match (&self.rail, &provider.escrow) {
            (Some(rail), Some(offer)) if price > Sats::ZERO && !provider.trusted => {
                rail.cost(offer, price).await.map(Some)
            }
            (Some(_), None) if price > Sats::ZERO && !provider.trusted => {
                Err("it asks for sats and names no way to be paid in escrow".to_owned())
            }
            _ => Ok(None),
        }
    }

    /// Sets money aside for one attempt. Durable when it returns.
    pub async fn reserve(&mut self, wanted: &Wanted) -> Result<TraceEvent, LedgerError> {
        let mut events = self.reserve_all(std::slice::from_ref(wanted)).await?;
        Ok(events.remove(0))
    }

    /// Sets money aside for several attempts in one durable commit, or for none.
    pub async fn reserve_all(&mut self, wanted: &[Wanted]) -> Result<Vec<TraceEvent>, LedgerError> {
        let bookings: Vec<Booking> = wanted.iter().map(|wanted| self.booking(wanted)).collect();
        let reservations = self.ledger.reserve_all(bookings).await?;
        let mut events = Vec::with_capacity(wanted.len());
        for (Wanted { ticket, amount, tab, .. }, reservation) in wanted.iter().zip(reservations) {
            if let Some(tab) = tab {
                self.after.take(tab);
            }
            let held = Held { reservation, amount: *amount, secured: None, tab: tab.clone() };
            self.held.insert(*ticket, held);
            events.push(reserved(*ticket, *amount));
        }
        Ok(events)
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
    pub fn scheme(&self, provider: &ProviderInfo, escrowed: bool, on_tab: bool) -> Scheme {
        match &self.rail {
            Some(rail) if rail.is_play() => Scheme::Play,
            Some(_) if on_tab => Scheme::After,
            Some(_) if escrowed => Scheme::Escrow,
            Some(_) if provider.flat_price.is_some() => Scheme::Before,
            _ => Scheme::Account,
        }
    }

    /// Marks attempts as possibly known to others, before they are: what a killed process leaves
    /// behind counts as spent until it is reconciled. Free attempts need no mark.
    pub async fn publish(&self, tickets: &[Ticket]) -> Result<(), LedgerError> {
        let paid =
            tickets.iter().filter_map(|ticket| self.held.get(ticket)).filter(|held| held.amount > Sats::ZERO);
        join_all(paid.map(|held| held.reservation.publish())).await.into_iter().collect()
    }

    /// Locks the pay of several attempts, those of one mint in one exchange. Those that could not
    /// be locked are named with the reason; their sats are free again, or a pending refund if
    /// nobody knows.
    pub async fn secure(
        &mut self,
        purchases: Vec<Purchase>,
        patience: Duration,
    ) -> Result<HashMap<Ticket, String>, LedgerError> {
        let mut failed = HashMap::new();
        let Some(rail) = self.rail.clone() else { return Ok(failed) };
        let locktime = unix_secs().saturating_add((patience + LOCK_GRACE).as_secs());
        if !purchases.is_empty() {
            self.last_locktime = self.last_locktime.max(locktime);
        }
        let mut by_mint: HashMap<String, Vec<Purchase>> = HashMap::new();
        for purchase in purchases {
            by_mint.entry(purchase.cost.mint.clone()).or_default().push(purchase);
        }
        for (mint, purchases) in by_mint {
            let tickets: HashSet<Ticket> = purchases.iter().map(|purchase| purchase.ticket).collect();
            let marks: Vec<_> = self
                .held
                .iter_mut()
                .filter(|(ticket, _)| tickets.contains(*ticket))
                .map(|(_, held)| held.reservation.lock())
                .collect();
            join_all(marks).await.into_iter().collect::<Result<(), _>>()?;
            let bought: HashMap<Key, (Ticket, ProviderId, Sats)> = purchases
                .iter()
                .map(|each| (self.key(each.ticket), (each.ticket, each.provider.id.clone(), each.price)))
                .collect();
            let orders = purchases.into_iter().filter_map(|purchase| {
                Some(Order {
                    key: self.key(purchase.ticket),
                    provider: purchase.provider.id.clone(),
                    offer: purchase.provider.escrow?,
                    mint: purchase.cost.mint,
                    price: purchase.price,
                    most: Some(purchase.cost.total),
                    locktime,
                })
            });
            let (mut batches, mut splits) = (vec![orders.collect::<Vec<Order>>()], 0);
            while let Some(mut orders) = batches.pop() {
                match rail.lock(&mint, orders.clone()).await {
                    Ok(secured) => self.hold(secured, &bought),
                    // Nothing has moved, and perhaps all but one of them can be paid.
                    Err(error) if !error.unclear && orders.len() > 1 && splits < MOST_SPLITS => {
                        splits += 1;
                        let later = orders.split_off(orders.len() / 2);
                        batches.extend([later, orders]);
                    }
                    Err(error) => {
                        for (ticket, _, _) in orders.iter().filter_map(|order| bought.get(&order.key)) {
                            self.abandon(*ticket, error.unclear).await?;
                            failed.insert(*ticket, error.reason.clone());
                        }
                    }
                }
            }
        }
        Ok(failed)
    }

    /// Keeps what is locked with what was set aside for it.
    fn hold(&mut self, secured: Vec<Secured>, bought: &HashMap<Key, (Ticket, ProviderId, Sats)>) {
        for secured in secured {
            let Some((ticket, provider, price)) = bought.get(&secured.key).cloned() else { continue };
            if let Some(held) = self.held.get_mut(&ticket) {
                held.secured = Some(Bought { provider, price, secured });
            }
        }
    }

    /// Ends the reservation of an attempt whose lock failed.
    async fn abandon(&mut self, ticket: Ticket, unclear: bool) -> Result<(), LedgerError> {
        let Some(held) = self.held.remove(&ticket) else { return Ok(()) };
        held.reservation.release().await?;
        if unclear {
            self.in_doubt = true;
        } else {
            self.ledger.reconcile(self.key(ticket), Sats::ZERO, Sats::ZERO).await?;
            self.free_again.insert(ticket, held.amount);
        }
        Ok(())
    }

    /// The proof of pay that goes with a job.
    pub fn payment(&self, ticket: Ticket) -> Option<String> {
        self.held.get(&ticket)?.secured.as_ref().map(|bought| bought.secured.payload.clone())
    }

    /// Ends reservations: `Some(cost)` pays, `None` gives everything back. All share a commit.
    pub async fn end(&mut self, ended: Vec<(Ticket, Option<Sats>)>) -> Result<Moved, LedgerError> {
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
            match (&held.secured, &held.tab, cost) {
                (_, Some(tab), Some(_)) => owed.push((ticket, tab.clone(), held)),
                (_, Some(tab), None) => {
                    let (provider, settlement) = (tab.provider.clone(), Settlement::Declined);
                    moved.turned_down.push(provider.clone());
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
        self.pay_tabs(owed, &mut moved).await;
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
                // Too near to the locktime: it comes back then, and counts as spent until it has.
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

    /// A provider wants its pay before it works; what becomes of that is told by
    /// [`Money::paid_before`]. In words, why it gets nothing.
    pub fn demand(&mut self, demand: Demand) -> Result<(), String> {
        let Some(rail) = self.rail.clone() else {
            return Err(
                "it wants to be paid before it works and there is no wallet: frlm wallet create".to_owned()
            );
        };
        let Some(held) = self.held.remove(&demand.ticket) else {
            return Err("it asks for its pay a second time".to_owned());
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

    /// Whether a provider may be given the token that was made for its attempt; the ledger has settled it then.
    pub async fn give(&mut self, ticket: Ticket) -> Result<bool, LedgerError> {
        self.before.give(self.rail.as_ref(), ticket).await
    }

    /// An attempt is not wanted any more: its provider owes nothing.
    pub fn called_off(&mut self, ticket: Ticket) {
        self.before.called_off(ticket);
    }

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

    /// When everything that is still locked, or may be, has come back by itself, as Unix seconds.
    pub fn refund_at(&self) -> Option<u64> {
        (self.awaits_returns() || self.in_doubt).then_some(self.last_locktime)
    }

    /// Takes back what was returned of attempts that are over.
    pub async fn take_back(&mut self) -> Result<Vec<TraceEvent>, LedgerError> {
        let awaited = &self.awaited;
        let returned: Vec<(Ticket, String)> =
            self.returned.extract_if(|ticket, _| awaited.contains_key(ticket)).collect();
        // Whoever has its pay gives nothing back.
        let held = &self.held;
        self.returned.retain(|ticket, _| held.contains_key(ticket));
        let Some(rail) = self.rail.clone().filter(|_| !returned.is_empty()) else { return Ok(Vec::new()) };
        let tickets: HashMap<Key, Ticket> =
            returned.iter().map(|(ticket, _)| (self.key(*ticket), *ticket)).collect();
        let payloads = returned.into_iter().map(|(_, payload)| payload).collect();
        let back = match rail.take_back(payloads).await {
            Ok(back) => back,
            Err(reason) => {
                tracing::warn!(%reason, "returned pay could not be taken back; it waits for its locktime");
                return Ok(Vec::new());
            }
        };
        let mut reconciling = Vec::with_capacity(back.len());
        for (key, fees) in back {
            // A signature for a lock of another run proves nothing about this one.
            let Some(ticket) = tickets.get(&key).copied() else { continue };
            let Some(amount) = self.awaited.remove(&ticket) else { continue };
            let ledger = &self.ledger;
            // Where the mint takes more than was set aside, that is all of it: no run ends for that.
            let fees = fees.min(amount);
            reconciling.push(async move {
                ledger.reconcile(key, Sats::ZERO, fees).await.map(|()| settled(ticket, amount, fees))
            });
        }
        // All of them share a commit.
        join_all(reconciling).await.into_iter().collect()
    }

    /// Attempts that still hold money.
    pub fn open_tickets(&self) -> Vec<Ticket> {
        self.held.keys().copied().collect()
    }

    fn key(&self, ticket: Ticket) -> Key {
        Key::new(Arc::clone(&self.run), ticket.subtask, ticket.attempt)
    }
}

/// Settles pay that was signed over; what it counts as. Where the mint takes more than it did when this was reserved,
/// that is all of it, until the wallet's books are looked at: nobody's pay waits for that.
pub(super) async fn settle_paid(
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

fn reserved(ticket: Ticket, amount: Sats) -> TraceEvent {
    TraceEvent::BudgetReserve {
        subtask: SubtaskId(ticket.subtask),
        attempt: AttemptId(ticket.attempt),
        sats: amount.0,
    }
}

pub(super) fn settled(ticket: Ticket, amount: Sats, spent: Sats) -> TraceEvent {
    TraceEvent::BudgetSettle {
        subtask: SubtaskId(ticket.subtask),
        attempt: AttemptId(ticket.attempt),
        spent_sats: spent.0,
        refunded_sats: amount.0.saturating_sub(spent.0),
    }
}

pub(super) fn unix_secs() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
