//! Sheets of OpenDocument: cells with their values, repeated as often as the file says, within bounds.

use super::styles::Styles;
use super::text::cell_text;
use crate::event::Refusal;
use crate::office::sheet::{SheetRow, SheetWriter, warn_of_hidden};
use crate::office::value::{Value, ValueKind};
use crate::office::xml::{Element, Space, Xml};
use crate::output::Output;

/// The last row and column of a sheet; programs do not show more.
const LAST_ROW: u32 = 1 << 20;
const LAST_COLUMN: u32 = 1 << 14;
/// Bytes that one cell is repeated to, at most.
const MOST_REPEATED_BYTES: usize = 1 << 20;
/// Cells that may repeat others in a file: so many, and more for each cell that stands in it. A million equal rows take a few
/// bytes to write down, and tell nothing that one of them does not.
const REPEATED_CELLS: u64 = 1 << 18;
const REPEATED_CELLS_FOR_EACH: u64 = 64;

pub(super) fn read(xml: &mut Xml<'_>, styles: &Styles, out: &mut Output<'_>) -> Result<(), Refusal> {
    let limit = out.options().limits.pages;
    let (mut tables, mut sheets, mut told) = (0, 0, false);
    let mut repeats = Repeats { made: 0, allowed: REPEATED_CELLS };
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::Office, b"document-content" | b"body" | b"spreadsheet") => continue,
            (Space::Table, b"table") => {}
            _ => {
                xml.skip()?;
                continue;
            }
        }
        sheets += 1;
        if sheets > limit {
            return Err(Refusal::too_much("sheets", u64::from(limit)));
        }
        let name = element.attr(b"name").unwrap_or_default().into_owned();
        let hidden = element.attr(b"style-name").is_some_and(|style| styles.is_hidden(&style));
        let mut writer = SheetWriter::new(&name, &mut tables, out);
        rows(xml, &mut 1, &mut repeats, &mut writer)?;
        let told_here = writer.finish()?;
        told |= told_here;
        if told_here && hidden {
            warn_of_hidden(&name, out);
        }
    }
    if told { Ok(()) } else { Err(Refusal::Empty) }
}

/// The rows in the rest of the element that is open; `next` is the row that comes.
fn rows(
    xml: &mut Xml<'_>,
    next: &mut u32,
    repeats: &mut Repeats,
    writer: &mut SheetWriter<'_, '_>,
) -> Result<(), Refusal> {
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::Table, b"table-row") => {
                let repeated = element.number(b"number-rows-repeated").unwrap_or(1_u32);
                let cells = cells(xml, repeats)?;
                let behind = next.saturating_add(repeated).min(LAST_ROW + 1);
                if !cells.is_empty() {
                    for row in *next..behind {
                        if row > *next {
                            repeats.add(cells.len())?;
                        }
                        writer.row(SheetRow { row, cells: cells.clone() })?;
                    }
                }
                *next = behind;
            }
            (Space::Table, b"table-header-rows" | b"table-rows" | b"table-row-group") => {
                rows(xml, next, repeats, writer)?;
            }
            _ => xml.skip()?,
        }
    }
    Ok(())
}

/// How many cells repeated others so far.
struct Repeats {
    made: u64,
    allowed: u64,
}

impl Repeats {
    fn add(&mut self, cells: usize) -> Result<(), Refusal> {
        self.made += cells as u64;
        if self.made > self.allowed {
            return Err(Refusal::too_much("cells that only repeat others", self.allowed));
        }
        Ok(())
    }
}

fn cells(xml: &mut Xml<'_>, repeats: &mut Repeats) -> Result<Vec<(u32, Value)>, Refusal> {
    let (mut cells, mut next) = (Vec::new(), 1_u32);
    while let Some(element) = xml.child()? {
        let repeated = element.number(b"number-columns-repeated").unwrap_or(1_u32);
        let behind = next.saturating_add(repeated).min(LAST_COLUMN + 1);
        // What a merged cell covers is not seen.
        if (element.space, element.name()) == (Space::Table, b"table-cell") {
            let value = value(&element, xml)?;
            let most = MOST_REPEATED_BYTES / value.text.len().max(1);
            if !value.text.is_empty() {
                let begin = cells.len();
                cells.extend((next..behind).take(most.max(1)).map(|column| (column, value.clone())));
                repeats.allowed += REPEATED_CELLS_FOR_EACH;
                repeats.add((cells.len() - begin).saturating_sub(1))?;
            }
        } else {
            xml.skip()?;
        }
        next = behind;
    }
    Ok(cells)
}

/// The value of a cell, which its type tells; its text is written as in the country of the file.
fn value(element: &Element<'_>, xml: &mut Xml<'_>) -> Result<Value, Refusal> {
    let of = |name| xml.attr_in(element, Space::Office, name);
    let kind = of(b"value-type").unwrap_or_default().into_owned();
    let number = of(b"value").and_then(|value| value.trim().parse::<f64>().ok());
    let date = of(b"date-value").map(String::from);
    let time = of(b"time-value").map(String::from);
    let truth = of(b"boolean-value").map(|value| value == "true");
    let string = of(b"string-value").map(String::from);

    let mut text = String::new();
    while let Some(element) = xml.child()? {
        if (element.space, element.name()) == (Space::Text, b"p") {
            if !text.is_empty() {
                text.push(' ');
            }
            cell_text(xml, &mut text)?;
        } else {
            xml.skip()?;
        }
    }
    Ok(match (&*kind, number, date, time, truth) {
        ("float", Some(number), ..) if is_truth(number, &text) => {
            Value { text, kind: ValueKind::Other, bold: false }
        }
        ("float" | "currency", Some(number), ..) => Value::number(number),
        ("percentage", Some(number), ..) => Value::percent(number),
        ("date", _, Some(date), ..) => Value::iso_date(&date),
        ("time", _, _, Some(time), _) => Value::iso_duration(&time),
        ("boolean", _, _, _, Some(truth)) => Value::truth(truth),
        _ if is_error(&text) => Value::error(text.trim()),
        ("string" | "", ..) if text.is_empty() => Value::text(string.unwrap_or_default()),
        ("string" | "", ..) => Value::text(text),
        // A type without its value.
        _ => Value { text, kind: ValueKind::Other, bold: false },
    })
}

/// Whether a 0 or 1 is shown as a word: LibreOffice stores the truth values of Excel files so.
fn is_truth(number: f64, text: &str) -> bool {
    let is_word = !text.is_empty() && text.chars().all(char::is_alphabetic);
    is_word && (number == 0.0 || (number - 1.0).abs() < f64::EPSILON)
}

/// Errors are texts in these files.
fn is_error(text: &str) -> bool {
    let text = text.trim();
    matches!(text, "#DIV/0!" | "#N/A" | "#NAME?" | "#NULL!" | "#NUM!" | "#REF!" | "#VALUE!")
        || text.strip_prefix("Err:").is_some_and(|code| code.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    fn read_cells(inner: &str) -> Vec<(u32, String)> {
        let text = format!(
            "<t:table-row xmlns:t='urn:oasis:names:tc:opendocument:xmlns:table:1.0' \
             xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:1.0' \
             xmlns:x='urn:oasis:names:tc:opendocument:xmlns:text:1.0'>{inner}</t:table-row>"
        );
        let mut xml = Xml::new(&text, Format::Ods, 16);
        xml.child().unwrap();
        let mut repeats = Repeats { made: 0, allowed: REPEATED_CELLS };
        cells(&mut xml, &mut repeats)
            .unwrap()
            .into_iter()
            .map(|(column, value)| (column, value.text))
            .collect()
    }

    #[test]
    fn values_are_told_without_the_look_of_a_country() {
        let read = read_cells(
            "<t:table-cell o:value-type='currency' o:value='1200.5'><x:p>1.200,50 €</x:p></t:table-cell>\
             <t:table-cell o:value-type='date' o:date-value='2024-03-01T00:00:00'><x:p>01.03.24</x:p></t:table-cell>\
             <t:table-cell o:value-type='time' o:time-value='PT08H30M00S'/><t:covered-table-cell><x:p>no</x:p>\
             </t:covered-table-cell><t:table-cell><x:p>two<x:s/>words</x:p><x:p>more</x:p></t:table-cell>\
             <t:table-cell o:value-type='float' o:value='1'><x:p>TRUE</x:p></t:table-cell>\
             <t:table-cell o:value-type='float' o:value='1'><x:p>1,00</x:p></t:table-cell>",
        );
        let expected =
            [(1, "1200.5"), (2, "2024-03-01"), (3, "8:30:00"), (5, "two words more"), (6, "TRUE"), (7, "1")];
        assert_eq!(read, expected.map(|(column, text)| (column, text.to_owned())));
    }

    #[test]
    fn repeated_cells_end_with_the_sheet() {
        let cell = "<t:table-cell t:number-columns-repeated='4294967295'><x:p>x</x:p></t:table-cell>";
        assert_eq!(read_cells(cell).len(), LAST_COLUMN as usize);
        assert_eq!(read_cells(&cell.repeat(3)).len(), LAST_COLUMN as usize);
        let long = cell.replace('x', "y").replace(">y<", &format!(">{}<", "x".repeat(1 << 20)));
        assert!(read_cells(&long.replace("y:p", "x:p")).len() <= 1);
    }
}
