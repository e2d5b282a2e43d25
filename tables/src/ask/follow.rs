//! A question that leans on the one before: `and how many refunded?`, `how many of those are open?`

use super::frame::{Doubt, Frame};
use super::{Answer, Answered, Reading};
use crate::query::{Cell, Comparison, Filter, Key, Literal, Query};
use crate::table::Table;
use crate::words;

/// Openings of a question that goes on from the one before.
const OPENINGS: &[&str] = &["and ", "und ", "and, ", "but ", "aber "];

/// Words that stand for what was found before.
const POINTERS: &[&str] = &[
    "them", "those", "these", "they", "their", "his", "her", "he", "she", "davon", "diese", "diesen",
    "dieser", "ihm", "ihnen", "deren",
];

/// What a question costs that takes its conditions from another: a guess that is said.
const CONTEXT_PENALTY: u32 = 3;

impl Table {
    /// Answers a question that was asked after another. What it leans on is said in the reading; if that cannot be told,
    /// it is refused.
    pub fn ask_after(&self, before: &Answered, question: &str) -> Answer {
        let folded = words::fold(question);
        let opening = OPENINGS.iter().find(|opening| folded.starts_with(**opening));
        let points = words::value_words(question).iter().any(|word| POINTERS.contains(&word.as_str()));
        if opening.is_none() && !points {
            return self.ask(question);
        }
        // The opening has as many letters folded as written: it is ASCII.
        let rest =
            question.trim_start().get(opening.map_or(0, |opening| opening.len())..).unwrap_or(question);
        let answered = match self.ask(rest) {
            Answer::Unique(answered) => answered,
            Answer::Ambiguous(_) => return self.refuse(unclear()),
            other => return other,
        };
        let mut used = Vec::new();
        if let Some(filter) = &answered.query.filter {
            filter.push_columns(&mut used);
        }
        let Some(context) = context(before, &used) else { return self.refuse(unclear()) };
        let query =
            Query { filter: Filter::both(answered.query.filter.clone(), Some(context)), ..answered.query };
        let mut frame = Frame { doubt: Doubt { notes: answered.notes, guesses: 0 }, ..Frame::default() };
        frame.doubt.notes.push("the conditions of the question before are taken over".to_owned());
        match self.answered(Reading { query, frame, penalty: CONTEXT_PENALTY }) {
            Some(mut found) => {
                found.confidence = found.confidence.min(answered.confidence).min(before.confidence);
                Answer::Unique(Box::new(found))
            }
            None => self.refuse(unclear()),
        }
    }
}

fn unclear() -> String {
    "What this question leans on cannot be told from the one before. Please ask it whole.".to_owned()
}

/// What the answer before was about: the one group that it found, else the rows that it spoke of. Conditions on columns
/// that the new question speaks of itself are replaced.
fn context(before: &Answered, used: &[usize]) -> Option<Filter> {
    let mut parts = Vec::new();
    match (before.query.groups.as_slice(), before.outcome.rows.as_slice()) {
        ([Key::Column(column)], [row]) if before.query.limit.is_some() => {
            let value = match row.first()? {
                Cell::Text(text) => Literal::Text(text.clone()),
                Cell::Number(number) => Literal::Number(*number),
                Cell::Boolean(value) => Literal::Boolean(*value),
                Cell::Missing => return None,
            };
            if used.contains(column) {
                return None;
            }
            parts.push(Filter::Compare { column: *column, comparison: Comparison::Equal, value });
            return Filter::all(parts);
        }
        ([], _) => {}
        _ => return None,
    }
    match before.query.filter.clone()? {
        Filter::And(filters) => parts.extend(filters),
        filter => parts.push(filter),
    }
    for part in &parts {
        // A condition on several columns is neither kept nor dropped for one of them.
        part.column()?;
    }
    parts.retain(|part| part.column().is_some_and(|column| !used.contains(&column)));
    Filter::all(parts)
}
