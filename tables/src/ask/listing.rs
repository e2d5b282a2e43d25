//! Questions that list: columns of the rows that match, or lines of the file.

use rust_decimal::Decimal;

use super::frame::Frame;
use super::lexicon::Word;
use super::readings::names_rows;
use super::superlatives;
use crate::query::{Aggregate, Comparison, Filter, Having, Key, Limit, Output, Query, Source};
use crate::table::Table;

/// Most rows of a list.
pub(super) const MAX_LISTED: u32 = 1_000;

/// The values of a column that stand in so many rows, such as more than one.
pub(super) fn groups_that_have(
    table: &Table,
    filter: Option<Filter>,
    column: usize,
    comparison: Comparison,
    value: Decimal,
) -> Query {
    // Missing cells are no value that anybody asks for.
    let there = (table.columns[column].missing > 0).then(|| Filter::Not(Box::new(Filter::Missing(column))));
    Query {
        filter: Filter::both(filter, there),
        groups: vec![Key::Column(column)],
        outputs: vec![Output::Key(0), Output::Aggregate(Aggregate::count())],
        having: vec![Having { aggregate: Aggregate::count(), comparison, value }],
        ..Query::default()
    }
}

pub(super) fn lines(frame: &Frame, filter: Option<Filter>) -> Option<Query> {
    let plain = frame.named.columns.is_empty()
        && frame.named.asked.is_empty()
        && frame.parted.by.is_empty()
        && frame.measure.function.is_none()
        && frame.rank.extreme.is_none()
        && frame.rank.most.is_none()
        && !frame.share
        && !frame.distinct
        && !frame.rows.people;
    if !plain {
        return None;
    }
    let source = Source::Lines;
    if frame.asks.contains(&Word::Count) || frame.asks.contains(&Word::Exists) {
        return Some(Query { source, ..Query::number(Aggregate::count(), filter) });
    }
    filter.as_ref()?;
    Some(Query {
        source,
        filter,
        outputs: vec![Output::Line],
        limit: Some(Limit { count: MAX_LISTED, with_ties: false }),
        ..Query::default()
    })
}

/// Columns of the rows that match.
pub(super) fn listed(table: &Table, frame: &mut Frame, filter: Option<Filter>) -> Option<Query> {
    // `which titles were lent out`: the titles are asked for, and not when.
    if let ([asked], [time], false, true) = (
        frame.named.asked.as_slice(),
        frame.named.columns.as_slice(),
        frame.asks.contains(&Word::When),
        frame.asks.contains(&Word::Which) && filter.is_some(),
    ) && table.columns[*asked].is_text()
        && table.columns[*time].is_moment()
    {
        frame.named.columns.clear();
        frame.doubt.guesses += 3;
    }
    let mut columns: Vec<usize> = frame.named.asked.drain(..).chain(frame.named.columns.drain(..)).collect();
    if !frame.parted.by.is_empty() || frame.parted.unit.is_some() {
        return None;
    }
    let asks = frame.asks.clone();
    if let Some((comparison, value)) = frame.parted.having.take() {
        let [column] = columns.as_slice() else { return None };
        // What stands in one row only is there once.
        if names_rows(table, *column) {
            return None;
        }
        return Some(groups_that_have(table, filter, *column, comparison, value));
    }
    // `who is Ada's manager`: of Ada, her name is not asked for.
    let is_named = |column: usize| filter.as_ref().is_some_and(|filter| filter.column() == Some(column));
    if asks.contains(&Word::Who)
        && !(columns.len() == 1
            && table.person_column().is_some_and(|person| person != columns[0] && is_named(person)))
    {
        columns.splice(0..0, table.who_columns(frame)?);
    } else if asks.contains(&Word::When) && !columns.iter().any(|column| table.columns[*column].is_moment()) {
        columns.insert(0, table.moment_or_first(&mut frame.doubt)?);
    }
    columns.dedup();
    let limit = Some(Limit { count: MAX_LISTED, with_ties: false });
    if let (true, Some(hint)) = (columns.is_empty(), frame.wanted.how) {
        columns.push(superlatives::hinted(table, frame, hint)?);
    }
    if frame.named.with_count {
        return None;
    }
    // `how long did it serve` asks for a number, whatever column has `serve` in its name.
    if frame.wanted.how.is_some() && columns.iter().any(|column| !table.columns[*column].is_numeric()) {
        return None;
    }
    if columns.is_empty() {
        if !frame.rows.records || asks.is_empty() || filter.is_none() {
            return None;
        }
        let outputs = (0..table.columns.len()).map(Output::Column).collect();
        return Some(Query { filter, outputs, limit, ..Query::default() });
    }
    if asks.is_empty() {
        return None;
    }
    let distinct = columns.len() == 1 && (filter.is_none() || frame.distinct || !frame.rows.records);
    let outputs = columns.into_iter().map(Output::Column).collect();
    Some(Query { filter, outputs, limit, distinct, ..Query::default() })
}
