//! The phrases that results are put into.

use super::Coverage;
use crate::ingest::files;
use crate::query::{Comparison, Query};

/// Values or lines that a sentence names; more are counted.
pub const MOST_NAMED: usize = 60;

/// `1 record matches`, `24 records match`.
pub fn matching(count: usize) -> String {
    if count == 1 { "1 record matches".to_owned() } else { format!("{count} records match") }
}

/// `1 record`, `24 records`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `status = failed, amount > 100`; empty for a query without conditions.
pub fn conditions(query: &Query) -> String {
    let phrases: Vec<String> = query
        .conditions
        .iter()
        .map(|condition| match condition.comparison {
            Comparison::Contains => format!("{} contains “{}”", condition.field, condition.value),
            comparison => format!("{} {} {}", condition.field, comparison.symbol(), condition.value),
        })
        .collect();
    phrases.join(", ")
}

/// ` (status = failed)`, or nothing.
pub fn in_brackets(query: &Query) -> String {
    let conditions = conditions(query);
    if conditions.is_empty() { conditions } else { format!(" ({conditions})") }
}

/// `, where status = failed`, or nothing.
pub fn where_clause(query: &Query) -> String {
    let conditions = conditions(query);
    if conditions.is_empty() { conditions } else { format!(", where {conditions}") }
}

/// The sentence's end: a full stop, or what is missing.
pub fn ending(coverage: Coverage) -> String {
    let (missing, total) = (coverage.missing(), coverage.total);
    let are = if missing == 1 { "is" } else { "are" };
    let parts = (missing > 0).then(|| format!("{missing} of {total} parts {are} missing"));
    let unread = files(coverage.unread).map(|files| format!("{files} could not be read"));
    let lacks: Vec<String> = parts.into_iter().chain(unread).collect();
    if lacks.is_empty() { ".".to_owned() } else { format!(": {}.", lacks.join(", and ")) }
}

/// `a`, `a and b`, `a, b and c`, `a, b and 7 more`.
pub fn enumeration(items: &[String]) -> String {
    let (named, more) = items.split_at(items.len().min(MOST_NAMED));
    match (named, more.len()) {
        (named, more) if more > 0 => format!("{} and {more} more", named.join(", ")),
        ([most @ .., last], _) if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        (named, _) => named.concat(),
    }
}
