//! Questions of the corpus of tables, each over a folder with its file and two others of other formats.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use frlm_tables::{LoadOptions, Table, corpus};
use serde::Deserialize;

/// Most records of a file: a question should take seconds.
const MOST_RECORDS: u64 = 120;
/// Files beside the one that is asked about.
const OTHERS: usize = 2;

/// A question, its folder, and what is right.
#[derive(Debug)]
pub struct Case {
    /// The question.
    pub question: String,
    /// The files of its folder, the one that it asks about first.
    pub files: Vec<PathBuf>,
    /// The rows that answer it.
    pub expected: Vec<Vec<String>>,
}

/// Its batch, the question, and the rows that answer it: none where the file does not say it.
type Question = (String, String, Option<Vec<Vec<String>>>);

/// What is asked of one file of a corpus.
#[derive(Deserialize)]
struct Questions {
    file: String,
    questions: Vec<Question>,
}

/// A file that takes part.
struct Source {
    path: PathBuf,
    /// Its columns' names, in lower case.
    columns: HashSet<String>,
    questions: Vec<(String, Vec<Vec<String>>)>,
}

impl Source {
    fn extension(&self) -> String {
        self.path.extension().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Whether a folder with both has two formats, and no column of one is called as a column of the other: then only one file
    /// can answer.
    fn goes_with(&self, other: &Self) -> bool {
        self.extension() != other.extension() && self.columns.is_disjoint(&other.columns)
    }
}

/// The questions of a corpus that name a column and have an answer: the first of each file, then the second of each, and so on.
/// Files that the corpus holds compressed are unpacked into `scratch`.
pub fn cases(folder: &Path, scratch: &Path) -> anyhow::Result<Vec<Case>> {
    let path = folder.join("questions.json");
    let text = corpus::unpacked(&path, scratch)
        .and_then(std::fs::read_to_string)
        .with_context(|| format!("{}: no corpus of questions over tables", path.display()))?;
    let files: Vec<Questions> = serde_json::from_str(&text)?;
    let mut sources = Vec::new();
    for (number, Questions { file, questions }) in files.into_iter().enumerate() {
        // Two files of different batches may have the same name.
        let own = scratch.join(number.to_string());
        std::fs::create_dir_all(&own)?;
        let path = corpus::unpacked(&folder.join("files").join(&file), &own)?;
        let Ok(table) = Table::load_file(&path, &LoadOptions::default()) else { continue };
        if table.rows() > MOST_RECORDS {
            continue;
        }
        let columns = table.columns().iter().map(|column| column.name.to_lowercase()).collect();
        let mut source = Source { path, columns, questions: Vec::new() };
        for (_, question, expected) in questions {
            if let Some(expected) = expected.filter(|_| names_one(&question, &source.columns)) {
                source.questions.push((question, expected));
            }
        }
        sources.push(source);
    }
    Ok(in_turn(&sources))
}

fn in_turn(sources: &[Source]) -> Vec<Case> {
    let most = sources.iter().map(|source| source.questions.len()).max().unwrap_or(0);
    let mut cases = Vec::new();
    for turn in 0..most {
        for (at, source) in sources.iter().enumerate() {
            let Some((question, expected)) = source.questions.get(turn) else { continue };
            let mut chosen: Vec<&Source> = vec![source];
            // Others from question to question, the same in each run of the laboratory.
            let after = sources.iter().cycle().skip(at + 1 + turn).take(sources.len());
            for other in after {
                if chosen.len() <= OTHERS && chosen.iter().all(|one| one.goes_with(other)) {
                    chosen.push(other);
                }
            }
            if chosen.len() <= OTHERS {
                continue;
            }
            let files = chosen.iter().map(|one| one.path.clone()).collect();
            cases.push(Case { question: question.clone(), files, expected: expected.clone() });
        }
    }
    cases
}

/// Whether a question has a column's name as whole words.
fn names_one(question: &str, columns: &HashSet<String>) -> bool {
    let spaced = |text: &str| {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '.');
        let words: Vec<&str> =
            words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()).collect();
        format!(" {} ", words.join(" "))
    };
    let question = spaced(&question.to_lowercase());
    columns.iter().any(|column| column.len() > 1 && question.contains(&spaced(column)))
}

impl Case {
    /// Whether an answer's words say what is right: a single number is the first one in them, everything else stands in them.
    pub fn is_answered_by(&self, answer: &str) -> bool {
        let result = answer.split("\n\n").next().unwrap_or_default();
        if let [row] = &self.expected[..]
            && let [cell] = &row[..]
            && cell.parse::<f64>().is_ok()
        {
            return numbers(result).next().is_some_and(|found| is_the_same(cell, found));
        }
        self.expected.iter().flatten().all(|cell| {
            result.contains(cell.as_str()) || numbers(result).any(|found| is_the_same(cell, found))
        })
    }
}

/// The numbers of a text, without commas between their thousands.
fn numbers(text: &str) -> impl Iterator<Item = f64> {
    text.split(|letter: char| letter.is_whitespace() || "();:%€$£=".contains(letter)).filter_map(|word| {
        let word = word.trim_end_matches(['.', ',']);
        word.parse().or_else(|_| word.replace(',', "").parse()).ok()
    })
}

/// Numbers but for rounding to the decimals that are expected.
fn is_the_same(expected: &str, found: f64) -> bool {
    let decimals = expected.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let allowed = if decimals == 1 { 0.051 } else { 0.006 };
    expected.parse::<f64>().is_ok_and(|expected| (expected - found).abs() <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tables/corpus")
    }

    #[test]
    fn a_hundred_questions_have_folders_of_three_formats() {
        let scratch = tempfile::tempdir().unwrap();
        let cases = cases(&corpus(), scratch.path()).unwrap();
        assert!(cases.len() >= 200, "{}", cases.len());
        for case in &cases {
            let formats: HashSet<_> = case.files.iter().map(|file| file.extension()).collect();
            assert_eq!((case.files.len(), formats.len()), (3, 3), "{case:?}");
        }
        let asked: HashSet<_> = cases[..100].iter().map(|case| &case.files[0]).collect();
        assert!(asked.len() >= 40, "{} files are asked about", asked.len());
    }

    #[test]
    fn the_first_number_is_the_answer_and_names_stand_in_it() {
        let case = |cells: &[&str]| Case {
            question: String::new(),
            files: Vec::new(),
            expected: vec![cells.iter().map(|&cell| cell.to_owned()).collect()],
        };
        assert!(case(&["3"]).is_answered_by("3 records match (of 60)."));
        assert!(!case(&["60"]).is_answered_by("3 records match (of 60)."));
        assert!(case(&["1204.5"]).is_answered_by("1,204.50 (sum of amount)"));
        assert!(case(&["Ada Ng", "12"]).is_answered_by("Ada Ng: 12"));
        assert!(!case(&["Ada Ng"]).is_answered_by("Ada: 12\n\nAda Ng is not in the list."));
    }
}
