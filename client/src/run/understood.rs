//! What code makes of a question that no table answers, and the pieces of the documents that it is asked of.

use frlm_questions::ingest::{self, Document, Fragment, SplitOptions};
use frlm_questions::query::Query;
use frlm_questions::question::compound::Compound;
use frlm_questions::question::{FieldHints, field_hints, parse};

use super::request::FRAGMENT_TOKENS;

/// What code makes of a question over documents, and the pieces that it is asked of.
pub(super) struct Understood {
    pub fragments: Vec<Fragment>,
    pub hints: FieldHints,
    pub query: Option<Query>,
    pub compound: Option<Compound>,
}

impl Understood {
    /// Pieces that nobody is asked about.
    pub fn unasked(fragments: Vec<Fragment>) -> Self {
        Self { fragments, hints: FieldHints::default(), query: None, compound: None }
    }
}

/// A question about fields is asked of the rows of the documents' tables, if those have the fields; any other of all that the
/// documents say.
pub(super) fn understand(
    question: Option<&String>,
    documents: &[Document],
    options: SplitOptions,
) -> Understood {
    if let Some(question) = question
        && documents.iter().any(|document| document.transcript.is_some())
    {
        let fragments = ingest::split_rows(documents, options);
        let hints = field_hints(&fragments);
        let query = parse(question, &hints).filter(|query| !query.fields().is_empty());
        let compound =
            if query.is_none() && !hints.is_empty() { Compound::read(question, &fragments) } else { None };
        if query.is_some() || compound.is_some() {
            return Understood { fragments, hints, query, compound };
        }
    }
    let fragments = ingest::split(documents, options);
    let hints = field_hints(&fragments);
    let query = question.and_then(|question| parse(question, &hints));
    let compound = match question {
        Some(question) if query.is_none() => Compound::read(question, &fragments),
        _ => None,
    };
    Understood { fragments, hints, query, compound }
}

/// A document that was cut only because it has many lines, in one piece: a model that copies fields reads a few lines at
/// a time, one that answers in words reads them all.
pub(super) fn in_one_piece(documents: &[Document], fragments: &[Fragment]) -> Option<Fragment> {
    // What is longer than this cannot be one piece, and is not cut a second time to find that out.
    const MOST_BYTES: usize = 16 * FRAGMENT_TOKENS;
    let bytes: usize = fragments.iter().map(|fragment| fragment.text.len()).sum();
    if documents.len() != 1 || fragments.len() < 2 || bytes > MOST_BYTES {
        return None;
    }
    let options = SplitOptions { max_tokens: FRAGMENT_TOKENS, max_records: usize::MAX };
    let mut pieces = ingest::split(documents, options);
    if pieces.len() == 1 { pieces.pop() } else { None }
}
