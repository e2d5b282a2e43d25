//! What separates cells, and what quotes them.

/// How the cells of a file are separated and quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub delimiter: u8,
    pub quote: u8,
    /// Whether quotes mean anything. A quote that is never closed would swallow the file.
    pub quoting: bool,
    /// How many cells most rows have.
    pub width: usize,
}

/// Rows that are read to tell the dialect.
const SAMPLE_ROWS: usize = 300;

/// Rows with more line breaks than this come from a quote that was never closed.
const MAX_ROW_BREAKS: u64 = 200;

/// The dialect of a text, if most of its rows have the same number of cells, more than one.
pub(super) fn sniff(text: &str) -> Option<Dialect> {
    let mut best: Option<(u64, Dialect)> = None;
    for delimiter in [b',', b';', b'\t', b'|'] {
        if !text.as_bytes().iter().take(1 << 20).any(|byte| *byte == delimiter) {
            continue;
        }
        let quote = if quotes_with_apostrophes(text, delimiter) { b'\'' } else { b'"' };
        let quoting = closes_its_quotes(text, delimiter, quote);
        let widths = widths(text, delimiter, quote, quoting);
        let Some(width) = most_frequent(&widths) else { continue };
        if width < 2 {
            continue;
        }
        let same = widths.iter().filter(|other| **other == width).count();
        let share = same * 1000 / widths.len();
        // Two rows may agree by chance, prose with commas does not for long.
        if share < 600 || (widths.len() > 2 && same < 2) {
            continue;
        }
        // A first row that agrees with the rest is a header or a record; a comma in decimals shows in neither.
        let first_agrees = u64::from(widths.first() == Some(&width)) * 300;
        let score = share as u64 + first_agrees + (width.min(20) as u64) * 2;
        if best.is_none_or(|(other, _)| score > other) {
            best = Some((score, Dialect { delimiter, quote, quoting, width }));
        }
    }
    best.map(|(_, dialect)| dialect)
}

fn quotes_with_apostrophes(text: &str, delimiter: u8) -> bool {
    let delimiter = char::from(delimiter);
    let opening = |quote: char| text.matches(&format!("{delimiter}{quote}")[..]).take(200).count();
    opening('\'') > 2 && opening('"') == 0 && text.matches(&format!("'{delimiter}")[..]).take(2).count() == 2
}

pub(super) fn reader(text: &str, delimiter: u8, quote: u8, quoting: bool) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quote(quote)
        .quoting(quoting)
        .has_headers(false)
        .flexible(true)
        // A lone \r would make two rows of one line; the \r of \r\n is trimmed off the last cell.
        .terminator(csv::Terminator::Any(b'\n'))
        .from_reader(text.as_bytes())
}

fn widths(text: &str, delimiter: u8, quote: u8, quoting: bool) -> Vec<usize> {
    let mut reader = reader(text, delimiter, quote, quoting);
    let mut record = csv::StringRecord::new();
    let mut widths = Vec::new();
    while widths.len() < SAMPLE_ROWS && matches!(reader.read_record(&mut record), Ok(true)) {
        if record.iter().any(|cell| !cell.trim().is_empty()) {
            widths.push(record.len());
        }
    }
    widths
}

/// Whether no row is so long that a quote in it can only have been left open.
fn closes_its_quotes(text: &str, delimiter: u8, quote: u8) -> bool {
    if !text.as_bytes().contains(&quote) {
        return true;
    }
    let mut reader = reader(text, delimiter, quote, true);
    let mut record = csv::ByteRecord::new();
    let mut before = 1;
    while matches!(reader.read_byte_record(&mut record), Ok(true)) {
        let line = reader.position().line();
        let inner =
            record.iter().map(|cell| cell.split(|byte| *byte == b'\n').count() - 1).sum::<usize>() as u64;
        if line.saturating_sub(before) > MAX_ROW_BREAKS && inner > MAX_ROW_BREAKS {
            return false;
        }
        before = line;
    }
    true
}

fn most_frequent(widths: &[usize]) -> Option<usize> {
    let mut counts = std::collections::BTreeMap::new();
    for width in widths {
        *counts.entry(*width).or_insert(0_usize) += 1;
    }
    counts.into_iter().max_by_key(|(width, count)| (*count, *width)).map(|(width, _)| width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_commas_do_not_hide_semicolons() {
        let dialect = sniff("Nr;Kunde;Betrag\n1;Ada;12,50\n2;Bob;1.000,00\n3;Cem;7,25\n").unwrap();
        assert_eq!((dialect.delimiter, dialect.width), (b';', 3));
    }

    #[test]
    fn quoted_commas_count_for_nothing() {
        let dialect = sniff("name,amount\n\"Smith, John\",\"1,204.50\"\n\"Doe, Jane\",3\n").unwrap();
        assert_eq!((dialect.delimiter, dialect.width, dialect.quoting), (b',', 2, true));
    }

    #[test]
    fn prose_is_no_table() {
        assert_eq!(
            sniff(
                "Dear Ada,\nthank you, and goodbye, for now.\nYours,\nBob\n\nPS: one, two, three, four\nend"
            ),
            None
        );
        assert_eq!(sniff(""), None);
    }

    #[test]
    fn a_quote_left_open_turns_quoting_off() {
        let mut text = String::from("id,note\n1,\"open\n");
        for row in 2..500 {
            text.extend([format!("{row},x\n")]);
        }
        let dialect = sniff(&text).unwrap();
        assert!(!dialect.quoting);
        assert_eq!(dialect.width, 2);
    }
}
