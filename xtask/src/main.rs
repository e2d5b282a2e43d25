//! Checks of this repository, run with `cargo xtask TASK` (an alias in `.cargo/config.toml`).
//!
//! Each task is a module with `run(root)`, which returns the problems it found. `check` runs every task.
//!
//! Layout, in reading order:
//! - `graph`: crates and modules, their layers and cycles
//! - `links`: links, citations, messages that the guide explains, the table of the source documents
//! - `sizes`: types and lines of the conductor, lines of front ends and of each file
//! - `words`: guillemets, names of functions, and names and words that were replaced
//! - `dependencies`: dependencies that no source uses
//! - `tokens`: what `graph` and `sizes` know of Rust's tokens

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

mod dependencies;
mod graph;
mod links;
mod sizes;
mod tokens;
mod words;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask check|dependencies|graph [--write]|links|sizes|words";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let words: Vec<&str> = args.iter().skip(1).map(String::as_str).collect();
    let result = match words[..] {
        ["check"] => check(&root),
        ["dependencies"] => dependencies::run(&root),
        ["graph"] => graph::run(&root),
        ["graph", "--write"] => graph::write(&root),
        ["links"] => links::run(&root),
        ["sizes"] => sizes::print(&root),
        ["words"] => words::run(&root),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let Err(problems) = result else { return ExitCode::SUCCESS };
    for problem in &problems {
        eprintln!("{problem}");
    }
    eprintln!("{} problems", problems.len());
    ExitCode::FAILURE
}

/// Runs every task and returns the problems of all of them.
fn check(root: &Path) -> Result<(), Vec<String>> {
    let problems: Vec<String> =
        [dependencies::run(root), graph::run(root), links::run(root), sizes::run(root), words::run(root)]
            .into_iter()
            .filter_map(Result::err)
            .flatten()
            .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
