//! How documents are cut, for people who look before they ask.

use frlm_questions::ingest::{Document, SplitOptions, split};

use super::request::{FRAGMENT_LINES, FRAGMENT_TOKENS};

/// How many parts a run cuts each of these documents into, unless its settings say otherwise.
pub fn parts(documents: &[Document]) -> Vec<usize> {
    let fragments =
        split(documents, SplitOptions { max_tokens: FRAGMENT_TOKENS, max_records: FRAGMENT_LINES });
    let count = |document: &Document| fragments.iter().filter(|part| part.document == document.id).count();
    documents.iter().map(count).collect()
}
