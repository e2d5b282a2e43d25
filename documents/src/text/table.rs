//! CSV and its relatives: where the rows are, and how a model reads one.

use std::collections::HashSet;
use std::ops::Range;

use super::lines::is_blank;

/// Rows with more line breaks than this come from a quote that was never closed.
const MAX_ROW_BREAKS: u32 = 100;

/// Rows that are compared with the first to tell whether it is a header.
const HEADER_SAMPLE_ROWS: usize = 20;

/// Longest header name.
const MAX_NAME_BYTES: usize = 80;

/// One row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Where it stands, without surrounding line endings.
    pub bytes: Range<usize>,
    /// `name=value, name=value`, if the table has a header.
    pub shown: Option<String>,
    /// Whether it only names the columns.
    pub is_header: bool,
}

/// The rows of a table in order, blank ones left out.
pub fn rows(text: &str, delimiter: u8) -> Vec<Row> {
    let mut parsed = parse(text, delimiter, true);
    // An apostrophe-like quote swallows the rest of the file; without quoting every line is a row.
    if parsed.iter().any(|(bytes, _)| super::lines::count_breaks(&text[bytes.clone()]) > MAX_ROW_BREAKS) {
        parsed = parse(text, delimiter, false);
    }
    let header = header(&parsed);
    parsed
        .into_iter()
        .enumerate()
        .map(|(index, (bytes, fields))| {
            let is_header = index == 0 && header.is_some();
            let shown = header.as_ref().filter(|_| !is_header).map(|names| show(names, &fields));
            Row { bytes, shown, is_header }
        })
        .collect()
}

fn parse(text: &str, delimiter: u8, quoting: bool) -> Vec<(Range<usize>, csv::StringRecord)> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(quoting)
        .has_headers(false)
        .flexible(true)
        // A lone \r would make two rows of one line; the \r of \r\n is trimmed off the last field.
        .terminator(csv::Terminator::Any(b'\n'))
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    // The input is valid UTF-8 in memory and lengths may differ, so that reading cannot fail.
    while let Ok(true) = reader.read_record(&mut record) {
        let start = record.position().map_or(0, csv::Position::byte);
        let bytes = trimmed(text, offset(start)..offset(reader.position().byte()));
        if !is_blank(&text[bytes.clone()]) {
            rows.push((bytes, record.clone()));
        }
    }
    rows
}

fn offset(byte: u64) -> usize {
    usize::try_from(byte).unwrap_or(usize::MAX)
}

/// The reader counts blank lines to the row behind them and line endings to the row before.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = &text[range.start..range.end.min(text.len())];
    let front = slice.len() - slice.trim_start_matches(['\r', '\n']).len();
    let length = slice[front..].trim_end_matches(['\r', '\n']).len();
    range.start + front..range.start + front + length
}

/// The column names, if the first row is made of them: short, all different, none empty or
/// numeric, and none repeated as a value in its own column.
fn header(rows: &[(Range<usize>, csv::StringRecord)]) -> Option<Vec<String>> {
    let ((_, first), rest) = rows.split_first()?;
    let names: Vec<String> = first.iter().map(|field| field.trim().to_owned()).collect();
    let mut seen = HashSet::new();
    let all_are_names = names.iter().all(|name| {
        !name.is_empty()
            && name.len() <= MAX_NAME_BYTES
            && !name.starts_with(|character: char| character.is_ascii_digit() || "+-.".contains(character))
            && !name.contains('\n')
            && seen.insert(name.to_lowercase())
    });
    let repeated = rest
        .iter()
        .take(HEADER_SAMPLE_ROWS)
        .any(|(_, row)| names.iter().zip(row).any(|(name, value)| value.trim().eq_ignore_ascii_case(name)));
    (names.len() > 1 && !rest.is_empty() && all_are_names && !repeated).then_some(names)
}

fn show(names: &[String], fields: &csv::StringRecord) -> String {
    let mut shown = String::with_capacity(fields.as_slice().len() + names.len() * 12);
    for (column, value) in fields.iter().enumerate() {
        if column > 0 {
            shown.push_str(", ");
        }
        if let Some(name) = names.get(column) {
            shown.push_str(name);
        } else {
            shown.push_str("column ");
            shown.push_str(&(column + 1).to_string());
        }
        shown.push('=');
        // A record is one line for a model, whatever stands in the quoted field.
        for (index, piece) in value.trim().split(['\r', '\n']).filter(|piece| !piece.is_empty()).enumerate() {
            if index > 0 {
                shown.push(' ');
            }
            shown.push_str(piece);
        }
    }
    shown
}

/// The separator that stands most often in the first line, if any does.
pub(super) fn sniff_delimiter(text: &str) -> Option<u8> {
    let first = super::lines::lines(text).map(|line| &text[line.bytes()]).find(|line| !is_blank(line))?;
    [b'\t', b';', b'|', b',']
        .into_iter()
        .map(|delimiter| (first.bytes().filter(|byte| *byte == delimiter).count(), delimiter))
        .filter(|(count, _)| *count > 0)
        .max_by_key(|(count, _)| *count)
        .map(|(_, delimiter)| delimiter)
}

/// Whether sampled lines all have the same fields under a header: what a file without a telling
/// name must show before it is read as a table.
pub(super) fn looks_like_table(sampled: &[&str], delimiter: u8) -> bool {
    let parsed = parse(&sampled.join("\n"), delimiter, true);
    let Some(columns) = parsed.first().map(|(_, row)| row.len()) else { return false };
    columns > 1 && parsed.iter().all(|(_, row)| row.len() == columns) && header(&parsed).is_some()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<Option<String>> {
        rows(text, b',').into_iter().filter(|row| !row.is_header).map(|row| row.shown).collect()
    }

    #[test]
    fn rows_are_shown_with_their_column_names() {
        let text = "id,name,amount\r\n1,\"Doe, Jane\",20\r\n2,Max,\r\n";
        assert_eq!(
            shown(text),
            [Some("id=1, name=Doe, Jane, amount=20".to_owned()), Some("id=2, name=Max, amount=".to_owned())]
        );
        let found = rows(text, b',');
        assert_eq!(&text[found[1].bytes.clone()], "1,\"Doe, Jane\",20");
    }

    #[test]
    fn a_first_row_with_numbers_or_duplicates_is_no_header() {
        assert_eq!(shown("1,a\n2,b\n"), [None, None]);
        assert_eq!(shown("a,a\nb,c\n"), [None, None]);
        assert_eq!(shown("red,yes\nblue,yes\n"), [None, None]);
        assert_eq!(shown("a,b\n"), [None]);
    }

    #[test]
    fn a_row_over_several_lines_is_one_row() {
        let text = "id,note\n7,\"first\nsecond\"\n\n8,plain\n";
        let found = rows(text, b',');
        assert_eq!(found.len(), 3);
        assert_eq!(&text[found[1].bytes.clone()], "7,\"first\nsecond\"");
        assert_eq!(found[1].shown.as_deref(), Some("id=7, note=first second"));
        assert_eq!(&text[found[2].bytes.clone()], "8,plain");
    }

    #[test]
    fn a_quote_that_is_never_closed_does_not_swallow_the_file() {
        use std::fmt::Write as _;
        let mut text = String::from("id,note\n1,\"open\n");
        for row in 2..500 {
            writeln!(text, "{row},x").unwrap();
        }
        assert_eq!(rows(&text, b',').len(), 500);
    }

    #[test]
    fn fields_beyond_the_header_keep_their_place() {
        assert_eq!(shown("id,name\n1,a,extra\n"), [Some("id=1, name=a, column 3=extra".to_owned())]);
    }
}
