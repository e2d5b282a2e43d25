//! `frlm lab`: benchmarks and experiments.

use crate::cli::{LabCommand, LabLearnCommand};
use crate::home::Home;
use crate::lab;

/// Runs an experiment and prints its table.
pub async fn run(command: &LabCommand, home: &Home) -> anyhow::Result<()> {
    match command {
        LabCommand::Bench { only, quick } => lab::bench::run(only, *quick, home).await,
        #[cfg(feature = "desktop")]
        LabCommand::Desktop { quick } => lab::desktop::run(*quick).await,
        LabCommand::Model(args) => lab::model::run(args, home).await,
        LabCommand::Learn(LabLearnCommand::Route(args)) => lab::route::run(args, home).await,
        LabCommand::Learn(LabLearnCommand::Decompose(args)) => lab::decompose::run(args).await,
        LabCommand::Learn(LabLearnCommand::Analyse(args)) => lab::analyse::run(args),
        LabCommand::Learn(LabLearnCommand::Compound(args)) => lab::compound::run(args, home).await,
        #[cfg(feature = "embedded")]
        LabCommand::Audit(args) => lab::audit::run(args).await,
        LabCommand::Redteam(args) => lab::redteam::run(args, home).await,
    }
}
