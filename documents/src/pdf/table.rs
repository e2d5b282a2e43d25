//! A table of one page, however it was found.

use crate::block::Bounds;

/// Rows of cells. Each cell has its lines, from top to bottom.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub rows: Vec<TableRow>,
    /// Whether the first row names the columns.
    pub header: bool,
    /// Where its columns begin and end.
    pub columns: Vec<(f32, f32)>,
    pub bounds: Bounds,
}

/// A row of a table.
#[derive(Debug, Clone)]
pub(super) struct TableRow {
    pub cells: Vec<Vec<String>>,
    pub bounds: Bounds,
}

impl Table {
    /// Whether another table, on the next page, may go on with this one.
    pub fn goes_on_in(&self, other: &Self) -> bool {
        let near = |one: &(f32, f32), other: &(f32, f32)| {
            let shared = one.1.min(other.1) - one.0.max(other.0);
            shared > 0.3 * (one.1 - one.0).min(other.1 - other.0)
        };
        self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(|(one, other)| near(one, other))
    }
}

/// How far the columns of a table may stand from where they stand in the column of text before.
const NEAR: f32 = 3.0;

impl Table {
    /// Whether another table, in the next column of the page, may go on with this one: its columns are as wide, and it names none.
    pub fn goes_on_beside(&self, other: &Self) -> bool {
        let aside = other.bounds.left - self.bounds.left;
        let near = |one: f32, other: f32| (one + aside - other).abs() < NEAR;
        !other.header
            && aside > 0.0
            && self.columns.len() == other.columns.len()
            && self
                .columns
                .iter()
                .zip(&other.columns)
                .all(|(one, other)| near(one.0, other.0) && near(one.1, other.1))
    }
}

/// Whether a row looks as if it named the columns: it has a text in every column, and where numbers stand below it has none.
pub(super) fn looks_like_names(rows: &[Vec<Vec<String>>]) -> bool {
    let Some((first, rest)) = rows.split_first() else { return false };
    let text = |cell: &Vec<String>| cell.join(" ");
    let filled = first.iter().filter(|cell| !cell.is_empty()).count();
    if rest.is_empty()
        || filled * 3 < first.len() * 2
        || first.iter().any(|cell| text(cell).chars().count() > 60)
    {
        return false;
    }
    let mut numeric = 0;
    for (column, name) in first.iter().enumerate() {
        if is_number(&text(name)) {
            return false;
        }
        let below: Vec<String> =
            rest.iter().filter_map(|row| row.get(column)).map(text).filter(|text| !text.is_empty()).collect();
        let numbers = below.iter().filter(|text| is_number(text)).count();
        if !below.is_empty() && numbers * 3 >= below.len() * 2 {
            numeric += 1;
        }
    }
    numeric > 0
}

/// An amount, a date, a share.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.chars().filter(|character| character.is_numeric()).count();
    let letters = text.chars().filter(|character| character.is_alphabetic()).count();
    digits > 0 && letters <= 3 && digits >= letters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(texts: &[&[&str]]) -> Vec<Vec<Vec<String>>> {
        let cell = |text: &&str| if text.is_empty() { Vec::new() } else { vec![(*text).to_owned()] };
        texts.iter().map(|row| row.iter().map(cell).collect()).collect()
    }

    fn table(left: f32, columns: &[(f32, f32)], header: bool) -> Table {
        let columns: Vec<_> = columns.iter().map(|(from, to)| (left + from, left + to)).collect();
        let right = columns.last().map_or(left, |column| column.1);
        let bounds = Bounds { left, top: 100.0, right, bottom: 200.0 };
        Table { rows: Vec::new(), header, columns, bounds }
    }

    #[test]
    fn a_table_goes_on_beside_itself_with_columns_as_wide_and_without_names() {
        let first = table(70.0, &[(0.0, 50.0), (50.0, 120.0)], true);
        let second = |left, middle, header| table(left, &[(0.0, middle), (middle, 120.0)], header);
        assert!(first.goes_on_beside(&second(307.0, 51.0, false)));
        assert!(!first.goes_on_beside(&second(307.0, 50.0, true)));
        assert!(!first.goes_on_beside(&second(307.0, 80.0, false)));
        assert!(!first.goes_on_beside(&second(20.0, 50.0, false)), "columns are read from left to right");
        assert!(!first.goes_on_beside(&table(307.0, &[(0.0, 120.0)], false)));
    }

    #[test]
    fn names_stand_over_numbers() {
        assert!(looks_like_names(&rows(&[&["Item", "Amount"], &["Rent", "1,200.00 €"], &["Heat", "80"]])));
        assert!(!looks_like_names(&rows(&[&["Rent", "1,200"], &["Heat", "80"]])));
        assert!(!looks_like_names(&rows(&[&["Name", "Jane"], &["Town", "Bath"]])));
    }
}
