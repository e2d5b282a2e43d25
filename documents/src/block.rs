//! What a document is made of.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A stretch of a document that is read as one: a paragraph, a heading, a row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: Kind,
    /// Its text, without markers of our own. White space is collapsed to single spaces; only code has line breaks.
    pub text: String,
    /// Where it stands.
    pub place: Place,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A heading; 1 is the highest level, 6 the lowest.
    Heading(u8),
    /// A paragraph.
    Paragraph,
    /// An item of a list; 0 is the outermost list. Its bullet or number is part of the text if the file holds it as text.
    ListItem(u8),
    /// A row of a table.
    Row {
        /// Which table of the document, counted from 1.
        table: u32,
        /// Whether it names the columns.
        header: bool,
        /// The text of each cell. A merged cell stands in its first column, and empty texts in the others.
        cells: Vec<String>,
    },
    /// Preformatted text.
    Code,
    /// What stands at a picture or a table.
    Caption,
    /// A footnote or an endnote; its mark is part of the text.
    Footnote,
    /// A remark beside the text: a comment, or a speaker's notes.
    Note,
    /// A named value beside the text, such as a header of a mail: the text is `Subject: …`.
    Field,
}

/// Where a block stands in its file. What it stands under is told by the headings before it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In a file without pages or parts of its own.
    #[default]
    Text,
    /// On a page.
    Page {
        /// Counted from 1, whatever is printed on it.
        page: u32,
        /// The rectangle that its glyphs fill, if known.
        bounds: Option<Bounds>,
    },
    /// On a slide.
    Slide {
        /// Counted from 1.
        slide: u32,
    },
    /// In a sheet.
    Cells {
        /// The sheet's name.
        sheet: String,
        /// The first cell.
        first: Cell,
        /// The last cell; the same for a single one.
        last: Cell,
    },
    /// In a chapter of a book.
    Chapter {
        /// Counted from 1, in reading order.
        chapter: u32,
        /// Its title, if it has one.
        title: Option<String>,
    },
    /// In a message.
    Message {
        /// Counted from 1, in the order of the file.
        message: u32,
        /// Its subject, if it has one.
        subject: Option<String>,
    },
    /// While it is spoken.
    Time {
        /// From then, in milliseconds from the start.
        start_ms: u64,
        /// Until then.
        end_ms: u64,
    },
}

/// A rectangle on a page, in points (1/72 inch) from the page's top left corner as the page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// Left edge.
    pub left: f32,
    /// Upper edge.
    pub top: f32,
    /// Right edge.
    pub right: f32,
    /// Lower edge.
    pub bottom: f32,
}

impl Bounds {
    /// The smallest rectangle that holds both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// A cell of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// Counted from 1.
    pub row: u32,
    /// Counted from 1.
    pub column: u32,
}

/// As people write it: `B7`.
impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = Vec::new();
        let mut left = self.column;
        while left > 0 {
            let digit = u8::try_from((left - 1) % 26).unwrap_or(0);
            letters.push(char::from(b'A' + digit));
            left = (left - 1) / 26;
        }
        let letters: String = letters.into_iter().rev().collect();
        write!(formatter, "{letters}{}", self.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_named_as_sheets_name_them() {
        let name = |column, row| Cell { row, column }.to_string();
        assert_eq!([name(1, 1), name(26, 7), name(27, 7), name(703, 20)], ["A1", "Z7", "AA7", "AAA20"]);
    }
}
