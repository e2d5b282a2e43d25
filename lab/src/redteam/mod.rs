//! `frlm-lab redteam`: a simulated swarm of fifty providers in which some lie; `--real`: nine real ones;
//! `--tables`: three honest ones over many questions, then three liars beside them.
//!
//! The simulation is `frlm_client::attack_simulation`, of which the window shows one small world.
//!
//! - [`table`], [`plot`]: what came of it
//! - [`real`]: real keys, sockets and engines, on a small scale
//! - [`folders`]: the same over a hundred questions of one home

mod folders;
mod plot;
mod real;
mod table;
#[cfg(test)]
mod tests;

use std::time::Instant;

use crate::arguments::LabRedteamArgs;
use anyhow::Context as _;
use frlm_client::attack_simulation::cell::Cell;
use frlm_client::attack_simulation::swarm::{Mix, PROVIDERS};
use frlm_client::attack_simulation::{SHARES, measure, policies};
use frlm_client::failure::Failure;
use frlm_client::home::Home;

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
    if args.tables {
        return Box::pin(folders::run(&args.corpus, args.questions, args.json, home)).await;
    }
    simulate(args)
}

/// Runs all cells on all cores and prints the tables.
fn simulate(args: &LabRedteamArgs) -> anyhow::Result<()> {
    let subtasks = args.subtasks.unwrap_or(SUBTASKS);
    let cells = cells(subtasks, args.seed..args.seed.saturating_add(args.worlds));
    eprintln!(
        "a SIMULATED swarm of {PROVIDERS} providers: no wire and no model; scheduler, comparison and trust are \
         the program's own. {} cells of {subtasks} subtasks, {} worlds",
        cells.len(),
        args.worlds
    );
    let began = Instant::now();
    let measured = measure(&cells)?;
    eprintln!("took {:.1} s", began.elapsed().as_secs_f64());
    if let Some(path) = &args.plot {
        std::fs::write(path, plot::svg(&measured))
            .with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("plot: {}", path.display());
    }
    if args.json {
        let document = serde_json::json!({
            "simulated": true, "providers": PROVIDERS, "seed": args.seed, "worlds": args.worlds,
            "cells": table::rows(&measured),
        });
        println!("{document}");
    } else {
        println!(
            "Simulated swarm of {PROVIDERS} providers, {subtasks} subtasks a cell, {} worlds.",
            args.worlds
        );
        print!("{}", table::tables(&measured));
    }
    Ok(())
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
