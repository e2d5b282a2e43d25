//! What the tokens of a question may be in this table: columns, values, numbers, times, words that do something.

use super::conditions::is_money;
use super::lexicon::{self, Word};
use super::literals::words_for_units;
use super::naming::{self, column_options, currency_option, parts_of_one_value, value_of, value_options};
use super::quantities::{amount_of_mass, half_a_unit, with_unit};
use super::readings::names_rows;
use super::times::{self, Span};
use super::tokens::{Quantity, Token, TokenKind};
use super::unknown;
use crate::query::Filter;
use crate::table::Table;
use crate::value::unit;
use crate::{vocabulary, words};

/// One or more tokens, and what they may mean. Never without a meaning.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub text: String,
    pub options: Vec<(Meaning, u32)>,
    /// What was guessed to give it a meaning.
    pub note: Option<String>,
}

impl Piece {
    fn new(text: String, options: Vec<(Meaning, u32)>) -> Self {
        Self { text, options, note: None }
    }

    /// A piece with one meaning.
    pub fn of(text: String, meaning: Meaning, cost: u32) -> Self {
        Self::new(text, vec![(meaning, cost)])
    }

    pub fn is_unknown(&self) -> bool {
        self.options.iter().all(|(meaning, _)| *meaning == Meaning::Unknown)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Meaning {
    Column(usize),
    Value {
        column: usize,
        values: Vec<String>,
        folded: bool,
    },
    Number(Quantity),
    Time(Span),
    Text(String),
    /// A word of the long texts of a column.
    InText {
        column: usize,
        text: String,
    },
    Hundreds(u8),
    /// `unpaid`, `still open`: nothing stands in a column.
    Absent(usize),
    /// `late`: one moment behind another.
    Late {
        end: usize,
        due: usize,
    },
    Word(Word),
    /// A condition that several words tell together.
    Holds(Filter),
    /// The file's own word for its records.
    Noun,
    Unknown,
}

/// Penalties: how far a meaning is from what was said.
pub(super) const SYNONYM: u32 = 2;
pub(super) const PART_OF_NAME: u32 = 1;
pub(super) const PART_OF_VALUE: u32 = 4;

/// Most meanings of one piece that are tried.
pub(super) const MAX_OPTIONS: usize = 5;

/// Takes the tokens apart into pieces, longest first.
pub(super) fn pieces(table: &Table, tokens: &[Token]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (length, piece) = piece_at(table, tokens, at, pieces.last());
        let explained = if piece.is_unknown() { unknown::explained(table, &tokens[at]) } else { Vec::new() };
        if explained.is_empty() {
            pieces.push(piece);
        } else {
            pieces.extend(explained);
        }
        at += length.max(1);
    }
    // `was haben wir`: no form of be.
    if let (Some(first), true) = (pieces.first_mut(), tokens.first().is_some_and(|token| token.low == "was"))
    {
        let text: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
        if first.text.eq_ignore_ascii_case("was") && super::tokens::is_german(&text.join(" ")) {
            first.options = vec![(Meaning::Word(Word::Which), 0)];
        }
    }
    for at in 1..pieces.len() {
        if let Some(amount) = amount_of_mass(table, &pieces[at - 1], &pieces[at]) {
            pieces[at].options = vec![(Meaning::Column(amount), SYNONYM + 1)];
        }
        // `nach 2010`: after it.
        let is_time = pieces[at].options.iter().any(|(meaning, _)| matches!(meaning, Meaning::Time(_)));
        if is_time && pieces[at - 1].text.eq_ignore_ascii_case("nach") {
            pieces[at - 1].options = vec![(Meaning::Word(Word::After), 0)];
        }
    }
    ask_for_units(table, &mut pieces);
    pass_over_marks(table, &mut pieces);
    for index in 1..pieces.len() {
        let (before, here) = pieces.split_at_mut(index);
        prefer_own_column(table, &before[index - 1], &mut here[0]);
    }
    pieces
}

/// `the best mark in History`, where marks stand in a column for each subject: the subject says it all.
fn pass_over_marks(table: &Table, pieces: &mut [Piece]) {
    const MARKS: &[&str] =
        &["mark", "marks", "grade", "grades", "score", "scores", "note", "noten", "zensur"];
    for at in 0..pieces.len().saturating_sub(2) {
        let is_mark = MARKS.contains(&pieces[at].text.to_lowercase().as_str())
            && !pieces[at].options.iter().any(|(meaning, penalty)| {
                *penalty == 0
                    && matches!(meaning, Meaning::Column(column) if table.columns[*column].is_numeric())
            });
        let says_in = ["in", "for", "für"].contains(&pieces[at + 1].text.to_lowercase().as_str());
        let is_subject = matches!(pieces[at + 2].options.first(), Some((Meaning::Column(column), 0)) if table.columns[*column].is_numeric());
        if is_mark && says_in && is_subject {
            pieces[at].options = vec![(Meaning::Word(Word::Noise), 1)];
        }
    }
}

/// `how many minutes`, where a column counts minutes, and `how many dollars`, where a column has amounts: how much of it, and not how
/// many rows.
fn ask_for_units(table: &Table, pieces: &mut Vec<Piece>) {
    let Some(at) =
        pieces.iter().position(|piece| piece.options.first() == Some(&(Meaning::Word(Word::Count), 0)))
    else {
        return;
    };
    // `on how many days` counts them.
    if !["how many", "wie viele", "wieviele"].contains(&pieces[at].text.to_lowercase().as_str()) {
        return;
    }
    let Some(unit) = pieces.get(at + 1).map(|piece| piece.text.to_lowercase()) else { return };
    let is_of_unit = |column: &crate::column::Column| {
        column.is_numeric()
            && (unit::are_equal(column.unit_label(), &unit)
                || words_for_units(column).iter().any(|part| part.len() > 1 && unit::are_equal(part, &unit)))
    };
    let is_currency = unit.rsplit(' ').next().is_some_and(|last| unit::currency(last).is_some());
    if is_currency && table.columns.iter().any(is_money) {
        pieces[at].options = vec![(Meaning::Word(Word::HowMuch), 0)];
        return;
    }
    let is_named = column_options(table, &unit).iter().any(|(_, penalty)| *penalty == 0);
    // `how many GB did it write`, of the only column of sizes.
    let mut sizes = (0..table.columns.len())
        .filter(|column| matches!(table.columns[*column].kind, crate::column::Kind::Size { .. }));
    // `how many hours`, of the only column of lengths of time, which are in minutes.
    let mut lengths = (0..table.columns.len()).filter(|column| {
        matches!(table.columns[*column].kind, crate::column::Kind::Duration { .. })
            && !unit::are_equal(table.columns[*column].unit_label(), &unit)
    });
    let is_calendar = unit.starts_with("day") || unit.starts_with("tag");
    if let (Some(unit::Measure::Duration), false, Some(length), None, false) =
        (unit::measure_of(&unit), is_named, lengths.next(), lengths.next(), is_calendar)
    {
        pieces[at].options = vec![(Meaning::Word(Word::HowMuch), 1)];
        pieces[at + 1].options = vec![(Meaning::Column(length), 2)];
        return;
    }
    if let (Some(unit::Measure::Size), false, Some(size), None) =
        (unit::measure_of(&unit), is_named, sizes.next(), sizes.next())
    {
        pieces[at].options = vec![(Meaning::Word(Word::HowMuch), 0)];
        pieces[at + 1].options = vec![(Meaning::Column(size), 1)];
        return;
    }
    if unit::measure_of(&unit) == Some(unit::Measure::Duration)
        && !is_named
        && table.columns.iter().any(is_of_unit)
    {
        let unit = pieces.remove(at + 1);
        pieces[at].text.push(' ');
        pieces[at].text.push_str(&unit.text);
        pieces[at].options = vec![(Meaning::Word(Word::HowMuch), 0)];
    }
}

/// `a disk full error`: behind a value, a word that names the value's own column is no value of another.
fn prefer_own_column(table: &Table, before: &Piece, piece: &mut Piece) {
    let owners: Vec<usize> = before
        .options
        .iter()
        .filter_map(|(meaning, penalty)| match meaning {
            Meaning::Value { column, .. } if *penalty == 0 => Some(*column),
            _ => None,
        })
        .collect();
    if owners.is_empty() || !piece.options.iter().any(|(meaning, _)| matches!(meaning, Meaning::Value { .. }))
    {
        return;
    }
    let named = column_options(table, &words::fold(&piece.text));
    let is_own =
        |(meaning, _): &(Meaning, u32)| matches!(meaning, Meaning::Column(column) if owners.contains(column));
    if let Some((meaning, _)) = named.into_iter().find(is_own) {
        piece.options = vec![(meaning, 0)];
    }
}

fn piece_at(table: &Table, tokens: &[Token], at: usize, before: Option<&Piece>) -> (usize, Piece) {
    let token = &tokens[at];
    let one = |options: Vec<(Meaning, u32)>| Piece::new(token.text.clone(), options);
    match &token.kind {
        TokenKind::Quoted => {
            let mut options = value_options(table, &token.text);
            options.retain(|(_, penalty)| *penalty < PART_OF_VALUE);
            options
                .extend(column_options(table, &token.low).into_iter().filter(|(_, penalty)| *penalty == 0));
            if options.is_empty() {
                options.push((Meaning::Text(token.text.clone()), 0));
            }
            return (1, one(options));
        }
        TokenKind::Hundreds(digit) => return (1, one(vec![(Meaning::Hundreds(*digit), 0)])),
        TokenKind::Sign => {
            let meaning = lexicon::meaning(&token.text).map_or(Meaning::Unknown, Meaning::Word);
            return (1, one(vec![(meaning, 0)]));
        }
        TokenKind::Word | TokenKind::Number(_) | TokenKind::Moment(_) => {}
    }
    if let Some(found) = quantity_at(table, tokens, at, before) {
        return found;
    }
    // A longer match explains more; a column or value of the file beats a phrase of the language.
    let longest = table.values().longest.clamp(lexicon::LONGEST, 10).min(tokens.len() - at);
    let time = times::span_at(tokens, at);
    for length in (2..=longest).rev() {
        let slice = &tokens[at..at + length];
        if slice.iter().any(|token| {
            matches!(token.kind, TokenKind::Quoted) || (token.kind == TokenKind::Sign && token.text != ",")
        }) {
            continue;
        }
        if let Some((span, count)) = &time
            && *count == length
        {
            return (length, Piece::new(joined(slice), vec![(Meaning::Time(span.clone()), 0)]));
        }
        let text = joined(slice);
        let phrase = words::fold(&text);
        let mut options: Vec<(Meaning, u32)> = Vec::new();
        // `Mindestbestand` is cut in two, and may still be a column.
        if length == 2 && slice[0].kind == TokenKind::Word {
            let glued = format!("{}{}", slice[0].low, slice[1].low);
            let is_name = |column: &crate::column::Column| words::fold(&column.name) == glued;
            options.extend(table.columns.iter().position(is_name).map(|column| (Meaning::Column(column), 0)));
        }
        if slice.last().is_some_and(|token| token.text != ",") {
            options.extend(column_options(table, &phrase).into_iter().filter(|(_, penalty)| *penalty == 0));
            options.extend(
                value_options(table, &text).into_iter().filter(|(_, penalty)| *penalty < PART_OF_VALUE),
            );
        }
        if options.is_empty() && length == 2 {
            options.extend(currency_option(table, &phrase));
        }
        if let (true, Some(digit)) = (options.is_empty() && length == 2, lexicon::class_of_status(&phrase)) {
            options.push((Meaning::Hundreds(digit), 0));
        }
        if options.is_empty() {
            options.extend(naming::still_option(table, &phrase));
            options.extend(naming::late_option(table, &phrase));
        }
        if options.is_empty() && length <= lexicon::LONGEST {
            options.extend(lexicon::meaning(&phrase).map(|word| (Meaning::Word(word), 0)));
            if options.is_empty() {
                options.extend(column_options(table, &phrase).into_iter().filter(|(_, penalty)| {
                    *penalty <= SYNONYM && slice.iter().all(|token| is_no_function_word(&token.low))
                }));
            }
        }
        if !options.is_empty() {
            options.truncate(MAX_OPTIONS);
            return (length, Piece::new(text, options));
        }
        // Two neighbouring words that together are part of one value: `Ames Ben`.
        if let Some(option) = parts_of_one_value(table, slice) {
            return (length, Piece::new(text, vec![option]));
        }
    }
    if let TokenKind::Number(quantity) = &token.kind {
        let mut options = number_options(table, token, quantity);
        if let Some((span, 1)) = time {
            options.push((Meaning::Time(span), 0));
        }
        let (quantity, length) = with_unit(quantity, tokens.get(at + 1), table);
        options.insert(0, (Meaning::Number(quantity), 0));
        return (length, one(options));
    }
    if let Some((span, count)) = time {
        let mut options = vec![(Meaning::Time(span), 0)];
        options.extend(value_options(table, &token.text).into_iter().filter(|(_, penalty)| *penalty == 0));
        return (count, one(options));
    }
    if let Some(options) = small_word_as_value(table, token, before) {
        return (1, one(options));
    }
    (1, one(word_options(table, &token.text, &token.low)))
}

/// `one hour`, `half an hour`, `more than one`, `the year 2000`, `heart rate` of the column `HR`.
fn quantity_at(table: &Table, tokens: &[Token], at: usize, before: Option<&Piece>) -> Option<(usize, Piece)> {
    let token = &tokens[at];
    if let Some((quantity, length)) = half_a_unit(table, tokens, at) {
        let text = joined(&tokens[at..at + length]);
        return Some((length, Piece::new(text, vec![(Meaning::Number(quantity), 0)])));
    }
    // `one hour`, `zwei Stunden`
    if let Some(number) = lexicon::small_number(&token.low)
        && token.kind == TokenKind::Word
    {
        let quantity = Quantity::of(number);
        let (quantity, length) = with_unit(&quantity, tokens.get(at + 1), table);
        if quantity.unit.is_some() {
            let text = joined(&tokens[at..at + length]);
            return Some((length, Piece::new(text, vec![(Meaning::Number(quantity), 0)])));
        }
    }
    let is_compared =
        |piece: &Piece| matches!(piece.options.first(), Some((Meaning::Word(Word::Compare(_)), _)));
    // `longer than a minute`
    if token.low == "a" && before.is_some_and(is_compared) {
        let (quantity, length) = with_unit(&Quantity::of(1), tokens.get(at + 1), table);
        if quantity.unit.is_some() {
            let text = joined(&tokens[at..at + length]);
            return Some((length, Piece::new(text, vec![(Meaning::Number(quantity), 0)])));
        }
    }
    // `more than one attempt`
    if let (Some(number), true) = (lexicon::small_number(&token.low), before.is_some_and(is_compared)) {
        let options = vec![(Meaning::Number(Quantity::of(number)), 0)];
        return Some((1, Piece::new(token.text.clone(), options)));
    }
    if let Some((column, length)) = naming::by_initials(table, tokens, at) {
        let text = joined(&tokens[at..at + length]);
        return Some((length, Piece::new(text, vec![(Meaning::Column(column), naming::INITIALS)])));
    }
    // `in the year 2000`, where no column is called so.
    if matches!(token.low.as_str(), "year" | "jahr" | "jahre")
        && column_options(table, &token.low).is_empty()
        && let Some((span @ Span::Stretch { .. }, 1)) =
            tokens.get(at + 1).and_then(|_| times::span_at(tokens, at + 1))
    {
        return Some((2, Piece::new(joined(&tokens[at..at + 2]), vec![(Meaning::Time(span), 0)])));
    }
    None
}

fn joined(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        if !text.is_empty() && token.text != "," {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
}

fn is_no_function_word(word: &str) -> bool {
    !matches!(
        lexicon::meaning(word),
        Some(Word::Noise | Word::Verb | Word::And | Word::Or | Word::Not | Word::Per | Word::By)
    )
}

/// A small word that names a value or a column here: the department `IT`, the group `a` behind its column's name, orders
/// that were `returned`. Else the word would be skipped, and the question answered as if it were not there.
fn small_word_as_value(table: &Table, token: &Token, before: Option<&Piece>) -> Option<Vec<(Meaning, u32)>> {
    let word = lexicon::meaning(&token.low)?;
    let is_small = matches!(
        word,
        Word::Noise
            | Word::Verb
            | Word::And
            | Word::Or
            | Word::Not
            | Word::By
            | Word::Since
            | Word::Until
            | Word::Without
    );
    if !is_small {
        return None;
    }
    let is_written_so = before.is_some() && token.text.chars().any(char::is_uppercase);
    let mut options: Vec<(Meaning, u32)> = Vec::new();
    for hit in table.values().whole(&words::value_words(&token.text)) {
        let is_exact = hit.spellings.iter().any(|(spelling, _)| *spelling == token.text);
        let is_behind_its_column = before.is_some_and(|piece| {
            piece.options.iter().any(|(meaning, _)| *meaning == Meaning::Column(hit.column))
        });
        if is_written_so && is_exact || is_behind_its_column || lexicon::is_content_verb(&token.low) {
            options.push(value_of(hit, &token.text, 0));
        }
    }
    if options.is_empty() && token.low.chars().count() > 2 && word == Word::Noise {
        let named = table.columns.iter().position(|column| words::fold(&column.name) == token.low);
        options.extend(named.map(|column| (Meaning::Column(column), 0)));
    }
    if options.is_empty() {
        return None;
    }
    options.truncate(MAX_OPTIONS - 1);
    options.push((Meaning::Word(word), 1));
    Some(options)
}

#[expect(clippy::too_many_lines, reason = "each step takes away or adds meanings of the steps before")]
pub(super) fn word_options(table: &Table, text: &str, low: &str) -> Vec<(Meaning, u32)> {
    let word = lexicon::meaning(low);
    let mut options = column_options(table, low);
    let is_noun =
        table.nouns.iter().any(|noun| words::same_word(noun, low) || noun.strip_suffix('s') == Some(low))
            || table.nouns.iter().any(|noun| low.chars().count() > 3 && vocabulary::are_synonyms(noun, low))
                // Money words are no rows of `sales.csv`.
                && !vocabulary::names_money(&[low.to_owned()]);
    // `check-ins` of `checkins.jsonl`
    let glued = low.replace('-', "");
    let is_noun =
        is_noun || glued != low && table.nouns.iter().any(|noun| words::same_but_plural(noun, &glued));
    // `Anträge` of `bauantraege.csv`
    let is_noun =
        is_noun || low.chars().count() >= 5 && table.nouns.iter().any(|noun| words::ends_in(noun, low));
    // `Rechnungen` of `rechnungsausgang.csv`
    let root = ["en", "n", "e"].iter().find_map(|end| low.strip_suffix(end)).unwrap_or(low);
    let is_noun = is_noun
        || root.chars().count() >= 6 && text != low && table.nouns.iter().any(|noun| noun.starts_with(root));
    // `Spenden` of `spenden.csv` are the records before they are the `Spender`.
    let is_exact_noun =
        table.nouns.iter().any(|noun| noun == low || noun.strip_suffix(['n', 's']) == Some(low));
    if is_exact_noun {
        for (meaning, penalty) in &mut options {
            let is_exact = matches!(meaning, Meaning::Column(column)
                if words::parts(&table.columns[*column].name).iter().any(|part| words::same_but_plural(part, low)));
            *penalty += if is_exact { 0 } else { 2 };
        }
    }
    if is_noun {
        // Of a column of amounts with the file's name, the column is meant.
        let is_amount = options.iter().any(|(meaning, penalty)| {
            matches!(meaning, Meaning::Column(column) if *penalty == 0 && table.columns[*column].is_numeric())
        });
        options.push((Meaning::Noun, if is_amount { PART_OF_VALUE } else { 0 }));
    }
    let function = matches!(
        word,
        Some(
            Word::Noise
                | Word::Verb
                | Word::And
                | Word::Or
                | Word::Not
                | Word::Which
                | Word::By
                | Word::Since
                | Word::Until
                | Word::Who
                | Word::When
                | Word::Without
                | Word::Exists
        )
    );
    if !function {
        options.extend(value_options(table, text));
    } else if word != Some(Word::Which) || options.iter().any(|(_, penalty)| *penalty > 0) {
        // `who`, `when`, `in` name no column, and `no` is no number.
        let is_named = |meaning: &Meaning| matches!(meaning, Meaning::Column(column) if words::fold(&table.columns[*column].name) == low);
        options.retain(|(meaning, penalty)| {
            *penalty == 0
                && match word {
                    Some(Word::Noise | Word::And | Word::Or) => false,
                    // A column may be called by a verb: `booked`.
                    Some(Word::Verb) => lexicon::is_content_verb(low) && is_named(meaning),
                    _ => true,
                }
        });
    }
    // `open` is no `opened` where a column says when records were closed.
    let is_value = options.iter().any(|(meaning, _)| matches!(meaning, Meaning::Value { .. }));
    if let (Some(column), false) = (naming::absent_column(table, low), is_value) {
        // What is outstanding may be a part of what is due.
        let penalty = if matches!(low, "outstanding" | "pending" | "ausstehend") { 3 } else { 1 };
        options = vec![(Meaning::Absent(column), penalty)];
    }
    // `paid` is the status before it is what somebody paid.
    if options.iter().any(|(meaning, penalty)| *penalty == 0 && matches!(meaning, Meaning::Value { .. })) {
        options.retain(|(meaning, penalty)| *penalty < SYNONYM || !matches!(meaning, Meaning::Column(_)));
    }
    if word == Some(Word::List) {
        // `get` is no request with the method `GET`.
        options.retain(|(meaning, _)| {
            !matches!(meaning, Meaning::Value { values, .. } if !values.iter().any(|value| value == text))
        });
    }
    if word == Some(Word::Records) {
        // `how many messages` counts records, not different texts of the column `message`.
        for (_, penalty) in &mut options {
            *penalty += 1;
        }
    }
    // `more than three`
    if let (Some(Word::Small(_)), Some(number)) = (word, lexicon::small_number(low)) {
        options.push((Meaning::Number(Quantity::of(number)), 0));
    }
    if let Some(word) = word {
        let penalty = u32::from(
            options.iter().any(|(meaning, penalty)| {
                *penalty == 0 && !matches!(meaning, Meaning::Noun | Meaning::Number(_))
            }) && !function,
        );
        // A verb or a measure word is that before it is a synonym of a column's name.
        let strong = !matches!(word, Word::Unit(_) | Word::Records | Word::People);
        if strong {
            options.retain(|(_, penalty)| *penalty == 0);
        }
        options.push((Meaning::Word(word), penalty));
        // `return` of the status `returned`
        if word == Word::List && low.chars().count() > 3 {
            options.extend(table.values().by_stem(low).iter().map(|hit| value_of(hit, text, 2)));
        }
    } else if vocabulary::means_people(low) {
        // `Kinder` of the column `Children`, which counts them.
        let is_counted = options.iter().any(|(meaning, penalty)| {
            matches!(meaning, Meaning::Column(column) if *penalty <= SYNONYM && table.columns[*column].is_numeric())
        });
        options.push((Meaning::Word(Word::People), if is_counted { SYNONYM + 1 } else { 1 }));
    }
    options.sort_by_key(|(_, penalty)| *penalty);
    // Part of a value only where nothing else is meant.
    if options.iter().any(|(_, penalty)| *penalty < PART_OF_VALUE) {
        options.retain(|(_, penalty)| *penalty < PART_OF_VALUE);
    }
    if options.is_empty() {
        options.extend(currency_option(table, low));
        options.extend(naming::country_option(table, low));
    }
    if options.is_empty() {
        options.extend(naming::late_option(table, low));
        options.extend(naming::sex_option(table, low));
        options.extend(naming::number_of_records(table, low));
    }
    if options.is_empty() && matches!(low, "name" | "names" | "namen") {
        // `the names of the students`, in the column `student`.
        let mut names = (0..table.columns.len()).filter(|column| names_rows(table, *column));
        if let (Some(column), None) = (names.next(), names.next()) {
            options.push((Meaning::Column(column), 1));
        }
    }
    // `IP-Adressen`
    if options.is_empty() && low.contains('-') {
        options.extend(
            column_options(table, &low.replace('-', " "))
                .into_iter()
                .filter(|(_, penalty)| *penalty <= SYNONYM),
        );
    }
    if options.is_empty() && low.chars().count() > 3 {
        // `warnings` of the level `WARN`, `cancel` of the status `cancelled`.
        options.extend(table.values().by_stem(low).iter().map(|hit| value_of(hit, text, 2)));
    }
    options.truncate(MAX_OPTIONS);
    if options.is_empty() {
        options.push((Meaning::Unknown, 0));
    }
    options
}

/// A number may be a value of a text column, such as a code with zeros in front.
fn number_options(table: &Table, token: &Token, _: &Quantity) -> Vec<(Meaning, u32)> {
    value_options(table, &token.text).into_iter().filter(|(_, penalty)| *penalty == 0).collect()
}
