//! Standing subscriptions that a relay has ended, and when each is asked for again.
//!
//! Relays end subscriptions that were quiet for long, or when they are restarted or have too many; a client that is not heard
//! for such a reason must not stay deaf. One that is refused for good is asked for ever more seldom.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// A subscription that stands this long was not refused.
const STOOD: Duration = Duration::from_mins(5);

/// By the subscriptions' names.
#[derive(Debug, Default)]
pub(super) struct EndedSubscriptions(HashMap<String, Ended>);

#[derive(Debug)]
struct Ended {
    pause: Duration,
    /// When it is asked for again, or was.
    asked_at: Instant,
    waits: bool,
}

impl EndedSubscriptions {
    /// The relay has ended a standing subscription.
    pub(super) fn ended(&mut self, name: &str, now: Instant) {
        let pause = match self.0.get(name) {
            Some(Ended { waits: true, .. }) => return,
            Some(ended) if now < ended.asked_at + STOOD => (ended.pause * 2).min(LONGEST_PAUSE),
            _ => FIRST_PAUSE,
        };
        self.0.insert(name.to_owned(), Ended { pause, asked_at: now + pause, waits: true });
    }

    /// Those that are to be asked for now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<String> {
        let mut due = Vec::new();
        for (name, ended) in &mut self.0 {
            if ended.waits && ended.asked_at <= now {
                ended.waits = false;
                due.push(name.clone());
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeatedly_refused_subscription_retries_once_at_growing_intervals() {
        let (mut ended, began) = (EndedSubscriptions::default(), Instant::now());
        let mut now = began;
        for pause_secs in [1, 2, 4, 8, 16, 32, 60, 60] {
            ended.ended("s", now);
            ended.ended("s", now);
            let again = now + Duration::from_secs(pause_secs);
            assert!(ended.due(again - Duration::from_millis(1)).is_empty(), "{pause_secs}");
            assert_eq!(ended.due(again), ["s"]);
            assert!(ended.due(again).is_empty(), "it was asked for");
            now = again;
        }
        ended.ended("s", now + STOOD);
        assert_eq!(ended.due(now + STOOD + FIRST_PAUSE), ["s"], "it had stood");
    }
}
