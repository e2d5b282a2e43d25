//! How many jobs one key may send: a token bucket per asker.
//!
//! Whole seconds are precise enough for limits per minute, so the wall clock serves; when it jumps
//! back, buckets merely fill later.

use std::collections::HashMap;
use std::time::Duration;

use frlm_util::rate::{Rate, TokenBucket};
use nostr::{PublicKey, Timestamp};

/// Askers remembered at once. A full bucket and a forgotten one are the same, so only askers that
/// were busy in the last minute need a place.
const MAX_ASKERS: usize = 8192;
/// After that an empty bucket is full.
const FULL_AGAIN: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(crate) struct RateLimiter {
    rate: Rate,
    buckets: HashMap<PublicKey, TokenBucket>,
}

impl RateLimiter {
    pub(crate) fn new(per_minute: u32) -> Self {
        Self { rate: Rate::per_minute(per_minute), buckets: HashMap::new() }
    }

    /// Takes one job from the asker's bucket, or says in how many seconds there will be one.
    pub(crate) fn take(&mut self, asker: PublicKey, now: Timestamp) -> Result<(), u64> {
        let now = Duration::from_secs(now.as_secs());
        self.forget_idle(now);
        let bucket = self.buckets.entry(asker).or_insert(TokenBucket::with(self.rate.burst, now));
        bucket.take(self.rate, now).map_err(|wait| wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
    }

    /// Whether the asker came in the last `secs` seconds.
    pub(crate) fn has_taken(&self, asker: &PublicKey, secs: u64, now: Timestamp) -> bool {
        let now = Duration::from_secs(now.as_secs());
        let came = self.buckets.get(asker).map(TokenBucket::used_at);
        came.is_some_and(|at| now.saturating_sub(at) < Duration::from_secs(secs))
    }

    fn forget_idle(&mut self, now: Duration) {
        if self.buckets.len() < MAX_ASKERS {
            return;
        }
        self.buckets.retain(|_, bucket| now.saturating_sub(bucket.used_at()) < FULL_AGAIN);
        // Thousands of fresh keys within one minute are one flood under many names: its buckets say
        // nothing, and memory must stay bounded.
        if self.buckets.len() >= MAX_ASKERS {
            self.buckets.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nostr::Keys;

    fn at(secs: u64) -> Timestamp {
        Timestamp::from_secs(1_000_000 + secs)
    }

    #[test]
    fn a_burst_is_followed_by_a_steady_rate() {
        let mut limiter = RateLimiter::new(30);
        let asker = Keys::generate().public_key();
        for _ in 0..30 {
            assert_eq!(limiter.take(asker, at(0)), Ok(()));
        }
        assert_eq!(limiter.take(asker, at(0)), Err(2));
        assert_eq!(limiter.take(asker, at(1)), Err(1));
        assert_eq!(limiter.take(asker, at(2)), Ok(()));
        assert_eq!(limiter.take(asker, at(2)), Err(2));
    }

    #[test]
    fn askers_do_not_share_a_bucket() {
        let mut limiter = RateLimiter::new(1);
        let (one, other) = (Keys::generate().public_key(), Keys::generate().public_key());
        assert_eq!(limiter.take(one, at(0)), Ok(()));
        assert!(limiter.take(one, at(0)).is_err());
        assert_eq!(limiter.take(other, at(0)), Ok(()));
    }

    #[test]
    fn a_clock_that_jumps_back_neither_panics_nor_fills() {
        let mut limiter = RateLimiter::new(1);
        let asker = Keys::generate().public_key();
        assert_eq!(limiter.take(asker, at(100)), Ok(()));
        assert!(limiter.take(asker, at(0)).is_err());
        assert_eq!(limiter.take(asker, at(60)), Ok(()));
    }
}
