//! Providers with a credit line: they work first, and are paid after the verdict.
//!
//! ```text
//!  any credit left?  ─► reserve, publish ─► job leaves without pay ─► verdict
//!       │ no: escrow                                                 │
//!       │                        not: declined, released ◄───────────┤
//!       │                                                            ▼ counts
//!       │         pay out (ledger) ─► owed (wallet) ─► Verified (journal) ─► lock, release
//!       │                                                                        │
//!       └── refused by the provider: escrow from then on      paid, settled ◄── a relay has it
//! ```
//!
//! The price is reserved as for escrow, so that the budget holds. A debt is durable before the journal
//! says that the answer counts. From then on it is paid once, by this process or a later one
//! (`frlm_client::payment::debts`). Until a relay has the payment, the debt counts as spent in full.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use frlm_protocol::Settlement;
use frlm_wallet::debts::DEBT_LOCK_SECS;
use frlm_wallet::{Key, LedgerError, Reservation, Sats};
use futures::future::join_all;

use super::money::{DoneByMint, Errand, Held, Mints, Notice, settle_paid, settled};
use crate::payment::{Cost, Payment, PaymentRail, Secured, Unpaid};
use crate::swarm::{Address, EscrowOffer, ProviderId, ProviderInfo, Ticket};
use crate::trace::TraceEvent;

/// The most unpaid jobs that a credit line may stand for, whatever the provider announces.
const MOST_ON_CREDIT: u32 = 64;

/// A job that is paid for after its verdict.
#[derive(Debug, Clone)]
pub(super) struct Debt {
    pub provider: ProviderId,
    pub offer: EscrowOffer,
    pub mint: String,
    pub price: Sats,
    /// The debt is on disk.
    pub owed: bool,
}

impl Debt {
    /// What pays it, through the mint that its job was priced at.
    fn order(&self, key: Key, locktime: u64) -> Payment {
        Payment {
            key,
            provider: self.provider.clone(),
            offer: self.offer.clone(),
            mint: self.mint.clone(),
            price: self.price,
            most: None,
            locktime,
        }
    }
}

/// Pay of which the provider was not told yet.
#[derive(Debug)]
struct Telling {
    reservation: Reservation,
    provider: ProviderId,
    amount: Sats,
    price: Sats,
    fees: Sats,
}

/// Jobs on credit whose pay is at one mint, and the locks and releases of those that are paid.
#[derive(Debug)]
pub(super) struct PaidDebts {
    owed: Vec<(Ticket, Debt, Held)>,
    paid: HashMap<Key, (Secured, String)>,
}

/// What a run owes.
#[derive(Debug, Default)]
pub(super) struct PayAfter {
    /// Jobs on a provider's credit line: out, unpaid, or declined, which it may count too.
    taken: HashMap<ProviderId, u32>,
    /// Providers that let nothing more be owed.
    closed: HashSet<ProviderId>,
    /// Paid, and not said yet.
    telling: HashMap<Ticket, Telling>,
    /// Said since this was last looked at.
    told: Vec<Ticket>,
}

/// How many jobs a provider lets a key owe for, as far as that is believed.
pub(super) fn room(offer: &EscrowOffer) -> u32 {
    offer.pay_after_jobs.min(MOST_ON_CREDIT)
}

impl PayAfter {
    /// Which of these jobs, each with what it costs, go on credit.
    pub fn choose<'a>(
        &self,
        jobs: impl Iterator<Item = (&'a ProviderInfo, Sats, Option<&'a Cost>)>,
    ) -> Vec<Option<Debt>> {
        let mut taken: HashMap<&str, u32> = HashMap::new();
        let choose = |(provider, price, cost): (&'a ProviderInfo, Sats, Option<&'a Cost>)| {
            let (offer, cost) = (provider.escrow.as_ref()?, cost?);
            if self.closed.contains(&provider.id) {
                return None;
            }
            let before = self.taken.get(&provider.id).copied().unwrap_or(0);
            let here = taken.entry(&*provider.id).or_insert(0);
            if before.saturating_add(*here) >= room(offer) {
                return None;
            }
            *here += 1;
            Some(Debt {
                provider: provider.id.clone(),
                offer: offer.clone(),
                mint: cost.mint.clone(),
                price,
                owed: false,
            })
        };
        jobs.map(choose).collect()
    }

    /// A job is on its provider's credit line now.
    pub fn take(&mut self, debt: &Debt) {
        *self.taken.entry(debt.provider.clone()).or_default() += 1;
    }

    /// A provider lets nothing more be owed; whether that is news.
    pub fn close(&mut self, provider: &ProviderId) -> bool {
        self.closed.insert(provider.clone())
    }

    /// A provider is told of its pay: there is room for another job.
    pub fn paid(&mut self, provider: &ProviderId) {
        if let Some(taken) = self.taken.get_mut(provider) {
            *taken = taken.saturating_sub(1);
        }
    }

    /// Takes in what a mint has paid; what is to be said to its providers.
    pub fn paid_debts(&mut self, done: PaidDebts) -> Vec<Notice> {
        let PaidDebts { owed, mut paid } = done;
        let mut notices = Vec::new();
        for (ticket, debt, Held { reservation, amount, .. }) in owed {
            let Some((secured, release)) = paid.remove(reservation.key()) else { continue };
            let Debt { provider, price, .. } = debt;
            let settlement = Settlement::Paid { lock: secured.payload, release };
            notices.push(Notice { ticket, provider: provider.clone(), settlement });
            let telling = Telling { reservation, provider, amount, price, fees: secured.fees };
            self.telling.insert(ticket, telling);
        }
        notices
    }

    /// A relay has the word that pays an attempt.
    pub fn on_told(&mut self, ticket: Ticket) {
        self.told.push(ticket);
    }

    /// Whether providers are still to be told of their pay.
    pub fn is_telling(&self) -> bool {
        !self.telling.is_empty()
    }

    /// What is to be settled of attempts whose providers were told of their pay since the last call; `None` if there are none.
    pub fn begin_to_settle(&mut self, rail: Option<Arc<dyn PaymentRail>>) -> Option<Acknowledged> {
        let told = std::mem::take(&mut self.told);
        let told = told.into_iter().filter_map(|ticket| Some((ticket, self.telling.remove(&ticket)?)));
        let told: Vec<(Ticket, Telling)> = told.collect();
        (!told.is_empty()).then(|| Acknowledged { rail, told })
    }

    /// Takes in what was settled; what is to be said of it.
    pub fn acknowledged(&mut self, settled: Vec<(ProviderId, TraceEvent)>) -> Vec<TraceEvent> {
        let taken = settled.into_iter().map(|(provider, event)| {
            self.paid(&provider);
            event
        });
        taken.collect()
    }
}

/// Begins to pay for attempts that count, each mint for itself. What fails is owed, counts as spent, and is paid by a later
/// look.
pub(super) fn begin_to_pay(rail: &Arc<dyn PaymentRail>, owed: Vec<(Ticket, Debt, Held)>, mints: &mut Mints) {
    let locktime = frlm_util::clock::unix_secs().saturating_add(DEBT_LOCK_SECS);
    let mut by_mint: HashMap<String, Vec<(Ticket, Debt, Held)>> = HashMap::new();
    // What nobody has marked as spent is not spent.
    for (ticket, debt, held) in owed.into_iter().filter(|(_, debt, _)| debt.owed) {
        by_mint.entry(debt.mint.clone()).or_default().push((ticket, debt, held));
    }
    for (mint, owed) in by_mint {
        let rail = Arc::clone(rail);
        mints.errands.begin(Errand::Pay, async move {
            let orders =
                owed.iter().map(|(_, debt, held)| debt.order(held.reservation.key().clone(), locktime));
            let paid = pay(&rail, &mint, orders.collect()).await;
            DoneByMint::Paid(PaidDebts { owed, paid })
        });
    }
}

/// Debts that are to be written down.
#[derive(Debug)]
pub(super) struct NewDebts {
    pub rail: Arc<dyn PaymentRail>,
    pub debts: Vec<(Ticket, Held, Address)>,
}

impl NewDebts {
    /// Writes them down: in the ledger as spent, in the wallet as owed.
    pub async fn write(mut self) -> Result<Vec<(Ticket, Held)>, LedgerError> {
        let marks = self.debts.iter_mut().map(|(_, held, _)| held.reservation.pay_out());
        join_all(marks).await.into_iter().collect::<Result<(), _>>()?;
        let debts = self.debts.iter_mut().filter_map(|(_, held, address)| {
            let debt = held.debt.as_mut()?;
            debt.owed = true;
            let (order, Address { job, relays }) =
                (debt.order(held.reservation.key().clone(), 0), address.clone());
            Some(Unpaid { order, job, relays })
        });
        if let Err(reason) = self.rail.record_debts(debts.collect()).await {
            // It is paid all the same, unless this process dies first.
            tracing::warn!(%reason, "what is owed could not be written down");
        }
        Ok(self.debts.into_iter().map(|(ticket, held, _)| (ticket, held)).collect())
    }
}

/// Pay of which providers were told, to be settled.
#[derive(Debug)]
pub(super) struct Acknowledged {
    rail: Option<Arc<dyn PaymentRail>>,
    told: Vec<(Ticket, Telling)>,
}

impl Acknowledged {
    /// Settles it in the ledger.
    pub async fn write(self) -> Result<Vec<(ProviderId, TraceEvent)>, LedgerError> {
        let settling = self.told.into_iter().map(|(ticket, telling)| async move {
            let Telling { reservation, provider, amount, price, fees } = telling;
            let key = reservation.key().clone();
            let cost = settle_paid(reservation, (price, fees)).await?;
            Ok::<_, LedgerError>((key, (provider, settled(ticket, amount, cost))))
        });
        // All of them share a commit.
        let (mut all, mut done) = (Vec::new(), Vec::new());
        for paid in join_all(settling).await {
            let (key, one) = paid?;
            all.push(one);
            done.push(key);
        }
        if let Some(rail) = self.rail
            && let Err(reason) = rail.settled(done).await
        {
            tracing::warn!(%reason, "the wallet could not note who was told of their pay; they are told again");
        }
        Ok(all)
    }
}

/// Locks at one mint what is owed, and signs it over: both words by attempt. What fails is owed
/// still, and paid by a later look.
async fn pay(
    rail: &Arc<dyn PaymentRail>,
    mint: &str,
    orders: Vec<Payment>,
) -> HashMap<Key, (Secured, String)> {
    let secured = match rail.lock(mint, orders).await {
        Ok(secured) => secured,
        Err(error) => {
            tracing::warn!(%error, "what is owed could not be paid now; it counts as spent and is tried again");
            return HashMap::new();
        }
    };
    let keys = secured.iter().map(|secured| secured.key.clone()).collect();
    let mut released: HashMap<_, String> = match rail.release(keys).await {
        Ok(released) => released.into_iter().collect(),
        Err(reason) => {
            tracing::warn!(%reason, "what is owed could not be signed over now; it is tried again");
            return HashMap::new();
        }
    };
    let paid = secured.into_iter().filter_map(|secured| {
        let release = released.remove(&secured.key)?;
        Some((secured.key.clone(), (secured, release)))
    });
    paid.collect()
}

#[cfg(test)]
mod tests {
    use frlm_wallet::Msats;

    use super::*;
    use crate::swarm::Tariff;

    fn provider(id: &str, pay_after_jobs: u32) -> ProviderInfo {
        ProviderInfo {
            tariff: Tariff::per_1k(Msats(1_000)),
            escrow: Some(EscrowOffer { key: String::new(), mints: Vec::new(), pay_after_jobs }),
            flat_price: None,
            ..ProviderInfo::foreign(id.into(), Sats::ZERO)
        }
    }

    fn chosen(after: &PayAfter, provider: &ProviderInfo, jobs: usize) -> usize {
        let cost = Cost { mint: "m".to_owned(), total: Sats(2) };
        let jobs = std::iter::repeat_n((provider, Sats(1), Some(&cost)), jobs);
        after.choose(jobs).into_iter().flatten().count()
    }

    #[test]
    fn a_credit_line_takes_as_many_jobs_as_it_allows_and_more_once_paid() {
        let (mut after, generous) = (PayAfter::default(), provider("a", 2));
        assert_eq!(chosen(&after, &generous, 5), 2, "a batch counts as a whole");
        let cost = Cost { mint: "m".to_owned(), total: Sats(2) };
        let debt = after.choose(std::iter::once((&generous, Sats(1), Some(&cost)))).remove(0).unwrap();
        after.take(&debt);
        assert_eq!(chosen(&after, &generous, 5), 1);
        after.take(&debt);
        assert_eq!(chosen(&after, &generous, 5), 0);
        after.paid(&generous.id);
        assert_eq!(chosen(&after, &generous, 5), 1);
    }

    #[test]
    fn nothing_goes_on_a_tab_that_is_closed_or_was_never_offered() {
        let mut after = PayAfter::default();
        assert_eq!(chosen(&after, &provider("a", 0), 3), 0);
        assert_eq!(chosen(&after, &provider("a", u32::MAX), 100), MOST_ON_CREDIT as usize);
        assert!(after.close(&"a".into()));
        assert_eq!(chosen(&after, &provider("a", 3), 3), 0);
        assert_eq!(after.choose(std::iter::once((&provider("b", 3), Sats(1), None))).len(), 1);
        assert!(after.choose(std::iter::once((&provider("b", 3), Sats(1), None)))[0].is_none(), "no mint");
    }
}
