//! How long jobs take a provider: by what it announced, and from its first answer on by what was seen of it.
//!
//! An announcement is a claim. It decides how long its own provider is waited for, within bounds, and nothing else; one
//! answer is enough for our own measure to take its place.

use std::time::Duration;

use frlm_protocol::Speed;

/// How much the newest answer counts, 0..=1. The first one counts alone.
const NEWEST_WEIGHT: f64 = 0.3;
/// No answer is taken to have come more quickly than this.
const QUICKEST_ANSWER: f64 = 0.001;

/// The share of what may be written that usually is: a reading has room for some sixteen claims.
pub const USUALLY_WRITTEN: f64 = 0.25;
/// How long a provider has of which nothing is known, in percent of what it is given.
pub(super) const UNKNOWN_LEEWAY: u16 = 100;
/// How many times as long as a job takes its provider is waited for it: others may keep it busy, too.
const SLACK: f64 = 2.0;
/// The most that a slow provider has for one job, in percent of what one has of which nothing is known.
const MOST_LEEWAY: f64 = 400.0;

/// What is believed of a provider's speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    speed: Speed,
    measured: bool,
}

impl Pace {
    /// What a provider says of itself; a machine that says nothing is taken for [`Speed::ASSUMED`].
    pub fn announced(speed: Option<Speed>) -> Self {
        Self { speed: speed.unwrap_or(Speed::ASSUMED), measured: false }
    }

    /// It says something else now. What was measured stays.
    pub fn announces(&mut self, speed: Option<Speed>) {
        if !self.measured {
            *self = Self::announced(speed);
        }
    }

    /// A job that read and wrote so many tokens came back so long after its provider could begin with it. One figure cannot
    /// tell reading from writing: both become quicker or slower by as much.
    pub fn observe(&mut self, read: u64, written: u64, took: Duration) {
        let expected = self.speed.secs(read, written);
        if expected <= 0.0 {
            return;
        }
        let weight = if self.measured { NEWEST_WEIGHT } else { 1.0 };
        let factor = expected / took.as_secs_f64().max(QUICKEST_ANSWER);
        self.speed = self.speed.times(factor.powf(weight));
        self.measured = true;
    }

    /// The speed that is believed.
    pub fn speed(&self) -> Speed {
        self.speed
    }
}

/// How many times as long as a machine of [`Speed::ASSUMED`] one of this speed takes for work of which that machine reads
/// for so many percent of its time, if this share (0..=1) of what may be written is.
pub(super) fn times_as_long(speed: Speed, reading_percent: u8, written: f64) -> f64 {
    let reading = f64::from(reading_percent.min(100)) / 100.0;
    reading * Speed::ASSUMED.prefill() / speed.prefill()
        + (1.0 - reading) * written * Speed::ASSUMED.decode() / speed.decode()
}

/// How long a provider that takes so many times as long has for a job that is done in this turn, in percent of what one has
/// of which nothing is known.
pub(super) fn leeway(own: f64, turns: u32) -> u16 {
    let percent = (own * SLACK * 100.0).min(MOST_LEEWAY) * f64::from(turns);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and what a u16 holds"
    )]
    let percent = percent.clamp(1.0, f64::from(u16::MAX)) as u16;
    percent
}

/// A time so many times as long.
pub(super) fn times(time: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn speeds() -> impl Strategy<Value = Speed> {
        (20.0..5_000.0_f64, 2.0..300.0_f64).prop_map(|(prefill, decode)| Speed::new(prefill, decode).unwrap())
    }

    proptest! {
        #[test]
        fn whatever_was_announced_the_measure_of_like_jobs_is_what_they_take(
            announced in proptest::option::of(speeds()),
            true_speed in speeds(),
            read in 200..8_000_u64,
            written in 20..2_000_u64,
            jobs in 1..20_usize,
        ) {
            let mut pace = Pace::announced(announced);
            let took = Duration::from_secs_f64(true_speed.secs(read, written));
            for _ in 0..jobs {
                pace.observe(read, written, took);
                let believed = pace.speed().secs(read, written);
                prop_assert!((believed / took.as_secs_f64() - 1.0).abs() < 1e-2, "{believed} and {took:?}");
            }
        }

        #[test]
        fn nothing_that_a_provider_announces_changes_what_was_measured(
            first in proptest::option::of(speeds()),
            later in proptest::option::of(speeds()),
            took_ms in 1..600_000_u64,
        ) {
            let mut pace = Pace::announced(first);
            pace.announces(later);
            prop_assert_eq!(pace, Pace::announced(later), "nothing was measured yet");
            pace.observe(2_000, 300, Duration::from_millis(took_ms));
            let measured = pace;
            pace.announces(first);
            prop_assert_eq!(pace, measured);
        }

        #[test]
        fn a_single_odd_answer_moves_a_measure_by_less_than_its_own_distance(
            true_speed in speeds(),
            odd in 2.0..50.0_f64,
        ) {
            let usual = true_speed.secs(2_000, 300);
            let mut pace = Pace::announced(None);
            pace.observe(2_000, 300, Duration::from_secs_f64(usual));
            pace.observe(2_000, 300, Duration::from_secs_f64(usual * odd));
            let moved = pace.speed().secs(2_000, 300) / usual;
            prop_assert!(moved > 1.0 && moved < odd.powf(0.31), "{moved} of {odd}");
        }
    }

    #[test]
    fn a_job_of_nothing_says_nothing() {
        let mut pace = Pace::announced(None);
        pace.observe(0, 0, Duration::from_secs(9));
        assert_eq!(pace, Pace::announced(None));
    }

    #[test]
    fn the_assumed_machine_takes_its_own_time_and_a_fast_writer_gains() {
        assert!((times_as_long(Speed::ASSUMED, 30, 1.0) - 1.0).abs() < 1e-9);
        let quick_writer = Speed::new(200.0, 80.0).unwrap();
        assert!((times_as_long(quick_writer, 100, 1.0) - 1.0).abs() < 1e-9);
        assert!((times_as_long(quick_writer, 0, 1.0) - 0.1).abs() < 1e-9);
        assert!((times_as_long(Speed::ASSUMED, 20, 0.25) - 0.4).abs() < 1e-9);
    }
}
