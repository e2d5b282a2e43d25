//! The `frlm` binary: the desktop app when started without arguments, else the command line
//! (design.md, section 3).
//!
//! Layout, in reading order:
//! - `cli`: the command line
//! - `commands`: one module per command
//! - `desktop`: the window
//! - `asking`: wires a question to relay, models, ledger and store
//! - `local_swarm`, `play_economy`: a relay, three providers and a mint of play money on this machine;
//!   `kept_homes`: what a demo leaves if it is told to; `liar`: a provider that lies, to show what becomes of it
//! - `sandbox`: programs that somebody else wrote, in a worker that is this program; `programs`: those that make a run's plan
//! - `purse`, `receipt`: the wallet of this home, and what a run has cost
//! - `upkeep`: looks after that wallet in programs that stay
//! - `serve`: an HTTP endpoint over the same runs
//! - `strategies`: how the ways to take questions apart stand against each other
//! - `ratings`: what people thought of answers
//! - `comparison`: two runs side by side
//! - `deletion`: a run leaves this home
//! - `home`, `config`, `settings_file`: the state directory and its settings
//! - `doctor`: checks that everything is there
//! - `streams`, `progress`, `logs`, `output`: stdout and stderr
//! - `lab`: benchmarks

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

#[macro_use]
mod streams;

mod asking;
mod cli;
mod commands;
mod comparison;
mod config;
mod deletion;
#[cfg(feature = "desktop")]
mod desktop;
mod doctor;
mod failure;
mod home;
mod interrupt;
mod kept_homes;
mod known;
mod lab;
mod liar;
mod local_swarm;
#[cfg(feature = "desktop")]
mod logs;
mod mirror;
mod models;
mod output;
mod play_economy;
mod prices;
mod programs;
mod progress;
mod purse;
mod ratings;
mod receipt;
mod sandbox;
mod serve;
#[cfg(feature = "desktop")]
mod settings_file;
mod shelf;
mod standing;
mod strategies;
mod units;
mod upkeep;

use std::path::PathBuf;
use std::process::ExitCode;

use cli::{Cli, Command};
#[cfg(not(feature = "desktop"))]
use failure::Failure;
use failure::last_words;
use home::Home;
use tokio::runtime::Runtime;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

fn main() -> ExitCode {
    // Before anything is read or opened: a worker is this program and nothing of it.
    if let Some(ended) = sandbox::work_if_asked() {
        return ended;
    }
    let cli = Cli::read(std::env::args_os()).unwrap_or_else(|wrong| wrong.exit());
    log_to_stderr(cli.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return end(&anyhow::Error::new(error).context("cannot start")),
    };
    let outcome = match cli.command {
        None => open_window(cli.home, &runtime),
        Some(command) => runtime.block_on(run(command, cli.home)),
    };
    // Engines and blocking reads must not hold back the end.
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => end(&error),
    }
}

/// The window stays on this thread: some systems insist on it.
#[cfg(feature = "desktop")]
fn open_window(home: Option<PathBuf>, runtime: &Runtime) -> anyhow::Result<()> {
    desktop::open(Home::open(home)?, runtime.handle())
}

#[cfg(not(feature = "desktop"))]
fn open_window(_home: Option<PathBuf>, _runtime: &Runtime) -> anyhow::Result<()> {
    Err(Failure::usage("this build has no window; name a command (frlm --help lists them)").into())
}

async fn run(command: Command, home: Option<PathBuf>) -> anyhow::Result<()> {
    let home = Home::open(home)?;
    match command {
        Command::Demo(args) => commands::demo::run(&args, &home).await,
        Command::Ask(args) => Box::pin(commands::ask::run(&args, &home)).await,
        Command::Run(args) => Box::pin(commands::run::run(&args, &home)).await,
        Command::Provide(args) => commands::provide::run(&args, &home).await,
        Command::Providers(command) => commands::providers::run(&command, &home),
        Command::Known(command) => commands::known::run(&command, &home),
        Command::Models(command) => commands::models::run(command, &home).await,
        Command::Route(command) => commands::route::run(&command, &home),
        Command::Strategies(command) => commands::strategies::run(&command, &home),
        Command::Serve(args) => commands::serve::run(&args, &home).await,
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
        1 => OURS,
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("FRLM_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let stderr = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_filter(filter);
    let registry = tracing_subscriber::registry().with(stderr);
    #[cfg(feature = "desktop")]
    let registry = registry.with(logs::KeepLines.with_filter(EnvFilter::new(format!("warn,{OURS}"))));
    registry.init();
}

/// What our own crates have to say.
const OURS: &str = "frlm=info,frlm_conductor=info,frlm_provider=info,frlm_relay=info,frlm_wallet=info";
