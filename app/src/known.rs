//! Answers that the user has checked, kept as known (seeds/verifier-block.md, «Ground Truth Database»).

use std::path::Path;

use frlm_conductor::run::known::known_as;
use frlm_conductor::store::Store;
use frlm_conductor::trace::view::{Ending, RunView};
use frlm_protocol::shown_path;
use frlm_verifier::validation::ground_truth::{GroundTruthStore, ImportReport, KnownAnswer, Provenance};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::home::Home;
use crate::standing::now;

/// The home's known answers; an empty store where there are none.
pub fn open(home: &Home) -> anyhow::Result<GroundTruthStore> {
    let named = |error| Failure::usage(format!("{}: {error}", home.known().display()));
    Ok(GroundTruthStore::open(&home.known_to_write()).map_err(named)?)
}

/// Keeps a run's answer, or this one, which the user has checked; `false` if it was known. Blocks.
pub fn keep(home: &Home, run: &str, answer: Option<&str>) -> anyhow::Result<(KnownAnswer, bool)> {
    let entry = checked(&Store::open(&home.store())?, run, answer)?;
    let added = open(home)?.add(&entry).map_err(Failure::usage)?;
    Ok((entry, added))
}

/// Forgets the answer that a question over these documents is held against; `false` if there is none. Blocks.
#[cfg(feature = "desktop")]
pub fn forget(home: &Home, question: &str, documents: &[String]) -> anyhow::Result<bool> {
    let known = open(home)?;
    for name in [known_as(question, documents), question.to_owned()] {
        if known.remove(&name).map_err(Failure::usage)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All of them, in the order of their keys. Blocks.
pub fn all(known: &GroundTruthStore) -> anyhow::Result<Vec<KnownAnswer>> {
    let mut lines = Vec::new();
    known.export(&mut lines)?;
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    Ok(lines.map(serde_json::from_slice).collect::<Result<_, _>>()?)
}

/// Where an answer is from, in words.
pub fn from(provenance: &Provenance) -> String {
    match provenance {
        Provenance::Import { source } => format!("imported from {source}"),
        Provenance::Audit { run, method, .. } => format!("checked by {method} in run {run}"),
    }
}

/// Takes in a file of JSON lines, all of it or nothing. Blocks.
pub fn import_file(known: &GroundTruthStore, file: &Path) -> anyhow::Result<ImportReport> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("{}: {error}", shown_path(file))))?;
    let source = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    import(known, &text, &source)
}

/// Takes in JSON lines, all of them or none, with what a user need not write filled in; a line that is none is left for
/// the store to refuse by its number. Blocks.
pub fn import(known: &GroundTruthStore, text: &str, source: &str) -> anyhow::Result<ImportReport> {
    let filled = text.lines().map(|line| match serde_json::from_str(line) {
        Ok(Value::Object(mut entry)) => {
            entry.entry("category").or_insert_with(|| json!("imported"));
            entry.entry("provenance").or_insert_with(|| json!({"from": "import", "source": source}));
            Value::Object(entry).to_string()
        }
        _ => line.to_owned(),
    });
    let lines = filled.collect::<Vec<_>>().join("\n");
    Ok(known.import(lines.as_bytes()).map_err(Failure::usage)?)
}

/// A finished run's answer as something known.
fn checked(store: &Store, run: &str, answer: Option<&str>) -> anyhow::Result<KnownAnswer> {
    let run = store.find(run).map_err(Failure::from)?;
    let view = RunView::of(&store.trace(&run.id)?.records);
    let Some(Ending::Answered(found)) = &view.ending else {
        return Err(Failure::usage(format!("run {} has no answer to keep", run.id)).into());
    };
    if found.coverage < 1.0 {
        let words =
            format!("run {} saw only a part of its documents; frlm runs resume goes on with it", run.id);
        return Err(Failure::usage(words).into());
    }
    Ok(KnownAnswer {
        question: known_as(&view.question, &view.documents),
        answer: answer.unwrap_or(&found.answer).to_owned(),
        category: "documents".to_owned(),
        provenance: Provenance::Audit { run: run.id, method: "a person".to_owned(), at: now() },
    })
}

#[cfg(all(test, feature = "desktop"))]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_was_held_against_is_forgotten_the_nearer_first() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let (question, documents) = ("How many orders failed?", ["orders.log".to_owned()]);
        let narrow = known_as(question, &documents);
        for name in [narrow.as_str(), question] {
            let provenance =
                Provenance::Audit { run: "5e1f".to_owned(), method: "a person".to_owned(), at: now() };
            let entry = KnownAnswer {
                question: name.to_owned(),
                answer: "48".to_owned(),
                category: "documents".to_owned(),
                provenance,
            };
            assert!(open(&home).unwrap().add(&entry).unwrap());
        }
        assert!(forget(&home, question, &documents).unwrap());
        assert!(open(&home).unwrap().get(&narrow).unwrap().is_none());
        assert!(open(&home).unwrap().get(question).unwrap().is_some(), "it is about any documents");
        assert!(forget(&home, question, &documents).unwrap());
        assert!(!forget(&home, question, &documents).unwrap(), "nothing is left");
    }
}
