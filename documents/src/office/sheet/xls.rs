//! Excel 97 (XLS), whose reader builds dense ranges: the file's records are passed over first, and a file whose cells span
//! more than memory holds is refused.

use std::io::Cursor;

use calamine::{Data, Reader, SheetVisible, Xls, XlsError};

use super::records::{BEGIN, SHEET, SHORT_NUMBERS, Shares, records};
use super::{SheetRow, SheetWriter, outcome, warn_of_hidden};
use crate::event::Refusal;
use crate::format::Format;
use crate::office::compound::Compound;
use crate::office::value::Value;
use crate::output::Output;

/// Cells that the sheets of a file may span together, empty ones included. Each costs its reader some 60 bytes.
const MOST_CELLS: u64 = 8 << 20;

pub(crate) fn read(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let shares = Shares::of(&measured(bytes)?);
    let mut workbook: Xls<_> = Xls::new(Cursor::new(bytes)).map_err(|error| match error {
        XlsError::Password => Refusal::locked("an Excel 97 workbook", "Excel"),
        error => Refusal::damaged(Format::Xls, damage(&error)),
    })?;
    let sheets = workbook.sheets_metadata().to_vec();
    let (mut tables, mut told, mut damaged) = (0, false, None);
    for (number, sheet) in sheets.iter().enumerate() {
        let range = match workbook.worksheet_range(&sheet.name) {
            Ok(range) => range,
            // Charts and macros are sheets without cells.
            Err(XlsError::WorksheetNotFound(_)) => continue,
            Err(error) => {
                damaged = Some(format!("the sheet \"{}\" is damaged: {}", sheet.name, damage(&error)));
                continue;
            }
        };
        let (first_row, first_column) = range.start().unwrap_or_default();
        let mut writer = SheetWriter::new(&sheet.name, &mut tables, out);
        for (row, cells) in (first_row.saturating_add(1)..).zip(range.rows()) {
            let value = |(column, data): (u32, &Data)| {
                let value = value_of(data, shares.has(number, row - 1, column - 1))?;
                Some((column, value))
            };
            let cells = (first_column.saturating_add(1)..).zip(cells).filter_map(value);
            writer.row(SheetRow { row, cells: cells.collect() })?;
        }
        let told_here = writer.finish()?;
        told |= told_here;
        if told_here && sheet.visible != SheetVisible::Visible {
            warn_of_hidden(&sheet.name, out);
        }
    }
    outcome(Format::Xls, told, damaged, out)
}

/// What is wrong with a workbook, for people; the error is meant for programs.
fn damage(error: &XlsError) -> &'static str {
    match error {
        XlsError::Cfb(_) => "its container is broken",
        XlsError::Len { .. } | XlsError::ContinueRecordTooShort | XlsError::EoStream(_) => {
            "a record is shorter than it says"
        }
        XlsError::StackLen | XlsError::InvalidFormula { .. } | XlsError::IfTab(_) | XlsError::Etpg(_) => {
            "a formula cannot be read"
        }
        _ => "a record cannot be read",
    }
}

fn value_of(cell: &Data, is_share: bool) -> Option<Value> {
    Some(match cell {
        Data::Empty => return None,
        Data::Int(number) if is_share => Value::percent(*number as f64),
        Data::Int(number) => Value::number(*number as f64),
        Data::Float(number) if is_share => Value::percent(*number),
        Data::Float(number) => Value::number(*number),
        Data::String(text) => Value::text(text.as_str()),
        Data::Bool(truth) => Value::truth(*truth),
        Data::DateTime(date) => Value::date(date),
        Data::DateTimeIso(text) => Value::iso_date(text),
        Data::DurationIso(text) => Value::iso_duration(text),
        Data::Error(error) => Value::error(error),
    })
}

/// The records of a workbook, unless its cells span too much.
fn measured(bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
    // A file of today under an old name, or the other way round, is told as what it is by its reader.
    if !Compound::is_one(bytes) {
        return Err(Refusal::damaged(Format::Xls, "it does not begin as one"));
    }
    let compound =
        Compound::open(bytes).map_err(|_| Refusal::damaged(Format::Xls, "its container is broken"))?;
    if compound.has("EncryptedPackage") {
        return Err(Refusal::locked("an Office file", "Office"));
    }
    if !compound.is_whole() {
        return Err(Refusal::damaged(Format::Xls, "parts of its container lie outside of the file"));
    }
    let stream = compound.stream("Workbook").or_else(|_| compound.stream("Book"));
    let stream = stream.map_err(|_| Refusal::damaged(Format::Xls, "it has no workbook"))?;
    measure_records(&stream)?;
    Ok(stream)
}

fn measure_records(stream: &[u8]) -> Result<(), Refusal> {
    let (mut all, mut seen) = (0_u64, Bounds::default());
    for record in records(stream) {
        match record.kind {
            BEGIN => {
                all += std::mem::take(&mut seen).cells();
            }
            SHEET if record.double_word(0) as usize >= stream.len() => {
                return Err(Refusal::damaged(Format::Xls, "a sheet lies outside of the file"));
            }
            // Its dimensions, for which the reader reserves memory.
            0x0200 => {
                let word = |at| u64::from(record.word(at));
                let (rows, columns) = if record.data.len() == 10 {
                    (word(0)..word(2), word(4)..word(6))
                } else {
                    let row = |at| u64::from(record.double_word(at));
                    (row(0)..row(4), word(8)..word(10))
                };
                if rows.start > rows.end || rows.end > 1 << 16 || columns.end > 1 << 14 {
                    return Err(Refusal::damaged(Format::Xls, "the dimensions of a sheet are impossible"));
                }
                let reserved = (rows.end - rows.start).saturating_mul(columns.end);
                if reserved > MOST_CELLS {
                    return Err(Refusal::too_much("cells, empty ones included", MOST_CELLS));
                }
            }
            // Cells, all of which begin with their row and column.
            0x0203 | 0x0204 | 0x00d6 | 0x0205 | 0x027e | 0x00fd | 0x0006 => {
                seen.add(record.word(0).into(), record.word(2).into());
            }
            // Several cells of a row.
            SHORT_NUMBERS => {
                let (row, first) = (record.word(0).into(), u64::from(record.word(2)));
                seen.add(row, first);
                seen.add(row, first + (record.data.len() as u64 / 6).saturating_sub(1));
            }
            _ => {}
        }
        if all + seen.cells() > MOST_CELLS {
            return Err(Refusal::too_much("cells, empty ones included", MOST_CELLS));
        }
    }
    Ok(())
}

/// The rectangle around some cells.
#[derive(Debug, Default)]
struct Bounds {
    /// First and last row, first and last column.
    around: Option<[u64; 4]>,
}

impl Bounds {
    fn add(&mut self, row: u64, column: u64) {
        let [first, last, left, right] = self.around.unwrap_or([row, row, column, column]);
        self.around = Some([first.min(row), last.max(row), left.min(column), right.max(column)]);
    }

    fn cells(&self) -> u64 {
        self.around.map_or(0, |[first, last, left, right]| (last - first + 1) * (right - left + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, words: &[u16]) -> Vec<u8> {
        let length = u16::try_from(words.len() * 2).unwrap();
        [kind, length].iter().chain(words).flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn cells_that_are_far_apart_are_refused() {
        let near =
            [record(0x0203, &[0, 0, 0, 0, 0, 0, 0]), record(0x0203, &[99, 99, 0, 0, 0, 0, 0])].concat();
        assert_eq!(measure_records(&near), Ok(()));
        let far = [near, record(0x0203, &[65535, 255, 0, 0, 0, 0, 0])].concat();
        assert_eq!(measure_records(&far), Err(Refusal::too_much("cells, empty ones included", MOST_CELLS)));
    }

    #[test]
    fn sheets_are_measured_together() {
        let sheet = [
            record(0x0809, &[0x0600, 0x10]),
            record(0x0203, &[0, 0, 0, 0, 0, 0, 0]),
            record(0x0203, &[65535, 99, 0, 0, 0, 0, 0]),
        ]
        .concat();
        assert_eq!(measure_records(&sheet), Ok(()));
        assert!(measure_records(&sheet.repeat(2)).is_err());
    }

    #[test]
    fn a_sheet_outside_of_the_file_is_refused() {
        let file = |begin: u16| [record(0x0085, &[begin, 0, 0, 0]), record(0x0809, &[0x0600, 0x10])].concat();
        assert_eq!(measure_records(&file(12)), Ok(()));
        assert!(measure_records(&file(20)).is_err());
    }

    #[test]
    fn impossible_dimensions_are_refused_before_memory_is_reserved() {
        for words in [[5, 0, 1, 0, 0, 9, 0], [0, 0, 0, 0xffff, 0, 9, 0], [0, 0, 0, 1, 0, 256, 0]] {
            assert!(measure_records(&record(0x0200, &words)).is_err(), "{words:?}");
        }
        assert_eq!(measure_records(&record(0x0200, &[0, 0, 100, 0, 0, 9, 0])), Ok(()));
    }
}
