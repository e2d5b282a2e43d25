//! What the window shows of the red team: every policy at one honest error rate in one world, small enough to be
//! simulated while somebody waits.

use super::cell::Cell;
use super::swarm::{Mix, PROVIDERS};
use super::table::{Measured, times_unverified};
use super::{SHARES, measure, policies};

/// The honest models' error rate.
pub const ERROR_RATE: f64 = 0.01;
/// Subtasks of a cell: enough to tell policies apart, and some seconds on all cores.
pub const SUBTASKS: usize = 2_000;

/// One policy, by share of liars.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name.
    pub policy: String,
    /// Share of the subtasks that were accepted and right; against a clique, of those on its topic.
    pub right: Vec<f64>,
    /// Jobs as a multiple of those without verification.
    pub jobs: Vec<f64>,
}

/// All policies against one kind of adversaries.
#[derive(Debug, Clone, PartialEq)]
pub struct Against {
    /// Who they are.
    pub whom: &'static str,
    /// Policy by policy.
    pub lines: Vec<Line>,
}

/// What came of one world.
#[derive(Debug, Clone, PartialEq)]
pub struct Glance {
    /// Simulated providers.
    pub providers: usize,
    /// Subtasks of each cell.
    pub subtasks: usize,
    /// Shares of liars, 0..=1.
    pub shares: Vec<f64>,
    /// By kind of adversaries.
    pub against: Vec<Against>,
}

/// Simulates a world on all cores. Blocks.
pub fn glance(subtasks: usize, seed: u64) -> anyhow::Result<Glance> {
    let mut cells = Vec::new();
    for mix in Mix::ALL {
        for policy in policies() {
            let cell =
                |share| Cell { policy: policy.clone(), mix, share, error_rate: ERROR_RATE, subtasks, seed };
            cells.extend(SHARES.map(cell));
        }
    }
    let measured = measure(&cells)?;
    let line = |of_policy: &[Measured]| Line {
        policy: of_policy[0].cell.policy.to_string(),
        right: of_policy.iter().map(Measured::right).collect(),
        jobs: of_policy.iter().map(|cell| times_unverified(cell, &measured)).collect(),
    };
    let of_mix = measured.chunks(measured.len() / Mix::ALL.len());
    let against = Mix::ALL.into_iter().zip(of_mix).map(|(mix, cells)| Against {
        whom: match mix {
            Mix::Independent => "eleven kinds of liars, each on its own",
            Mix::Clique => "a clique with one lie, on its topic",
        },
        lines: cells.chunks(SHARES.len()).map(line).collect(),
    });
    Ok(Glance { providers: PROVIDERS, subtasks, shares: SHARES.to_vec(), against: against.collect() })
}
