//! Asks the questions of the corpus and prints how many were answered right, wrong and sure of it, or not at all.

use std::collections::BTreeMap;
use std::path::Path;

use frlm_tables::{Answer, LoadOptions, Table};
use serde_json::Value;

/// From here on an answer counts as sure.
const SURE: f64 = 0.8;

#[derive(Default)]
struct Score {
    asked: usize,
    right: usize,
    wrong: usize,
    wrong_and_sure: usize,
    refused: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let questions: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(folder.join("questions.json"))?)?;
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for entry in &questions {
        let field = |name: &str| entry[name].as_str().unwrap_or_default();
        let (file, question) = (field("file"), field("question"));
        if !tables.contains_key(file) {
            let text = std::fs::read_to_string(folder.join("files").join(file))?;
            tables.insert(file.to_owned(), Table::load(file, text, &LoadOptions::default())?);
        }
        let score = scores.entry(field("phrasing").to_owned()).or_default();
        score.asked += 1;
        match tables[file].ask(question) {
            Answer::Unique(answer) => {
                let found: Vec<Vec<String>> = answer
                    .outcome
                    .rows
                    .iter()
                    .map(|row| row.iter().map(ToString::to_string).collect())
                    .collect();
                if is_right(&entry["expected"], &found) {
                    score.right += 1;
                } else {
                    score.wrong += 1;
                    score.wrong_and_sure += usize::from(answer.confidence >= SURE);
                    println!(
                        "WRONG {file} | {question} | {} | {} | {}",
                        answer.confidence,
                        answer.reading,
                        answer.text()
                    );
                }
            }
            Answer::Refused(refusal) => {
                score.refused += 1;
                println!("REFUSED {file} | {question} | {}", refusal.why);
                let table = &tables[file];
                let works = |question: &String| matches!(table.ask(question), Answer::Unique(_));
                if refusal.suggestions.is_empty() || !refusal.suggestions.iter().all(works) {
                    println!("BAD SUGGESTION {file} | {:?}", refusal.suggestions);
                }
            }
            Answer::Ambiguous(answers) => {
                score.refused += 1;
                let readings: Vec<&str> = answers.iter().map(|answer| answer.reading.as_str()).collect();
                println!("AMBIGUOUS {file} | {question} | {readings:?}");
            }
            Answer::Asked(asked) => {
                score.refused += 1;
                println!("ASKED {file} | {question} | {}", asked.question);
            }
        }
    }
    for (phrasing, score) in scores {
        println!(
            "{phrasing}: {} asked, {} right, {} wrong, {} of them sure, {} refused or put back",
            score.asked, score.right, score.wrong, score.wrong_and_sure, score.refused
        );
    }
    Ok(())
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
