//! A SIMULATED swarm of fifty providers in which some lie: every verification policy against shares of liars.
//!
//! Only transport and inference are replaced: replies come from [`world`] and [`adversary`] instead of a wire
//! and a model. Which provider is asked, when an answer counts, and what a reputation learns is the product's code:
//! `frlm_conductor::scheduler`, `frlm_verifier::{normalise, consensus, verdict, trust}`.
//!
//! - [`simulate`]: one world, small enough to be simulated while a person waits
//! - [`world`]: subtasks, honest models, what the wire shows
//! - [`adversary`]: who lies, and how
//! - [`swarm`]: the providers
//! - [`cell`]: one policy against one share of liars; [`measured`]: what came of it
//! - [`parallel`]: all cells on all cores

pub mod adversary;
pub mod cell;
pub mod measured;
pub mod parallel;
pub mod swarm;
#[cfg(test)]
mod tests;
pub mod world;

use cell::Cell;
use frlm_verifier::{AdaptiveConfig, VerificationPolicy};
use measured::{Measured, times_unverified};
use swarm::{Mix, PROVIDERS};

/// Shares of liars among the providers.
pub const SHARES: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
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
pub struct Simulation {
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
pub fn simulate(subtasks: usize, seed: u64) -> anyhow::Result<Simulation> {
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
    Ok(Simulation { providers: PROVIDERS, subtasks, shares: SHARES.to_vec(), against: against.collect() })
}

/// The policies that are compared.
pub fn policies() -> [VerificationPolicy; 6] {
    // All that a schema can say of these answers: that they are amounts, and of what size.
    let schema = serde_json::json!({"type": "number", "minimum": 1, "maximum": 100_000});
    [
        VerificationPolicy::None,
        VerificationPolicy::Objective { schema },
        VerificationPolicy::Validated { validator: "honest".to_owned() },
        VerificationPolicy::Redundancy { replicas: 3, agree: 2 },
        VerificationPolicy::Redundancy { replicas: 5, agree: 3 },
        VerificationPolicy::Adaptive(AdaptiveConfig::default()),
    ]
}

/// Runs the cells, each on one core, and returns them in order.
pub fn measure(cells: &[Cell]) -> anyhow::Result<Vec<Measured>> {
    parallel::over(cells, |cell| Measured { cell: cell.clone(), tally: cell::run(cell) })
}
