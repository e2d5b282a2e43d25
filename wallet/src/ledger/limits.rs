//! Limits beside a run's own budget: per subtask, per day, per provider, per mint.
//!
//! A reservation is counted by what it takes of a budget now (reserved, spent or on its way back), in
//! the hour in which it was made. *Per day* is this hour and the 23 before it: a limit that begins
//! again at midnight could be used twice in a minute.

use std::sync::Arc;

use super::entry::Key;
use crate::amount::Sats;

/// Hours that count as a day.
pub(super) const WINDOW_HOURS: i64 = 24;

/// The owner's limits; `None` is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// All attempts at one subtask of one run.
    pub per_subtask: Option<Sats>,
    /// All runs, in a day.
    pub per_day: Option<Sats>,
    /// One provider, in a day, over all runs.
    pub per_provider: Option<Sats>,
    /// Through one mint, in a day, over all runs.
    pub per_mint: Option<Sats>,
}

/// Which limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// [`Limits::per_subtask`]
    Subtask,
    /// [`Limits::per_day`]
    Day,
    /// [`Limits::per_provider`]
    Provider,
    /// [`Limits::per_mint`]
    Mint,
}

impl Limit {
    /// All of them, in the order in which they are looked at.
    pub const ALL: [Self; 4] = [Self::Subtask, Self::Day, Self::Provider, Self::Mint];

    /// The name in the settings and in the ledger's file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Subtask => "per_subtask",
            Self::Day => "per_day",
            Self::Provider => "per_provider",
            Self::Mint => "per_mint",
        }
    }
}

impl Limits {
    /// One of them.
    pub fn get(&self, limit: Limit) -> Option<Sats> {
        match limit {
            Limit::Subtask => self.per_subtask,
            Limit::Day => self.per_day,
            Limit::Provider => self.per_provider,
            Limit::Mint => self.per_mint,
        }
    }

    /// Sets one of them.
    pub(super) fn set(&mut self, limit: Limit, most: Option<Sats>) {
        match limit {
            Limit::Subtask => self.per_subtask = most,
            Limit::Day => self.per_day = most,
            Limit::Provider => self.per_provider = most,
            Limit::Mint => self.per_mint = most,
        }
    }

    /// The first limit that does not cover `needed` more, with its most and what is used of it.
    /// `used` knows nothing of limits that are not in question. What costs nothing is never refused.
    pub(super) fn refusing(
        &self,
        used: impl Fn(Limit) -> Option<Sats>,
        needed: Sats,
    ) -> Option<(Limit, Sats, Sats)> {
        if needed == Sats::ZERO {
            return None;
        }
        Limit::ALL.into_iter().find_map(|limit| {
            let (most, used) = (self.get(limit)?, used(limit)?);
            used.checked_add(needed).is_none_or(|sum| sum > most).then_some((limit, most, used))
        })
    }
}

/// How an attempt is paid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Accounted only: no sats move.
    #[default]
    Account,
    /// Locked until the verdict.
    Escrow,
    /// Paid before the work, unescrowed.
    Before,
    /// Paid after the verdict, unescrowed.
    After,
    /// In play money, whichever way: it is worth nothing and no limit counts it.
    Play,
}

impl Scheme {
    const ALL: [Self; 5] = [Self::Account, Self::Escrow, Self::Before, Self::After, Self::Play];

    /// The name in the ledger's file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Escrow => "escrow",
            Self::Before => "before",
            Self::After => "after",
            Self::Play => "play",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.name() == name)
    }

    /// For people; whatever no escrow protects says so.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Account => "accounted, no sats move",
            Self::Escrow => "in escrow",
            Self::Before => "paid before, unescrowed",
            Self::After => "paid after, unescrowed",
            Self::Play => "in play money",
        }
    }
}

/// Sats to reserve, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booking {
    /// Which attempt.
    pub key: Key,
    /// How much, fees included.
    pub amount: Sats,
    /// Who is to be paid: the provider's key.
    pub provider: Option<Arc<str>>,
    /// Through which mint.
    pub mint: Option<Arc<str>>,
    /// How.
    pub scheme: Scheme,
}

impl From<(Key, Sats)> for Booking {
    fn from((key, amount): (Key, Sats)) -> Self {
        Self { key, amount, provider: None, mint: None, scheme: Scheme::Account }
    }
}

/// For whom sats were reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booked {
    /// The provider's key, if one is known.
    pub provider: Option<Arc<str>>,
    /// The mint, if one is known.
    pub mint: Option<Arc<str>>,
    /// How it is paid.
    pub scheme: Scheme,
}

/// The limits, and what a day has taken of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// The owner's.
    pub limits: Limits,
    /// By all runs.
    pub day: Sats,
    /// By provider, the most first.
    pub providers: Vec<(Arc<str>, Sats)>,
    /// By mint, the most first.
    pub mints: Vec<(Arc<str>, Sats)>,
}

impl Usage {
    /// What a day still allows; `None` is no limit.
    pub fn left_today(&self) -> Option<Sats> {
        Some(self.limits.per_day?.saturating_sub(self.day))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_that_does_not_cover_it_is_named() {
        let limits = Limits { per_subtask: Some(Sats(10)), per_day: Some(Sats(100)), ..Limits::default() };
        let used = |limit| Some(if limit == Limit::Day { Sats(95) } else { Sats(4) });
        assert_eq!(limits.refusing(used, Sats(5)), None);
        assert_eq!(limits.refusing(used, Sats(6)), Some((Limit::Day, Sats(100), Sats(95))));
        assert_eq!(limits.refusing(used, Sats(7)), Some((Limit::Subtask, Sats(10), Sats(4))));
        assert_eq!(limits.refusing(used, Sats(u64::MAX)).unwrap().0, Limit::Subtask);
        assert_eq!(limits.refusing(|_| None, Sats(1_000)), None, "not in question");
        let none = Limits { per_day: Some(Sats(0)), ..Limits::default() };
        assert_eq!(none.refusing(used, Sats(0)), None, "what is free is never refused");
        assert_eq!(Limits::default().refusing(used, Sats(u64::MAX)), None);
    }
}
