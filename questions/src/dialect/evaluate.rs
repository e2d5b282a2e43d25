//! Code's part of a subtask: conditions are evaluated here, whatever a model claims.

use super::compare::holds;
use super::{MapAnswer, RecordMatch};
use crate::ingest::{Fragment, Record};
use crate::query::Query;

/// The field that stands for the whole record.
const LINE: &str = "line";

/// Whether a model must copy fields from the records before code can evaluate the query.
pub fn needs_model(query: &Query) -> bool {
    !query.fields().is_empty()
}

/// Answers a query that asks about whole lines only. For other queries every named field counts as
/// absent: check [`needs_model`] first.
pub fn evaluate_without_model(query: &Query, fragment: &Fragment) -> MapAnswer {
    let matches = fragment.records.iter().filter_map(|record| evaluate(query, record, |_| None)).collect();
    MapAnswer::Records { matches }
}

/// Evaluates a query on one record, given the fields copied from it.
///
/// A field that the record does not have satisfies no condition, not even "is not".
pub fn evaluate(
    query: &Query,
    record: &Record,
    copied: impl Fn(&str) -> Option<String>,
) -> Option<RecordMatch> {
    let value_of = |field: &str| if field == LINE { Some(record.text.to_string()) } else { copied(field) };
    let all_hold = query
        .conditions
        .iter()
        .all(|condition| value_of(&condition.field).is_some_and(|actual| holds(condition, &actual)));
    all_hold.then(|| RecordMatch {
        line: record.line,
        quote: record.text.to_string(),
        value: query.measure.as_deref().and_then(value_of),
        reported: query.report.as_deref().and_then(value_of),
    })
}

/// Whether the conditions on whole lines hold; needs no model.
pub(super) fn line_conditions_hold(query: &Query, record: &Record) -> bool {
    let mut on_line = query.conditions.iter().filter(|condition| condition.field == LINE);
    on_line.all(|condition| holds(condition, &record.text))
}
