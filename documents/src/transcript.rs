//! The blocks of one document as lines of text, and where each line stands in the file.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::block::{Block, Kind, Place};
use crate::location::Location;

/// A document as its readers see it: one line for each block, several for code. Lines are what quotes and citations name;
/// entries say where a line stands in the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// The lines, each with its line break.
    pub text: String,
    /// The blocks, in the order of their lines.
    pub entries: Vec<Entry>,
}

/// A block of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its first line, counted from 1.
    pub line: u32,
    /// Where that line begins, in bytes of the text.
    pub byte: u32,
    /// What it is. The cells of a row are in `fields`.
    pub kind: EntryKind,
    /// Where it stands in the file.
    pub place: Place,
    /// The entry of the heading that it stands under.
    pub under: Option<u32>,
    /// The cells of a row with the names of their columns; empty for all else, and where the columns have no names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(String, String)>,
}

impl Entry {
    /// A row with the names of its columns, as its readers see it: `item=Rent, amount=1200`.
    pub fn shown(&self) -> Option<String> {
        if self.fields.is_empty() {
            return None;
        }
        let fields = self.fields.iter().map(|(name, cell)| format!("{name}={cell}"));
        Some(fields.collect::<Vec<_>>().join(", "))
    }
}

/// [`Kind`] without a row's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A heading of this level.
    Heading(u8),
    /// The row of a table that names its columns.
    Header,
    /// Another row of a table.
    Row,
    /// Any other block.
    Text,
}

impl Transcript {
    /// The transcript of these blocks.
    pub fn of(blocks: impl IntoIterator<Item = Block>) -> Self {
        let mut transcript = Self::default();
        let mut writer = Writer::default();
        for block in blocks {
            writer.push(&mut transcript, block);
        }
        transcript
    }

    /// The entry that a line belongs to; lines are counted from 1.
    pub fn entry(&self, line: u32) -> Option<&Entry> {
        let behind = self.entries.partition_point(|entry| entry.line <= line);
        self.entries.get(behind.checked_sub(1)?)
    }

    /// The headings that an entry stands under, the highest first, without their markers.
    pub fn headings(&self, entry: &Entry) -> Vec<&str> {
        let mut path = Vec::new();
        let mut under = entry.under;
        while let Some(heading) = under.and_then(|index| self.entries.get(index as usize)) {
            path.push(self.heading(heading));
            under = heading.under;
        }
        path.reverse();
        path
    }

    /// Where a line stands in the file.
    pub fn location(&self, line: u32) -> Location {
        let Some(entry) = self.entry(line) else { return Location::default() };
        let mut headings = self.headings(entry);
        if matches!(entry.kind, EntryKind::Heading(_)) {
            headings.push(self.heading(entry));
        }
        let mut location = Location::of(&entry.place);
        // The sheet's name is part of the cell's, and a chapter's title mostly its first heading.
        headings.retain(|heading| !location.says(heading));
        if !headings.is_empty() {
            location.heading = Some(headings.join(" › "));
        }
        location
    }

    fn heading(&self, entry: &Entry) -> &str {
        let line = self.text.get(entry.byte as usize..).and_then(|text| text.lines().next());
        line.unwrap_or_default().trim_start_matches('#').trim_start()
    }
}

/// What the next block's place among headings and tables depends on.
#[derive(Default)]
struct Writer {
    /// Entries of the headings that are open, by level.
    open: Vec<(u8, u32)>,
    /// The table whose columns are named, and their names.
    columns: Option<(u32, Vec<String>)>,
    lines: u32,
}

impl Writer {
    fn push(&mut self, transcript: &mut Transcript, block: Block) {
        let index = u32::try_from(transcript.entries.len()).unwrap_or(u32::MAX);
        let mut fields = Vec::new();
        let mut marker = String::new();
        let kind = match &block.kind {
            Kind::Heading(level) => {
                self.open.retain(|(open, _)| open < level);
                marker = "#".repeat(usize::from(*level).clamp(1, 6)) + " ";
                EntryKind::Heading(*level)
            }
            Kind::ListItem(depth) if !has_marker(&block.text) => {
                marker = "  ".repeat(usize::from(*depth).min(8)) + "- ";
                EntryKind::Text
            }
            Kind::Row { table, header: true, cells } => {
                self.columns = Some((*table, cells.clone()));
                EntryKind::Header
            }
            Kind::Row { table, header: false, cells } => {
                let columns = self.columns.as_ref().filter(|(of, _)| of == table);
                fields = columns.map(|(_, names)| named(names, cells)).unwrap_or_default();
                EntryKind::Row
            }
            _ => EntryKind::Text,
        };
        let under = self.open.last().map(|(_, entry)| *entry);
        let byte = u32::try_from(transcript.text.len()).unwrap_or(u32::MAX);
        transcript.entries.push(Entry {
            line: self.lines + 1,
            byte,
            kind,
            place: block.place,
            under,
            fields,
        });
        if let EntryKind::Heading(level) = kind {
            self.open.push((level, index));
        }
        // Writing to a string cannot fail.
        let _ = writeln!(transcript.text, "{marker}{}", block.text);
        self.lines += u32::try_from(block.text.lines().count().max(1)).unwrap_or(u32::MAX);
    }
}

/// Whether a list item brings a bullet or a number of its own.
fn has_marker(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    let bullet = ["•", "◦", "▪", "–", "-", "*", "·", "‣"].contains(&first);
    let numbered = first.len() < text.len()
        && first.chars().count() <= 6
        && first.ends_with(['.', ')'])
        && first.chars().any(char::is_alphanumeric);
    bullet || numbered
}

/// Cells with the names of their columns; what has none is called by its position.
fn named(names: &[String], cells: &[String]) -> Vec<(String, String)> {
    let name = |column: usize| {
        let given = names.get(column).filter(|name| !name.is_empty());
        given.cloned().unwrap_or_else(|| format!("column {}", column + 1))
    };
    cells.iter().enumerate().map(|(column, cell)| (name(column), cell.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kind: Kind, text: &str) -> Block {
        Block { kind, text: text.to_owned(), place: Place::Text }
    }

    fn row(header: bool, cells: &[&str]) -> Block {
        let cells: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
        let text = cells.join(" | ");
        Block { kind: Kind::Row { table: 1, header, cells }, text, place: Place::Text }
    }

    #[test]
    fn a_line_knows_its_block_and_the_headings_above_it() {
        let transcript = Transcript::of([
            block(Kind::Heading(1), "Lease"),
            block(Kind::Heading(2), "4 Rent"),
            block(Kind::Code, "a\nb"),
            block(Kind::Paragraph, "The rent is 1200."),
            block(Kind::Heading(2), "5 Term"),
            block(Kind::ListItem(0), "two years"),
            block(Kind::ListItem(0), "(a) or three"),
        ]);
        assert_eq!(
            transcript.text,
            "# Lease\n## 4 Rent\na\nb\nThe rent is 1200.\n## 5 Term\n- two years\n(a) or three\n"
        );
        let path = |line| transcript.headings(transcript.entry(line).unwrap());
        assert_eq!(path(1), Vec::<&str>::new());
        assert_eq!(path(2), ["Lease"]);
        assert_eq!(path(4), ["Lease", "4 Rent"]);
        assert_eq!(path(5), ["Lease", "4 Rent"]);
        assert_eq!(path(7), ["Lease", "5 Term"]);
        assert_eq!(transcript.entry(4).unwrap().line, 3);
    }

    #[test]
    fn rows_are_shown_with_the_names_of_their_columns() {
        let transcript = Transcript::of([
            row(true, &["Item", "Amount", ""]),
            row(false, &["Rent", "1,200", "x"]),
            block(Kind::Paragraph, "Other."),
        ]);
        assert_eq!(transcript.entry(1).unwrap().kind, EntryKind::Header);
        assert_eq!(
            transcript.entry(2).unwrap().shown().as_deref(),
            Some("Item=Rent, Amount=1,200, column 3=x")
        );
        assert_eq!(transcript.entry(3).unwrap().shown(), None);
    }
}
