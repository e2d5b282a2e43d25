//! The named fields of sampled records.

use std::collections::BTreeSet;

use super::lexicon::STATUS_WORDS;
use crate::ingest::{Fragment, Record};

/// Records that are looked at.
const MOST_RECORDS: usize = 2_048;

/// Records that are looked at in a row: neighbours show whether a value repeats.
const RUN: usize = 64;

/// Longest name of a field.
const LONGEST_NAME: usize = 40;

/// Longest value that is looked at.
const LONGEST_VALUE: usize = 120;

const LEVELS: [&str; 10] =
    ["trace", "debug", "info", "notice", "warn", "warning", "error", "err", "fatal", "critical"];

/// All records, or evenly spread runs of them.
pub fn sampled(fragments: &[Fragment]) -> impl Iterator<Item = &Record> {
    let total: usize = fragments.iter().map(|fragment| fragment.records.len()).sum();
    let runs = MOST_RECORDS / RUN;
    let stride = if total <= MOST_RECORDS { RUN } else { total / runs };
    let is_sampled = move |at: &usize| at % stride < RUN;
    let mut before = 0;
    fragments.iter().flat_map(move |fragment| {
        let own = before..before + fragment.records.len();
        before = own.end;
        // A fragment of which nothing is sampled is not read.
        let records: &[Record] = if own.clone().any(|at| is_sampled(&at)) { &fragment.records } else { &[] };
        own.zip(records).filter(move |(at, _)| is_sampled(at)).map(|(_, record)| record)
    })
}

/// The lower-case form of a level word.
pub fn level_word(word: &str) -> Option<&'static str> {
    LEVELS.iter().find(|level| level.eq_ignore_ascii_case(word)).copied()
}

/// A record's fields as far as it names them: JSON keys, table headers, `key=value`.
pub fn fields_of(record: &Record) -> Vec<(String, String)> {
    let text = record.prompt_text();
    let fields = if text.trim_start().starts_with('{') {
        json_fields(text)
    } else if record.shown.is_some() {
        row_fields(text)
    } else {
        pairs(text)
    };
    let mut names = BTreeSet::new();
    let fits = |(name, value): &(String, String)| {
        !name.is_empty() && name.len() <= LONGEST_NAME && !value.is_empty() && value.len() <= LONGEST_VALUE
    };
    fields.into_iter().filter(fits).filter(|(name, _)| names.insert(name.clone())).collect()
}

/// Words with the values behind them, in records that name no fields: `order 4001`.
pub fn labels_of(record: &Record) -> Vec<(String, String)> {
    let words: Vec<&str> = record.text.split_whitespace().take(24).collect();
    let mut labels: Vec<(String, String)> = Vec::new();
    for pair in words.windows(2) {
        let (label, value) = (pair[0].to_lowercase(), pair[1].trim_end_matches([',', ';', '.']));
        let is_label = label.len() > 2 && label.chars().all(char::is_alphabetic);
        let is_value = value.chars().any(|c| c.is_ascii_digit()) && value.len() <= LONGEST_VALUE;
        if is_label && is_value && labels.iter().all(|(known, _)| *known != label) {
            labels.push((label, value.to_owned()));
        }
    }
    labels
}

/// The status words in a record.
pub fn status_words(record: &Record) -> impl Iterator<Item = String> {
    let words = frlm_util::text::words(&record.text).map(str::to_lowercase);
    words.filter(|word| STATUS_WORDS.contains(&word.as_str()))
}

fn json_fields(text: &str) -> Vec<(String, String)> {
    let Ok(object) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text) else {
        return Vec::new();
    };
    let scalar = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    };
    object.into_iter().filter_map(|(name, value)| Some((name, scalar(value)?))).collect()
}

/// `name=value, name=value` with commas and spaces in values: a part without a sign goes on.
fn row_fields(text: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for part in text.split(", ") {
        match (part.split_once('='), fields.last_mut()) {
            (Some((name, value)), _) => fields.push((name.trim().to_owned(), value.trim().to_owned())),
            (None, Some((_, value))) => {
                value.push_str(", ");
                value.push_str(part);
            }
            (None, None) => {}
        }
    }
    fields
}

/// `key=value` and `key="a value"` anywhere in a line.
fn pairs(text: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('=') {
        let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name = before.rsplit(|c| !in_name(c)).next().unwrap_or_default();
        let (value, remaining) = if let Some(quoted) = after.strip_prefix('"') {
            quoted.split_once('"').unwrap_or((quoted, ""))
        } else {
            let end = after.find(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|'));
            after.split_at(end.unwrap_or(after.len()))
        };
        if name.starts_with(|c: char| c.is_alphabetic()) {
            fields.push((name.to_owned(), value.trim_end_matches([',', ')', ']']).to_owned()));
        }
        rest = remaining;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str, shown: Option<&str>) -> Vec<(String, String)> {
        fields_of(&Record { line: 1, text: text.into(), shown: shown.map(Into::into) })
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn fields_are_found_in_pairs_rows_and_objects() {
        assert_eq!(
            fields("2026-03-02T08:14:07Z order=40117, note=\"a b\" status=failed", None),
            [pair("order", "40117"), pair("note", "a b"), pair("status", "failed")]
        );
        assert_eq!(
            fields("1,\"Lindt, Mara\",paid", Some("id=1, user name=Lindt, Mara, status=paid")),
            [pair("id", "1"), pair("user name", "Lindt, Mara"), pair("status", "paid")]
        );
        assert_eq!(
            fields("{\"userId\": 7, \"ok\": true, \"tags\": [1]}", None),
            [pair("userId", "7"), pair("ok", "true")]
        );
        assert_eq!(fields("001 order 4001 by user1 amount 3 shipped", None), []);
        assert_eq!(fields("a == b, =, x=", None), []);
    }
}
