//! How quickly an engine reads and writes.

/// Tokens per second that an engine reads (prefill) and writes (decode) for one job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    prefill: f64,
    decode: f64,
}

impl Speed {
    /// What no engine falls below, in tokens per second: slower is as good as dead.
    pub const SLOWEST: f64 = 0.01;
    /// What no engine exceeds, in tokens per second.
    pub const QUICKEST: f64 = 1e6;

    /// What an asker takes a provider for that says nothing, in its favour: a model of 7 billion parameters on a slow machine.
    pub const ASSUMED: Self = Self { prefill: 200.0, decode: 8.0 };

    /// A speed, in tokens per second; `None` where either is no number that an engine could reach.
    pub fn new(prefill: f64, decode: f64) -> Option<Self> {
        let possible = |speed: f64| (Self::SLOWEST..=Self::QUICKEST).contains(&speed);
        (possible(prefill) && possible(decode)).then_some(Self { prefill, decode })
    }

    /// Tokens per second that it reads.
    pub fn prefill(self) -> f64 {
        self.prefill
    }

    /// Tokens per second that it writes.
    pub fn decode(self) -> f64 {
        self.decode
    }

    /// Seconds for so many tokens read and written, one after the other.
    pub fn secs(self, read: u64, written: u64) -> f64 {
        read as f64 / self.prefill + written as f64 / self.decode
    }

    /// The same at so many times the speed, within what an engine can reach.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let within = |speed: f64| (speed * factor).clamp(Self::SLOWEST, Self::QUICKEST);
        if factor.is_nan() {
            return self;
        }
        Self { prefill: within(self.prefill), decode: within(self.decode) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_engine_reaches_is_no_speed() {
        for (prefill, decode) in
            [(0.0, 8.0), (200.0, -1.0), (f64::NAN, 8.0), (200.0, f64::INFINITY), (1e9, 8.0)]
        {
            assert_eq!(Speed::new(prefill, decode), None, "{prefill} and {decode}");
        }
        assert_eq!(Speed::new(200.0, 8.0), Some(Speed::ASSUMED));
        assert!(Speed::new(Speed::SLOWEST, Speed::QUICKEST).is_some());
    }

    #[test]
    fn reading_and_writing_follow_each_other() {
        let speed = Speed::ASSUMED;
        assert!((speed.secs(1_000, 200) - 30.0).abs() < 1e-9);
        assert!((speed.times(2.0).secs(1_000, 200) - 15.0).abs() < 1e-9);
        for factor in [0.0, f64::INFINITY, f64::NAN] {
            let speed = speed.times(factor);
            assert!(Speed::new(speed.prefill(), speed.decode()).is_some(), "{speed:?}");
        }
    }
}
