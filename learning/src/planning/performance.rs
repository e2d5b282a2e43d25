//! Where the time of answers goes, and how they are put together (seeds/super-llm-block.md, intelligence state:
//! `latency_breakdown`, `synthesis_patterns`).
//!
//! ```text
//!   understanding ─► taking apart ─► finding providers ─► waiting ─► putting together
//!          ▲               │                                 │
//!          └───────────────┴── how simple is it? ────────────┘
//! ```
//!
//! A text that is written from notes is a subtask like any other: the wait for it is part of the waiting. Checks, payment and
//! the journal go on while a run waits, and are part of that, too.

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::strategies::Moments;

/// What a run is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// What earlier runs have taught, and how simple the question is (`query_understanding`).
    Understanding,
    /// Its parts, and how they are asked (`decomposition`).
    Decomposition,
    /// Who is there, and what it may cost (`routing_preparation`).
    Routing,
    /// Until all is answered and checked (`waiting_for_subtasks`).
    Waiting,
    /// One answer of many (`synthesis`).
    Synthesis,
}

/// In the order in which they come.
pub const PHASES: [Phase; 5] =
    [Phase::Understanding, Phase::Decomposition, Phase::Routing, Phase::Waiting, Phase::Synthesis];

/// How the answers of several places became one (`synthesis_patterns`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synthesis {
    /// What belongs together was brought together.
    Aggregative,
    /// In the order in which it happened.
    Narrative,
    /// What is alike, and what differs.
    Comparative,
    /// What follows from what.
    Analytical,
}

/// In the order in which they are counted.
pub const PATTERNS: [Synthesis; 4] =
    [Synthesis::Aggregative, Synthesis::Narrative, Synthesis::Comparative, Synthesis::Analytical];

/// Measures one run.
#[derive(Debug, Default)]
pub struct Stopwatch {
    now: Option<(Phase, Instant)>,
    secs: [f64; PHASES.len()],
}

impl Stopwatch {
    /// Another phase begins, or one goes on; returns the one that was.
    pub fn enter(&mut self, phase: Phase) -> Option<Phase> {
        let before = self.stop();
        self.now = Some((phase, Instant::now()));
        before
    }

    /// Goes back to what was before a phase.
    pub fn back_to(&mut self, before: Option<Phase>) {
        self.stop();
        self.now = before.map(|phase| (phase, Instant::now()));
    }

    /// Seconds of each phase, the one that goes on now included.
    pub fn secs(&self) -> [f64; PHASES.len()] {
        let mut secs = self.secs;
        if let Some((phase, since)) = self.now {
            secs[phase as usize] += since.elapsed().as_secs_f64();
        }
        secs
    }

    fn stop(&mut self) -> Option<Phase> {
        self.secs = self.secs();
        self.now.take().map(|(phase, _)| phase)
    }
}

/// How a run worked that ended with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Seconds of each phase; `None` where it went on after it had been stopped: what was before nobody measured.
    pub secs: Option<[f64; PHASES.len()]>,
    /// How its answer was put together; `None` where that was one provider's, or answers stand side by side.
    pub pattern: Option<Synthesis>,
}

/// All of them together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Performance {
    /// Seconds of each phase, in their order.
    phases: [Moments; PHASES.len()],
    /// Answers by how they were put together.
    patterns: [u64; PATTERNS.len()],
}

impl Performance {
    /// Takes in an answered run.
    pub fn note(&mut self, work: &Work) {
        if let Some(secs) = work.secs {
            for (phase, secs) in self.phases.iter_mut().zip(secs) {
                phase.push(secs);
            }
        }
        if let Some(at) = work.pattern.and_then(|pattern| PATTERNS.iter().position(|known| *known == pattern))
        {
            self.patterns[at] += 1;
        }
    }

    /// Answers whose time was measured.
    pub fn measured(&self) -> u64 {
        self.phases[0].count
    }

    /// Mean seconds of each phase; of none, 0.
    pub fn secs(&self) -> [f64; PHASES.len()] {
        self.phases.map(|phase| phase.mean)
    }

    /// Answers that were put together.
    pub fn put_together(&self) -> u64 {
        self.patterns.iter().sum()
    }

    /// Of these, the share of each pattern, in the order of [`PATTERNS`]; of none, 0.
    pub fn shares(&self) -> [f64; PATTERNS.len()] {
        let all = self.put_together().max(1) as f64;
        self.patterns.map(|count| count as f64 / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_breakdown_is_a_mean_by_phase_and_synthesis_patterns_are_shares() {
        let mut performance = Performance::default();
        assert_eq!((performance.measured(), performance.put_together()), (0, 0));
        assert!(performance.shares().iter().all(|share| share.abs() < 1e-9), "of nothing, nothing");
        let work = |secs, pattern| Work { secs, pattern };
        performance.note(&work(Some([1.0, 2.0, 0.0, 8.0, 1.0]), Some(Synthesis::Aggregative)));
        performance.note(&work(Some([3.0, 0.0, 1.0, 4.0, 2.0]), Some(Synthesis::Comparative)));
        performance.note(&work(None, Some(Synthesis::Aggregative)));
        performance.note(&work(None, Some(Synthesis::Analytical)));
        performance.note(&work(None, None));
        assert_eq!((performance.measured(), performance.put_together()), (2, 4));
        let figures = (performance.secs(), performance.shares());
        assert_eq!(figures, ([2.0, 1.0, 0.5, 6.0, 1.5], [0.5, 0.0, 0.25, 0.25]));
        let kept = serde_json::to_string(&performance).unwrap();
        assert_eq!(serde_json::from_str::<Performance>(&kept).unwrap(), performance);
    }

    /// Returns when the clock has moved.
    fn a_moment() {
        let at = Instant::now();
        while at.elapsed().is_zero() {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn all_time_belongs_to_a_phase_and_nested_time_to_the_inner_one_alone() {
        let began = Instant::now();
        let mut watch = Stopwatch::default();
        assert!(watch.secs().iter().sum::<f64>() <= 0.0, "nothing has begun");
        assert_eq!(watch.enter(Phase::Decomposition), None);
        a_moment();
        let before = watch.enter(Phase::Understanding);
        assert_eq!(before, Some(Phase::Decomposition));
        a_moment();
        watch.back_to(before);
        assert_eq!(watch.enter(Phase::Waiting), Some(Phase::Decomposition));
        a_moment();
        watch.back_to(None);
        let secs = watch.secs();
        a_moment();
        assert_eq!((secs,), (watch.secs(),), "it stands");
        assert!(secs[0] > 0.0 && secs[1] > 0.0 && secs[3] > 0.0, "{secs:?}");
        assert!(secs[2] + secs[4] <= 0.0, "{secs:?}");
        assert!(secs.iter().sum::<f64>() <= began.elapsed().as_secs_f64() + 1e-9, "{secs:?}");
    }
}
