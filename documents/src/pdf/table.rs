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

    #[test]
    fn names_stand_over_numbers() {
        assert!(looks_like_names(&rows(&[&["Item", "Amount"], &["Rent", "1,200.00 €"], &["Heat", "80"]])));
        assert!(!looks_like_names(&rows(&[&["Rent", "1,200"], &["Heat", "80"]])));
        assert!(!looks_like_names(&rows(&[&["Name", "Jane"], &["Town", "Bath"]])));
    }
}
