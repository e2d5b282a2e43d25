//! What the words of a question may speak of, where no column and no value is called so.

use super::counts_things;
use super::passing::{Look, cost, look};
use super::related;
use crate::ask::lexicon::{Hint, Word};
use crate::ask::pieces::{MAX_OPTIONS, Meaning, Piece};
use crate::ask::recast;
use crate::table::Table;
use crate::value::unit;
use crate::{states, vocabulary, words};

/// What it costs to take a column for what a word speaks of.
const SPOKEN_OF: u32 = 3;

/// What it costs to take an unknown word for the name of the records.
const RECORDS: u32 = 3;

/// What it costs to pass over what is measured or counted: more than a reading may cost.
const MEASURED: u32 = 20;

/// What it costs that a stretch of time parts what it does not seem to part.
const UNPARTED: u32 = 2;

/// Shortest beginning that two words share which are akin.
const SHORTEST_ROOT: usize = 5;

/// Most columns that a word is tried with.
const MAX_COLUMNS: usize = 2;

/// The pieces with further meanings for each word that has none.
pub(super) fn loosened(table: &Table, pieces: &[Piece], is_german: bool) -> Vec<Piece> {
    let mut loose: Vec<Piece> = pieces.to_vec();
    for at in 0..pieces.len() {
        if is_of_no_group(pieces, at) {
            for (_, penalty) in &mut loose[at].options {
                *penalty += UNPARTED;
            }
            loose[at].options.insert(0, (Meaning::Word(Word::Noise), 0));
        }
        if !pieces[at].is_unknown() {
            continue;
        }
        let text = pieces[at].text.as_str();
        let look = look(text, at == 0, is_german);
        let mut options = if look == Look::Filler { Vec::new() } else { columns(table, text, look) };
        options.extend(missing(text));
        options.extend(typical(text));
        options.extend(values_of_state(table, text));
        let before = pieces[..at].iter().rev().find(|piece| !is_word(piece, |word| word == Word::Noise));
        let is_group = before.is_some_and(|before| is_word(before, |word| word == Word::Per));
        // `the most milk` of the column `litres`
        let is_amount_of_most = before.is_some_and(|before| is_word(before, |word| matches!(word, Word::Most(_))))
            && options.iter().any(|(meaning, _)| matches!(meaning, Meaning::Column(column) if table.columns[*column].is_numeric()));
        let is_quantity = is_quantity(&text.to_lowercase()) && options.is_empty();
        if matches!(look, Look::Thing | Look::Surrounding | Look::Quality)
            && !is_quantity
            && !is_amount_of_most
            && !is_group
            && before.is_none_or(|before| is_word(before, asks_for_records))
        {
            // What may be a column's name is that before it is the records'; what is counted may have a column of its own.
            let is_amount = |(meaning, _): &(Meaning, u32)| matches!(meaning, Meaning::Column(column) if counts_things(table, *column));
            let is_counted = before.is_some_and(|before| is_word(before, |word| word == Word::Count));
            let cost = RECORDS
                + match options.is_empty() {
                    true => 0,
                    false if is_counted && options.iter().any(is_amount) => 5,
                    false => 2,
                };
            options.push((Meaning::Word(Word::Records), cost));
        }
        // `broken parcels`: said of what is counted, so that nothing else says it.
        let is_said_of_records = matches!(look, Look::Verb | Look::Quality)
            && pieces.get(at + 1).is_some_and(|next| names_records(next, is_german))
            && !before.is_some_and(|before| is_word(before, |word| word == Word::Verb));
        // `which antibiotic is she on`: one thing that no column holds.
        let is_one_asked_for = look == Look::Thing
            && at > 0
            && is_word(&pieces[at - 1], |word| word == Word::Which)
            && !text.ends_with('s')
            && !is_plural(text)
            && options.iter().all(|(meaning, _)| *meaning == Meaning::Word(Word::Records));
        if is_one_asked_for {
            options.clear();
        }
        let is_mass = look == Look::Thing
            && options.iter().all(|(meaning, _)| *meaning == Meaning::Word(Word::Records))
            && !text.ends_with('s')
            && !is_plural(text)
            && before.is_some_and(|before| is_word(before, |word| matches!(word, Word::Most(_))));
        // `average session length`: the second word says what is measured, the first of what.
        let is_modifier = recast::names_records(&text.to_lowercase())
            && options.is_empty()
            && pieces
                .get(at + 1)
                .is_some_and(|next| next.is_unknown() && !columns(table, &next.text, Look::Thing).is_empty());
        let is_compared = matches!(text, "vs" | "versus");
        let is_measured = is_said_of_records
            || is_compared
            || is_mass
            || is_quantity
            || is_one_asked_for
            || is_group && look != Look::Filler
            || look == Look::Thing && !is_modifier && before.is_some_and(|before| is_word(before, measures));
        // `how many failed` says which, even where no column does.
        let is_state = states::other_states(&text.to_lowercase()).next().is_some();
        let passed = if is_modifier { RECORDS } else { look.cost() };
        let passed = if is_state { passed.max(STATE) } else { passed };
        options.push((Meaning::Word(Word::Noise), if is_measured { MEASURED } else { passed }));
        options.sort_by_key(|(_, penalty)| *penalty);
        options.truncate(MAX_OPTIONS);
        loose[at].options = options;
        // `the mark of the algebra test`: the column that is named holds marks.
        let names_an_amount = |piece: &Piece| {
            piece.options.iter().any(|(meaning, penalty)| {
                *penalty < 3
                    && matches!(meaning, Meaning::Column(column) if table.columns[*column].is_numeric())
            })
        };
        if is_in_list(FIGURES, text) && pieces.iter().any(names_an_amount) {
            loose[at].options = vec![(Meaning::Word(Word::Noise), cost::FILLER)];
            continue;
        }
        let is_behind_in = at > 0 && matches!(pieces[at - 1].text.to_lowercase().as_str(), "in" | "auf");
        if is_unit(text) && (is_behind_in || before.is_none_or(|before| !is_word(before, measures))) {
            loose[at].options = vec![(Meaning::Word(Word::Noise), cost::FILLER)];
            continue;
        }
        if look.cost() > cost::FILLER {
            loose[at].note = Some(format!("no column and no value is called \"{text}\""));
        }
    }
    loose
}

/// `in the whole year`, `for the quarter`: a stretch of time that nothing is parted by.
fn is_of_no_group(pieces: &[Piece], at: usize) -> bool {
    let parts = |word: Word| {
        matches!(
            word,
            Word::Per
                | Word::By
                | Word::Which
                | Word::Count
                | Word::Distinct
                | Word::When
                | Word::Extreme(..)
                | Word::Most(_)
                | Word::SortBy
                | Word::HowMuch
        )
    };
    let fills = |piece: &&Piece| is_word(piece, |word| word == Word::Noise) || piece.is_unknown();
    is_word(&pieces[at], |word| matches!(word, Word::Unit(_)))
        && at > 0
        && !pieces[..at].iter().rev().find(|piece| !fills(piece)).is_some_and(|before| is_word(before, parts))
}

/// Quantities that are asked for by name: where no column holds them, the file does not say them, whatever else it counts.
const QUANTITIES: &[&str] = &[
    "response",
    "latency",
    "latenz",
    "antwortzeit",
    "antwortzeiten",
    "ladezeit",
    "uptime",
    "e-mail-adresse",
    "e-mail",
    "email",
    "microchip",
    "insurance",
    "versicherung",
    "calories",
    "kalorien",
    "kcal",
    "steps",
    "schritte",
    "memory",
    "ram",
    "cpu",
    "load",
    "luftdruck",
    "pressure",
    "humidity",
    "luftfeuchtigkeit",
    "luftfeuchte",
    "age",
    "alter",
    "birthday",
    "birthdays",
    "geburtstag",
    "geburtstage",
    "birthdate",
    "salary",
    "salaries",
    "gehalt",
    "gehälter",
    "balance",
    "kontostand",
    "saldo",
    "bmi",
    "cholesterol",
    "glucose",
    "blutzucker",
    "oxygen",
    "penicillin",
    "medication",
    "medikament",
    "medikamente",
    "phone",
    "telephone",
    "telefonnummer",
    "telefonnummern",
    "profit",
    "gewinn",
    "commission",
    "provision",
    "mileage",
    "voltage",
    "temperature",
    "temperatur",
    "weight",
    "gewicht",
    "height",
    "körpergröße",
    "blood type",
    "blutgruppe",
    "nationality",
    "nationalität",
    "gender",
    "geschlecht",
    "password",
    "passwort",
    "iban",
    "tax",
    "steuer",
];

/// Whether a word is such a quantity.
pub(in crate::ask) fn is_quantity(word: &str) -> bool {
    QUANTITIES.contains(&word)
}

/// A German or irregular plural.
pub(in crate::ask) fn is_plural(text: &str) -> bool {
    let low = text.to_lowercase();
    matches!(low.as_str(), "children" | "people" | "men" | "women" | "kinder" | "leute" | "staff")
        || low.ends_with("en")
        || low.ends_with("er")
}

/// What numbers of any kind are called.
const FIGURES: &[&str] = &[
    "mark",
    "marks",
    "score",
    "scores",
    "points",
    "point",
    "grade",
    "grades",
    "result",
    "results",
    "reading",
    "readings",
    "figure",
    "figures",
    "amount",
    "amounts",
    "value",
    "values",
    "level",
    "levels",
    "number",
    "numbers",
    "punkte",
    "note",
    "noten",
    "wert",
    "werte",
    "betrag",
    "beträge",
    "ergebnis",
    "ergebnisse",
    "stand",
    "höhe",
    "total",
];

fn is_in_list(list: &[&str], text: &str) -> bool {
    list.contains(&text.to_lowercase().as_str())
}

/// Whether a word names a unit that numbers are said in: `in euros`, `in milliseconds`.
fn is_unit(text: &str) -> bool {
    let low = text.to_lowercase();
    unit::currency(&low).or_else(|| unit::currency(low.strip_suffix('s')?)).is_some()
        || unit::measure_of(&low).is_some()
        || vocabulary::is_unit(&low)
}

/// What it costs to pass over a word for the state of something.
const STATE: u32 = 8;

/// What it costs to take a word for a value of the same meaning.
const SAME_STATE: u32 = 2;

/// `failures` of the status `failed`, `went wrong` of `error`: the values that name the state in other words.
fn values_of_state(table: &Table, text: &str) -> Vec<(Meaning, u32)> {
    let low = text.to_lowercase();
    let mut found: Vec<(Meaning, u32)> = Vec::new();
    for other in states::other_states(&low) {
        for hit in table.values().whole(&[other.to_owned()]) {
            let values: Vec<String> = hit.spellings.iter().map(|(spelling, _)| spelling.clone()).collect();
            let earlier = found.iter_mut().find_map(|(meaning, _)| match meaning {
                Meaning::Value { column, values, .. } if *column == hit.column => Some(values),
                _ => None,
            });
            match earlier {
                Some(earlier) => earlier.extend(values),
                None => {
                    found.push((Meaning::Value { column: hit.column, values, folded: false }, SAME_STATE));
                }
            }
        }
    }
    found
}

/// Words by which people say that nothing stands in a cell.
const MISSING: &[&str] = &[
    "unclear",
    "unspecified",
    "unrecorded",
    "forgotten",
    "forgot",
    "vergessen",
    "offengelassen",
    "unbekannt",
    "absent",
    "missed",
    "nichts",
    "nothing",
    "unanswered",
    "skipped",
];

/// `the typical price`: most likely the mean.
fn typical(text: &str) -> Option<(Meaning, u32)> {
    const TYPICAL: &[&str] =
        &["typical", "typically", "usual", "usually", "normalerweise", "üblicherweise", "typischerweise"];
    is_in_list(TYPICAL, text).then_some((Meaning::Word(Word::Average), 0))
}

fn missing(text: &str) -> Option<(Meaning, u32)> {
    is_in_list(MISSING, text).then_some((Meaning::Word(Word::Missing), 1))
}

/// Whether a word stands for the records, as far as anybody knows it.
fn names_records(piece: &Piece, is_german: bool) -> bool {
    piece.is_unknown() && look(&piece.text, false, is_german) == Look::Thing
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
            // `the oldest participant`
            | Word::Extreme(_, Hint::Duration | Hint::Age | Hint::Weight | Hint::Price | Hint::Moment | Hint::Best)
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
            | Word::Extreme(_, Hint::None)
            | Word::Share
    )
}

/// The columns that a word may speak of: akin by its letters, or by what it means.
pub(super) fn columns(table: &Table, text: &str, look: Look) -> Vec<(Meaning, u32)> {
    let low = text.to_lowercase();
    let base = base(&low);
    let mut found: Vec<(u32, usize)> = Vec::new();
    for (index, column) in table.columns.iter().enumerate() {
        let parts = words::parts(&column.name);
        let is_akin = |word: &str| parts.iter().any(|part| are_akin(part, word));
        let distance = |word: &str| related::distance(word, &parts);
        let is_base = |base: &str| {
            parts.iter().any(|part| part.starts_with(base) || vocabulary::are_synonyms(part, base))
                || is_akin(base)
        };
        let is_state = states::other_states(&low).any(|other| parts.iter().any(|part| part == other));
        if is_state || is_akin(&low) || base.is_some_and(is_base) || is_two_parts(&low, &parts) {
            found.push((SPOKEN_OF, index));
        } else if look != Look::Verb
            && let Some(distance) = distance(&low).or_else(|| distance(base?))
        {
            found.push((SPOKEN_OF + 1 + u32::try_from(distance / 8).unwrap_or(4), index));
        }
    }
    // `which article` asks for its name before its number.
    for (penalty, column) in &mut found {
        let described = &table.columns[*column];
        *penalty += if described.is_text() && table.holds_numbered_names(*column) { 2 } else { 0 };
    }
    found.sort_unstable();
    found.truncate(MAX_COLUMNS);
    found.into_iter().map(|(penalty, column)| (Meaning::Column(column), penalty)).collect()
}

/// `Modultemperatur` of `module_temp_C`: a compound whose words are those of a name.
fn is_two_parts(low: &str, parts: &[String]) -> bool {
    if parts.len() < 2 || low.chars().count() < 8 {
        return false;
    }
    let is_part = |word: &str, part: &String| {
        let (word, part) = (words::plain(word), words::plain(part));
        let shared = word.chars().zip(part.chars()).take_while(|(left, right)| left == right).count();
        shared >= 3 && shared + 1 >= word.chars().count().min(part.chars().count())
            || vocabulary::are_synonyms(&word, &part)
    };
    low.char_indices().skip(3).any(|(at, _)| {
        let (first, second) = low.split_at(at);
        second.chars().count() >= 3
            && parts.iter().enumerate().any(|(left, part)| {
                is_part(first, part)
                    && parts.iter().enumerate().any(|(right, other)| right != left && is_part(second, other))
            })
    })
}

/// Last parts of German compounds that say only that something is measured or named: `Fettgehalt`, `pH-Wert`, `Milchmenge`.
const TAILS: &[&str] = &[
    "note", "noten", "gehalt", "wert", "menge", "anzahl", "zahl", "preis", "betrag", "datum", "tag", "zeit",
    "dauer", "stand", "höhe", "kosten", "quote", "nummer", "name", "art", "stunden", "punkte", "grad",
    "rate",
];

/// What a compound speaks of, without the last part that says nothing.
fn base(low: &str) -> Option<&str> {
    let head = TAILS.iter().find_map(|tail| low.strip_suffix(tail))?;
    let head = head.trim_end_matches('-');
    let root = head.strip_suffix('s').filter(|root| root.chars().count() >= 5).unwrap_or(head);
    let root = root.strip_suffix("keit").unwrap_or(root);
    (root.chars().count() >= 2).then_some(root)
}

/// `allergic` and `Allergies`, `renewal` and `renewed`: most of both words is the same from the beginning on, or the one ends in
/// the other, as `Auftragsnummer` does in `Nummer`.
fn are_akin(left: &str, right: &str) -> bool {
    // `happy` and `happiness`
    let plain = |word: &str| words::plain(word).replace('y', "i");
    let (left, right) = (plain(left), plain(right));
    let shared = left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count();
    let (short, long) = {
        let (left, right) = (left.chars().count(), right.chars().count());
        (left.min(right), left.max(right))
    };
    let begins = shared >= SHORTEST_ROOT && shared * 10 >= short * 7 && long <= shared + 6;
    let (short_word, long_word) = if left.len() < right.len() { (&left, &right) } else { (&right, &left) };
    // `Land` of `Lieferland`: of short words, only where much more stands before.
    let ends = short >= 4 && long >= short + 4 && long_word.ends_with(short_word.as_str());
    begins || ends || words::ends_in(long_word, short_word)
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
