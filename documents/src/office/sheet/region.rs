//! The rows of a sheet as tables.
//!
//! Rows that follow each other are one table; an empty row ends it. Rows with a single cell above wider ones are a paragraph
//! each: they are titles. The first row of what is left, or the second or third below names of groups, names the columns if
//!
//! - all its cells are text (years and dates may be among them), in at least half of the columns, each with another name, and
//! - it is bold and the next row is not, or below one of its texts stands something that is none.
//!
//! The first rows of a table are kept until that is decided; then rows pass through.

use std::ops::RangeInclusive;

use crate::block::{Cell, Kind, Place};
use crate::event::Refusal;
use crate::office::value::{Value, ValueKind};
use crate::output::Output;

/// Rows and cells that are kept until a table is understood.
const KEPT_ROWS: usize = 256;
const KEPT_CELLS: usize = 64 << 10;
/// Columns up to which a table shows its empty ones; a far cell must not cost a thousand empty ones in each row.
const MOST_COLUMNS: u32 = 256;

/// The cells of a row that are not empty, from left to right. All are counted from 1.
#[derive(Debug)]
pub(in crate::office) struct SheetRow {
    pub row: u32,
    pub cells: Vec<(u32, Value)>,
}

/// A sheet that is being read.
pub(in crate::office) struct SheetWriter<'w, 'o> {
    out: &'w mut Output<'o>,
    sheet: String,
    /// Tables of the file.
    tables: &'w mut u32,
    kept: Vec<SheetRow>,
    kept_cells: usize,
    /// The columns of the table that is being written.
    columns: Option<Columns>,
    last_row: u32,
    told: bool,
}

impl<'w, 'o> SheetWriter<'w, 'o> {
    pub fn new(sheet: &str, tables: &'w mut u32, out: &'w mut Output<'o>) -> Self {
        Self {
            out,
            sheet: sheet.to_owned(),
            tables,
            kept: Vec::new(),
            kept_cells: 0,
            columns: None,
            last_row: 0,
            told: false,
        }
    }

    /// The next row that is not empty.
    pub fn row(&mut self, mut row: SheetRow) -> Result<(), Refusal> {
        row.cells.retain(|(_, value)| value.text.chars().any(|character| !character.is_whitespace()));
        if row.cells.is_empty() {
            return Ok(());
        }
        row.cells.sort_by_key(|(column, _)| *column);
        row.cells.dedup_by_key(|(column, _)| *column);
        if row.row != self.last_row.saturating_add(1) {
            self.end_table()?;
        }
        self.last_row = row.row;
        if self.columns.is_some() {
            return self.write(&row, false);
        }
        self.kept_cells += row.cells.len();
        self.kept.push(row);
        if self.kept.len() >= KEPT_ROWS || self.kept_cells >= KEPT_CELLS {
            self.begin_table()
        } else {
            Ok(())
        }
    }

    /// Ends the sheet; tells whether there was anything in it.
    pub fn finish(mut self) -> Result<bool, Refusal> {
        self.end_table()?;
        Ok(self.told)
    }

    fn end_table(&mut self) -> Result<(), Refusal> {
        if let [only] = self.kept.as_slice()
            && only.cells.len() == 1
        {
            let title = self.kept.remove(0);
            self.kept_cells = 0;
            self.write_title(&title)?;
        }
        self.begin_table()?;
        self.columns = None;
        Ok(())
    }

    /// Understands the rows that were kept, and writes them.
    fn begin_table(&mut self) -> Result<(), Refusal> {
        let kept = std::mem::take(&mut self.kept);
        self.kept_cells = 0;
        let widest = kept.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        let titles = if widest > 1 { kept.iter().take_while(|row| row.cells.len() == 1).count() } else { 0 };
        let (titles, rows) = kept.split_at(titles);
        for title in titles {
            self.write_title(title)?;
        }
        if rows.is_empty() {
            return Ok(());
        }
        *self.tables += 1;
        self.columns = Some(Columns::of(rows));
        let header = self.columns.as_ref().and_then(|columns| header_of(rows, columns.count()));
        for (index, row) in rows.iter().enumerate() {
            self.write(row, header == Some(index))?;
        }
        Ok(())
    }

    fn write_title(&mut self, row: &SheetRow) -> Result<(), Refusal> {
        self.tell_sheet()?;
        let place = self.place(row);
        let text = row.cells.first().map_or("", |(_, value)| value.text.as_str());
        self.out.block(Kind::Paragraph, text, place)
    }

    fn write(&mut self, row: &SheetRow, header: bool) -> Result<(), Refusal> {
        self.tell_sheet()?;
        let fitting = self.columns.as_mut().and_then(|columns| columns.cells(row));
        let cells = if let Some(cells) = fitting {
            cells
        } else {
            // It begins left of the table, or between its columns: another table.
            *self.tables += 1;
            let mut columns = Columns::of(std::slice::from_ref(row));
            let cells = columns.cells(row).unwrap_or_default();
            self.columns = Some(columns);
            cells
        };
        let place = self.place(row);
        self.out.row(*self.tables, header, cells, place)
    }

    /// The sheet's name stands above what is in it.
    fn tell_sheet(&mut self) -> Result<(), Refusal> {
        if !std::mem::replace(&mut self.told, true) {
            let first = Cell { row: 1, column: 1 };
            let place = Place::Cells { sheet: self.sheet.clone(), first, last: first };
            self.out.block(Kind::Heading(1), &self.sheet, place)?;
        }
        Ok(())
    }

    fn place(&self, row: &SheetRow) -> Place {
        let column = |cell: Option<&(u32, Value)>| cell.map_or(1, |(column, _)| *column);
        Place::Cells {
            sheet: self.sheet.clone(),
            first: Cell { row: row.row, column: column(row.cells.first()) },
            last: Cell { row: row.row, column: column(row.cells.last()) },
        }
    }
}

/// The columns of a table.
#[derive(Debug)]
enum Columns {
    /// All from the first to the last.
    Range(RangeInclusive<u32>),
    /// Those that are used, in a table that is wider than anybody reads.
    Used(Vec<u32>),
}

impl Columns {
    fn of(rows: &[SheetRow]) -> Self {
        let all = || rows.iter().flat_map(|row| row.cells.iter().map(|(column, _)| *column));
        let (first, last) = (all().min().unwrap_or(1), all().max().unwrap_or(1));
        if last - first < MOST_COLUMNS {
            return Self::Range(first..=last);
        }
        let mut used: Vec<u32> = all().collect();
        used.sort_unstable();
        used.dedup();
        Self::Used(used)
    }

    fn count(&self) -> usize {
        match self {
            Self::Range(range) => range.clone().count(),
            Self::Used(used) => used.len(),
        }
    }

    /// The texts of a row's cells, up to the last one; nothing if the row does not fit. Columns may be added at the right.
    fn cells(&mut self, row: &SheetRow) -> Option<Vec<String>> {
        let mut cells = Vec::new();
        for (column, value) in &row.cells {
            let index = match self {
                Self::Range(range) if column < range.start() => return None,
                Self::Range(range) => {
                    let index = column - range.start();
                    if index >= MOST_COLUMNS {
                        return None;
                    }
                    if column > range.end() {
                        *range = *range.start()..=*column;
                    }
                    index as usize
                }
                Self::Used(used) => match used.binary_search(column) {
                    Ok(index) => index,
                    Err(index) if index == used.len() => {
                        used.push(*column);
                        index
                    }
                    Err(_) => return None,
                },
            };
            cells.resize(index, String::new());
            cells.push(value.text.clone());
        }
        Some(cells)
    }
}

/// Which of the first rows names the columns.
fn header_of(rows: &[SheetRow], columns: usize) -> Option<usize> {
    for index in 0..rows.len().min(3) {
        if names_columns(&rows[index..], columns) {
            return Some(index);
        }
        // A row of texts with gaps, above a fuller one, names groups of columns.
        let next = rows.get(index + 1)?;
        let is_text = rows[index].cells.iter().all(|(_, value)| may_name(value));
        if !is_text || rows[index].cells.len() >= next.cells.len() {
            return None;
        }
    }
    None
}

fn names_columns(rows: &[SheetRow], columns: usize) -> bool {
    let [names, below @ ..] = rows else { return false };
    let Some(next) = below.first() else { return false };
    let names = &names.cells;
    let mut texts: Vec<&str> = names.iter().map(|(_, value)| value.text.as_str()).collect();
    texts.sort_unstable();
    texts.dedup();
    let can = names.len() >= 2
        && names.len() * 2 >= columns
        && texts.len() == names.len()
        && names.iter().all(|(_, value)| may_name(value))
        && names.iter().any(|(_, value)| value.kind == ValueKind::Text);
    let is_bold = |cells: &[(u32, Value)]| cells.iter().all(|(_, value)| value.bold);
    can && ((is_bold(names) && !is_bold(&next.cells)) || stands_above_others(names, below))
}

/// Whether below one of these cells stands a value of another kind, and below none of the years and dates another one.
fn stands_above_others(names: &[(u32, Value)], below: &[SheetRow]) -> bool {
    let mut differs = false;
    for (column, name) in names {
        let values = below.iter().take(20).filter_map(|row| {
            row.cells
                .binary_search_by_key(column, |(column, _)| *column)
                .ok()
                .map(|index| &row.cells[index].1)
        });
        let mut kinds = values.map(|value| value.kind);
        match (name.kind, kinds.next()) {
            (ValueKind::Year | ValueKind::Date, Some(kind)) if kind == name.kind => return false,
            (ValueKind::Text, Some(kind)) if kind != ValueKind::Text => differs = true,
            (ValueKind::Year | ValueKind::Date, Some(_)) => differs = true,
            _ => {}
        }
    }
    differs
}

fn may_name(value: &Value) -> bool {
    value.kind != ValueKind::Other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::options::Options;

    fn value(text: &str) -> Value {
        text.parse().map_or_else(|_| Value::text(text), Value::number)
    }

    fn sheet(rows: &[(u32, &[(u32, &str)])]) -> Vec<(String, String)> {
        let rows = rows.iter().map(|(row, cells)| SheetRow {
            row: *row,
            cells: cells.iter().map(|(column, text)| (*column, value(text))).collect(),
        });
        written(rows)
    }

    /// What becomes of rows: kind and place, and the text.
    fn written(rows: impl Iterator<Item = SheetRow>) -> Vec<(String, String)> {
        let (options, mut bytes, mut told) = (Options::default(), 0, Vec::new());
        let mut sink = |event| {
            if let Event::Block(block) = event {
                let kind = match block.kind {
                    Kind::Row { table, header, .. } => {
                        format!("{}{table}", if header { "header" } else { "row" })
                    }
                    Kind::Heading(_) => "sheet".to_owned(),
                    _ => "text".to_owned(),
                };
                let Place::Cells { first, last, .. } = block.place else { unreachable!() };
                told.push((format!("{kind} {first}:{last}"), block.text));
            }
        };
        let mut out = Output::new(&options, &mut bytes, &mut sink);
        let mut tables = 0;
        let mut writer = SheetWriter::new("S", &mut tables, &mut out);
        rows.for_each(|row| writer.row(row).unwrap());
        writer.finish().unwrap();
        told
    }

    fn kinds(told: &[(String, String)]) -> Vec<&str> {
        told.iter().map(|(kind, _)| kind.as_str()).collect()
    }

    #[test]
    fn titles_headers_and_tables_are_told_apart() {
        let told = sheet(&[
            (2, &[(2, "Costs")]),
            (3, &[(2, "Item"), (3, "2023"), (4, "2024")]),
            (4, &[(2, "Rent"), (3, "5"), (4, "7")]),
            (5, &[(2, "Heat"), (4, "9")]),
            (9, &[(1, "a note")]),
            (11, &[(1, "x"), (2, "y")]),
        ]);
        let expected = [
            "sheet A1:A1",
            "text B2:B2",
            "header1 B3:D3",
            "row1 B4:D4",
            "row1 B5:D5",
            "text A9:A9",
            "row2 A11:B11",
        ];
        assert_eq!(kinds(&told), expected);
        assert_eq!(told[4].1, "Heat | | 9");
    }

    #[test]
    fn names_of_groups_may_stand_above_the_header() {
        let told = sheet(&[
            (1, &[(2, "North"), (4, "South")]),
            (2, &[(1, "Year"), (2, "in"), (3, "out"), (4, "in "), (5, "out ")]),
            (3, &[(1, "1"), (2, "5"), (3, "7"), (4, "9"), (5, "11")]),
        ]);
        assert_eq!(kinds(&told)[1..], ["row1 B1:D1", "header1 A2:E2", "row1 A3:E3"]);
    }

    #[test]
    fn rows_of_people_born_in_years_have_no_header() {
        let told = sheet(&[(1, &[(1, "Ann"), (2, "1990")]), (2, &[(1, "Bob"), (2, "1985")])]);
        assert_eq!(kinds(&told)[1..], ["row1 A1:B1", "row1 A2:B2"]);
    }

    #[test]
    fn a_bold_row_above_plain_ones_names_columns() {
        let row = |row, texts: [&str; 2], bold| SheetRow {
            row,
            cells: (1..).zip(texts.map(|text| Value { bold, ..Value::text(text) })).collect(),
        };
        let told = written([row(1, ["Name", "City"], true), row(2, ["Ann", "Rome"], false)].into_iter());
        assert_eq!(kinds(&told)[1..], ["header1 A1:B1", "row1 A2:B2"]);
    }

    #[test]
    fn far_cells_cost_no_columns_between() {
        let told = sheet(&[(1, &[(1, "a"), (16384, "b")]), (2, &[(1, "c"), (16384, "d")]), (3, &[(7, "e")])]);
        assert_eq!(told[1], ("row1 A1:XFD1".to_owned(), "a | | b".to_owned()));
        assert_eq!(told[3], ("row1 G3:G3".to_owned(), "| e".to_owned()));
    }

    #[test]
    fn a_row_left_of_a_long_table_begins_another() {
        let rows = (1..=300).map(|row| SheetRow { row, cells: vec![(3, Value::number(f64::from(row)))] });
        let left = SheetRow { row: 301, cells: vec![(1, Value::text("sum")), (3, Value::number(1.0))] };
        let told = written(rows.chain([left]));
        assert_eq!(told[300].0, "row1 C300:C300");
        assert_eq!(told[301], ("row2 A301:C301".to_owned(), "sum | | 1".to_owned()));
    }
}
