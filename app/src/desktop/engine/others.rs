//! Whether other programs need this machine: how much of its processor they take.

use std::time::Duration;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// Time between two looks.
pub const TICK: Duration = Duration::from_secs(5);

/// Share of all cores from which on others need the machine.
const BUSY: f64 = 0.33;
/// Share under which they do not any more.
const CALM: f64 = 0.15;
/// Looks in a row that say so: a program that starts is no reason, and a film that buffers no end.
const BUSY_LOOKS: u32 = 4;
/// The same for the end of it.
const CALM_LOOKS: u32 = 12;

/// What other programs take. Each look is about the time since the one before.
#[derive(Debug)]
pub struct Gauge {
    system: System,
    own: Option<Pid>,
}

impl Gauge {
    /// A gauge whose next look is about the time from now on.
    pub fn new() -> Self {
        let mut gauge = Self { system: System::new(), own: sysinfo::get_current_pid().ok() };
        gauge.look();
        gauge
    }

    /// The share of all cores that other programs took, 0..=1.
    pub fn look(&mut self) -> f64 {
        self.system.refresh_cpu_usage();
        let cores = self.system.cpus().len().max(1) as f64;
        let own = self.own.map_or(0.0, |own| {
            let kind = ProcessRefreshKind::nothing().with_cpu().without_tasks();
            self.system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, kind);
            self.system.process(own).map_or(0.0, |process| f64::from(process.cpu_usage()) / cores)
        });
        ((f64::from(self.system.global_cpu_usage()) - own) / 100.0).clamp(0.0, 1.0)
    }
}

/// Whether others need the machine, by the looks so far. It takes several to change that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Need {
    needed: bool,
    /// Looks in a row that say otherwise.
    against: u32,
}

impl Need {
    /// They do now.
    pub fn there() -> Self {
        Self { needed: true, against: 0 }
    }

    /// Takes a look into account, and says whether others need the machine.
    pub fn note(&mut self, others: f64) -> bool {
        let (says_otherwise, enough) =
            if self.needed { (others < CALM, CALM_LOOKS) } else { (others >= BUSY, BUSY_LOOKS) };
        self.against = if says_otherwise { self.against + 1 } else { 0 };
        if self.against >= enough {
            *self = Self { needed: !self.needed, against: 0 };
        }
        self.needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_burst_is_no_need_and_a_short_rest_no_end_of_it() {
        let mut need = Need::default();
        assert!(![0.9, 0.9, 0.9, 0.1, 0.9, 0.9, 0.9].map(|others| need.note(others)).contains(&true));
        assert!(need.note(BUSY), "the fourth in a row");
        assert!((1..CALM_LOOKS).all(|_| need.note(0.0)));
        assert!(need.note(0.2), "neither busy nor calm: it starts over");
        assert!((1..CALM_LOOKS).all(|_| need.note(0.0)));
        assert!(!need.note(0.0));
        assert!(Need::there().note(0.0));
    }

    #[test]
    fn what_this_process_takes_is_not_taken_by_others() {
        let mut gauge = Gauge::new();
        std::thread::sleep(sysinfo::MINIMUM_CPU_UPDATE_INTERVAL);
        assert!((0.0..=1.0).contains(&gauge.look()));
        assert!(gauge.own.is_some_and(|own| gauge.system.process(own).is_some()), "it knows itself");
    }
}
