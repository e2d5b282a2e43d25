//! Answers that the user has checked, kept as known (seeds/verifier-block.md, "Ground Truth Database").

use std::path::Path;

use crate::view::{Ending, RunView};
use frlm_conductor::run::known::{is_known, known_as};
use frlm_conductor::store::Store;
use frlm_learning::planning::satisfaction::Behaviour;
use frlm_protocol::shown_path;
use frlm_util::clock::unix_secs;
use frlm_verifier::validation::ground_truth::{GroundTruthStore, ImportReport, KnownAnswer, Provenance};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::home::Home;
use crate::ratings;

/// The home's known answers; an empty store where there are none.
pub fn open(home: &Home) -> anyhow::Result<GroundTruthStore> {
    let named = |error| Failure::usage(format!("{}: {error}", home.known().display()));
    Ok(GroundTruthStore::open(&home.known_to_write()).map_err(named)?)
}

/// Keeps a run's answer, or this one, which the user has checked; `false` if it was known. Who keeps another value than the
/// run's says that something is wrong with its answer (seeds/super-llm-block.md, `reported_issue`). Blocks.
pub fn keep(home: &Home, run: &str, answer: Option<&str>) -> anyhow::Result<(KnownAnswer, bool)> {
    let Checked { run, entry, is_wrong } = checked(&Store::open(&home.store())?, run, answer)?;
    let added = open(home)?.add(&entry).map_err(Failure::usage)?;
    if is_wrong {
        ratings::observe(&run, &Behaviour { reported_issue: true, ..Behaviour::default() }, home);
    }
    Ok((entry, added))
}

/// A run's answer as something known.
struct Checked {
    run: String,
    entry: KnownAnswer,
    /// Whether what is known is plainly another value than what the run answered.
    is_wrong: bool,
}

/// Forgets the answer that a question over these documents is held against; `false` if there is none. Blocks.
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

/// A finished run's answer, or this one in its place.
fn checked(store: &Store, run: &str, answer: Option<&str>) -> anyhow::Result<Checked> {
    let run = store.find(run).map_err(Failure::from)?;
    let view = RunView::of(&store.trace(&run.id)?.records);
    let Some(Ending::Answered(found)) = &view.ending else {
        return Err(Failure::usage(format!("run {} has no answer to keep", run.id)).into());
    };
    if found.coverage < 1.0 {
        let words =
            format!("run {} read only a part of its documents; frlm runs resume continues it", run.id);
        return Err(Failure::usage(words).into());
    }
    let is_wrong =
        answer.is_some_and(|right| is_known(&view.start.question, &found.answer, right) == Some(false));
    let entry = KnownAnswer {
        question: known_as(&view.start.question, &view.start.documents),
        answer: answer.unwrap_or(&found.answer).to_owned(),
        category: "documents".to_owned(),
        provenance: Provenance::Audit { run: run.id.clone(), method: "a person".to_owned(), at: unix_secs() },
    };
    Ok(Checked { run: run.id, entry, is_wrong })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::render_error;

    fn home(folder: &Path) -> Home {
        Home::open(Some(folder.join("home"))).unwrap()
    }

    fn taken_in(home: &Home, text: &str) -> anyhow::Result<()> {
        let file = home.root().join("facts.jsonl");
        std::fs::write(&file, text).unwrap();
        import_file(&open(home)?, &file).map(drop)
    }

    #[test]
    fn an_import_needs_only_question_and_answer_and_names_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        taken_in(&home, "{\"question\": \"When was it built?\", \"answer\": \"1889\"}\n\n").unwrap();
        let store = open(&home).unwrap();
        let entry = store.get("it was built when").unwrap().unwrap();
        assert_eq!((entry.answer.as_str(), entry.category.as_str()), ("1889", "imported"));
        assert_eq!(from(&entry.provenance), "imported from facts.jsonl");
        let mut exported = Vec::new();
        store.export(&mut exported).unwrap();
        taken_in(&home, &String::from_utf8(exported).unwrap()).unwrap();
        assert_eq!(store.len().unwrap(), 1, "what was exported is known already");
    }

    #[test]
    fn a_bad_line_is_named_and_a_second_truth_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        let good = "{\"question\": \"How many?\", \"answer\": \"42\"}";
        let (words, code) = render_error(&taken_in(&home, &format!("{good}\nno JSON\n")).unwrap_err());
        assert!(words.contains("line 2") && code == 2, "{words}");
        taken_in(&home, good).unwrap();
        let other = good.replace("42", "43");
        let (words, code) = render_error(&taken_in(&home, &other).unwrap_err());
        assert!(words.contains("remove the old one") && code == 2, "{words}");
        assert!(forget(&home, "How many?", &[]).unwrap());
        assert!(!forget(&home, "How many?", &[]).unwrap(), "it is gone");
        taken_in(&home, &other).unwrap();
    }

    #[test]
    fn a_run_that_is_not_there_has_nothing_to_keep() {
        let folder = tempfile::tempdir().unwrap();
        assert!(keep(&home(folder.path()), "abcd", None).is_err());
    }

    #[test]
    fn what_an_answer_was_held_against_is_forgotten_the_nearer_first() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        let (question, documents) = ("How many orders failed?", ["orders.log".to_owned()]);
        let narrow = known_as(question, &documents);
        for name in [narrow.as_str(), question] {
            let provenance =
                Provenance::Audit { run: "5e1f".to_owned(), method: "a person".to_owned(), at: unix_secs() };
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

#[cfg(test)]
mod issues {
    use frlm_conductor::store::NewRun;
    use frlm_conductor::trace::{TraceEvent, TraceRecord};
    use frlm_learning::planning::account::Served;
    use frlm_learning::planning::account::memory::LearnerMemory;
    use frlm_learning::planning::decompose::Action;
    use frlm_questions::answer::Answer;

    use super::*;
    use crate::strategies::testing::served;

    /// A run that answered this.
    async fn answered(store: &Store, id: &str, text: &str) {
        let run = NewRun {
            id: id.to_owned(),
            started_at_ms: 1,
            question: format!("How many orders of {id} failed?"),
            request: json!({}),
            secret_key: String::new(),
        };
        let begin = TraceEvent::RunStart {
            run_id: id.to_owned(),
            question: run.question.clone(),
            started_at_ms: 1,
            limit_sats: 0,
            policy: "none".to_owned(),
            documents: vec!["orders.log".to_owned()],
            fragments: 1,
        };
        store.begin(run).await.unwrap();
        let answer: Answer = serde_json::from_value(json!({
            "run_id": id, "answer": text, "method": "map_reduce", "confidence": 1.0,
            "coverage": 1.0, "citations": [], "budget": {"limit_sats": 0, "spent_sats": 0, "fees_sats": 0,
            "reserved_sats": 0, "pending_refund_sats": 0, "available_sats": 0, "refund_at": null},
            "subtasks": {"total": 0, "verified": 0, "failed": 0, "timed_out": 0, "cached": 0, "local": 0, "swarm": 0},
            "verification": {"policy": "none", "replicas": 0, "agreement": 1.0, "spot_checks": 0, "gold_failed": 0},
            "decisions": [], "duration_ms": 1
        }))
        .unwrap();
        let done = TraceEvent::RunDone { answer: Box::new(answer) };
        let records = (0..).zip([begin, done]).map(|(seq, event)| TraceRecord { seq, at_ms: seq, event });
        store.append(id, records.collect()).await.unwrap();
        store.flush(id).await.unwrap();
    }

    #[tokio::test]
    async fn a_known_answer_that_differs_from_the_runs_reports_the_run_as_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let store = Store::open(&home.store()).unwrap();
        let memory = LearnerMemory::at(home.learner());
        for (id, right, is_wrong) in [
            ("aa11", Some("47"), true),
            ("bb22", Some("48"), false),
            ("cc33", Some("most of them"), false),
            ("dd44", None, false),
        ] {
            answered(&store, id, "48 records match.").await;
            memory.add(&Served { run_id: id.to_owned(), ..served(1, Action::STATIC, None, 1.0) }).unwrap();
            keep(&home, id, right).unwrap();
            let account = memory.load().unwrap().unwrap();
            let episode = account.episodes().next_back().unwrap();
            assert_eq!(
                (episode.run_id.as_str(), episode.behaviour.reported_issue),
                (id, is_wrong),
                "{right:?}"
            );
        }
    }
}
