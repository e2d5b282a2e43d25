//! The bounds that a question sets, in its own words: "before 1912", "between March and May", "at most three".
//!
//! English, and only what plainly is one: from a word that begins a bound to the next mark, at the end of a question or of
//! its first part. A question that begins with its bounds has them first already.

/// Words that begin a bound whatever follows.
const PLAIN: [&str; 11] = [
    "between",
    "before",
    "after",
    "since",
    "until",
    "during",
    "within",
    "without",
    "except",
    "excluding",
    "besides",
];
/// Words that begin one where a number or a date follows soon.
const WITH_A_FIGURE: [&str; 12] =
    ["in", "on", "at", "by", "from", "under", "over", "below", "above", "less", "more", "fewer"];
const DATES: [&str; 19] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
/// Words of what is asked that must come before a bound.
const FEWEST_BEFORE: usize = 3;
/// Words in which the figure must come.
const SOON: usize = 4;

/// The bounds of a question; `None` where it sets none, or begins with them.
pub fn bounds(question: &str) -> Option<&str> {
    let words: Vec<(usize, &str)> = words(question);
    let begins = |at: usize| {
        let word = words[at].1.to_lowercase();
        let rest = &words[at + 1..];
        PLAIN.contains(&word.as_str()) && !rest.is_empty()
            || WITH_A_FIGURE.contains(&word.as_str())
                && rest.iter().take(SOON).any(|(_, word)| is_figure(word))
    };
    let at = (FEWEST_BEFORE..words.len()).find(|at| begins(*at))?;
    let tail = &question[words[at].0..];
    let end = tail.char_indices().find(|(place, mark)| ends(&tail[*place..], *mark));
    let bounds = tail[..end.map_or(tail.len(), |(place, _)| place)].trim_end();
    (bounds.split_whitespace().count() > 1).then_some(bounds)
}

/// Whether a mark ends the part of the sentence that it stands in: one with a space or nothing behind it.
fn ends(rest: &str, mark: char) -> bool {
    matches!(mark, ',' | ';' | ':' | '?' | '!' | '.') && rest.chars().nth(1).is_none_or(char::is_whitespace)
}

fn is_figure(word: &str) -> bool {
    word.chars().any(char::is_numeric) || DATES.contains(&word.to_lowercase().as_str())
}

/// The words with the places at which they begin, without the marks around them.
fn words(question: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut begin = None;
    for (at, letter) in question.char_indices().chain([(question.len(), ' ')]) {
        match (letter.is_alphanumeric(), begin) {
            (true, None) => begin = Some(at),
            (false, Some(from)) => {
                words.push((from, &question[from..at]));
                begin = None;
            }
            _ => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_plainly_bounds_a_question_is_found_to_the_next_mark() {
        for (question, expected) in [
            ("Why was the mill closed before 1912?", "before 1912"),
            ("What did Ada write between March and May, and to whom?", "between March and May"),
            ("Which hotels are near transit under $110.50 a night?", "under $110.50 a night"),
            ("Who was at the fair on Sunday", "on Sunday"),
            ("Find flights to Tokyo in late March under $800", "in late March under $800"),
            ("Which letters are there from the winter of 1911?", "from the winter of 1911"),
            ("Что сказал он before the flood?", "before the flood"),
        ] {
            assert_eq!(bounds(question), Some(expected), "{question}");
        }
    }

    #[test]
    fn what_is_none_or_stands_first_already_is_left_alone() {
        for question in [
            "Why was the mill closed?",
            "In 1912, who ran the mill?",
            "What happened in the village?",
            "Who is in charge?",
            "How did it go on from there?",
            "What did she say after?",
            "",
        ] {
            assert_eq!(bounds(question), None, "{question}");
        }
    }

    proptest! {
        #[test]
        fn bounds_are_words_of_the_question(question in "[a-zA-Zß 0-9,.;?è$]{0,80} (before|under|in) .{0,40}") {
            if let Some(bounds) = bounds(&question) {
                prop_assert!(question.contains(bounds) && !bounds.is_empty());
            }
        }
    }
}
