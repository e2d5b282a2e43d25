//! Questions of which only the end is said: `orders from Berlin?`, `kilometres in April?`

use super::frame::Frame;
use super::lexicon::Word;
use super::listing::listed;
use super::ranking;
use super::readings::{counted, grouped, is_amount, names_rows};
use crate::query::{Aggregate, Filter, Function, Query};
use crate::table::Table;
use crate::words;

/// `orders from Berlin?`, `price of the toaster`: nothing says what is asked, so that the count or the value is a guess.
pub(super) fn elliptic(table: &Table, frame: &mut Frame, filter: Option<Filter>) -> Option<Query> {
    filter.as_ref()?;
    let named: Vec<usize> = frame.named.asked.iter().chain(&frame.named.columns).copied().collect();
    frame.doubt.guesses += 4;
    match named.as_slice() {
        [] if frame.rows.records => {}
        [column] if names_rows(table, *column) => {
            frame.named.columns.clear();
            frame.named.asked.clear();
        }
        // `kilometres in April`: of many rows, all of them together.
        [column] if is_amount(table, *column) && is_of_many(table, filter.as_ref()) => {
            let column = *column;
            let parts = words::parts(&table.columns[column].name);
            let is_mean = parts.iter().any(|part| matches!(part.as_str(), "avg" | "mean" | "average"));
            frame.named.columns.clear();
            frame.named.asked.clear();
            let function = if is_mean { Function::Average } else { Function::Sum };
            return grouped(table, frame, Aggregate::of(function, column), filter);
        }
        // `loans in April`
        [column] if ranking::names_records(table, *column) => {
            frame.named.columns.clear();
            frame.named.asked.clear();
        }
        [column] if table.columns[*column].is_numeric() => {
            frame.asks.push(Word::Which);
            frame.wanted.one = true;
            return listed(table, frame, filter);
        }
        _ => return None,
    }
    frame.doubt.notes.push("how many there are was taken as the question".to_owned());
    counted(table, frame, filter)
}

fn is_of_many(table: &Table, filter: Option<&Filter>) -> bool {
    let count = Query::number(Aggregate::count(), filter.cloned());
    table.run(&count).is_ok_and(|outcome| outcome.matched > 1)
}
