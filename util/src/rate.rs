//! How often something may happen: a token bucket. Time is an argument.
//!
//! A bucket fills at a steady rate up to a bound, and each event takes one token. So a burst of as many events as the bucket
//! holds may come at once, and over a long time no more than the rate allows.

use std::time::Duration;

/// Sums of fractions fall short of a whole token by less than this.
const ROUNDING: f64 = 1e-9;

/// How fast a bucket fills, and how much it holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Tokens per second; 0 for a bucket that is never filled again.
    pub per_second: f64,
    /// The most tokens that wait in the bucket.
    pub burst: f64,
}

impl Rate {
    /// So many events a minute, all of them at once if need be.
    pub fn per_minute(events: u32) -> Self {
        Self { per_second: f64::from(events) / 60.0, burst: f64::from(events) }
    }
}

/// The tokens that are left. The rate is told each time: it may change.
#[derive(Debug, Clone, Copy)]
pub struct TokenBucket {
    tokens: f64,
    filled_at: Duration,
}

impl TokenBucket {
    /// A bucket with so many tokens. `now` is the time since any one moment, for this bucket always the same.
    pub fn with(tokens: f64, now: Duration) -> Self {
        Self { tokens, filled_at: now }
    }

    /// Takes a token, or says how long it will be until there is one. A clock that jumps back fills nothing, and what it
    /// tells counts from there.
    pub fn take(&mut self, rate: Rate, now: Duration) -> Result<(), Duration> {
        let elapsed = now.saturating_sub(self.filled_at);
        self.filled_at = now;
        self.tokens = (self.tokens + elapsed.as_secs_f64() * rate.per_second).min(rate.burst);
        if self.tokens + ROUNDING >= 1.0 {
            self.tokens = (self.tokens - 1.0).max(0.0);
            return Ok(());
        }
        Err(Duration::try_from_secs_f64((1.0 - self.tokens) / rate.per_second).unwrap_or(Duration::MAX))
    }

    /// When it was used last.
    pub fn used_at(&self) -> Duration {
        self.filled_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_burst_is_followed_by_a_steady_rate() {
        let (rate, mut bucket) = (Rate::per_minute(30), TokenBucket::with(30.0, at(0)));
        assert_eq!((0..100).filter(|_| bucket.take(rate, at(0)).is_ok()).count(), 30);
        assert_eq!(bucket.take(rate, at(0)), Err(at(2_000)));
        assert_eq!(bucket.take(rate, at(500)), Err(at(1_500)));
        assert_eq!(bucket.take(rate, at(2_000)), Ok(()));
    }

    #[test]
    fn many_small_fills_make_a_whole_token() {
        let (rate, mut bucket) = (Rate::per_minute(1), TokenBucket::with(0.0, at(0)));
        let first = (1..=100).find(|second| bucket.take(rate, at(second * 1_000)).is_ok());
        assert_eq!(first, Some(60));
    }

    #[test]
    fn a_clock_that_jumps_back_neither_panics_nor_fills() {
        let (rate, mut bucket) = (Rate::per_minute(1), TokenBucket::with(1.0, at(100_000)));
        assert!(bucket.take(rate, at(100_000)).is_ok());
        assert!(bucket.take(rate, at(0)).is_err());
        assert!(bucket.take(rate, at(60_000)).is_ok());
    }

    #[test]
    fn a_bucket_that_is_never_filled_says_so_without_panicking() {
        let rate = Rate { per_second: 0.0, burst: 1.0 };
        assert_eq!(TokenBucket::with(0.0, at(0)).take(rate, at(1)), Err(Duration::MAX));
    }
}
