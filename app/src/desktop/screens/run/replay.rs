//! A recorded run played again: its moments follow each other as they did, at a speed that is chosen.
//!
//! The state knows no clock: the view says how much time has passed ([`super::Action::Advance`]).

use super::state::{Run, Stage};

/// How long playing a run may take at the speed that it is begun with, if one of them is so fast.
const TIMEOUT_US: u64 = 60_000_000;

/// How fast, in quarters of the speed at which it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplaySpeed(u64);

impl ReplaySpeed {
    /// All that can be chosen, the slowest first.
    pub const ALL: [Self; 6] = [Self(1), Self(4), Self(16), Self(64), Self(256), Self(1_024)];

    /// The slowest, from that of the run on, at which nobody waits longer than a minute.
    fn for_a_run_of(lasted_us: u64) -> Self {
        let quick = |speed: &&Self| lasted_us.saturating_mul(4) / speed.0 <= TIMEOUT_US;
        Self::ALL.iter().skip(1).find(quick).copied().unwrap_or(Self::ALL[Self::ALL.len() - 1])
    }

    /// The next faster one; after the fastest the slowest.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|speed| *speed == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// As people write it.
    pub fn word(self) -> String {
        if self.0 < 4 { "¼×".to_owned() } else { format!("{}×", self.0 / 4) }
    }
}

/// How playing a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replay {
    /// How fast.
    pub speed: ReplaySpeed,
    /// Whether it goes on, rather than being held.
    pub on: bool,
    /// The moment shown, in microseconds since the run began: at a quarter of the speed a frame is less
    /// than a few milliseconds.
    at_us: u64,
}

impl Run {
    /// Whether it can be played: it is read, and something has happened.
    pub fn can_replay(&self) -> bool {
        self.stage == Stage::Recorded && self.view.at_ms > 0
    }

    /// Whether it is played now.
    pub fn is_playing(&self) -> bool {
        self.replay.is_some_and(|replay| replay.on)
    }

    /// Plays it from the moment shown on, or from its beginning; what is played is held, and what is held
    /// goes on.
    pub(super) fn play_or_hold(&mut self) {
        if let Some(replay) = &mut self.replay {
            replay.on = !replay.on;
        } else if self.can_replay() {
            let at_us = self.cursor.unwrap_or(0).saturating_mul(1_000);
            let speed = ReplaySpeed::for_a_run_of(self.view.at_ms.saturating_mul(1_000));
            self.replay = Some(Replay { speed, on: true, at_us });
            self.cursor = Some(at_us / 1_000);
        }
    }

    /// So much time has passed while it was played. At its end it is what it was before: a recorded run.
    pub(super) fn advance(&mut self, passed_us: u64) {
        let last_ms = self.view.at_ms;
        let Some(replay) = self.replay.as_mut().filter(|replay| replay.on) else { return };
        replay.at_us = replay.at_us.saturating_add(passed_us.saturating_mul(replay.speed.0) / 4);
        let at_ms = replay.at_us / 1_000;
        if at_ms < last_ms {
            self.cursor = Some(at_ms);
        } else {
            (self.replay, self.cursor) = (None, None);
        }
    }

    /// Another moment is shown: playing goes on from there, and ends with the newest.
    pub(super) fn seek(&mut self, moment: Option<u64>) {
        self.cursor = moment.filter(|moment| *moment < self.view.at_ms);
        match (&mut self.replay, self.cursor) {
            (Some(replay), Some(cursor)) => replay.at_us = cursor.saturating_mul(1_000),
            _ => self.replay = None,
        }
    }

    pub(super) fn set_speed(&mut self, speed: ReplaySpeed) {
        if let Some(replay) = &mut self.replay {
            replay.speed = speed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Recipe, shown};
    use super::*;

    #[test]
    fn playing_shows_every_moment_in_its_turn_and_ends_as_the_recorded_run() {
        let recorded = shown(Recipe::done(41), false);
        let mut run = recorded.clone();
        run.play_or_hold();
        assert_eq!((run.cursor, run.is_playing()), (Some(0), true));
        let (mut before, mut frames) = (0, 0);
        while run.replay.is_some() {
            let verified = run.view.progress.verified_at(run.moment());
            assert!(verified >= before, "{verified} after {before}");
            (before, frames) = (verified, frames + 1);
            run.advance(16_667);
        }
        assert_eq!(run, recorded);
        // At the speed at which it ran, a frame is a frame.
        assert_eq!(frames, recorded.view.at_ms * 1_000 / 16_667 + 1);
    }

    #[test]
    fn a_quarter_of_the_speed_loses_nothing_of_a_frame() {
        let mut run = shown(Recipe::done(41), false);
        run.play_or_hold();
        run.set_speed(ReplaySpeed::ALL[0]);
        for _ in 0..60 {
            run.advance(1_000);
        }
        assert_eq!(run.cursor, Some(15));
    }

    #[test]
    fn what_is_held_stays_where_it_is_and_goes_on_from_wherever_it_is_put() {
        let mut run = shown(Recipe::done(41), false);
        run.play_or_hold();
        run.advance(50_000);
        run.play_or_hold();
        run.advance(50_000);
        assert_eq!((run.cursor, run.is_playing()), (Some(50), false));
        run.seek(Some(200));
        run.play_or_hold();
        run.advance(10_000);
        assert_eq!(run.cursor, Some(210));
        run.seek(None);
        assert_eq!((run.replay, run.cursor), (None, None));
    }

    #[test]
    fn long_runs_begin_faster_and_live_ones_are_not_played() {
        let word = |lasted_us| ReplaySpeed::for_a_run_of(lasted_us).word();
        assert_eq!((word(8_000_000), word(61_000_000)), ("1×".to_owned(), "4×".to_owned()));
        assert_eq!((word(3_600_000_000), word(u64::MAX)), ("64×".to_owned(), "256×".to_owned()));
        assert_eq!(ReplaySpeed::ALL[5].next().word(), "¼×");
        let mut live = shown(Recipe::busy(41), true);
        live.play_or_hold();
        assert_eq!(live.replay, None);
    }
}
