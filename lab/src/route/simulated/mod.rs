//! Routing at scale in a **simulated** swarm: 20 to 2,000 providers, ten mixes of tasks, bursts, failures,
//! providers that go away and one that slows down.
//!
//! Transport, inference and judge are replaced by assumptions ([`world`]). Learners, load tracker, penalty,
//! reward and what a provider is worth are the product's (`frlm_conductor::route`).
//!
//! - [`world`]: providers, tasks, what suits what
//! - [`policy`]: the ways of routing
//! - [`cell`]: one of them in one world
//! - [`table`], [`plot`]: what came of it

mod cell;
mod plot;
mod policy;
mod table;
#[cfg(test)]
mod tests;
mod world;

use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use policy::Policy;
use table::Measured;
use world::{MIXES, Setting};

use frlm_client::attack_simulation::parallel;

/// Numbers of providers.
const SIZES: [usize; 3] = [20, 200, 2_000];
/// Different worlds per size and mix.
const SEEDS: u64 = 10;

/// Simulates everything on all cores and prints or writes what came of it.
pub fn run(tasks_per_provider: usize, seed: u64, json: bool, plots: Option<&Path>) -> anyhow::Result<()> {
    let cells = cells(&SIZES, SEEDS, tasks_per_provider, seed);
    eprintln!(
        "a SIMULATED swarm: no wire, no model and no judge; learners, penalty, reward and the choice of a \
         provider are the program's own. {} runs",
        cells.len()
    );
    let began = Instant::now();
    let measured = parallel::over(&cells, |(policy, setting)| Measured {
        policy: *policy,
        setting: *setting,
        tally: cell::run(*policy, setting),
    })?;
    eprintln!("took {:.1} s", began.elapsed().as_secs_f64());
    if let Some(folder) = plots {
        let path = folder.join("routing-simulated.svg");
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, plot::svg(&measured)))
            .with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("plot: {}", path.display());
    }
    if json {
        println!(
            "{}",
            serde_json::json!({ "simulated": true, "seed": seed, "runs": table::rows(&measured) })
        );
    } else {
        print!("{}", table::tables(&measured));
    }
    Ok(())
}

/// Every way of routing in every world.
fn cells(sizes: &[usize], seeds: u64, tasks_per_provider: usize, seed: u64) -> Vec<(Policy, Setting)> {
    let mut cells = Vec::new();
    for &providers in sizes {
        for mix in 0..MIXES.len() {
            for world in 0..seeds {
                // Small swarms work longer, so that there is something to learn from.
                let tasks = (providers * tasks_per_provider).max(FEWEST_TASKS);
                let setting = Setting { providers, mix, tasks, seed: seed.wrapping_mul(1_000) + world };
                cells.extend(Policy::ALL.map(|policy| (policy, setting)));
            }
        }
    }
    cells
}

const FEWEST_TASKS: usize = 2_000;
