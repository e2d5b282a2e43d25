//! `frlm docs`: what was understood of documents, before anything is asked about them.

use anyhow::Context as _;
use frlm_client::conductor::ingest::{SplitOptions, split};
use frlm_client::documents::listing::{as_json, as_text};
use frlm_client::documents::{Cache, password_from};
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::protocol::{one_line, printable};
use frlm_client::run::{FRAGMENT_LINES, FRAGMENT_TOKENS};
use frlm_client::units::bytes;
use serde_json::json;

use crate::cli::DocsArgs;
use crate::streams;

/// Prints documents as their readers will see them, or what is kept of earlier ones.
pub async fn run(args: DocsArgs, home: &Home) -> anyhow::Result<()> {
    let home = home.clone();
    tokio::task::spawn_blocking(move || {
        if args.kept {
            return kept(&home, args.json);
        }
        if args.forget {
            let count = Cache::at(home.documents()).clear().context("what is kept cannot be deleted")?;
            say!("{count} {} deleted", if count == 1 { "document" } else { "documents" });
            return Ok(());
        }
        show(&args, &home)
    })
    .await?
}

fn kept(home: &Home, as_json: bool) -> anyhow::Result<()> {
    for kept in Cache::at(home.documents()).list().context("what is kept cannot be listed")? {
        if as_json {
            say!("{}", json!({ "name": kept.name, "bytes": kept.bytes }));
        } else {
            say!("{:>10}  {}", bytes(kept.bytes), one_line(&kept.name));
        }
    }
    Ok(())
}

fn show(args: &DocsArgs, home: &Home) -> anyhow::Result<()> {
    let password = args.password_file.as_deref().map(password_from).transpose()?;
    let reader = streams::documents(home).with_password(password);
    let read = reader.read(&args.paths).map_err(Failure::usage)?;
    let options = SplitOptions { max_tokens: FRAGMENT_TOKENS, max_records: FRAGMENT_LINES };
    let fragments = split(&read.documents, options);
    for document in &read.documents {
        let cut = fragments.iter().filter(|fragment| fragment.document == document.id).count();
        if args.json {
            as_json(document, cut, |text| say_raw!("{text}"));
        } else {
            as_text(document, cut, |text| say_raw!("{text}"));
        }
    }
    for warning in &read.warnings {
        note!("warning: {}", printable(&warning.to_string()));
    }
    Ok(())
}
