//! Lines of a paragraph → its text: with a space, without one in scripts that have none, without the hyphen where a word was broken.

use std::collections::HashSet;

use super::unicode;

/// Words that are remembered; those of a long book are fewer.
const MOST_WORDS: usize = 300_000;

/// The words of a document, by which a hyphen at a line's end is told from one that belongs to the word.
#[derive(Default)]
pub(super) struct Vocabulary {
    words: HashSet<Box<str>>,
}

impl Vocabulary {
    /// Learns the words of a line, but not those at its ends, which may be broken.
    pub fn learn(&mut self, line: &str) {
        let mut words = line.split_whitespace().skip(1).peekable();
        while let Some(word) = words.next() {
            if words.peek().is_none() || self.words.len() >= MOST_WORDS {
                return;
            }
            let word = bare(word);
            if word.chars().count() >= 3 {
                self.words.insert(word.to_lowercase().into());
            }
        }
    }

    fn knows(&self, word: &str) -> bool {
        self.words.contains(word.to_lowercase().as_str())
    }

    /// Whether a hyphen between these two at a line's end belongs to the word.
    fn is_compound(&self, before: &str, after: &str) -> bool {
        let (before, after) = (bare(before), bare(after));
        if self.knows(&format!("{before}{after}")) {
            return false;
        }
        // `state-of-the-art` is broken at one of its own hyphens, as `self-made` is.
        self.knows(&format!("{before}-{after}"))
            || before.contains('-')
            || after.contains('-')
            || before.chars().count() >= 4
                && after.chars().count() >= 4
                && self.knows(before)
                && self.knows(after)
    }
}

fn bare(word: &str) -> &str {
    word.trim_matches(|character: char| !character.is_alphanumeric())
}

/// Adds the next line of a paragraph to its text.
pub(super) fn append(text: &mut String, next: &str, vocabulary: &Vocabulary) {
    let next = next.trim();
    let (Some(last), Some(first)) = (text.trim_end().chars().next_back(), next.chars().next()) else {
        text.push_str(next);
        return;
    };
    text.truncate(text.trim_end().len());
    if last == '\u{ad}' {
        text.pop();
    } else if matches!(last, '-' | '\u{2010}') {
        let before = text.rsplit(char::is_whitespace).next().unwrap_or_default();
        let before = before.trim_end_matches(['-', '\u{2010}']);
        let after = next.split(char::is_whitespace).next().unwrap_or_default();
        let broken = before.chars().next_back().is_some_and(char::is_alphabetic) && first.is_lowercase();
        if broken && !vocabulary.is_compound(before, after) {
            text.pop();
        } else if !before.chars().next_back().is_some_and(char::is_alphanumeric) {
            text.push(' ');
        }
    } else if !(unicode::is_unspaced(last) && unicode::is_unspaced(first) || ends_inside_address(text, first))
    {
        text.push(' ');
    }
    text.push_str(next);
}

/// Web addresses are broken behind a slash, without a hyphen.
fn ends_inside_address(text: &str, next: char) -> bool {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    last.contains("://") && last.ends_with(['/', '_', '=', '&', '?']) && next.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(before: &str, after: &str, known: &str) -> String {
        let mut vocabulary = Vocabulary::default();
        vocabulary.learn(&format!("begin {known} end"));
        let mut text = before.to_owned();
        append(&mut text, after, &vocabulary);
        text
    }

    #[test]
    fn a_hyphen_that_breaks_a_word_is_undone() {
        assert_eq!(joined("the agree-", "ment of", ""), "the agreement of");
        assert_eq!(joined("the agree\u{ad}", "ment of", ""), "the agreement of");
        assert_eq!(joined("the Franco-", "German text", ""), "the Franco-German text");
        assert_eq!(joined("in 1914-", "18 and", ""), "in 1914-18 and");
        assert_eq!(joined("one -", "two", ""), "one - two");
    }

    #[test]
    fn a_hyphen_of_a_compound_that_the_document_knows_stays() {
        assert_eq!(joined("a long-", "term lease", "short long-term plan"), "a long-term lease");
        assert_eq!(joined("a long-", "term lease", "both long and term"), "a long-term lease");
        assert_eq!(joined("the rain-", "fall was", "rainfall"), "the rainfall was");
        assert_eq!(joined("state-of-", "the-art work", ""), "state-of-the-art work");
    }

    #[test]
    fn lines_of_chinese_join_without_a_space() {
        assert_eq!(joined("租金每月", "支付。", ""), "租金每月支付。");
        assert_eq!(
            joined("see https://example.org/", "page/1 there", ""),
            "see https://example.org/page/1 there"
        );
    }
}
