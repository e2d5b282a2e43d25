//! Jobs that are given away: so many of each key in a day, and eight times as many of all keys together, because
//! keys cost nothing.
//!
//! A day is one of the calendar, in UTC. A provider with a wallet keeps there what it gave, so that a restart gives
//! nothing twice; one without has no price that could be forgone.

use std::collections::HashMap;

use nostr::{PublicKey, Timestamp};

/// All keys together are given so many times what one is.
pub const FREE_OVERALL: u32 = 8;
const DAY_SECS: u64 = 24 * 3_600;
/// Keys that are remembered on one day; to others nothing is given on it any more.
const MOST_KEYS: usize = 8_192;

#[derive(Debug)]
pub(crate) struct FreeJobs {
    per_key: u32,
    /// Days since 1970, by which what was given counts.
    day: u64,
    given: HashMap<PublicKey, u32>,
    in_all: u32,
}

impl FreeJobs {
    pub(crate) fn new(per_key: u32) -> Self {
        Self { per_key, day: 0, given: HashMap::new(), in_all: 0 }
    }

    /// What an earlier process gave on this day.
    pub(crate) fn remember(&mut self, given: impl IntoIterator<Item = (PublicKey, u32)>, now: Timestamp) {
        for (asker, jobs) in given {
            for _ in 0..jobs {
                self.take(asker, now);
            }
        }
    }

    /// Whether the next job of this key may be free.
    pub(crate) fn has_room(&self, asker: &PublicKey, now: Timestamp) -> bool {
        if day_of(now) != self.day {
            return self.per_key > 0;
        }
        let known = self.given.get(asker);
        known.copied().unwrap_or(0) < self.per_key
            && self.in_all < self.per_key.saturating_mul(FREE_OVERALL)
            && (known.is_some() || self.given.len() < MOST_KEYS)
    }

    /// A job was taken for nothing.
    pub(crate) fn take(&mut self, asker: PublicKey, now: Timestamp) {
        let today = day_of(now);
        if today != self.day {
            *self = Self { day: today, ..Self::new(self.per_key) };
        }
        *self.given.entry(asker).or_default() += 1;
        self.in_all += 1;
    }
}

/// The day on which a job counts, since 1970.
pub(crate) fn day_of(now: Timestamp) -> u64 {
    now.as_secs() / DAY_SECS
}

#[cfg(test)]
mod tests {
    use nostr::Keys;

    use super::*;
    use crate::testing::NOW;

    fn key() -> PublicKey {
        Keys::generate().public_key()
    }

    #[test]
    fn a_key_is_given_its_share_of_each_day() {
        let (mut free, asker) = (FreeJobs::new(2), key());
        for _ in 0..2 {
            assert!(free.has_room(&asker, NOW));
            free.take(asker, NOW);
        }
        assert!(!free.has_room(&asker, NOW));
        assert!(free.has_room(&key(), NOW), "another key has its own");
        let tomorrow = NOW + DAY_SECS;
        assert!(free.has_room(&asker, tomorrow));
        free.take(asker, tomorrow);
        free.take(asker, tomorrow);
        assert!(!free.has_room(&asker, tomorrow));
    }

    #[test]
    fn what_an_earlier_process_gave_counts_on_its_day() {
        let (mut free, asker, other) = (FreeJobs::new(2), key(), key());
        free.remember([(asker, 2), (other, 1)], NOW);
        assert!(!free.has_room(&asker, NOW) && free.has_room(&other, NOW));
        assert!(free.has_room(&asker, NOW + DAY_SECS));
    }

    #[test]
    fn fresh_keys_do_not_have_more_in_all_than_the_bound() {
        let mut free = FreeJobs::new(3);
        let mut given = 0;
        for _ in 0..100 {
            let asker = key();
            while free.has_room(&asker, NOW) {
                free.take(asker, NOW);
                given += 1;
            }
        }
        assert_eq!(given, 3 * FREE_OVERALL);
        assert!(!FreeJobs::new(0).has_room(&key(), NOW), "who gives nothing gives nothing");
    }
}
