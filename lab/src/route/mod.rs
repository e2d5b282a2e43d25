//! `frlm-lab learn route`: what routing learns, and what that is worth.
//!
//! - [`train`]: with real inference, on an embedded swarm; [`workers`] are its roles and venues,
//!   [`report`] shows what was learned
//! - [`simulated`]: at scale, in a simulated swarm
//! - [`providers`]: which provider of a venue gets a task, by [`constraints`]
//! - [`mod@bench`]: time and memory of a decision

mod bench;
mod constraints;
mod providers;
mod report;
mod simulated;
mod train;
mod workers;

use frlm_learning::routing::{Learner, Space};

use crate::arguments::{LabRouteArgs, LearnerKind};
use frlm_client::failure::Failure;
use frlm_client::home::Home;

/// Runs the experiment that is asked for.
pub async fn run(args: &LabRouteArgs, home: &Home) -> anyhow::Result<()> {
    if args.bench {
        bench::run();
        return Ok(());
    }
    if !args.simulate {
        return train::run(args, home).await;
    }
    if args.tasks_per_provider == 0 {
        return Err(Failure::usage("--tasks-per-provider must be at least 1").into());
    }
    let (tasks, seed, json, plots) = (args.tasks_per_provider, args.seed, args.json, args.plots.clone());
    // Nothing else runs here, but the runtime's threads are not for computing.
    tokio::task::spawn_blocking(move || simulated::run(tasks, seed, json, plots.as_deref())).await?
}

impl LearnerKind {
    fn learner(self, space: &Space) -> Learner {
        match self {
            Self::QTable => Learner::q_table(space),
            Self::Linucb => Learner::linear(space),
        }
    }
}
