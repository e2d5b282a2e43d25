//! Rows with cells between signs: CSV and its relatives, dirty ones too.

use super::dialect::{self, Dialect};
use super::header::{self, Header};
use super::line_counter::LineCounter;
use crate::raw::{self, MAX_COLUMNS, RawTable};

/// Rows above the header that may be a title or a remark.
const MAX_PREAMBLE_ROWS: usize = 10;

/// Rows that are kept to judge the header.
const HEAD_ROWS: usize = 80;

/// Lines that are named where rows have another number of cells.
const MAX_NAMED_LINES: usize = 5;

/// How the rows of a file are read: found out from its beginning.
pub(crate) struct Plan {
    dialect: Dialect,
    names: Vec<String>,
    /// Rows above the first record: remarks and the header.
    skipped: usize,
    header_is_doubtful: bool,
    notes: Vec<String>,
}

/// Reads the rows of a text whose dialect is sniffed; one column where none shows.
pub(super) fn read(text: &str) -> RawTable {
    let (mut table, _) = read_block(&plan(text), text, true, true);
    table.notes.extend(row_notes(&table));
    table
}

/// What rows that do not fit are said to be.
pub(crate) fn row_notes(table: &RawTable) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(line) = table.total_line {
        notes.push(format!("line {line} sums up the lines above, and is no record"));
    }
    if !table.wide_lines.is_empty() {
        let lines = table.wide_lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        notes
            .push(format!("{} rows have more cells than there are columns (line {lines})", table.extra_rows));
    }
    if table.short_rows > 0 {
        notes.push(format!("{} rows have fewer cells than there are columns", table.short_rows));
    }
    notes
}

/// Sniffs the dialect of a file and judges its first rows.
pub(super) fn plan(text: &str) -> Plan {
    let dialect =
        dialect::sniff(text).unwrap_or(Dialect { delimiter: b',', quote: b'"', quoting: true, width: 1 });
    let mut head: Vec<csv::StringRecord> = Vec::new();
    let mut rows = Rows::new(text, dialect);
    let mut record = csv::StringRecord::new();
    while head.len() < HEAD_ROWS && rows.read(&mut record).is_some() {
        head.push(record.clone());
    }
    let mut notes = Vec::new();
    let mut preamble = preamble_rows(&head, dialect.width, true);
    let mut judged = judge(&head[preamble..], dialect.width);
    // Rows with few cells stand above the table only if names follow them.
    if judged != Header::Names {
        preamble = preamble_rows(&head, dialect.width, false);
        judged = judge(&head[preamble..], dialect.width);
    }
    if preamble > 0 {
        notes.push(format!("{preamble} lines above the table are no records"));
        head.drain(..preamble);
    }
    let mut plan = Plan { dialect, names: Vec::new(), skipped: preamble, header_is_doubtful: false, notes };
    if judged == Header::Record {
        plan.notes.push("the file names no columns".to_owned());
        plan.names.extend((1..=dialect.width).map(|number| format!("column {number}")));
    } else if let Some(record) = head.first() {
        plan.names.extend(record.iter().map(str::to_owned));
        plan.skipped += 1;
        plan.header_is_doubtful = judged == Header::LikelyNames;
        // A header shorter than its rows: the last columns have no name.
        while plan.names.len() < dialect.width {
            plan.names.push(format!("column {}", plan.names.len() + 1));
        }
        // A header with a separator at its end.
        while plan.names.len() > dialect.width && plan.names.last().is_some_and(|name| name.trim().is_empty())
        {
            plan.names.pop();
        }
    }
    plan.names.truncate(MAX_COLUMNS);
    plan
}

/// Reads the rows of a part of a file, and how many bytes of it they take. Unless the part is the last, its last row is left
/// to the next part, since it may go on there.
pub(super) fn read_block(plan: &Plan, text: &str, is_first: bool, is_last: bool) -> (RawTable, usize) {
    let mut table = RawTable::new(plan.names.iter().cloned());
    table.delimiter = Some(char::from(plan.dialect.delimiter));
    table.header_is_doubtful = plan.header_is_doubtful;
    if is_first {
        table.notes.clone_from(&plan.notes);
    }
    let width = table.names.len();
    let mut rows = Rows::new(text, plan.dialect);
    let (mut record, mut before) = (csv::StringRecord::new(), csv::StringRecord::new());
    // The row before waits until it is known whether it is the last.
    let mut waiting: Option<Place> = None;
    for _ in 0..if is_first { plan.skipped } else { 0 } {
        rows.read(&mut record);
    }
    while let Some(place) = rows.read(&mut record) {
        if let Some(place) = waiting.replace(place) {
            push(&mut table, &before, place.lines, width);
        }
        std::mem::swap(&mut record, &mut before);
    }
    let Some(place) = waiting else { return (table, text.len()) };
    if !is_last {
        return (table, place.start);
    }
    // Only the last row can be a sum of those above.
    if raw::is_total(before.len(), before.iter()) {
        table.total_line = Some(place.lines.0);
        table.has_total_row = true;
    } else {
        push(&mut table, &before, place.lines, width);
    }
    (table, text.len())
}

fn push(table: &mut RawTable, record: &csv::StringRecord, lines: (u32, u32), width: usize) {
    // A separator at the end of each row makes no cell.
    let empty_behind = record.len() > width && record.iter().skip(width).all(|cell| cell.trim().is_empty());
    let count = if empty_behind { width } else { record.len() };
    if count > width && table.wide_lines.len() < MAX_NAMED_LINES {
        table.wide_lines.push(lines.0);
    }
    table.push_row(lines.0..=lines.1, record.iter().take(count));
}

/// Whether the first of some rows names the columns, by the others of the usual width.
fn judge(head: &[csv::StringRecord], width: usize) -> Header {
    let is_usual = |record: &&csv::StringRecord| record.len() == width;
    let first = head.first().filter(|record| !is_usual(record));
    let rows: Vec<Vec<&str>> =
        first.into_iter().chain(head.iter().filter(is_usual)).map(|record| record.iter().collect()).collect();
    header::judge(&rows)
}

/// Rows before the first that has as many cells as most: titles, remarks, an export's date, and with `allows_narrow` such as
/// have few of its cells: `Account;DE02 1203`.
fn preamble_rows(head: &[csv::StringRecord], width: usize, allows_narrow: bool) -> usize {
    if width < 2 {
        return 0;
    }
    let filled = |record: &csv::StringRecord| record.iter().filter(|cell| !cell.trim().is_empty()).count();
    let is_remark = |record: &csv::StringRecord| {
        record.get(0).is_some_and(|cell| cell.trim_start().starts_with('#')) && filled(record) < width
    };
    let is_narrow =
        |record: &csv::StringRecord| allows_narrow && record.len() < width && filled(record) * 2 <= width;
    head.iter()
        .take(MAX_PREAMBLE_ROWS)
        .take_while(|record| filled(record) <= 1 || is_remark(record) || is_narrow(record))
        .count()
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

/// Where a row stands.
struct Place {
    /// Its first byte.
    start: usize,
    /// Its first and its last line.
    lines: (u32, u32),
}

impl Rows<'_> {
    /// Reads the next row that is not blank.
    fn read(&mut self, record: &mut csv::StringRecord) -> Option<Place> {
        loop {
            // The text is valid UTF-8 in memory and lengths may differ, so that reading cannot fail.
            if !matches!(self.reader.read_record(record), Ok(true)) {
                return None;
            }
            if record.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            let start = usize::try_from(record.position().map_or(0, csv::Position::byte)).ok()?;
            let end = usize::try_from(self.reader.position().byte()).ok()?.min(self.text.len());
            let start = start.min(end);
            let bytes = &self.text.as_bytes()[start..end];
            // The reader counts blank lines to the row behind them and line endings to the row before.
            let front = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let back = bytes.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let first = self.lines.at(start + front);
            let last = self.lines.at((end - back).max(start + front));
            return Some(Place { start, lines: (first, last) });
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
