//! `frlm known`: answers that the user knows to be right (seeds/verifier-block.md, "Ground Truth Database").
//!
//! They grow by the user's hand alone: what a swarm agrees on must not become truth by being agreed on.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use frlm_client::protocol::{one_line, printable};
use frlm_client::verifier::validation::ground_truth::{GroundTruthStore, ImportReport};

use crate::cli::KnownCommand;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::known;

/// Entries that a search shows.
const MOST_FOUND: usize = 1_000;

/// Does what was asked with the known answers.
pub fn run(command: &KnownCommand, home: &Home) -> anyhow::Result<()> {
    let known = known::open(home)?;
    match command {
        KnownCommand::List { words, json } => list(&known, &words.join(" "), *json),
        KnownCommand::Keep { run, answer } => {
            let (entry, added) = known::keep(home, run, answer.as_deref())?;
            note!("{}: \"{}\"", if added { "kept" } else { "known already" }, printable(&entry.answer));
            Ok(())
        }
        KnownCommand::Import { file } => {
            let report = import(&known, file)?;
            note!("{} imported, {} known already", report.added, report.known);
            Ok(())
        }
        KnownCommand::Export => {
            let mut lines = Vec::new();
            known.export(&mut lines)?;
            say_raw!("{}", String::from_utf8_lossy(&lines));
            Ok(())
        }
        KnownCommand::Forget { question } => {
            if !known.remove(question)? {
                return Err(
                    Failure::usage("no known answer to this question; frlm known list shows all").into()
                );
            }
            note!("forgotten");
            Ok(())
        }
    }
}

fn list(known: &GroundTruthStore, words: &str, json: bool) -> anyhow::Result<()> {
    let entries = if words.is_empty() { known::all(known)? } else { known.search(words, MOST_FOUND)? };
    if entries.is_empty() && !json {
        note!("no known answers; add some with frlm known keep RUN or frlm known import FILE");
    }
    for entry in entries {
        if json {
            say!("{}", serde_json::to_string(&entry)?);
        } else {
            say!(
                "{}\n    {}\n    {}, {}",
                printable(&entry.question),
                printable(&entry.answer),
                printable(&entry.category),
                one_line(&known::from(&entry.provenance))
            );
        }
    }
    Ok(())
}

/// A file, or a pipe.
fn import(known: &GroundTruthStore, file: &Path) -> anyhow::Result<ImportReport> {
    if file.as_os_str() != "-" {
        return known::import_file(known, file);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read the pipe")?;
    known::import(known, &text, "a pipe")
}
