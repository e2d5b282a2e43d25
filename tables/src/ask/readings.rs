//! A frame → a query. What cannot be meant in one way only is no reading.

use jiff::civil::DateTime;

use super::conditions::{self, Conditions};
use super::frame::Frame;
use super::lexicon::{Hint, Word};
use crate::column::{Column, Kind};
use crate::query::{Aggregate, Filter, Function, Having, Key, Limit, Order, Output, Query, Source};
use crate::read::Format;
use crate::table::Table;
use crate::{vocabulary, words};

/// Most rows of a list.
const MAX_LISTED: u32 = 1_000;

impl Table {
    /// The only column of moments.
    pub(super) fn moment_column(&self) -> Option<usize> {
        let mut found =
            self.columns.iter().enumerate().filter(|(_, column)| column.is_moment()).map(|(index, _)| index);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Columns of numbers that are amounts, not names.
    pub(super) fn measures(&self) -> Vec<usize> {
        let is_measure =
            |column: &Column| column.is_numeric() && !vocabulary::names_codes(&words::parts(&column.name));
        self.columns
            .iter()
            .enumerate()
            .filter(|(_, column)| is_measure(column))
            .map(|(index, _)| index)
            .collect()
    }

    /// A moment in the form in which a column holds it.
    pub(super) fn moment_text(&self, column: usize, at: DateTime) -> String {
        let date = format!("{:04}-{:02}-{:02}", at.year(), at.month(), at.day());
        match self.columns[column].kind {
            Kind::DateTime { .. } => format!("{date} {:02}:{:02}:{:02}", at.hour(), at.minute(), at.second()),
            _ => date,
        }
    }

    /// The only column that holds people.
    fn person_column(&self) -> Option<usize> {
        let people: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .filter(|(_, column)| column.is_text() && vocabulary::names_a_person(&words::parts(&column.name)))
            .map(|(index, _)| index)
            .collect();
        if let [column] = people.as_slice() { Some(*column) } else { None }
    }
}

/// The query of a frame, or why there is none.
pub(super) fn query(table: &Table, frame: &mut Frame) -> Option<Query> {
    if frame.conditions.is_open() {
        return None;
    }
    let filter = Conditions::joined(frame.conditions.parts())?;
    if frame.lines {
        if is_about_lines(frame) {
            return lines(frame, filter);
        }
        // `lines with status failed`: the records, where each has a line of its own.
        if !has_a_line_each(table.format()) {
            return None;
        }
    }
    let source = Source::Records;
    let count = frame.asks.contains(&Word::Count);
    let mut asks: Vec<Word> = frame
        .asks
        .iter()
        .copied()
        .filter(|ask| !matches!(ask, Word::List | Word::Which | Word::Top))
        .collect();
    // `how many are there` asks once.
    if asks.len() > 1 {
        asks.retain(|ask| *ask != Word::Exists);
    }
    if asks.len() > 1 {
        return None;
    }
    let adds_up = count && frame.function == Some(Function::Sum) && names_one_amount(table, frame);
    let mut query = if frame.share {
        share(table, frame)?
    } else if frame.extreme.is_some() || frame.most.is_some() || frame.top.is_some() {
        ranked(table, frame, filter, count)?
    } else if count && !adds_up {
        counted(table, frame, filter)?
    } else if let Some(function) = frame.function.clone() {
        let column = measure(table, frame)?;
        grouped(table, frame, Aggregate::of(function, column), filter)?
    } else if frame.asks.contains(&Word::HowMuch) {
        let column = measure(table, frame)?;
        frame.guesses += 1;
        grouped(table, frame, Aggregate::of(Function::Sum, column), filter)?
    } else if frame.asks.contains(&Word::Exists) {
        if !frame.columns.is_empty() || !frame.asked.is_empty() || filter.is_none() {
            return None;
        }
        Query::number(Aggregate::count(), filter)
    } else {
        listed(table, frame, filter)?
    };
    query.source = source;
    if let Some((column, descending)) = frame.sort {
        let output = query.outputs.iter().position(|output| *output == Output::Column(column))?;
        query.order = vec![Order { output, descending }];
    }
    Some(query)
}

/// Whether every condition is one on the text of a line.
fn is_about_lines(frame: &Frame) -> bool {
    frame.conditions.parts().iter().all(|part| {
        matches!(&part.filter, Filter::Line { .. })
            || matches!(&part.filter, Filter::Not(inner) if matches!(**inner, Filter::Line { .. }))
    })
}

/// Whether a record is a line, and a line a record.
fn has_a_line_each(format: Format) -> bool {
    matches!(format, Format::JsonLines | Format::KeyValues | Format::AccessLog | Format::Syslog)
}

fn lines(frame: &Frame, filter: Option<Filter>) -> Option<Query> {
    let plain = frame.columns.is_empty()
        && frame.asked.is_empty()
        && frame.groups.is_empty()
        && frame.function.is_none()
        && frame.extreme.is_none()
        && frame.most.is_none()
        && !frame.share
        && !frame.distinct;
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

/// `how many units in total`: one column of amounts is named, and no other.
fn names_one_amount(table: &Table, frame: &Frame) -> bool {
    let named: Vec<usize> = frame.columns.iter().chain(&frame.asked).copied().collect();
    matches!(named.as_slice(), [column] if is_amount(&table.columns[*column]))
}

/// Whether a column's numbers are amounts, and no names.
fn is_amount(column: &Column) -> bool {
    column.is_numeric() && !vocabulary::names_codes(&words::parts(&column.name))
}

/// The column that is measured: the one that was named, or the only one it can be.
fn measure(table: &Table, frame: &mut Frame) -> Option<usize> {
    let named: Vec<usize> = frame
        .columns
        .iter()
        .chain(&frame.asked)
        .copied()
        .filter(|column| table.columns[*column].is_numeric())
        .collect();
    // `the sum of all transactions` adds no transaction's number where there are amounts.
    if let [column] = named.as_slice()
        && !is_amount(&table.columns[*column])
        && !table.measures().is_empty()
    {
        let column = *column;
        frame.columns.retain(|other| *other != column);
        frame.asked.retain(|other| *other != column);
        frame.guesses += 3;
        return match table.measures().as_slice() {
            [amount] => Some(*amount),
            _ => None,
        };
    }
    if let [column] = named.as_slice() {
        frame.columns.retain(|other| other != column);
        frame.asked.retain(|other| other != column);
        return Some(*column);
    }
    if !named.is_empty() {
        return None;
    }
    frame.guesses += 3;
    let money: Vec<usize> =
        (0..table.columns.len()).filter(|column| conditions::is_money(&table.columns[*column])).collect();
    match (money.as_slice(), table.measures().as_slice()) {
        ([column], _) | (_, [column]) => Some(*column),
        _ => None,
    }
}

/// An aggregate of all rows, or of each group. Every column that was named must have a place.
fn grouped(table: &Table, frame: &mut Frame, aggregate: Aggregate, filter: Option<Filter>) -> Option<Query> {
    let mut groups = frame.groups.clone();
    if frame.unit.is_some() && groups.is_empty() {
        return None;
    }
    // `which department: average salary` names what to group by; a name of the records themselves names nothing.
    for column in frame.columns.iter().chain(&frame.asked) {
        if !names_rows(table, *column) || frame.asked.contains(column) {
            return None;
        }
    }
    if let Some(currency) = aggregate.column.and_then(|column| table.columns[column].currency_column) {
        let fixed = filter.as_ref().is_some_and(|filter| {
            let mut columns = Vec::new();
            filter.push_columns(&mut columns);
            columns.contains(&currency)
        });
        if !fixed {
            groups.push(Key::Column(currency));
        }
    }
    if frame.having.is_some() {
        return None;
    }
    let mut outputs: Vec<Output> = (0..groups.len()).map(Output::Key).collect();
    outputs.push(Output::Aggregate(aggregate));
    Some(Query { filter, groups, outputs, ..Query::default() })
}

/// Whether a column has another value in each row, so that its name is one of the rows.
fn names_rows(table: &Table, column: usize) -> bool {
    let described = &table.columns[column];
    described.is_text() && described.missing == 0 && table.values().distinct[column] as u64 == table.rows
}

fn counted(table: &Table, frame: &mut Frame, filter: Option<Filter>) -> Option<Query> {
    if frame.function.is_some() {
        return None;
    }
    let named: Vec<usize> = frame.asked.iter().chain(&frame.columns).copied().collect();
    let aggregate = match named.as_slice() {
        [] if frame.distinct => return None,
        [] => {
            if frame.people && !frame.records {
                // People are the rows only if each row is another person.
                match table.person_column() {
                    Some(column) if names_rows(table, column) => {}
                    _ => return None,
                }
            }
            Aggregate::count()
        }
        [column] => {
            let described = &table.columns[*column];
            if described.is_numeric()
                && vocabulary::names_quantity(&words::parts(&described.name))
                && !frame.distinct
            {
                frame.guesses += 3;
                Aggregate::of(Function::Sum, *column)
            } else if described.is_numeric()
                && !frame.distinct
                && !vocabulary::names_codes(&words::parts(&described.name))
            {
                // `how many bytes were sent`: all of them, or how many different ones?
                frame.guesses += 3;
                Aggregate::of(Function::Sum, *column)
            } else if frame.records && !frame.distinct {
                return None;
            } else {
                Aggregate::of(Function::CountDistinct, *column)
            }
        }
        _ => return None,
    };
    frame.columns.clear();
    frame.asked.clear();
    grouped(table, frame, aggregate, filter)
}

fn share(table: &Table, frame: &mut Frame) -> Option<Query> {
    let parts = frame.conditions.parts();
    // Said behind the verb is what the share is of; what stands before it says of which rows.
    let parted = parts.iter().any(|part| part.after_verb) && parts.iter().any(|part| !part.after_verb);
    let (base, only): (Vec<_>, Vec<_>) = if parted {
        parts.iter().cloned().partition(|part| !part.after_verb)
    } else {
        (Vec::new(), parts.to_vec())
    };
    let base = Conditions::joined(&base)?;
    let only = Conditions::joined(&only)??;
    let measured: Vec<usize> = frame
        .columns
        .iter()
        .chain(&frame.asked)
        .copied()
        .filter(|column| table.columns[*column].is_numeric())
        .collect();
    let column = match measured.as_slice() {
        [] => None,
        [column] => Some(*column),
        _ => return None,
    };
    frame.columns.retain(|other| Some(*other) != column);
    frame.asked.retain(|other| Some(*other) != column);
    if frame.function.as_ref().is_some_and(|function| *function != Function::Sum)
        || frame.extreme.is_some()
        || frame.most.is_some()
    {
        return None;
    }
    grouped(table, frame, Aggregate { function: Function::Share, column, only: Some(only) }, base)
}

/// Largest, smallest, most, top: of groups or of rows.
fn ranked(table: &Table, frame: &mut Frame, filter: Option<Filter>, count: bool) -> Option<Query> {
    let descending = frame.extreme.map(|(largest, _)| largest).or(frame.most).unwrap_or(true);
    let limit = Some(Limit { count: frame.top.unwrap_or(1), with_ties: true });
    let hint = frame.extreme.map_or(Hint::None, |(_, hint)| hint);
    let mut asked = std::mem::take(&mut frame.asked);
    let mut others = std::mem::take(&mut frame.columns);
    let who = frame.asks.contains(&Word::Who);
    // `the five largest amounts`: the measure was named where a list is asked for.
    if others.is_empty()
        && !asked.is_empty()
        && table.columns[*asked.last()?].is_numeric()
        && (frame.extreme.is_some() || asked.len() > 1)
    {
        others.push(asked.pop()?);
    }
    if asked.is_empty() && frame.top.is_some() && others.len() == 2 && table.columns[others[0]].is_text() {
        asked.push(others.remove(0));
    }
    // `who earns the most`, `the most expensive item`: what is measured stands behind `who`, what is found behind `most`.
    if who {
        others.extend(asked.iter().copied().filter(|column| table.columns[*column].is_numeric()));
        asked.retain(|column| !table.columns[*column].is_numeric());
    }
    if let ([], [column], true, None) =
        (asked.as_slice(), others.as_slice(), frame.extreme.is_some(), frame.unit)
        && table.columns[*column].is_text()
        && !who
    {
        asked = std::mem::take(&mut others);
    }
    let count = count
        && !(frame.extreme.is_some()
            && matches!(others.as_slice(), [column] if table.columns[*column].is_numeric()));
    if who && asked.is_empty() {
        asked.push(table.person_column()?);
    }
    let key = match (asked.as_slice(), frame.unit) {
        ([column], None) => Some(Key::Column(*column)),
        ([], Some(bucket)) => Some(Key::Bucket(table.moment_column()?, bucket)),
        ([], None) => None,
        _ => return None,
    };
    if frame.having.is_some() {
        return None;
    }
    let by_count = count || (frame.most.is_some() && others.is_empty());
    let by_function = frame
        .function
        .clone()
        .or_else(|| (frame.most.is_some() && !others.is_empty()).then_some(Function::Sum));
    if by_count || by_function.is_some() {
        if !frame.groups.is_empty() {
            return None;
        }
        let aggregate = if by_count && frame.function.is_none() {
            if !others.is_empty() {
                return None;
            }
            Aggregate::count()
        } else {
            let [column] = others.as_slice() else { return None };
            if !table.columns[*column].is_numeric() {
                return None;
            }
            Aggregate::of(by_function?, *column)
        };
        // `most frequent status`: the column stands behind the word, as what is counted.
        let key = key?;
        return Some(top_groups(filter, key, aggregate, descending, limit));
    }
    // `the latest amount` is the amount of the latest row, not the largest one.
    if let (Hint::Moment, [column], None) = (hint, others.as_slice(), &key)
        && !is_in_time(table, *column)
    {
        if !frame.groups.is_empty() {
            return None;
        }
        let outputs = vec![Output::Column(*column), Output::Column(table.moment_column()?)];
        return Some(Query {
            filter,
            outputs,
            order: vec![Order { output: 1, descending }],
            limit,
            ..Query::default()
        });
    }
    let measure = extreme_measure(table, frame, &others, hint)?;
    // An age grows, a date of birth falls.
    let descending =
        if hint == Hint::Age && table.columns[measure].is_moment() { !descending } else { descending };
    if let (Some(Key::Column(column)), true) = (&key, frame.groups.is_empty()) {
        // Of a name that stands in many rows, the largest row or the largest sum may be meant.
        if !names_rows(table, *column) {
            frame.notes.push(format!(
                "the single row with the largest or smallest {}; not added up",
                table.column_name(measure)
            ));
            frame.guesses += if frame.top.is_some() { 3 } else { 1 };
        }
        let outputs = vec![Output::Column(*column), Output::Column(measure)];
        return Some(Query {
            filter,
            outputs,
            order: vec![Order { output: 1, descending }],
            limit,
            ..Query::default()
        });
    }
    if key.is_some() {
        return None;
    }
    if frame.top.is_some() || frame.records {
        if !frame.groups.is_empty() {
            return None;
        }
        // `which movie has the largest rating`: a record is named by what differs in each.
        let name = (0..table.columns.len()).find(|column| *column != measure && names_rows(table, *column));
        let mut outputs: Vec<Output> =
            name.filter(|_| frame.top.is_none()).map(Output::Column).into_iter().collect();
        outputs.push(Output::Column(measure));
        return Some(Query {
            filter,
            order: vec![Order { output: outputs.len() - 1, descending }],
            outputs,
            limit,
            ..Query::default()
        });
    }
    let function = if descending { Function::Max } else { Function::Min };
    grouped(table, frame, Aggregate::of(function, measure), filter)
}

fn top_groups(
    filter: Option<Filter>,
    key: Key,
    aggregate: Aggregate,
    descending: bool,
    limit: Option<Limit>,
) -> Query {
    let (Key::Column(column) | Key::Bucket(column, _)) = &key;
    let there = Filter::Not(Box::new(Filter::Missing(*column)));
    let filter = Filter::both(filter, Some(there));
    let outputs = vec![Output::Key(0), Output::Aggregate(aggregate)];
    Query {
        filter,
        groups: vec![key],
        outputs,
        order: vec![Order { output: 1, descending }],
        limit,
        ..Query::default()
    }
}

/// Whether a column's values are earlier and later: moments, or years.
fn is_in_time(table: &Table, column: usize) -> bool {
    let described = &table.columns[column];
    let is_year = || {
        words::parts(&described.name)
            .iter()
            .any(|part| vocabulary::are_synonyms("year", part) || part == "year")
    };
    described.is_moment() || described.is_numeric() && is_year()
}

fn is_score(column: &Column) -> bool {
    column.is_numeric()
        && words::parts(&column.name).iter().any(|part| vocabulary::are_synonyms("score", part))
}

fn is_age(column: &Column) -> bool {
    column.is_numeric() && words::parts(&column.name).iter().any(|part| vocabulary::are_synonyms("age", part))
}

/// What a superlative measures.
fn extreme_measure(table: &Table, frame: &mut Frame, others: &[usize], hint: Hint) -> Option<usize> {
    match others {
        [column] if table.columns[*column].is_numeric() || table.columns[*column].is_moment() => {
            match hint {
                Hint::Moment | Hint::Age
                    if !is_in_time(table, *column) && !is_age(&table.columns[*column]) =>
                {
                    return None;
                }
                // `the cheapest stock` may be the smallest, or that of the cheapest row.
                Hint::Best if !is_score(&table.columns[*column]) => frame.guesses += 4,
                Hint::Price if !conditions::is_money(&table.columns[*column]) => frame.guesses += 4,
                _ => {}
            }
            return Some(*column);
        }
        [] => {}
        _ => return None,
    }
    let fits = |column: &Column| match hint {
        Hint::None => column.is_numeric() && !vocabulary::names_codes(&words::parts(&column.name)),
        Hint::Price => conditions::is_money(column),
        Hint::Best => is_score(column),
        Hint::Duration => {
            matches!(column.kind, Kind::Duration { .. })
                || column.is_numeric()
                    && vocabulary::are_synonyms(
                        "latency",
                        words::parts(&column.name).first().map_or("", String::as_str),
                    )
        }
        Hint::Moment => column.is_moment(),
        Hint::Age => is_age(column),
        Hint::Size => matches!(column.kind, Kind::Size { .. }),
    };
    let found: Vec<usize> = (0..table.columns.len()).filter(|index| fits(&table.columns[*index])).collect();
    let [column] = found.as_slice() else { return None };
    frame.guesses += if hint == Hint::None { 3 } else { 1 };
    Some(*column)
}

/// Columns of the rows that match.
fn listed(table: &Table, frame: &mut Frame, filter: Option<Filter>) -> Option<Query> {
    let mut columns: Vec<usize> = frame.asked.drain(..).chain(frame.columns.drain(..)).collect();
    if !frame.groups.is_empty() || frame.unit.is_some() {
        return None;
    }
    let asks = frame.asks.clone();
    if let Some((comparison, value)) = frame.having.take() {
        let [column] = columns.as_slice() else { return None };
        let having = vec![Having { aggregate: Aggregate::count(), comparison, value }];
        let outputs = vec![Output::Key(0), Output::Aggregate(Aggregate::count())];
        return Some(Query {
            filter,
            groups: vec![Key::Column(*column)],
            outputs,
            having,
            ..Query::default()
        });
    }
    if asks.contains(&Word::Who) {
        columns.insert(0, table.person_column()?);
    } else if asks.contains(&Word::When) && !columns.iter().any(|column| table.columns[*column].is_moment()) {
        columns.insert(0, table.moment_column()?);
    }
    columns.dedup();
    let limit = Some(Limit { count: MAX_LISTED, with_ties: false });
    if columns.is_empty() {
        if !frame.records || asks.is_empty() || filter.is_none() {
            return None;
        }
        let outputs = (0..table.columns.len()).map(Output::Column).collect();
        return Some(Query { filter, outputs, limit, ..Query::default() });
    }
    if asks.is_empty() {
        return None;
    }
    let distinct = columns.len() == 1 && (filter.is_none() || frame.distinct || !frame.records);
    let outputs = columns.into_iter().map(Output::Column).collect();
    Some(Query { filter, outputs, limit, distinct, ..Query::default() })
}
