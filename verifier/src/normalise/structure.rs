//! Lists and JSON.

use serde_json::Value;

use super::Normalised;
use crate::value::{Scalar, word};

/// JSON deeper than this is compared as text: no honest answer nests so far.
const DEEPEST: usize = 64;

/// Items whose order says nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// Sorted by spelling.
    items: Vec<(String, Scalar)>,
}

impl List {
    fn of(items: impl IntoIterator<Item = Scalar>) -> Self {
        let mut items: Vec<_> = items.into_iter().map(|item| (item.canonical(), item)).collect();
        items.sort_by(|a, b| a.0.cmp(&b.0));
        Self { items }
    }

    /// The items, sorted by spelling.
    pub fn items(&self) -> impl ExactSizeIterator<Item = &Scalar> {
        self.items.iter().map(|(_, item)| item)
    }

    pub(super) fn canonical(&self) -> String {
        let spelled: Vec<&str> = self.items.iter().map(|(spelling, _)| spelling.as_str()).collect();
        format!("[{}]", spelled.join(", "))
    }
}

/// JSON with sorted keys and values in one spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalJson {
    canonical: String,
    /// The same with every word replaced, so that only structure and exact values remain.
    skeleton: String,
}

impl CanonicalJson {
    /// One spelling for all spellings.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// Whether two differ in words only, whose meaning a model may compare.
    pub fn differs_in_words_only(&self, other: &Self) -> bool {
        self.skeleton == other.skeleton
    }
}

/// Reads a JSON value, in a code fence or bare, or a list with one item per line.
pub(super) fn parse(answer: &str) -> Option<Normalised> {
    let text = unfenced(answer.trim());
    if text.starts_with(['{', '[']) {
        let value: Value = serde_json::from_str(text).ok()?;
        if depth(&value) > DEEPEST {
            return None;
        }
        return Some(from_json(&value));
    }
    bullets(text).map(|items| Normalised::List(List::of(items.iter().map(|item| plain(item)))))
}

/// Program text without what no interpreter sees: the fence, spaces at line ends, empty ends.
pub(super) fn code(answer: &str) -> String {
    let lines: Vec<&str> = unfenced(answer.trim()).lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

fn from_json(value: &Value) -> Normalised {
    if let Value::Array(items) = value {
        let scalars: Option<Vec<Scalar>> = items
            .iter()
            .map(|item| match item {
                Value::String(text) => Some(plain(text)),
                Value::Number(number) => Some(plain(&number.to_string())),
                Value::Bool(truth) => Some(Scalar::Truth(*truth)),
                Value::Null | Value::Array(_) | Value::Object(_) => None,
            })
            .collect();
        if let Some(scalars) = scalars {
            return Normalised::List(List::of(scalars));
        }
    }
    let (mut canonical, mut skeleton) = (String::new(), String::new());
    write(value, &mut canonical, true);
    write(value, &mut skeleton, false);
    Normalised::Json(CanonicalJson { canonical, skeleton })
}

fn write(value: &Value, out: &mut String, with_words: bool) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&plain(&number.to_string()).canonical()),
        Value::String(text) => {
            let scalar = plain(text);
            out.push('"');
            match scalar {
                Scalar::Word(ref word) if !with_words && !word.contains(|c: char| c.is_ascii_digit()) => {
                    out.push('…');
                }
                _ => out.push_str(&scalar.canonical().replace('\\', "\\\\").replace('"', "\\\"")),
            }
            out.push('"');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write(item, out, with_words);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|a, b| a.0.cmp(b.0));
            out.push('{');
            for (key, member) in members {
                out.push_str(&Value::from(word(key)).to_string());
                out.push(':');
                write(member, out, with_words);
                out.push(',');
            }
            out.push('}');
        }
    }
}

fn plain(text: &str) -> Scalar {
    Scalar::parse(text.trim().trim_end_matches(['.', ',', ';']))
}

/// Two or more lines that all begin with a mark or a number.
fn bullets(text: &str) -> Option<Vec<&str>> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() < 2 {
        return None;
    }
    lines.into_iter().map(bullet).collect()
}

fn bullet(line: &str) -> Option<&str> {
    if let Some(rest) = ["- ", "* ", "• ", "– "].iter().find_map(|mark| line.strip_prefix(mark)) {
        return Some(rest);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    (1..=3).contains(&digits).then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))).flatten()
}

fn unfenced(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("```").and_then(|text| text.trim_end().strip_suffix("```")) else {
        return text;
    };
    // The first line names the language.
    inner.split_once('\n').map_or(inner, |(_, body)| body).trim()
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
