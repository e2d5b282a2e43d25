//! `frlm docs`: what was understood of documents, before anything is asked about them.

use anyhow::Context as _;
use frlm_client::conductor::ingest::{Document, SplitOptions, split};
use frlm_client::documents::{Cache, TableStore, password_from};
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
    let options = SplitOptions { max_tokens: FRAGMENT_TOKENS, max_records: FRAGMENT_LINES };
    let fragments = split(&read.documents, options);
    for document in &read.documents {
        let cut = fragments.iter().filter(|fragment| fragment.document == document.id).count();
        if args.json {
            as_json(document, cut);
        } else {
            as_text(document, cut);
        }
    }
    for warning in &read.warnings {
        note!("warning: {}", printable(&warning.to_string()));
    }
    Ok(())
}

fn as_text(document: &Document, fragments: usize) {
    let lines = document.text.lines().count();
    let tokens = document.text.tokens();
    say!("{}", one_line(&document.name));
    if let Some(title) = &document.title {
        say!("  title: {}", one_line(title));
    }
    let parts = if fragments == 1 { "part" } else { "parts" };
    say!("  {lines} lines, {tokens} tokens, {fragments} {parts}");
    let mut before = String::new();
    for (number, line) in (1..).zip(document.text.lines()) {
        let place = document.transcript.as_ref().map(|text| text.location(number).to_string());
        // A place is told where it begins.
        if let Some(place) = place.filter(|place| *place != before) {
            say!("  [{}]", one_line(&place));
            before = place;
        }
        say!("{number:>7}  {}", printable(&line));
    }
}

/// One object on one line. It is printed as it is made: a log of a gigabyte has ten million lines.
fn as_json(document: &Document, fragments: usize) {
    let head = json!({
        "name": document.name,
        "title": document.title,
        "sha256": document.sha256,
        "tokens": document.text.tokens(),
        "fragments": fragments,
    });
    let head = head.to_string();
    say_raw!("{},\"lines\":[", head.strip_suffix('}').unwrap_or(&head));
    for (number, text) in (1..).zip(document.text.lines()) {
        let comma = if number == 1 { "" } else { "," };
        say_raw!("{comma}{}", line_as_json(document, number, &text));
    }
    say!("]}}");
}

fn line_as_json(document: &Document, number: u32, text: &str) -> serde_json::Value {
    let mut line = json!({ "line": number, "text": text });
    if let Some(transcript) = &document.transcript {
        line["place"] = json!(transcript.location(number));
        if let Some(entry) = transcript.entry(number) {
            line["kind"] = json!(entry.kind);
            let fields = entry.fields.iter().map(|(name, cell)| (name.clone(), json!(cell)));
            line["fields"] = json!(fields.collect::<serde_json::Map<_, _>>());
        }
    }
    line
}
