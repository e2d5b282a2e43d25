//! Up to which moment one relay was heard, per standing subscription.
//!
//! A relay that comes back is asked for what may have been missed, and not for everything since the subscription began.
//!
//! ```text
//!              REQ               last EOSE             an event did not fit, CLOSED, the connection ended
//!  not asked ───────► replaying ───────────► caught up ──────────────────────────────────────────────────┐
//!      ▲                  │ the moment stays as it was           the moment is kept                      │
//!      └──────────────────┴──────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Only a subscription that has caught up moves: a connection that ends in the middle of stored events has not brought
//! all of them. A relay that never says EOSE is asked for everything each time.

use std::fmt;
use std::sync::Arc;

use nostr::filter::MatchEventOptions;
use nostr::{Event, Filter, Timestamp};

/// A subscription that is repeated on every new connection.
#[derive(Debug)]
pub(super) struct Subscription {
    /// As they were given: what matches them is wanted, however old it is.
    pub(super) filters: Vec<Filter>,
    /// When it was made, if its `since` moves.
    pub(super) moves_from: Option<Timestamp>,
    /// What it wants of those; `None`: all.
    pub(super) wants: Option<Wants>,
}

/// Which events are worth a look at their signature.
pub(super) struct Wants(pub(super) Arc<dyn Fn(&Event) -> bool + Send + Sync>);

impl fmt::Debug for Wants {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Wants")
    }
}

impl Subscription {
    pub(super) fn of(filters: Vec<Filter>) -> Self {
        Self { filters, moves_from: None, wants: None }
    }

    /// Whether an event is one that was asked for, and is wanted.
    pub(super) fn is_for(&self, event: &Event) -> bool {
        matches_any(&self.filters, event) && self.wants.as_ref().is_none_or(|wants| (wants.0)(event))
    }

    /// The filters for a relay that was heard until a moment. Each goes back behind it as far as it went back behind the
    /// moment when the subscription was made.
    fn filters_after(&self, heard_until: Option<Timestamp>) -> Vec<Filter> {
        let (Some(made), Some(heard_until)) = (self.moves_from, heard_until) else {
            return self.filters.clone();
        };
        let moved = |mut filter: Filter| {
            filter.since =
                filter.since.map(|since| heard_until - made.as_secs().saturating_sub(since.as_secs()));
            filter
        };
        self.filters.iter().cloned().map(moved).collect()
    }
}

pub(super) fn matches_any(filters: &[Filter], event: &Event) -> bool {
    filters.iter().any(|filter| filter.match_event(event, MatchEventOptions::new().nip50(false)))
}

/// Where one relay is with one standing subscription. It outlives connections.
#[derive(Debug)]
pub(super) struct Position {
    subscription: Arc<Subscription>,
    /// All that the relay had until then has reached the reader's queue.
    heard_until: Option<Timestamp>,
    /// Requests on this connection whose stored events are not all here; `None` before the first.
    replaying: Option<u32>,
    /// An event since the latest request did not fit into the reader's queue.
    has_gap: bool,
}

impl Position {
    pub(super) fn new(subscription: Arc<Subscription>) -> Self {
        Self { subscription, heard_until: None, replaying: None, has_gap: false }
    }

    /// Whether it is about this subscription, and not about an earlier one of the same name.
    pub(super) fn is_of(&self, subscription: &Arc<Subscription>) -> bool {
        Arc::ptr_eq(&self.subscription, subscription)
    }

    /// What to ask for now.
    pub(super) fn request(&mut self, now: Timestamp) -> Vec<Filter> {
        self.keep_moment(now);
        self.replaying = Some(self.replaying.unwrap_or(0).saturating_add(1));
        self.has_gap = false;
        self.subscription.filters_after(self.heard_until)
    }

    /// The relay has sent all that it had stored for a request.
    pub(super) fn stored_events_ended(&mut self) {
        self.replaying = self.replaying.map(|requests| requests.saturating_sub(1));
    }

    /// An event did not fit.
    pub(super) fn missed(&mut self, now: Timestamp) {
        self.keep_moment(now);
        self.has_gap = true;
    }

    /// Nothing more comes until the next request.
    pub(super) fn ended(&mut self, heard_until: Timestamp) {
        self.keep_moment(heard_until);
        self.replaying = None;
        self.has_gap = false;
    }

    fn keep_moment(&mut self, now: Timestamp) {
        if self.replaying == Some(0) && !self.has_gap {
            self.heard_until = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE: u64 = 1_000_000;

    fn at(secs: u64) -> Timestamp {
        Timestamp::from_secs(MADE + secs)
    }

    fn position(moves: bool) -> Position {
        let filters =
            vec![Filter::new().since(at(0) - 600), Filter::new().since(at(0) - 90_000), Filter::new()];
        Position::new(Arc::new(Subscription {
            moves_from: moves.then_some(at(0)),
            ..Subscription::of(filters)
        }))
    }

    /// How many seconds before a moment the filters begin.
    fn behind(filters: &[Filter], now: Timestamp) -> Vec<Option<u64>> {
        filters.iter().map(|filter| filter.since.map(|since| now.as_secs() - since.as_secs())).collect()
    }

    #[test]
    fn each_filter_keeps_its_margin_before_the_moment_that_was_heard_last() {
        let mut position = position(true);
        assert_eq!(behind(&position.request(at(5)), at(0)), [Some(600), Some(90_000), None]);
        position.stored_events_ended();
        position.ended(at(7_000));
        assert_eq!(behind(&position.request(at(9_000)), at(7_000)), [Some(600), Some(90_000), None]);
    }

    #[test]
    fn a_subscription_that_stands_still_asks_for_the_same_each_time() {
        let mut position = position(false);
        let first = position.request(at(0));
        position.stored_events_ended();
        position.ended(at(7_000));
        assert_eq!(position.request(at(9_000)), first);
    }

    #[test]
    fn a_connection_that_ends_among_stored_events_moves_nothing() {
        let mut position = position(true);
        let first = position.request(at(0));
        position.ended(at(7_000));
        assert_eq!(position.request(at(7_001)), first);
        // Asked twice on one connection, and one of the replays is not over.
        position.request(at(7_002));
        position.stored_events_ended();
        position.ended(at(8_000));
        assert_eq!(position.request(at(8_001)), first);
    }

    #[test]
    fn what_did_not_fit_is_asked_for_again_also_on_the_next_connection() {
        let mut position = position(true);
        position.request(at(0));
        position.stored_events_ended();
        position.missed(at(100));
        position.missed(at(200));
        position.ended(at(300));
        assert_eq!(behind(&position.request(at(400)), at(100))[0], Some(600));
        // A gap among stored events: their end does not close it.
        position.missed(at(500));
        position.stored_events_ended();
        assert_eq!(behind(&position.request(at(600)), at(100))[0], Some(600));
        position.stored_events_ended();
        assert_eq!(behind(&position.request(at(700)), at(700))[0], Some(600), "all of it is here");
    }
}
