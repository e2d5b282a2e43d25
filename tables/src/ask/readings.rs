//! A frame → a query. What cannot be meant in one way only is no reading.

use super::conditions::{self, Conditions};
use super::elliptic::elliptic;
use super::ending::{count_too, put_in_order, time_first};
use super::fitting::is_part_of_total;
use super::frame::Frame;
use super::lexicon::{Hint, Word};
use super::listing::{lines, listed};
use super::shares::share;
use super::{loose, ranking, superlatives};
use crate::column::Kind;
use crate::query::{Aggregate, Bucket, Filter, Function, Key, Literal, Output, Query, Source};
use crate::read::Format;
use crate::table::Table;
use crate::{vocabulary, words};

/// The query of a frame, or why there is none.
#[expect(clippy::too_many_lines, reason = "one form of a query after another")]
pub(super) fn query(table: &Table, frame: &mut Frame) -> Option<Query> {
    if frame.conditions.is_open() || frame.parted.each {
        return None;
    }
    let filter = Conditions::joined(frame.conditions.parts())?;
    if frame.rows.lines {
        if is_about_lines(frame) {
            return lines(frame, filter);
        }
        // `lines with status failed`: the records, where each has a line of its own.
        if !has_a_line_each(table.format()) {
            return None;
        }
    }
    settle(table, frame, filter.as_ref())?;
    let count = frame.asks.contains(&Word::Count);
    let names_nothing = |ask: &Word| matches!(ask, Word::List | Word::Which | Word::Top | Word::Sorted);
    let mut asks: Vec<Word> = frame.asks.iter().copied().filter(|ask| !names_nothing(ask)).collect();
    // `how many have a goal percentage over 50`: no share is asked for.
    if count && frame.share {
        return None;
    }
    // `how many are there` asks once.
    if asks.len() > 1 {
        asks.retain(|ask| *ask != Word::Exists);
    }
    if asks.len() > 1 {
        return None;
    }
    if frame.wanted.place && !frame.named.asked.iter().any(|column| table.columns[*column].is_text()) {
        frame.named.columns.append(&mut frame.named.asked);
        frame.named.asked.push(table.place_column()?);
    }
    if asks_for_sums_of_groups(table, frame, filter.as_ref()) {
        return None;
    }
    add_up(table, frame);
    let adds_up = count && frame.measure.function.is_some() && names_one_amount(table, frame);
    let mut query = if let Some(is_signed) = frame.apart.difference {
        difference(table, frame, is_signed)?
    } else if !frame.measure.earlier.is_empty() {
        several(table, frame, filter)?
    } else if frame.share {
        share(table, frame)?
    } else if frame.rank.extreme.is_some() || frame.rank.most.is_some() || frame.rank.top.is_some() {
        ranking::ranked(table, frame, filter, count)?
    } else if count && !adds_up {
        counted(table, frame, filter)?
    } else if let Some(function) = frame.measure.function.clone() {
        let column = measure(table, frame)?;
        // `how many visitors per day on average`: of each day's rows, or of all days' sums?
        frame.doubt.guesses += if adds_up && !frame.parted.by.is_empty() { 4 } else { 0 };
        grouped(table, frame, Aggregate::of(function, column), filter)?
    } else if frame.asks.contains(&Word::HowMuch) {
        let column = measure(table, frame)?;
        frame.doubt.guesses += 1;
        grouped(table, frame, Aggregate::of(Function::Sum, column), filter)?
    } else if asks.is_empty()
        && frame.asks.is_empty()
        && !frame.rows.records
        && filter.is_some()
        && !frame.parted.by.is_empty()
        && frame.named.columns.is_empty()
        && frame.named.asked.is_empty()
    {
        // `errors per service`: how many rows say so.
        frame.doubt.guesses += 4;
        counted(table, frame, filter)?
    } else if asks.is_empty()
        && frame.rows.records
        && (!frame.parted.by.is_empty())
        && frame.named.columns.is_empty()
        && frame.named.asked.is_empty()
    {
        // `orders by status` counts them; `donations per month in total` may be what they brought.
        frame.doubt.guesses += if frame.measure.in_total { 4 } else { 1 };
        match likely_amount(table).filter(|_| frame.measure.in_total) {
            Some(amount) => grouped(table, frame, Aggregate::of(Function::Sum, amount), filter)?,
            None => counted(table, frame, filter)?,
        }
    } else if frame.asks.contains(&Word::Exists) {
        // `on which days was there`: no count.
        if frame.parted.unit.is_some()
            || !frame.named.columns.is_empty()
            || !frame.named.asked.is_empty()
            || filter.is_none()
        {
            return None;
        }
        Query::number(Aggregate::count(), filter)
    } else if frame.asks.is_empty() {
        elliptic(table, frame, filter)?
    } else if frame.wanted.how == Some(Hint::Distance) && filter.is_some() {
        // `how far did I run in May`
        let column = measure(table, frame)?;
        frame.doubt.guesses += 3;
        grouped(table, frame, Aggregate::of(Function::Sum, column), filter)?
    } else if frame.wanted.did && names_one_amount(table, frame) {
        // `what did we spend in May`
        let column = measure(table, frame)?;
        grouped(table, frame, Aggregate::of(Function::Sum, column), filter)?
    } else {
        listed(table, frame, filter)?
    };
    // `different` must have made a difference.
    if frame.distinct && !tells_apart(&query) {
        return None;
    }
    query.source = Source::Records;
    count_too(&mut query, frame)?;
    if frame.asks.contains(&Word::When) {
        time_first(table, &mut query);
    }
    put_in_order(table, &mut query, frame)?;
    Some(query)
}

/// `which owners owe more than £200 altogether`: of all rows of each together, which the looser reading adds up.
fn asks_for_sums_of_groups(table: &Table, frame: &Frame, filter: Option<&Filter>) -> bool {
    let compares = |filter: &Filter| matches!(filter, Filter::Compare { column, value: Literal::Number(_), .. } if is_amount(table, *column));
    let has_amount = match filter {
        Some(Filter::And(parts)) => parts.iter().any(compares),
        Some(other) => compares(other),
        None => false,
    };
    let is_group = matches!(frame.named.asked.as_slice(), [column]
        if table.columns[*column].is_text() && !names_rows(table, *column));
    frame.measure.in_total
        && frame.measure.function.is_none()
        && frame.asks.iter().all(|ask| matches!(ask, Word::Which | Word::List))
        && is_group
        && has_amount
}

/// `in total` adds up what is asked for, if it is an amount.
fn add_up(table: &Table, frame: &mut Frame) {
    // `which field brought the largest harvest in total`
    if frame.measure.in_total
        && frame.measure.function.is_none()
        && matches!(frame.rank.extreme, Some((_, Hint::None)))
        && matches!(frame.named.asked.as_slice(), [column] if table.columns[*column].is_text())
    {
        frame.measure.function = Some(Function::Sum);
    }
    if frame.measure.in_total
        && frame.measure.function.is_none()
        && frame.rank.extreme.is_none()
        && frame.rank.most.is_none()
    {
        // `how high is the open amount in total` adds; `how many orders in total` counts.
        let adds = !frame.share && (frame.asks.contains(&Word::HowMuch) || names_one_amount(table, frame));
        frame.measure.function = adds.then_some(Function::Sum);
    }
}

/// Gives a place to what only the whole question explains.
fn settle(table: &Table, frame: &mut Frame, filter: Option<&Filter>) -> Option<()> {
    // `hired in Sales in 2020`: a moment's column that a condition has taken.
    let mut filtered = Vec::new();
    if let Some(filter) = filter {
        filter.push_columns(&mut filtered);
    }
    let tells_time =
        |column: usize| table.columns[column].is_moment() || table.columns[column].kind == Kind::Time;
    frame.named.columns.retain(|column| !tells_time(*column) || !filtered.contains(column));
    if frame.named.with_count {
        // `the regions and the number of orders per region`
        let asked = std::mem::take(&mut frame.named.asked);
        let [column] = asked[..] else { return None };
        if frame.parted.by.is_empty() {
            frame.parted.by.push(Key::Column(column));
        }
        if frame.parted.by != [Key::Column(column)]
            || !frame.named.columns.is_empty()
            || frame.rank.extreme.is_some()
        {
            return None;
        }
        frame.asks.push(Word::Count);
        frame.distinct = false;
    }
    Some(())
}

/// Whether a query shows or counts each value once.
fn tells_apart(query: &Query) -> bool {
    query.distinct
        || !query.groups.is_empty()
        || query.outputs.iter().any(|output| {
            matches!(output, Output::Aggregate(aggregate) if aggregate.function == Function::CountDistinct)
        })
}

/// Several numbers of the same rows: `the total stock and the average price`.
pub(super) fn several(table: &Table, frame: &mut Frame, filter: Option<Filter>) -> Option<Query> {
    if frame.rank.most.is_some()
        || frame.rank.top.is_some()
        || frame.share
        || frame.asks.contains(&Word::Count)
    {
        return None;
    }
    let last = match (frame.measure.function.clone(), frame.rank.extreme.take()) {
        (Some(function), None) => function,
        (None, Some((largest, _))) => {
            if largest {
                Function::Max
            } else {
                Function::Min
            }
        }
        _ => return None,
    };
    let column = measure(table, frame)?;
    let mut query = grouped(table, frame, Aggregate::of(last, column), filter)?;
    let at = query.outputs.len() - 1;
    let mut behind = column;
    let mut earlier: Vec<Output> = Vec::new();
    for (function, own) in frame.measure.earlier.iter().rev() {
        behind = own.unwrap_or(behind);
        if !table.columns[behind].is_numeric() || table.columns[behind].currency_column.is_some() {
            return None;
        }
        earlier.insert(0, Output::Aggregate(Aggregate::of(function.clone(), behind)));
    }
    query.outputs.splice(at..at, earlier);
    Some(query)
}

/// One number of two groups of rows: how much more the first has than the second, or how far they are apart.
pub(super) fn difference(table: &Table, frame: &mut Frame, is_signed: bool) -> Option<Query> {
    if !frame.parted.by.is_empty() || frame.rank.extreme.is_some() || frame.rank.most.is_some() || frame.share
    {
        return None;
    }
    // `how much more did Ada sell than Bob`; `how much more than Bob did Ada sell` has them the other way round.
    let count = frame.conditions.parts().len();
    if is_signed
        && !frame.apart.conditions_before_than.is_some_and(|before| before >= 1 && before + 1 == count)
    {
        return None;
    }
    let mut filters: Vec<Filter> = frame.conditions.parts().iter().map(|part| part.filter.clone()).collect();
    let pair =
        filters.iter().position(|filter| matches!(filter, Filter::In { values, .. } if values.len() == 2));
    let (first, second) = if let Some(at) = pair {
        let Filter::In { column, values } = filters.remove(at) else { return None };
        let of = |value: &Literal| Filter::In { column, values: vec![value.clone()] };
        (of(&values[0]), of(&values[1]))
    } else {
        let last = filters.pop()?;
        let at = filters
            .iter()
            .rposition(|filter| filter.column().is_some() && filter.column() == last.column())?;
        (filters.remove(at), last)
    };
    let (function, column) = match (frame.measure.function.clone(), frame.asks.contains(&Word::Count)) {
        (None, true) if named_numbers(table, frame).is_empty() => (Function::Count, None),
        (function, false) => (function.unwrap_or(Function::Sum), Some(measure(table, frame)?)),
        _ => return None,
    };
    let of = |only: Filter| Aggregate { function: function.clone(), column, only: Some(only) };
    let output = Output::Difference { of: of(first), less: of(second), is_signed };
    let mut named =
        frame.named.columns.iter().chain(&frame.named.asked).filter(|column| !names_rows(table, **column));
    let rest = named.clone().count();
    // `between free and pro customers`
    frame.doubt.guesses += if rest > 0 { 3 } else { 0 };
    let named = rest > 1 || named.any(|column| !table.columns[*column].is_text());
    let mixes = column.is_some_and(|column| table.columns[column].currency_column.is_some());
    // What is compared is told by the order of the words alone, and unless it is said, a sum may not be meant.
    let is_said = frame.measure.function.is_some() || frame.asks.contains(&Word::Count) || is_signed;
    frame.doubt.guesses += if is_said { 1 } else { 3 };
    (!named && !mixes).then(|| Query {
        filter: Filter::all(filters),
        outputs: vec![output],
        ..Query::default()
    })
}

/// Whether every condition is one on the text of a line.
pub(super) fn is_about_lines(frame: &Frame) -> bool {
    frame.conditions.parts().iter().all(|part| {
        matches!(&part.filter, Filter::Line { .. })
            || matches!(&part.filter, Filter::Not(inner) if matches!(**inner, Filter::Line { .. }))
    })
}

/// Whether a record is a line, and a line a record.
fn has_a_line_each(format: Format) -> bool {
    matches!(format, Format::JsonLines | Format::KeyValues | Format::AccessLog | Format::Syslog)
}

/// `how many units in total`: one column of amounts is named, and no other.
fn names_one_amount(table: &Table, frame: &Frame) -> bool {
    let mut named: Vec<usize> = frame.named.columns.iter().chain(&frame.named.asked).copied().collect();
    // `how many kids go on trips in total`: a trip is a record.
    named.retain(|column| !names_rows(table, *column));
    matches!(named.as_slice(), [column] if is_amount(table, *column))
}

/// Whether a column's numbers are amounts, and no names.
pub(super) fn is_amount(table: &Table, column: usize) -> bool {
    table.columns[column].is_numeric() && !table.holds_codes(column)
}

/// Columns of numbers that the question names.
pub(super) fn named_numbers(table: &Table, frame: &Frame) -> Vec<usize> {
    let named = frame.named.columns.iter().chain(&frame.named.asked).copied();
    let mut numbers: Vec<usize> = named.filter(|column| table.columns[*column].is_numeric()).collect();
    let mut seen = Vec::new();
    // `pay in salaries` names one column twice.
    numbers.retain(|column| {
        !seen.contains(column) && {
            seen.push(*column);
            true
        }
    });
    numbers
}

/// The column that is measured: the one that was named, or the only one it can be.
fn measure(table: &Table, frame: &mut Frame) -> Option<usize> {
    let named = named_numbers(table, frame);
    // `the sum of all transactions` adds no transaction's number where there are amounts.
    if let [column] = named.as_slice()
        && !is_amount(table, *column)
        && !table.measures().is_empty()
    {
        let column = *column;
        frame.named.columns.retain(|other| *other != column);
        frame.named.asked.retain(|other| *other != column);
        frame.doubt.guesses += 3;
        return match table.measures().as_slice() {
            [amount] => Some(*amount),
            _ => None,
        };
    }
    if let [column] = named.as_slice() {
        frame.named.columns.retain(|other| other != column);
        frame.named.asked.retain(|other| other != column);
        return Some(*column);
    }
    if !named.is_empty() {
        return None;
    }
    if let Some(hint) = frame.wanted.how {
        return superlatives::hinted(table, frame, hint);
    }
    if let [column] = frame.measure.by_verb.as_slice() {
        frame.doubt.guesses += 1;
        return Some(*column);
    }
    frame.doubt.guesses += 3;
    likely_amount(table)
}

/// What amounts are asked of, if none is named: money, and no price of a single piece.
pub(super) fn likely_amount(table: &Table) -> Option<usize> {
    let mut money: Vec<usize> =
        (0..table.columns.len()).filter(|column| conditions::is_money(&table.columns[*column])).collect();
    if money.len() > 1 {
        money.retain(|column| !vocabulary::names_unit_price(&words::parts(&table.columns[*column].name)));
    }
    if money.len() > 1 {
        money.retain(|column| !is_part_of_total(&table.columns[*column]));
    }
    match (money.as_slice(), table.measures().as_slice()) {
        ([column], _) | (_, [column]) => Some(*column),
        _ => None,
    }
}

/// An aggregate of all rows, or of each group. Every column that was named must have a place.
pub(super) fn grouped(
    table: &Table,
    frame: &mut Frame,
    aggregate: Aggregate,
    filter: Option<Filter>,
) -> Option<Query> {
    let mut groups = frame.parted.by.clone();
    if frame.parted.unit.is_some() && groups.is_empty() {
        return None;
    }
    // `which department: average salary` names what to group by; a name of the records themselves names nothing.
    for column in frame.named.columns.clone().into_iter().chain(frame.named.asked.clone()) {
        if names_rows(table, column) && !frame.named.asked.contains(&column) {
            continue;
        }
        // `the average pulse of the patient in bed B2`: whose it is, the condition says.
        if !frame.wanted.what || filter.is_none() || !table.columns[column].is_text() || !groups.is_empty() {
            return None;
        }
        frame.doubt.guesses += 4;
        frame.doubt.notes.push(format!("not parted by {}", table.column_name(column)));
    }
    if let Some(currency) = aggregate.column.and_then(|column| table.columns[column].currency_column) {
        let fixed = filter.as_ref().is_some_and(|filter| {
            let mut columns = Vec::new();
            filter.push_columns(&mut columns);
            columns.contains(&currency)
        });
        if !fixed && !groups.contains(&Key::Column(currency)) {
            groups.push(Key::Column(currency));
        }
    }
    // `the average gift for each way of paying` is not that of each amount.
    let is_of_itself = |key: &Key| matches!(key, Key::Column(column) if Some(*column) == aggregate.column);
    if frame.parted.having.is_some() || groups.iter().any(is_of_itself) {
        return None;
    }
    // `the average per day`, where each row is a day: of all days, or of each?
    if let ([Key::Bucket(time, Bucket::Day)], Function::Average) = (groups.as_slice(), &aggregate.function)
        && table.is_unique(*time)
    {
        frame.doubt.guesses += 3;
    }
    let mut outputs: Vec<Output> = (0..groups.len()).map(Output::Key).collect();
    outputs.push(Output::Aggregate(aggregate));
    Some(Query { filter, groups, outputs, ..Query::default() })
}

/// Whether a column has another value in each row, so that its name is one of the rows.
pub(super) fn names_rows(table: &Table, column: usize) -> bool {
    let described = &table.columns[column];
    described.is_text() && described.missing == 0 && table.values().distinct[column] as u64 == table.rows
}

#[expect(clippy::too_many_lines, reason = "one thing that may be counted after another")]
pub(super) fn counted(table: &Table, frame: &mut Frame, filter: Option<Filter>) -> Option<Query> {
    if frame.measure.function.is_some() {
        return None;
    }
    let named: Vec<usize> = frame.named.asked.iter().chain(&frame.named.columns).copied().collect();
    // `how many are enrolled` beside a column `enrollment`: of which the sum may be meant.
    if !frame.measure.by_verb.is_empty() {
        frame.doubt.guesses += 3;
    }
    // `how many authors were borrowed`: all were, at some time.
    let (times, others): (Vec<usize>, Vec<usize>) =
        named.iter().partition(|column| table.columns[**column].is_moment());
    let named = if let ([_, ..], [_]) = (times.as_slice(), others.as_slice()) {
        frame.doubt.guesses += 3;
        others
    } else {
        named
    };
    let aggregate = match named.as_slice() {
        // `how many times was Waterford the opposition`, `was I paid in cash`, `how many of the rents were never paid`
        [_] if frame.counts.times || frame.counts.part && filter.is_some() => {
            frame.doubt.guesses += 3;
            Aggregate::count()
        }
        [] if frame.distinct => return None,
        // `how many coffees were sold`: rows, or pieces? Where nobody speaks of rows, pieces.
        [] if frame.counts.pieces && !frame.rows.records && table.quantity_column().is_some() => {
            frame.doubt.guesses += 3;
            Aggregate::of(Function::Sum, table.quantity_column()?)
        }
        [] => {
            if frame.rows.people && !frame.rows.records {
                // People are the rows only if each row is another person. A column may count them.
                match table.person_column().or_else(|| loose::heads(table))? {
                    column if table.columns[column].is_numeric() => {
                        frame.doubt.guesses += 3;
                        Aggregate::of(Function::Sum, column)
                    }
                    column if names_rows(table, column) => Aggregate::count(),
                    column => {
                        frame.doubt.notes.push("each person is counted once".to_owned());
                        frame.doubt.guesses += 3;
                        Aggregate::of(Function::CountDistinct, column)
                    }
                }
            } else {
                Aggregate::count()
            }
        }
        [column] => {
            let described = &table.columns[*column];
            let mut compared = Vec::new();
            if let Some(filter) = &filter {
                filter.push_columns(&mut compared);
            }
            if described.is_numeric() && compared.contains(column) && frame.counts.column != Some(*column) {
                // `in how many cases did they wait over an hour for a reply` adds up no waits.
                frame.doubt.guesses += 3;
                Aggregate::count()
            } else if (described.is_moment() || described.kind == Kind::Time)
                && frame.counts.column == Some(*column)
                && !frame.distinct
            {
                // `how many departures`: each, and not each time of day once.
                frame.doubt.guesses += 3;
                Aggregate::count()
            } else if described.is_moment() && frame.distinct && frame.rows.people {
                // `how many different people opened one` counts no days.
                return None;
            } else if described.is_moment() && (frame.rows.records || frame.rows.people) && !frame.distinct {
                // `how many employees were hired in each year` counts employees, not days.
                frame.doubt.guesses += 1;
                Aggregate::count()
            } else if described.is_numeric()
                && vocabulary::names_quantity(&words::parts(&described.name))
                && !frame.distinct
            {
                frame.doubt.guesses += 3;
                Aggregate::of(Function::Sum, *column)
            } else if described.is_numeric() && !frame.distinct && !table.holds_codes(*column) {
                // `how many bytes were sent`: all of them, or how many different ones?
                frame.doubt.guesses += 3;
                Aggregate::of(Function::Sum, *column)
            } else if (frame.rows.records || frame.counts.records) && !frame.distinct {
                // `the number of users that had a failed request`
                if filter.is_some() && frame.counts.records {
                    // `how many tickets came from customers in Germany`
                    frame.doubt.guesses += 3;
                    frame.named.columns.clear();
                    frame.named.asked.clear();
                    return grouped(table, frame, Aggregate::count(), filter);
                }
                if filter.is_none() || described.is_numeric() {
                    return None;
                }
                frame.doubt.guesses += 3;
                Aggregate::of(Function::CountDistinct, *column)
            } else {
                // `how many guests arrived in March`: each guest once, or each arrival?
                let is_timed = filter.as_ref().is_some_and(|filter| {
                    let mut columns = Vec::new();
                    filter.push_columns(&mut columns);
                    columns.iter().any(|column| table.columns[*column].is_moment())
                });
                // `how many penalties altogether` of a column of texts: a sum may be meant.
                if frame.measure.in_total {
                    frame.doubt.guesses += 3;
                }
                if is_timed && !frame.distinct && !names_rows(table, *column) && !table.is_unique(*column) {
                    frame.doubt.notes.push(format!("each {} is counted once", described.name));
                    frame.doubt.guesses += 3;
                }
                Aggregate::of(Function::CountDistinct, *column)
            }
        }
        _ => return None,
    };
    frame.named.columns.clear();
    frame.named.asked.clear();
    grouped(table, frame, aggregate, filter)
}
