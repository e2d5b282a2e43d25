//! Parts that a model proposes: each must be a plain question over the documents, and together they must ask what the
//! question asks, as far as code can tell.
//!
//! The model only proposes. A part that asks for a value which the question does not say, or a value of the question that no
//! part asks for, makes it no plan; what else a part says stands before its answer, for everyone to see.

use super::super::compile::stands_in;
use super::super::fields::{FieldHints, field_hints};
use super::scope::Documents;
use super::split::trimmed;
use super::{Compound, MOST_PARTS, Part};
use crate::ingest::Fragment;

/// Characters of a text that messages repeat.
const LONGEST_EXCERPT: usize = 120;

/// Why texts are no parts of a question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartsError {
    /// One, or too many.
    #[error("a plan has 2 to {most} subtasks, and this one has {0}", most = MOST_PARTS)]
    Count(usize),
    /// The parser says no.
    #[error("subtask {number} is no plain question over the documents' fields: \"{text}\"")]
    Unreadable {
        /// Which one, from 1.
        number: usize,
        /// Its beginning.
        text: String,
    },
    /// A value that was not asked for.
    #[error("subtask {number} asks for \"{value}\", which the question does not say")]
    NotAsked {
        /// Which one, from 1.
        number: usize,
        /// The value.
        value: String,
    },
    /// A value that was asked for.
    #[error("no subtask asks for \"{0}\", which the question says")]
    LeftOut(String),
    /// Everything stands in it, and still it is another question.
    #[error("together they are not what the question asks: {0}")]
    Differs(String),
}

/// Reads them.
pub fn read(question: &str, texts: &[String], fragments: &[Fragment]) -> Result<Compound, PartsError> {
    if !(2..=MOST_PARTS).contains(&texts.len()) {
        return Err(PartsError::Count(texts.len()));
    }
    let documents = Documents::of(fragments);
    let mut parts: Vec<Part> = Vec::new();
    for (number, text) in (1..).zip(texts) {
        let text = trimmed(text);
        let Some(part) = documents.read(text, &parts) else {
            return Err(PartsError::Unreadable { number, text: excerpt(text) });
        };
        if let Some(value) = invented(question, &part) {
            return Err(PartsError::NotAsked { number, value: excerpt(value) });
        }
        parts.push(part);
    }
    match left_out(question, texts, &field_hints(fragments)) {
        Some(value) => Err(PartsError::LeftOut(excerpt(value))),
        None => Ok(Compound { parts, closings: Vec::new() }),
    }
}

/// A value that a part asks for and the question does not say.
fn invented<'part>(question: &str, part: &'part Part) -> Option<&'part str> {
    let awaited = part.needs.as_ref().map(|need| need.condition);
    let conditions = part.query.conditions.iter().enumerate();
    let values =
        conditions.filter(|(at, _)| Some(*at) != awaited).map(|(_, condition)| condition.value.as_str());
    values.chain(part.check.as_deref()).find(|value| !stands_in(question, value))
}

/// A number, or a value that the documents hold, which the question says and no part does.
fn left_out<'question>(
    question: &'question str,
    texts: &[String],
    hints: &FieldHints,
) -> Option<&'question str> {
    let apart = |c: char| c.is_whitespace() || "?!,;:()\"'«»“”=<>".contains(c);
    let is_value = |word: &str| {
        let lower = word.to_lowercase();
        word.chars().any(|c| c.is_ascii_digit())
            || hints.statuses().contains(&lower)
            || !hints.owners(&lower).is_empty()
    };
    let mut words = question.split(apart).map(|word| word.trim_matches('.')).filter(|word| !word.is_empty());
    words.find(|word| is_value(word) && !texts.iter().any(|text| stands_in(text, word)))
}

fn excerpt(text: &str) -> String {
    text.chars().take(LONGEST_EXCERPT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::testing::{ORDERS, SHOP, fragment};

    const QUESTION: &str = "Whoever has the most failed orders, how many errors did the log show for them?";

    fn proposed(texts: &[&str]) -> Result<Compound, PartsError> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Compound::of_parts(QUESTION, &texts, &[fragment("orders.log", ORDERS), fragment("shop.log", SHOP)])
    }

    const WHO: &str = "Which user has the most failed orders?";
    const ERRORS: &str = "How many errors did the log show for that user?";

    #[test]
    fn parts_that_a_model_proposes_are_read_like_those_of_a_question() {
        let whole = [fragment("orders.log", ORDERS), fragment("shop.log", SHOP)];
        assert_eq!(Compound::read(QUESTION, &whole), None, "code alone does not read it");
        let compound = proposed(&[WHO, ERRORS]).unwrap();
        let needs: Vec<Option<usize>> =
            compound.parts.iter().map(|part| part.needs.as_ref().map(|need| need.part)).collect();
        assert_eq!(needs, [None, Some(0)]);
        assert_eq!(compound.parts[0].text, WHO.trim_end_matches('?'));
        assert_eq!(&*compound.parts[1].documents[0], "shop.log");
    }

    #[test]
    fn what_is_no_question_what_was_not_asked_and_what_is_missing_are_named() {
        assert_eq!(proposed(&[WHO]), Err(PartsError::Count(1)));
        assert_eq!(proposed(&[WHO; 1_000]), Err(PartsError::Count(1_000)));
        let error = |texts: &[&str]| proposed(texts).unwrap_err().to_string();
        let unreadable = error(&[WHO, "Ponder the nature of failure."]);
        assert!(unreadable.starts_with("subtask 2 is no plain question"), "{unreadable}");
        let backwards = error(&[ERRORS, WHO]);
        assert!(
            backwards.starts_with("subtask 1 is no plain question"),
            "\"that user\" is nobody yet: {backwards}"
        );
        let invented = error(&["Which user has the most refunded orders?", ERRORS]);
        assert_eq!(invented, "subtask 1 asks for \"refunded\", which the question does not say");
        let missing = error(&["Which user has the most orders?", ERRORS]);
        assert_eq!(missing, "no subtask asks for \"failed\", which the question says");
        let endless = error(&[WHO, &"x".repeat(100_000)]);
        assert!(endless.len() < 400, "{}", endless.len());
    }
}
