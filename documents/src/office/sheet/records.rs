//! The records of an Excel 97 workbook, which its library reads again: here they tell what the library does not.
//!
//! Source of the layout: Microsoft's [MS-XLS], BIFF5 and BIFF8.

use std::collections::HashMap;

use crate::office::value::is_percent;

/// The begin of a workbook's globals, of a sheet, or of a chart inside of it.
pub(super) const BEGIN: u16 = 0x0809;
/// Where a sheet begins.
pub(super) const SHEET: u16 = 0x0085;
const END: u16 = 0x000a;
/// A number format of this workbook, and what a cell looks like.
const FORMAT: u16 = 0x041e;
const LOOK: u16 = 0x00e0;
/// Cells with a number: one, one in few bytes, several in few bytes, a computed one.
const NUMBER: u16 = 0x0203;
const SHORT_NUMBER: u16 = 0x027e;
pub(super) const SHORT_NUMBERS: u16 = 0x00bd;
const FORMULA: u16 = 0x0006;

/// Number formats that every workbook has: `0%` and `0.00%`.
const PERCENT: [u16; 2] = [9, 10];

/// A record, and where it begins in its stream.
pub(super) struct Record<'a> {
    pub at: usize,
    pub kind: u16,
    pub data: &'a [u8],
}

impl Record<'_> {
    /// Two bytes of it; zero beyond its end.
    pub fn word(&self, at: usize) -> u16 {
        match self.data.get(at..at + 2) {
            Some(word) => u16::from_le_bytes([word[0], word[1]]),
            None => 0,
        }
    }

    pub fn double_word(&self, at: usize) -> u32 {
        u32::from(self.word(at)) | u32::from(self.word(at + 2)) << 16
    }
}

/// The records of a stream; the last may be cut short.
pub(super) fn records(stream: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let head = stream.get(at..at + 4)?;
        let [kind, length] = [[head[0], head[1]], [head[2], head[3]]].map(u16::from_le_bytes);
        let end = stream.len().min(at + 4 + usize::from(length));
        let record = Record { at, kind, data: &stream[at + 4..end] };
        at = end;
        Some(record)
    })
}

/// The cells that a workbook shows in percent: row and column, counted from 0, in order; sheet by sheet.
#[derive(Debug, Default)]
pub(super) struct Shares(Vec<Vec<(u16, u16)>>);

impl Shares {
    pub fn of(stream: &[u8]) -> Self {
        let mut begins = Vec::new();
        let mut in_percent = HashMap::from(PERCENT.map(|format| (format, true)));
        let mut looks = Vec::new();
        let mut sheets: HashMap<usize, Vec<(u16, u16)>> = HashMap::new();
        let (mut is_biff8, mut depth, mut sheet) = (true, 0_usize, 0);
        for record in records(stream) {
            let has_percent = |look: u16| {
                let format = looks.get(usize::from(look));
                format.is_some_and(|format| in_percent.get(format).copied().unwrap_or_default())
            };
            match record.kind {
                BEGIN => {
                    if depth == 0 {
                        sheet = record.at;
                    }
                    is_biff8 = record.word(0) != 0x0500;
                    depth += 1;
                }
                END => depth = depth.saturating_sub(1),
                SHEET => begins.push(record.double_word(0) as usize),
                FORMAT => {
                    in_percent.insert(record.word(0), is_percent(&format_code(record.data, is_biff8)));
                }
                LOOK => looks.push(record.word(2)),
                // A chart inside of a sheet has cells of its own.
                NUMBER | SHORT_NUMBER | FORMULA if depth == 1 && has_percent(record.word(4)) => {
                    sheets.entry(sheet).or_default().push((record.word(0), record.word(2)));
                }
                SHORT_NUMBERS if depth == 1 => {
                    let cells = record.data.get(4..).unwrap_or_default().as_chunks::<6>().0;
                    for (column, cell) in (record.word(2)..=u16::MAX).zip(cells) {
                        if has_percent(u16::from_le_bytes([cell[0], cell[1]])) {
                            sheets.entry(sheet).or_default().push((record.word(0), column));
                        }
                    }
                }
                _ => {}
            }
        }
        let in_order = |begin: usize| {
            let mut cells = sheets.remove(&begin).unwrap_or_default();
            cells.sort_unstable();
            cells
        };
        Self(begins.into_iter().map(in_order).collect())
    }

    /// Whether a cell is shown in percent. Sheets, rows and columns are counted from 0.
    pub fn has(&self, sheet: usize, row: u32, column: u32) -> bool {
        let (Ok(row), Ok(column)) = (u16::try_from(row), u16::try_from(column)) else { return false };
        self.0.get(sheet).is_some_and(|cells| cells.binary_search(&(row, column)).is_ok())
    }
}

/// How a number format is written. What is not ASCII in it does not matter here.
fn format_code(data: &[u8], is_biff8: bool) -> String {
    let bytes = |from: usize, count: usize| data.get(from..).unwrap_or_default().iter().take(count);
    let one = |byte: &u8| char::from(*byte);
    match data {
        [_, _, count, ..] if !is_biff8 => bytes(3, usize::from(*count)).map(one).collect(),
        [_, _, low, high, wide, ..] => {
            let count = usize::from(u16::from_le_bytes([*low, *high]));
            if wide & 1 == 0 {
                return bytes(5, count).map(one).collect();
            }
            let units = data[5..].as_chunks::<2>().0.iter().take(count);
            char::decode_utf16(units.map(|unit| u16::from_le_bytes(*unit))).filter_map(Result::ok).collect()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(data.len()).unwrap();
        [&kind.to_le_bytes(), &length.to_le_bytes(), data].concat()
    }

    fn words(kind: u16, words: &[u16]) -> Vec<u8> {
        record(kind, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
    }

    /// Two sheets behind globals with the looks: general, `0%`, and one of the workbook's own.
    fn workbook(version: u16, format: &[u8], sheets: [Vec<u8>; 2]) -> Vec<u8> {
        let globals = |begins: [usize; 2]| {
            let sheet = |begin: usize| {
                record(SHEET, &[&u32::try_from(begin).unwrap().to_le_bytes()[..], b"\0\0"].concat())
            };
            let own = [&164_u16.to_le_bytes()[..], format].concat();
            let looks = [0, 9, 164].map(|format| words(LOOK, &[0, format])).concat();
            [
                words(BEGIN, &[version, 5]),
                begins.map(sheet).concat(),
                record(FORMAT, &own),
                looks,
                words(END, &[]),
            ]
            .concat()
        };
        let sheets = sheets.map(|cells| [words(BEGIN, &[version, 16]), cells, words(END, &[])].concat());
        let first = globals([0, 0]).len();
        [globals([first, first + sheets[0].len()]), sheets.concat()].concat()
    }

    #[test]
    fn cells_in_percent_are_known_by_sheet_row_and_column() {
        let number = |row, column, look| words(NUMBER, &[row, column, look, 0, 0, 0, 0x3fe0]);
        let several = words(SHORT_NUMBERS, &[7, 2, 0, 0, 0, 1, 0, 0, 2, 0, 0, 4]);
        let chart = [words(BEGIN, &[0x0600, 32]), number(9, 9, 1), words(END, &[])].concat();
        let first =
            [number(3, 1, 2), number(3, 0, 0), chart, words(FORMULA, &[1, 1, 1, 0, 0, 0, 0])].concat();
        for (version, format) in
            [(0x0600, &b"\x04\0\0[0]%"[..]), (0x0600, b"\x02\0\x010\0%\0"), (0x0500, b"\x040.0%")]
        {
            let shares = Shares::of(&workbook(version, format, [first.clone(), several.clone()]));
            assert_eq!(shares.0, [vec![(1, 1), (3, 1)], vec![(7, 3), (7, 4)]], "{format:?}");
            assert!(
                shares.has(0, 3, 1) && !shares.has(0, 3, 0) && !shares.has(1, 3, 1) && !shares.has(2, 0, 0)
            );
        }
        let shares = Shares::of(&workbook(0x0600, b"\x05\0\0\"%\"0x", [first, several]));
        assert_eq!(shares.0, [vec![(1, 1)], vec![(7, 3)]], "a sign in quotes is no percent");
    }

    #[test]
    fn streams_that_end_early_are_read_as_far_as_they_go() {
        let whole = workbook(
            0x0600,
            b"\x02\0\x010\0%\0",
            [words(NUMBER, &[1]), words(SHORT_NUMBERS, &[1, 0xffff, 1, 0, 0, 1, 0, 0])],
        );
        for end in 0..whole.len() {
            Shares::of(&whole[..end]);
        }
        assert_eq!(records(&whole).map(|record| record.data.len() + 4).sum::<usize>(), whole.len());
    }
}
