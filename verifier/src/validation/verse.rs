//! The form of short verse, as far as code can count it (seeds/verifier-block.md, "Scenario 2": "Check syllable count
//! (5-7-5)").
//!
//! Spelling tells English syllables roughly. So what is counted is said beside a model's opinion, and decides nothing.

use frlm_util::text::{words, words_of};

use super::{Finding, Method};
use crate::request::OriginalTask;

/// The lines of a haiku.
const HAIKU: [usize; 3] = [5, 7, 5];
/// Vowels that stand side by side and are two syllables, as in "chaos", "idea", "science" and "radio".
const APART: [&str; 5] = ["ao", "eo", "ia", "ie", "io"];
/// … and the endings in which they are one, as in "motion" and "people".
const TOGETHER: [&str; 6] = ["tion", "sion", "cia", "tia", "eople", "ies"];

/// What the count says of an answer to a question for a haiku; `None` for every other one.
pub(super) fn check(answer: &str, task: &OriginalTask) -> Option<Finding> {
    if !words(&task.query.to_lowercase()).any(|word| word == "haiku") {
        return None;
    }
    let counted: Vec<usize> = answer.lines().filter(|line| !line.trim().is_empty()).map(syllables).collect();
    let form: Vec<String> = counted.iter().map(ToString::to_string).collect();
    let fits = if counted == HAIKU { "as a haiku has" } else { "and a haiku has 5-7-5" };
    Some(Finding {
        method: Method::ProgrammaticExecution,
        correctness: None,
        detail: format!("about {} syllables, {fits}", form.join("-")),
        assessment: None,
    })
}

/// About how many syllables a line has.
pub fn syllables(line: &str) -> usize {
    words_of(line, |c| c.is_alphabetic() || c == '\'').map(of_word).sum()
}

fn of_word(word: &str) -> usize {
    if word.chars().count() <= 4 && word.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase) {
        // Spelt out: "AI", "GPU".
        return word.chars().filter(|c| c.is_alphabetic()).count();
    }
    let word = word.to_lowercase();
    let is_vowel = |c: char| "aeiouy".contains(c);
    let mut groups = 0;
    let mut before = false;
    for c in word.chars() {
        groups += usize::from(is_vowel(c) && !before);
        before = is_vowel(c);
    }
    if !TOGETHER.iter().any(|part| word.contains(part)) {
        groups += APART.iter().map(|pair| word.matches(pair).count()).sum::<usize>();
    }
    // "dance", but "little" and "the".
    let silent = word.ends_with('e') && !word.ends_with("le") && groups > 1;
    (groups - usize::from(silent)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::haiku;

    /// seeds/verifier-block.md, "Scenario 2": the poems of A and B have 5-7-5 syllables, C's has a "poor syllable count".
    #[test]
    fn scenario_2_the_documents_poems_are_counted() {
        let request = haiku();
        let counted: Vec<Vec<usize>> =
            request.node_answers.iter().map(|node| node.answer.lines().map(syllables).collect()).collect();
        assert_eq!(counted[0], HAIKU);
        assert_eq!(counted[1], HAIKU);
        assert_eq!(counted[2], [5, 8, 5]);
        let found = check(&request.node_answers[2].answer, &request.original_task).unwrap();
        assert_eq!(
            (found.correctness, found.detail.as_str()),
            (None, "about 5-8-5 syllables, and a haiku has 5-7-5")
        );
    }

    #[test]
    fn only_a_haiku_is_counted() {
        let mut task = haiku().original_task;
        "Write a story about a mill".clone_into(&mut task.query);
        assert_eq!(check("Once upon a time", &task), None);
    }
}
