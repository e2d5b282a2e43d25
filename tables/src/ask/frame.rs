//! One choice of meanings, left to right → what is asked, of what, under which conditions.

use super::conditions::Conditions;
use super::lexicon::{Hint, Word};
use super::pieces::Meaning;
use super::readings::names_rows;
use super::sorting::Having;
use crate::query::{Bucket, Function, Key};
use crate::table::Table;
use crate::value::unit;

/// What a question asks for, before it is a query.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub asks: Vec<Word>,
    pub wanted: Wanted,
    pub counts: Counts,
    pub measure: Measure,
    pub rank: Rank,
    pub apart: Apart,
    pub rows: Rows,
    pub named: Named,
    pub parted: Parted,
    pub order: Order,
    pub said: Said,
    pub distinct: bool,
    pub share: bool,
    pub conditions: Conditions,
    pub doubt: Doubt,
}

/// What kind of answer is asked for.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the question that was there or was not")]
pub(super) struct Wanted {
    /// `what is`, `how high is`: one value.
    pub one: bool,
    /// `what is`, `what was`.
    pub what: bool,
    /// `how high`: a number, not the record that has it.
    pub value: bool,
    /// `where`: a place.
    pub place: bool,
    /// `what did we spend`: what was done, which may be an amount of all.
    pub did: bool,
    /// What `how long`, `how warm` ask for.
    pub how: Option<Hint>,
    /// `in minutes`: the unit of the answer.
    pub unit: Option<String>,
}

/// What is counted.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the question that was there or was not")]
pub(super) struct Counts {
    /// `how many times`: rows, whatever they name.
    pub times: bool,
    /// `how many tickets`: rows, whatever else is named.
    pub records: bool,
    /// `how many of the rents`: some of the rows.
    pub part: bool,
    /// `sold`, `ordered`: said of pieces as well as of rows.
    pub pieces: bool,
    /// The column right behind `how many`.
    pub column: Option<usize>,
    /// `loans and total fines`: how many rows, before (true) or behind what is made of numbers.
    pub too: Option<bool>,
}

/// What is made of numbers.
#[derive(Debug, Default)]
pub(super) struct Measure {
    pub function: Option<Function>,
    /// Functions before the last one, each with its column: `the average and maximum score`.
    pub earlier: Vec<(Function, Option<usize>)>,
    /// `in total`: a sum, if an amount is asked for.
    pub in_total: bool,
    /// Columns of numbers that a verb speaks of: `how much did it use` of the column `usage`.
    pub by_verb: Vec<usize>,
}

/// The largest, the smallest, the most.
#[derive(Debug, Default)]
pub(super) struct Rank {
    pub extreme: Option<(bool, Hint)>,
    pub most: Option<bool>,
    pub top: Option<u32>,
    /// The column that stands right behind a superlative: `the last district`.
    pub thing: Option<usize>,
    /// The word for records stands right behind a superlative of time: `the last order`.
    pub of_records: bool,
    /// `the most goals` per player: added up, though nobody said so.
    pub adds_up_unsaid: bool,
}

/// One number less another.
#[derive(Debug, Default)]
pub(super) struct Apart {
    /// Of what is said first less what is said last (true), or how far they are apart.
    pub difference: Option<bool>,
    /// How many conditions stand before `than`.
    pub conditions_before_than: Option<usize>,
}

/// What the rows are called.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub records: bool,
    pub lines: bool,
    pub people: bool,
}

/// Columns that the question names.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Those that stand for themselves, in order.
    pub columns: Vec<usize>,
    /// Those right behind `which`, `list`, `top`.
    pub asked: Vec<usize>,
    /// `and the number of`: how many rows each of what is listed has.
    pub with_count: bool,
}

/// What the rows are put together by.
#[derive(Debug, Default)]
pub(super) struct Parted {
    pub by: Vec<Key>,
    pub unit: Option<Bucket>,
    /// `each person`, `per head`: by something that names no column.
    pub each: bool,
    pub having: Option<Having>,
}

/// What comes first.
#[derive(Debug, Default)]
pub(super) struct Order {
    pub by: Option<(usize, bool)>,
    /// Whether what is listed is put in order, largest first.
    pub listed: Option<bool>,
    /// `busiest first`: by the number of each group, and not by its name.
    pub by_number: bool,
    /// `best first` (true), `worst first`: what is good, the numbers say.
    pub best: Option<bool>,
}

/// Small words that say more than they seem to.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the question that was there or was not")]
pub(super) struct Said {
    /// `only`, `both`: said of what has several records, they are conditions on all of them.
    pub only: bool,
    /// `everything`, `alles`: of no rows in particular.
    pub everything: bool,
    /// `cars and passengers`: two amounts.
    pub pair: bool,
    /// `percentage of the orders`: of the rows, whatever amounts are named.
    pub of_records: bool,
}

/// How sure the reading is.
#[derive(Debug, Default)]
pub(super) struct Doubt {
    /// How much was guessed: 0 is nothing.
    pub guesses: u32,
    pub notes: Vec<String>,
}

/// Verbs of pieces that change hands.
const TRADES: &[&str] =
    &["sold", "ordered", "bought", "purchased", "verkauft", "bestellt", "gekauft", "sell", "sells", "buy"];

/// Amounts of a time, and of no single record.
const FLOWS: &[&str] =
    &["revenue", "turnover", "sales", "takings", "spending", "umsatz", "einnahmen", "ausgaben", "erlös"];

/// Reads a choice of meanings; what it cannot place is in `unused`.
pub(super) struct Parser<'a> {
    pub table: &'a Table,
    pub pieces: &'a [Meaning],
    pub texts: &'a [String],
    pub at: usize,
    pub frame: Frame,
    /// The places of words that nothing was made of.
    pub unused: Vec<usize>,
    /// Whether a verb has parted what is asked from what is said of it.
    pub after_verb: bool,
}

impl<'a> Parser<'a> {
    pub fn read(table: &'a Table, pieces: &'a [Meaning], texts: &'a [String]) -> (Frame, Vec<usize>) {
        let (frame, unused) = (Frame::default(), Vec::new());
        let mut parser = Self { table, pieces, texts, at: 0, frame, unused, after_verb: false };
        while parser.at < pieces.len() {
            let before = parser.at;
            if !parser.step() {
                parser.unused.push(before);
                parser.at = before + 1;
            }
        }
        parser.frame.counts.pieces = texts.iter().any(|text| TRADES.contains(&text.to_lowercase().as_str()));
        parser.doubt_verbs();
        (parser.frame, parser.unused)
    }

    pub fn peek(&self, ahead: usize) -> Option<&'a Meaning> {
        self.pieces.get(self.at + ahead)
    }

    pub fn word(&self, ahead: usize) -> Option<Word> {
        match self.peek(ahead) {
            Some(Meaning::Word(word)) => Some(*word),
            _ => None,
        }
    }

    /// How many pieces without content stand before a place.
    pub fn fillers_before(&self, at: usize) -> usize {
        let is_filler = |piece: &&Meaning| matches!(piece, Meaning::Word(Word::Noise | Word::Verb));
        self.pieces[..at].iter().rev().take_while(is_filler).count()
    }

    /// How many pieces without content follow from an offset.
    pub fn fillers(&self, from: usize) -> usize {
        let mut count = 0;
        while matches!(self.word(from + count), Some(Word::Noise | Word::Verb)) {
            count += 1;
        }
        count
    }

    fn step(&mut self) -> bool {
        if self.having() || self.condition() {
            return true;
        }
        match &self.pieces[self.at] {
            Meaning::Word(word) => self.word_step(*word),
            Meaning::Column(column) => {
                let column = *column;
                // `what does an item cost`: the name of the records, said of any of them.
                if self.at > 0
                    && ["a", "an", "ein", "eine", "einen", "einem", "einer"]
                        .contains(&self.texts[self.at - 1].to_lowercase().as_str())
                    && names_rows(self.table, column)
                    && !(self.at > 1 && self.pieces[self.at - 2] == Meaning::Word(Word::List))
                {
                    self.at += 1;
                    self.frame.rows.records = true;
                    return true;
                }
                // `across all groups`: put together by none.
                if self.at > 1
                    && self.texts[self.at - 2].eq_ignore_ascii_case("across")
                    && self.pieces[self.at - 1] == Meaning::Word(Word::Noise)
                {
                    self.at += 1;
                    self.frame.doubt.guesses += 1;
                    return true;
                }
                // `how many GB`: in that unit.
                if self.at > 0
                    && self.pieces[self.at - 1] == Meaning::Word(Word::HowMuch)
                    && unit::measure_of(&self.texts[self.at].to_lowercase()).is_some()
                {
                    self.frame.wanted.unit = Some(self.texts[self.at].to_lowercase());
                }
                if self.at > 0 && matches!(self.pieces[self.at - 1], Meaning::Word(Word::Extreme(..))) {
                    self.frame.rank.thing = Some(column);
                }
                // `what was the revenue in May`: all of it.
                if self.frame.wanted.one && FLOWS.contains(&self.texts[self.at].to_lowercase().as_str()) {
                    self.frame.measure.in_total = true;
                    self.frame.doubt.guesses += 3;
                }
                self.at += 1;
                let right_behind = self.at >= 2 && self.is_asked_here(self.at - 2);
                if right_behind {
                    self.frame.named.asked.push(column);
                } else {
                    self.frame.named.columns.push(column);
                }
                true
            }
            Meaning::Noun => {
                // Not `the year of the oldest movie`, nor `when was the last order`.
                self.frame.rank.of_records |= self.at > 0
                    && matches!(
                        self.pieces[self.at - 1],
                        Meaning::Word(Word::Extreme(_, Hint::Moment | Hint::Age))
                    )
                    && self.frame.named.columns.is_empty()
                    && self.frame.named.asked.is_empty()
                    && !self.frame.asks.contains(&Word::When);
                self.at += 1;
                self.frame.rows.records = true;
                true
            }
            Meaning::Number(quantity) => {
                // `5 highest salaries`, `top 5`
                let next = self.fillers(1) + 1;
                let is_rank = matches!(self.word(next), Some(Word::Extreme(..) | Word::Most(_)));
                if is_rank
                    && let Ok(count) = u32::try_from(quantity.value.mantissa())
                    && quantity.value.scale() == 0
                    && count > 0
                {
                    self.frame.rank.top = Some(count);
                    self.at += 1;
                    return true;
                }
                false
            }
            _ => false,
        }
    }

    /// Whether the piece before a column asks for it.
    fn is_asked_here(&self, mut index: usize) -> bool {
        let mut crossed_verb = false;
        loop {
            match &self.pieces[index] {
                Meaning::Word(word @ (Word::Noise | Word::Verb | Word::Distinct)) if index > 0 => {
                    crossed_verb |= *word == Word::Verb;
                    index -= 1;
                }
                // `which customer has opened the most`
                Meaning::Column(_) if crossed_verb && self.frame.named.asked.len() == 1 => return false,
                Meaning::Word(Word::Which | Word::Who | Word::List | Word::Top | Word::And) => return true,
                Meaning::Number(_) | Meaning::Word(Word::Small(_)) => return self.frame.rank.top.is_some(),
                Meaning::Column(column) => return self.frame.named.asked.contains(column),
                _ => return false,
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of word")]
    fn word_step(&mut self, word: Word) -> bool {
        match word {
            Word::Noise => self.note_files(),
            Word::InTotal => self.frame.measure.in_total = true,
            Word::How(hint) => {
                self.frame.asks.push(Word::Which);
                self.frame.wanted.how = Some(hint);
                self.frame.wanted.value = true;
                self.frame.wanted.one = true;
            }
            Word::Since | Word::Until if self.is_before_time() => return false,
            Word::Since | Word::Until => {}
            Word::CountToo(first) => self.frame.counts.too = Some(first),
            Word::Verb => self.after_verb = true,
            // `employees who work`, `the host which has`: said of what stands before.
            Word::Who | Word::Which | Word::When if self.is_relative() => {}
            // `were ordered`: a verb.
            Word::Sorted
                if self.at > 0
                    && self.texts[self.at].eq_ignore_ascii_case("ordered")
                    && self.pieces[self.at - 1] == Meaning::Word(Word::Verb) =>
            {
                self.after_verb = true;
                self.frame.doubt.guesses += 3;
            }
            // `and sort by`: what follows says how.
            Word::Sorted if self.at > 0 && !self.says_order(1 + self.fillers(1)) => return false,
            // `the mite count` of a column of mites.
            Word::Count
                if self.texts[self.at].eq_ignore_ascii_case("count")
                    && self.at > 0
                    && matches!(&self.pieces[self.at - 1], Meaning::Column(column) if self.table.columns[*column].is_numeric()) =>
                {}
            // `which hives had more than ten mites on a count`: counting is what the rows tell of.
            Word::Count if self.is_one_count() && !self.frame.asks.is_empty() => {
                self.frame.doubt.guesses += 3;
            }
            // `a number of wins` is a column's number.
            Word::Count if self.is_number_of_column() => {}
            Word::Which if self.is_singular() => self.ask_for_one(),
            // `did Ada return` asks for no list.
            Word::List if !self.frame.asks.is_empty() => {
                // `did I find`
                if !["get", "find"].contains(&self.texts[self.at].to_lowercase().as_str()) {
                    return false;
                }
            }
            Word::Count
            | Word::Sorted
            | Word::HowMuch
            | Word::List
            | Word::Which
            | Word::Who
            | Word::When
            | Word::Exists => self.ask_for(word),
            Word::Difference(is_signed) => {
                self.frame.apart.difference = Some(is_signed);
                if self.texts[self.at].to_lowercase().starts_with("how many") {
                    self.frame.asks.push(Word::Count);
                }
            }
            Word::Than if self.frame.apart.difference.is_some() => self.parts_here(),
            Word::Share => {
                self.frame.share = true;
                let behind = self.peek(1 + self.fillers(1));
                self.frame.said.of_records |= match behind {
                    Some(Meaning::Noun | Meaning::Word(Word::Records)) => true,
                    Some(Meaning::Column(column)) => names_rows(self.table, *column),
                    _ => false,
                };
            }
            Word::Sum => return self.function(Function::Sum),
            Word::Average => return self.function(Function::Average),
            Word::Median => return self.function(Function::Median),
            Word::Deviation => return self.function(Function::StandardDeviation),
            Word::Range => return self.function(Function::Difference),
            Word::Percentile(percent) => return self.function(Function::Percentile(percent)),
            Word::Extreme(largest, hint) => {
                if self.frame.rank.extreme.is_some() || self.frame.rank.most.is_some() {
                    return false;
                }
                self.frame.rank.extreme = Some((largest, hint));
                self.skip_number_of();
                self.top_behind();
            }
            Word::Most(most) => {
                if self.frame.rank.extreme.is_some() || self.frame.rank.most.is_some() {
                    return false;
                }
                self.frame.rank.most = Some(most);
            }
            // `the top salary`
            Word::Top if self.is_superlative_top() => {
                self.frame.rank.extreme = Some((true, Hint::None));
            }
            Word::Top => return self.top(),
            Word::Small(count) => {
                let is_asked = matches!(self.frame.asks.as_slice(), [Word::Which | Word::Who])
                    && self.frame.rank.top.is_none();
                if !is_asked && !matches!(self.word(1), Some(Word::Extreme(..) | Word::Most(_))) {
                    return false;
                }
                self.frame.rank.top = Some(count);
            }
            Word::Distinct => self.frame.distinct = true,
            // `of each order`: every record, put together by nothing.
            Word::Per if self.is_every_record() => {
                self.frame.doubt.guesses += 1;
                self.at += 1 + self.fillers(1);
                self.frame.rows.records = true;
            }
            Word::Per if self.is_each_person() => {
                self.frame.parted.each = true;
                self.frame.rows.people = true;
                self.frame.doubt.guesses += 3;
            }
            Word::Per => return self.group(),
            Word::By => return self.by(),
            Word::SortBy => return self.sort(),
            Word::Ascending => return self.in_order(false),
            Word::Descending => return self.in_order(true),
            Word::Records => self.frame.rows.records = true,
            Word::Lines => self.frame.rows.lines = true,
            Word::People => self.frame.rows.people = true,
            Word::Unit(bucket) => self.frame.parted.unit = Some(bucket),
            Word::And => return self.and(),
            _ => return false,
        }
        self.at += 1;
        true
    }

    /// Whether a single time follows: `since April` is not in April, and `from March to April` is read at its first end.
    fn is_before_time(&self) -> bool {
        let next = 1 + self.fillers(1);
        matches!(self.peek(next), Some(Meaning::Time(_)))
            && self.word(next + 1 + self.fillers(next + 1)) != Some(Word::Until)
    }

    /// `which file is the smallest`: the records are files. `only` and `both` say more than they are taken for.
    fn note_files(&mut self) {
        let text = self.texts[self.at].to_lowercase();
        let is_behind_in = self.at > 0 && self.texts[self.at - 1].eq_ignore_ascii_case("in");
        if is_behind_in && unit::measure_of(&text).is_some() {
            self.frame.wanted.unit = Some(text.clone());
        }
        if text == "als" {
            self.parts_here();
        }
        // `are still out`: a condition that no column and no value is called by.
        let says_so = self.at > 0
            && ["still", "noch", "are", "is", "was", "were", "been", "sind", "ist", "war", "waren"]
                .contains(&self.texts[self.at - 1].to_lowercase().as_str());
        if says_so && ["out", "off", "up", "weg"].contains(&text.as_str()) {
            self.frame.doubt.notes.push(format!("\"{text}\" was not taken as a condition"));
            self.frame.doubt.guesses += 4;
        }
        self.frame.said.everything |= ["everything", "alles", "allem"].contains(&text.as_str());
        self.frame.said.only |= ["only", "nur", "both", "either"].contains(&text.as_str());
        let is_asked = self.at > 0
            && matches!(self.pieces[self.at - 1], Meaning::Word(Word::Which | Word::Per))
            && ["file", "datei"].contains(&self.texts[self.at].to_lowercase().as_str());
        self.frame.rows.records |= is_asked;
    }

    /// `than`: what stands before is more than what stands behind.
    fn parts_here(&mut self) {
        self.frame.apart.conditions_before_than = Some(self.frame.conditions.parts().len());
    }

    /// Whether this word is `count` as in `on a count`.
    fn is_one_count(&self) -> bool {
        let articles = ["a", "each", "every", "any", "one"];
        let before =
            self.at.checked_sub(1).and_then(|at| self.texts[at].rsplit(' ').next().map(str::to_lowercase));
        self.texts[self.at].eq_ignore_ascii_case("count")
            && before.is_some_and(|word| articles.contains(&&*word))
    }

    /// `which had a number of wins over 12`, `the number of goals`: said of a column of amounts where something else is asked for.
    fn is_number_of_column(&self) -> bool {
        let asks = self.frame.asks.iter().any(|ask| matches!(ask, Word::Which | Word::Who));
        asks && !self.frame.named.asked.is_empty()
            && self.texts[self.at].to_lowercase().starts_with("number")
            && matches!(self.peek(1 + self.fillers(1)), Some(Meaning::Column(column)) if self.table.measures().contains(column))
    }

    /// `and`: joins what is asked, functions, groups, conditions, or an order.
    fn and(&mut self) -> bool {
        let next = self.fillers(1) + 1;
        let is_amount = |piece: Option<&Meaning>| matches!(piece, Some(Meaning::Column(column)) if self.table.columns[*column].is_numeric());
        self.frame.said.pair |=
            self.at > 0 && is_amount(self.pieces.get(self.at - 1)) && is_amount(self.peek(next));
        if self.says_order(next) || self.pairs_functions(next) {
            self.at += next;
            return true;
        }
        let lists_columns = !self.frame.named.asked.is_empty() && self.frame.conditions.is_empty();
        // `the regions and the number of orders per region`
        if self.word(next) == Some(Word::Count) && lists_columns {
            self.frame.named.with_count = true;
            self.at += next + 1;
            return true;
        }
        match self.peek(next) {
            // `name and salary`
            Some(Meaning::Column(column)) if lists_columns => {
                self.frame.named.asked.push(*column);
                self.at += next;
            }
            // `per region and month`
            Some(Meaning::Column(column)) if !self.frame.parted.by.is_empty() => {
                self.frame.parted.by.push(Key::Column(*column));
                self.at += next;
            }
            // `per region and month`, the other way round
            Some(Meaning::Word(Word::Unit(bucket))) if !self.frame.parted.by.is_empty() => {
                let Some(time) = self.moment_spoken_of() else { return false };
                self.frame.parted.by.push(Key::Bucket(time, *bucket));
                self.at += next;
            }
            _ if self.texts[self.at] == "," => {}
            _ if !self.frame.conditions.is_empty() => self.frame.conditions.expect_and(),
            _ => return false,
        }
        self.at += 1;
        true
    }

    /// Whether a word that puts something in order stands at an offset.
    fn says_order(&self, offset: usize) -> bool {
        matches!(
            self.word(offset),
            Some(Word::Sorted | Word::By | Word::SortBy | Word::Ascending | Word::Descending)
        )
    }
}
