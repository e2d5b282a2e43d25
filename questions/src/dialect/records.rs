//! The `records` dialect: one record per prompt, the fields copied out one per line.
//!
//! docs/decisions/0002-one-record-per-prompt.md gives the exact texts; a small embedded model is
//! trained for them, so that they change only together with it.

use frlm_protocol::Mode;
use frlm_verifier::copies::{self, Basis, Checked, Copy};

use super::error::excerpt;
use super::evaluate::evaluate;
use super::evidence::copied_from;
use super::{DialectError, MapAnswer, MapTask, Prompt, Reading};
use crate::ingest::{Fragment, Record};

/// What a model answers where the record has no such field.
const ABSENT: &str = "-";

/// Tokens per answer, whatever the record's length.
const MAX_TOKENS: std::ops::RangeInclusive<usize> = 16..=1_024;

/// `copy status, user` for each record of the fragment.
///
/// Without a query, or for one that [`super::needs_model`] says needs no model, there is nothing
/// to copy and the prompt has no inputs.
pub fn prompt(task: &MapTask, fragment: &Fragment) -> Prompt {
    let fields = task.query.as_ref().map(|query| query.fields()).unwrap_or_default();
    let inputs = if fields.is_empty() {
        Vec::new()
    } else {
        fragment.records.iter().map(|record| record.prompt_text().to_owned()).collect()
    };
    Prompt {
        instruction: format!("copy {}", fields.join(", ")),
        max_tokens: max_tokens(&inputs, fields.len()),
        inputs,
        mode: Mode::Each,
        constraint: None,
    }
}

/// Reads one answer per record, checks every copied value against its record and against the others
/// ([`frlm_verifier::copies`]), and evaluates the query's conditions on them; with the confidence that follows from the
/// check. `stated` is what the provider says of each answer, 0..=1, where it says anything.
pub fn read(
    task: &MapTask,
    fragment: &Fragment,
    answers: &[String],
    stated: &[Option<f64>],
) -> Result<Reading, DialectError> {
    let query = task.query.as_ref().ok_or(DialectError::NoQuery)?;
    let fields = query.fields();
    let records = &fragment.records;
    if answers.len() != records.len() {
        return Err(DialectError::AnswerCount { expected: records.len(), found: answers.len() });
    }
    let texts: Vec<&str> = records.iter().map(Record::prompt_text).collect();
    let rows: Vec<Vec<&str>> = answers.iter().map(|answer| lines_of(answer, fields.len())).collect();
    let stands = |at: usize, value: &str| copied_from(&records[at], value);
    let mut columns = Vec::with_capacity(fields.len());
    for (column, field) in fields.iter().enumerate() {
        let copies: Vec<Copy> = records
            .iter()
            .zip(&rows)
            .map(|(record, row)| match row.get(column).copied().filter(|_| row.len() == fields.len()) {
                Some("" | ABSENT) => Copy::Absent,
                Some(value) if copies::is_name(value, field) => Copy::Name,
                Some(value) => {
                    copied_from(record, value).map_or_else(|| Copy::Garbled(value.to_owned()), Copy::Value)
                }
                None => Copy::Garbled(row.join("\n")),
            })
            .collect();
        let checked = copies::check(field, &texts, &copies, stands);
        if let Some(at) = checked.iter().position(|line| line.basis == Basis::Unreadable) {
            return Err(unreadable(&records[at], &rows[at], column, fields.len()));
        }
        columns.push(checked);
    }
    let confidence = confidence(&columns, stated);
    let overruled = columns.iter().flatten().filter(|line| line.basis == Basis::Corrected).count();
    let matches = records
        .iter()
        .enumerate()
        .filter_map(|(at, record)| {
            evaluate(query, record, |field| {
                let column = fields.iter().position(|name| *name == field)?;
                columns[column][at].value.clone()
            })
        })
        .collect();
    let copied = columns.iter().map(Vec::len).sum();
    Ok(Reading { answer: MapAnswer::Records { matches }, confidence, copied, overruled })
}

/// An answer's lines, with nothing behind the last expected one.
fn lines_of(answer: &str, expected: usize) -> Vec<&str> {
    let mut lines: Vec<&str> = answer.split('\n').map(str::trim).collect();
    while lines.len() > expected && lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

fn unreadable(record: &Record, row: &[&str], column: usize, expected: usize) -> DialectError {
    if row.len() == expected {
        DialectError::ForgedQuote { line: record.line, quote: excerpt(row[column]) }
    } else {
        DialectError::FieldCount { line: record.line, expected, found: row.len() }
    }
}

/// How likely the whole fragment was read right: a product, for one wrong value makes it wrong.
///
/// What a rule confirms no longer rests on the model's word. What the model says alone rests on its own
/// stated confidence, less a discount for standing alone. The weights come from 400 held-out fragments;
/// `frlm-lab model` prints how well they hold on others.
fn confidence(columns: &[Vec<Checked>], stated: &[Option<f64>]) -> Option<f64> {
    const RULE: f64 = 0.995;
    const CORRECTED: f64 = 0.99;
    const ALONE: f64 = 0.8;
    const UNSTATED: f64 = 0.5;
    let mut confidence = RULE;
    let mut known = stated.iter().any(Option::is_some);
    for (at, line) in columns.iter().flat_map(|column| column.iter().enumerate()) {
        match line.basis {
            Basis::Confirmed => known = true,
            Basis::Corrected => confidence *= CORRECTED,
            Basis::Alone | Basis::Unreadable => {
                confidence *= ALONE * stated.get(at).copied().flatten().unwrap_or(UNSTATED);
            }
        }
    }
    known.then_some(confidence)
}

/// Everything copied stands in the record, so its length bounds the answer; a token is at least a
/// byte.
fn max_tokens(inputs: &[String], fields: usize) -> u32 {
    let longest = inputs.iter().map(String::len).max().unwrap_or(0);
    let tokens = (longest + 2 * fields).clamp(*MAX_TOKENS.start(), *MAX_TOKENS.end());
    u32::try_from(tokens).unwrap_or(u32::MAX)
}
