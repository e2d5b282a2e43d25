//! Two files that state different dates for the same thing, over a real relay: no matter who writes the answer, it names both
//! files and says that they differ.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use frlm_questions::answer::Answer;
use frlm_questions::ingest::{self, Document, DocumentId, Fragment, SplitOptions};

use crate::common::{Asker, provider, relay};
use frlm_inference::Dialect;
use frlm_inference::scripted::ScriptedModel;
use frlm_verifier::VerificationPolicy;
use serde_json::json;

const QUESTION: &str = "When does the new bridge over the river open?";
const FILES: [(&str, &str); 2] = [
    ("council.txt", "The new bridge over the river opens on 3 May 2026."),
    ("gazette.txt", "The new bridge over the river opens on 17 June 2026."),
];

/// What a provider makes of the two notes as writer of the answer.
#[derive(Clone, Copy)]
enum Writer {
    /// It does what it is told.
    NamesFiles,
    /// It gives both dates, and not who says which.
    GivesDates,
    /// It gives the date of the first note alone.
    Hides,
}

fn fragments() -> Vec<Arc<Fragment>> {
    let documents: Vec<Document> = (0..)
        .zip(FILES)
        .map(|(id, (name, line))| {
            let text = format!("News of the town\n\n{line}\n\nMore is said at the town hall.\n");
            Document { id: DocumentId(id), ..Document::of_text(name, text) }
        })
        .collect();
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&documents, options).into_iter().map(Arc::new).collect()
}

fn written(writer: Writer, prompt: &str) -> String {
    assert!(
        prompt.contains("[1] and [2] are alike and differ in a date") && prompt.contains("name their files"),
        "{prompt}"
    );
    // The notes come in the files' order.
    let is_note = |line: &&str| line.starts_with('[') && line.contains("bridge");
    let notes: Vec<&str> = prompt.lines().filter(is_note).collect();
    assert!(notes[0].contains("3 May") && notes[1].contains("17 June"), "{notes:?}");
    match writer {
        Writer::NamesFiles => {
            "The files contradict each other: by council.txt the new bridge over the river opens on 3 May 2026 [1], by \
             gazette.txt it opens on 17 June 2026 [2]."
        }
        Writer::GivesDates => {
            "The new bridge over the river opens on 3 May 2026 [1]. The new bridge over the river opens on 17 June 2026 [2]."
        }
        Writer::Hides => "The new bridge over the river opens on 3 May 2026 [1].",
    }
    .to_owned()
}

/// A model that reads and reviews truly: each file says what it says.
fn model(name: &str, writer: Writer) -> ScriptedModel {
    let answer = move |prompt: &str| {
        if prompt.starts_with("You read one part") {
            let claims = prompt.lines().filter_map(|line| {
                let (number, text) = line.split_once("| ")?;
                let number: u32 = number.parse().ok()?;
                let is_told = FILES.iter().any(|(_, line)| *line == text);
                is_told.then(|| json!({"lines": [[number, number]], "claim": text}))
            });
            return json!({ "claims": claims.collect::<Vec<_>>() }).to_string();
        }
        if prompt.starts_with("You check claims") {
            let claims = prompt.lines().filter(|line| line.starts_with("Claim "));
            return json!({ "verdicts": claims.map(|_| "supported").collect::<Vec<_>>() }).to_string();
        }
        written(writer, prompt)
    };
    ScriptedModel::new(name, answer).with_latency(Duration::from_millis(1)).with_dialect(Dialect::Json)
}

async fn ask(writer: Writer) -> Answer {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let mut swarm = Vec::new();
    for name in ["alpha", "beta", "gamma"] {
        swarm.push(provider(name, &relay.url(), Arc::new(model(name, writer))).await);
    }
    let mut asker =
        Asker { question: QUESTION, enough: swarm.len(), skips_compiling: true, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::DEFAULT;
    asker.discovery = Duration::from_secs(1);
    let answer = asker.ask(&relay.url(), fragments(), home.path()).await.result.unwrap();
    assert!((answer.coverage - 1.0).abs() < 1e-9, "{answer:#?}");
    answer
}

fn cited(answer: &Answer) -> BTreeSet<&str> {
    answer.citations.iter().map(|citation| citation.file.as_str()).collect()
}

/// Both files with what each says, and that the two differ.
fn is_told(answer: &Answer, words: &str) -> bool {
    [words, "council.txt", "gazette.txt", "3 May 2026", "17 June 2026"]
        .iter()
        .all(|told| answer.answer.contains(told))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_who_names_both_files_and_the_contradiction_is_shown_as_is() {
    let answer = ask(Writer::NamesFiles).await;
    assert!(is_told(&answer, "The files contradict each other"), "{}", answer.answer);
    assert!(!answer.answer.contains("The documents give different dates"), "{}", answer.answer);
    assert_eq!(cited(&answer), FILES.map(|(file, _)| file).into());
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_the_writer_does_not_name_are_named_by_code() {
    let answer = ask(Writer::GivesDates).await;
    assert!(is_told(&answer, "The documents give different dates"), "{}", answer.answer);
    assert_eq!(cited(&answer), FILES.map(|(file, _)| file).into());
    let report = answer.verification.final_check.unwrap();
    assert!(report.passed, "both dates are given: {report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_who_hides_one_of_two_dates_is_corrected_by_code() {
    let answer = ask(Writer::Hides).await;
    assert!(is_told(&answer, "The documents give different dates"), "{}", answer.answer);
    let report = answer.verification.final_check.unwrap();
    assert!(!report.passed && report.findings.iter().any(|found| found.contains("different dates")));
}
