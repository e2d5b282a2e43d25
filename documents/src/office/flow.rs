//! What readers of texts and slides find, on its way out: blocks one after the other, and tables row by row.
//!
//! What lies in a cell, a note or a frame is held back until it is known what becomes of it.

use crate::block::{Kind, Place};
use crate::event::{Refusal, Warning};
use crate::output::Output;

/// Empty cells that a row is filled up with, at most: a file may say that a cell spans a billion columns.
const MOST_COLUMNS: usize = 1024;

/// A block before it has a place and its table a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Block(Kind, String),
    Row {
        /// Whether a table begins with it.
        first: bool,
        header: bool,
        cells: Vec<String>,
    },
}

impl Piece {
    /// Whether it stands beside the text: a footnote, a remark.
    fn is_beside(&self) -> bool {
        matches!(self, Self::Block(Kind::Footnote | Kind::Note, _))
    }

    fn text(&self) -> String {
        match self {
            Self::Block(_, text) => text.clone(),
            Self::Row { cells, .. } => cells.join(" "),
        }
    }
}

/// The texts of some pieces as one, without what stands beside them.
pub(super) fn joined(pieces: &[Piece]) -> String {
    let texts: Vec<String> = pieces.iter().filter(|piece| !piece.is_beside()).map(Piece::text).collect();
    texts.join(" ")
}

pub(super) struct Flow<'f, 'o> {
    pub out: &'f mut Output<'o>,
    /// Where the next blocks stand.
    pub place: Place,
    /// Tables that have begun.
    tables: u32,
    held: Vec<Vec<Piece>>,
    /// Lines of code that are not yet a block.
    code: Option<String>,
    written: bool,
}

impl<'f, 'o> Flow<'f, 'o> {
    pub fn new(out: &'f mut Output<'o>, place: Place) -> Self {
        Self { out, place, tables: 0, held: Vec::new(), code: None, written: false }
    }

    /// The next block. Lines of code that follow each other become one.
    pub fn put(&mut self, piece: Piece) -> Result<(), Refusal> {
        if let Some(held) = self.held.last_mut() {
            match (held.last_mut(), piece) {
                (Some(Piece::Block(Kind::Code, code)), Piece::Block(Kind::Code, line)) => {
                    code.push('\n');
                    code.push_str(&line);
                }
                (_, piece) => held.push(piece),
            }
            return Ok(());
        }
        match piece {
            Piece::Block(Kind::Code, line) => {
                let code = self.code.get_or_insert_default();
                if !code.is_empty() {
                    code.push('\n');
                }
                code.push_str(&line);
                Ok(())
            }
            piece => {
                self.write_code()?;
                self.write(piece)
            }
        }
    }

    pub fn block(&mut self, kind: Kind, text: impl Into<String>) -> Result<(), Refusal> {
        self.put(Piece::Block(kind, text.into()))
    }

    pub fn put_all(&mut self, pieces: impl IntoIterator<Item = Piece>) -> Result<(), Refusal> {
        pieces.into_iter().try_for_each(|piece| self.put(piece))
    }

    /// Holds back what is put from here on, until [`Flow::release`].
    pub fn hold(&mut self) {
        self.held.push(Vec::new());
    }

    /// What was put since the last [`Flow::hold`].
    pub fn release(&mut self) -> Vec<Piece> {
        self.held.pop().unwrap_or_default()
    }

    pub fn warn(&mut self, words: impl Into<String>) {
        self.out.warn(Warning::Other(words.into()));
    }

    /// Ends a part of the document, such as a slide.
    pub fn write_code(&mut self) -> Result<(), Refusal> {
        match self.code.take() {
            Some(code) => self.write(Piece::Block(Kind::Code, code)),
            None => Ok(()),
        }
    }

    /// Ends the document. One without any text is refused.
    pub fn finish(mut self) -> Result<(), Refusal> {
        self.write_code()?;
        if self.written { Ok(()) } else { Err(Refusal::Empty) }
    }

    fn write(&mut self, piece: Piece) -> Result<(), Refusal> {
        match piece {
            Piece::Block(kind, text) => {
                self.written |= text.chars().any(|character| !character.is_whitespace());
                self.out.block(kind, &text, self.place.clone())
            }
            Piece::Row { first, header, cells } => {
                self.written |= cells.iter().any(|cell| !cell.is_empty());
                self.tables += u32::from(first || self.tables == 0);
                self.out.row(self.tables, header, cells, self.place.clone())
            }
        }
    }
}

/// A row that is being read.
#[derive(Debug, Default)]
pub(super) struct Row {
    cells: Vec<Vec<Piece>>,
    /// Cells that are not only the rest of a merged one.
    own: usize,
    /// The file says that it names the columns.
    pub header: bool,
    /// All of its text is bold.
    pub bold: bool,
}

impl Row {
    /// A cell, and the empty ones that it is merged with.
    pub fn cell(&mut self, pieces: Vec<Piece>, columns: usize) {
        self.cells.push(pieces);
        self.own += 1;
        self.pad(columns.saturating_sub(1));
    }

    /// Columns without a cell of their own.
    pub fn pad(&mut self, columns: usize) {
        let most = MOST_COLUMNS.saturating_sub(self.cells.len());
        self.cells.extend(std::iter::repeat_with(Vec::new).take(columns.min(most)));
    }

    fn texts(&self) -> Vec<String> {
        self.cells.iter().map(|cell| crate::output::collapsed(&joined(cell))).collect()
    }
}

/// A table that is being read. Its first row is kept until the second tells whether it names the columns.
#[derive(Debug, Default)]
pub(super) struct Table {
    first: Option<Row>,
    rows: u64,
    /// The file says that the first row is a special one, as Word does by default.
    pub marked: bool,
}

impl Table {
    pub fn row(&mut self, row: Row, flow: &mut Flow<'_, '_>) -> Result<(), Refusal> {
        self.rows += 1;
        if self.rows == 1 {
            self.first = Some(row);
            return Ok(());
        }
        if let Some(first) = self.first.take() {
            let header = first.header || self.names_columns(&first, &row);
            put_row(first, true, header, flow)?;
        }
        let header = row.header;
        put_row(row, false, header, flow)
    }

    /// Ends the table. One with a single cell is a frame around what lies in it.
    pub fn finish(mut self, flow: &mut Flow<'_, '_>) -> Result<(), Refusal> {
        match self.first.take() {
            Some(row) if row.own <= 1 => flow.put_all(row.cells.into_iter().flatten()),
            Some(row) => {
                let header = row.header;
                put_row(row, true, header, flow)
            }
            None => Ok(()),
        }
    }

    /// Whether the first row names the columns, by its look: each column has a name of its own, none is a number, and the row
    /// is set apart (bold, marked with three columns or more, or followed by numbers).
    fn names_columns(&self, first: &Row, second: &Row) -> bool {
        let (names, below) = (first.texts(), second.texts());
        let names_one = |(index, name): (usize, &String)| {
            // Years name columns, too, if what stands below is no year.
            is_name(name) || (is_year(name) && below.get(index).is_none_or(|below| !is_year(below)))
        };
        let all_named = first.own >= 2
            && first.own == names.len()
            && names.iter().enumerate().all(names_one)
            && names.iter().any(|name| is_name(name));
        let distinct = (1..names.len()).all(|index| !names[..index].contains(&names[index]));
        let apart = (first.bold && !second.bold)
            || (self.marked && names.len() >= 3)
            || below.iter().skip(1).any(|cell| is_number(cell));
        names.len() <= MOST_COLUMNS && all_named && distinct && apart
    }
}

fn put_row(row: Row, first: bool, header: bool, flow: &mut Flow<'_, '_>) -> Result<(), Refusal> {
    let cells = row.texts();
    flow.put(Piece::Row { first, header, cells })?;
    flow.put_all(row.cells.into_iter().flatten().filter(Piece::is_beside))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !is_number(text)
}

fn is_year(text: &str) -> bool {
    text.parse().is_ok_and(|year: u32| (1900..=2100).contains(&year))
}

/// Whether a text is mostly digits: an amount, a date, a share.
pub(super) fn is_number(text: &str) -> bool {
    let (mut digits, mut letters) = (0, 0);
    for character in text.chars() {
        if character.is_numeric() {
            digits += 1;
        } else if character.is_alphabetic() {
            letters += 1;
        }
    }
    digits > 0 && letters <= 3 && digits >= letters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::options::Options;

    fn row(cells: &[&str]) -> Row {
        let mut row = Row::default();
        for cell in cells {
            row.cell(vec![Piece::Block(Kind::Paragraph, (*cell).to_owned())], 1);
        }
        row
    }

    /// What becomes of a table: kinds and texts.
    fn written(table: impl FnOnce(&mut Flow<'_, '_>)) -> Vec<(Kind, String)> {
        let (options, mut bytes, mut blocks) = (Options::default(), 0, Vec::new());
        let mut sink = |event| {
            if let Event::Block(block) = event {
                blocks.push((block.kind, block.text));
            }
        };
        let mut out = Output::new(&options, &mut bytes, &mut sink);
        let mut flow = Flow::new(&mut out, Place::Text);
        table(&mut flow);
        flow.finish().unwrap();
        blocks
    }

    fn headers(first: Row, second: Row, marked: bool) -> bool {
        let blocks = written(|flow| {
            let mut table = Table { marked, ..Table::default() };
            table.row(first, flow).unwrap();
            table.row(second, flow).unwrap();
            table.finish(flow).unwrap();
        });
        matches!(&blocks[0].0, Kind::Row { header: true, .. })
    }

    #[test]
    fn the_first_row_names_columns_if_it_is_set_apart() {
        assert!(headers(row(&["Item", "Price"]), row(&["Rent", "1,200 €"]), false));
        assert!(headers(row(&["Name", "City", "Role"]), row(&["Ann", "Rome", "Chair"]), true));
        assert!(headers(row(&["Region", "2023", "2024"]), row(&["North", "10", "12"]), true));
        let bold = Row { bold: true, ..row(&["Name", "City"]) };
        assert!(headers(bold, row(&["Ann", "Rome"]), false));
        let said = Row { header: true, ..row(&["1", "2"]) };
        assert!(headers(said, row(&["3", "4"]), false));
    }

    #[test]
    fn a_list_of_labels_and_values_has_no_header() {
        assert!(!headers(row(&["Name", "Ann"]), row(&["City", "Rome"]), true));
        assert!(!headers(row(&["Ann", "1990"]), row(&["Bob", "1985"]), true));
        assert!(!headers(row(&["2023", "2024"]), row(&["1", "2"]), true));
        assert!(!headers(row(&["Name", ""]), row(&["City", "5"]), true));
    }

    #[test]
    fn a_table_with_one_cell_is_what_lies_in_it() {
        let blocks = written(|flow| {
            let mut only = Row::default();
            only.cell(vec![Piece::Block(Kind::Heading(1), "A".into())], 3);
            let mut table = Table::default();
            table.row(only, flow).unwrap();
            table.finish(flow).unwrap();
        });
        assert_eq!(blocks, [(Kind::Heading(1), "A".to_owned())]);
    }

    #[test]
    fn a_cell_of_a_billion_columns_costs_a_thousand() {
        let mut row = row(&["a"]);
        row.cell(Vec::new(), 1_000_000_000);
        row.pad(usize::MAX);
        assert_eq!(row.cells.len(), MOST_COLUMNS);
    }

    #[test]
    fn lines_of_code_become_one_block_also_in_a_cell() {
        let blocks = written(|flow| {
            flow.block(Kind::Code, "a").unwrap();
            flow.block(Kind::Code, "  b").unwrap();
            flow.hold();
            flow.block(Kind::Code, "c").unwrap();
            flow.block(Kind::Code, "d").unwrap();
            let held = flow.release();
            flow.block(Kind::Paragraph, "e").unwrap();
            flow.put_all(held).unwrap();
        });
        assert_eq!(blocks.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["a\n  b", "e", "c\nd"]);
    }
}
