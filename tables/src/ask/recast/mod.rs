//! What several words say together, in words that the grammar knows: `is not noted how they paid` is a condition on the column of
//! payments, `in the second test` names a column, `what did it come to` asks for a sum.
//!
//! Each construction looks for its words among the pieces of a question and puts others in their place. What they make is a guess:
//! no reading that rests on them is sure.

mod absence;
mod beside;
mod contrasts;
mod dates;
mod events;
mod limits;
mod ordinals;
mod phrased;
mod phrases;
mod states;
mod tenure;
mod things;

pub(super) use ordinals::numbered_column;
pub(super) use things::names_records;

use std::ops::Range;

use super::lexicon::Word;
use super::loose;
use super::pieces::{Meaning, Piece};
use crate::query::Filter;
use crate::table::Table;

/// What it costs to take several words for what they say together.
const TOGETHER: u32 = 1;

/// The pieces of a question, while constructions put others in the place of some.
struct Recast<'t> {
    table: &'t Table,
    pieces: Vec<Piece>,
    is_german: bool,
    /// Each word of the question, folded, and the piece that it is of.
    words: Vec<(String, usize)>,
    changes: usize,
}

/// The pieces of a question with what several words say together in one; none if no words do.
pub(super) fn recast(table: &Table, pieces: &[Piece], is_german: bool) -> Option<Vec<Piece>> {
    let mut recast = Recast { table, pieces: pieces.to_vec(), is_german, words: Vec::new(), changes: 0 };
    recast.count_words();
    for construction in [
        Recast::tell_tenure,
        Recast::tell_how_often,
        Recast::pass_over_phrases,
        Recast::tell_beside,
        Recast::name_dates,
        Recast::tell_phrased,
        Recast::tell_limits,
        Recast::tell_lateness,
        Recast::tell_texts,
        Recast::ask_for_sums,
        Recast::name_by_ordinals,
        Recast::name_ends_of_a_range,
        Recast::tell_events,
        Recast::tell_with_and_without,
        Recast::tell_absence,
        Recast::tell_presence,
        Recast::tell_states,
        Recast::tell_contrasts,
        Recast::tell_differences,
        Recast::name_things,
    ] {
        construction(&mut recast);
    }
    (recast.changes > 0).then_some(recast.pieces)
}

impl Recast<'_> {
    fn count_words(&mut self) {
        self.words.clear();
        for (at, piece) in self.pieces.iter().enumerate() {
            for word in piece.text.split_whitespace() {
                let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '%');
                let word = if bare.is_empty() { word } else { bare };
                self.words.push((word.to_lowercase(), at));
            }
        }
    }

    /// The place of a word of the question.
    fn position(&self, list: &[&str]) -> Option<usize> {
        self.words.iter().position(|(word, _)| list.contains(&word.as_str()))
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |(word, _)| word.as_str())
    }

    /// The place of a phrase, by words.
    fn phrase(&self, phrase: &str) -> Option<Range<usize>> {
        let wanted: Vec<&str> = phrase.split(' ').collect();
        let is_here = |at: &usize| {
            wanted
                .iter()
                .enumerate()
                .all(|(offset, word)| self.words.get(at + offset).is_some_and(|(other, _)| other == word))
        };
        (0..self.words.len()).find(is_here).map(|at| at..at + wanted.len())
    }

    /// The first of some phrases that the question has.
    fn any_phrase(&self, phrases: &[&str]) -> Option<Range<usize>> {
        phrases.iter().find_map(|phrase| self.phrase(phrase))
    }

    /// Puts other pieces in the place of some words; pieces of which the words are only a part are lost as a whole.
    fn put(&mut self, words: Range<usize>, mut instead: Vec<Piece>) {
        let text: Vec<&str> = self.words[words.clone()].iter().map(|(word, _)| word.as_str()).collect();
        if let Some(first) = instead.first_mut() {
            first.note.get_or_insert(format!("\"{}\" was read as one", text.join(" ")));
        }
        let (Some((_, first)), Some((_, last))) =
            (self.words.get(words.start), self.words.get(words.end - 1))
        else {
            return;
        };
        self.pieces.splice(*first..=*last, instead);
        self.changes += 1;
        self.count_words();
    }

    /// Takes some words for one meaning.
    fn take(&mut self, words: Range<usize>, meaning: Meaning, cost: u32) {
        let text: Vec<&str> = self.words[words.clone()].iter().map(|(word, _)| word.as_str()).collect();
        let piece = Piece::of(text.join(" "), meaning, TOGETHER + cost);
        self.put(words, vec![piece]);
    }

    /// Passes over some words.
    fn pass_over(&mut self, words: Range<usize>) {
        self.take(words, Meaning::Word(Word::Noise), 0);
    }

    /// Takes some words for a condition.
    fn hold(&mut self, words: Range<usize>, filter: Filter, cost: u32) {
        // Not in the same words, so that no construction finds them again.
        let text: Vec<&str> = self.words[words.clone()].iter().map(|(word, _)| word.as_str()).collect();
        let piece = Piece::of(text.join("_"), Meaning::Holds(filter), TOGETHER + cost);
        self.put(words, vec![piece]);
    }

    fn first_word(&self, at: usize) -> Option<Word> {
        match self.pieces.get(at)?.options.first()? {
            (Meaning::Word(word), _) => Some(*word),
            _ => None,
        }
    }

    fn asks(&self, test: fn(Word) -> bool) -> bool {
        self.pieces.iter().any(|piece| {
            piece.options.iter().any(|(meaning, _)| matches!(meaning, Meaning::Word(word) if test(*word)))
        })
    }

    /// The column that a piece names, or that its words may speak of.
    fn column_of(&self, at: usize) -> Option<usize> {
        let piece = self.pieces.get(at)?;
        let named = piece.options.iter().find_map(|(meaning, _)| match meaning {
            Meaning::Column(column) => Some(*column),
            _ => None,
        });
        let is_word = |piece: &Piece| {
            piece.is_unknown()
                || piece.options.iter().all(|(meaning, _)| {
                    matches!(meaning, Meaning::Word(Word::Verb | Word::Records) | Meaning::Noun)
                })
        };
        named.or_else(|| {
            is_word(piece).then(|| loose::columns_of(self.table, &piece.text).into_iter().next())?
        })
    }

    /// The value that a piece may be, with its column.
    fn value_of(&self, at: usize) -> Option<(usize, &[String])> {
        self.pieces.get(at)?.options.iter().find_map(|(meaning, _)| match meaning {
            Meaning::Value { column, values, .. } => Some((*column, values.as_slice())),
            _ => None,
        })
    }
}
