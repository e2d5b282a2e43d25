//! How quickly this engine reads and writes, learned from what it did: its announcement says so.

use std::time::Duration;

use frlm_protocol::Speed;

/// What a job leaves of those before it. A machine that other programs slow down is slow for its askers, too.
const KEPT: f64 = 0.8;

/// What one generation took, as far as its text came piece by piece.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Took {
    /// Tokens read, and how long after them the first piece came.
    pub(crate) read: u64,
    pub(crate) reading: Duration,
    /// Tokens written after the first piece, and how long those took.
    pub(crate) written: u64,
    pub(crate) writing: Duration,
}

/// Tokens and seconds so far, the newest counting most.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    tokens: f64,
    secs: f64,
}

impl Rate {
    fn add(&mut self, tokens: u64, took: Duration) {
        if tokens > 0 && !took.is_zero() {
            self.tokens = self.tokens * KEPT + tokens as f64;
            self.secs = self.secs * KEPT + took.as_secs_f64();
        }
    }

    fn per_sec(self) -> Option<f64> {
        (self.secs > 0.0).then(|| (self.tokens / self.secs).clamp(Speed::SLOWEST, Speed::QUICKEST))
    }
}

/// Both speeds of an engine.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TokenSpeed {
    reading: Rate,
    writing: Rate,
}

impl TokenSpeed {
    pub(crate) fn took(&mut self, took: Took) {
        self.reading.add(took.read, took.reading);
        self.writing.add(took.written, took.writing);
    }

    /// `None` until both were seen: an engine whose text comes in one piece does not show how quickly it writes.
    pub(crate) fn speed(&self) -> Option<Speed> {
        Speed::new(self.reading.per_sec()?, self.writing.per_sec()?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn took(read: u64, prefill: f64, written: u64, decode: f64) -> Took {
        let secs = |tokens: u64, per_sec: f64| Duration::from_secs_f64(tokens as f64 / per_sec);
        Took { read, reading: secs(read, prefill), written, writing: secs(written, decode) }
    }

    proptest! {
        #[test]
        fn an_engine_of_one_speed_shows_it_whatever_its_jobs_are_like(
            prefill in 1.0..50_000.0_f64,
            decode in 0.1..5_000.0_f64,
            jobs in proptest::collection::vec((1..30_000_u64, 1..4_000_u64), 1..40),
        ) {
            let mut speed = TokenSpeed::default();
            for (read, written) in jobs {
                speed.took(took(read, prefill, written, decode));
                let shown = speed.speed().unwrap();
                prop_assert!((shown.prefill() / prefill - 1.0).abs() < 1e-3, "{shown:?}");
                prop_assert!((shown.decode() / decode - 1.0).abs() < 1e-3, "{shown:?}");
            }
        }
    }

    #[test]
    fn an_engine_that_became_slower_says_so_soon() {
        let mut speed = TokenSpeed::default();
        for _ in 0..100 {
            speed.took(took(2_000, 4_000.0, 300, 80.0));
        }
        for _ in 0..10 {
            speed.took(took(2_000, 400.0, 300, 8.0));
        }
        let shown = speed.speed().unwrap();
        assert!(shown.decode() < 10.0 && shown.prefill() < 500.0, "{shown:?}");
    }

    #[test]
    fn nothing_is_said_until_both_were_seen() {
        let mut speed = TokenSpeed::default();
        assert_eq!(speed.speed(), None);
        speed.took(Took { read: 500, reading: Duration::from_secs(1), ..Took::default() });
        assert_eq!(speed.speed(), None, "its text came in one piece");
        speed.took(took(500, 500.0, 20, 8.0));
        assert!(speed.speed().is_some());
    }
}
