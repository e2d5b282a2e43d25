//! What the `frlm` program is: the desktop app when started without arguments, else the command line (design.md,
//! section 3). What both need, apart from widgets, is in `frlm_client`.
//!
//! Layout, in reading order:
//! - `cli`: the command line
//! - `commands`: one module per command
//! - `desktop`: the window
//! - `streams`, `progress`, `notices`: stdout and stderr
//! - `interrupt`: Ctrl-C; `display`: whether there is one

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

#[macro_use]
mod streams;

mod cli;
mod commands;
#[cfg(feature = "desktop")]
mod desktop;
mod display;
mod interrupt;
mod notices;
mod progress;

use std::path::PathBuf;
use std::process::ExitCode;

use cli::{Cli, Command};
#[cfg(feature = "frames")]
pub use desktop::frames;
use frlm_client::failure::{Failure, render_error};
use frlm_client::home::Home;
use frlm_client::notice;
use tokio::runtime::Runtime;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

/// The whole program.
pub fn main() -> ExitCode {
    // Before anything is read or opened: a worker is this program and nothing of it.
    if let Some(ended) = frlm_client::sandbox::work_if_asked() {
        return ended;
    }
    let cli = Cli::read(std::env::args_os()).unwrap_or_else(|wrong| wrong.exit());
    log_to_stderr(cli.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return end(&anyhow::Error::new(error).context("cannot start")),
    };
    let as_json = cli.command.as_ref().is_some_and(Command::answers_as_json);
    let outcome = match cli.command {
        None => open_window(cli.home, &runtime),
        Some(command) => runtime.block_on(run(command, cli.home)),
    };
    // Engines and blocking reads must not hold back the end.
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if as_json && !streams::has_said() {
                say!("{}", frlm_client::failure::as_json(&error));
            }
            end(&error)
        }
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
        #[cfg(feature = "demo")]
        Command::Demo(args) => commands::demo::run(&args, &home).await,
        Command::Ask(args) => Box::pin(commands::ask::run(&args, &home)).await,
        Command::Docs(args) => commands::docs::run(args, &home).await,
        Command::Run(args) => Box::pin(commands::run::run(&args, &home)).await,
        Command::Provide(args) => commands::provide::run(&args, &home).await,
        Command::Providers(command) => commands::providers::run(&command, &home),
        Command::Known(command) => commands::known::run(&command, &home),
        Command::Cache(command) => commands::cache::run(&command, &home),
        Command::Models(command) => commands::models::run(command, &home).await,
        Command::Route(command) => commands::route::run(&command, &home),
        Command::Strategies(command) => commands::strategies::run(&command, &home),
        Command::Serve(args) => commands::serve::run(&args, &home).await,
        Command::Relay(args) => commands::relay::run(&args, &home).await,
        Command::Wallet(command) => commands::wallet::run(&command, &home).await,
        Command::Runs(command) => commands::runs::run(&command, &home).await,
        Command::Lab { rest } => Err(Failure::usage(format!(
            "the laboratory is a program of its own: cargo run --release -p frlm-lab -- {}",
            rest.join(" ")
        ))
        .into()),
        Command::Doctor(args) => commands::doctor::run(&args, &home).await,
    }
}

fn end(error: &anyhow::Error) -> ExitCode {
    let (message, code) = render_error(error);
    note!("frlm: {}", frlm_client::protocol::printable(&message));
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
    let notices = notices::Print.with_filter(Targets::new().with_target(notice::TARGET, Level::INFO));
    let registry = tracing_subscriber::registry().with(stderr).with(notices);
    #[cfg(feature = "desktop")]
    let registry =
        registry.with(frlm_client::log_lines::KeepLines.with_filter(EnvFilter::new(format!("warn,{OURS}"))));
    registry.init();
}

/// What our own crates have to say.
const OURS: &str = "frlm=info,frlm_conductor=info,frlm_provider=info,frlm_relay=info,frlm_wallet=info";
