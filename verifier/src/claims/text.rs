//! A part of a document with its line numbers: what a reader was shown, and what quotes are looked up in.

use super::claim::{Claim, LineRange};
use super::facts::Lexicon;

/// Numbered lines, with what was said about them.
#[derive(Debug, Clone)]
pub struct Text {
    lines: Vec<(u32, String)>,
    about: String,
    lexicon: Lexicon,
    /// All lines folded, and where each of them ends in there.
    folded: String,
    ends: Vec<usize>,
}

impl Text {
    /// Lines by their numbers in the document, and what else the reader was told about the part: the document's name and
    /// the heading path.
    pub fn new(lines: impl IntoIterator<Item = (u32, String)>, about: &str) -> Self {
        let mut lines: Vec<(u32, String)> = lines.into_iter().collect();
        lines.sort_by_key(|(number, _)| *number);
        lines.dedup_by_key(|(number, _)| *number);
        let (mut folded, mut ends) = (String::new(), Vec::with_capacity(lines.len()));
        for (_, line) in &lines {
            fold_into(line, &mut folded);
            ends.push(folded.len());
        }
        let joined = lines.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n");
        Self { lexicon: Lexicon::of(&joined), lines, about: about.to_owned(), folded, ends }
    }

    /// What else the reader was told about the part.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The document's words.
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Its lines with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        self.lines.iter().map(|(number, line)| (*number, line.as_str()))
    }

    /// The lines of a range that it has.
    pub fn within(&self, range: LineRange) -> impl Iterator<Item = (u32, &str)> {
        let from = self.lines.partition_point(|(number, _)| *number < range.first());
        let lines = self.lines[from..].iter().take_while(move |(number, _)| *number <= range.last());
        lines.map(|(number, line)| (*number, line.as_str()))
    }

    /// The words of a range; `None` if both ends are outside, or nothing is written there. A word that is divided at the
    /// end of a line is put together.
    pub fn copy(&self, range: LineRange) -> Option<String> {
        let (first, last) = (self.lines.first()?.0, self.lines.last()?.0);
        if range.first() < first || range.last() > last {
            return None;
        }
        let mut copied = String::new();
        for (_, line) in self.within(range) {
            let line = line.trim_end();
            let divided = copied.ends_with('-')
                && copied[..copied.len() - 1].ends_with(char::is_alphabetic)
                && line.trim_start().starts_with(char::is_lowercase);
            if divided {
                copied.pop();
                copied.push_str(line.trim_start());
            } else {
                if !copied.is_empty() {
                    copied.push('\n');
                }
                copied.push_str(line);
            }
        }
        copied.contains(char::is_alphanumeric).then_some(copied)
    }

    /// Where words stand, without regard to white space, line breaks, quotation marks and hyphens: at `near` if they do
    /// there, else at the nearest place. `None` if they stand nowhere.
    pub fn find(&self, words: &str, near: LineRange) -> Option<LineRange> {
        let mut wanted = String::new();
        fold_into(words, &mut wanted);
        if wanted.is_empty() {
            return None;
        }
        let places = self.folded.match_indices(&wanted).map(|(start, _)| {
            let line = |at: usize| self.lines[self.ends.partition_point(|end| *end <= at)].0;
            LineRange::new(line(start), line(start + wanted.len() - 1))
        });
        let distance = |range: &LineRange| {
            if range.overlaps(near) { 0 } else { range.first().abs_diff(near.first()) }
        };
        places.min_by_key(distance)
    }

    /// The words of all quotes of a claim, one after the other.
    pub fn quoted(&self, claim: &Claim) -> String {
        let quotes = claim.quotes.iter().filter_map(|quote| self.copy(quote.lines));
        quotes.collect::<Vec<_>>().join("\n\n")
    }
}

/// Letters, digits and punctuation in lower case; white space, hyphens and quotation marks are left out.
fn fold_into(text: &str, folded: &mut String) {
    use unicode_normalization::UnicodeNormalization as _;
    let kept = |c: &char| {
        !c.is_whitespace()
            && !matches!(
                c,
                '-' | '\u{ad}'
                    | '‐'
                    | '‑'
                    | '–'
                    | '—'
                    | '"'
                    | '\''
                    | '`'
                    | '´'
                    | '“'
                    | '”'
                    | '„'
                    | '«'
                    | '»'
            )
            && !matches!(c, '‘' | '’' | '‚' | '‹' | '›' | '\u{200b}'..='\u{200f}' | '\u{feff}')
    };
    folded.extend(text.nfkc().filter(kept).flat_map(char::to_lowercase));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text() -> Text {
        let lines =
            ["1. Rent", "The “Tenant” pays the re-", "quired  rent of 900 EUR", "", "by the third day."];
        Text::new((3..).zip(lines.map(str::to_owned)), "lease.txt")
    }

    #[test]
    fn words_are_found_without_regard_to_breaks_and_quotation_marks() {
        let near = LineRange::new(4, 4);
        for words in ["the \"Tenant\" pays the required rent", "THE 'tenant'  pays\nthe re-quired rent"] {
            assert_eq!(text().find(words, near), Some(LineRange::new(4, 5)), "{words}");
        }
        assert_eq!(text().find("by the third day.", near), Some(LineRange::new(7, 7)));
        assert_eq!(text().find("by the fourth day", near), None);
        assert_eq!(text().find(" - ", near), None, "nothing is no quote");
    }

    #[test]
    fn code_copies_the_words_of_lines_and_none_from_outside() {
        let copied = text().copy(LineRange::new(4, 5));
        assert_eq!(copied.as_deref(), Some("The “Tenant” pays the required  rent of 900 EUR"));
        assert_eq!(text().copy(LineRange::new(2, 4)), None);
        assert_eq!(text().copy(LineRange::new(6, 6)), None, "an empty line says nothing");
    }

    proptest! {
        #[test]
        fn every_copy_is_found_where_it_stands(lines in proptest::collection::vec("[a-c \"-]{0,6}", 1..6), at in 0_u32..6) {
            let text = Text::new((1..).zip(lines), "");
            let range = LineRange::new(at, at);
            if let Some(copied) = text.copy(range) {
                prop_assert!(text.find(&copied, range).is_some_and(|found| found.overlaps(range)));
            }
        }
    }
}
