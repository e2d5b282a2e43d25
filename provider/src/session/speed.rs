//! How long a prompt takes this machine, learned from the jobs that it did.
//!
//! ```text
//!            work begins                    a job is done: it counts a tenth, after a rest more
//!  resting ───────────────► working ◄──────────────────────────────────────┐
//!     ▲                        │  └──────────────────────────────────────────┘
//!     └────────────────────────┘ nothing runs any more
//! ```
//!
//! What was measured while other programs had the machine says little about the same machine at rest. So the
//! estimate falls while the engine rests, but never below what this machine has reached: one that is always slow
//! promises no more than before. Where even that refuses everything, nothing would ever be measured again;
//! therefore an engine that has rested for a while is tried with one job, and the next time after twice as long.

use std::time::Duration;

use nostr::Timestamp;

/// A rest this long takes half of what the estimate lies above the machine's best.
const HALF_LIFE_SECS: f64 = 10.0;
/// What a job leaves of the estimate before it, if the engine did not rest: an average of about ten jobs.
const KEPT: f64 = 0.9;
/// How far the best goes towards an average below it, and towards one above it.
const BEST_FALLS: f64 = 0.5;
const BEST_RISES: f64 = 0.01;
/// A job that was not done in time may have been half done.
const LATE: f64 = 2.0;
/// How long an engine rests before it is tried, at first and at most.
const FIRST_TRIAL_SECS: u64 = 30;
const LAST_TRIAL_SECS: u64 = 3_600;

#[derive(Debug)]
pub(crate) struct Speed {
    known: Option<Known>,
    /// When the engine ran out of work; `None` while it works.
    resting_since: Option<Timestamp>,
    /// How long it rested before it began to work; 0 once a job has told how fast it is since then.
    rested_secs: u64,
    trial_after_secs: u64,
}

/// Seconds per prompt.
#[derive(Debug, Clone, Copy)]
struct Known {
    recent: f64,
    best: f64,
}

impl Speed {
    pub(crate) fn new() -> Self {
        Self { known: None, resting_since: None, rested_secs: 0, trial_after_secs: FIRST_TRIAL_SECS }
    }

    /// How long one prompt takes, once anything is known of it.
    pub(crate) fn prompt_duration(&self, now: Timestamp) -> Option<Duration> {
        self.estimate(now).map(Duration::from_secs_f64)
    }

    /// Whether a job may be taken that, by what is known, would be late.
    pub(crate) fn trial_is_due(&self, now: Timestamp) -> bool {
        self.known.is_some() && self.resting_since.is_some() && self.rest_secs(now) >= self.trial_after_secs
    }

    /// Such a job was taken.
    pub(crate) fn tried(&mut self) {
        self.trial_after_secs = self.trial_after_secs.saturating_mul(2).min(LAST_TRIAL_SECS);
    }

    /// The engine begins to work. From now on the estimate stays until a job is done.
    pub(crate) fn works(&mut self, now: Timestamp) {
        let forgotten = self.estimate(now);
        if let (Some(known), Some(recent)) = (&mut self.known, forgotten) {
            known.recent = recent;
        }
        if self.resting_since.is_some() {
            self.rested_secs = self.rest_secs(now);
            self.resting_since = None;
        }
    }

    /// The engine has nothing to do.
    pub(crate) fn rests(&mut self, now: Timestamp) {
        self.resting_since.get_or_insert(now);
    }

    /// A job is done, and each of its prompts took so long.
    pub(crate) fn measured(&mut self, each: Duration) {
        let each = each.as_secs_f64();
        let Some(known) = &mut self.known else {
            self.known = Some(Known { recent: each, best: each });
            return;
        };
        if each * 2.0 <= known.recent {
            self.trial_after_secs = FIRST_TRIAL_SECS;
        }
        let kept = KEPT * left_after(std::mem::take(&mut self.rested_secs));
        known.recent = each + (known.recent - each) * kept;
        let pace = if known.recent < known.best { BEST_FALLS } else { BEST_RISES };
        known.best += (known.recent - known.best) * pace;
    }

    /// A job expired after each of its prompts had so long.
    pub(crate) fn ran_late(&mut self, each: Duration) {
        if each.is_zero() {
            // It came too late already, and says nothing of this machine.
            return;
        }
        let each = each.as_secs_f64() * LATE;
        let known = self.known.get_or_insert(Known { recent: each, best: each });
        known.recent = known.recent.max(each);
        // It may have become slower for good. Otherwise the next jobs bring it down as quickly.
        known.best += (known.recent - known.best) * BEST_FALLS;
        self.rested_secs = 0;
    }

    fn estimate(&self, now: Timestamp) -> Option<f64> {
        let Known { recent, best } = self.known?;
        let above = (recent - best).max(0.0);
        Some(recent - above + above * left_after(self.rest_secs(now)))
    }

    fn rest_secs(&self, now: Timestamp) -> u64 {
        self.resting_since.map_or(0, |since| now.as_secs().saturating_sub(since.as_secs()))
    }
}

/// The share that a rest leaves of what load has added.
fn left_after(rest_secs: u64) -> f64 {
    (-(rest_secs as f64) / HALF_LIFE_SECS).exp2()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::NOW;

    /// An engine that did a job, and rests.
    fn after(each: Duration) -> Speed {
        let mut speed = Speed::new();
        speed.works(NOW);
        speed.measured(each);
        speed.rests(NOW);
        speed
    }

    fn estimate(speed: &Speed, now: Timestamp) -> f64 {
        speed.prompt_duration(now).unwrap().as_secs_f64()
    }

    proptest! {
        #[test]
        fn a_machine_of_one_speed_never_promises_more_however_long_it_rests(
            each_ms in 1..600_000_u64,
            rests in proptest::collection::vec((0..100_000_u64, 1..4_usize), 1..40),
        ) {
            let each = Duration::from_millis(each_ms);
            let mut speed = after(each);
            let mut now = NOW;
            for (rest_secs, jobs) in rests {
                now = now + rest_secs;
                let promised = estimate(&speed, now);
                prop_assert!((promised / each.as_secs_f64() - 1.0).abs() < 1e-6, "{promised}");
                speed.works(now);
                for _ in 0..jobs {
                    speed.measured(each);
                }
                speed.rests(now);
            }
        }

        #[test]
        fn one_job_after_a_rest_ends_any_load_peak(
            slower in 2..200_u32,
            jobs in 1..500_usize,
        ) {
            let usual = Duration::from_secs(1);
            let mut speed = after(usual);
            speed.works(NOW);
            for _ in 0..jobs {
                speed.measured(usual * slower);
            }
            speed.rests(NOW);
            let later = NOW + FIRST_TRIAL_SECS;
            prop_assert!(speed.trial_is_due(later));
            speed.works(later);
            speed.tried();
            speed.measured(usual);
            let slower = f64::from(slower);
            prop_assert!(estimate(&speed, later) < 1.0 + 0.12 * slower, "{speed:?}");
            if speed.trial_after_secs > FIRST_TRIAL_SECS {
                // It was not needed: the estimate had come down by itself.
                prop_assert!(estimate(&speed, later) < 2.0, "{speed:?}");
            }
        }

        #[test]
        fn a_machine_too_slow_for_every_job_takes_few_of_them(
            allowed_secs in 1..300_u64,
            once_quick in any::<bool>(),
        ) {
            const SPAN_SECS: u64 = 6 * 3_600;
            let allowed = Duration::from_secs(allowed_secs);
            let mut speed = if once_quick { after(allowed / 10) } else { Speed::new() };
            let (mut now, end) = (NOW, NOW + SPAN_SECS);
            let mut late = 0;
            while now < end {
                let promises = speed.prompt_duration(now).is_none_or(|each| each <= allowed);
                let tried = !promises && speed.trial_is_due(now);
                if !promises && !tried {
                    now = now + 1_u64;
                    continue;
                }
                if tried {
                    speed.tried();
                }
                speed.works(now);
                now = now + allowed_secs;
                speed.ran_late(allowed);
                speed.rests(now);
                late += 1;
            }
            // Trials after 30 s, 1 min, 2 min and so on up to an hour, then one each hour.
            let most = 7 + SPAN_SECS / LAST_TRIAL_SECS;
            prop_assert!(late <= most + 2, "{late} jobs were late");
        }
    }

    #[test]
    fn a_rest_takes_what_a_short_peak_has_added() {
        let mut speed = after(Duration::from_secs(1));
        speed.works(NOW);
        for _ in 0..10 {
            speed.measured(Duration::from_secs(20));
        }
        assert!(estimate(&speed, NOW + 600_u64) > 10.0, "it works, so that nothing is forgotten");
        speed.rests(NOW);
        assert!(estimate(&speed, NOW) > 10.0);
        assert!(estimate(&speed, NOW + 60_u64) < 3.0, "{speed:?}");
    }

    #[test]
    fn a_clock_that_jumps_back_forgets_nothing_and_tries_nothing() {
        let speed = after(Duration::from_secs(5));
        let before = Timestamp::from_secs(NOW.as_secs() - 1_000);
        assert!((estimate(&speed, before) - 5.0).abs() < 1e-9);
        assert!(!speed.trial_is_due(before));
    }
}
