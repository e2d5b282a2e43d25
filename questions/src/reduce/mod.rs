//! Verified map answers → one result with citations.
//!
//! Code counts, lists and compares what models found, and says what a partial answer is worth:
//! an exact reduction over some of the fragments is a bound, never a number (design.md, section 1).

pub mod final_check;
mod numbers;
mod pattern;
mod records;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod sample_tests;
pub mod sentence;
pub mod size;
pub mod support;
#[cfg(test)]
mod tests;
pub mod words;

use std::sync::Arc;

use frlm_documents::Transcript;
use frlm_protocol::one_line;

pub use pattern::pattern_of;
pub use records::reduce;
pub use support::sentences;

use crate::dialect::RecordMatch;
use crate::ingest::{Fragment, FragmentId};

/// Records that one result cites; more are counted, not cited.
pub const MOST_CITATIONS: usize = 50;

/// Stands before a figure that is not exact.
pub const ROUNDED: &str = "about ";

/// Where an answer comes from.
#[derive(Debug, Clone)]
pub struct FragmentRef {
    /// The fragment; document order is the order of ids.
    pub id: FragmentId,
    /// The document's name.
    pub file: Arc<str>,
    /// Where its lines stand in the file, if that has pages, cells or headings.
    transcript: Option<Arc<Transcript>>,
}

impl From<&Fragment> for FragmentRef {
    fn from(fragment: &Fragment) -> Self {
        let transcript = fragment.transcript.clone();
        Self { id: fragment.id, file: Arc::clone(&fragment.file), transcript }
    }
}

impl FragmentRef {
    /// Of a text without pages, cells and headings.
    #[cfg(any(test, feature = "testing"))]
    pub fn of_text(id: FragmentId, file: &str) -> Self {
        Self { id, file: file.into(), transcript: None }
    }

    /// Where a line stands, in words: `p. 12, § 4 Rent`, or `line 7`.
    pub fn place(&self, line: u32) -> String {
        let location = self.transcript.as_ref().map(|transcript| transcript.location(line).to_string());
        location.filter(|location| !location.is_empty()).unwrap_or_else(|| format!("line {line}"))
    }

    /// The same with the file's name: `lease.pdf p. 12, § 4 Rent`.
    pub fn place_with_file(&self, line: u32) -> String {
        format!("{} {}", one_line(&self.file), self.place(line))
    }
}

/// How much of the documents was seen, in fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// Fragments with a verified answer.
    pub answered: usize,
    /// Fragments in all.
    pub total: usize,
    /// Files that could not be read, of which nobody knows how many fragments they have.
    pub unread: usize,
}

impl Coverage {
    /// Every one of `total` fragments was seen.
    pub fn full(total: usize) -> Self {
        Self { answered: total, total, unread: 0 }
    }

    /// Whether nothing is missing.
    pub fn is_full(self) -> bool {
        self.answered >= self.total && self.unread == 0
    }

    /// Fragments without a verified answer.
    pub fn missing(self) -> usize {
        self.total.saturating_sub(self.answered)
    }
}

/// How the result stands to what full coverage would give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// It is the same.
    Exact,
    /// Full coverage could only give more.
    AtLeast,
    /// Full coverage could only give less.
    AtMost,
    /// Full coverage could give anything.
    Unknown,
}

/// A record that the result rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The fragment it stands in.
    pub fragment: FragmentId,
    /// The document's name.
    pub file: Arc<str>,
    /// First and last line in the document, counted from 1.
    pub lines: [u32; 2],
    /// Text that stands there.
    pub quote: String,
    /// What it supports: a part of the question, or a note that the text names, counted from 1; `None` where the whole
    /// text rests on it.
    pub claim: Option<u32>,
}

impl Citation {
    fn new(fragment: &FragmentRef, found: &RecordMatch) -> Self {
        Self {
            fragment: fragment.id,
            file: Arc::clone(&fragment.file),
            // A row of a table may go on over several lines.
            lines: [found.line, found.line + u32::try_from(found.quote.matches('\n').count()).unwrap_or(0)],
            quote: found.quote.clone(),
            claim: None,
        }
    }

    /// The same for a part or a note of this number, if it is for one.
    #[must_use]
    pub fn of_claim(self, number: Option<usize>) -> Self {
        Self { claim: number.and_then(|number| u32::try_from(number).ok()), ..self }
    }
}

/// The answer to the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// A sentence that begins with the answer.
    pub text: String,
    /// The one value that answers the question, as the documents write it; `None` where there are
    /// several, or none.
    pub value: Option<String>,
    /// The one total, average, largest or smallest figure that code found, with its unit: [`ROUNDED`] before it where it
    /// is not exact; `None` where the values are of several kinds.
    pub computed: Option<String>,
    /// What it is worth under the coverage it was made from.
    pub bound: Bound,
    /// What it rests on, in document order, at most [`MOST_CITATIONS`]; and one for each step of a question that has none among them.
    pub citations: Vec<Citation>,
    /// Records it rests on beyond those cited.
    pub uncited: usize,
    /// Records that match the query, or fragments that had something to say.
    pub matched: usize,
}
