//! What is done to a query at its end: another number beside the first, what comes first, the order of the rows.

use super::frame::Frame;
use super::superlatives::begins_with_largest;
use crate::query::{Aggregate, Key, Order, Output, Query};
use crate::table::Table;

/// `loans and total fines per branch`: how many rows, beside what is made of their numbers.
pub(super) fn count_too(query: &mut Query, frame: &Frame) -> Option<()> {
    let Some(first) = frame.counts.too else { return Some(()) };
    let is_aggregate = |output: &Output| matches!(output, Output::Aggregate(_));
    let at = query.outputs.iter().position(is_aggregate).filter(|_| query.order.is_empty())?;
    let at = if first { at } else { query.outputs.len() };
    query.outputs.insert(at, Output::Aggregate(Aggregate::count()));
    Some(())
}

/// `when did the host last answer` asks for a time, which comes first.
pub(super) fn time_first(table: &Table, query: &mut Query) {
    let is_time =
        |output: &Output| matches!(output, Output::Column(column) if table.columns[*column].is_moment());
    if let Some(at) = query.outputs.iter().position(is_time).filter(|at| *at > 0) {
        query.outputs[..=at].rotate_right(1);
        for order in &mut query.order {
            order.output = if order.output == at { 0 } else { order.output + usize::from(order.output < at) };
        }
    }
}

/// The order that a question asks for. A column that is not listed is listed for it.
pub(super) fn put_in_order(table: &Table, query: &mut Query, frame: &mut Frame) -> Option<()> {
    if let Some((column, descending)) = frame.order.by {
        let sorts = |output: &Output| match output {
            Output::Column(other) => *other == column,
            Output::Key(key) => query.groups.get(*key) == Some(&Key::Column(column)),
            _ => false,
        };
        let output = match query.outputs.iter().position(sorts) {
            Some(output) => output,
            None if query.is_aggregate() => return None,
            None => {
                query.distinct = false;
                query.outputs.push(Output::Column(column));
                query.outputs.len() - 1
            }
        };
        query.order = vec![Order { output, descending }];
    } else if let Some(descending) = frame.order.listed {
        // `the three most requested paths, busiest first`: they are in that order.
        if frame.order.by_number
            && query.order.iter().all(|order| order.descending == descending)
            && !query.order.is_empty()
        {
            return Some(());
        }
        if query.outputs.is_empty() || !query.order.is_empty() {
            return None;
        }
        // `bookings per channel, busiest first`
        let of_groups = frame.order.by_number && query.is_aggregate() && query.outputs.len() > 1;
        let output = if of_groups { query.outputs.len() - 1 } else { 0 };
        let listed = if let Output::Column(column) = query.outputs[output] { Some(column) } else { None };
        let mut descending = descending;
        if let (Some(is_best), Some(column)) =
            (frame.order.best, query.measured().first().copied().or(listed))
        {
            let (is_largest, is_plain) = begins_with_largest(table, column, is_best);
            descending = is_largest;
            frame.doubt.guesses += if is_plain { 0 } else { 3 };
        }
        query.order = vec![Order { output, descending }];
    }
    Some(())
}
