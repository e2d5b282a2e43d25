//! A frame → a query, wherever its words stand. What is asked decides its form, and each name that finds no place costs something.

use super::apart::either;
use super::{heads, related};
use crate::ask::conditions::Conditions;
use crate::ask::ending;
use crate::ask::frame::Frame;
use crate::ask::lexicon::{Hint, Word};
use crate::ask::listing::{self, MAX_LISTED, lines};
use crate::ask::readings::{self, grouped, likely_amount, names_rows};
use crate::ask::shares;
use crate::ask::superlatives::only_fitting;
use crate::column::Kind;
use crate::query::{Aggregate, Bucket, Comparison, Filter, Function, Key, Limit, Literal, Output, Query};
use crate::table::Table;
use crate::{vocabulary, words};

/// What it costs that something is guessed.
pub(super) const GUESS: u32 = 1;
pub(super) const BOLD_GUESS: u32 = 3;

/// What it costs that a column was named and finds no place.
const UNPLACED: u32 = 3;

/// The query of a frame. `spoken` are the words of the question that name nothing, and may still speak of a column.
pub(super) fn query(table: &Table, frame: &mut Frame, spoken: &[String], said: &[Said]) -> Option<Query> {
    let filter = Conditions::joined(frame.conditions.parts())?;
    let (filter, told_apart) = filter.map_or((None, None), |filter| either(table, filter));
    if let (Some(column), true, true) = (
        told_apart,
        frame.measure.function.is_some(),
        frame.parted.by.is_empty() && frame.rank.extreme.is_none(),
    ) {
        frame.parted.by.push(Key::Column(column));
        frame.doubt.guesses += GUESS;
    }
    let mut filtered = Vec::new();
    if let Some(filter) = &filter {
        filter.push_columns(&mut filtered);
    }
    let mut named = Vec::new();
    for column in frame.named.asked.drain(..).chain(frame.named.columns.drain(..)) {
        if !named.contains(&column) {
            named.push(column);
        }
    }
    // `where pets are allowed`: what is yes or no is a condition where something else is asked for.
    let is_asked = |column: &usize| said.first() == Some(&Said::Column(*column));
    let is_boolean = |column: &usize| matches!(table.columns[*column].kind, Kind::Boolean { .. });
    let told: Vec<usize> =
        named.iter().copied().filter(is_boolean).filter(|column| !is_asked(column)).collect();
    let mut filter = filter;
    for column in told.into_iter().filter(|column| !filtered.contains(column)).collect::<Vec<_>>() {
        let holds = Filter::Compare { column, comparison: Comparison::Equal, value: Literal::Boolean(true) };
        filter = Filter::both(filter, Some(holds));
        frame.doubt.guesses += GUESS;
        filtered.push(column);
    }
    named.retain(|column| !filtered.contains(column) || !is_boolean(column));
    named.sort_by_key(|column| said.iter().position(|said| *said == Said::Column(*column)));
    let mut query = Assembly { table, frame, spoken, said, filter, filtered, named }.query()?;
    ending::count_too(&mut query, frame)?;
    ending::put_in_order(table, &mut query, frame)?;
    Some(query)
}

/// What a question asks for, in the order in which it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Column(usize),
    Who,
    When,
}

pub(super) struct Assembly<'a> {
    pub(super) table: &'a Table,
    pub(super) frame: &'a mut Frame,
    pub(super) spoken: &'a [String],
    pub(super) said: &'a [Said],
    pub(super) filter: Option<Filter>,
    /// Columns of the conditions.
    pub(super) filtered: Vec<usize>,
    /// Columns that the question names, in order. What finds a place is taken out.
    pub(super) named: Vec<usize>,
}

impl Assembly<'_> {
    pub(super) fn query(mut self) -> Option<Query> {
        let asks = self.frame.asks.clone();
        if self.frame.rows.people && self.frame.parted.each && self.frame.parted.by.is_empty() {
            // `each person`, `each of us`
            let who = self.who()?;
            self.frame.parted.by.extend(who.first().map(|column| Key::Column(*column)));
            self.frame.rows.people = false;
        }
        // `lines per program`: of a log, whose records are lines.
        let is_of_records = !self.frame.parted.by.is_empty() || !readings::is_about_lines(self.frame);
        if self.frame.rows.lines && !is_of_records {
            return lines(self.frame, self.filter.take());
        }
        self.frame.rows.records |= self.frame.rows.lines;
        if let Some((comparison, value)) = self.frame.parted.having.take() {
            return self.groups_that_have(comparison, value);
        }
        if self.frame.share || self.frame.apart.difference.is_some() || !self.frame.measure.earlier.is_empty()
        {
            return self.compound();
        }
        if let Some(query) = self.groups_that_sum() {
            return Some(query);
        }
        if self.frame.rank.extreme.is_some()
            || self.frame.rank.most.is_some()
            || self.frame.rank.top.is_some()
        {
            return self.ranked();
        }
        if let Some(function) = self.frame.measure.function.clone() {
            // `how many vaccines does the average dog get`
            if asks.contains(&Word::Count) && function != Function::Sum {
                return None;
            }
            let hint = self.frame.wanted.how.filter(|hint| *hint == Hint::Age);
            let measure = self.measure(hint);
            // `how many orders in total`
            let counts = function == Function::Sum && asks.contains(&Word::Count);
            return match measure {
                Some(measure) => self.made(Aggregate::of(function, measure)),
                None if counts => self.counted(),
                None => None,
            };
        }
        if asks.contains(&Word::Count) || asks.contains(&Word::Exists) {
            return self.counted();
        }
        if asks.contains(&Word::HowMuch) {
            let measure = self.measure(None)?;
            return self.made(Aggregate::of(Function::Sum, measure));
        }
        if let Some(hint) = self.frame.wanted.how {
            return self.how(hint);
        }
        if !self.frame.parted.by.is_empty() || self.frame.parted.unit.is_some() && asks.is_empty() {
            self.frame.doubt.guesses += BOLD_GUESS;
            return match self.take(Self::is_amount).or_else(|| self.done()) {
                Some(measure) => self.made(Aggregate::of(Function::Sum, measure)),
                None => self.counted(),
            };
        }
        if let Some(measure) = self.done() {
            return self.made(Aggregate::of(Function::Sum, measure));
        }
        self.listed()
    }

    /// Takes out the first column that is named and is such a one.
    pub(super) fn take(&mut self, test: fn(&Self, usize) -> bool) -> Option<usize> {
        let at = self.named.iter().position(|column| test(self, *column))?;
        Some(self.named.remove(at))
    }

    pub(super) fn is_amount(&self, column: usize) -> bool {
        self.table.columns[column].is_numeric() && !self.table.holds_codes(column)
    }

    pub(super) fn is_free_text(&self, column: usize) -> bool {
        self.table.columns[column].is_text() && !self.filtered.contains(&column)
    }

    pub(super) fn is_free(&self, column: usize) -> bool {
        !self.filtered.contains(&column)
    }

    pub(super) fn is_moment(&self, column: usize) -> bool {
        self.table.columns[column].is_moment()
    }

    /// What is left of the names costs something, unless a condition or the records explain it.
    pub(super) fn settle(&mut self) {
        for column in std::mem::take(&mut self.named) {
            // `entries per year` of the day of entry
            let parts = |key: &Key| matches!(key, Key::Bucket(time, _) if *time == column);
            let is_explained = self.filtered.contains(&column)
                || names_rows(self.table, column)
                || self.frame.parted.by.iter().any(parts);
            if is_explained {
                continue;
            }
            self.frame.doubt.guesses += UNPLACED;
            self.frame.doubt.notes.push(format!("nothing was made of {}", self.table.column_name(column)));
        }
    }

    /// What is measured: named, hinted at, spoken of, or what amounts are asked of.
    pub(super) fn measure(&mut self, hint: Option<Hint>) -> Option<usize> {
        if let Some(column) = self.take(Self::is_amount) {
            return Some(column);
        }
        let hinted = hint.filter(|hint| *hint != Hint::None).and_then(|hint| only_fitting(self.table, hint));
        if let Some(column) = hinted {
            self.frame.doubt.guesses += GUESS;
            return Some(column);
        }
        // `the oldest ticket` where nothing has an age.
        if hint == Some(Hint::Age)
            && let Some(time) = self.table.moment_or_first(&mut self.frame.doubt)
        {
            return Some(time);
        }
        // `how old` asks for no amount of money.
        if hint.is_some_and(|hint| !matches!(hint, Hint::None | Hint::Price | Hint::Best)) {
            self.frame.doubt.guesses += BOLD_GUESS;
            return self.spoken_of();
        }
        self.frame.doubt.guesses += BOLD_GUESS;
        if let [column] = self.frame.measure.by_verb.as_slice() {
            return Some(*column);
        }
        self.spoken_of().or_else(|| likely_amount(self.table)).or_else(|| self.filled_amount())
    }

    /// The only column of amounts in which the rows that match have anything: of income and spending, a row has one.
    pub(super) fn filled_amount(&self) -> Option<usize> {
        let filter = self.filter.as_ref()?;
        let is_filled = |column: &usize| {
            let there = Filter::Not(Box::new(Filter::Missing(*column)));
            let count = Query::number(Aggregate::count(), Filter::both(Some(filter.clone()), Some(there)));
            self.table.run(&count).is_ok_and(|outcome| outcome.matched > 0)
        };
        let measures = self.table.measures();
        let mut found = measures.iter().filter(|column| is_filled(column));
        let first = found.next()?;
        (measures.len() > 1 && found.next().is_none()).then_some(*first)
    }

    /// The only column of amounts of which the other words of the question speak most.
    pub(super) fn spoken_of(&self) -> Option<usize> {
        let nearest = |column: usize| {
            let parts = words::parts(&self.table.columns[column].name);
            self.spoken.iter().filter_map(|word| related::distance(word, &parts)).min()
        };
        let mut found: Vec<(usize, usize)> =
            self.table.measures().into_iter().filter_map(|column| Some((nearest(column)?, column))).collect();
        found.sort_unstable();
        match found.as_slice() {
            [(_, column)] => Some(*column),
            [(first, column), (second, _), ..] if first < second => Some(*column),
            _ => None,
        }
    }

    /// An aggregate of all rows or of each group.
    pub(super) fn made(&mut self, aggregate: Aggregate) -> Option<Query> {
        if self.frame.parted.by.is_empty() {
            if let Some(bucket) = self.frame.parted.unit.take() {
                let time = self.time()?;
                self.frame.parted.by.push(Key::Bucket(time, bucket));
                self.frame.doubt.guesses += GUESS;
            } else if self.frame.asks.iter().any(|ask| matches!(ask, Word::List))
                && let Some(column) = self.take(Self::is_free_text)
            {
                // `list the departments with their average salary`
                self.frame.parted.by.push(Key::Column(column));
                self.frame.doubt.guesses += GUESS;
            }
        }
        self.frame.parted.unit = None;
        // `cars and passengers per route`
        let function = aggregate.function.clone();
        let mut more: Vec<Output> = Vec::new();
        while self.frame.said.pair
            && aggregate.column.is_some()
            && !self.frame.parted.by.is_empty()
            && function != Function::CountDistinct
            && let Some(column) =
                self.take(|assembly, column| assembly.is_amount(column) && assembly.is_free(column))
        {
            self.frame.doubt.guesses += GUESS;
            more.push(Output::Aggregate(Aggregate::of(function.clone(), column)));
        }
        self.settle();
        let mut query = grouped(self.table, self.frame, aggregate, self.filter.take())?;
        query.outputs.extend(more);
        Some(query)
    }

    pub(super) fn time(&mut self) -> Option<usize> {
        match self.take(Self::is_moment) {
            Some(column) => Some(column),
            None => self.table.moment_or_first(&mut self.frame.doubt),
        }
    }

    pub(super) fn counted(&mut self) -> Option<Query> {
        self.frame.measure.function = None;
        // `how many children do we expect from bookings` adds up the children.
        let adds_up = self.frame.counts.column.is_some_and(|column| {
            self.named.contains(&column) && self.is_amount(column) && self.is_free(column)
        });
        let counts_rows =
            !adds_up && (self.frame.rows.records || self.frame.counts.times || self.frame.counts.records);
        let amount = self.frame.counts.column.filter(|_| adds_up).or_else(|| {
            self.named.iter().copied().find(|column| self.is_amount(*column) && self.is_free(*column))
        });
        let thing = self.named.iter().copied().find(|column| self.is_free_text(*column)).or_else(|| {
            // `how many different cards`, by their numbers
            let is_code = |column: &usize| self.is_free(*column) && self.table.holds_codes(*column);
            self.frame.distinct.then(|| self.named.iter().copied().find(is_code))?
        });
        let aggregate = match (amount, thing) {
            _ if counts_rows && !self.frame.distinct => Aggregate::count(),
            (Some(column), _) if !self.frame.distinct => {
                self.frame.doubt.guesses += if adds_up { GUESS } else { BOLD_GUESS };
                self.named.retain(|other| *other != column);
                Aggregate::of(Function::Sum, column)
            }
            (_, Some(column)) if !names_rows(self.table, column) => {
                self.frame.doubt.guesses += BOLD_GUESS;
                self.named.retain(|other| *other != column);
                // `how many errors` of a column where most rows have none.
                let is_rare =
                    self.table.columns[column].missing * 2 > self.table.rows && !self.frame.distinct;
                Aggregate::of(if is_rare { Function::Count } else { Function::CountDistinct }, column)
            }
            (_, Some(column)) => {
                self.named.retain(|other| *other != column);
                Aggregate::count()
            }
            _ if self.frame.distinct => return None,
            _ => self.unnamed_count(),
        };
        self.made(aggregate)
    }

    /// `how many were sold`, `how many people came`: rows, pieces or heads.
    pub(super) fn unnamed_count(&mut self) -> Aggregate {
        self.frame.doubt.guesses += BOLD_GUESS;
        if self.frame.counts.pieces
            && let Some(column) = self.table.quantity_column()
        {
            return Aggregate::of(Function::Sum, column);
        }
        if self.frame.rows.people
            && let Some(column) = heads(self.table)
        {
            return Aggregate::of(Function::Sum, column);
        }
        if self.frame.rows.people
            && let Some(column) = self.table.person_column()
            && !names_rows(self.table, column)
        {
            return Aggregate::of(Function::CountDistinct, column);
        }
        Aggregate::count()
    }

    /// `how long did it last`: what stands there, or the mean of all rows.
    pub(super) fn how(&mut self, hint: Hint) -> Option<Query> {
        let measure = self.measure(Some(hint))?;
        // `how far did I run in May`, `how long did all of them take together`: one length of many rows.
        if hint == Hint::Distance || self.frame.measure.in_total {
            self.frame.doubt.guesses += BOLD_GUESS;
            return self.made(Aggregate::of(Function::Sum, measure));
        }
        if self.filter.is_none() || !self.frame.parted.by.is_empty() {
            self.frame.doubt.guesses += BOLD_GUESS;
            return self.made(Aggregate::of(Function::Average, measure));
        }
        self.settle();
        Some(Query {
            filter: self.filter.take(),
            outputs: vec![Output::Column(measure)],
            limit: Some(all()),
            ..Query::default()
        })
    }

    /// `which customers have more than three orders`
    pub(super) fn groups_that_have(
        &mut self,
        comparison: crate::query::Comparison,
        value: rust_decimal::Decimal,
    ) -> Option<Query> {
        let column = self.take(Self::is_free_text)?;
        self.settle();
        let query = listing::groups_that_have(self.table, self.filter.take(), column, comparison, value);
        // `how many customers came more than twice`
        Some(Query { is_counted: self.frame.asks.contains(&Word::Count), ..query })
    }

    /// A share, a difference, several numbers: as the stricter reading makes them, without the names that find no place.
    pub(super) fn compound(&mut self) -> Option<Query> {
        let amount = self.take(Self::is_amount);
        self.settle();
        self.frame.named.columns.extend(amount);
        if self.frame.share {
            if self.frame.parted.unit.take().is_some() {
                self.frame.doubt.guesses += UNPLACED;
            }
            return shares::share(self.table, self.frame);
        }
        match self.frame.apart.difference {
            Some(is_signed) => readings::difference(self.table, self.frame, is_signed),
            None => readings::several(self.table, self.frame, self.filter.take()),
        }
    }

    /// What is ranked or listed: a column that the question names, or that `who`, `where`, `which day` ask for.
    pub(super) fn key(&mut self) -> Option<Key> {
        if let Some(bucket) = self.frame.parted.unit.take() {
            let time = self.time()?;
            let is_day = bucket == Bucket::Day && self.table.columns[time].kind == Kind::Date;
            return Some(if is_day { Key::Column(time) } else { Key::Bucket(time, bucket) });
        }
        if let Some(column) = self.take(Self::is_free_text) {
            return Some(Key::Column(column));
        }
        if self.frame.asks.contains(&Word::Who) {
            return self.who()?.first().map(|column| Key::Column(*column));
        }
        if self.frame.wanted.place {
            return self.table.place_column().map(Key::Column);
        }
        // `which order`: the column of its numbers.
        let code =
            self.named.iter().position(|column| self.is_free(*column) && self.table.holds_codes(*column))?;
        Some(Key::Column(self.named.remove(code)))
    }

    /// `which invoices`: their numbers, and not to whom they were sent.
    fn number_for(&self, name: usize) -> usize {
        let is_number = |column: &usize| {
            self.is_free(*column) && self.table.holds_numbered_names(*column) && self.table.is_unique(*column)
        };
        let is_person = vocabulary::names_a_person(&words::parts(&self.table.columns[name].name));
        let asks_for_records = self.frame.rows.records && !self.frame.asks.contains(&Word::Who);
        let number = (0..self.table.columns.len()).find(is_number);
        number.filter(|_| is_person && asks_for_records && !names_rows(self.table, name)).unwrap_or(name)
    }

    /// Columns of the rows that match.
    pub(super) fn listed(&mut self) -> Option<Query> {
        let asks = self.frame.asks.clone();
        let mut columns: Vec<usize> = Vec::new();
        if asks.contains(&Word::When) {
            columns.push(self.time()?);
        } else if asks.contains(&Word::Who) {
            columns.extend(self.who()?);
        } else if self.frame.wanted.place {
            columns.extend(self.table.place_column());
        }
        while let Some(column) = self.take(Self::is_free) {
            // `who paid too late`: the amount is not asked for.
            let is_said_of_them =
                asks.contains(&Word::Who) && self.filter.is_some() && self.is_amount(column);
            if !columns.contains(&column) && !is_said_of_them {
                columns.push(column);
            }
        }
        // Without a condition and without a word that asks, nothing says what is wanted.
        if self.filter.is_none() && (columns.is_empty() || asks.is_empty()) {
            return None;
        }
        if asks.is_empty() {
            self.frame.doubt.guesses += BOLD_GUESS;
        }
        if columns.is_empty() {
            self.frame.doubt.guesses += GUESS;
            columns = match self.name() {
                Some(column) => vec![self.number_for(column)],
                None => (0..self.table.columns.len()).collect(),
            };
        }
        self.settle();
        let distinct = columns.len() == 1;
        let outputs = columns.into_iter().map(Output::Column).collect();
        Some(Query { filter: self.filter.take(), outputs, limit: Some(all()), distinct, ..Query::default() })
    }
}

pub(super) fn all() -> Limit {
    Limit { count: MAX_LISTED, with_ties: false }
}
