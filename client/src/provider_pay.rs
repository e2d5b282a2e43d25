//! What jobs were paid, folded from the wallet's escrow book. The book knows every job that ever came
//! with its price, locked or to be owed; what is asked of the wallet again is only what has changed.

use std::collections::HashMap;

use frlm_protocol::printable;
use frlm_wallet::escrow::Earning;

use crate::earnings_report::EarningState;

/// A job's pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paid {
    /// The job's event id, hex.
    pub job: String,
    /// Who asked, hex.
    pub asker: String,
    /// The model that worked.
    pub model: String,
    /// What was agreed, in sats.
    pub price: u64,
    /// What arrived, in sats; the mint's fees are taken off.
    pub received: u64,
    /// Unix seconds at which locked sats go back by themselves, or what is owed is due.
    pub until_secs: u64,
    /// Unix milliseconds of its last change.
    pub at_ms: u64,
    /// What became of it.
    pub status: EarningState,
}

impl Paid {
    /// What counts: what arrived of what is earned, what was agreed of the rest.
    fn counted(&self) -> u64 {
        if self.status == EarningState::Earned { self.received } else { self.price }
    }
}

/// Jobs and sats of one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    /// Jobs.
    pub jobs: u64,
    /// Sats.
    pub sats: u64,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pay {
    /// In the order in which they were first heard of.
    paid: Vec<Paid>,
    /// Job → its place.
    places: HashMap<String, usize>,
    /// By state, in the order of [`EarningState`].
    sums: [Sum; 6],
}

impl Pay {
    /// Folds what the book says, in any order and as often as it likes.
    pub fn take(&mut self, earnings: &[Earning]) {
        for earning in earnings {
            let paid = Paid {
                job: earning.job.clone(),
                asker: earning.asker.clone(),
                model: printable(&earning.model).into_owned(),
                price: earning.price.0,
                received: earning.received.0,
                until_secs: earning.locktime,
                at_ms: u64::try_from(earning.at_unix_ms).unwrap_or(0),
                status: EarningState::of(&earning.state),
            };
            let sum = &mut self.sums[paid.status as usize];
            sum.jobs += 1;
            sum.sats = sum.sats.saturating_add(paid.counted());
            if let Some(place) = self.places.get(&earning.job) {
                let before = std::mem::replace(&mut self.paid[*place], paid);
                let sum = &mut self.sums[before.status as usize];
                sum.jobs -= 1;
                sum.sats = sum.sats.saturating_sub(before.counted());
            } else {
                self.places.insert(paid.job.clone(), self.paid.len());
                self.paid.push(paid);
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.paid.len()
    }

    /// Counted from the newest.
    pub fn get(&self, position: usize) -> Option<&Paid> {
        self.paid.len().checked_sub(position + 1).map(|place| &self.paid[place])
    }

    /// Of this job.
    pub fn of(&self, job: &str) -> Option<&Paid> {
        self.places.get(job).map(|place| &self.paid[*place])
    }

    /// Everything of one state.
    pub fn sum(&self, status: EarningState) -> Sum {
        self.sums[status as usize]
    }

    /// What is still to be decided or redeemed.
    pub fn pending(&self) -> Sum {
        let (locked, released) = (self.sum(EarningState::Locked), self.sum(EarningState::Released));
        Sum { jobs: locked.jobs + released.jobs, sats: locked.sats.saturating_add(released.sats) }
    }
}

#[cfg(test)]
mod tests {
    use frlm_wallet::Sats;

    use super::*;

    fn earning(job: &str, state: &str, at_unix_ms: i64) -> Earning {
        Earning {
            job: job.to_owned(),
            asker: "4f35".to_owned(),
            model: "m".to_owned(),
            mint: "https://mint.example".to_owned(),
            state: state.to_owned(),
            price: Sats(4),
            received: if state == "redeemed" { Sats(3) } else { Sats(0) },
            locktime: 1_000,
            at_unix_ms,
        }
    }

    #[test]
    fn a_job_counts_once_and_as_what_the_book_said_last() {
        let mut pay = Pay::default();
        pay.take(&[earning("a", "accepted", 1), earning("b", "accepted", 2)]);
        assert_eq!(pay.sum(EarningState::Locked), Sum { jobs: 2, sats: 8 });
        pay.take(&[earning("a", "redeemed", 3), earning("c", "lost", 4)]);
        assert_eq!(pay.count(), 3);
        assert_eq!(pay.pending(), Sum { jobs: 1, sats: 4 });
        assert_eq!(pay.sum(EarningState::Earned), Sum { jobs: 1, sats: 3 });
        assert_eq!(pay.sum(EarningState::Withheld), Sum { jobs: 1, sats: 4 });
        assert_eq!(pay.get(0).unwrap().job, "c");
        assert_eq!(pay.of("a").unwrap().status, EarningState::Earned);
    }

    #[test]
    fn what_is_owed_is_neither_locked_nor_earned_until_it_is_paid() {
        let mut pay = Pay::default();
        pay.take(&[earning("a", "owed", 1), earning("b", "accepted", 2)]);
        assert_eq!((pay.sum(EarningState::Owed).sats, pay.pending().sats), (4, 4));
        pay.take(&[earning("a", "redeemed", 3)]);
        assert_eq!((pay.sum(EarningState::Owed), pay.sum(EarningState::Earned).sats), (Sum::default(), 3));
    }
}
