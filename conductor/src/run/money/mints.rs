//! What mints are asked for beside the loop: what pay costs, locks, pay for what is owed, pay that is given back.
//!
//! ```text
//!  loop ─► begin (ledger: durable) ─► a task for each mint ─► done ─► loop: booked, said, sent
//! ```
//!
//! A run never waits for a mint: it is stopped, obeys and ends in time however long a mint takes. No mint is waited for
//! with another one's work either.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures::future::join_all;

use super::back::Reclaimed;
use super::lock::DoneAtMint;
use crate::payment::{Cost, PaymentRail};
use crate::run::beside::Beside;
use crate::run::dispatch::Dispatch;
use crate::run::pay_after::PaidDebts;
use crate::swarm::{ProviderId, ProviderInfo, Ticket};
use frlm_wallet::Sats;

/// A job, and what paying for it can cost: nothing where it is not paid through a rail; in words, why it cannot be paid.
pub(in crate::run) type Priced = (Dispatch, Result<Option<Cost>, String>);

/// What a mint has done, or has not.
#[derive(Debug)]
pub(in crate::run) enum DoneByMint {
    /// What jobs cost.
    Priced(Vec<Priced>),
    /// Locks of jobs that are to leave.
    Locked(DoneAtMint),
    /// Pay for what is owed.
    Paid(PaidDebts),
    /// Pay that providers gave back.
    Reclaimed(Reclaimed),
}

/// What a mint is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::run) enum Errand {
    /// To say what pay costs.
    Price,
    /// To lock the pay of jobs that are to leave.
    Lock,
    /// To pay what is owed.
    Pay,
    /// To reclaim pay that was returned.
    Reclaim,
}

/// What mints are doing for a run.
#[derive(Debug, Default)]
pub(in crate::run) struct Mints {
    pub errands: Beside<Errand, DoneByMint>,
    /// Jobs whose cost is asked for and whose time begins when they leave.
    pricing: HashSet<Ticket>,
}

impl Mints {
    /// The next errand that is done; `None` if none is under way. Nothing is lost if this is dropped.
    pub async fn next(&mut self) -> Option<DoneByMint> {
        loop {
            // The reservations of an errand that broke off are ended with the run, and count as pending refunds until then.
            let Ok(done) = self.errands.next().await? else { continue };
            if let DoneByMint::Priced(jobs) = &done {
                for (job, _) in jobs {
                    self.pricing.remove(&job.ticket);
                }
            }
            return Some(done);
        }
    }

    /// Jobs whose cost is asked for and whose time begins when they leave.
    pub fn pricing(&self) -> impl Iterator<Item = Ticket> + '_ {
        self.pricing.iter().copied()
    }

    /// Asks the rail what paying for jobs can cost, those of providers with the same mints together; each provider and
    /// price once. Jobs that are not paid through it are known at once.
    pub fn begin_costs(&mut self, jobs: Vec<Dispatch>, rail: Option<&Arc<dyn PaymentRail>>) -> Vec<Priced> {
        let mut known = Vec::new();
        let mut asked: HashMap<Vec<String>, Vec<Dispatch>> = HashMap::new();
        for job in jobs {
            match (rail, needs_rail(&job.provider, job.price), &job.provider.escrow) {
                (Some(_), true, None) => {
                    let why = "it asks for sats and names no way to be paid in escrow".to_owned();
                    known.push((job, Err(why)));
                }
                (Some(_), true, Some(offer)) => asked.entry(offer.mints.clone()).or_default().push(job),
                _ => known.push((job, Ok(None))),
            }
        }
        let Some(rail) = rail else { return known };
        for jobs in asked.into_values() {
            self.pricing.extend(jobs.iter().filter(|job| job.due.is_none()).map(|job| job.ticket));
            let rail = Arc::clone(rail);
            self.errands.begin(Errand::Price, async move {
                let mut distinct: HashMap<(ProviderId, Sats), &ProviderInfo> = HashMap::new();
                for job in &jobs {
                    distinct.entry((job.provider.id.clone(), job.price)).or_insert(&job.provider);
                }
                let asking = distinct.into_iter().map(async |(which, provider)| {
                    let cost = match &provider.escrow {
                        Some(offer) => rail.cost(offer, which.1).await.map(Some),
                        None => Ok(None),
                    };
                    (which, cost)
                });
                let told: HashMap<_, _> = join_all(asking).await.into_iter().collect();
                let cost = |job: &Dispatch| told[&(job.provider.id.clone(), job.price)].clone();
                DoneByMint::Priced(
                    jobs.into_iter().map(|job| (cost(&job), job)).map(|(cost, job)| (job, cost)).collect(),
                )
            });
        }
        known
    }
}

/// Whether a job is paid for through a rail.
fn needs_rail(provider: &ProviderInfo, price: Sats) -> bool {
    // Who has a flat price says itself what it wants, once it has the job.
    price > Sats::ZERO && !provider.trusted && provider.flat_price.is_none()
}
