//! Files → documents → fragments.
//!
//! Layout, in the order in which data flows:
//! - [`read`]: paths → documents; `frlm_documents` turns their bytes into text, for what is no text in a worker
//!   ([`DocumentReader`]). [`folder`]: what lies in a folder; [`names`]: what documents are called; [`warnings`]: what was
//!   not read, and what an answer has to say of it
//! - [`text`](mod@text), [`kept`], [`long`]: a document's text, held in memory; or, beyond 64 MB, kept in a file of our own and
//!   read window by window
//! - [`mod@stamp`]: whether they have changed since
//! - [`split`](mod@split): a document → fragments under a token budget, built from [`frlm_documents::text`] (kinds of
//!   text, lines, rows), [`structure`] (headings, paragraphs), [`blocks`] (documents with places), [`cuts`] (which of
//!   their borders) and [`frlm_inference::tokens`]
//! - [`part`]: what a fragment holds of its document: a range, read when somebody looks at it
//!
//! Invariant: fragments stand in document order, never overlap, and leave out nothing that a
//! question could be about. What lies between two of them is white space or structure that is no
//! record (a CSV header, the brackets of a JSON array).
//!
//! Deliberately absent: any judgement of the text. It is data, also where it looks like an
//! instruction, and stripping control characters is the business of the code that displays it.

mod blocks;
mod cuts;
mod folder;
mod fragment;
mod kept;
mod long;
mod names;
mod part;
mod read;
mod split;
mod stamp;
mod structure;
mod text;
mod warnings;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod block_tests;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod cut_tests;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests;

pub use fragment::{Document, DocumentId, Fragment, FragmentId, Record, Span};
pub use frlm_inference::tokens::estimate_tokens;
pub use part::{FragmentText, Records};
pub use read::{DocumentReader, IngestError, Ingested, STANDARD_INPUT, TextOnly, read_documents};
pub use split::{MIN_FRAGMENT_TOKENS, SplitOptions, split, split_lines, split_rows};
pub use stamp::stamp;
pub use text::{Slice, Text};
pub use warnings::files;
pub use warnings::{DocumentList, DocumentsReport, IngestWarning, Unread};
