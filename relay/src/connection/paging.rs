//! A question about stored events that a relay answers in pages.
//!
//! A relay answers a filter with so many events and no more, the newest ones: strfry with 500, others with 300. So
//! somebody who signs a thousand newer ones would hide all others. After each page the relay is asked for what is older,
//! until a page is too short to have been cut.

use nostr::{Filter, Timestamp};

/// No relay that is in use cuts an answer at fewer events.
const SMALLEST_CUT: usize = 100;
/// Pages that one question has at most: with 500 events each, these are 32,000.
const MOST_PAGES: u32 = 64;

/// How far the pages of one relay were read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pages {
    asked: u32,
    /// Events of this page.
    events: usize,
    /// The oldest of them.
    oldest: Option<Timestamp>,
    /// Up to where the page was asked for.
    until: Option<Timestamp>,
}

impl Pages {
    /// A genuine event of this page is here.
    pub(super) fn heard(&mut self, created_at: Timestamp) {
        self.events += 1;
        self.oldest = Some(self.oldest.map_or(created_at, |oldest| oldest.min(created_at)));
    }

    /// The page has ended: what is asked for now, or nothing where this was the last one.
    pub(super) fn next(&mut self, filters: &[Filter]) -> Option<Vec<Filter>> {
        let oldest = self.oldest.filter(|_| self.events >= SMALLEST_CUT && self.asked < MOST_PAGES)?;
        // Others from the same second may have been cut off; where all are from it, the page brings nothing else.
        let until = if self.until == Some(oldest) { oldest - 1_u64 } else { oldest };
        *self = Self { asked: self.asked + 1, events: 0, oldest: None, until: Some(until) };
        Some(filters.iter().cloned().map(|filter| filter.until(until)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is asked for after a page of so many events, the oldest from this second.
    fn after(pages: &mut Pages, events: usize, oldest: u64) -> Option<u64> {
        for number in 0..events {
            let newer = u64::try_from(number).unwrap();
            pages.heard(Timestamp::from_secs(oldest + newer));
        }
        let filters = pages.next(&[Filter::new()])?;
        filters[0].until.map(|until| until.as_secs())
    }

    #[test]
    fn each_page_begins_where_the_last_ended_and_a_short_one_ends_the_paging() {
        let mut pages = Pages::default();
        assert_eq!(after(&mut pages, 500, 9_000), Some(9_000));
        assert_eq!(after(&mut pages, 500, 8_000), Some(8_000));
        assert_eq!(after(&mut pages, 20, 7_000), None);
        assert_eq!(after(&mut Pages::default(), 0, 0), None);
    }

    #[test]
    fn a_page_of_a_single_second_does_not_come_again_for_ever() {
        let mut pages = Pages::default();
        for _ in 0..SMALLEST_CUT {
            pages.heard(Timestamp::from_secs(50));
        }
        assert_eq!(pages.next(&[Filter::new()]).unwrap()[0].until, Some(Timestamp::from_secs(50)));
        assert_eq!(after(&mut pages, SMALLEST_CUT, 50), Some(49));
    }

    #[test]
    fn a_relay_that_always_has_more_is_not_asked_for_ever() {
        let mut pages = Pages::default();
        let asked =
            (0..1_000).take_while(|page| after(&mut pages, 200, 1_000_000 - page * 10).is_some()).count();
        assert_eq!(asked, 64);
    }
}
