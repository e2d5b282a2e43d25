//! What the rows themselves say against a reading: it was understood word by word, and may still not be what was meant.

use rust_decimal::Decimal;

use super::frame::Frame;
use super::{UNSURE, ranking, readings};
use crate::query::{Aggregate, Cell, Function, Key, Outcome, Output, Query};
use crate::table::Table;
use crate::words;

/// Words in the name of a row that adds up others.
const TOTALS: &[&str] =
    &["total", "totals", "sum", "overall", "gesamt", "summe", "insgesamt", "average", "durchschnitt"];

impl Table {
    /// How sure an answer can be by what stands in the rows.
    pub(super) fn doubt_of_rows(
        &self,
        query: &Query,
        frame: &Frame,
        outcome: &Outcome,
        notes: &mut Vec<String>,
    ) -> f64 {
        let doubts = [
            self.values_among_others(query),
            self.nearly_one_each(query, frame, outcome),
            self.single_row_differs(query, frame, outcome),
            is_of_totals(query, outcome),
        ];
        let before = notes.len();
        notes.extend(doubts.into_iter().flatten());
        if notes.len() == before { 1.0 } else { UNSURE }
    }

    /// `Pashto` stands in other cells as one of several.
    fn values_among_others(&self, query: &Query) -> Option<String> {
        let mut equals = Vec::new();
        query.filter.as_ref()?.push_texts(&mut equals);
        equals.retain(|(column, value)| self.values().is_one_of_several(*column, value));
        let values: Vec<&str> = equals.into_iter().map(|(_, value)| value).collect();
        (!values.is_empty())
            .then(|| format!("cells that name {} among others do not count", values.join(", ")))
    }

    /// Where nearly each row has a value of its own, the rows may be meant.
    fn nearly_one_each(&self, query: &Query, frame: &Frame, outcome: &Outcome) -> Option<String> {
        let [Output::Aggregate(Aggregate { function: Function::CountDistinct, column: Some(column), .. })] =
            query.outputs.as_slice()
        else {
            return None;
        };
        let Cell::Number(found) = outcome.single()? else { return None };
        let rows = Decimal::from(outcome.matched);
        let is_near = *found < rows && *found * Decimal::TWO > rows;
        (is_near && !frame.distinct)
            .then(|| format!("each {} is counted once, in {rows} rows", self.column_name(*column)))
    }

    /// `which player has the most goals`: in all rows together, or in one?
    fn single_row_differs(&self, query: &Query, frame: &Frame, outcome: &Outcome) -> Option<String> {
        let ([Key::Column(key)], Some(measure), true) =
            (query.groups.as_slice(), query.measured().first().copied(), frame.rank.adds_up_unsaid)
        else {
            return None;
        };
        let descending = query.order.first().is_none_or(|order| order.descending);
        let single = ranking::top_rows(query.filter.clone(), *key, measure, descending, query.limit);
        let names =
            |rows: &[Vec<Cell>]| rows.iter().filter_map(|row| row.first().cloned()).collect::<Vec<Cell>>();
        let differs = names(&self.run(&single).ok()?.rows) != names(&outcome.rows);
        differs.then(|| {
            format!(
                "{} is added up for each {}; the single row with the most is another one",
                self.column_name(measure),
                self.column_name(*key)
            )
        })
    }

    /// The column of which each value is counted or listed once, though it stands in several rows.
    pub(super) fn thing_of_many_rows(&self, query: &Query) -> Option<usize> {
        let column = match query.outputs.as_slice() {
            [
                Output::Aggregate(Aggregate {
                    function: Function::CountDistinct, column: Some(column), ..
                }),
            ] => *column,
            [Output::Column(column)] if self.columns[*column].is_text() => *column,
            _ => return None,
        };
        (!readings::names_rows(self, column) && !self.is_unique(column)).then_some(column)
    }

    /// Whether a share is asked of rows some of which do not say whether they are part of it, as where a log has two lines for
    /// each run and only the last says how it ended.
    pub(super) fn is_share_among_unknown(&self, query: &Query) -> bool {
        let aggregates = query.outputs.iter().flat_map(Output::aggregates);
        let mut columns = Vec::new();
        for share in aggregates.filter(|aggregate| aggregate.function == Function::Share) {
            share.only.iter().for_each(|only| only.push_columns(&mut columns));
        }
        columns.iter().any(|column| self.columns[*column].missing > 0)
    }
}

/// A row of totals is found first where the largest is asked for.
fn is_of_totals(query: &Query, outcome: &Outcome) -> Option<String> {
    query.limit?;
    let is_total = |cell: &Cell| {
        let Cell::Text(text) = cell else { return false };
        words::value_words(text).iter().any(|word| TOTALS.contains(&word.as_str()))
    };
    let found = !query.order.is_empty() && outcome.rows.iter().filter_map(|row| row.first()).any(is_total);
    found.then(|| "a row of totals may stand among the others".to_owned())
}
