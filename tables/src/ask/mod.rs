//! A question in a person's words → readings → an answer, a question back, or a refusal that helps.
//!
//! # How a question becomes a reading
//!
//! `How many orders over 1,000 came from Berlin?` over columns `id`, `city`, `amount`:
//!
//! 1. `ask::tokens` cuts it: words, numbers with their units and locale, moments, quotes.
//! 2. `ask::pieces` gives each run of words its meanings in this table, longest first: `How many` counts, `orders` are the records (the file is
//!    `orders.csv`), `1,000` is a number, `Berlin` is a value of `city`. A word may have several meanings, each with a penalty.
//! 3. `ask::verbs` doubts a verb that is passed over: `written by ada` says nothing more, `returned in March` may be a condition that the file
//!    does not know. `ask::frame` reads each choice of meanings from left to right: what is asked, of what, under which conditions (`ask::conditions`).
//!    A word that finds no place rejects the choice.
//!    Before that, `ask::unknown` looks for what an unknown word may be: two words in one, a word of long texts, a slip of the keyboard, the
//!    beginning of a value. Each is a guess, is said, and is never sure.
//! 4. `ask::readings` makes a query of the frame, or rejects it. What is guessed, such as that `over 1,000` is of `amount`, costs confidence.
//! 5. The readings with the least penalty are run, and `ask::doubts` lowers the confidence of what the rows speak against. One result is the
//!    answer; different results are offered side by side; none is a refusal
//!    with two questions that work on this very file.
//!
//! 6. `ask::certain` looks at question and query from outside: only where each word says to the letter what the query does, the answer is sure.
//!
//! Where the grammar has no reading without a guess, `ask::recast` looks for what several words say together, and the grammar reads the question again.
//! Where it has none at all, `ask::loose` links every word to what it may speak of, and `ask::asides` leaves out what is said beside the
//! question. Both cost so much that no answer with them is sure.
//!
//! `Table::ask_after` answers `and how many refunded?` with the conditions of the question before, says so, and is never sure of it.

mod asides;
mod asked;
mod certain;
mod columns;
mod comparisons;
mod condition_words;
mod conditions;
mod derived;
mod doubts;
mod elliptic;
mod ending;
mod fitting;
mod follow;
mod frame;
mod happenings;
mod joining;
mod lexicon;
mod listing;
mod literals;
mod loose;
mod measuring;
mod naming;
mod of_column;
mod others;
mod parts;
mod pieces;
mod planned;
mod quantities;
mod ranking;
mod readings;
mod recast;
mod shared_year;
mod shares;
mod sorting;
mod suggest;
mod superlatives;
mod texts;
mod times;
mod tokens;
mod two_columns;
mod unknown;
mod verb_words;
mod verbs;

pub use joining::{JoinedAnswer, ask_joined};
pub use planned::PlannerPrompt;

use crate::query::{Cell, Filter, Key, Outcome, Output, Query};
use crate::table::Table;
use frame::{Frame, Parser};
use lexicon::Word;
use pieces::{Meaning, Piece};

/// What a question came to.
#[derive(Debug)]
pub enum Answer {
    /// There is one way to read it.
    Unique(Box<Answered>),
    /// There are several, with different results.
    Ambiguous(Vec<Answered>),
    /// The file leaves open what its cells mean.
    Asked(Asked),
    /// It is not understood, or not answered by this table.
    Refused(Refusal),
}

/// A reading and what it found.
#[derive(Debug)]
pub struct Answered {
    /// The question as it was understood.
    pub query: Query,
    /// The same in words, with what it rests on.
    pub reading: String,
    /// What was found.
    pub outcome: Outcome,
    /// 0 to 1. Full only if every word is said to the letter, nothing was guessed and every column is typed without exceptions.
    pub confidence: f64,
    /// What a person should know about it.
    pub notes: Vec<String>,
}

/// A question about the file that is asked back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The column in doubt.
    pub column: String,
    /// What is asked.
    pub question: String,
    /// The ways to answer.
    pub options: [&'static str; 2],
}

/// Why there is no answer, and what works on this file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// In a person's words.
    pub why: String,
    /// Questions that work on this very file.
    pub suggestions: Vec<String>,
}

/// Most choices of meanings that are tried.
const MAX_CHOICES: usize = 96;

/// From this penalty on a reading of the grammar is unsure, and others are looked for.
const UNSURE_FROM: u32 = 3;

/// Confidence where something is unsure: below what counts as sure.
const UNSURE: f64 = 0.7;

/// From this confidence on an answer is sure: the question says the query to the letter.
pub const SURE: f64 = 0.8;

/// Confidence where every word found its place and nothing was guessed, but some may mean something else.
pub const READ_WHOLE: f64 = 0.79;

/// Confidence where no row matches.
const NOTHING: f64 = 0.75;

/// A reading before it is run.
struct Reading {
    query: Query,
    frame: Frame,
    penalty: u32,
}

impl Table {
    /// Answers a question, or says why not.
    pub fn ask(&self, question: &str) -> Answer {
        let mut answer = match self.candidates(question) {
            Ok(readings) => self.likeliest(readings),
            Err(answer) => *answer,
        };
        if let Answer::Unique(answered) = &mut answer
            && answered.confidence >= SURE
            && let Some(doubt) = self.doubt_of_words(question, &answered.query)
        {
            answered.confidence = if answered.confidence < 1.0 { NOTHING } else { READ_WHOLE };
            answered.notes.push(doubt);
        }
        answer
    }

    /// The readings of a question, each with what it costs; an answer where no readings are to be compared.
    fn candidates(&self, question: &str) -> Result<Vec<Reading>, Box<Answer>> {
        let tokens = tokens::tokens(question);
        if tokens.is_empty() || tokens.len() > tokens::MAX_TOKENS {
            return Err(Box::new(self.refuse("A question of one sentence is understood here.".to_owned())));
        }
        let linked = pieces::pieces(self, &tokens);
        let mut pieces = linked.clone();
        verbs::place_unknown(self, &mut pieces);
        let beyond = pieces
            .iter()
            .find(|piece| piece.options.iter().all(|(meaning, _)| *meaning == Meaning::Word(Word::Beyond)));
        let mut readings = if beyond.is_some() { Vec::new() } else { self.readings(&pieces) };
        // `per square metre` parts nothing.
        let is_by_amount = |reading: &Reading| {
            reading
                .query
                .groups
                .iter()
                .any(|key| matches!(key, Key::Column(column) if self.measures().contains(column)))
        };
        if readings.iter().all(is_by_amount)
            && let Some(answer) = self.ask_derived(question)
        {
            return Err(Box::new(answer));
        }
        let is_german = tokens::is_german(question);
        let least = readings.iter().map(|reading| reading.penalty).min();
        if beyond.is_none() && least.is_none_or(|least| least >= UNSURE_FROM) {
            let together = self.readings_together(&linked, is_german);
            // What several words say together is meant before what each says alone.
            if !together.is_empty() {
                readings = together;
            } else if readings.is_empty() {
                readings = self.loose_readings(&linked, is_german);
            }
        }
        if least.is_none() {
            readings.extend(self.readings_without_asides(question));
        }
        if readings.is_empty() {
            return Err(Box::new(self.refuse(match beyond {
                Some(beyond) => format!("\"{}\" cannot be told from this file.", beyond.text),
                None => why_not(&pieces),
            })));
        }
        Ok(readings)
    }

    /// The answer by the readings that cost least.
    fn likeliest(&self, mut readings: Vec<Reading>) -> Answer {
        let best = readings.iter().map(|reading| reading.penalty).min();
        readings.retain(|reading| Some(reading.penalty) == best);
        for reading in &readings {
            for column in reading.query.columns() {
                if let Some(doubt) = self.columns[column].doubt {
                    let (question, options) = doubt.question(&self.columns[column].name);
                    return Answer::Asked(Asked {
                        column: self.columns[column].name.clone(),
                        question,
                        options,
                    });
                }
            }
        }
        let answers = readings.into_iter().filter_map(|reading| self.answered(reading));
        // Readings that come to the same are one, and so are a column of some rows and the whole of these rows.
        let mut kept: Vec<Answered> = Vec::new();
        let mut answers: Vec<Answered> = answers.collect();
        answers.sort_by(|left, right| {
            right
                .confidence
                .total_cmp(&left.confidence)
                .then_with(|| left.query.outputs.len().cmp(&right.query.outputs.len()))
        });
        for answer in answers {
            if !kept.iter().any(|other| {
                other.outcome.rows == answer.outcome.rows && !answer.outcome.rows.is_empty()
                    || is_part(other, &answer)
            }) {
                kept.push(answer);
            }
        }
        // A word may be a value of two columns; where it stands in no row that is asked for, the other is meant.
        let finds = |answer: &Answered| answer.outcome.rows.iter().flatten().any(|cell| !is_nothing(cell));
        if kept.len() > 1 && kept.iter().any(finds) {
            kept.retain(finds);
        }
        match kept.len() {
            0 => self.refuse("The question was understood, but this table cannot be measured so.".to_owned()),
            1 => Answer::Unique(Box::new(kept.remove(0))),
            _ => {
                for answer in &mut kept {
                    answer.confidence = answer.confidence.min(0.5);
                }
                Answer::Ambiguous(kept)
            }
        }
    }

    /// Every way to read the pieces that uses all of them.
    fn readings(&self, pieces: &[Piece]) -> Vec<Reading> {
        let texts: Vec<String> = pieces.iter().map(|piece| piece.text.clone()).collect();
        let mut readings: Vec<Reading> = Vec::new();
        for (meanings, penalty) in choices(pieces) {
            let (mut frame, unused) = Parser::read(self, &meanings, &texts);
            if !unused.is_empty() {
                continue;
            }
            let Some(query) = readings::query(self, &mut frame) else { continue };
            if query.filter.as_ref().is_some_and(Filter::contradicts) {
                continue;
            }
            frame.doubt.notes.extend(pieces.iter().filter_map(|piece| piece.note.clone()));
            let penalty = penalty + frame.doubt.guesses;
            match readings.iter_mut().find(|other| other.query == query) {
                Some(other) if other.penalty > penalty => *other = Reading { query, frame, penalty },
                Some(_) => {}
                None => readings.push(Reading { query, frame, penalty }),
            }
        }
        readings
    }

    /// Readings of a question in which several words say one thing together; none if no words do.
    fn readings_together(&self, linked: &[Piece], is_german: bool) -> Vec<Reading> {
        let Some(pieces) = recast::recast(self, linked, is_german) else { return Vec::new() };
        let mut placed = pieces.clone();
        verbs::place_unknown(self, &mut placed);
        let mut readings = self.readings(&placed);
        for reading in &mut readings {
            reading.penalty += loose::LOOSE;
        }
        readings.retain(|reading| reading.penalty <= loose::MOST);
        if readings.is_empty() { self.loose_readings(&pieces, is_german) } else { readings }
    }

    /// Readings of the question without what is said beside it, each of which costs what the rest says of this table.
    fn readings_without_asides(&self, question: &str) -> Vec<Reading> {
        let mut found = Vec::new();
        for asides::Cut { question, dropped } in asides::cuts(question) {
            let linked = pieces::pieces(self, &tokens::tokens(&question));
            let mut placed = linked.clone();
            verbs::place_unknown(self, &mut placed);
            let mut readings = self.readings(&placed);
            for reading in &mut readings {
                reading.penalty += loose::LOOSE;
            }
            let is_german = tokens::is_german(&question);
            let least = readings.iter().map(|reading| reading.penalty).min();
            if least.is_none_or(|least| least >= loose::LOOSE + UNSURE_FROM) {
                let together = self.readings_together(&linked, is_german);
                if !together.is_empty() {
                    readings = together;
                } else if readings.is_empty() {
                    readings = self.loose_readings(&linked, is_german);
                }
            }
            let cost = loose::told(&pieces::pieces(self, &tokens::tokens(&dropped)));
            for reading in &mut readings {
                reading.penalty += cost;
                if !dropped.is_empty() {
                    reading.frame.doubt.notes.push(format!("\"{dropped}\" was passed over"));
                }
            }
            found.extend(readings.into_iter().filter(|reading| reading.penalty <= loose::MOST));
        }
        found
    }

    fn answered(&self, reading: Reading) -> Option<Answered> {
        let Reading { query, mut frame, penalty } = reading;
        // `the response time in ms` is no number of bytes.
        if frame.wanted.unit.as_ref().is_some_and(|unit| !self.may_be_told_in(&query, unit)) {
            return None;
        }
        let mut outcome = self.run(&query).ok()?;
        say_once(&query, &frame, &mut outcome);
        leave_out_empty_groups(&query, &mut outcome);
        if let Some(unit) = &frame.wanted.unit {
            outcome.turn_into(unit);
        }
        outcome.show_clocks();
        let mut notes = std::mem::take(&mut frame.doubt.notes);
        let mut confidence: f64 = match penalty {
            0 => 1.0,
            1 => 0.95,
            2 => 0.9,
            3 => 0.75,
            4..=8 => UNSURE,
            9..=12 => 0.6,
            _ => 0.5,
        };
        if !self.flaws.is_none() {
            confidence = confidence.min(UNSURE);
            notes.extend(self.notes.iter().cloned());
            if self.flaws.header_is_doubtful {
                notes.push("the first row is taken as the names of the columns".to_owned());
            }
        }
        for column in self.mixed_currencies(&query) {
            confidence = confidence.min(UNSURE);
            notes.push(format!(
                "amounts of {} in several currencies are compared as if they were one",
                self.columns[column].name
            ));
        }
        for column in query.measured().into_iter().filter(|column| self.columns[*column].is_repeated) {
            confidence = confidence.min(UNSURE);
            notes.push(format!(
                "a value of {} stands in every row that was joined to it",
                self.columns[column].name
            ));
        }
        for column in query.columns() {
            let described = &self.columns[column];
            if described.misfits > 0 {
                confidence = confidence.min(UNSURE);
                let first = described.misfit_samples.first().map_or(String::new(), |sample| {
                    format!(", the first \"{}\" in line {}", sample.text, sample.line)
                });
                notes.push(format!(
                    "{} cells of {} are no {}{first}",
                    described.misfits,
                    described.name,
                    described.kind.word()
                ));
            }
            if self.values().case_variants.get(column) == Some(&true) {
                confidence = confidence.min(UNSURE);
            }
            notes.extend(described.notes.iter().map(|note| format!("{}: {note}", described.name)));
        }
        if let Some(filter) = &query.filter
            && filter.negates()
            && query.columns().iter().any(|column| self.columns[*column].missing > 0)
        {
            confidence = confidence.min(UNSURE);
            notes.push("rows without a value are neither one nor the other, and are left out".to_owned());
        }
        if self.is_share_among_unknown(&query) {
            confidence = confidence.min(UNSURE);
            notes.push("rows without a value count among those of which it is the share".to_owned());
        }
        let negates = query.filter.as_ref().is_some_and(Filter::negates);
        if let (Some(column), true) = (self.thing_of_many_rows(&query), frame.said.only || negates) {
            confidence = confidence.min(UNSURE);
            notes.push(format!(
                "each {} with at least one such row counts, whatever its other rows say",
                self.columns[column].name
            ));
        }
        if outcome.rows.is_empty() || outcome.matched == 0 {
            // Often the question was of something else.
            confidence = confidence.min(NOTHING);
        }
        confidence = confidence.min(self.doubt_of_rows(&query, &frame, &outcome, &mut notes));
        // One value was asked for and several stand there.
        let is_single = matches!(query.outputs.as_slice(), [Output::Column(column)]
            if !self.columns[*column].is_text() && query.order.is_empty());
        if frame.wanted.one && is_single && outcome.rows.len() > 1 {
            confidence = confidence.min(UNSURE);
            notes.push("several rows match; each value is listed once, and nothing is added up".to_owned());
        }
        if outcome.is_cut {
            confidence = confidence.min(UNSURE);
        }
        let reading = format!("{}: {}", self.describe(&query), self.describe_basis(&query, &outcome));
        Some(Answered { query, reading, outcome, confidence, notes })
    }

    /// Columns of several currencies that a query compares or ranks across them.
    fn mixed_currencies(&self, query: &Query) -> Vec<usize> {
        let used = query.columns();
        let kept_apart = |currency: usize| used.contains(&currency);
        used.iter()
            .copied()
            .filter(|column| {
                self.columns[*column].currency_column.is_some_and(|currency| !kept_apart(currency))
            })
            .collect()
    }

    fn refuse(&self, why: String) -> Answer {
        Answer::Refused(Refusal { why, suggestions: self.suggestions() })
    }
}

impl Answered {
    /// The result in a line.
    pub fn text(&self) -> String {
        let headings = &self.outcome.headings;
        let rows: Vec<String> = self
            .outcome
            .rows
            .iter()
            .take(20)
            .map(|row| {
                row.iter()
                    .zip(headings)
                    .map(|(cell, heading)| heading.shown(cell))
                    .collect::<Vec<_>>()
                    .join(": ")
            })
            .collect();
        let more = self.outcome.rows.len() - rows.len();
        match (rows.is_empty(), more) {
            (true, _) => "nothing matches".to_owned(),
            (false, 0) => rows.join("; "),
            (false, more) => format!("{}; and {more} more", rows.join("; ")),
        }
    }

    /// The query as SQL, to be shown and edited.
    pub fn sql(&self) -> String {
        self.outcome.statement.shown()
    }
}

/// Of one place or one record that is asked for, several rows may say the same.
fn say_once(query: &Query, frame: &Frame, outcome: &mut Outcome) {
    let is_one =
        frame.wanted.place || !frame.rows.records && query.limit.is_some_and(|limit| limit.with_ties);
    if query.is_aggregate() || !is_one {
        return;
    }
    let mut seen: Vec<Vec<Cell>> = Vec::new();
    outcome.rows.retain(|row| {
        !seen.contains(row) && {
            seen.push(row.clone());
            true
        }
    });
}

/// Groups of which nothing is measured say nothing of what is asked: the spending by category of what was never spent.
fn leave_out_empty_groups(query: &Query, outcome: &mut Outcome) {
    let [keys @ .., Output::Aggregate(aggregate)] = query.outputs.as_slice() else { return };
    if query.is_counted {
        return;
    }
    let is_measured = aggregate.column.is_some() && keys.iter().all(|key| matches!(key, Output::Key(_)));
    if !keys.is_empty() && is_measured {
        outcome.rows.retain(|row| row.last().is_some_and(|cell| *cell != Cell::Missing));
    }
}

fn is_nothing(cell: &Cell) -> bool {
    matches!(cell, Cell::Missing) || matches!(cell, Cell::Number(number) if number.is_zero())
}

/// Whether one answer lists the same rows as another with some of the other's columns.
fn is_part(small: &Answered, large: &Answered) -> bool {
    let is_list = |answer: &Answered| !answer.query.is_aggregate() && answer.query.order.is_empty();
    is_list(small)
        && is_list(large)
        && small.query.filter == large.query.filter
        && small.outcome.rows.len() == large.outcome.rows.len()
        && small.query.outputs.len() < large.query.outputs.len()
        && small.query.outputs.iter().all(|output| large.query.outputs.contains(output))
}

/// Choices of one meaning per piece, with what they cost.
fn choices(pieces: &[Piece]) -> Vec<(Vec<Meaning>, u32)> {
    let mut choices: Vec<(Vec<Meaning>, u32)> = vec![(Vec::new(), 0)];
    for piece in pieces {
        let mut next = Vec::new();
        for (meanings, penalty) in &choices {
            for (meaning, cost) in &piece.options {
                let mut meanings = meanings.clone();
                meanings.push(meaning.clone());
                next.push((meanings, penalty + cost));
            }
        }
        next.sort_by_key(|(_, penalty)| *penalty);
        next.truncate(MAX_CHOICES);
        choices = next;
    }
    choices
}

fn why_not(pieces: &[Piece]) -> String {
    let unknown: Vec<&str> =
        pieces.iter().filter(|piece| piece.is_unknown()).map(|piece| piece.text.as_str()).collect();
    if unknown.is_empty() {
        "The words of the question are known, but not how they go together here.".to_owned()
    } else {
        format!("No column and no value of this file is called \"{}\".", unknown.join("\", \""))
    }
}
