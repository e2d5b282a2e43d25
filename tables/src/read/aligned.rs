//! Columns that stand under each other, parted by blanks alone: what commands print, and lists that somebody typed.

use std::ops::Range;

use super::line_number;
use crate::raw::RawTable;

/// Fewest rows below the names.
const FEWEST_ROWS: usize = 4;

/// Fewest columns.
const FEWEST_COLUMNS: usize = 3;

/// Most lines above the names that may be a title.
const MOST_TITLES: usize = 4;

/// Most lines of a text that is looked at.
const MOST_LINES: usize = 20_000;

/// Where a table stands in the lines of a text, and where its columns do.
struct Layout {
    /// The line with the names.
    header: usize,
    /// The lines of the rows; rules are among them.
    rows: Range<usize>,
    /// By letters from the beginning of a line.
    columns: Vec<Range<usize>>,
}

/// Whether such a table is in a text.
pub(super) fn has_table(text: &str) -> bool {
    layout(&text.lines().collect::<Vec<_>>()).is_some()
}

/// The table of a text.
pub(super) fn read(text: &str) -> RawTable {
    let lines: Vec<&str> = text.lines().collect();
    let Some(Layout { header, rows, columns }) = layout(&lines) else { return RawTable::default() };
    let mut table = RawTable::new(cells(lines[header], &columns));
    let outside = |line: &&str| !line.trim().is_empty() && !is_rule(line);
    let above = lines[..header].iter().filter(|line| outside(line)).count();
    let below = lines[rows.end..].iter().filter(|line| outside(line)).count();
    if above > 0 {
        table.notes.push(format!("{above} lines above the table are no records"));
    }
    if below > 0 {
        table.notes.push(format!("{below} lines below the table are no records"));
    }
    for index in rows.filter(|index| !is_rule(lines[*index])) {
        let row = cells(lines[index], &columns);
        let number = line_number(index);
        table.push_row(number..=number, row.iter().map(String::as_str));
    }
    table.drop_total();
    table
}

fn layout(lines: &[&str]) -> Option<Layout> {
    if lines.len() > MOST_LINES || lines.iter().any(|line| line.contains('\t')) {
        return None;
    }
    let (mut start, mut found): (usize, Option<Layout>) = (0, None);
    while start < lines.len() {
        let end = (start..lines.len()).find(|at| lines[*at].trim().is_empty()).unwrap_or(lines.len());
        let is_longer = found.as_ref().is_none_or(|found| end - start > found.rows.len() + 1);
        if end - start > FEWEST_ROWS && is_longer {
            // A title may stand right above the names.
            let headers = start..(start + MOST_TITLES).min(end);
            found = headers.into_iter().find_map(|header| layout_below(lines, header, end)).or(found);
        }
        start = end + 1;
    }
    found
}

/// The columns of lines of which the first has the names.
fn layout_below(lines: &[&str], header: usize, end: usize) -> Option<Layout> {
    let rows = header + 1..end;
    let filled: Vec<&str> = lines[header..end].iter().copied().filter(|line| !is_rule(line)).collect();
    if filled.len() <= FEWEST_ROWS || is_rule(lines[header]) {
        return None;
    }
    let columns = columns(&filled);
    let is_wide = columns.windows(2).filter(|pair| pair[1].start - pair[0].end >= 2).count();
    if columns.len() < FEWEST_COLUMNS || is_wide * 2 < columns.len() - 1 {
        return None;
    }
    let names = cells(lines[header], &columns);
    // A name has a letter and is no number, time or size.
    let is_name =
        |name: &String| name.starts_with(|first: char| first.is_alphabetic() || first == '#' || first == '%');
    let is_named = names.iter().all(is_name);
    // Of rows like the names, nothing tells that the first are names.
    let has_numbers = filled[1..].iter().all(|line| line.chars().any(|letter| letter.is_ascii_digit()));
    let is_told = has_numbers && !filled[0].chars().any(|letter| letter.is_ascii_digit())
        || lines.get(header + 1).is_some_and(|line| is_rule(line))
        || filled[0].chars().all(|letter| !letter.is_lowercase());
    (is_named && is_told).then_some(Layout { header, rows, columns })
}

/// Where nothing stands in any line, a column ends and the next begins.
fn columns(lines: &[&str]) -> Vec<Range<usize>> {
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut is_filled = vec![false; width];
    for line in lines {
        for (at, _) in line.chars().enumerate().filter(|(_, letter)| !letter.is_whitespace()) {
            is_filled[at] = true;
        }
    }
    let mut columns: Vec<Range<usize>> = Vec::new();
    for at in (0..width).filter(|at| is_filled[*at]) {
        match columns.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => columns.push(at..at + 1),
        }
    }
    // A name of two words above cells of one: nothing stands below the second.
    let stands = |column: &Range<usize>| lines[1..].iter().any(|line| !cell(line, column).is_empty());
    let mut joined: Vec<Range<usize>> = Vec::new();
    for column in columns {
        match joined.last_mut() {
            Some(last) if column.start == last.end + 1 && (!stands(&column) || !stands(last)) => {
                last.end = column.end;
            }
            _ => joined.push(column),
        }
    }
    joined
}

fn cells(line: &str, columns: &[Range<usize>]) -> Vec<String> {
    columns.iter().map(|column| cell(line, column)).collect()
}

fn cell(line: &str, column: &Range<usize>) -> String {
    let text: String = line.chars().skip(column.start).take(column.len()).collect();
    text.trim().to_owned()
}

/// `----  -----`
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() > 2 && line.chars().all(|letter| matches!(letter, '-' | '=' | '+' | '_' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_parted_by_blanks_are_read_below_a_title() {
        let text = "Results, 6 October\n\n Bib  Name         Start time    Time\n----  -----------  ----------  -------\n  \
                    10  Emma Wood    08:00       4:18:20\n 116  Paul Reyes   08:05           DNF\n   7  Ada Tan      08:00       3:27:08\n  \
                    38  Yara Varga   08:00       4:54:50\n\n4 runners\n";
        let table = read(text);
        assert_eq!(table.names, ["Bib", "Name", "Start time", "Time"]);
        let rows: Vec<_> = table.rows().collect();
        assert_eq!(rows.len(), 4);
        assert_eq!((rows[1].cell(0), rows[1].cell(1), rows[1].cell(3)), ("116", "Paul Reyes", "DNF"));
        assert_eq!(rows[1].lines().0, 6);
        assert_eq!(table.notes.len(), 2);
    }

    #[test]
    fn prose_and_lists_without_names_are_no_such_table() {
        let prose = "The quick brown fox jumps over the lazy dog and\nruns away from the hounds that follow it over\nthe hills \
                     until the night falls on the valley\nand nobody remembers what it was about or why\nit had to \
                     happen at all on that day of May.\n";
        assert!(!has_table(prose));
        let list =
            "ada   berlin   5\nbob   paris    7\ncem   rome     9\ndora  oslo    11\nemil  wien    12\n";
        assert!(!has_table(list));
    }
}
