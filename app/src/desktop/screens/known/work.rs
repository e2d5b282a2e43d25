//! Reads and changes the known answers, as `frlm known` does.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use frlm_client::protocol::{one_line, printable, shown_path};
use frlm_client::verifier::validation::ground_truth::KnownAnswer;

use super::state::{Action, Entry, Event, Listed, Outcome};
use super::words;
use crate::desktop::engine::{Engine, Event as AppEvent, blocking};
use crate::desktop::screens::load::Load;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::known;

/// Entries that are listed; `frlm known list WORDS` looks through any number.
const MOST_LISTED: usize = 20_000;
/// Characters of a question or an answer that are shown.
const LONGEST: usize = 2_000;

/// Does what takes time.
pub fn perform(action: &Action, engine: &Engine) {
    match action {
        Action::Reload => look(engine),
        Action::Forget(key) => {
            let key = key.clone();
            // What was not there any more is forgotten, too.
            let forget = move |home: &Home| {
                known::open(home)?.remove(&key).map_err(Failure::usage)?;
                read(home)
            };
            let report = |listed| AppEvent::Known(Event::Listed(Load::Ready(listed)));
            engine.change(words::NOT_FORGOTTEN, forget, report);
        }
        Action::Import => import(engine),
        Action::Export => export(engine),
        // Learning looks here when it opens.
        Action::Open | Action::Search(_) | Action::Choose(_) | Action::AskForget(_) => {}
    }
}

/// Reads all of them.
pub fn look(engine: &Engine) {
    engine.read(read, |listed| AppEvent::Known(Event::Listed(listed)));
}

/// Blocks.
fn read(home: &Home) -> anyhow::Result<Listed> {
    // A reader makes no file.
    if !home.known().exists() {
        return Ok(Listed::default());
    }
    let found = known::all(&known::open(home)?)?;
    let all = found.len();
    let entries = found.into_iter().take(MOST_LISTED).map(|found| Arc::new(entry(found))).collect();
    Ok(Listed { entries, all })
}

fn entry(found: KnownAnswer) -> Entry {
    let plain = |text: &str| -> String { printable(text).chars().take(LONGEST).collect() };
    let KnownAnswer { question, answer, category, provenance } = found;
    // It names a file.
    let from = plain(&one_line(&known::from(&provenance)));
    let texts = [plain(&question), plain(&answer), plain(&category), from];
    Entry::new(question, texts)
}

fn import(engine: &Engine) {
    let (home, outbox) = (engine.home().clone(), engine.outbox());
    engine.spawn(async move {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title(words::CHOOSE_IMPORT)
            .add_filter(words::JSON_LINES, &["jsonl", "ndjson", "json"]);
        let Some(file) = dialog.pick_file().await else { return };
        let path = file.path().to_owned();
        match blocking(move || take_in(&home, &path)).await {
            Ok((outcome, listed)) => {
                outbox.send(AppEvent::Known(Event::Done(outcome))).await;
                outbox.send(AppEvent::Known(Event::Listed(Load::Ready(listed)))).await;
            }
            Err(error) => outbox.fail(words::NOT_IMPORTED, &error).await,
        }
    });
}

/// Blocks.
fn take_in(home: &Home, path: &Path) -> anyhow::Result<(Outcome, Listed)> {
    let report = known::import_file(&known::open(home)?, path)?;
    Ok((Outcome::Imported(report.added, report.known), read(home)?))
}

fn export(engine: &Engine) {
    let (home, outbox) = (engine.home().clone(), engine.outbox());
    engine.spawn(async move {
        let dialog = rfd::AsyncFileDialog::new().set_title(words::CHOOSE_EXPORT);
        let dialog = dialog.set_file_name("known-answers.jsonl");
        let Some(file) = dialog.save_file().await else { return };
        let path = file.path().to_owned();
        match blocking(move || write(&home, &path)).await {
            Ok(outcome) => outbox.send(AppEvent::Known(Event::Done(outcome))).await,
            Err(error) => outbox.fail(words::NOT_EXPORTED, &error).await,
        }
    });
}

/// Blocks.
fn write(home: &Home, path: &Path) -> anyhow::Result<Outcome> {
    let mut lines = Vec::new();
    known::open(home)?.export(&mut lines).map_err(Failure::usage)?;
    std::fs::write(path, lines).with_context(|| format!("cannot write {}", shown_path(path)))?;
    Ok(Outcome::Exported(shown_path(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_known_answers_is_listed_saved_and_forgotten_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        assert_eq!(read(&home).unwrap(), Listed::default());
        assert!(!home.known().exists(), "looking makes no file");
        let facts = folder.path().join("facts.jsonl");
        let question = "How many \u{202e}orders?";
        std::fs::write(&facts, format!("{{\"question\": \"{question}\", \"answer\": \"48\"}}\n")).unwrap();
        let (outcome, listed) = take_in(&home, &facts).unwrap();
        assert_eq!((outcome, listed.all), (Outcome::Imported(1, 0), 1));
        let entry = &listed.entries[0];
        assert!(entry.key == question && !entry.question.contains('\u{202e}'), "{entry:?}");
        assert_eq!((entry.answer.as_str(), entry.from.as_str()), ("48", "imported from facts.jsonl"));
        let out = folder.path().join("out.jsonl");
        write(&home, &out).unwrap();
        let (outcome, _) = take_in(&home, &out).unwrap();
        assert_eq!(outcome, Outcome::Imported(0, 1), "what was written is known");
        assert!(known::open(&home).unwrap().remove(&entry.key).unwrap());
        assert_eq!(read(&home).unwrap().all, 0);
    }

    #[cfg(unix)]
    #[test]
    fn the_name_of_a_file_stays_on_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let facts = folder.path().join("facts\nfrlm: paid.jsonl");
        std::fs::write(&facts, "{\"question\": \"How many?\", \"answer\": \"48\"}\n").unwrap();
        let (_, listed) = take_in(&home, &facts).unwrap();
        assert_eq!(listed.entries[0].from, "imported from facts\\nfrlm: paid.jsonl");
        let Outcome::Exported(path) = write(&home, &facts).unwrap() else { panic!("it was written") };
        assert!(!path.contains('\n'), "{path}");
    }

    #[test]
    fn nothing_of_a_file_with_a_bad_line_is_taken_in() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let facts = folder.path().join("facts.jsonl");
        std::fs::write(&facts, "{\"question\": \"How many?\", \"answer\": \"48\"}\nno JSON\n").unwrap();
        let error = take_in(&home, &facts).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
        assert_eq!(read(&home).unwrap().all, 0);
    }
}
