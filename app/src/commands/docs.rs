//! `frlm docs`: what was understood of documents, before anything is asked about them.

use anyhow::Context as _;
use frlm_client::documents::listing::{as_json, as_text, unread_as_json};
use frlm_client::documents::{Cache, TableStore, password_from};
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::protocol::{one_line, printable};
use frlm_client::questions::ingest::IngestWarning;
use frlm_client::run::parts;
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
            let tables = TableStore::at(home.tables()).clear().context("tables cannot be deleted")?;
            if tables > 0 {
                say!("{tables} {} deleted", if tables == 1 { "table" } else { "tables" });
            }
            return Ok(());
        }
        show(&args, &home)
    })
    .await?
}

fn kept(home: &Home, as_json: bool) -> anyhow::Result<()> {
    let documents = Cache::at(home.documents()).list().context("what is kept cannot be listed")?;
    let tables = TableStore::at(home.tables()).list().context("kept tables cannot be listed")?;
    let documents = documents.into_iter().map(|kept| (kept.name, kept.bytes, false));
    let tables = tables.into_iter().map(|kept| (kept.name, kept.bytes, true));
    for (name, size, is_table) in documents.chain(tables) {
        if as_json {
            say!("{}", json!({ "name": name, "bytes": size, "table": is_table }));
        } else {
            let table = if is_table { " (table)" } else { "" };
            say!("{:>10}  {}{table}", bytes(size), one_line(&name));
        }
    }
    Ok(())
}

fn show(args: &DocsArgs, home: &Home) -> anyhow::Result<()> {
    let password = args.password_file.as_deref().map(password_from).transpose()?;
    let reader = streams::documents(home).with_password(password);
    let read = reader.read(&args.paths).map_err(Failure::usage)?;
    for (document, parts) in read.documents.iter().zip(parts(&read.documents)) {
        let tell = |text: &str| say_raw!("{text}");
        if args.json { as_json(document, parts, tell) } else { as_text(document, parts, tell) }
    }
    for unread in read.warnings.iter().filter_map(IngestWarning::unread).filter(|_| args.json) {
        say!("{}", unread_as_json(&unread));
    }
    for warning in &read.warnings {
        note!("warning: {}", printable(&warning.to_string()));
    }
    Ok(())
}
