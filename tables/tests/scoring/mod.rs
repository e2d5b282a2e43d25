//! Asking the questions of a corpus, for the test, for the example that prints them and for `frlm-lab tables`.

use std::collections::BTreeMap;
use std::path::Path;

use frlm_tables::{Answer, LoadOptions, Table};
use serde_json::Value;

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
    let questions: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(folder.join("questions.json"))?)?;
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    let mut scored = Scored { scores: BTreeMap::new(), lines: Vec::new(), bad_suggestions: Vec::new() };
    for entry in &questions {
        let field = |name: &str| entry[name].as_str().unwrap_or_default();
        let (file, question) = (field("file"), field("question"));
        if !tables.contains_key(file) {
            let table = Table::load_file(&folder.join("files").join(file), &LoadOptions::default())?;
            tables.insert(file.to_owned(), table);
        }
        let score = scored.scores.entry(field("phrasing").to_owned()).or_default();
        score.asked += 1;
        let table = &tables[file];
        match table.ask(question) {
            Answer::Unique(answer) => {
                let rows = &answer.outcome.rows;
                let found: Vec<Vec<String>> =
                    rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
                if is_right(&entry["expected"], &found) {
                    score.right += 1;
                    continue;
                }
                score.wrong += 1;
                score.wrong_and_sure += usize::from(answer.confidence >= SURE);
                let (confidence, reading, text) = (answer.confidence, &answer.reading, answer.text());
                scored.lines.push(format!("WRONG {file} | {question} | {confidence} | {reading} | {text}"));
            }
            Answer::Refused(refusal) => {
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
    Ok(scored)
}

/// Whether the rows are the expected ones, in any order, numbers but for rounding.
fn is_right(expected: &Value, found: &[Vec<String>]) -> bool {
    let Some(expected) = expected.as_array() else { return false };
    expected.len() == found.len()
        && expected.iter().all(|row| {
            let cells: Vec<&str> = row.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
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
