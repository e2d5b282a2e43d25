//! Why a model's text is not an answer.

use frlm_inference::ObjectError;
use frlm_verifier::claims::Failure;

/// Why a model's text is not an answer. Lines are counted from 1 in the document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialectError {
    /// The `records` dialect answers queries only.
    #[error("this question has no query, so that records cannot be asked one by one")]
    NoQuery,
    /// Not one answer per prompt.
    #[error("{expected} answers were asked for, {found} came back")]
    AnswerCount {
        /// Prompts in the job.
        expected: usize,
        /// Answers given.
        found: usize,
    },
    /// Not one line per asked field.
    #[error("line {line}: {expected} fields were asked for, {found} lines came back")]
    FieldCount {
        /// The record's line.
        line: u32,
        /// Fields asked for.
        expected: usize,
        /// Lines given.
        found: usize,
    },
    /// Text that is said to stand in a line and does not.
    #[error("line {line} does not contain the quoted {quote:?}")]
    ForgedQuote {
        /// The line it is said to stand in.
        line: u32,
        /// The beginning of the text.
        quote: String,
    },
    /// A line that the fragment does not have, or that holds no record.
    #[error("line {line} is not one of the fragment's records")]
    UnknownLine {
        /// The line.
        line: u64,
    },
    /// A record that says itself that the query is not about it.
    #[error("line {line} is no match: its {field} is {value:?}")]
    NoMatch {
        /// The line.
        line: u32,
        /// The field that a condition is about.
        field: String,
        /// The beginning of what stands there.
        value: String,
    },
    /// Two different answers about one record.
    #[error("line {line} is reported twice with different values")]
    Contradiction {
        /// The line.
        line: u32,
    },
    /// No JSON object with the key that was asked for.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// JSON of another shape.
    #[error("the answer's JSON has another shape than was asked for: {0}")]
    Shape(String),
    /// Claims of which the lines bear out none: why the first falls.
    #[error("the lines bear out none of its claims: {0}")]
    NotBorneOut(Failure),
    /// An answer in words that quotes nothing.
    #[error("the answer quotes no text from the fragment")]
    NoEvidence,
}

/// The beginning of a text that a peer wrote, for an error message.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST_CHARS: usize = 61;
    frlm_util::text::shortened(text, LONGEST_CHARS)
}
