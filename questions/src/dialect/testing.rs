//! Fragments for tests, cut without regard to tokens.

use std::sync::Arc;

use super::MapAnswer;
use super::evaluate::evaluate;
use crate::ingest::{DocumentId, Fragment, FragmentId, Record, Span};
use crate::query::Query;

/// The orders of assets/samples.
pub const ORDERS: &str = include_str!("../../../assets/samples/orders.log");

/// The service log of assets/samples.
pub const SERVICE: &str = include_str!("../../../assets/samples/service.log");

/// The shop's log of assets/samples: the users of the orders.
pub const SHOP: &str = include_str!("../../../assets/samples/shop.log");

/// One fragment of all the text's lines.
pub fn fragment(file: &str, text: &str) -> Fragment {
    fragments(file, text, usize::MAX).remove(0)
}

/// Fragments of at most so many lines.
pub fn fragments(file: &str, text: &str, lines_each: usize) -> Vec<Fragment> {
    let records: Vec<Record> = text
        .lines()
        .zip(1..)
        .filter(|(text, _)| !text.trim().is_empty())
        .map(|(text, line)| Record { line, text: text.into(), shown: None })
        .collect();
    of_records(file, &records, lines_each)
}

/// A table whose first line names the columns.
pub fn table(file: &str, text: &str) -> Fragment {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let records: Vec<Record> = lines
        .zip(2..)
        .map(|(text, line)| {
            let cells = names.iter().zip(text.split(',')).map(|(name, cell)| format!("{name}={cell}"));
            let shown = cells.collect::<Vec<_>>().join(", ");
            Record { line, text: text.into(), shown: Some(shown.into()) }
        })
        .collect();
    of_records(file, &records, usize::MAX).remove(0)
}

fn of_records(file: &str, records: &[Record], lines_each: usize) -> Vec<Fragment> {
    let file: Arc<str> = file.into();
    let chunks = records.chunks(lines_each.min(records.len().max(1)));
    chunks
        .zip(0..)
        .map(|(records, id)| {
            let text: String = records.iter().flat_map(|record| [&*record.text, "\n"]).collect();
            Fragment {
                id: FragmentId(id),
                document: DocumentId(0),
                file: Arc::clone(&file),
                span: Span {
                    lines: records[0].line..=records[records.len() - 1].line,
                    bytes: 0..text.len(),
                    sha256: format!("{id:064x}"),
                },
                text: text.into(),
                records: records.to_vec().into(),
                transcript: None,
            }
        })
        .collect()
}

/// What an honest provider says of a fragment whose records are pairs of `name=value`.
pub fn right_answer(query: &Query, fragment: &Fragment) -> MapAnswer {
    let copied = |record: &Record, field: &str| {
        let pairs = record.text.split_whitespace().filter_map(|word| word.split_once('='));
        pairs.into_iter().find(|(name, _)| *name == field).map(|(_, value)| value.to_owned())
    };
    let matches =
        fragment.records.iter().filter_map(|record| evaluate(query, record, |field| copied(record, field)));
    MapAnswer::Records { matches: matches.collect() }
}
