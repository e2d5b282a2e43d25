//! The answer against what is known (seeds/verifier-block.md, `ground_truth_verification`).
//!
//! Known answers are the user's: imported, or kept from a run whose answer they checked. Agreement of
//! providers adds none (`verifier/src/validation/ground_truth`). No question is answered by looking up its known answer,
//! because documents change. An answer that is not the known one is shown with that finding, and the user says which of the
//! two is wrong.

use std::sync::Arc;

use frlm_questions::reduce::{Bound, Reduced};
use frlm_questions::stage::RunStage;
use frlm_verifier::normalise::{Agreement, ExpectedFormat, Normalised, Rounding, agreement, allows_rounding};
use frlm_verifier::validation::ground_truth::KnownAnswers;

use super::journal::Journal;

/// The beginning of the finding that an answer is not the known one.
pub const ANOTHER: &str = "the known answer is ";

/// The key of a known answer over these documents: an answer over other documents has another key.
pub fn known_as(question: &str, documents: &[String]) -> String {
    match documents {
        [] => question.to_owned(),
        documents => format!("{question} ({})", documents.join(", ")),
    }
}

/// Whether an answer is the known one; `None` if only a comparison of meaning could tell.
pub fn is_known(question: &str, answer: &str, known: &str) -> Option<bool> {
    let of = |text: &str| Normalised::of(text, ExpectedFormat::NumericalAnswer);
    let rounding = if allows_rounding(question) { Rounding::Allowed } else { Rounding::Refused };
    match agreement(&of(answer), &of(known), rounding) {
        Agreement::Undecided => None,
        agreement => Some(agreement.agrees()),
    }
}

/// What is wrong with the answer to a question over these documents if it is not the known one. An answer over part of the
/// documents is not compared.
pub(super) async fn compare(
    known: Option<Arc<dyn KnownAnswers>>,
    question: String,
    documents: &[String],
    reduced: &Reduced,
    journal: &mut Journal,
) -> Option<String> {
    let known = known.filter(|_| reduced.bound == Bound::Exact)?;
    let names = [known_as(&question, documents), question.clone()];
    let looked_up = tokio::task::spawn_blocking(move || {
        names.into_iter().find_map(|name| known.lookup(&name).map(|truth| (name, truth)))
    });
    let (name, truth) = looked_up.await.ok().flatten()?;
    let given = reduced.value.as_deref().unwrap_or(&reduced.text);
    if is_known(&question, given, &truth)? {
        journal.notice(RunStage::Synthesise, "it is the answer that is known");
        return None;
    }
    let truth: String = truth.chars().take(MOST_CHARS).collect();
    let finding = format!(
        "{ANOTHER}\"{truth}\", and this is another one; if the documents have changed: frlm known forget \"{name}\""
    );
    journal.notice(RunStage::Synthesise, &finding);
    Some(finding)
}

/// Characters of a known answer that a message holds.
const MOST_CHARS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_such_and_words_that_differ_say_nothing() {
        let known = |answer, truth| is_known("How many?", answer, truth);
        assert_eq!(known("48", "48 records match."), Some(true));
        assert_eq!(known("48", "47"), Some(false));
        assert_eq!(known("4.2", "42"), Some(false));
        assert_eq!(known("the wheel broke", "a broken wheel"), None);
        assert_eq!(is_known("Roughly how much?", "6,289", "$6,288.95"), Some(true));
    }

    #[test]
    fn the_same_question_over_other_documents_is_another() {
        let documents = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(known_as("How many?", &documents(&["a.log", "b.log"])), "How many? (a.log, b.log)");
        assert_ne!(known_as("How many?", &documents(&["a.log"])), known_as("How many?", &documents(&[])));
    }
}
