//! Gold tasks: subtasks whose answer code can compute from the user's own documents.
//!
//! A gold task *is* one of the run's subtasks, drawn in secret. So it is the same job on the wire, at
//! the same moment, to as many providers, and costs what the subtask costs. Code needs every field that
//! the query names, exactly once in every record of the fragment. If it cannot read one of them, the
//! subtask cannot be a gold task.

use frlm_questions::dialect::{MapAnswer, copied_from, evaluate};
use frlm_questions::ingest::{Fragment, Record};
use frlm_questions::query::Query;
use frlm_questions::question::fields_of;

/// The answer of a fragment, if code can compute it.
pub(super) fn answer_by_code(query: &Query, fragment: &Fragment) -> Option<MapAnswer> {
    let fields = query.fields();
    if fields.is_empty() {
        return None;
    }
    let mut matches = Vec::new();
    for record in &fragment.unread().records {
        let values = fields.iter().map(|field| value(record, field)).collect::<Option<Vec<String>>>()?;
        let copied = |field: &str| {
            let at = fields.iter().position(|name| *name == field)?;
            values.get(at).cloned()
        };
        matches.extend(evaluate(query, record, copied));
    }
    Some(MapAnswer::Records { matches })
}

/// A field's value as it stands in the record; `None` unless the record names it exactly once.
fn value(record: &Record, field: &str) -> Option<String> {
    let text = record.prompt_text();
    let named = text.match_indices(field).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + field.len()..].trim_start_matches('"').trim_start();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '.')
            && after.starts_with(['=', ':'])
    });
    if named.count() != 1 {
        return None;
    }
    let (_, value) = fields_of(record).into_iter().find(|(name, _)| name == field)?;
    copied_from(record, &value)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use frlm_questions::ingest::{self, Document, SplitOptions};
    use frlm_questions::question::{field_hints, parse};

    use super::*;

    fn answered(name: &str, text: &str, question: &str) -> Option<usize> {
        let document = Document::of_text(name, text);
        let fragments = ingest::split(&[document], SplitOptions { max_tokens: 4_000, max_records: 64 });
        let query = parse(question, &field_hints(&fragments)).unwrap();
        match answer_by_code(&query, &fragments[0])? {
            MapAnswer::Records { matches } => Some(matches.len()),
            MapAnswer::Words { .. } | MapAnswer::Claims { .. } => None,
        }
    }

    const QUESTION: &str = "How many orders have status failed?";

    #[test]
    fn code_reads_pairs_tables_and_objects_that_name_a_field_once_per_record() {
        let pairs = "order=1 status=failed\norder=2 status=shipped\norder=3 status=failed\n";
        assert_eq!(answered("orders.log", pairs, QUESTION), Some(2));
        let table = "order,status\n1,failed\n2,shipped\n3,shipped\n";
        assert_eq!(answered("orders.csv", table, QUESTION), Some(1));
        let objects = "{\"order\":1,\"status\":\"failed\"}\n{\"order\":2,\"status\":\"shipped\"}\n";
        assert_eq!(answered("orders.jsonl", objects, QUESTION), Some(1));
    }

    #[test]
    fn where_a_record_leaves_doubt_there_is_no_gold() {
        let missing = "order=1 status=failed\norder=2 lost\norder=3 status=failed\n";
        assert_eq!(answered("orders.log", missing, QUESTION), None);
        let twice = "order=1 status=failed\norder=2 status=shipped status=failed\norder=3 status=failed\n";
        assert_eq!(answered("orders.log", twice, QUESTION), None);
        let other = "order=1 status=failed\norder=2 status=failed old_status=shipped\norder=3 status=x\n";
        assert_eq!(answered("orders.log", other, QUESTION), Some(2), "another field's name is no doubt");
    }
}
