//! Verbs of a question: which carry nothing, which may hide a condition, and which unknown word stands where a verb stands.
//!
//! `How many notes did ada write?` asks for ada's notes whatever the verb is. `How many orders were returned in March?` may
//! speak of a condition that the file does not know. A verb that is passed over costs confidence unless it says nothing.

use super::frame::Parser;
use super::lexicon::Word;
use super::pieces::{Meaning, Piece};
use super::verb_words::{Verb, verb};
use crate::table::Table;
use crate::{vocabulary, words};

/// What it costs to pass over a verb that says what happened to the records.
const ACTION: u32 = 3;

/// What it costs to take an unknown word for a verb.
const UNKNOWN_VERB: u32 = 4;

/// Names of columns that say what became of a record. A verb may then speak of it.
const FATES: &[&str] =
    &["status", "state", "action", "event", "type", "result", "outcome", "zustand", "aktion"];

/// Words that stand behind a verb.
const BEHIND_VERBS: &[&str] = &[
    "in", "on", "at", "from", "to", "for", "with", "during", "through", "im", "am", "von", "mit", "bei",
    "per",
];

/// Pronouns that can be a verb's subject.
const PRONOUNS: &[&str] = &["we", "they", "you", "i", "it", "wir", "sie", "man", "everybody", "everyone"];

/// Gives one unknown word the meaning of a verb where nothing but a verb can stand: behind `did` and its subject, and between
/// `which` and its column and `the most`.
pub(super) fn place_unknown(table: &Table, pieces: &mut [Piece]) {
    let has_fates = table.columns.iter().any(|column| {
        column.is_text() && words::parts(&column.name).iter().any(|part| FATES.contains(&part.as_str()))
    });
    let auxiliary = pieces.iter().position(|piece| is_auxiliary(&piece.text));
    let found = (1..pieces.len()).find(|index| {
        let piece = &pieces[*index];
        let is_plain = piece.text.chars().all(char::is_lowercase) && piece.text.chars().count() > 2;
        if !is_plain || piece.options.iter().any(|(meaning, _)| *meaning != Meaning::Unknown) {
            return false;
        }
        let before = &pieces[*index - 1];
        let behind_auxiliary = !has_fates
            && auxiliary.is_some_and(|auxiliary| auxiliary + 1 < *index)
            && is_subject(before)
            && pieces
                .get(*index + 1)
                .is_none_or(|next| BEHIND_VERBS.contains(&next.text.to_lowercase().as_str()));
        behind_auxiliary || asks_for_the_most(pieces, *index)
    });
    if let Some(index) = found {
        pieces[index].options = vec![(Meaning::Word(Word::Verb), UNKNOWN_VERB)];
    }
}

fn is_auxiliary(text: &str) -> bool {
    matches!(text.to_lowercase().as_str(), "did" | "does" | "do" | "didn't" | "doesn't" | "don't")
}

fn is_subject(piece: &Piece) -> bool {
    PRONOUNS.contains(&piece.text.to_lowercase().as_str())
        || piece.options.iter().any(|(meaning, _)| {
            matches!(
                meaning,
                Meaning::Value { .. }
                    | Meaning::Column(_)
                    | Meaning::Noun
                    | Meaning::Word(Word::People | Word::Records)
            )
        })
}

/// `who [wrote] the most`, `which path [produced] the most`.
fn asks_for_the_most(pieces: &[Piece], index: usize) -> bool {
    let is = |piece: &Piece, test: fn(Word) -> bool| {
        piece.options.iter().any(|(meaning, _)| matches!(meaning, Meaning::Word(word) if test(*word)))
    };
    let asked = is(&pieces[index - 1], |word| word == Word::Who)
        || index >= 2 && is(&pieces[index - 2], |word| word == Word::Which) && is_subject(&pieces[index - 1]);
    let next = pieces[index + 1..].iter().find(|piece| !is(piece, |word| word == Word::Noise));
    asked && next.is_some_and(|next| is(next, |word| matches!(word, Word::Most(_) | Word::Extreme(..))))
}

impl Parser<'_> {
    /// Counts the verbs that were passed over though they may say something.
    pub(super) fn doubt_verbs(&mut self) {
        let says_nothing =
            |meaning: &Meaning| matches!(meaning, Meaning::Word(Word::Noise | Word::Verb | Word::InTotal));
        let last = self.pieces.iter().rposition(|meaning| !says_nothing(meaning)).map_or(0, |last| last + 1);
        let is_active = self.texts.iter().any(|text| is_auxiliary(text));
        for index in 0..self.pieces.len() {
            if self.pieces[index] != Meaning::Word(Word::Verb) {
                continue;
            }
            let word = words::fold(&self.texts[index]);
            let is_bare = index >= last;
            let of_a_number =
                matches!(self.pieces.get(index + 1), Some(Meaning::Number(_) | Meaning::Hundreds(_)));
            let cost = match verb(&word) {
                _ if is_of_the_table(self.table, &word) => continue,
                Verb::Auxiliary => continue,
                Verb::Action if of_a_number => continue,
                Verb::Plain if !is_bare || is_active => continue,
                // With nothing behind it, a verb may be a condition that the file does not know.
                Verb::Action if !is_bare => ACTION,
                Verb::Action | Verb::Plain => ACTION + 1,
                Verb::Unknown => 0,
            };
            self.frame.notes.push(format!("\"{}\" was not taken as a condition", self.texts[index]));
            self.frame.guesses += cost;
        }
    }
}

/// Whether a verb is what every record of the file is about: bookings are `booked`, downloads `downloaded`.
fn is_of_the_table(table: &Table, verb: &str) -> bool {
    let verb = verb.split(' ').next().unwrap_or(verb);
    verb.chars().count() > 3
        && table.nouns.iter().any(|noun| words::same_word(noun, verb) || vocabulary::are_synonyms(noun, verb))
}
