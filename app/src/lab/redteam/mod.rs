//! `frlm lab redteam`: a simulated swarm of fifty providers in which some lie; `--real`: nine real ones.
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
//! - `glance`: a small one, for the window
//! - [`real`]: real keys, sockets and engines, on a small scale

mod adversary;
mod cell;
#[cfg(feature = "desktop")]
pub mod glance;
mod plot;
mod real;
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
use crate::home::Home;
use crate::lab::parallel;

const SHARES: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
const ERROR_RATES: [f64; 4] = [0.0, 0.01, 0.02, 0.05];

/// Subtasks of a cell, and of the run on real parts, unless told otherwise.
const SUBTASKS: usize = 10_000;
const REAL_SUBTASKS: usize = 300;

/// Runs what was asked for.
pub async fn run(args: &LabRedteamArgs, home: &Home) -> anyhow::Result<()> {
    if args.subtasks == Some(0) || args.worlds == 0 {
        return Err(Failure::usage("--subtasks and --worlds must be at least 1").into());
    }
    if args.real {
        return real::run(&args.model, args.subtasks.unwrap_or(REAL_SUBTASKS), args.json, home).await;
    }
    simulate(args)
}

/// Runs all cells on all cores and prints the tables.
fn simulate(args: &LabRedteamArgs) -> anyhow::Result<()> {
    let subtasks = args.subtasks.unwrap_or(SUBTASKS);
    let cells = cells(subtasks, args.seed..args.seed.saturating_add(args.worlds));
    note!(
        "a SIMULATED swarm of {PROVIDERS} providers: no wire and no model; scheduler, comparison and trust are \
         the program's own. {} cells of {subtasks} subtasks, {} worlds",
        cells.len(),
        args.worlds
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
            "simulated": true, "providers": PROVIDERS, "seed": args.seed, "worlds": args.worlds,
            "cells": table::rows(&measured),
        });
        say!("{document}");
    } else {
        say!("Simulated swarm of {PROVIDERS} providers, {subtasks} subtasks a cell, {} worlds.", args.worlds);
        say_raw!("{}", table::tables(&measured));
    }
    Ok(())
}

/// The policies that are compared.
fn policies() -> [VerificationPolicy; 6] {
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

/// Every policy against every share of liars and every error rate of the honest.
fn cells(subtasks: usize, seeds: std::ops::Range<u64>) -> Vec<Cell> {
    let policies = policies();
    let mut cells = Vec::new();
    for mix in Mix::ALL {
        for policy in &policies {
            for error_rate in ERROR_RATES {
                for share in SHARES {
                    let cell = |seed| Cell { policy: policy.clone(), mix, share, error_rate, subtasks, seed };
                    cells.extend(seeds.clone().map(cell));
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
