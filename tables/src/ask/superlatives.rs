//! Which column a superlative measures: `the longest`, `the newest`, `the most expensive`.

use super::conditions;
use super::frame::Frame;
use super::lexicon::Hint;
use super::readings::likely_amount;
use crate::column::{Column, Kind};
use crate::table::Table;
use crate::{vocabulary, words};

/// What a superlative measures.
pub(super) fn extreme_measure(
    table: &Table,
    frame: &mut Frame,
    others: &[usize],
    hint: Hint,
) -> Option<usize> {
    match others {
        [column]
            if table.columns[*column].is_numeric()
                || table.columns[*column].is_moment()
                || table.columns[*column].kind == Kind::Time =>
        {
            // `the longest loan` is not the one with the largest number.
            if super::ranking::names_records(table, *column) {
                if hint != Hint::None {
                    return None;
                }
                frame.doubt.guesses += 4;
            }
            match hint {
                Hint::Moment | Hint::Age
                    if !is_in_time(table, *column) && !is_age(&table.columns[*column]) =>
                {
                    return None;
                }
                // `the longest time it took` is no moment.
                Hint::Duration if table.columns[*column].is_moment() => {
                    frame.doubt.guesses += 3;
                    return only_fitting(table, hint);
                }
                // `the cheapest stock` may be the smallest, or that of the cheapest row.
                Hint::Best if !is_score(&table.columns[*column]) => frame.doubt.guesses += 4,
                Hint::Price if !conditions::is_money(&table.columns[*column]) => frame.doubt.guesses += 4,
                _ => {}
            }
            return Some(*column);
        }
        [] => {}
        _ => return None,
    }
    // `the largest invoice`: of several numbers, the money.
    let column = only_fitting(table, hint).or_else(|| match hint {
        Hint::None => likely_amount(table),
        Hint::Moment => table.moment_or_first(&mut frame.doubt),
        // `the longest ride`
        Hint::Duration => only_fitting(table, Hint::Distance),
        _ => None,
    })?;
    // `which have we had the longest` speaks of no length that a column tells, unless it is called so.
    let is_vague = hint == Hint::Duration && !is_called(&table.columns[column], "latency");
    frame.doubt.guesses += if hint == Hint::None || is_vague { 3 } else { 1 };
    Some(column)
}

/// The column that `how long`, `how warm` ask for.
pub(super) fn hinted(table: &Table, frame: &mut Frame, hint: Hint) -> Option<usize> {
    frame.doubt.guesses += 1;
    only_fitting(table, hint)
}

pub(super) fn only_fitting(table: &Table, hint: Hint) -> Option<usize> {
    let has_no_moment = !table.columns.iter().any(Column::is_moment);
    let fits = |index: usize, column: &Column| match hint {
        Hint::Temperature => is_called(column, "temperature"),
        Hint::None => column.is_numeric() && !table.holds_codes(index),
        Hint::Distance => is_called(column, "distance") || ["km", "mi"].contains(&column.unit_label()),
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
        Hint::Moment => {
            column.is_moment() || has_no_moment && (conditions::is_year(column) || is_rank(column))
        }
        Hint::Age => is_age(column) || has_no_moment && conditions::is_year(column),
        Hint::Weight => {
            is_called(column, "weight")
                || ["kg", "g", "t", "lb"].contains(&column.unit_label())
                || matches!(column.kind, Kind::Size { .. })
        }
        Hint::Height => is_called(column, "height") || ["cm", "m"].contains(&column.unit_label()),
    };
    let found: Vec<usize> =
        (0..table.columns.len()).filter(|index| fits(*index, &table.columns[*index])).collect();
    if hint == Hint::Duration && found.len() != 1 {
        return time_taken(table);
    }
    let [column] = found.as_slice() else { return None };
    Some(*column)
}

/// `4:18:20` of a race: the only time of the table, where none says on which day it was.
/// Beside the times of a part of it, that of the whole.
pub(super) fn time_taken(table: &Table) -> Option<usize> {
    let is_called = |column: usize, names: &[&str]| {
        words::parts(&table.columns[column].name).iter().any(|part| names.contains(&part.as_str()))
    };
    let mut times: Vec<usize> = (0..table.columns.len())
        .filter(|column| matches!(table.columns[*column].kind, Kind::Time | Kind::Duration { .. }))
        .collect();
    if times.len() > 1 {
        times.retain(|column| !is_called(*column, PARTS_OF_A_RACE));
    }
    if times.len() > 1 {
        times.retain(|column| {
            is_called(*column, &["chip", "net", "netto", "finish", "total", "gesamtzeit", "overall"])
        });
    }
    let [time] = times[..] else { return None };
    // Where something says on which day, `Time` is the time of that day.
    if table.columns[time].kind == Kind::Time
        && table.columns.iter().any(Column::is_moment)
        && !is_called(time, OF_A_RACE)
    {
        return None;
    }
    (is_called(time, TAKEN)
        && !table.columns.iter().any(|column| matches!(column.kind, Kind::DateTime { .. })))
    .then_some(time)
}

/// What the time of a race is called.
const TAKEN: &[&str] = &[
    "time",
    "zeit",
    "finish",
    "result",
    "ergebnis",
    "duration",
    "dauer",
    "net",
    "netto",
    "chip",
    "gesamtzeit",
    "endzeit",
    "zielzeit",
    "laufzeit",
];

/// What only the time of a race is called.
const OF_A_RACE: &[&str] = &[
    "chip",
    "net",
    "netto",
    "finish",
    "result",
    "ergebnis",
    "gesamtzeit",
    "endzeit",
    "zielzeit",
    "laufzeit",
];

/// What the times of a part of a race are called, and those that are no lengths.
const PARTS_OF_A_RACE: &[&str] = &[
    "half",
    "halfway",
    "split",
    "split1",
    "split2",
    "lap",
    "swim",
    "bike",
    "run",
    "start",
    "halbzeit",
    "zwischenzeit",
    "halbmarathon",
    "t1",
    "t2",
    "gap",
    "behind",
    "pace",
    "gun",
    "brutto",
    "rückstand",
    "reaction",
];

/// Whether what a superlative calls the most has the smallest value: the oldest a date of birth, the best a delay.
pub(super) fn is_turned(table: &Table, measure: usize, hint: Hint) -> bool {
    let described = &table.columns[measure];
    hint == Hint::Age && (described.is_moment() || conditions::is_year(described))
        || hint == Hint::Best && table.is_better_when_small(measure)
}

/// Whether `worst first` begins with the largest; that which is no mark and no delay leaves open what is bad.
pub(super) fn begins_with_largest(table: &Table, measure: usize, is_best: bool) -> (bool, bool) {
    let is_small = table.is_better_when_small(measure);
    (is_best != is_small, is_small || is_score(&table.columns[measure]))
}

/// Whether a column's values are earlier and later: moments, or years.
pub(super) fn is_in_time(table: &Table, column: usize) -> bool {
    let described = &table.columns[column];
    let is_year = || {
        words::parts(&described.name)
            .iter()
            .any(|part| vocabulary::are_synonyms("year", part) || part == "year")
    };
    described.is_moment() || described.is_numeric() && is_year()
}

/// Whether the first is the one with the smallest number.
fn is_rank(column: &Column) -> bool {
    let names = |part: &String| {
        matches!(part.as_str(), "pos" | "position" | "rank" | "place" | "rang" | "platz" | "platzierung")
    };
    column.is_numeric() && words::parts(&column.name).iter().any(names)
}

fn is_score(column: &Column) -> bool {
    is_called(column, "score")
}

pub(super) fn is_age(column: &Column) -> bool {
    is_called(column, "age")
}

/// Whether a column of numbers has a name that means this.
fn is_called(column: &Column, concept: &str) -> bool {
    column.is_numeric()
        && words::parts(&column.name).iter().any(|part| vocabulary::are_synonyms(concept, part))
}
