//! What was not read, or not as it is: for the user, for the record of a run and for its answer.

use std::fmt::{self, Write as _};
use std::path::PathBuf;

use frlm_documents::Warning;
use frlm_protocol::{one_line, shown_path};
use serde::{Deserialize, Serialize};

use super::read::is_locked;

/// Files that an answer names; more are counted.
const MOST_NAMED: usize = 20;

/// Something that was left out or changed while the rest was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IngestWarning {
    /// A hidden file or folder inside a folder.
    SkippedHidden {
        /// Where it is.
        path: PathBuf,
    },
    /// Something that is no document: nothing is missing without it.
    Skipped {
        /// Where it is.
        path: PathBuf,
        /// Why, with the fix.
        reason: String,
    },
    /// A file that could not be read: no answer says anything about it.
    Unread {
        /// Where it is; a file in an archive lies below that.
        path: PathBuf,
        /// The document's name.
        name: String,
        /// Why, with the fix.
        reason: String,
    },
    /// Bytes that were not valid text were replaced by U+FFFD.
    Replaced {
        /// The document's name.
        name: String,
        /// How many sequences.
        sequences: usize,
    },
    /// A document of which only the beginning was read: no answer says anything about the rest.
    Partly {
        /// The document's name.
        name: String,
        /// Why, with the fix.
        reason: String,
    },
    /// Something that was left out of a document, or guessed.
    Noted {
        /// The document's name.
        name: String,
        /// What.
        note: String,
    },
}

impl IngestWarning {
    /// Whether a password, or another one, would open what was not read.
    pub fn needs_password(&self) -> bool {
        matches!(self, Self::Unread { reason, .. } if is_locked(reason))
    }

    /// What no answer says anything about, if that is something.
    pub fn unread(&self) -> Option<Unread> {
        let (path, why) = match self {
            Self::Unread { name, reason, .. } => (name, reason.clone()),
            Self::Partly { name, reason } => (name, format!("only its beginning was read; {reason}")),
            _ => return None,
        };
        Some(Unread { path: path.clone(), why })
    }
}

impl fmt::Display for IngestWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SkippedHidden { path } => {
                write!(formatter, "{}: skipped, hidden; name it to have it read", shown_path(path))
            }
            Self::Skipped { path, reason } => write!(formatter, "{}: skipped, {reason}", shown_path(path)),
            Self::Unread { path, reason, .. } => {
                write!(formatter, "{}: not read, {reason}", shown_path(path))
            }
            Self::Partly { name, reason } => {
                write!(formatter, "{}: only its beginning was read; {reason}", one_line(name))
            }
            Self::Noted { name, note } => write!(formatter, "{}: {}", one_line(name), one_line(note)),
            Self::Replaced { name, sequences } => write!(
                formatter,
                "{}: {sequences} invalid byte sequence{} replaced; convert it to UTF-8 to keep them",
                one_line(name),
                if *sequences == 1 { "" } else { "s" }
            ),
        }
    }
}

/// A file that was to be read, and could not be, or not to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// Its name, as citations name files.
    pub path: String,
    /// Why, with the fix.
    pub why: String,
}

/// What an answer is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentsReport {
    /// How many documents were read.
    pub read: usize,
    /// Those that could not be read, or not to their end: the answer says nothing about them.
    pub unread: Vec<Unread>,
}

/// The documents that a question is asked about, and what was to be among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentList {
    /// The names of those that were read, in order.
    pub names: Vec<String>,
    /// Those that could not be read, or not to their end.
    pub unread: Vec<Unread>,
}

impl DocumentList {
    /// What was read, with what was not by these warnings.
    pub fn of(names: Vec<String>, warnings: &[IngestWarning]) -> Self {
        Self { names, unread: warnings.iter().filter_map(IngestWarning::unread).collect() }
    }

    /// The same for the answer.
    pub fn report(&self) -> DocumentsReport {
        DocumentsReport { read: self.names.len(), unread: self.unread.clone() }
    }

    /// How much of a question's documents was read, 0..=1, each file counted alike; full only where nothing is unread.
    pub fn share_read(&self) -> f64 {
        let (read, unread) = (self.names.len() as f64, self.unread.len() as f64);
        if self.unread.is_empty() { 1.0 } else { read / (read + unread) }
    }

    /// What an answer has to say of what was not read; `None` where that is nothing.
    pub fn bound(&self) -> Option<String> {
        let mut text = format!("The answer says nothing about {}:", files(self.unread.len())?);
        // Writing into a String cannot fail.
        for Unread { path, why } in self.unread.iter().take(MOST_NAMED) {
            let _ = write!(text, "\n- {}: {}", one_line(path), one_line(why));
        }
        if let Some(more) = files(self.unread.len().saturating_sub(MOST_NAMED)) {
            let _ = write!(text, "\n- and {more} more");
        }
        Some(text)
    }
}

/// `1 file`, `2 files`; `None` of none.
pub fn files(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 file".to_owned()),
        several => Some(format!("{several} files")),
    }
}

/// Warnings of which many are alike (one for each page of a scan) become one.
pub(super) fn notes(warnings: &[Warning]) -> Vec<Warning> {
    let mut pages = Vec::new();
    let mut notes = Vec::new();
    for warning in warnings {
        match warning {
            Warning::PageWithoutText { page } => pages.push(*page),
            other => notes.push(other.clone()),
        }
    }
    match pages.as_slice() {
        [] => {}
        [page] => notes.push(Warning::PageWithoutText { page: *page }),
        pages => notes.push(Warning::Other(format!(
            "pages {} have no text layer (scans or pictures)",
            page_ranges(pages)
        ))),
    }
    let unknown = notes.iter().filter(|note| matches!(note, Warning::UnknownGlyphs { .. })).count();
    if unknown > 3 {
        notes.retain(|note| !matches!(note, Warning::UnknownGlyphs { .. }));
        notes.push(Warning::Other(format!(
            "{unknown} pages have characters that cannot be told from their font"
        )));
    }
    notes
}

/// `3, 5-7, 12` of pages in rising order.
fn page_ranges(pages: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for page in pages {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *page => *last = *page,
            _ => ranges.push((*page, *page)),
        }
    }
    let words = ranges.iter().map(
        |(first, last)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        },
    );
    words.collect::<Vec<_>>().join(", ")
}
