//! Whether the first row names the columns. A wrong guess makes every count wrong by one, so doubt is kept.

use crate::value::{moment, number};
use crate::vocabulary;
use crate::words;

/// What the first row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    Names,
    /// It could be either, and is taken as names.
    LikelyNames,
    Record,
}

/// Rows that are compared with the first.
const SAMPLE_ROWS: usize = 50;

/// Longest name of a column.
const MAX_NAME_CHARS: usize = 80;

/// Judges the first of some rows by the others.
pub(super) fn judge(rows: &[Vec<&str>]) -> Header {
    let Some((first, rest)) = rows.split_first() else { return Header::Record };
    let rest = &rest[..rest.len().min(SAMPLE_ROWS)];
    let names: Vec<&str> = first.iter().map(|cell| cell.trim()).collect();
    let filled = names.iter().filter(|name| !name.is_empty()).count();
    if filled * 2 < names.len()
        || filled == 0
        || names.iter().any(|name| name.chars().count() > MAX_NAME_CHARS)
    {
        return Header::Record;
    }
    let years = are_years_in_a_row(&names);
    let values = names.iter().filter(|name| is_value(name)).count();
    // `2k` of a rower's test is a name beside others that stand over values.
    let is_named_so = values == 1
        && names.iter().all(|name| !is_value(name) || name.contains(char::is_alphabetic))
        && (0..names.len())
            .filter(|column| !is_value(names[*column]) && stands_over_values(&names, rest, *column))
            .count()
            >= 2;
    if !years && values > 0 && !is_named_so {
        return Header::Record;
    }
    let repeated = rest.iter().any(|row| {
        row.iter().zip(&names).any(|(cell, name)| !name.is_empty() && cell.trim().eq_ignore_ascii_case(name))
    });
    if repeated {
        return Header::Record;
    }
    let mut seen = std::collections::HashSet::new();
    let is_distinct =
        names.iter().filter(|name| !name.is_empty()).all(|name| seen.insert(name.to_lowercase()));
    let stands_over_values = (0..names.len()).any(|column| stands_over_values(&names, rest, column));
    let known = names
        .iter()
        .filter(|name| words::parts(name).iter().any(|word| vocabulary::names_columns(word)))
        .count();
    let technical = names.iter().filter(|name| is_identifier(name)).count();
    if stands_over_values || known * 2 >= filled || technical * 2 > filled {
        return Header::Names;
    }
    if is_distinct { Header::LikelyNames } else { Header::Record }
}

/// A column of values under a word is what a header looks like.
fn stands_over_values(names: &[&str], rest: &[Vec<&str>], column: usize) -> bool {
    let cells: Vec<&str> = rest
        .iter()
        .filter_map(|row| row.get(column))
        .map(|cell| cell.trim())
        .filter(|cell| !cell.is_empty())
        .collect();
    !names[column].is_empty()
        && !cells.is_empty()
        && cells.iter().filter(|cell| is_value(cell)).count() * 10 >= cells.len() * 7
}

fn is_value(cell: &str) -> bool {
    number::written(cell).is_some() || moment::written(cell).is_some()
}

fn is_identifier(name: &str) -> bool {
    name.contains('_')
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
}

/// `region,2019,2020,2021`
fn are_years_in_a_row(names: &[&str]) -> bool {
    let years: Vec<i32> = names.iter().filter_map(|name| name.parse().ok()).collect();
    let others_are_words = names.iter().all(|name| name.parse::<i32>().is_ok() || !is_value(name));
    years.len() >= 2
        && years.len() < names.len()
        && others_are_words
        && years.iter().all(|year| (1900..=2100).contains(year))
        && years.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Header {
        judge(&text.lines().map(|line| line.split(',').collect()).collect::<Vec<_>>())
    }

    #[test]
    fn words_over_values_are_names() {
        assert_eq!(judged("tool,pull\nAnna,3\nBen,4"), Header::Names);
        assert_eq!(judged("region,2019,2020,2021\nnorth,5,6,7"), Header::Names);
        assert_eq!(
            judged("date,rower,2k,rate\n2024-10-12,Orla,7:40.0,27\n2024-10-12,Beth,8:04.6,33"),
            Header::Names
        );
    }

    #[test]
    fn a_row_with_values_or_repeated_words_is_a_record() {
        assert_eq!(judged("Anna,3\nBen,4"), Header::Record);
        assert_eq!(judged("red,yes\nblue,yes"), Header::Record);
        assert_eq!(judged("2026-01-02,x\n2026-01-03,y"), Header::Record);
    }

    #[test]
    fn words_over_words_are_doubted_unless_known() {
        assert_eq!(judged("Anna,Berlin\nBen,Hamburg"), Header::LikelyNames);
        assert_eq!(judged("name,city\nBen,Hamburg"), Header::Names);
    }
}
