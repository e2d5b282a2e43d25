//! Providers that give jobs away: so many of a key in a day, as they announce.
//!
//! ```text
//!  still given? ─► sent without a bid, nothing reserved ─► verdict: costs nothing
//!       │ no: paid for                     │
//!       └── from then on ◄── refused ──────┘
//! ```
//!
//! What is announced is a claim. A free job is asked for without sats, so that none can be asked of it;
//! a provider that refuses it gets the next one at its price, reserved in full like any other. The cap relies on none of
//! it.

use std::collections::{HashMap, HashSet};

use crate::swarm::{ProviderId, ProviderInfo, Ticket};

/// A provider that claims to give more is asked for this many.
const MOST_FREE_JOBS: u32 = 1_024;

/// What providers gave to a run.
#[derive(Debug, Default)]
pub(super) struct FreeJobs {
    /// Jobs that each was asked to do for nothing.
    asked: HashMap<ProviderId, u32>,
    /// Attempts that were sent as free jobs, and to whom.
    sent: HashMap<Ticket, ProviderId>,
    /// Providers that give nothing more.
    closed: HashSet<ProviderId>,
}

impl FreeJobs {
    /// Whether an attempt goes to its provider as a free job; it counts as one from here on. A verdict never does:
    /// it may be asked for a few times only, and with one that is refused for want of pay goes the answer.
    pub fn take(&mut self, ticket: Ticket, provider: &ProviderInfo, is_verdict: bool) -> bool {
        let most = provider.tariff.free_jobs.min(MOST_FREE_JOBS);
        let asked = self.asked.get(&provider.id).copied().unwrap_or(0);
        if is_verdict || asked >= most || self.closed.contains(&provider.id) {
            return false;
        }
        self.asked.insert(provider.id.clone(), asked + 1);
        self.sent.insert(ticket, provider.id.clone());
        true
    }

    /// An attempt was refused as too cheap. If it was asked for as a free job: of whom, and whether it is news that
    /// this provider gives nothing more.
    pub fn refused(&mut self, ticket: Ticket) -> Option<(ProviderId, bool)> {
        let provider = self.sent.remove(&ticket)?;
        let news = self.closed.insert(provider.clone());
        Some((provider, news))
    }
}

#[cfg(test)]
mod tests {
    use frlm_wallet::{Msats, Sats};

    use super::*;
    use crate::swarm::Tariff;

    fn generous(free_jobs: u32) -> ProviderInfo {
        let tariff = Tariff { free_jobs, ..Tariff::per_1k(Msats(1_000)) };
        ProviderInfo { tariff, flat_price: None, ..ProviderInfo::foreign("a".into(), Sats(1)) }
    }

    fn ticket(subtask: u32) -> Ticket {
        Ticket { subtask, attempt: 0 }
    }

    #[test]
    fn as_many_jobs_are_asked_for_as_are_given() {
        let (mut free_jobs, provider) = (FreeJobs::default(), generous(2));
        let taken = (0..5).filter(|subtask| free_jobs.take(ticket(*subtask), &provider, false)).count();
        assert_eq!(taken, 2);
        assert!(!FreeJobs::default().take(ticket(0), &provider, true), "its verdict is paid for");
        assert!(!FreeJobs::default().take(ticket(0), &generous(0), false));
        let mut free_jobs = FreeJobs::default();
        let taken = (0..2 * MOST_FREE_JOBS)
            .filter(|subtask| free_jobs.take(ticket(*subtask), &generous(u32::MAX), false));
        assert_eq!(taken.count(), MOST_FREE_JOBS as usize);
    }

    #[test]
    fn who_refuses_a_gift_is_asked_for_no_other_and_only_its_gifts_are_meant() {
        let (mut free_jobs, provider) = (FreeJobs::default(), generous(9));
        assert!(free_jobs.take(ticket(0), &provider, false) && free_jobs.take(ticket(1), &provider, false));
        assert_eq!(free_jobs.refused(ticket(7)), None, "that one was to be paid for");
        assert_eq!(free_jobs.refused(ticket(0)), Some(("a".into(), true)));
        assert!(!free_jobs.take(ticket(2), &provider, false));
        assert_eq!(free_jobs.refused(ticket(1)), Some(("a".into(), false)), "known already");
    }
}
