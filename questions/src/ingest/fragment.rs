//! What the rest of the pipeline knows of a file.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use frlm_documents::{Location, Transcript};
use sha2::{Digest as _, Sha256};

use super::part::{FragmentText, Records, unread};
use super::text::{Slice, Text};

/// Position of a document in the run's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentId(pub u32);

/// Position of a fragment in the run's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FragmentId(pub u32);

/// A file as it was read.
#[derive(Debug, Clone)]
pub struct Document {
    /// Position in the run's list.
    pub id: DocumentId,
    /// The path as the user gave it (relative to the folder for files found in one).
    pub name: String,
    /// The text, with invalid UTF-8 replaced.
    pub text: Text,
    /// sha256 of the file's bytes, hex.
    pub sha256: String,
    /// Byte sequences that were no text and were replaced.
    pub replaced_sequences: usize,
    /// The title that it gives itself.
    pub title: Option<String>,
    /// Where its lines stand in the file, if that has pages, cells or headings; `text` is then the transcript's.
    pub transcript: Option<Arc<Transcript>>,
}

impl Document {
    /// A text that no file was read for, as the run's only document.
    pub fn of_text(name: impl Into<String>, text: impl Into<Text>) -> Self {
        let text = text.into();
        let sha256 = hex::encode(Sha256::digest(text.whole().as_bytes()));
        Self::of(name.into(), text, sha256)
    }

    /// A text as the run's only document, under the hash of its file.
    pub(super) fn of(name: String, text: Text, sha256: String) -> Self {
        Self { id: DocumentId(0), name, text, sha256, replaced_sequences: 0, title: None, transcript: None }
    }
}

/// Where a fragment stands in its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// First and last line, counted from 1.
    pub lines: RangeInclusive<u32>,
    /// Byte range in the document's text.
    pub bytes: Range<usize>,
    /// sha256 of the text in the range, hex.
    pub sha256: String,
}

/// One line of a fragment that is asked about on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Line number in the document, counted from 1.
    pub line: u32,
    /// The line as it stands in the file, without its line ending. Quotes are checked against it.
    pub text: Slice,
    /// The line as a model reads it, where that differs: a CSV row with its header names.
    pub shown: Option<Arc<str>>,
}

impl Record {
    /// The text that a model reads.
    pub fn prompt_text(&self) -> &str {
        self.shown.as_deref().unwrap_or(&self.text)
    }
}

/// A stretch of a document, small enough for one subtask.
#[derive(Debug, Clone)]
pub struct Fragment {
    /// Position in the run's list.
    pub id: FragmentId,
    /// The document it is cut from.
    pub document: DocumentId,
    /// The document's name, for citations.
    pub file: Arc<str>,
    /// Where it stands.
    pub span: Span,
    /// The text in the span.
    pub text: FragmentText,
    /// Its non-empty lines, headers left out.
    pub records: Records,
    /// Where its lines stand in the file, if that has pages, cells or headings.
    pub transcript: Option<Arc<Transcript>>,
}

impl Fragment {
    /// The same fragment, whose text nobody has looked at yet: what was read of a long document is not held with it.
    #[must_use]
    pub fn unread(&self) -> Self {
        let (text, records) = unread(&self.text, &self.records);
        Self { text, records, ..self.clone() }
    }

    /// Where a line stands in the file; without pages, cells and headings nothing is known.
    pub fn location(&self, line: u32) -> Location {
        self.transcript.as_ref().map(|transcript| transcript.location(line)).unwrap_or_default()
    }

    /// What its reader must know of the text before it: file, page, and the headings that it stands under.
    pub fn context(&self) -> Option<String> {
        let transcript = self.transcript.as_ref()?;
        let entry = transcript.entry(*self.span.lines.start())?;
        let headings = transcript.headings(entry);
        let page = self.location(*self.span.lines.start()).page;
        let page = page.map(|page| format!(", from page {page}")).unwrap_or_default();
        let under =
            if headings.is_empty() { String::new() } else { format!("; under: {}", headings.join(" › ")) };
        Some(format!("{}{page}{under}", self.file))
    }
}
