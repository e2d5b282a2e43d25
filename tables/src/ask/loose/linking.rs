//! What the words of a question may speak of, where no column and no value is called so.

use super::passing::{Look, cost, look};
use super::related;
use crate::ask::lexicon::Word;
use crate::ask::pieces::{MAX_OPTIONS, Meaning, Piece};
use crate::table::Table;
use crate::words;

/// What it costs to take a column for what a word speaks of.
const SPOKEN_OF: u32 = 3;

/// What it costs to take an unknown word for the name of the records.
const RECORDS: u32 = 3;

/// What it costs to pass over what is measured or counted: more than a reading may cost.
const MEASURED: u32 = 20;

/// Shortest beginning that two words share which are akin.
const SHORTEST_ROOT: usize = 5;

/// Most columns that a word is tried with.
const MAX_COLUMNS: usize = 2;

/// The pieces with further meanings for each word that has none.
pub(super) fn loosened(table: &Table, pieces: &[Piece], is_german: bool) -> Vec<Piece> {
    let mut loose: Vec<Piece> = pieces.to_vec();
    for at in 0..pieces.len() {
        if !pieces[at].is_unknown() {
            continue;
        }
        let text = pieces[at].text.as_str();
        let look = look(text, at == 0, is_german);
        let mut options = if look == Look::Filler { Vec::new() } else { columns(table, text, look) };
        let before = pieces[..at].iter().rev().find(|piece| !is_word(piece, |word| word == Word::Noise));
        if matches!(look, Look::Thing | Look::Surrounding | Look::Quality)
            && before.is_none_or(|before| is_word(before, asks_for_records))
        {
            options.push((Meaning::Word(Word::Records), RECORDS));
        }
        // `broken parcels`: said of what is counted, so that nothing else says it.
        let is_said_of_records = matches!(look, Look::Verb | Look::Quality)
            && pieces.get(at + 1).is_some_and(names_records)
            && !before.is_some_and(|before| is_word(before, |word| word == Word::Verb));
        let is_measured = is_said_of_records
            || look == Look::Thing && before.is_some_and(|before| is_word(before, measures));
        options.push((Meaning::Word(Word::Noise), if is_measured { MEASURED } else { look.cost() }));
        options.sort_by_key(|(_, penalty)| *penalty);
        options.truncate(MAX_OPTIONS);
        loose[at].options = options;
        if look.cost() > cost::FILLER {
            loose[at].note = Some(format!("no column and no value is called \"{text}\""));
        }
    }
    loose
}

/// Whether a word stands for the records, as far as anybody knows it.
fn names_records(piece: &Piece) -> bool {
    piece.is_unknown() && look(&piece.text, false, false) == Look::Thing
        || piece.options.first().is_some_and(|(meaning, _)| *meaning == Meaning::Noun)
        || is_word(piece, |word| matches!(word, Word::Records | Word::People))
}

fn is_word(piece: &Piece, test: fn(Word) -> bool) -> bool {
    piece.options.first().is_some_and(|(meaning, _)| matches!(meaning, Meaning::Word(word) if test(*word)))
}

fn asks_for_records(word: Word) -> bool {
    matches!(
        word,
        Word::Count
            | Word::Which
            | Word::List
            | Word::Most(_)
            | Word::Per
            | Word::Top
            | Word::Small(_)
            | Word::Distinct
    )
}

fn measures(word: Word) -> bool {
    matches!(
        word,
        Word::Sum
            | Word::Average
            | Word::Median
            | Word::Deviation
            | Word::Percentile(_)
            | Word::Range
            | Word::HowMuch
            | Word::Extreme(..)
            | Word::Share
    )
}

/// The columns that a word may speak of: akin by its letters, or by what it means.
fn columns(table: &Table, text: &str, look: Look) -> Vec<(Meaning, u32)> {
    let low = text.to_lowercase();
    let mut found: Vec<(u32, usize)> = Vec::new();
    for (index, column) in table.columns.iter().enumerate() {
        let parts = words::parts(&column.name);
        if parts.iter().any(|part| are_akin(part, &low)) {
            found.push((SPOKEN_OF, index));
        } else if look != Look::Verb
            && let Some(distance) = related::distance(&low, &parts)
        {
            found.push((SPOKEN_OF + 1 + u32::try_from(distance / 8).unwrap_or(4), index));
        }
    }
    found.sort_unstable();
    found.truncate(MAX_COLUMNS);
    found.into_iter().map(|(penalty, column)| (Meaning::Column(column), penalty)).collect()
}

/// `allergic` and `Allergies`, `renewal` and `renewed`: most of both words is the same from the beginning on, or the one ends in
/// the other, as `Auftragsnummer` does in `Nummer`.
fn are_akin(left: &str, right: &str) -> bool {
    let (left, right) = (words::plain(left), words::plain(right));
    let shared = left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count();
    let (short, long) = {
        let (left, right) = (left.chars().count(), right.chars().count());
        (left.min(right), left.max(right))
    };
    let begins = shared >= SHORTEST_ROOT && shared * 10 >= short * 7 && long <= shared + 6;
    let (short_word, long_word) = if left.len() < right.len() { (&left, &right) } else { (&right, &left) };
    begins || words::ends_in(long_word, short_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_root_are_akin() {
        for (left, right) in [("allergic", "allergies"), ("renewal", "renewed"), ("bauantrag", "antrag")] {
            assert!(are_akin(left, right), "{left} {right}");
        }
        for (left, right) in [("price", "prize"), ("station", "status"), ("state", "date")] {
            assert!(!are_akin(left, right), "{left} {right}");
        }
    }
}
