//! What this machine's provider asks, in whole sats, as the command line and the Earn screen take it.

use std::fmt::Write as _;

use frlm_provider::{FREE_OVERALL, ProviderConfig, Surge};

use crate::config::ProvideConfig;

/// Number of waiting and running jobs at which surge prices apply, unless the settings say otherwise.
pub const SURGE_FROM: usize = 16;
const MSATS_PER_SAT: u64 = 1_000;
/// The usual prices, in percent of them.
const USUAL: u32 = 100;

/// Prices, and what is done without them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prices {
    /// Sats per 1,000 tokens.
    pub per_1k: u64,
    /// Sats per 1,000 tokens written, where that is another price.
    pub written_per_1k: Option<u64>,
    /// The least that a job costs.
    pub minimum: u64,
    /// Prices while many jobs wait or run, in percent of the usual ones.
    pub surge_percent: Option<u32>,
    /// Number of waiting and running jobs at which they apply.
    pub surge_from: Option<usize>,
    /// Free jobs a day for one key.
    pub free: u32,
    /// Unpaid jobs that one key may have; 0: the price of each job is locked before.
    pub pay_after: u32,
}

/// Prices that cannot be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// More than 21 million bitcoin, by far.
    Beyond,
    /// Nothing costs anything, so nothing can be owed.
    NothingToOwe,
    /// Nothing costs anything, so nothing can be given.
    NothingToGive,
    /// Who is busy and asks less has even more to do.
    Surge,
    /// All the time is no surge.
    SurgeFrom,
}

impl Mistake {
    /// What is wrong, and what to do.
    pub fn words(self) -> &'static str {
        match self {
            Self::Beyond => "that price is more sats than exist",
            Self::NothingToOwe => "name a price first: without a price nobody can owe you anything",
            Self::NothingToGive => "name a price first: without one every job is free",
            Self::Surge => "surge prices are at least 100 percent of the usual ones",
            Self::SurgeFrom => "name at least 1 job at which higher prices begin",
        }
    }

    /// The flag that it is about.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Beyond => "--price, --price-written, --minimum",
            Self::NothingToOwe => "--pay-after",
            Self::NothingToGive => "--free",
            Self::Surge => "--surge",
            Self::SurgeFrom => "--surge-from",
        }
    }
}

impl Prices {
    /// Those of the settings file.
    pub fn of(settings: &ProvideConfig) -> Self {
        Self {
            per_1k: settings.price.unwrap_or(0),
            written_per_1k: settings.price_written,
            minimum: settings.minimum.unwrap_or(0),
            surge_percent: settings.surge,
            surge_from: settings.surge_from,
            free: settings.free.unwrap_or(0),
            pay_after: settings.pay_after.unwrap_or(0),
        }
    }

    /// Whether any job costs something.
    pub fn is_paid(&self) -> bool {
        self.per_1k > 0 || self.written_per_1k.is_some_and(|price| price > 0) || self.minimum > 0
    }

    /// Finds what cannot be meant.
    pub fn check(&self) -> Result<(), Mistake> {
        let amounts = [self.per_1k, self.written_per_1k.unwrap_or(0), self.minimum];
        if amounts.iter().any(|sats| sats.checked_mul(MSATS_PER_SAT).is_none()) {
            return Err(Mistake::Beyond);
        }
        if self.pay_after > 0 && !self.is_paid() {
            return Err(Mistake::NothingToOwe);
        }
        if self.free > 0 && !self.is_paid() {
            return Err(Mistake::NothingToGive);
        }
        if self.surge_percent.is_some_and(|percent| percent < USUAL) {
            return Err(Mistake::Surge);
        }
        if self.surge_from == Some(0) { Err(Mistake::SurgeFrom) } else { Ok(()) }
    }

    /// A provider that asks them. More than can be counted is asked as the most that can.
    pub fn offer(&self) -> ProviderConfig {
        let in_msats = |sats: u64| sats.saturating_mul(MSATS_PER_SAT);
        ProviderConfig {
            price_msats_per_1k: in_msats(self.per_1k),
            written_msats_per_1k: self.written_per_1k.map(in_msats),
            least_msats: in_msats(self.minimum),
            surge: self
                .surge_percent
                .filter(|percent| *percent != USUAL)
                .map(|percent| Surge { from_jobs: self.surge_from.unwrap_or(SURGE_FROM), percent }),
            free_jobs_per_day: self.free,
            pay_after_jobs: self.pay_after,
            ..ProviderConfig::default()
        }
    }

    /// What a job costs, for people.
    pub fn in_words(&self) -> String {
        let mut words = format!("{} sats per 1,000 tokens", self.per_1k);
        // Writing into a String cannot fail.
        if let Some(written) = self.written_per_1k {
            let _ = write!(words, " read and {written} written");
        }
        if self.minimum > 0 {
            let _ = write!(words, ", at least {} a job", self.minimum);
        }
        if let Some(Surge { from_jobs, percent }) = self.offer().surge {
            let _ = write!(words, ", {percent}% of that from {from_jobs} jobs on");
        }
        if self.free > 0 {
            let all = self.free.saturating_mul(FREE_OVERALL);
            let _ = write!(words, ", {} jobs per key and {all} for all free each day", self.free);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEAR: Prices = Prices {
        per_1k: 5,
        written_per_1k: Some(15),
        minimum: 2,
        surge_percent: Some(150),
        surge_from: None,
        free: 3,
        pay_after: 1,
    };

    #[test]
    fn prices_are_offered_as_they_are_named_and_said_in_words() {
        assert_eq!(DEAR.check(), Ok(()));
        let offer = DEAR.offer();
        assert_eq!((offer.price_msats_per_1k, offer.written_msats_per_1k), (5_000, Some(15_000)));
        assert_eq!((offer.least_msats, offer.free_jobs_per_day, offer.pay_after_jobs), (2_000, 3, 1));
        assert_eq!(offer.surge, Some(Surge { from_jobs: SURGE_FROM, percent: 150 }));
        let words = "5 sats per 1,000 tokens read and 15 written, at least 2 a job, 150% of that from 16 jobs on, \
                     3 jobs per key and 24 for all free each day";
        assert_eq!(DEAR.in_words(), words);
        assert_eq!(Prices::default().offer(), ProviderConfig::default());
        assert_eq!(Prices { surge_percent: Some(100), ..DEAR }.offer().surge, None, "the usual is no surge");
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        let free = Prices::default();
        assert_eq!(Prices { pay_after: 1, ..free }.check(), Err(Mistake::NothingToOwe));
        assert_eq!(Prices { free: 1, ..free }.check(), Err(Mistake::NothingToGive));
        assert_eq!(Prices { pay_after: 1, minimum: 1, ..free }.check(), Ok(()), "a least is a price");
        assert_eq!(Prices { surge_percent: Some(99), ..DEAR }.check(), Err(Mistake::Surge));
        assert_eq!(Prices { surge_from: Some(0), ..DEAR }.check(), Err(Mistake::SurgeFrom));
        for dear in [
            Prices { per_1k: u64::MAX, ..free },
            Prices { written_per_1k: Some(u64::MAX), ..free },
            Prices { minimum: u64::MAX, ..free },
        ] {
            assert_eq!(dear.check(), Err(Mistake::Beyond));
        }
    }
}
