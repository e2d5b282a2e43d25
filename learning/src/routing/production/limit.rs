//! How many requests a caller may make in a minute (seeds/load-balanced-rl-workflow.md, section 9.2,
//! "RateLimitCheck"). Time is an argument.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// The window of the limit.
pub const MINUTE: Duration = Duration::from_mins(1);
/// Callers that are remembered before those without a request in the last minute are forgotten.
pub(super) const MOST_CALLERS: usize = 10_000;

/// A caller has had its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "rate limit exceeded: {per_minute} requests a minute; nothing was sent or spent, come again in \
     {} s", .again_in.as_secs() + 1
)]
pub struct OverLimit {
    /// Requests in 60 seconds.
    pub per_minute: usize,
    /// When there is room again.
    pub again_in: Duration,
}

/// When each caller's requests of the last minute came.
#[derive(Debug, Default)]
pub struct CallerLimit {
    callers: HashMap<String, VecDeque<Duration>>,
}

impl CallerLimit {
    /// Counts a request of a caller, unless it has made `per_minute` in the last minute. `now`: since any one
    /// moment, never going back.
    pub fn admit(&mut self, caller: &str, per_minute: usize, now: Duration) -> Result<(), OverLimit> {
        let recent = |at: &Duration| now.saturating_sub(*at) < MINUTE;
        if self.callers.len() >= MOST_CALLERS && !self.callers.contains_key(caller) {
            self.callers.retain(|_, times| times.back().is_some_and(recent));
        }
        let times = self.callers.entry(caller.to_owned()).or_default();
        while times.front().is_some_and(|at| !recent(at)) {
            times.pop_front();
        }
        if times.len() >= per_minute {
            let again_in =
                times.front().map_or(MINUTE, |first| MINUTE.saturating_sub(now.saturating_sub(*first)));
            return Err(OverLimit { per_minute, again_in });
        }
        times.push_back(now);
        Ok(())
    }

    /// Callers that are remembered.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.callers.len()
    }
}
