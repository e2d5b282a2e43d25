//! How fast one relay lets us publish: a token bucket that learns.
//!
//! NIP-11 has no field for a rate, so the bucket starts unlimited (or at the configured rate) and
//! learns from `rate-limited:` replies: each halves the rate and pauses, longer every time; steady
//! acceptance raises the rate again.
//!
//! Most relays count by the minute. So many events as a relay took in the minute before it complained go again once that
//! minute is over, however slow the bucket has become meanwhile.

use std::collections::VecDeque;
use std::time::Duration;

use frlm_util::rate::{Rate, TokenBucket};
use tokio::time::Instant;

const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// A relay that takes so many events a minute may take the next one at any time: it is tried this often.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// One event in ten seconds: what the strictest public relays allow.
const SLOWEST_PER_SECOND: f64 = 0.1;
/// Rate assumed at the first complaint of a relay that was unlimited until then.
const FIRST_LIMIT_PER_SECOND: f64 = 20.0;
/// Share by which one accepted event raises the rate.
const RAISE_PER_ACCEPTED: f64 = 0.01;
/// How long a complaint is remembered: rates are counted by the minute or the hour.
pub(super) const SHORT_FOR: Duration = Duration::from_mins(10);
/// A relay's minute, and a little for what is under way at its ends.
const MINUTE: Duration = Duration::from_millis(60_500);
/// Events of the last minute that are remembered: a relay that takes more is not short.
const MOST_REMEMBERED: usize = 2_048;
/// Complaints about events sent before the last one was heard say nothing new.
const SAME_COMPLAINT: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub(super) struct Pacer {
    /// Events per second; `None` is unlimited.
    rate: Option<f64>,
    bucket: TokenBucket,
    /// From when the bucket's time counts.
    began: Instant,
    pause: Duration,
    paused_until: Option<Instant>,
    complained_at: Option<Instant>,
    /// When the events of the last minute were accepted, the oldest first.
    accepted: VecDeque<Instant>,
    /// Events that the relay took in the minute before it complained.
    per_minute: usize,
}

impl Pacer {
    pub(super) fn new(events_per_second: Option<f64>) -> Self {
        let rate = events_per_second.map(|rate| rate.max(SLOWEST_PER_SECOND));
        Self {
            rate,
            bucket: TokenBucket::with(burst(rate.unwrap_or(0.0)), Duration::ZERO),
            began: Instant::now(),
            pause: FIRST_PAUSE,
            paused_until: None,
            complained_at: None,
            accepted: VecDeque::new(),
            per_minute: 0,
        }
    }

    /// Takes the right to send one event, or says when to ask again. So many others are sent and not yet answered.
    pub(super) fn take(&mut self, unanswered: usize, now: Instant) -> Result<(), Instant> {
        if let Some(until) = self.paused_until.filter(|until| *until > now) {
            return Err(until);
        }
        let Some(rate) = self.rate else { return Ok(()) };
        self.forget_older(now);
        if self.accepted.len() + unanswered < self.per_minute {
            return Ok(());
        }
        let rate = Rate { per_second: rate, burst: burst(rate) };
        let time = now.saturating_duration_since(self.began);
        let minute_over = self.accepted.front().map(|oldest| *oldest + MINUTE);
        self.bucket.take(rate, time).map_err(|wait| {
            let at = now + wait;
            minute_over.filter(|_| unanswered < self.per_minute).map_or(at, |over| over.min(at))
        })
    }

    /// Forgets what was accepted more than a minute ago.
    fn forget_older(&mut self, now: Instant) {
        while self.accepted.front().is_some_and(|oldest| *oldest + MINUTE <= now) {
            self.accepted.pop_front();
        }
    }

    /// Whether the relay has complained lately, so that what may be lost would take the place of what may not.
    pub(super) fn is_short(&self, now: Instant) -> bool {
        self.complained_at.is_some_and(|at| now.saturating_duration_since(at) < SHORT_FOR)
    }

    pub(super) fn accepted(&mut self, now: Instant) {
        self.forget_older(now);
        if self.accepted.len() == MOST_REMEMBERED {
            self.accepted.pop_front();
        }
        self.accepted.push_back(now);
        if let Some(rate) = &mut self.rate {
            *rate *= 1.0 + RAISE_PER_ACCEPTED;
        }
        self.pause = FIRST_PAUSE;
    }

    pub(super) fn rate_limited(&mut self, now: Instant) {
        let same = self.complained_at.is_some_and(|at| now.saturating_duration_since(at) < SAME_COMPLAINT);
        let paused = self.paused_until.is_some_and(|until| until > now);
        if same || paused {
            return;
        }
        self.complained_at = Some(now);
        self.rate =
            Some(self.rate.map_or(FIRST_LIMIT_PER_SECOND, |rate| (rate / 2.0).max(SLOWEST_PER_SECOND)));
        self.bucket = TokenBucket::with(0.0, now.saturating_duration_since(self.began));
        self.forget_older(now);
        // After a minute in which it took less than is believed, the belief shrinks by a quarter.
        self.per_minute = self.accepted.len().max(self.per_minute * 3 / 4);
        // Its minute may be over before the pause is.
        let minute_over = self.accepted.front().map(|oldest| *oldest + MINUTE).filter(|over| *over > now);
        let again = now + self.pause;
        self.paused_until = Some(minute_over.map_or(again, |over| over.min(again)));
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }
}

/// One second's worth may go at once, and always at least one event.
fn burst(per_second: f64) -> f64 {
    per_second.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent_within(pacer: &mut Pacer, start: Instant, seconds: u64) -> usize {
        let (mut now, mut sent) = (start, 0);
        while now < start + Duration::from_secs(seconds) {
            match pacer.take(0, now) {
                Ok(()) => sent += 1,
                Err(at) => now = at.max(now + Duration::from_millis(1)),
            }
        }
        sent
    }

    #[test]
    fn an_unlimited_relay_is_not_slowed() {
        let mut pacer = Pacer::new(None);
        let now = Instant::now();
        assert!((0..100_000).all(|_| pacer.take(0, now).is_ok()));
    }

    #[test]
    fn a_configured_rate_is_kept() {
        let sent = sent_within(&mut Pacer::new(Some(5.0)), Instant::now(), 10);
        assert!((50..=56).contains(&sent), "{sent}");
    }

    #[test]
    fn a_complaint_pauses_and_slows_and_acceptance_recovers() {
        let start = Instant::now();
        let mut pacer = Pacer::new(None);
        assert!(pacer.take(0, start).is_ok());
        pacer.rate_limited(start);
        pacer.rate_limited(start + Duration::from_millis(10));
        assert_eq!(pacer.take(0, start).unwrap_err(), start + FIRST_PAUSE, "one complaint, one pause");
        let sent = sent_within(&mut pacer, start + FIRST_PAUSE, 10);
        assert!((190..=230).contains(&sent), "{sent}");
        for _ in 0..100 {
            pacer.accepted(start);
        }
        assert!(pacer.rate.unwrap() > 50.0);
    }

    /// A relay that takes so many events in any minute.
    fn taken_by_a_relay(per_minute: usize, seconds: u64) -> (usize, usize) {
        let start = Instant::now();
        let (mut pacer, mut now) = (Pacer::new(None), start);
        let (mut taken, mut refused) = (Vec::<Instant>::new(), 0);
        while now < start + Duration::from_secs(seconds) {
            if let Err(at) = pacer.take(0, now) {
                now = at.max(now + Duration::from_millis(1));
                continue;
            }
            now += Duration::from_millis(5);
            let lately = taken.iter().filter(|at| **at + Duration::from_mins(1) > now).count();
            if lately < per_minute {
                taken.push(now);
                pacer.accepted(now);
            } else {
                refused += 1;
                pacer.rate_limited(now);
            }
        }
        (taken.len(), refused)
    }

    #[test]
    fn what_a_relay_takes_in_a_minute_it_gets_in_each_minute() {
        for (per_minute, least, most_refused) in [(20, 115, 60), (300, 1_700, 60)] {
            let (taken, refused) = taken_by_a_relay(per_minute, 360);
            assert!(taken >= least, "{taken} of {} at {per_minute} a minute", per_minute * 6);
            assert!(refused <= most_refused, "{refused} tries for nothing at {per_minute} a minute");
        }
    }

    #[test]
    fn repeated_complaints_pause_longer_but_never_stop_for_good() {
        let mut now = Instant::now();
        let mut pacer = Pacer::new(None);
        for _ in 0..20 {
            pacer.rate_limited(now);
            now = pacer.take(0, now).unwrap_err();
        }
        let wait = pacer.take(0, now).err().map_or(Duration::ZERO, |at| at - now);
        assert!(wait <= Duration::from_secs(10), "{wait:?}");
    }
}
