//! What came of a cell.

use super::cell::{Cell, Tally};
use super::swarm::Mix;

/// A cell with its outcome.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What was simulated.
    pub cell: Cell,
    /// What came of it.
    pub tally: Tally,
}

impl Measured {
    /// Share of the subtasks that were accepted and right; against a clique, of those on its topic.
    pub fn right(&self) -> f64 {
        let (right, all) = match self.cell.mix {
            Mix::Independent => (self.tally.right, self.cell.subtasks),
            Mix::Clique => (self.tally.on_topic_right, self.tally.on_topic),
        };
        if all == 0 { 1.0 } else { right as f64 / all as f64 }
    }

    /// Jobs per subtask.
    pub fn cost(&self) -> f64 {
        self.tally.jobs as f64 / self.cell.subtasks.max(1) as f64
    }
}

/// Jobs as a multiple of those without verification in the same world.
pub fn times_unverified(measured: &Measured, all: &[Measured]) -> f64 {
    let same = |other: &&Measured| {
        let (a, b) = (&measured.cell, &other.cell);
        let rates = (a.share - b.share).abs() < 1e-9 && (a.error_rate - b.error_rate).abs() < 1e-9;
        rates && a.mix == b.mix && a.seed == b.seed && b.policy == frlm_verifier::VerificationPolicy::None
    };
    let floor = all.iter().find(same).map_or(1.0, Measured::cost);
    measured.cost() / floor
}
