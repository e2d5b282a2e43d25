//! `frlm models`: what is on this machine, what fits it, and how more comes.

use std::path::Path;

use frlm_client::inference::download::{DownloadRequest, Outcome, fetch};
use frlm_client::protocol::shown_path;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::cli::ModelsCommand;
use crate::interrupt::Interrupt;
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::model_catalog::{self, Catalog, CatalogEntry};
use frlm_client::units::bytes;

/// Does what was asked with the models.
pub async fn run(command: ModelsCommand, home: &Home) -> anyhow::Result<()> {
    match command {
        ModelsCommand::List { json } => list(&found(home).await?, json),
        ModelsCommand::Fit { file, json } => {
            let mut found = found(home).await?;
            if let Some(file) = &file {
                found.entries = vec![named(&found, file)?];
            }
            fit(&found, json);
        }
        ModelsCommand::Get { url, sha256, json } => get(&url, &sha256, json, home).await?,
    }
    Ok(())
}

async fn found(home: &Home) -> anyhow::Result<Catalog> {
    let home = home.clone();
    tokio::task::spawn_blocking(move || model_catalog::find(&home)).await?
}

/// What was named: a model by the name under which it is listed, or another file, which must be one that can be read.
fn named(found: &Catalog, file: &Path) -> Result<CatalogEntry, Failure> {
    let listed = found.entries.iter().find(|entry| Path::new(&entry.spec) == file).cloned();
    let entry = listed.unwrap_or_else(|| model_catalog::file(file));
    match &entry.problem {
        Some(problem) => Err(Failure::usage(format!(
            "{}: {problem}; frlm models list shows what is here",
            shown_path(file)
        ))),
        None => Ok(entry),
    }
}

fn list(found: &Catalog, json: bool) {
    if json {
        say!("{}", json!({ "models": found.entries, "folder": found.folder }));
        return;
    }
    say_raw!("{}", found.listed());
    note!(
        "GGUF files in {} are listed. Download one: frlm models get https://HOST/NAME.gguf; serve one: frlm \
         provide --model PATH.gguf",
        found.folder
    );
}

fn fit(found: &Catalog, json: bool) {
    if json {
        say!("{}", found.fitting_as_json());
    } else {
        say_raw!("{}", found.fitting());
    }
}

async fn get(url: &str, sha256: &str, json: bool, home: &Home) -> anyhow::Result<()> {
    let order = DownloadRequest::parse(url, sha256).map_err(Failure::usage)?;
    let interrupt = Interrupt::listen("stopping; the part already downloaded is kept");
    // Hidden where stderr is no terminal.
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{spinner} {msg}")?);
    let told = |progress| bar.set_message(model_catalog::progress_in_words(&progress));
    let outcome = fetch(&order, &home.models(), &interrupt.tidy, told).await;
    bar.finish_and_clear();
    match outcome? {
        Outcome::Done { path, sha256 } => {
            if order.sha256.is_none() {
                note!("no sha256 was given to check it; compare this one with what the publisher names");
            }
            let CatalogEntry { problem, .. } = model_catalog::file(&path);
            let shown = shown_path(&path);
            if json {
                let checked = order.sha256.is_some();
                say!("{}", json!({ "path": path, "sha256": sha256, "checked": checked, "problem": problem }));
            } else {
                say!("{shown}\nsha256 {sha256}");
            }
            // An address that gives a page instead of the file gives it with every sign of success.
            if let Some(problem) = problem {
                let said = format!("{shown} cannot be used: {problem}; delete it, and look at the address");
                return Err(Failure::with_code(code::FAILED, said).into());
            }
            if !json {
                note!("use it: frlm ask … --local --model {shown}, or frlm provide --model {shown}");
            }
            Ok(())
        }
        Outcome::Stopped(done) => {
            let kept = format!("stopped; {} are kept, and the same command resumes from there", bytes(done));
            Err(Failure::with_code(code::INTERRUPTED, kept).into())
        }
    }
}
