//! `frlm-lab`: benchmarks and experiments. Each prints a table with the floor that it is measured against. It is not shipped.
//!
//! - [`mod@bench`]: overhead, scaling, throughput, memory, escrow, verification
//! - [`model`]: accuracy and calibration of a records model
//! - [`audit`]: whether an audit tells the claimed weights from others
//! - [`redteam`]: liars among providers against every verification policy
//! - [`words`]: claims in words, in a simulated world
//! - [`mod@tables`]: questions over tables, answered by code
//! - [`route`], [`decompose`], [`compound`], [`analyse`]: what the learners learn
//! - [`svg`], [`band`]: plots, and spreads over several worlds

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

mod analyse;
mod arguments;
#[cfg(feature = "embedded")]
mod audit;
mod band;
mod bench;
mod compound;
mod decompose;
mod lines;
mod model;
mod redteam;
mod route;
mod svg;
mod tables;
mod words;

use std::process::ExitCode;

use arguments::{Lab, LabCommand, LabLearnCommand};
use clap::Parser as _;
use frlm_client::failure::render_error;
use frlm_client::home::Home;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    // Before anything is read or opened: a worker is this program and nothing of it.
    if let Some(ended) = frlm_client::sandbox::work_if_asked() {
        return ended;
    }
    let Lab { home, command } = Lab::parse();
    let filter = EnvFilter::try_from_env("FRLM_LOG").unwrap_or_else(|_| EnvFilter::new("off"));
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_env_filter(filter).init();
    match measure(&command, home) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let (message, code) = render_error(&error);
            eprintln!("frlm-lab: {message}");
            ExitCode::from(code)
        }
    }
}

fn measure(command: &LabCommand, home: Option<std::path::PathBuf>) -> anyhow::Result<()> {
    let home = Home::open(home)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(run(command, &home));
    // Engines and blocking reads must not hold back the end.
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    outcome
}

async fn run(command: &LabCommand, home: &Home) -> anyhow::Result<()> {
    match command {
        LabCommand::Bench { only, quick } => bench::run(only, *quick, home).await,
        LabCommand::Model(args) => model::run(args, home).await,
        LabCommand::Learn(LabLearnCommand::Route(args)) => route::run(args, home).await,
        LabCommand::Learn(LabLearnCommand::Decompose(args)) => decompose::run(args).await,
        LabCommand::Learn(LabLearnCommand::Analyse(args)) => analyse::run(args),
        LabCommand::Learn(LabLearnCommand::Compound(args)) => compound::run(args, home).await,
        #[cfg(feature = "embedded")]
        LabCommand::Audit(args) => audit::run(args).await,
        LabCommand::Redteam(args) => redteam::run(args, home).await,
        LabCommand::Words(args) => words::run(args).await,
        LabCommand::Tables(args) => tables::run(args).await,
    }
}
