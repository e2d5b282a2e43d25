//! Asking the questions of a corpus and scoring the answers, for the tests and for `frlm-lab tables`.
//!
//! A corpus is a folder with `questions.json` and the files that it asks about in `files`. What code is not sure of may be put to a
//! model, whose queries are kept in a file of replies, so that the same figures come out of them again.

mod packed;
mod replies;

use std::collections::BTreeMap;
use std::path::Path;

use jiff::civil::DateTime;
use serde::Deserialize;

pub use packed::unpacked;
pub use replies::{Replies, Reply};

use crate::value::moment::{DateOrder, written};
use crate::{Answer, Answered, LoadOptions, PlannerPrompt, SURE, Table};

/// From this confidence on code's own answer counts where no reply of a model is kept.
const READ: f64 = 0.75;

/// What became of the questions of one kind.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Score {
    /// How many were asked.
    pub asked: usize,
    /// Answered as expected, or refused where the file does not tell.
    pub right: usize,
    /// Answered otherwise.
    pub wrong: usize,
    /// Of these, how many with a confidence that counts as sure.
    pub wrong_and_sure: usize,
    /// Refused, or asked back.
    pub refused: usize,
}

/// A question that code is not sure of, as a model is asked it.
#[derive(Debug)]
pub struct Open {
    /// The file that it is asked of.
    pub file: String,
    /// The question.
    pub question: String,
    /// What a model is told.
    pub prompt: PlannerPrompt,
}

/// All scores by kind of question, and a line for each question that was not answered right.
#[derive(Debug, Default)]
pub struct Scored {
    /// By batch.
    pub scores: BTreeMap<String, Score>,
    /// What became of answers, by their confidence in hundredths.
    pub by_confidence: BTreeMap<u32, Score>,
    /// The same as by batch, where replies of a model answer what code is not sure of.
    pub with_planner: BTreeMap<String, Score>,
    /// One for each question that was not answered right.
    pub lines: Vec<String>,
    /// Refusals whose suggestions are too few or do not work.
    pub bad_suggestions: Vec<String>,
    /// What code is not sure of, and no reply is known to.
    pub open: Vec<Open>,
    /// Wrong answers that are not sure, beside which other readings are offered; and how often one of these is right.
    pub offered: (usize, usize),
}

/// Why a corpus could not be asked.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Scored {
    /// What was not answered right, line by line, and the scores.
    pub fn text(&self) -> String {
        let mut lines = self.lines.clone();
        lines.extend(self.bad_suggestions.iter().map(|bad| format!("BAD SUGGESTION {bad}")));
        let say = |what: &str, (phrasing, score): (&String, &Score)| {
            format!(
                "{phrasing}{what}: {} asked, {} right ({} %), {} wrong, {} of them sure, {} refused, or asked back",
                score.asked,
                score.right,
                score.right * 100 / score.asked.max(1),
                score.wrong,
                score.wrong_and_sure,
                score.refused
            )
        };
        lines.extend(self.scores.iter().map(|scores| say("", scores)));
        lines.extend(self.with_planner.iter().map(|scores| say(" with a planner", scores)));
        for (hundredths, score) in &self.by_confidence {
            lines.push(format!(
                "confidence {:.2}: {} answers, {} right ({} %)",
                f64::from(*hundredths) / 100.0,
                score.asked,
                score.right,
                score.right * 100 / score.asked.max(1)
            ));
        }
        lines.push(format!("sure from a confidence of {SURE} on"));
        let (offered, right) = self.offered;
        lines.push(format!(
            "other readings are offered beside {offered} wrong answers that are not sure; one of them is right for {right}"
        ));
        lines.join("\n")
    }
}

/// Asks every question of a corpus; what code is not sure of is taken from the replies of a model, if there are any.
pub fn ask_all(folder: &Path, replies: Option<&Replies>) -> Result<Scored, Failure> {
    let scratch = tempfile::tempdir()?;
    let questions = packed::unpacked(&folder.join("questions.json"), scratch.path())?;
    let files: Vec<Questions> = serde_json::from_str(&std::fs::read_to_string(questions)?)?;
    let mut scored = Scored::default();
    for Questions { file, questions } in &files {
        let table = load(&folder.join("files").join(file))?;
        for Question(batch, question, expected) in questions {
            let expected = expected.as_deref();
            let answer = table.ask(question);
            scored.add(file, batch, &table, question, expected, &answer);
            if let Some(replies) = replies {
                scored.add_planned(file, batch, &table, question, expected, &answer, replies);
            }
        }
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

/// What an answer is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Right,
    Wrong { is_sure: bool },
    Refused,
}

impl Outcome {
    fn of(answer: &Answer, expected: Option<&[Vec<String>]>) -> Self {
        match answer {
            Answer::Unique(answer) => {
                if expected.is_some_and(|expected| finds(answer, expected)) {
                    Self::Right
                } else {
                    Self::Wrong { is_sure: answer.confidence >= SURE }
                }
            }
            Answer::Refused(_) if expected.is_none() => Self::Right,
            _ => Self::Refused,
        }
    }
}

fn finds(answer: &Answered, expected: &[Vec<String>]) -> bool {
    let rows = &answer.outcome.rows;
    let found: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
    is_right(expected, &found)
}

impl Score {
    fn add(&mut self, outcome: Outcome) {
        self.asked += 1;
        match outcome {
            Outcome::Right => self.right += 1,
            Outcome::Wrong { is_sure } => {
                self.wrong += 1;
                self.wrong_and_sure += usize::from(is_sure);
            }
            Outcome::Refused => self.refused += 1,
        }
    }
}

impl Scored {
    fn add(
        &mut self,
        file: &str,
        batch: &str,
        table: &Table,
        question: &str,
        expected: Option<&[Vec<String>]>,
        answer: &Answer,
    ) {
        let outcome = Outcome::of(answer, expected);
        self.scores.entry(batch.to_owned()).or_default().add(outcome);
        if let Answer::Unique(answer) = answer {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a confidence is 0 to 1"
            )]
            let hundredths = (answer.confidence * 100.0).round() as u32;
            self.by_confidence.entry(hundredths).or_default().add(outcome);
        }
        if outcome == Outcome::Right {
            return;
        }
        self.lines.push(line(file, question, answer));
        if outcome == (Outcome::Wrong { is_sure: false }) {
            let others = table.other_readings(question);
            let is_there = |expected| others.iter().any(|other| finds(other, expected));
            self.lines
                .extend(others.iter().map(|other| format!("  or: {}: {}", other.reading, other.text())));
            self.offered.0 += usize::from(!others.is_empty());
            self.offered.1 += usize::from(expected.is_some_and(is_there));
        }
        if let Answer::Refused(refusal) = answer {
            let works = |question: &String| matches!(table.ask(question), Answer::Unique(_));
            if refusal.suggestions.len() != 2 || !refusal.suggestions.iter().all(works) {
                self.bad_suggestions.push(format!("{file} | {question} | {:?}", refusal.suggestions));
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a question, what is expected, and what was found")]
    fn add_planned(
        &mut self,
        file: &str,
        batch: &str,
        table: &Table,
        question: &str,
        expected: Option<&[Vec<String>]>,
        answer: &Answer,
        replies: &Replies,
    ) {
        let score = self.with_planner.entry(batch.to_owned()).or_default();
        let is_sure = matches!(answer, Answer::Unique(answer) if answer.confidence >= SURE);
        if is_sure {
            score.add(Outcome::of(answer, expected));
            return;
        }
        let Some(reply) = replies.of(file, question) else {
            let is_read = matches!(answer, Answer::Unique(answer) if answer.confidence >= READ);
            score.add(if is_read { Outcome::of(answer, expected) } else { Outcome::Refused });
            let prompt = table.planner_prompt(question);
            self.open.push(Open { file: file.to_owned(), question: question.to_owned(), prompt });
            return;
        };
        let planned = table.ask_planned(reply);
        let outcome = Outcome::of(&planned, expected);
        score.add(outcome);
        if outcome != Outcome::Right {
            self.lines.push(format!("PLANNED {}", line(file, question, &planned)));
        }
    }
}

/// What an answer that is not right says.
fn line(file: &str, question: &str, answer: &Answer) -> String {
    match answer {
        Answer::Unique(answer) => {
            let (confidence, reading, text) = (answer.confidence, &answer.reading, answer.text());
            format!("WRONG {file} | {question} | {confidence} | {reading} | {text}")
        }
        Answer::Refused(refusal) => format!("REFUSED {file} | {question} | {}", refusal.why),
        Answer::Ambiguous(answers) => {
            let readings: Vec<&str> = answers.iter().map(|answer| answer.reading.as_str()).collect();
            format!("AMBIGUOUS {file} | {question} | {readings:?}")
        }
        Answer::Asked(asked) => format!("ASKED {file} | {question} | {}", asked.question),
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

/// Whether a cell is the expected one: numbers but for a sign of percent and for rounding to the decimals that are expected, moments
/// but for seconds that are not and for how they are written.
fn same(expected: &str, found: &str) -> bool {
    if expected == found
        || in_numbers(expected).is_some_and(|moment| moment == found)
        || found.strip_suffix(":00").is_some_and(|minutes| minutes == expected)
        || moment(expected).is_some_and(|moment| found.parse::<DateTime>().is_ok_and(|found| found == moment))
    {
        return true;
    }
    let number = |text: &str| text.strip_suffix('%').unwrap_or(text).parse::<f64>();
    match (number(expected), number(found)) {
        (Ok(left), Ok(right)) => {
            let is_rounded = expected.rsplit_once('.').is_some_and(|(_, decimals)| decimals.len() == 1);
            (left - right).abs() <= if is_rounded { 0.051 } else { 0.006 }
        }
        _ => false,
    }
}

/// `02.04.2024` and `01 Apr 2025`; a date that could be two is none.
fn moment(text: &str) -> Option<DateTime> {
    let moment = written(text)?;
    match moment.orders() {
        Some((true, true)) => None,
        Some((false, true)) => moment.date_time(DateOrder::MonthFirst),
        Some(_) | None => moment.date_time(DateOrder::DayFirst),
    }
}

/// `Mar 4 10:11:12`, `Mar 4` of a log as this crate has it: `03-04 10:11:12`, `03-04`.
fn in_numbers(text: &str) -> Option<String> {
    const MONTHS: &[&str] =
        &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (month, rest) = text.split_once(' ')?;
    let rest = rest.trim_start();
    let (day, time) = rest.split_once(' ').unwrap_or((rest, ""));
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    Some(format!("{month:02}-{:02} {time}", day.parse::<u8>().ok()?).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_the_same_but_for_rounding_and_seconds() {
        for (expected, found) in [
            ("20.9", "20.94"),
            ("3", "3.0"),
            ("2025-01-15 22:47", "2025-01-15 22:47:00"),
            ("Mar 4 19:20:51", "03-04 19:20:51"),
            ("Mar 4", "03-04"),
            ("15.33%", "15.33"),
            ("24.04.2024", "2024-04-24"),
            ("01 Apr 2025", "2025-04-01"),
            ("2025-05-06T02:21:35Z", "2025-05-06 02:21:35"),
        ] {
            assert!(same(expected, found), "{expected} {found}");
        }
        for (expected, found) in [
            ("20.94", "20.9"),
            ("20", "20.4"),
            ("Ada", "ada"),
            ("22:4", "22:47"),
            ("24.04.2024", "2024-04-25"),
        ] {
            assert!(!same(expected, found), "{expected} {found}");
        }
    }
}
