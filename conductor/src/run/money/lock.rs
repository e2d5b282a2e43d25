//! The locks of the attempts that are out: pay in escrow, made before a job leaves.
//!
//! ```text
//!  begin (ledger has it) ─► one task per mint ─► done at that mint ─┬─ locked: its jobs leave
//!                                                                   └─ not: free again, or a pending refund
//! ```
//!
//! No mint is waited for with another one's locks, nor does the run wait for them (the `mints` module).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_wallet::{Key, Reservation, Sats};
use tokio::time::Instant;

use super::mints::{DoneByMint, Errand, Mints};
use super::{Bought, Money, Purchase};
use crate::payment::{LockFailed, Payment, PaymentRail, Secured};
use crate::run::commit::Written;
use crate::run::outbox::Outbox;
use crate::swarm::{ProviderId, Ticket};

/// How much longer than a run may last its locks are kept: time for the last verdict, for the
/// provider to redeem, and for clocks that differ.
const LOCK_GRACE: Duration = Duration::from_mins(5);

/// How often jobs whose pay could not be locked together are tried in halves: as often as it takes to find one among
/// 256 that holds up the others, and no oftener, for a mint may refuse all of them.
pub(super) const MOST_SPLITS: u32 = 8;
/// How long they are: a mint that takes this long to refuse would hold up its jobs for minutes.
const SPLITTING: Duration = Duration::from_secs(20);

/// Who is paid by which lock, and how much.
type BoughtBy = HashMap<Key, (Ticket, ProviderId, Sats)>;

/// Locks that are to be made at one mint.
#[derive(Debug, Default)]
struct AtMint {
    bought: BoughtBy,
    orders: Vec<Payment>,
}

/// Locks that were tried together, and what came of them.
type Try = (Vec<Key>, Result<Vec<Secured>, LockFailed>);

/// What has become of locks at one mint.
#[derive(Debug)]
pub(in crate::run) struct DoneAtMint {
    bought: BoughtBy,
    tries: Vec<Try>,
}

/// Makes the locks at one mint. Where nothing has moved, perhaps all but one of them can be paid: they are tried in halves.
async fn make(rail: Arc<dyn PaymentRail>, mint: String, at: AtMint) -> DoneAtMint {
    let AtMint { bought, orders } = at;
    let (mut batches, mut splits, mut tries) = (vec![orders], 0, Vec::new());
    let until = Instant::now() + SPLITTING;
    while let Some(mut orders) = batches.pop() {
        let keys = orders.iter().map(|order| order.key.clone()).collect();
        match rail.lock(&mint, orders.clone()).await {
            Err(error)
                if !error.unclear && orders.len() > 1 && splits < MOST_SPLITS && Instant::now() < until =>
            {
                splits += 1;
                let later = orders.split_off(orders.len() / 2);
                batches.extend([later, orders]);
            }
            outcome => tries.push((keys, outcome)),
        }
    }
    DoneAtMint { bought, tries }
}

/// Reservations of attempts whose pay is not locked, and whether nobody knows that.
#[derive(Debug, Default)]
pub(in crate::run) struct Abandoned(Vec<(Reservation, bool)>);

impl Money {
    /// Begins to lock the pay of several attempts: those of one mint in one exchange, each mint for itself. The ledger must
    /// have marked them as possibly locked; what becomes of it says [`Mints::next`].
    pub fn begin_locks(&mut self, purchases: Vec<Purchase>, timeout: Duration, mints: &mut Mints) {
        let Some(rail) = self.rail.clone().filter(|_| !purchases.is_empty()) else { return };
        let locktime = frlm_util::clock::unix_secs().saturating_add((timeout + LOCK_GRACE).as_secs());
        self.last_locktime = self.last_locktime.max(locktime);
        let mut by_mint: HashMap<String, AtMint> = HashMap::new();
        for Purchase { ticket, provider, price, cost } in purchases {
            let Some(offer) = provider.escrow else { continue };
            let (key, mint) = (self.key(ticket), cost.mint);
            let at = by_mint.entry(mint.clone()).or_default();
            at.bought.insert(key.clone(), (ticket, provider.id.clone(), price));
            at.orders.push(Payment {
                key,
                provider: provider.id,
                offer,
                mint,
                price,
                most: Some(cost.total),
                locktime,
            });
        }
        for (mint, at) in by_mint {
            let rail = Arc::clone(&rail);
            mints.errands.begin(Errand::Lock, async move { DoneByMint::Locked(make(rail, mint, at).await) });
        }
    }

    /// Takes in what a mint has made of its locks: by attempt, why one could not be paid for. What is to be written of those
    /// frees their sats again, or makes them a pending refund if nobody knows.
    pub fn take_locks(&mut self, done: DoneAtMint) -> (HashMap<Ticket, Option<String>>, Abandoned) {
        let DoneAtMint { bought, tries } = done;
        let (mut told, mut abandoned) = (HashMap::new(), Abandoned::default());
        for (orders, outcome) in tries {
            let failed = match outcome {
                Ok(secured) => {
                    self.hold(secured, &bought);
                    None
                }
                Err(failed) => Some(failed),
            };
            for (ticket, _, _) in orders.iter().filter_map(|key| bought.get(key)) {
                if let Some(failed) = &failed {
                    self.abandon(*ticket, failed.unclear, &mut abandoned);
                }
                told.insert(*ticket, failed.as_ref().map(|failed| failed.reason.clone()));
            }
        }
        (told, abandoned)
    }

    /// The run is over and locks are still being made: nobody knows whether they will be.
    pub fn give_up_locks(&mut self, mints: &mut Mints) {
        self.in_doubt |= mints.errands.any(Errand::Lock);
        mints.errands.give_up(Errand::Lock);
    }

    /// Keeps what is locked with what was reserved for it.
    fn hold(&mut self, secured: Vec<Secured>, bought: &BoughtBy) {
        for secured in secured {
            let Some((ticket, provider, price)) = bought.get(&secured.key).cloned() else { continue };
            if let Some(held) = self.held.get_mut(&ticket) {
                held.secured = Some(Bought { provider, price, secured });
            }
        }
    }

    /// The end of the reservation of an attempt whose lock failed, or was never asked for.
    pub fn abandon(&mut self, ticket: Ticket, unclear: bool, abandoned: &mut Abandoned) {
        let Some(held) = self.held.remove(&ticket) else { return };
        if unclear {
            self.in_doubt = true;
        } else {
            self.free_again.insert(ticket, held.amount);
        }
        abandoned.0.push((held.reservation, unclear));
    }

    /// Has that written down.
    pub fn write_abandoned(&self, abandoned: Abandoned, outbox: &mut Outbox<Written>) {
        if abandoned.0.is_empty() {
            return;
        }
        let ledger = self.ledger.clone();
        outbox.push(async move {
            for (reservation, unclear) in abandoned.0 {
                let key = reservation.key().clone();
                reservation.release().await?;
                if !unclear {
                    ledger.reconcile(key, Sats::ZERO, Sats::ZERO).await?;
                }
            }
            Ok(Written::Nothing)
        });
    }

    /// The proof of pay that goes with a job.
    pub fn payment(&self, ticket: Ticket) -> Option<String> {
        self.held.get(&ticket)?.secured.as_ref().map(|bought| bought.secured.payload.clone())
    }
}
