//! Questions for the largest, the smallest, the most: of groups or of rows.

use super::frame::Frame;
use super::lexicon::{Hint, Word};
use super::readings::{grouped, names_rows};
use super::superlatives::{extreme_measure, is_in_time, is_turned, only_fitting};
use crate::column::Kind;
use crate::query::{Aggregate, Bucket, Filter, Function, Key, Limit, Order, Output, Query};
use crate::table::Table;
use crate::{vocabulary, words};

/// Largest, smallest, most, top: of groups or of rows.
#[expect(
    clippy::too_many_lines,
    reason = "one case of what is ranked after another, in the order in which they exclude each other"
)]
pub(super) fn ranked(table: &Table, frame: &mut Frame, filter: Option<Filter>, count: bool) -> Option<Query> {
    // `how long did it last`: no superlative.
    if frame.wanted.how.is_some_and(|asked| frame.rank.extreme.is_none_or(|(_, hint)| hint != asked))
        && frame.measure.function.is_none()
    {
        return None;
    }
    let descending = frame.rank.extreme.map(|(largest, _)| largest).or(frame.rank.most).unwrap_or(true);
    let limit = Some(Limit { count: frame.rank.top.unwrap_or(1), with_ties: true });
    let hint = frame.rank.extreme.map_or(Hint::None, |(_, hint)| hint);
    let names_its_measure = asks_for_its_measure(table, frame)
        || frame.wanted.value
        || count
        || frame.asks.contains(&Word::HowMuch)
        || frame.asks.contains(&Word::When);
    let asked_first = !frame.named.asked.is_empty();
    // `what is the maximum rating of the movies`: a number, though movies are named.
    let is_what = !frame.asks.contains(&Word::Who) && frame.named.asked.is_empty() && frame.wanted.what;
    let (asked, mut others) = found_and_measured(table, frame)?;
    if asked.len() > 1 {
        return several_of_a_row(table, frame, filter, &asked, &others, descending, limit);
    }
    // `what was the last district created`: the district is asked for.
    let asks_for_thing = asked.is_empty()
        && frame.rank.thing.is_some_and(|thing| names_rows(table, thing) && !others.contains(&thing));
    let asked = if asks_for_thing { frame.rank.thing.into_iter().collect() } else { asked };
    let names_its_measure = !asks_for_thing
        && !frame.rank.of_records
        && (names_its_measure || is_what && others.len() == 1 && frame.rank.top.is_none());
    if frame.rank.of_records && is_what && others.len() == 1 {
        // `the oldest movie's year`
        frame.doubt.guesses += 3;
    }
    let count = count
        && !(frame.rank.extreme.is_some()
            && matches!(others.as_slice(), [column] if table.columns[*column].is_numeric()));
    // `the customer with the most different regions`
    if let ([column], [counted], Some(_), true, None) = (
        asked.as_slice(),
        others.as_slice(),
        frame.rank.most,
        frame.distinct,
        frame.measure.function.as_ref(),
    ) && table.columns[*counted].is_text()
        && frame.parted.by.is_empty()
    {
        let aggregate = Aggregate::of(Function::CountDistinct, *counted);
        return Some(top_groups(filter, Key::Column(*column), aggregate, descending, limit));
    }
    let key = match (asked.as_slice(), frame.parted.unit) {
        ([column], None) => Some(Key::Column(*column)),
        // `on which day was the wind strongest`: one of the days, and nothing is added up.
        ([], Some(Bucket::Day))
            if frame.rank.extreme.is_some()
                && frame.measure.function.is_none()
                && table.columns[table.moment_column()?].kind == Kind::Date =>
        {
            Some(Key::Column(table.moment_column()?))
        }
        ([], Some(bucket)) => Some(Key::Bucket(table.moment_or_first(&mut frame.doubt)?, bucket)),
        ([], None) => None,
        _ => return None,
    };
    if frame.parted.having.is_some() {
        return None;
    }
    // `which region sold the least`: a name that stands in one row only is not counted.
    if let ([column], true, true, false, None) = (
        asked.as_slice(),
        frame.rank.most.is_some(),
        others.is_empty(),
        count,
        frame.measure.function.as_ref(),
    ) && names_rows(table, *column)
    {
        let [measure] = table.measures()[..] else { return None };
        if !asked_first {
            return None;
        }
        frame.doubt.guesses += 3;
        others.push(measure);
    }
    // `which package has the most files`: a record and its number.
    if key.is_none()
        && frame.rank.most.is_some()
        && frame.rows.records
        && frame.measure.function.is_none()
        && !count
    {
        // `which book gets borrowed the most` is of no date.
        let [column] = others[..] else { return None };
        if table.columns[column].is_moment() {
            return None;
        }
        let name = row_name(table, column)?;
        frame.doubt.guesses += 1;
        return Some(top_rows(filter, name, column, descending, limit));
    }
    // `the unit price of the most expensive item`: asked for, and what the superlative measures.
    if let ([column], true, Some((_, hint))) = (asked.as_slice(), others.is_empty(), frame.rank.extreme)
        && table.columns[*column].is_numeric()
        && hint != Hint::None
        && frame.rows.records
    {
        let measure = extreme_measure(table, frame, &[], hint)?;
        if measure == *column && frame.parted.by.is_empty() {
            let function = if descending { Function::Max } else { Function::Min };
            return grouped(table, frame, Aggregate::of(function, measure), filter);
        }
    }
    // `the slowest on average`: the superlative says what is averaged.
    if let (Some((_, hint)), Some(_), true, false) =
        (frame.rank.extreme, frame.measure.function.as_ref(), others.is_empty(), count)
        && hint != Hint::None
    {
        others.push(extreme_measure(table, frame, &[], hint)?);
    }
    // `who paid the most`
    if let (Some(_), [amount], true, false) = (
        frame.rank.most,
        frame.measure.by_verb.as_slice(),
        others.is_empty() && frame.parted.unit.is_none(),
        count || frame.rows.records,
    ) {
        frame.doubt.guesses += 3;
        others.push(*amount);
    }
    let by_count = count || (frame.rank.most.is_some() && others.is_empty());
    // `the guest of the booking with the most nights` is that of one booking.
    if let ([column], [measure], true, true, None) = (
        asked.as_slice(),
        others.as_slice(),
        frame.rank.most.is_some() && frame.rows.records && !count,
        !by_count,
        frame.measure.function.as_ref(),
    ) && table.columns[*measure].is_numeric()
        && frame.parted.by.is_empty()
    {
        frame.doubt.guesses += 3;
        return Some(top_rows(filter, *column, *measure, descending, limit));
    }
    let by_function = frame
        .measure
        .function
        .clone()
        .or_else(|| (frame.rank.most.is_some() && !others.is_empty()).then_some(Function::Sum));
    if by_count || by_function.is_some() {
        if !frame.parted.by.is_empty() {
            return None;
        }
        let counts = by_count && frame.measure.function.is_none();
        frame.rank.adds_up_unsaid = frame.measure.function.is_none() && !counts;
        let aggregate = measured_by(table, &others, counts, by_function)?;
        // `the worst average delay` is the longest.
        let descending =
            descending != aggregate.column.is_some_and(|measure| is_turned(table, measure, hint));
        // `most frequent status`: the column stands behind the word, as what is counted.
        return Some(top_groups(filter, key?, aggregate, descending, limit));
    }
    let ranking = Ranking { hint, descending, limit, names_its_measure };
    ranked_rows(table, frame, filter, key.as_ref(), &others, ranking)
}

/// The columns that are looked for, and those that are measured.
fn found_and_measured(table: &Table, frame: &mut Frame) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut asked = std::mem::take(&mut frame.named.asked);
    let mut others = std::mem::take(&mut frame.named.columns);
    let who = frame.asks.contains(&Word::Who);
    // `the five largest amounts`: the measure was named where a list is asked for.
    if others.is_empty()
        && !asked.is_empty()
        && table.columns[*asked.last()?].is_numeric()
        && (frame.rank.extreme.is_some() || asked.len() > 1)
        // `the rating of the newest movie` is no measure of what is new.
        && frame.rank.extreme.is_none_or(|(_, hint)| hint == Hint::None || only_fitting(table, hint).is_none_or(|fitting| asked.last() == Some(&fitting)))
    {
        others.push(asked.pop()?);
    }
    if asked.is_empty() && frame.rank.top.is_some() && others.len() == 2 && table.columns[others[0]].is_text()
    {
        asked.push(others.remove(0));
    }
    // `who earns the most`, `the most expensive item`: what is measured stands behind `who`, what is found behind `most`.
    if who {
        let is_measured =
            |column: &usize| table.columns[*column].is_numeric() || table.columns[*column].is_moment();
        others.extend(asked.iter().copied().filter(is_measured));
        asked.retain(|column| !is_measured(column));
    }
    // `the IP of the client` names one column twice.
    // So do `the largest amount anybody spent`.
    let mut seen = Vec::new();
    others.retain(|column| {
        let is_new = !asked.contains(column) && !seen.contains(column);
        seen.push(*column);
        is_new
    });
    // `the most admissions` of a column of their dates: each record has one.
    if frame.rank.most.is_some() && (who || frame.parted.unit.is_some() || others.len() + asked.len() > 1) {
        others.retain(|column| !table.columns[*column].is_moment());
    }
    // `the category with the most items`, `the price of the most expensive item`: the name of the records.
    if others.len() + asked.len() > 1 || frame.asks.contains(&Word::HowMuch) {
        let before = others.len();
        others.retain(|column| !names_rows(table, *column));
        if others.len() < before {
            frame.rows.records = true;
        }
    }
    // `the most orders` counts the orders, and adds up none of their numbers.
    if let ([column], true) = (others.as_slice(), frame.rank.most.is_some())
        && names_records_by_number(table, *column)
    {
        frame.doubt.guesses += 1;
        others.clear();
    }
    let is_ranked = frame.rank.extreme.is_some() || frame.rank.most.is_some();
    if let ([], [column], true, None) = (asked.as_slice(), others.as_slice(), is_ranked, frame.parted.unit)
        && table.columns[*column].is_text()
        && !who
    {
        asked = std::mem::take(&mut others);
    }
    // `who scored the least`: a result is nobody.
    let is_somebody = |column: usize| {
        names_rows(table, column) || vocabulary::names_a_person(&words::parts(&table.columns[column].name))
    };
    if who && asked.iter().any(|column| !is_somebody(*column)) {
        frame.doubt.guesses += 3;
    }
    if who && asked.is_empty() {
        asked.extend(table.who_columns(frame)?);
    }
    Some((asked, others))
}

/// Whether the column right behind `which` or `what` is the one that a superlative measures.
fn asks_for_its_measure(table: &Table, frame: &Frame) -> bool {
    // `the rating of the newest movie` asks for something else.
    let measures = |column: usize, hint: Hint| {
        hint == Hint::None || only_fitting(table, hint).is_none_or(|fitting| fitting == column)
    };
    matches!((frame.named.asked.as_slice(), frame.rank.extreme), ([column], Some((_, hint)))
        if table.columns[*column].is_numeric() && frame.named.columns.is_empty() && measures(*column, hint))
}

/// What names a record: a text that differs in each, or else a number that does.
pub(super) fn row_name(table: &Table, measure: usize) -> Option<usize> {
    let mut others = (0..table.columns.len()).filter(|column| *column != measure);
    // A name before a number: `Scarf` before `SK-105`.
    let mut names: Vec<usize> = others.clone().filter(|column| names_rows(table, *column)).collect();
    names.sort_by_key(|column| table.holds_numbered_names(*column));
    names.first().copied().or_else(|| {
        others.find(|column| {
            table.columns[*column].is_numeric() && table.holds_codes(*column) && table.is_unique(*column)
        })
    })
}

/// `the name and department of the earliest hire`: several cells of the row with the largest or smallest.
fn several_of_a_row(
    table: &Table,
    frame: &mut Frame,
    filter: Option<Filter>,
    asked: &[usize],
    others: &[usize],
    descending: bool,
    limit: Option<Limit>,
) -> Option<Query> {
    let (_, hint) = frame.rank.extreme?;
    if !frame.parted.by.is_empty()
        || frame.parted.unit.is_some()
        || frame.parted.having.is_some()
        || frame.measure.function.is_some()
    {
        return None;
    }
    let measure = extreme_measure(table, frame, others, hint)?;
    // `the highest number of starts and goals`: is the second asked for, or ranked by as well?
    if hint == Hint::None
        && asked.iter().any(|column| *column != measure && table.columns[*column].is_numeric())
    {
        frame.doubt.guesses += 3;
    }
    let descending = descending != is_turned(table, measure, hint);
    let mut outputs: Vec<Output> = asked.iter().copied().map(Output::Column).collect();
    let output = asked.iter().position(|column| *column == measure).unwrap_or_else(|| {
        outputs.push(Output::Column(measure));
        outputs.len() - 1
    });
    Some(Query { filter, outputs, order: vec![Order { output, descending }], limit, ..Query::default() })
}

/// Names of columns whose numbers are those of the records.
const RECORD_NOUNS: &[&str] = &[
    "order",
    "ticket",
    "invoice",
    "transaction",
    "booking",
    "case",
    "job",
    "payment",
    "bestellung",
    "auftrag",
    "rechnung",
    "buchung",
    "ticketnummer",
];

/// Whether a column's numbers name the records, each another one.
fn names_records_by_number(table: &Table, column: usize) -> bool {
    table.columns[column].is_numeric()
        && (is_called_as_records(table, column) || table.holds_codes(column))
        && table.is_unique(column)
}

/// Whether a column of such numbers is called as the records are: `order`, and not `order number`.
pub(super) fn names_records(table: &Table, column: usize) -> bool {
    let is_one_word = words::parts(&table.columns[column].name).len() == 1;
    is_one_word && is_called_as_records(table, column) && names_records_by_number(table, column)
}

fn is_called_as_records(table: &Table, column: usize) -> bool {
    let parts = words::parts(&table.columns[column].name);
    let is_noun = |part: &String| {
        RECORD_NOUNS.contains(&part.as_str())
            || table.nouns.iter().any(|noun| words::same_but_plural(noun, part)) && table.holds_codes(column)
    };
    parts.iter().any(is_noun)
}

/// How rows are ranked.
#[derive(Clone, Copy)]
struct Ranking {
    hint: Hint,
    descending: bool,
    limit: Option<Limit>,
    /// `what year is the oldest movie from`: the measure itself is asked for.
    names_its_measure: bool,
}

/// The row with the largest or smallest value, or that value.
fn ranked_rows(
    table: &Table,
    frame: &mut Frame,
    filter: Option<Filter>,
    key: Option<&Key>,
    others: &[usize],
    ranking: Ranking,
) -> Option<Query> {
    let Ranking { hint, descending, limit, names_its_measure } = ranking;
    // `the latest amount` is the amount of the latest row, not the largest one.
    if let (Hint::Moment, [column], None) = (hint, others, key)
        && !is_in_time(table, *column)
    {
        if !frame.parted.by.is_empty() {
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
    let measure = extreme_measure(table, frame, others, hint)?;
    // An age grows, a date of birth falls.
    let descending = descending != is_turned(table, measure, hint);
    // `when was the temperature highest` asks for a time, not for a temperature.
    if frame.asks.contains(&Word::When) && !table.columns[measure].is_moment() {
        if !frame.parted.by.is_empty() || key.is_some() {
            return None;
        }
        let time = table.moment_or_first(&mut frame.doubt)?;
        return Some(top_rows(filter, time, measure, descending, limit));
    }
    if let (Some(Key::Column(column)), true) = (key, frame.parted.by.is_empty()) {
        // Of a name that stands in many rows, the largest row or the largest sum may be meant.
        if !names_rows(table, *column) {
            frame.doubt.notes.push(format!(
                "the single row with the largest or smallest {}; not added up",
                table.column_name(measure)
            ));
            frame.doubt.guesses += if frame.rank.top.is_some() { 3 } else { 1 };
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
    if frame.rank.top.is_some() || frame.rows.records && !names_its_measure {
        if !frame.parted.by.is_empty() {
            return None;
        }
        // `which movie has the largest rating`: a record is named by what differs in each.
        // `the five largest amounts` are amounts, `the five largest orders` are orders.
        // So are the five dearest things.
        let is_of_things = others.is_empty() && hint != Hint::None;
        frame.doubt.guesses += if is_of_things && !frame.rows.records { 3 } else { 0 };
        let is_of_records =
            frame.rank.top.is_none() || frame.rows.records && others.is_empty() || is_of_things;
        let name = row_name(table, measure).filter(|_| is_of_records);
        let mut outputs: Vec<Output> = name.map(Output::Column).into_iter().collect();
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

/// What groups are ranked by: how many rows each has, or a function of the only column that was named.
fn measured_by(
    table: &Table,
    others: &[usize],
    counts: bool,
    function: Option<Function>,
) -> Option<Aggregate> {
    match (others, counts) {
        ([], true) => Some(Aggregate::count()),
        ([column], false) if table.columns[*column].is_numeric() => Some(Aggregate::of(function?, *column)),
        _ => None,
    }
}

/// A name and a number of the rows with the largest or smallest.
pub(super) fn top_rows(
    filter: Option<Filter>,
    name: usize,
    measure: usize,
    descending: bool,
    limit: Option<Limit>,
) -> Query {
    Query {
        filter,
        outputs: vec![Output::Column(name), Output::Column(measure)],
        order: vec![Order { output: 1, descending }],
        limit,
        ..Query::default()
    }
}

pub(super) fn top_groups(
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
