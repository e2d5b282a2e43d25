//! Free jobs: providers announce how many a key gets in a day.
//!
//! ```text
//!  still given? ─► sent without a bid, nothing reserved ─► verdict: costs nothing
//!       │ no: paid for                     │
//!       └── from then on ◄── refused ──────┘
//! ```
//!
//! The announcement is only a claim. A free job goes out without a bid, so the provider can charge nothing for it. If the
//! provider refuses the job, its next job has the usual price, reserved in full like any other. The budget never relies on
//! free jobs.

use std::collections::{HashMap, HashSet};

use crate::swarm::{ProviderId, ProviderInfo, Ticket};

/// The most free jobs that a run asks of one provider, whatever it announces.
const MOST_FREE_JOBS: u32 = 1_024;

/// The free jobs of a run.
#[derive(Debug, Default)]
pub(super) struct FreeJobs {
    /// How many free jobs each provider was asked to do.
    asked: HashMap<ProviderId, u32>,
    /// Attempts that were sent as free jobs, and to whom.
    sent: HashMap<Ticket, ProviderId>,
    /// Providers that do no more free jobs.
    closed: HashSet<ProviderId>,
}

impl FreeJobs {
    /// Whether an attempt goes to its provider as a free job; it counts as one from here on. A validator's job never does:
    /// it has only a few tries, and if it is refused for lack of pay, the answer is lost.
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

    /// An attempt was refused as too cheap. If it was a free job: its provider, and whether it is news that this
    /// provider does no more free jobs.
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
        Ticket::at(subtask, 0)
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
