//! What reading a file tells, in the order in which it is found.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::block::Block;
use crate::format::Format;

/// One step of reading a file. A file that holds files (an archive, a mail with attachments) tells of several documents, one
/// after the other; blocks and warnings belong to the document that was begun last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A document begins.
    Document {
        /// The file's name; what lies inside of it is named `box.zip/report.pdf`.
        name: String,
        /// What it is.
        format: Format,
    },
    /// The title that the document gives itself, if that is no block of its own.
    Title(String),
    /// The next block in reading order.
    Block(Block),
    /// Text of a format without blocks ([`Format::Plain`]): the whole of it.
    Plain(String),
    /// Something was not read, or was guessed.
    Warning(Warning),
    /// The document ends: completely read, or refused from here on.
    End(Result<(), Refusal>),
}

/// What to do about a file that is no document: a program, a font.
pub(crate) const LEAVE_OUT: &str = "it holds no text to read; leave it out";

/// Why a link in an archive is not read: what it points at lies there by itself, or elsewhere.
pub const IS_LINK: &str = "it is a link or a device";

/// Why a file, or the rest of it, is not read. The text names the fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It needs a password.
    #[error("it is encrypted; give its password")]
    Encrypted,
    /// The password that was given is wrong.
    #[error("the password does not open it")]
    WrongPassword,
    /// It is not what it says it is.
    #[error("the {format} file is damaged ({what}); save it again with the program that wrote it")]
    Damaged {
        /// What it was read as.
        format: Format,
        /// What is wrong with it, in few words of our own.
        what: String,
    },
    /// A format that is not read.
    #[error("{what}: {remedy}")]
    Unsupported {
        /// What it is: `a Word 97 document`.
        what: String,
        /// What to do: `save it as .docx`.
        remedy: String,
    },
    /// It has pages, and nothing on them is text.
    #[error("it has {}; run text recognition (OCR) on it first", scans(*.pages))]
    Scan {
        /// How many.
        pages: u32,
    },
    /// Nothing in it.
    #[error("it holds no text")]
    Empty,
    /// More than is read, of something.
    #[error("it has more than {}; split it, or take out what is not needed", amount(*.limit, .what))]
    TooMuch {
        /// Of what: `bytes of text`, `files inside of files`.
        what: String,
        /// How much is read.
        limit: u64,
    },
    /// Its reader ended before it did: the reader crashed, or reached a limit of its worker process. The text says which.
    #[error("{0}")]
    Reader(String),
}

impl Refusal {
    /// A file that is not what it says it is.
    pub(crate) fn damaged(format: Format, what: impl fmt::Display) -> Self {
        Self::Damaged { format, what: what.to_string().chars().take(200).collect() }
    }

    /// The reader panicked.
    pub(crate) fn crashed() -> Self {
        Self::Reader("the reader crashed on it; nothing else did".to_owned())
    }

    /// Whether the file is no document, so that nothing is missing without it.
    pub fn is_no_document(&self) -> bool {
        matches!(self, Self::Unsupported { remedy, .. } if remedy == LEAVE_OUT)
    }

    /// It is encrypted, and no password opens it here: its own program must save it without one.
    pub(crate) fn locked(what: &str, program: &str) -> Self {
        let remedy = format!("open it in {program} and save it without a password");
        Self::Unsupported { what: format!("{what} with a password"), remedy }
    }

    /// More than is read, of something.
    pub(crate) fn too_much(what: impl Into<String>, limit: u64) -> Self {
        Self::TooMuch { what: what.into(), limit }
    }
}

fn scans(pages: u32) -> String {
    match pages {
        1 => "one page without a text layer (a scan)".to_owned(),
        _ => format!("{} pages without a text layer (scans)", grouped(pages.into())),
    }
}

/// So much of something; what is counted in bytes is told in the unit that people read: `128 MB when unpacked`.
pub(crate) fn amount(number: u64, of_what: &str) -> String {
    match of_what.strip_prefix("bytes") {
        Some(rest) if number >= 1 << 20 => format!("{} MB{rest}", grouped(number >> 20)),
        Some(rest) if number >= 10 << 10 => format!("{} KB{rest}", number >> 10),
        _ => format!("{} {of_what}", grouped(number)),
    }
}

/// A number whose digits stand in groups of three from five digits on: `1000`, `10,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Something that was left out or guessed while the rest was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// A page without a single glyph: a scan, a picture, or empty.
    PageWithoutText {
        /// Counted from 1.
        page: u32,
    },
    /// A page on which glyphs do not say which characters they are.
    UnknownGlyphs {
        /// Counted from 1.
        page: u32,
        /// Their share, in percent, rounded up.
        percent: u8,
    },
    /// The text does not say how it is encoded; this was guessed.
    GuessedEncoding {
        /// Its name, such as `windows-1252`.
        encoding: String,
    },
    /// Bytes that are no text in the encoding, replaced by U+FFFD.
    ReplacedBytes {
        /// How many sequences.
        sequences: u32,
    },
    /// A file inside was not read.
    Skipped {
        /// Its name inside.
        name: String,
        /// Why.
        reason: String,
    },
    /// Something else that the reader should know, in words of our own.
    Other(String),
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PageWithoutText { page } => {
                write!(formatter, "page {page} has no text layer (a scan or a picture)")
            }
            Self::UnknownGlyphs { page, percent } => {
                write!(
                    formatter,
                    "{percent} % of the characters on page {page} cannot be told from their font"
                )
            }
            Self::GuessedEncoding { encoding } => write!(formatter, "read as {encoding}, which was guessed"),
            Self::ReplacedBytes { sequences: 1 } => write!(formatter, "1 invalid byte sequence replaced"),
            Self::ReplacedBytes { sequences } => {
                write!(formatter, "{sequences} invalid byte sequences replaced")
            }
            Self::Skipped { name, reason } => write!(formatter, "{name}: skipped, {reason}"),
            Self::Other(words) => formatter.write_str(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_told_as_people_write_them() {
        assert_eq!(amount(128 << 20, "bytes when unpacked"), "128 MB when unpacked");
        assert_eq!(amount((3 << 30) - 1, "bytes of text"), "3071 MB of text");
        assert_eq!(amount(20_000, "bytes in one part"), "19 KB in one part");
        assert_eq!(amount(1000, "bytes of text"), "1000 bytes of text");
        assert_eq!(
            amount(1_500_000, "elements and texts on one page"),
            "1,500,000 elements and texts on one page"
        );
        assert_eq!(amount(10_000, "pages"), "10,000 pages");
    }

    #[test]
    fn a_single_page_is_told_in_the_singular() {
        let words = |pages| Refusal::Scan { pages }.to_string();
        assert_eq!(
            words(1),
            "it has one page without a text layer (a scan); run text recognition (OCR) on it first"
        );
        assert!(words(2).starts_with("it has 2 pages without a text layer (scans);"));
    }
}
