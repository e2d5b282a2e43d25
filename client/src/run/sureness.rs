//! How sure tables are of what a question means.

use frlm_questions::ingest::Document;
use frlm_tables::{Answer, SURE, Store};

use super::by_code::MOST_BYTES_UNASKED;
use super::document_tables::{is_too_long, tables};
use super::readings::NEARLY_SURE;

/// How sure a table is of its one answer.
pub(super) fn confidence(answer: &Answer) -> Option<f64> {
    match answer {
        Answer::Unique(answered) => Some(answered.confidence),
        Answer::Ambiguous(_) | Answer::Asked(_) | Answer::Refused(_) => None,
    }
}

/// Where one table is nearly sure, a guess of another is no second answer.
pub(super) fn drop_guesses<T>(answers: &mut Vec<T>, answer: impl Fn(&T) -> &Answer) {
    let best = answers.iter().filter_map(|one| confidence(answer(one))).fold(0.0, f64::max);
    if best >= NEARLY_SURE {
        answers.retain(|one| confidence(answer(one)).is_none_or(|confidence| confidence >= NEARLY_SURE));
    }
}

/// Whether some tables tell how a question is meant, and none is in doubt.
pub(super) fn are_sure<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> bool {
    let mut any = false;
    for answer in answers {
        match answer {
            Answer::Unique(answered) if answered.confidence >= SURE => any = true,
            Answer::Refused(_) => {}
            Answer::Unique(_) | Answer::Ambiguous(_) | Answer::Asked(_) => return false,
        }
    }
    any
}

/// Whether documents hold tables, and code is not sure how a question over them is meant.
pub(super) fn is_unsure_over(question: &str, documents: &[Document], store: Option<&Store>) -> bool {
    let mut answers = Vec::new();
    for document in documents {
        if store.is_none() && is_too_long(document, MOST_BYTES_UNASKED) {
            return true;
        }
        match tables(document, store, MOST_BYTES_UNASKED) {
            Ok(tables) => answers.extend(tables.iter().map(|table| table.ask(question))),
            Err(_) => return true,
        }
    }
    let has_tables = !answers.is_empty();
    drop_guesses(&mut answers, |answer| answer);
    has_tables && !are_sure(&answers)
}
