//! The second way to read a question, where the grammar finds none: every word is linked to what it may speak of, and the meanings
//! that explain the most are put together to one of a few forms, wherever they stand.
//!
//! 1. `loose::linking` gives words that name nothing the columns that they may speak of (`loose::related`), or passes over them:
//!    a verb cheaply, a thing that the table does not know hardly ever (`loose::passing`).
//! 2. The frame is read as ever, but what finds no place costs something instead of rejecting the choice.
//! 3. `loose::assembly` makes a query of it: what is asked decides its form.
//!
//! Each such answer is a guess, says what it passed over, and is never sure.

mod apart;
mod assembly;
mod linking;
mod passing;
mod ranked;
mod related;

use assembly::Said;
pub(super) use linking::{is_plural, is_quantity};
pub(super) use ranked::name_of_rows;

use super::frame::Parser;
use super::lexicon::Word;
use super::pieces::{Meaning, Piece};
use super::{Reading, choices};
use crate::query::{Aggregate, Filter, Output, Query};
use crate::table::Table;
use crate::words;

/// What a loose reading costs at least, so that none is sure.
pub(super) const LOOSE: u32 = 4;

/// The most that a loose reading may cost: of dearer ones fewer than half were right at first sight.
pub(super) const MOST: u32 = 15;

impl Table {
    /// The loose readings of a question.
    pub(super) fn loose_readings(&self, linked: &[Piece], is_german: bool) -> Vec<Reading> {
        let mut readings: Vec<Reading> = Vec::new();
        // `and how many refunded?` leans on a question before.
        if linked.first().is_some_and(|piece| piece.options.first() == Some(&(Meaning::Word(Word::And), 0))) {
            return readings;
        }
        let pieces = linking::loosened(self, linked, is_german);
        let texts: Vec<String> = pieces.iter().map(|piece| piece.text.clone()).collect();
        let is_unknown =
            linked.iter().zip(&pieces).any(|(piece, loose)| piece.is_unknown() && loose.note.is_some());
        for (meanings, penalty) in choices(&pieces) {
            if penalty + LOOSE > MOST {
                continue;
            }
            let (mut frame, unused) = Parser::read(self, &meanings, &texts);
            frame.doubt.guesses += unplaced(&unused, &meanings, &texts, &mut frame.doubt.notes);
            let spoken = spoken(&meanings, &texts);
            let Some(query) = assembly::query(self, &mut frame, &spoken, &said(&meanings)) else { continue };
            if query.filter.as_ref().is_some_and(Filter::contradicts) {
                continue;
            }
            // `how many have left`: a word that is passed over may be the only condition.
            if is_unknown && counts_everything(&query) {
                continue;
            }
            frame.doubt.notes.extend(pieces.iter().filter_map(|piece| piece.note.clone()));
            let penalty = penalty + frame.doubt.guesses + LOOSE;
            if penalty > MOST {
                continue;
            }
            match readings.iter_mut().find(|other| other.query == query) {
                Some(other) if other.penalty > penalty => *other = Reading { query, frame, penalty },
                Some(_) => {}
                None => readings.push(Reading { query, frame, penalty }),
            }
        }
        readings
    }
}

/// What is asked for, in its order.
fn said(meanings: &[Meaning]) -> Vec<Said> {
    let said = meanings.iter().filter_map(|meaning| match meaning {
        Meaning::Column(column) => Some(Said::Column(*column)),
        Meaning::Word(Word::Who) => Some(Said::Who),
        Meaning::Word(Word::When) => Some(Said::When),
        _ => None,
    });
    said.collect()
}

/// How much some words say of a table: what it costs to leave them out.
pub(super) fn told(pieces: &[Piece]) -> u32 {
    let cost = |piece: &Piece| match piece.options.first() {
        Some((Meaning::Word(Word::Noise | Word::Verb | Word::And | Word::InTotal), _)) | None => 0,
        Some((Meaning::Word(_) | Meaning::Noun | Meaning::Unknown, _)) => 1,
        Some((Meaning::Column(_) | Meaning::Text(_), _)) => 3,
        Some(_) => 6,
    };
    pieces.iter().map(cost).sum()
}

/// The columns that a word may speak of, the likeliest first.
pub(super) fn columns_of(table: &Table, word: &str) -> Vec<usize> {
    let found = linking::columns(table, word, passing::look(word, false, false)).into_iter();
    found
        .filter_map(|(meaning, _)| if let Meaning::Column(column) = meaning { Some(column) } else { None })
        .collect()
}

/// The only column of amounts that counts people: `passengers`, `Gäste`.
pub(super) fn heads(table: &Table) -> Option<usize> {
    let mut found = table.measures().into_iter().filter(|column| speaks_of(table, "people", *column));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Whether a column counts things of its own, as passengers of a trip, and not the pieces of which a row is.
pub(super) fn counts_things(table: &Table, column: usize) -> bool {
    table.measures().contains(&column)
        && !crate::vocabulary::names_quantity(&words::parts(&table.columns[column].name))
}

/// Whether a word speaks of a column, whatever else it says.
pub(super) fn speaks_of(table: &Table, word: &str, column: usize) -> bool {
    related::distance(word, &words::parts(&table.columns[column].name)).is_some()
}

/// Whether a word is one that people use of tables of any kind.
pub(super) fn is_plain(word: &str) -> bool {
    related::is_known(word) || passing::is_common(word)
}

fn counts_everything(query: &Query) -> bool {
    let counts = |output: &Output| *output == Output::Aggregate(Aggregate::count());
    query.filter.is_none() && query.groups.is_empty() && query.outputs.iter().all(counts)
}

/// What it costs that words found no place, by what they mean.
fn unplaced(unused: &[usize], meanings: &[Meaning], texts: &[String], notes: &mut Vec<String>) -> u32 {
    let mut cost = 0;
    for at in unused {
        cost += match &meanings[*at] {
            Meaning::Word(Word::Noise | Word::Verb | Word::Records | Word::People | Word::InTotal) => 0,
            // `since April` is not in April.
            Meaning::Word(Word::Since | Word::Until) if is_before_time(&meanings[*at + 1..]) => {
                notes.push(format!("nothing was made of \"{}\"", texts[*at]));
                MOST
            }
            Meaning::Word(
                Word::And
                | Word::By
                | Word::Since
                | Word::Until
                | Word::Which
                | Word::Who
                | Word::List
                | Word::Than
                | Word::Count
                | Word::Small(1),
            )
            | Meaning::Noun
            | Meaning::Column(_) => 1,
            Meaning::Word(
                Word::Sum
                | Word::Distinct
                | Word::Sorted
                | Word::Matches
                | Word::HowMuch
                | Word::When
                | Word::Exists
                | Word::Unit(_)
                | Word::Average
                | Word::SortBy
                | Word::Descending,
            ) => 3,
            // `and how many each`
            Meaning::Word(Word::Per) if ["each", "je"].contains(&texts[*at].to_lowercase().as_str()) => 1,
            // `worst first`, `last night`: what is ranked is said already.
            Meaning::Word(Word::Extreme(..) | Word::Most(_) | Word::Top) => 5,
            _ => {
                notes.push(format!("nothing was made of \"{}\"", texts[*at]));
                MOST
            }
        };
    }
    cost
}

fn is_before_time(meanings: &[Meaning]) -> bool {
    let is_filler = |meaning: &&Meaning| matches!(meaning, Meaning::Word(Word::Noise | Word::Verb));
    matches!(meanings.iter().find(|meaning| !is_filler(meaning)), Some(Meaning::Time(_)))
}

/// The words of a question that name nothing.
fn spoken(meanings: &[Meaning], texts: &[String]) -> Vec<String> {
    let says = |meaning: &Meaning| {
        matches!(
            meaning,
            Meaning::Word(
                Word::Noise
                    | Word::Verb
                    | Word::How(_)
                    | Word::HowMuch
                    | Word::Compare(_)
                    | Word::Extreme(..)
                    | Word::People
                    | Word::Records
            )
        )
    };
    let spoken = meanings.iter().zip(texts).filter(|(meaning, _)| says(meaning));
    spoken.flat_map(|(_, text)| words::value_words(text)).filter(|word| related::is_known(word)).collect()
}
