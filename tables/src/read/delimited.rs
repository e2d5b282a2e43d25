//! Rows with cells between signs: CSV and its relatives, dirty ones too.

use super::dialect::{self, Dialect};
use super::header::{self, Header};
use super::line_counter::LineCounter;
use crate::raw::{MAX_COLUMNS, RawTable};

/// Rows above the header that may be a title or a remark.
const MAX_PREAMBLE_ROWS: usize = 10;

/// Rows that are kept aside to judge the header.
const HEAD_ROWS: usize = 80;

/// Lines that are named where rows have another number of cells.
const MAX_NAMED_LINES: usize = 5;

/// Reads the rows of a text whose dialect is sniffed; one column where none shows.
pub(super) fn read(text: &str) -> RawTable {
    let dialect =
        dialect::sniff(text).unwrap_or(Dialect { delimiter: b',', quote: b'"', quoting: true, width: 1 });
    let mut head: Vec<(csv::StringRecord, (u32, u32))> = Vec::new();
    let mut rows = Rows::new(text, dialect);
    let mut widest = dialect.width;
    while head.len() < HEAD_ROWS
        && let Some((record, lines)) = rows.next()
    {
        widest = widest.max(record.len());
        head.push((record, lines));
    }
    let mut notes = Vec::new();
    let preamble = preamble_rows(&head, dialect.width);
    if preamble > 0 {
        notes.push(format!("{preamble} lines above the table are no records"));
        head.drain(..preamble);
    }
    let sampled: Vec<Vec<&str>> = head
        .iter()
        .filter(|(record, _)| record.len() == dialect.width)
        .map(|(record, _)| record.iter().collect())
        .collect();
    let first_is_usual = head.first().is_some_and(|(record, _)| record.len() == dialect.width);
    let judged = match head.first() {
        Some((record, _)) if !first_is_usual => {
            let mut with_first = vec![record.iter().collect::<Vec<&str>>()];
            with_first.extend(sampled.iter().cloned());
            header::judge(&with_first)
        }
        _ => header::judge(&sampled),
    };
    let mut names: Vec<String> = Vec::new();
    let mut table_is_doubtful = false;
    if judged == Header::Record {
        notes.push("the file names no columns".to_owned());
        names.extend((1..=dialect.width).map(|number| format!("column {number}")));
    } else if !head.is_empty() {
        let (record, _) = head.remove(0);
        names.extend(record.iter().map(str::to_owned));
        table_is_doubtful = judged == Header::LikelyNames;
        // A header shorter than its rows: the last columns have no name.
        while names.len() < dialect.width {
            names.push(format!("column {}", names.len() + 1));
        }
        // A header with a separator at its end.
        while names.len() > dialect.width && names.last().is_some_and(|name| name.trim().is_empty()) {
            names.pop();
        }
    }
    names.truncate(MAX_COLUMNS);
    let mut table = RawTable::new(names);
    table.delimiter = Some(char::from(dialect.delimiter));
    table.header_is_doubtful = table_is_doubtful;
    table.notes = notes;
    let width = table.names.len();
    let mut wide_lines = Vec::new();
    let mut totals = Vec::new();
    let mut pending: Option<(csv::StringRecord, (u32, u32))> = None;
    let rest = head.into_iter().chain(rows);
    for (record, lines) in rest {
        if let Some((record, lines)) = pending.take() {
            push(&mut table, &record, lines, width, &mut wide_lines);
        }
        if is_total(&record) {
            pending = Some((record, lines));
        } else {
            push(&mut table, &record, lines, width, &mut wide_lines);
        }
    }
    // Only the last row can be a sum of those above.
    if let Some((_, lines)) = pending {
        totals.push(lines.0);
        table.notes.push(format!("line {} is a total of the lines above, not a record", lines.0));
        table.has_total_row = true;
    }
    if !wide_lines.is_empty() {
        table.notes.push(format!(
            "{} rows have more cells than there are columns (line {})",
            table.extra_rows,
            wide_lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
        ));
    }
    if table.short_rows > 0 {
        table.notes.push(format!("{} rows have fewer cells than there are columns", table.short_rows));
    }
    table
}

fn push(
    table: &mut RawTable,
    record: &csv::StringRecord,
    lines: (u32, u32),
    width: usize,
    wide_lines: &mut Vec<u32>,
) {
    // A separator at the end of each row makes no cell.
    let empty_behind = record.len() > width && record.iter().skip(width).all(|cell| cell.trim().is_empty());
    let count = if empty_behind { width } else { record.len() };
    if count > width && wide_lines.len() < MAX_NAMED_LINES {
        wide_lines.push(lines.0);
    }
    table.push_row(lines.0..=lines.1, record.iter().take(count));
}

/// Rows before the first that has as many cells as most: titles, remarks, an export's date.
fn preamble_rows(head: &[(csv::StringRecord, (u32, u32))], width: usize) -> usize {
    if width < 2 {
        return 0;
    }
    let filled = |record: &csv::StringRecord| record.iter().filter(|cell| !cell.trim().is_empty()).count();
    let is_remark = |record: &csv::StringRecord| {
        record.get(0).is_some_and(|cell| cell.trim_start().starts_with('#')) && filled(record) < width
    };
    head.iter()
        .take(MAX_PREAMBLE_ROWS)
        .take_while(|(record, _)| (filled(record) <= 1 && width > 1) || is_remark(record))
        .count()
}

/// Whether the first filled cell of a row says that the row adds up others.
fn is_total(record: &csv::StringRecord) -> bool {
    let mut filled = record.iter().map(str::trim).filter(|cell| !cell.is_empty());
    let Some(first) = filled.next() else { return false };
    let word = first.trim_end_matches(':').to_lowercase();
    record.len() > 1
        && matches!(
            word.as_str(),
            "total" | "totals" | "sum" | "grand total" | "summe" | "gesamt" | "gesamtsumme" | "insgesamt"
        )
}

/// The records of a text with their lines, blank ones left out.
struct Rows<'t> {
    text: &'t str,
    reader: csv::Reader<&'t [u8]>,
    lines: LineCounter<'t>,
}

impl<'t> Rows<'t> {
    fn new(text: &'t str, dialect: Dialect) -> Self {
        let reader = dialect::reader(text, dialect.delimiter, dialect.quote, dialect.quoting);
        Self { text, reader, lines: LineCounter::new(text) }
    }
}

impl Iterator for Rows<'_> {
    type Item = (csv::StringRecord, (u32, u32));

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut record = csv::StringRecord::new();
            // The text is valid UTF-8 in memory and lengths may differ, so that reading cannot fail.
            if !matches!(self.reader.read_record(&mut record), Ok(true)) {
                return None;
            }
            let start = usize::try_from(record.position().map_or(0, csv::Position::byte)).ok()?;
            let end = usize::try_from(self.reader.position().byte()).ok()?.min(self.text.len());
            let start = start.min(end);
            let bytes = &self.text.as_bytes()[start..end];
            // The reader counts blank lines to the row behind them and line endings to the row before.
            let front = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let back = bytes.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            if record.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            let first = self.lines.at(start + front);
            let last = self.lines.at((end - back).max(start + front));
            return Some((record, (first, last)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(table: &RawTable) -> Vec<(u32, u32)> {
        table.rows().map(|row| row.lines()).collect()
    }

    #[test]
    fn rows_know_their_lines_whatever_stands_between_them() {
        let table = read("id,note\r\n7,\"first\nsecond\"\r\n\r\n8,plain\r\n");
        assert_eq!(lines(&table), [(2, 3), (5, 5)]);
        assert_eq!(table.rows().next().unwrap().cell(1), "first\nsecond");
    }

    #[test]
    fn titles_above_and_totals_below_are_no_records() {
        let table = read("Sales 2026,,\n\nregion,units,price\nnorth,3,2.50\nsouth,4,1.00\nTotal,7,\n");
        assert_eq!(table.names, ["region", "units", "price"]);
        assert_eq!(table.len(), 2);
        assert!(table.has_total_row);
    }

    #[test]
    fn rows_with_other_numbers_of_cells_are_counted() {
        let table = read("id,name,amount\n1,Ann,2\n2,Bob,3\n3,Smith, John,4\n4,Cem\n");
        assert_eq!((table.len(), table.extra_rows, table.short_rows), (4, 1, 1));
        assert!(table.notes.iter().any(|note| note.contains("line 4")), "{:?}", table.notes);
    }

    #[test]
    fn a_file_without_names_gets_numbers() {
        let table = read("1,Ann\n2,Bob\n");
        assert_eq!(table.names, ["column 1", "column 2"]);
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn a_separator_at_the_end_of_each_row_is_no_column() {
        let table = read("a_id;b_id\n1;2;\n3;4;\n");
        assert_eq!(table.extra_rows, 0);
        assert_eq!(table.len(), 2);
    }
}
