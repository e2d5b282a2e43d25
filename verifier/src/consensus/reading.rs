//! How much of what is put before a judge it reads: all of it, or as much as its context holds, up to where a line, a
//! sentence or a word ends. What was not read is told with the ruling, so that nobody takes it for read.

use std::fmt::{self, Display};

use frlm_inference::tokens::{Estimate, estimate_tokens};
use serde::{Deserialize, Serialize};

use crate::template::{push_quoted, quoted};

/// What of a task and its answer a judge has not read, in characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// Of the task: the question, and the text that it is about.
    pub task_chars: usize,
    /// Of the answer.
    pub answer_chars: usize,
}

impl Unread {
    /// Whether everything was read to its end.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// For people: "without the last 1200 characters of the text".
impl Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.task_chars, "text"), (self.answer_chars, "answer")];
        let unread = parts.into_iter().filter(|(chars, _)| *chars > 0);
        for (at, (chars, what)) in unread.enumerate() {
            let before = if at == 0 { "without" } else { " and" };
            write!(f, "{before} the last {chars} characters of the {what}")?;
        }
        Ok(())
    }
}

/// A text as a judge is shown it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    /// As one JSON string.
    pub quoted: String,
    /// About how many tokens that is.
    pub tokens: usize,
    /// How many of its characters are not shown.
    pub unread_chars: usize,
}

impl Shown {
    /// As much of a text as this many tokens hold.
    pub fn within(text: &str, tokens: usize) -> Self {
        let text = text.trim();
        let read = beginning(text, tokens);
        let unread_chars = text[read.len()..].chars().count();
        let quoted = quoted(read, usize::MAX);
        Self { tokens: estimate_tokens(&quoted), quoted, unread_chars }
    }

    pub fn is_whole(&self) -> bool {
        self.unread_chars == 0
    }

    /// Whether nothing is shown of a text that says something.
    pub fn is_nothing(&self) -> bool {
        !self.is_whole() && self.quoted.len() <= 2
    }

    /// For a prompt.
    pub fn extent(&self) -> &'static str {
        if self.is_whole() { "whole" } else { "only its beginning" }
    }
}

/// A task and its answer, in as many tokens. The answer is what is judged: the task makes room for it, up to half.
pub(super) fn shared(task: &str, answer: &str, tokens: usize) -> (Shown, Shown) {
    let task_takes = Shown::within(task, tokens).tokens;
    let answer = Shown::within(answer, (tokens / 2).max(tokens.saturating_sub(task_takes)));
    let task = Shown::within(task, tokens.saturating_sub(answer.tokens));
    (task, answer)
}

/// The beginning of a text that takes at most so many tokens as a JSON string: all of it, or up to the last line that
/// fits, if that is half of what would fit; else the last sentence, else the last word.
fn beginning(text: &str, most_tokens: usize) -> &str {
    let mut estimate = Estimate::default();
    let mut as_quoted = String::new();
    // The quotation marks.
    let most_tokens = most_tokens.saturating_sub(2);
    let (mut line, mut sentence, mut word) = (0, 0, 0);
    let mut before = '\0';
    for (at, character) in text.char_indices() {
        if character == '\n' {
            line = at;
        }
        if character.is_whitespace() {
            word = at;
            if matches!(before, '.' | '!' | '?' | '…') {
                sentence = at;
            }
        }
        before = character;
        as_quoted.clear();
        push_quoted(&mut as_quoted, character);
        as_quoted.bytes().for_each(|byte| estimate.push(byte));
        if estimate.tokens > most_tokens {
            let end = [line, sentence, word].into_iter().find(|end| *end > 0 && end * 2 >= at);
            let end = end.unwrap_or(at);
            return text[..end].trim_end();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_ends_where_a_line_ends_else_a_sentence_else_a_word() {
        let lines = "one two three\nfour five six\nseven eight nine";
        assert_eq!(beginning(lines, 100), lines);
        assert_eq!(beginning(lines, 12), "one two three\nfour five six");
        let sentences = "It broke. It was mended. Then it broke again, as it had before";
        assert_eq!(beginning(sentences, 13), "It broke. It was mended.");
        assert_eq!(beginning("one two six ten", 5), "one two six");
        assert_eq!(beginning("\u{65e5}\u{672c}\u{8a9e}", 6), "\u{65e5}\u{672c}");
        assert_eq!(beginning("word", 2), "");
    }

    #[test]
    fn a_line_that_ends_too_early_is_no_reason_to_leave_out_the_rest() {
        let text =
            "Dear reader\nthe wheel of the mill broke in March because the ice had come down the river";
        let read = beginning(text, 16);
        assert!(read.contains("wheel") && !read.contains("river"), "{read}");
    }

    #[test]
    fn an_answer_has_half_of_the_room_or_what_its_task_leaves() {
        let (long, short) = ("word ".repeat(400), "word ".repeat(10));
        let whole = |(task, answer): &(Shown, Shown)| (task.is_whole(), answer.is_whole());
        assert_eq!(whole(&shared(&short, &short, 100)), (true, true));
        assert_eq!(whole(&shared(&long, &short, 100)), (false, true));
        assert_eq!(whole(&shared(&short, &long, 100)), (true, false));
        let (task, answer) = shared(&long, &long, 100);
        assert!(
            (40..=50).contains(&answer.tokens) && (40..=60).contains(&task.tokens),
            "{task:?} {answer:?}"
        );
    }

    #[test]
    fn what_was_not_read_is_said_in_words() {
        let unread = Unread { task_chars: 1_200, answer_chars: 0 };
        assert_eq!(unread.to_string(), "without the last 1200 characters of the text");
        let both = Unread { task_chars: 3, answer_chars: 4 };
        assert_eq!(
            both.to_string(),
            "without the last 3 characters of the text and the last 4 characters of the answer"
        );
        assert!(Unread::default().is_nothing() && !both.is_nothing());
    }

    proptest! {
        #[test]
        fn what_is_shown_fits_and_is_a_beginning(text in any::<String>(), tokens in 2_usize..60) {
            let shown = Shown::within(&text, tokens);
            prop_assert!(shown.tokens <= tokens, "{:?}", shown);
            let read: String = serde_json::from_str(&shown.quoted).unwrap();
            let visible: String = serde_json::from_str(&quoted(&text, usize::MAX)).unwrap();
            prop_assert!(visible.starts_with(&read));
            prop_assert_eq!(shown.is_whole(), read == visible);
        }
    }
}
