//! The `records` dialect: one record per prompt, the fields copied out one per line.
//!
//! docs/decisions/0002-one-record-per-prompt.md gives the exact texts; a small embedded model is
//! trained for them, so that they change only together with it.

use frlm_protocol::Mode;

use super::error::excerpt;
use super::evaluate::evaluate;
use super::evidence::copied_from;
use super::{DialectError, MapAnswer, MapTask, Prompt};
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

/// Reads one answer per record, checks every copied value against its record, and evaluates the
/// query's conditions on them.
pub fn parse(task: &MapTask, fragment: &Fragment, answers: &[String]) -> Result<MapAnswer, DialectError> {
    let query = task.query.as_ref().ok_or(DialectError::NoQuery)?;
    let fields = query.fields();
    if answers.len() != fragment.records.len() {
        return Err(DialectError::AnswerCount { expected: fragment.records.len(), found: answers.len() });
    }
    let mut matches = Vec::new();
    for (record, answer) in fragment.records.iter().zip(answers) {
        let values = copied_values(record, answer, fields.len())?;
        let copied = |field: &str| {
            let at = fields.iter().position(|name| *name == field)?;
            values[at].clone()
        };
        matches.extend(evaluate(query, record, copied));
    }
    Ok(MapAnswer::Records { matches })
}

/// The values in the asked order, each as it stands in the record.
fn copied_values(
    record: &Record,
    answer: &str,
    expected: usize,
) -> Result<Vec<Option<String>>, DialectError> {
    let mut lines: Vec<&str> = answer.split('\n').map(str::trim).collect();
    while lines.len() > expected && lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    if lines.len() != expected {
        return Err(DialectError::FieldCount { line: record.line, expected, found: lines.len() });
    }
    lines
        .into_iter()
        .map(|value| match value {
            "" | ABSENT => Ok(None),
            value => copied_from(record, value)
                .map(Some)
                .ok_or_else(|| DialectError::ForgedQuote { line: record.line, quote: excerpt(value) }),
        })
        .collect()
}

/// Everything copied stands in the record, so its length bounds the answer; a token is at least a
/// byte.
fn max_tokens(inputs: &[String], fields: usize) -> u32 {
    let longest = inputs.iter().map(String::len).max().unwrap_or(0);
    let tokens = (longest + 2 * fields).clamp(*MAX_TOKENS.start(), *MAX_TOKENS.end());
    u32::try_from(tokens).unwrap_or(u32::MAX)
}
