//! Whether each sentence of a written answer stands in the notes that it names (seeds/super-llm-block.md, function 5).
//!
//! ```text
//!   sentence ─► names notes? ─► its figures and quotations stand in those (or in the question)?
//!                                 ─► it has a word of theirs? ─► sourced
//! ```
//!
//! By code: it finds what nobody said there, not what was said wrongly in their words. A sentence that claims nothing (a
//! heading, a word about what the notes lack) needs no source. In another language than the notes' no word need be theirs:
//! where the asker chose one, or asks in one.

use std::collections::HashSet;
use std::ops::Range;

use frlm_util::text::{collapse_whitespace, words};

use super::Coverage;
use super::words::{Note, figures, has_figure, quotations, so_far, without_note_numbers};
use crate::dialect::contains;

/// A sentence of fewer words, without a figure, claims nothing.
const FEWEST_WORDS: usize = 3;
/// Letters of a word that says something, and letters by which two are the same.
const STEM: usize = 4;
/// Who speaks of these and of what they lack speaks of what was read, not of what it says.
const ABOUT_NOTES: &str = "note notes document documents text texts";
/// Words of who says what is not there, or that it does not fit together: "the documents say that …" is a claim.
const LACKING: &str =
    "not no none nothing nobody neither nowhere never without don doesn silent contradict disagree differ";
/// A dot behind these ends no sentence.
const ABBREVIATIONS: &str = "mr mrs ms dr prof st no nos ca approx fig vs nr abs bzw usw vgl inkl";
/// The same of several words.
const SHORT_FOR: [&str; 5] = ["z. b.", "z.b.", "d. h.", "u. a.", "i. d. r."];
/// A number with a dot behind one of these, or before a month, is an ordinal: "vor dem 1. Juli".
const BEFORE_ORDINALS: &str = "dem der den des die das am im vom zum ab seit";
/// German months.
const MONTHS: &str =
    "januar jänner februar märz april mai juni juli august september oktober november dezember";

/// Why a sentence has no source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Lack {
    /// No note at all.
    #[error("it names no note")]
    Note,
    /// A figure that others may have.
    #[error("the figure {0} stands in none of the notes that it names")]
    Figure(String),
    /// A quotation that others may have.
    #[error("the quotation {0:?} stands in none of the notes that it names")]
    Quotation(String),
    /// Not a word.
    #[error("it has no word of the notes that it names")]
    Words,
}

/// A sentence without a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsourced {
    /// Which one, from 1.
    pub number: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// Why.
    pub why: Lack,
}

/// What was looked at.
pub(super) struct Looked {
    /// Sentences in all.
    pub sentences: usize,
    /// Those without a source, in order.
    pub unsourced: Vec<Unsourced>,
}

/// Looks up each sentence of a text. `translated`: it is in another language than the notes may be.
pub(super) fn look_up(
    question: &str,
    text: &str,
    notes: &[Note],
    coverage: Coverage,
    translated: bool,
) -> Looked {
    // What code adds about missing fragments is no sentence of the text; what only looks like it is.
    let own = text.strip_suffix(so_far(coverage).as_str()).unwrap_or(text);
    let translated = translated || is_asked_in_another_language(question, notes);
    let sentences = sentences(own);
    let unsourced = (1..)
        .zip(&sentences)
        .filter_map(|(number, at)| {
            let why = lack(question, &own[at.clone()], notes, translated)?;
            Some(Unsourced { number, end: at.end, why })
        })
        .collect();
    Looked { sentences: sentences.len(), unsourced }
}

fn lack(question: &str, sentence: &str, notes: &[Note], translated: bool) -> Option<Lack> {
    let (plain, named) = without_note_numbers(sentence, &(0..=usize::MAX)).unwrap_or_default();
    let words: Vec<String> = lower_words(&plain).collect();
    if claims_nothing(&plain, &words, !named.is_empty()) {
        return None;
    }
    let own: Vec<&Note> = named.iter().filter_map(|number| notes.get(number.checked_sub(1)?)).collect();
    if own.is_empty() {
        return Some(Lack::Note);
    }
    let said = own.iter().map(|note| note.known()).collect::<Vec<_>>().join("\n");
    let known = format!("{question}\n{said}");
    if let Some(figure) = figures(&plain).find(|figure| !has_figure(&known, figure)) {
        return Some(Lack::Figure(figure.to_owned()));
    }
    let collapsed_known = collapse_whitespace(&known);
    if let Some(text) =
        quotations(&plain).find(|text| !contains(&collapsed_known, &collapse_whitespace(text)))
    {
        return Some(Lack::Quotation(text.to_owned()));
    }
    let theirs: HashSet<String> = lower_words(&said).filter_map(|word| common_beginning(&word)).collect();
    let stems: Vec<String> = words.iter().filter_map(|word| common_beginning(word)).collect();
    let strange = stems.len() >= FEWEST_WORDS && !stems.iter().any(|stem| theirs.contains(stem));
    (strange && !translated).then_some(Lack::Words)
}

/// Whether a question of several words has none of any note: what answers it may have none either.
fn is_asked_in_another_language(question: &str, notes: &[Note]) -> bool {
    let asked: HashSet<String> = lower_words(question).filter_map(|word| common_beginning(&word)).collect();
    let is_theirs = |note: &Note| {
        lower_words(&note.known()).filter_map(|word| common_beginning(&word)).any(|it| asked.contains(&it))
    };
    asked.len() >= FEWEST_WORDS && !notes.iter().any(is_theirs)
}

/// Whether a sentence without the numbers of notes that it names says nothing that could be looked up there.
pub fn is_beside_the_notes(plain: &str) -> bool {
    claims_nothing(plain, &lower_words(plain).collect::<Vec<_>>(), true)
}

/// `names_notes`: what names notes rests on them, unless it says what they lack: "notes [1, 2] contradict each other".
fn claims_nothing(plain: &str, words: &[String], names_notes: bool) -> bool {
    let is_heading = plain.trim_end().ends_with(':') || plain.trim_start().starts_with('#');
    let is_short = words.len() < FEWEST_WORDS;
    let has = |listed: &str| words.iter().any(|word| is_listed(listed, word));
    let is_about_notes = has(ABOUT_NOTES) && has(LACKING) && quotations(plain).next().is_none();
    figures(plain).next().is_none() && (!names_notes && (is_heading || is_short) || is_about_notes)
}

/// Whether a word stands in a list of words with a space between them.
fn is_listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// In lower case.
fn lower_words(text: &str) -> impl Iterator<Item = String> {
    words(text).map(str::to_lowercase)
}

/// What two forms of a word have in common; `None` of one that says little.
fn common_beginning(word: &str) -> Option<String> {
    let says = word.chars().count() >= STEM && !word.chars().any(|letter| letter.is_ascii_digit());
    says.then(|| word.chars().take(STEM).collect())
}

/// Where the sentences of a text stand. Lines end one, as list items do; programs have none.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut at, mut fenced) = (0, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            sentences_of_line(text, &(start..at), &mut found);
        }
    }
    found
}

fn sentences_of_line(text: &str, line: &Range<usize>, found: &mut Vec<Range<usize>>) {
    let (mut start, mut at) = (line.start, line.start);
    while let Some(letter) = text[at..line.end].chars().next() {
        at += letter.len_utf8();
        if !".!?".contains(letter)
            || is_no_end(&text[start..at])
            || is_ordinal(&text[start..at], &text[at..line.end])
        {
            continue;
        }
        let end = at + marks_behind(&text[at..line.end]);
        if begins_another(&text[end..line.end]) {
            keep(text, &(start..end), found);
            (start, at) = (end, end);
        }
    }
    keep(text, &(start..line.end), found);
}

/// A sentence without the blanks around it, if anything is left.
fn keep(text: &str, at: &Range<usize>, found: &mut Vec<Range<usize>>) {
    let piece = &text[at.clone()];
    let start = at.start + (piece.len() - piece.trim_start().len());
    let end = at.end - (piece.len() - piece.trim_end().len());
    if text.get(start..end).is_some_and(|piece| piece.chars().any(char::is_alphanumeric)) {
        found.push(start..end);
    }
}

/// "Dr.", and "2." at the front of a list item.
fn is_no_end(text: &str) -> bool {
    let bare = text.trim_end_matches('.');
    let last =
        bare.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let is_item = bare.trim().chars().all(|letter| letter.is_ascii_digit());
    let lower = text.to_lowercase();
    // The first part of one: "z." of "z. B.".
    let is_letter = bare.ends_with(|letter: char| letter.is_lowercase()) && last.chars().count() == 1;
    is_item
        || is_letter
        || is_listed(ABBREVIATIONS, &last)
        || SHORT_FOR.iter().any(|short| {
            lower.strip_suffix(short).is_some_and(|before| !before.ends_with(char::is_alphanumeric))
        })
}

/// "dem 1." and "1. Juli": German writes ordinals so.
fn is_ordinal(text: &str, rest: &str) -> bool {
    let Some(before) = text.strip_suffix('.') else { return false };
    let bare = before.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if !(1..=2).contains(&(before.len() - bare.len())) {
        return false;
    }
    let word_before = words(bare.trim_end()).last().map(str::to_lowercase);
    let word_behind = words(rest).next().map(str::to_lowercase);
    bare.ends_with(' ') && word_before.is_some_and(|word| is_listed(BEFORE_ORDINALS, &word))
        || rest.starts_with(' ') && word_behind.is_some_and(|word| is_listed(MONTHS, &word))
}

/// Bytes behind a full stop that belong before it: closing marks, and numbers of notes.
fn marks_behind(rest: &str) -> usize {
    const CLOSING: [char; 8] = ['"', '”', '“', '»', '\'', ')', '.', '!'];
    let mut taken = rest.len() - rest.trim_start_matches(CLOSING).len();
    loop {
        let left = &rest[taken..];
        let bare = left.trim_start_matches(' ');
        let inside = bare.strip_prefix('[').and_then(|left| left.split_once(']')).map(|(inside, _)| inside);
        let is_number = |inside: &&str| {
            inside.chars().any(|letter| letter.is_ascii_digit())
                && inside.chars().all(|letter| letter.is_ascii_digit() || ", ".contains(letter))
        };
        let Some(inside) = inside.filter(is_number) else { return taken };
        taken += left.len() - bare.len() + inside.len() + 2;
    }
}

/// Whether a new sentence may begin here: "e.g. at night" goes on.
fn begins_another(rest: &str) -> bool {
    rest.is_empty()
        || rest.starts_with(char::is_whitespace) && !rest.trim_start().starts_with(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::FragmentRef;
    use super::super::words::notes;
    use super::*;
    use crate::dialect::{MapAnswer, RecordMatch};
    use crate::ingest::FragmentId;

    const NOTES: [&str; 3] =
        ["The disk was 98% full.", "It cost 1,250 EUR to mend.", "The watchman says “nobody came in”."];

    fn looked(text: &str, translated: bool) -> Vec<(usize, Lack)> {
        asked("Why did it fail in 2025?", text, Coverage::full(NOTES.len()), translated)
    }

    fn asked(question: &str, text: &str, coverage: Coverage, translated: bool) -> Vec<(usize, Lack)> {
        let answers = NOTES.map(|note| {
            let quotes = vec![RecordMatch { line: 7, quote: note.to_owned(), value: None, reported: None }];
            MapAnswer::Words { answer: note.to_owned(), quotes }
        });
        let at = |id| FragmentRef::of_text(FragmentId(id), "report.txt");
        let evidence: Vec<_> = (0..).zip(&answers).map(|(id, answer)| (at(id), answer)).collect();
        let looked = look_up(question, text, &notes(&evidence), coverage, translated);
        looked.unsourced.into_iter().map(|unsourced| (unsourced.number, unsourced.why)).collect()
    }

    #[test]
    fn every_sentence_stands_in_the_notes_that_it_names_and_not_in_others() {
        assert!(
            looked("The disk was full in 2025 (98%) [1]. Mending it cost 1250 EUR [2].", false).is_empty()
        );
        assert_eq!(
            looked("The disk was full [1]. It cost 1250 EUR [1]. Nobody knows why it failed.", false),
            [(2, Lack::Figure("1250".to_owned())), (3, Lack::Note)]
        );
        assert_eq!(
            looked("The watchman says “nobody came in” [3]. The disk said “nobody came in” [1].", false),
            [(2, Lack::Quotation("nobody came in".to_owned()))]
        );
        assert_eq!(looked("Sabotage by competitors seems likely [1].", false), [(1, Lack::Words)]);
        assert_eq!(looked("Die ganze Platte wurde voll geschrieben, zu 98% [1].", false).len(), 1);
        assert!(looked("Die ganze Platte wurde voll geschrieben, zu 98% [1].", true).is_empty());
        assert_eq!(looked("All of it is known [9].", false), [(1, Lack::Note)]);
    }

    #[test]
    fn what_claims_nothing_needs_no_source() {
        for text in [
            "What was found:\n- The disk was full [1].\n- It cost 1250 EUR [2].",
            "# Causes\nThe disk was full [1].",
            "The notes do not say who was there.",
            "The notes contradict each other about everybody [1, 3].",
            "Yes, indeed.",
        ] {
            assert!(looked(text, false).is_empty(), "{text}");
        }
        assert_eq!(looked("So 7 notes say.", false).len(), 1, "a figure is a claim");
        let hearsay = "The documents say that a competitor did it.";
        assert_eq!(looked(hearsay, false), [(1, Lack::Note)], "so is what the notes are said to say");
    }

    #[test]
    fn only_what_code_adds_is_no_sentence_and_nobody_hides_behind_its_words() {
        let missing = Coverage { answered: 4, total: 5, unread: 0 };
        let text = "The disk was full [1]. (So far: 1 of 5 parts is missing.)";
        assert!(asked("Why?", text, missing, false).is_empty());
        let hidden = "The disk was full [1]. (So far so good.) A competitor did it all on purpose.";
        assert_eq!(looked(hidden, false), [(2, Lack::Note), (3, Lack::Note)]);
    }

    #[test]
    fn who_asks_in_another_language_than_the_notes_is_answered_in_it() {
        let (text, full) =
            ("Die Platte wurde ganz voll geschrieben, zu 98% [1].", Coverage::full(NOTES.len()));
        assert!(asked("Warum ist die Anlage damals ausgefallen?", text, full, false).is_empty());
        assert_eq!(
            asked("Why was the watchman found beside that disk?", text, full, false),
            [(1, Lack::Words)],
            "a word of the question is theirs"
        );
        let invented = "Die Platte wurde ganz voll geschrieben, zu 71% [1].";
        assert_eq!(asked("Warum ist die Anlage damals ausgefallen?", invented, full, false).len(), 1);
    }

    #[test]
    fn sentences_end_where_they_end() {
        let parts = |text: &'static str| -> Vec<&'static str> {
            sentences(text).into_iter().map(|at| &text[at]).collect()
        };
        assert_eq!(
            parts("It was 4.2 m, e.g. at night [1]. Dr. Who came. [2] Why?"),
            ["It was 4.2 m, e.g. at night [1].", "Dr. Who came. [2]", "Why?"]
        );
        assert_eq!(parts("1. One thing [1].\n2. Another\n\n"), ["1. One thing [1].", "2. Another"]);
        assert_eq!(parts("He said “Stop.” Then he left."), ["He said “Stop.”", "Then he left."]);
        assert_eq!(parts("See:\n```\na. B. c\n```\nDone so."), ["See:", "Done so."]);
        assert!(parts(" \n . ").is_empty());
        assert_eq!(
            parts("Vor dem 1. Juli 2026 gilt § 4 Abs. 2, z. B. im 3. Stock [1]. Es waren 12. Danach [2]."),
            ["Vor dem 1. Juli 2026 gilt § 4 Abs. 2, z. B. im 3. Stock [1].", "Es waren 12.", "Danach [2]."]
        );
    }

    proptest! {
        #[test]
        fn whatever_is_written_its_sentences_are_pieces_of_it_in_order(text in ".{0,200}") {
            let mut before = 0;
            for at in sentences(&text) {
                prop_assert!(at.start >= before && at.end > at.start && text.get(at.clone()).is_some());
                before = at.end;
            }
            let _ = look_up("?", &text, &[], Coverage::full(0), false);
        }
    }
}
