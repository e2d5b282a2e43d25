//! `frlm lab redteam`: a simulated swarm of fifty providers in which some lie.
//!
//! Only transport and inference are replaced: replies come from `world` and `adversary` instead of a wire
//! and a model. Who is asked, when an answer counts, and what is learned of whom is the product's code:
//! `frlm_conductor::scheduler`, `frlm_verifier::{normalise, consensus, verdict, trust}`.
//!
//! - [`world`]: subtasks, honest models, what the wire shows
//! - [`adversary`]: who lies, and how
//! - [`swarm`]: the providers
//! - [`cell`]: one policy against one share of liars
//! - [`table`], [`plot`]: what came of it

mod adversary;
mod cell;
mod plot;
mod swarm;
mod table;
#[cfg(test)]
mod tests;
mod world;

use std::time::Instant;

use anyhow::Context as _;
use cell::Cell;
use frlm_verifier::VerificationPolicy;
use frlm_verifier::trust::AdaptiveConfig;
use swarm::{Mix, PROVIDERS};
use table::Measured;
pub(super) use world::mix;

use crate::cli::LabRedteamArgs;
use crate::failure::Failure;
use crate::lab::parallel;

const SHARES: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
const ERROR_RATES: [f64; 4] = [0.0, 0.01, 0.02, 0.05];

/// Runs all cells on all cores and prints the tables.
pub fn run(args: &LabRedteamArgs) -> anyhow::Result<()> {
    if args.subtasks == 0 {
        return Err(Failure::usage("--subtasks must be at least 1").into());
    }
    let cells = cells(args.subtasks, args.seed);
    note!(
        "a SIMULATED swarm of {PROVIDERS} providers: no wire and no model; scheduler, comparison and trust are \
         the program's own. {} cells of {} subtasks",
        cells.len(),
        args.subtasks
    );
    let began = Instant::now();
    let measured = measure(&cells)?;
    note!("took {:.1} s", began.elapsed().as_secs_f64());
    if let Some(path) = &args.plot {
        std::fs::write(path, plot::svg(&measured))
            .with_context(|| format!("cannot write {}", path.display()))?;
        note!("plot: {}", path.display());
    }
    if args.json {
        let document = serde_json::json!({
            "simulated": true, "providers": PROVIDERS, "seed": args.seed, "cells": table::rows(&measured),
        });
        say!("{document}");
    } else {
        say!("Simulated swarm of {PROVIDERS} providers, {} subtasks a cell.", args.subtasks);
        say_raw!("{}", table::tables(&measured));
    }
    Ok(())
}

/// Every policy against every share of liars and every error rate of the honest.
fn cells(subtasks: usize, seed: u64) -> Vec<Cell> {
    let policies = [
        VerificationPolicy::None,
        VerificationPolicy::Redundancy { replicas: 3, agree: 2 },
        VerificationPolicy::Redundancy { replicas: 5, agree: 3 },
        VerificationPolicy::Adaptive(AdaptiveConfig::default()),
    ];
    let mut cells = Vec::new();
    for mix in Mix::ALL {
        for policy in &policies {
            for error_rate in ERROR_RATES {
                for share in SHARES {
                    cells.push(Cell { policy: policy.clone(), mix, share, error_rate, subtasks, seed });
                }
            }
        }
    }
    cells
}

/// Runs the cells, each on one core, and returns them in order.
fn measure(cells: &[Cell]) -> anyhow::Result<Vec<Measured>> {
    parallel::over(cells, |cell| Measured { cell: cell.clone(), tally: cell::run(cell) })
}
