//! When two questions are one.

use frlm_util::text::words;

use crate::normalise::Sentence;
use crate::value::Scalar;

/// Words that no question turns on.
const FILLERS: [&str; 16] = [
    "a", "an", "are", "did", "do", "does", "how", "is", "of", "please", "the", "to", "was", "were", "what",
    "when",
];

/// A question as sorted words and values; equal keys mean the same question.
///
/// Values count as they are (`2023` and `2024` are two questions), and so does every word that is no
/// filler: a near miss must not find another question's truth.
pub(super) fn key(question: &str) -> String {
    let sentence = Sentence::of(question);
    let mut parts: Vec<String> = sentence.values().map(Scalar::canonical).collect();
    parts.extend(sentence.words().filter(|word| !FILLERS.contains(word)).map(str::to_owned));
    parts.sort_unstable();
    parts.dedup();
    parts.join(" ")
}

/// Words for a full-text search: quoted, so that none is read as an operator.
pub(super) fn search_words(text: &str) -> String {
    words(text).map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reordered_question_is_the_same_and_another_year_makes_another() {
        assert_eq!(key("When was the Eiffel Tower completed?"), key("the Eiffel tower was completed when"));
        assert_ne!(key("Orders in 2023?"), key("Orders in 2024?"));
        assert_ne!(key("Was it paid?"), key("Was it not paid?"));
    }
}
