//! The locks of the attempts that are out: pay in escrow, made before a job leaves.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use frlm_wallet::{Key, LedgerError, Sats};
use futures::future::join_all;

use super::{Bought, Money, Purchase};
use crate::payment::{Order, Secured};
use crate::swarm::{ProviderId, Ticket};

/// How much longer than a run may last its locks are kept: time for the last verdict, for the
/// provider to redeem, and for clocks that differ.
const LOCK_GRACE: Duration = Duration::from_mins(5);

/// How often jobs whose pay could not be locked together are tried in halves: as often as it takes to find one among
/// 256 that holds up the others, and no oftener, for a mint may refuse all of them.
pub(super) const MOST_SPLITS: u32 = 8;

impl Money {
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
        let locktime = frlm_util::clock::unix_secs().saturating_add((patience + LOCK_GRACE).as_secs());
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
}
