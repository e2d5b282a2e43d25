//! Asking the questions of a corpus, for the test, for the example that prints them and for `frlm-lab tables`.

mod packed;

use std::collections::BTreeMap;
use std::path::Path;

use frlm_tables::{Answer, LoadOptions, Table};
use serde::Deserialize;

/// From here on an answer counts as sure.
pub const SURE: f64 = 0.8;

/// What became of the questions of one kind.
#[derive(Default)]
pub struct Score {
    pub asked: usize,
    pub right: usize,
    pub wrong: usize,
    pub wrong_and_sure: usize,
    /// Refused, or put back.
    pub refused: usize,
}

/// All scores by kind of question, and a line for each question that was not answered right.
pub struct Scored {
    pub scores: BTreeMap<String, Score>,
    pub lines: Vec<String>,
    /// Refusals whose suggestions are too few or do not work.
    pub bad_suggestions: Vec<String>,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Scored {
    /// What was not answered right, line by line, and the scores.
    pub fn text(&self) -> String {
        let mut lines = self.lines.clone();
        lines.extend(self.bad_suggestions.iter().map(|bad| format!("BAD SUGGESTION {bad}")));
        lines.extend(self.scores.iter().map(|(phrasing, score)| {
            format!(
                "{phrasing}: {} asked, {} right, {} wrong, {} of them sure, {} refused or put back",
                score.asked, score.right, score.wrong, score.wrong_and_sure, score.refused
            )
        }));
        lines.push(format!("sure from a confidence of {SURE} on"));
        lines.join("\n")
    }
}

/// Asks every question of a corpus: a folder with `questions.json` and the files in `files`.
pub fn ask_all(folder: &Path) -> Result<Scored, Failure> {
    let files: Vec<Questions> =
        serde_json::from_str(&std::fs::read_to_string(folder.join("questions.json"))?)?;
    let mut scored = Scored { scores: BTreeMap::new(), lines: Vec::new(), bad_suggestions: Vec::new() };
    for Questions { file, questions } in &files {
        let table = load(&folder.join("files").join(file))?;
        ask(&mut scored, file, &table, questions);
    }
    Ok(scored)
}

/// What is asked of one file.
#[derive(Deserialize)]
struct Questions {
    file: String,
    questions: Vec<Question>,
}

/// Its batch, the question, and the rows that answer it: none where the file does not say it, so that a refusal is right.
#[derive(Deserialize)]
struct Question(String, String, Option<Vec<Vec<String>>>);

/// Loads a file, which lies there compressed if it is large.
fn load(path: &Path) -> Result<Table, Failure> {
    let folder = tempfile::tempdir()?;
    let path = packed::unpacked(path, folder.path())?;
    Ok(Table::load_file(&path, &LoadOptions::default())?)
}

fn ask(scored: &mut Scored, file: &str, table: &Table, questions: &[Question]) {
    for Question(batch, question, expected) in questions {
        let score = scored.scores.entry(batch.clone()).or_default();
        score.asked += 1;
        match table.ask(question) {
            Answer::Unique(answer) => {
                let rows = &answer.outcome.rows;
                let found: Vec<Vec<String>> =
                    rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
                if expected.as_ref().is_some_and(|expected| is_right(expected, &found)) {
                    score.right += 1;
                    continue;
                }
                score.wrong += 1;
                score.wrong_and_sure += usize::from(answer.confidence >= SURE);
                let (confidence, reading, text) = (answer.confidence, &answer.reading, answer.text());
                scored.lines.push(format!("WRONG {file} | {question} | {confidence} | {reading} | {text}"));
            }
            Answer::Refused(refusal) => {
                if expected.is_none() {
                    score.right += 1;
                    continue;
                }
                score.refused += 1;
                scored.lines.push(format!("REFUSED {file} | {question} | {}", refusal.why));
                let works = |question: &String| matches!(table.ask(question), Answer::Unique(_));
                if refusal.suggestions.len() != 2 || !refusal.suggestions.iter().all(works) {
                    scored.bad_suggestions.push(format!("{file} | {question} | {:?}", refusal.suggestions));
                }
            }
            Answer::Ambiguous(answers) => {
                score.refused += 1;
                let readings: Vec<&str> = answers.iter().map(|answer| answer.reading.as_str()).collect();
                scored.lines.push(format!("AMBIGUOUS {file} | {question} | {readings:?}"));
            }
            Answer::Asked(asked) => {
                score.refused += 1;
                scored.lines.push(format!("ASKED {file} | {question} | {}", asked.question));
            }
        }
    }
}

/// Whether the rows are the expected ones, in any order, numbers but for rounding.
fn is_right(expected: &[Vec<String>], found: &[Vec<String>]) -> bool {
    expected.len() == found.len()
        && expected.iter().all(|cells| {
            found.iter().any(|other| {
                cells.len() <= other.len() && cells.iter().zip(other).all(|(left, right)| same(left, right))
            })
        })
}

fn same(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    match (left.parse::<f64>(), right.parse::<f64>()) {
        (Ok(left), Ok(right)) => (left - right).abs() <= 0.006,
        _ => false,
    }
}
