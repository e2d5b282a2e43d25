//! The `frlm` binary: command line today, desktop app when started without arguments (design.md,
//! section 3).
//!
//! Layout, in reading order:
//! - `cli`: the command line
//! - `commands`: one module per command
//! - `asking`: wires a question to relay, models, ledger and store
//! - `home`, `config`: the state directory and its settings
//! - `streams`, `progress`, `output`: stdout and stderr
//! - `lab`: benchmarks

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

#[macro_use]
mod streams;

mod asking;
mod cli;
mod commands;
mod config;
mod failure;
mod home;
mod interrupt;
mod lab;
mod models;
mod output;
mod progress;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use cli::{Cli, Command};
use failure::{Failure, last_words};
use home::Home;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let cli = Cli::parse();
    log_to_stderr(cli.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return end(&anyhow::Error::new(error).context("cannot start")),
    };
    let outcome = runtime.block_on(run(cli));
    // Engines and blocking reads must not hold back the end.
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => end(&error),
    }
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    let Some(command) = cli.command else {
        let help = Cli::command().render_help();
        return Err(Failure::usage(format!(
            "name a command; the desktop app is not in this build yet\n\n{help}"
        ))
        .into());
    };
    let home = Home::open(cli.home)?;
    match command {
        Command::Demo(args) => commands::demo::run(&args, &home).await,
        Command::Ask(args) => commands::ask::run(&args, &home).await,
        Command::Provide(args) => commands::provide::run(&args, &home).await,
        Command::Relay(args) => commands::relay::run(&args, &home).await,
        Command::Wallet(command) => commands::wallet::run(&command, &home).await,
        Command::Runs(command) => commands::runs::run(&command, &home).await,
        Command::Lab(command) => commands::lab::run(&command, &home).await,
        Command::Doctor(args) => commands::doctor::run(&args, &home).await,
    }
}

fn end(error: &anyhow::Error) -> ExitCode {
    let (message, code) = last_words(error);
    note!("frlm: {}", frlm_protocol::printable(&message));
    ExitCode::from(code)
}

fn log_to_stderr(verbose: u8) {
    let level = match verbose {
        0 => "off",
        1 => "frlm=info,frlm_conductor=info,frlm_provider=info,frlm_relay=info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("FRLM_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
