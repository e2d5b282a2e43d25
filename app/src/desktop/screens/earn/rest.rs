//! When a provider that is to go on does not serve: paused, while others need the machine, out of hours.

use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::state::{Event, Status};
use super::work::{Instruction, ServingTask};
use crate::desktop::engine::others::{self, Gauge, Need};

/// How often the clock is looked at. Hours begin and end within that.
const BEAT: Duration = Duration::from_secs(30);

impl ServingTask {
    /// Whether its hours say that it does not serve now. A user who insists serves until they begin.
    pub(super) async fn is_out_of_hours(&mut self) -> bool {
        let Some(hours) = self.hours else { return false };
        let among = hours.hold(self.clock.minute_of_day().await);
        self.stays &= !among;
        !among && !self.stays
    }

    /// Waits until its hours begin; `false` if it is not to go on.
    pub(super) async fn rest(&mut self) -> bool {
        let until = self.hours.map(super::hours::Hours::begin).unwrap_or_default();
        self.tell(Event::Status(Status::Resting { until })).await;
        let mut beats = beats();
        loop {
            tokio::select! {
                serves = self.is_called() => {
                    self.stays |= serves;
                    return serves;
                }
                _ = beats.tick() => {
                    if !self.is_out_of_hours().await {
                        return true;
                    }
                }
            }
        }
    }

    /// Waits; `false` if it is not to go on.
    pub(super) async fn pause(&mut self, minutes: u64) -> bool {
        self.tell(Event::Status(Status::Paused { minutes })).await;
        tokio::select! {
            serves = self.is_called() => serves,
            () = tokio::time::sleep(Duration::from_mins(minutes)) => true,
        }
    }

    /// Waits until no other program needs the machine; `false` if it is not to go on.
    pub(super) async fn yield_to_others(&mut self) -> bool {
        self.tell(Event::Status(Status::Yielding)).await;
        let (mut gauge, mut need) = (Gauge::new(), Need::there());
        let mut looks = looks();
        loop {
            tokio::select! {
                serves = self.is_called() => {
                    self.insists |= serves;
                    return serves;
                }
                _ = looks.tick() => {
                    if !need.note(gauge.look()) {
                        return true;
                    }
                }
            }
        }
    }

    /// Waits for what ends a pause from outside: `true` for the wish to serve, `false` for the end of serving.
    async fn is_called(&mut self) -> bool {
        loop {
            tokio::select! {
                () = self.quit.cancelled() => return false,
                () = at(self.deadline) => return false,
                changed = self.wish.changed() => match (changed, *self.wish.borrow_and_update()) {
                    (Ok(()), Instruction::Serve) => return true,
                    (Ok(()), Instruction::Pause(_) | Instruction::Yield | Instruction::Rest) => {}
                    (Ok(()), Instruction::Stop | Instruction::StopNow) | (Err(_), _) => return false,
                },
            }
        }
    }
}

/// When to look whether other programs need the machine; the first time after a while.
pub(super) fn looks() -> Interval {
    every(others::TICK)
}

/// When to look at the clock; the first time after a while.
pub(super) fn beats() -> Interval {
    every(BEAT)
}

fn every(time: Duration) -> Interval {
    let mut interval = tokio::time::interval_at(Instant::now() + time, time);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

/// Resolves then; never if there is no then.
pub(super) async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
