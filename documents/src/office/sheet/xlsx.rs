//! Excel (XLSX): cell by cell as they stream, never as a dense range, which one far cell makes gigabytes large.

use std::io::Cursor;

use calamine::{DataRef, Reader, SheetType, SheetVisible, Style, Xlsx, XlsxError};

use super::{SheetRow, SheetWriter, outcome, warn_of_hidden};
use crate::event::{Refusal, Warning};
use crate::format::Format;
use crate::office::package::Package;
use crate::office::value::{Value, is_percent};
use crate::output::Output;

pub(crate) fn read(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let limits = out.options().limits;
    let mut package = Package::open(Format::Xlsx, bytes, limits)?;
    package.tell_title("docProps/core.xml", out)?;
    let formulas = measure(&mut package)?;
    if formulas > 0 {
        let which = match formulas {
            1 => "one formula has no stored value and was left out".to_owned(),
            _ => format!("{formulas} formulas have no stored value and were left out"),
        };
        let words = format!("{which}; open the file in Excel or LibreOffice and save it");
        out.warn(Warning::Other(words));
    }
    drop(package);

    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(refusal)?;
    let sheets = workbook.sheets_metadata().to_vec();
    if sheets.len() > limits.pages as usize {
        return Err(Refusal::too_much("sheets", u64::from(limits.pages)));
    }
    let (mut tables, mut told, mut damaged) = (0, false, None);
    for sheet in sheets.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet) {
        let mut writer = SheetWriter::new(&sheet.name, &mut tables, out);
        let read = read_sheet(&mut workbook, &sheet.name, &mut writer)?;
        let told_here = writer.finish()?;
        told |= told_here;
        if told_here && sheet.visible != SheetVisible::Visible {
            warn_of_hidden(&sheet.name, out);
        }
        if let Err(error) = read {
            damaged = Some(format!("the sheet \"{}\" is damaged: {}", sheet.name, damage(&error)));
        }
    }
    outcome(Format::Xlsx, told, damaged, out)
}

/// Inflates what the workbook's reader reads, against the limits; the reader itself has none. Counts formulas without a value.
fn measure(package: &mut Package<'_>) -> Result<u64, Refusal> {
    let main = package.main_part("xl/workbook.xml")?;
    package.inflate(&main, |_| {})?;
    let mut formulas = 0;
    for relation in package.relations(&main)?.into_values() {
        match &*relation.kind {
            "worksheet" => {
                let mut scan = FormulaScan::default();
                package.inflate(&relation.target, |chunk| scan.read(chunk))?;
                formulas += scan.without_value;
            }
            "sharedStrings" | "styles" => {
                package.inflate(&relation.target, |_| {})?;
            }
            _ => {}
        }
    }
    Ok(formulas)
}

/// Reads the cells of a sheet. The outer error is a limit, the inner one damage.
fn read_sheet(
    workbook: &mut Xlsx<Cursor<&[u8]>>,
    name: &str,
    writer: &mut SheetWriter<'_, '_>,
) -> Result<Result<(), XlsxError>, Refusal> {
    let mut cells = match workbook.worksheet_cells_reader(name) {
        Ok(cells) => cells,
        Err(error) => return Ok(Err(error)),
    };
    let looks: Vec<Look> = cells.styles().iter().map(Look::of).collect();
    let mut row = SheetRow { row: 0, cells: Vec::new() };
    loop {
        let (cell, style) = match cells.next_cell_with_style_id() {
            Ok(Some(next)) => next,
            Ok(None) => break,
            Err(error) => {
                writer.row(row)?;
                return Ok(Err(error));
            }
        };
        let look = looks.get(style).copied().unwrap_or_default();
        let Some(value) = value_of(cell.get_value(), look) else { continue };
        let (number, column) = cell.get_position();
        let number = number.saturating_add(1);
        if number != row.row {
            let done = std::mem::replace(&mut row, SheetRow { row: number, cells: Vec::new() });
            writer.row(done)?;
        }
        row.cells.push((column.saturating_add(1), value));
    }
    writer.row(row)?;
    Ok(Ok(()))
}

/// What a style says about a value.
#[derive(Debug, Clone, Copy, Default)]
struct Look {
    bold: bool,
    percent: bool,
}

impl Look {
    fn of(style: &Style) -> Self {
        Self {
            bold: style.font.as_ref().is_some_and(calamine::Font::is_bold),
            percent: style.number_format.as_ref().is_some_and(|format| is_percent(&format.format_code)),
        }
    }
}

fn value_of(cell: &DataRef<'_>, look: Look) -> Option<Value> {
    let value = match cell {
        DataRef::Empty => return None,
        DataRef::Int(number) if look.percent => Value::percent(*number as f64),
        DataRef::Int(number) => Value::number(*number as f64),
        DataRef::Float(number) if look.percent => Value::percent(*number),
        DataRef::Float(number) => Value::number(*number),
        DataRef::String(text) => Value::text(text.as_str()),
        DataRef::SharedString(text) => Value::text(*text),
        DataRef::Bool(truth) => Value::truth(*truth),
        DataRef::DateTime(date) => Value::date(date),
        DataRef::DateTimeIso(text) => Value::iso_date(text),
        DataRef::DurationIso(text) => Value::iso_duration(text),
        DataRef::Error(error) => Value::error(error),
    };
    Some(Value { bold: look.bold, ..value })
}

fn refusal(error: XlsxError) -> Refusal {
    match error {
        XlsxError::Password => Refusal::locked("an Office file", "Office"),
        error => Refusal::damaged(Format::Xlsx, damage(&error)),
    }
}

/// What is wrong with a workbook, for people; the error is meant for programs.
fn damage(error: &XlsxError) -> &'static str {
    match error {
        XlsxError::Io(_) | XlsxError::Zip(_) => "a part of it cannot be unpacked",
        XlsxError::FileNotFound(_) | XlsxError::RelationshipNotFound | XlsxError::WorksheetNotFound(_) => {
            "a part that it names is missing"
        }
        XlsxError::Xml(_) | XlsxError::XmlAttr(_) | XlsxError::Encoding(_) | XlsxError::UnexpectedNode(_) => {
            "a part of it is no valid XML"
        }
        XlsxError::XmlEof(_) => "a part of it is cut off",
        XlsxError::ColumnNumberOverflow
        | XlsxError::RowNumberOverflow
        | XlsxError::Alphanumeric(_)
        | XlsxError::NumericColumn(_)
        | XlsxError::RangeWithoutColumnComponent
        | XlsxError::RangeWithoutRowComponent
        | XlsxError::DimensionCount(_) => "a cell has a place that no sheet has",
        _ => "a cell has a value that is not known",
    }
}

/// Counts formulas of which a program stored no value, in the bytes of a sheet: its reader does not tell them from empty cells.
#[derive(Default)]
struct FormulaScan {
    /// The end of the last chunk, which may be the begin of a match.
    tail: Vec<u8>,
    without_value: u64,
}

impl FormulaScan {
    const END: &'static [u8] = b"</f>";
    const NO_VALUE: [&'static [u8]; 4] = [b"</c>", b"<v></v>", b"<v/>", b"<v />"];
    /// The longest match.
    const LONGEST: usize = 11;

    fn read(&mut self, chunk: &[u8]) {
        let mut bytes = std::mem::take(&mut self.tail);
        bytes.extend_from_slice(chunk);
        let whole = bytes.len().saturating_sub(Self::LONGEST);
        for (at, window) in bytes.windows(Self::END.len()).enumerate().take(whole) {
            if window == Self::END {
                let behind = &bytes[at + Self::END.len()..];
                self.without_value += u64::from(Self::NO_VALUE.iter().any(|end| behind.starts_with(end)));
            }
        }
        self.tail = bytes.split_off(whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_without_a_value_are_counted_across_chunks() {
        let sheet = b"<c><f>A1</f></c><c><f>A2</f><v>3</v></c><c><f>A3</f><v></v></c><c><f>A4</f><v /></c></row></sheetData>";
        for size in 1..sheet.len() {
            let mut scan = FormulaScan::default();
            sheet.chunks(size).for_each(|chunk| scan.read(chunk));
            assert_eq!(scan.without_value, 3, "in chunks of {size}");
        }
    }
}
