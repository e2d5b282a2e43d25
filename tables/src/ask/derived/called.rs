//! The columns of amounts that a phrase names.

use crate::ask::{loose, naming, recast};
use crate::column::Column;
use crate::table::Table;

/// The column of amounts that a phrase names or speaks of.
pub(super) fn number_called(table: &Table, phrase: &str) -> Option<usize> {
    let is_amount = |column: &usize| table.columns[*column].is_numeric() && !table.holds_codes(*column);
    let words: Vec<&str> = phrase.split(' ').collect();
    let numbered = recast::numbered_column(table, &words).filter(is_amount);
    let end_of_range = || {
        let (least, most) = table.ends_of_a_range()?;
        let [word] = words.as_slice() else { return None };
        let begins = |starts: &[&str]| starts.iter().any(|start| word.starts_with(start));
        if begins(&["höchst", "maxim", "high", "max"]) {
            Some(most)
        } else {
            begins(&["tiefst", "minim", "low", "min"]).then_some(least)
        }
    };
    let numbered = numbered.or_else(end_of_range);
    if numbered.is_some() {
        return numbered;
    }
    naming::columns_called(table, phrase).into_iter().find(is_amount).or_else(|| {
        let is_one_word = !phrase.contains(' ') && phrase.chars().count() > 2;
        is_one_word.then(|| loose::columns_of(table, phrase).into_iter().find(is_amount))?
    })
}

pub(super) fn described(table: &Table, columns: [usize; 2]) -> [&Column; 2] {
    columns.map(|column| &table.columns[column])
}

/// Most decimals of two columns.
pub(super) fn decimals(left: &Column, right: &Column) -> u32 {
    left.scale().unwrap_or(6).max(right.scale().unwrap_or(6))
}
