//! This machine's clock against those of providers: each dates its signs of life, and relays hand them on at once.
//!
//! A sign of life may lie at a relay for a while, and one clock may be wrong. So it takes two providers that agree on how
//! far away this machine's clock is, and none for whom it is right; a date that is still to come needs one alone, for
//! nothing lies at a relay before it is sent.

use std::collections::HashMap;
use std::fmt;

use nostr::{PublicKey, Timestamp};

/// How far clocks may be apart: jobs and locks have more slack than this.
const MOST_APART_SECS: i64 = 60;
/// Providers whose clocks are remembered.
const MOST_PROVIDERS: usize = 64;

/// A clock that is not that of the providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockOff {
    /// How far it is from theirs.
    pub secs: u64,
    /// Whether this machine's is the earlier one.
    pub is_behind: bool,
    /// How many of them say so.
    pub providers: usize,
}

impl fmt::Display for ClockOff {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { secs, is_behind, providers } = self;
        let side = if *is_behind { "behind" } else { "ahead of" };
        let whose = if *providers == 1 { "that of a provider" } else { "those of the providers" };
        write!(
            formatter,
            "the clock of this machine is {secs} s {side} {whose} ({providers} heard): jobs would expire too early or too \
             late, and their fees be lost; set it (timedatectl set-ntp true, or the date and time settings)"
        )
    }
}

/// What providers' signs of life say of the time.
#[derive(Debug, Default)]
pub(super) struct Skew {
    /// The date of the newest sign of life, and how far ahead of it this machine's clock was when it came.
    heard: HashMap<PublicKey, (Timestamp, i64)>,
    is_said: bool,
}

impl Skew {
    /// A provider's sign of life has come.
    pub fn hear(&mut self, provider: PublicKey, dated: Timestamp, now: Timestamp) {
        let is_known = self.heard.get(&provider).map(|(known, _)| *known);
        if is_known.is_some_and(|known| known >= dated)
            || (is_known.is_none() && self.heard.len() >= MOST_PROVIDERS)
        {
            return;
        }
        let apart = signed(now).saturating_sub(signed(dated));
        self.heard.insert(provider, (dated, apart));
    }

    /// How far this machine's clock is away, the first time that it is known to be.
    pub fn off_once(&mut self) -> Option<ClockOff> {
        let off = self.off().filter(|_| !self.is_said)?;
        self.is_said = true;
        Some(off)
    }

    fn off(&self) -> Option<ClockOff> {
        let mut apart: Vec<i64> = self.heard.values().map(|(_, apart)| *apart).collect();
        apart.sort_unstable();
        if apart.iter().any(|apart| apart.abs() <= MOST_APART_SECS) {
            return None;
        }
        let off =
            |apart: i64, providers| ClockOff { secs: apart.unsigned_abs(), is_behind: apart < 0, providers };
        let agree = apart.windows(2).find(|pair| pair[1].saturating_sub(pair[0]) <= MOST_APART_SECS);
        match agree {
            Some(pair) => Some(off(pair[0], apart.len())),
            None if apart.len() == 1 && apart[0] < 0 => Some(off(apart[0], 1)),
            None => None,
        }
    }
}

fn signed(at: Timestamp) -> i64 {
    i64::try_from(at.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use nostr::Keys;

    use super::*;

    const NOW: u64 = 1_000_000;

    /// What signs of life of other providers, so far before this machine's time, come to.
    fn heard(apart: &[i64]) -> Option<ClockOff> {
        let mut skew = Skew::default();
        for apart in apart {
            let dated = Timestamp::from_secs(NOW.checked_add_signed(-apart).unwrap());
            skew.hear(Keys::generate().public_key(), dated, Timestamp::from_secs(NOW));
        }
        skew.off_once()
    }

    #[test]
    fn a_clock_ten_minutes_away_is_named_with_what_to_do() {
        assert_eq!(heard(&[605, 612]), Some(ClockOff { secs: 605, is_behind: false, providers: 2 }));
        let behind = heard(&[-600]).unwrap();
        assert_eq!(behind, ClockOff { secs: 600, is_behind: true, providers: 1 });
        assert!(behind.to_string().contains("600 s behind") && behind.to_string().contains("timedatectl"));
    }

    #[test]
    fn old_signs_of_life_and_one_wrong_clock_accuse_nobody() {
        for fine in [&[20, 600, 610][..], &[600], &[300, 600, 1_200], &[-600, 5], &[-600, -5_000], &[]] {
            assert_eq!(heard(fine), None, "{fine:?}");
        }
    }

    #[test]
    fn the_newest_sign_of_life_counts_and_it_is_said_once() {
        let (mut skew, provider) = (Skew::default(), Keys::generate().public_key());
        let at = |secs: u64| Timestamp::from_secs(NOW + secs);
        skew.hear(provider, at(600), at(0));
        skew.hear(provider, at(500), at(500));
        assert!(skew.off_once().is_some());
        assert!(skew.off_once().is_none(), "it was said");
        skew.is_said = false;
        skew.hear(provider, at(630), at(630));
        assert_eq!(skew.off_once(), None, "the clock was set");
    }
}
