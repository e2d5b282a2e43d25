//! Words that name nothing in a table as they stand: two words in one, a word of its long texts, a slip of the keyboard.
//!
//! Each is a guess that is said, and costs so much that no answer with it counts as sure.

use std::collections::HashSet;

use super::lexicon::{self, Word};
use super::loose;
use super::naming::value_of;
use super::pieces::{Meaning, PART_OF_VALUE, Piece, SYNONYM, word_options};
use super::tokens::{Token, TokenKind};
use crate::query::{Aggregate, Filter, Query, TextTest};
use crate::table::Table;
use crate::words;

/// What it costs to take a word for something that it does not say by itself.
const GUESS: u32 = 3;

/// Most rows whose texts are searched for a word of a question.
const MOST_SEARCHED_ROWS: u64 = 200_000;

/// Shortest word that is taken apart, and its shortest part.
const SHORTEST_COMPOUND: usize = 8;
const SHORTEST_PART: usize = 3;

/// Shortest word in which a slip is seen: of shorter ones too many others are one letter away.
const SHORTEST_SLIP: usize = 5;

/// Words that compare, repeat or exclude in ways that are not understood here: they are in no text that is asked for.
const SMALL_WORDS: &[&str] = &[
    "time", "times", "first", "last", "day", "days", "hour", "hours", "minute", "minutes", "week", "month",
    "year", "amount", "number", "count", "more", "less", "than", "same", "other", "others", "another", "if",
    "while", "because", "such", "once", "twice", "again", "second", "third", "next", "previous", "mehr",
    "weniger", "als", "andere", "anderen", "anderer", "gleich", "gleichen", "wenn", "einmal", "zweimal",
    "wieder", "zweite", "zweiten", "dritte", "dritten", "between", "until", "together",
];

/// What a word may be that no piece knows; nothing if it stays unknown.
pub(super) fn explained(table: &Table, token: &Token) -> Vec<Piece> {
    if token.kind != TokenKind::Word || SMALL_WORDS.contains(&token.low.as_str()) {
        return Vec::new();
    }
    if let Some(pieces) = hyphened(table, &token.text).or_else(|| compound(table, &token.text)) {
        return pieces;
    }
    for text in forms(&token.text) {
        if let Some(column) = only_text_with(table, &text) {
            let all = forms_in(table, column, &token.text);
            if all.len() > 1 {
                let note = format!(
                    "\"{}\" was looked for as words of {}",
                    all.join("\", \""),
                    table.column_name(column)
                );
                let of = |text: String| Filter::Text { column, test: TextTest::Word, text };
                let meaning = Meaning::Holds(Filter::Or(all.into_iter().map(of).collect()));
                return vec![Piece {
                    text: token.text.clone(),
                    options: vec![(meaning, GUESS)],
                    note: Some(note),
                }];
            }
            let note = format!("\"{text}\" was looked for as a word of {}", table.column_name(column));
            return vec![Piece {
                text: token.text.clone(),
                options: vec![(Meaning::InText { column, text }, GUESS)],
                note: Some(note),
            }];
        }
    }
    // `cost` is no slip, and no beginning of `Costco`.
    if loose::is_plain(&token.low) {
        return Vec::new();
    }
    slip(table, token).or_else(|| beginning(table, token)).into_iter().collect()
}

/// The forms of a word that stand in a column: `queue` and `queues`.
fn forms_in(table: &Table, column: usize, word: &str) -> Vec<String> {
    let plural = |word: &str| [format!("{word}s"), format!("{word}es")];
    let singular = word.strip_suffix('s').map(str::to_owned);
    let candidates = std::iter::once(word.to_owned()).chain(plural(word)).chain(singular);
    let stands = |text: &String| {
        let filter = Filter::Text { column, test: TextTest::Word, text: text.clone() };
        table.run(&Query::number(Aggregate::count(), Some(filter))).is_ok_and(|outcome| outcome.matched > 0)
    };
    candidates.filter(|text| text.chars().count() >= SHORTEST_PART).filter(stands).collect()
}

/// A word, and its plural, its singular, its past: `exceptions` stand in a log as `exception`.
fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    if word.chars().count() >= SHORTEST_SLIP && word.is_ascii() {
        let bare = ["ed", "s"].iter().filter_map(|ending| word.strip_suffix(ending));
        forms.extend(bare.map(str::to_owned));
        forms.extend(["s", "ed", "d"].iter().map(|ending| format!("{word}{ending}")));
    }
    forms
}

/// `Notendurchschnitt`, `Kartenzahlungen`: two words that are known, with or without a letter between them.
fn compound(table: &Table, text: &str) -> Option<Vec<Piece>> {
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    if letters.len() < SHORTEST_COMPOUND || !letters.iter().all(|(_, letter)| letter.is_alphabetic()) {
        return None;
    }
    let mut found: Option<(u32, Vec<Piece>)> = None;
    for (at, _) in &letters[SHORTEST_PART..=letters.len() - SHORTEST_PART] {
        let (first, second) = text.split_at(*at);
        let Some((right_cost, right)) = part(table, second) else { continue };
        let joints = ["", "s", "n", "en", "es"];
        let left = joints
            .iter()
            .filter_map(|joint| first.strip_suffix(joint))
            .filter(|bare| bare.chars().count() >= SHORTEST_PART)
            .find_map(|bare| part(table, bare));
        let Some((left_cost, left)) = left else { continue };
        let cost = left_cost + right_cost;
        if found.as_ref().is_none_or(|(best, _)| cost < *best) {
            found = Some((cost, vec![left, right]));
        }
    }
    let (_, mut pieces) = found?;
    // `Privatpatienten`: those whose cell says so, and the word for them.
    if pieces[0]
        .options
        .iter()
        .all(|(meaning, _)| matches!(meaning, Meaning::Column(_) | Meaning::Value { .. }))
        && matches!(pieces[1].options[0].0, Meaning::Column(column) if table.columns[column].is_text())
    {
        pieces[1].options.push((Meaning::Word(Word::Records), 1));
    }
    for (_, penalty) in &mut pieces[0].options {
        *penalty += GUESS;
    }
    let parts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let note = format!("\"{text}\" was read as \"{}\"", parts.join("\" and \""));
    pieces[0].note = Some(note);
    Some(pieces)
}

/// `POST-Anfragen`: two words that are known.
fn hyphened(table: &Table, text: &str) -> Option<Vec<Piece>> {
    let (first, second) = text.split_once('-')?;
    let (_, mut left) = part(table, first)?;
    let (_, right) = part(table, second)?;
    for (_, penalty) in &mut left.options {
        *penalty += GUESS;
    }
    left.note = Some(format!("\"{text}\" was read as \"{first}\" and \"{second}\""));
    Some(vec![left, right])
}

/// A part of a compound that names a column, a value, the records, or what is made of numbers.
fn part(table: &Table, text: &str) -> Option<(u32, Piece)> {
    let mut options = word_options(table, text, &text.to_lowercase());
    options.retain(|(meaning, penalty)| {
        *penalty <= SYNONYM
            && matches!(
                meaning,
                Meaning::Column(_)
                    | Meaning::Value { .. }
                    | Meaning::Noun
                    | Meaning::Word(
                        Word::Sum
                            | Word::Average
                            | Word::Median
                            | Word::Count
                            | Word::Share
                            | Word::Records
                            | Word::Lines
                            | Word::People
                    )
            )
    });
    let cost = options.iter().map(|(_, penalty)| *penalty).min()?;
    Some((cost, Piece { text: text.to_owned(), options, note: None }))
}

/// The only column of texts in which a word stands. Texts that are too long to be values are not in the index.
fn only_text_with(table: &Table, word: &str) -> Option<usize> {
    if table.rows > MOST_SEARCHED_ROWS || word.chars().count() < SHORTEST_PART {
        return None;
    }
    let stands_in = |column: &usize| {
        let filter = Filter::Text { column: *column, test: TextTest::Word, text: word.to_owned() };
        table.run(&Query::number(Aggregate::count(), Some(filter))).is_ok_and(|outcome| outcome.matched > 0)
    };
    let mut found =
        (0..table.columns.len()).filter(|column| table.columns[*column].is_text()).filter(stands_in);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// `fail` of the only value that begins with it: `failure`.
fn beginning(table: &Table, token: &Token) -> Option<Piece> {
    if token.low.chars().count() < SHORTEST_SLIP - 1 || !token.low.chars().all(char::is_alphabetic) {
        return None;
    }
    let hits = table.values().beginning_with(&token.low);
    let [hit] = hits.as_slice() else { return None };
    let (meaning, penalty) = value_of(hit, &hit.spellings.first()?.0, GUESS);
    let note = format!("\"{}\" was read as \"{}\"", token.text, hit.spellings.first()?.0);
    Some(Piece { text: token.text.clone(), options: vec![(meaning, penalty)], note: Some(note) })
}

/// A word one letter away from one that is known, if there is one such meaning only.
fn slip(table: &Table, token: &Token) -> Option<Piece> {
    let low = &token.low;
    if low.chars().count() < SHORTEST_SLIP || !low.chars().all(char::is_alphabetic) {
        return None;
    }
    let mut found: Vec<(String, Vec<(Meaning, u32)>)> = Vec::new();
    for candidate in candidates(table, low) {
        let mut options = word_options(table, &candidate, &candidate);
        options.retain(|(meaning, penalty)| *penalty < PART_OF_VALUE && *meaning != Meaning::Unknown);
        if options.is_empty() || found.iter().any(|(_, known)| known[0].0 == options[0].0) {
            continue;
        }
        found.push((candidate, options));
    }
    let [(read, options)] = found.as_mut_slice() else { return None };
    for (_, penalty) in options.iter_mut() {
        *penalty += GUESS;
    }
    Some(Piece {
        text: read.clone(),
        options: std::mem::take(options),
        note: Some(format!("\"{}\" was read as \"{read}\"", token.text)),
    })
}

/// Known words one letter away: of the language, of the columns' names, of the values.
fn candidates(table: &Table, low: &str) -> Vec<String> {
    let names = table.columns.iter().flat_map(|column| words::parts(&column.name));
    let away = one_slip_away(low);
    let mut near: Vec<String> =
        names.chain(table.nouns.iter().cloned()).filter(|name| away.contains(name)).collect();
    let is_known = |word: &String| {
        // A verb that is passed over would explain nothing.
        lexicon::meaning(word).is_some_and(|word| {
            !matches!(word, Word::Noise | Word::Verb | Word::Sorted | Word::Small(_) | Word::Beyond)
        }) || !table.values().whole(std::slice::from_ref(word)).is_empty()
    };
    near.extend(away.into_iter().filter(is_known));
    // A plural is no slip.
    near.retain(|word| word.strip_suffix('s') != Some(low) && low.strip_suffix('s') != Some(word));
    near.sort_unstable();
    near.dedup();
    near
}

/// All words that a letter more, less, other, or two that changed places make of a word. The first letter is hardly ever wrong.
fn one_slip_away(word: &str) -> HashSet<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut made = HashSet::new();
    let mut add = |before: &[char], middle: &[char], after: &[char]| {
        made.insert(before.iter().chain(middle).chain(after).collect::<String>());
    };
    for at in 1..letters.len() {
        add(&letters[..at], &[], &letters[at + 1..]);
        if let Some(next) = letters.get(at + 1) {
            add(&letters[..at], &[*next, letters[at]], &letters[at + 2..]);
        }
        for letter in ('a'..='z').chain(['ä', 'ö', 'ü', 'ß']) {
            add(&letters[..at], &[letter], &letters[at + 1..]);
            add(&letters[..at], &[letter], &letters[at..]);
        }
    }
    for letter in 'a'..='z' {
        add(&letters, &[letter], &[]);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadOptions;

    #[test]
    fn a_slip_is_one_letter_of_any_kind() {
        for wrong in ["avarage", "averag", "aveerage", "avreage"] {
            assert!(one_slip_away(wrong).contains("average"), "{wrong}");
        }
        assert!(!one_slip_away("overall").contains("average"));
    }

    #[test]
    fn a_compound_is_taken_apart_where_both_parts_are_known() {
        let text = "Fach;Note;Zahlung\nSport;2,3;Karte\nDeutsch;1,7;bar\nSport;3,1;Karte\n";
        let table = Table::load("zeugnis.csv", text, &LoadOptions::default()).unwrap();
        let texts = |word: &str| -> Option<Vec<String>> {
            Some(compound(&table, word)?.into_iter().map(|piece| piece.text).collect())
        };
        assert_eq!(texts("Notendurchschnitt").unwrap(), ["Noten", "durchschnitt"]);
        assert_eq!(texts("Kartenzahlungen").unwrap(), ["Karten", "zahlungen"]);
        assert_eq!(texts("Notenkonferenz"), None);
    }
}
