//! A frame → a query, wherever its words stand. What is asked decides its form, and each name that finds no place costs something.

use super::related;
use crate::ask::conditions::Conditions;
use crate::ask::frame::Frame;
use crate::ask::lexicon::{Hint, Word};
use crate::ask::listing::{MAX_LISTED, lines};
use crate::ask::ranking::{row_name, top_groups, top_rows};
use crate::ask::readings::{self, grouped, likely_amount, names_rows};
use crate::ask::superlatives::{falls_with_age, is_in_time, only_fitting};
use crate::column::Kind;
use crate::query::{Aggregate, Bucket, Comparison, Filter, Function, Having, Key, Limit, Literal, Order, Output, Query};
use crate::table::Table;
use crate::{vocabulary, words};

/// What it costs that something is guessed.
const GUESS: u32 = 1;
const BOLD_GUESS: u32 = 3;

/// What it costs that a column was named and finds no place.
const UNPLACED: u32 = 3;

/// The query of a frame. `spoken` are the words of the question that name nothing, and may still speak of a column.
pub(super) fn query(table: &Table, frame: &mut Frame, spoken: &[String], said: &[Said]) -> Option<Query> {
    let filter = Conditions::joined(frame.conditions.parts())?;
    let (filter, told_apart) = filter.map_or((None, None), |filter| either(table, filter));
    if let (Some(column), true, true) =
        (told_apart, frame.measure.function.is_some(), frame.parted.by.is_empty() && frame.rank.extreme.is_none())
    {
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
    let told: Vec<usize> = named.iter().copied().filter(is_boolean).filter(|column| !is_asked(column)).collect();
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
    readings::put_in_order(&mut query, frame)?;
    Some(query)
}

/// What a question asks for, in the order in which it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Column(usize),
    Who,
    When,
}

/// What is written over names of things.
const NAMES: &[&str] = &[
    "name", "title", "titel", "bezeichnung", "item", "product", "produkt", "artikel", "article", "pet", "animal", "vendor", "what",
    "description", "beschreibung", "call", "address",
];

/// `sales of Ada and Bob`: no cell says both, so either is meant. The column, if two were told apart.
fn either(table: &Table, filter: Filter) -> (Option<Filter>, Option<usize>) {
    let parts = match filter {
        Filter::And(parts) => parts,
        Filter::In { column, ref values } if values.len() == 2 && !are_one(values) => {
            return (Some(filter), Some(column));
        }
        other => return (Some(other), None),
    };
    let mut kept: Vec<Filter> = Vec::new();
    let mut told_apart = None;
    for part in parts {
        if let Filter::In { column, values } = &part
            && let Some(Filter::In { values: earlier, .. }) =
                kept.iter_mut().find(|other| matches!(other, Filter::In { column: same, .. } if same == column))
            && table.columns[*column].is_text()
        {
            earlier.extend(values.iter().cloned());
            told_apart = Some(*column);
            continue;
        }
        kept.push(part);
    }
    (Filter::all(kept), told_apart)
}

/// Whether two texts are one value in two spellings.
fn are_one(values: &[Literal]) -> bool {
    let fold = |value: &Literal| match value {
        Literal::Text(text) => Some(words::fold(text)),
        _ => None,
    };
    values.windows(2).all(|pair| fold(&pair[0]) == fold(&pair[1]))
}

struct Assembly<'a> {
    table: &'a Table,
    frame: &'a mut Frame,
    spoken: &'a [String],
    said: &'a [Said],
    filter: Option<Filter>,
    /// Columns of the conditions.
    filtered: Vec<usize>,
    /// Columns that the question names, in order. What finds a place is taken out.
    named: Vec<usize>,
}

impl Assembly<'_> {
    fn query(mut self) -> Option<Query> {
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
            let measure = self.measure(None);
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
    fn take(&mut self, test: fn(&Self, usize) -> bool) -> Option<usize> {
        let at = self.named.iter().position(|column| test(self, *column))?;
        Some(self.named.remove(at))
    }

    fn is_amount(&self, column: usize) -> bool {
        self.table.columns[column].is_numeric() && !self.table.holds_codes(column)
    }

    fn is_free_text(&self, column: usize) -> bool {
        self.table.columns[column].is_text() && !self.filtered.contains(&column)
    }

    fn is_free(&self, column: usize) -> bool {
        !self.filtered.contains(&column)
    }

    fn is_moment(&self, column: usize) -> bool {
        self.table.columns[column].is_moment()
    }

    /// What is left of the names costs something, unless a condition or the records explain it.
    fn settle(&mut self) {
        for column in std::mem::take(&mut self.named) {
            let is_explained = self.filtered.contains(&column) || names_rows(self.table, column);
            if is_explained {
                continue;
            }
            self.frame.doubt.guesses += UNPLACED;
            self.frame.doubt.notes.push(format!("nothing was made of {}", self.table.column_name(column)));
        }
    }

    /// What is measured: named, hinted at, spoken of, or what amounts are asked of.
    fn measure(&mut self, hint: Option<Hint>) -> Option<usize> {
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
    fn filled_amount(&self) -> Option<usize> {
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
    fn spoken_of(&self) -> Option<usize> {
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
    fn made(&mut self, aggregate: Aggregate) -> Option<Query> {
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
        self.settle();
        grouped(self.table, self.frame, aggregate, self.filter.take())
    }

    fn time(&mut self) -> Option<usize> {
        match self.take(Self::is_moment) {
            Some(column) => Some(column),
            None => self.table.moment_or_first(&mut self.frame.doubt),
        }
    }

    fn counted(&mut self) -> Option<Query> {
        self.frame.measure.function = None;
        let counts_rows = self.frame.rows.records || self.frame.counts.times || self.frame.counts.records;
        let amount =
            self.named.iter().copied().find(|column| self.is_amount(*column) && self.is_free(*column));
        let thing = self.named.iter().copied().find(|column| self.is_free_text(*column));
        let aggregate = match (amount, thing) {
            _ if counts_rows && !self.frame.distinct => Aggregate::count(),
            (Some(column), _) if !self.frame.distinct => {
                self.frame.doubt.guesses += BOLD_GUESS;
                self.named.retain(|other| *other != column);
                Aggregate::of(Function::Sum, column)
            }
            (_, Some(column)) if !names_rows(self.table, column) => {
                self.frame.doubt.guesses += BOLD_GUESS;
                self.named.retain(|other| *other != column);
                // `how many errors` of a column where most rows have none.
                let is_rare = self.table.columns[column].missing * 2 > self.table.rows && !self.frame.distinct;
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
    fn unnamed_count(&mut self) -> Aggregate {
        self.frame.doubt.guesses += BOLD_GUESS;
        if self.frame.counts.pieces
            && let Some(column) = self.table.quantity_column()
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
    fn how(&mut self, hint: Hint) -> Option<Query> {
        let measure = self.measure(Some(hint))?;
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
    fn groups_that_have(
        &mut self,
        comparison: crate::query::Comparison,
        value: rust_decimal::Decimal,
    ) -> Option<Query> {
        let column = self.take(Self::is_free_text)?;
        self.settle();
        let having = vec![Having { aggregate: Aggregate::count(), comparison, value }];
        let outputs = vec![Output::Key(0), Output::Aggregate(Aggregate::count())];
        Some(Query {
            filter: self.filter.take(),
            groups: vec![Key::Column(column)],
            outputs,
            having,
            ..Query::default()
        })
    }

    /// A share, a difference, several numbers: as the stricter reading makes them, without the names that find no place.
    fn compound(&mut self) -> Option<Query> {
        let amount = self.take(Self::is_amount);
        self.settle();
        self.frame.named.columns.extend(amount);
        if self.frame.share {
            if self.frame.parted.unit.take().is_some() {
                self.frame.doubt.guesses += UNPLACED;
            }
            return readings::share(self.table, self.frame);
        }
        match self.frame.apart.difference {
            Some(is_signed) => readings::difference(self.table, self.frame, is_signed),
            None => readings::several(self.table, self.frame, self.filter.take()),
        }
    }

    /// What is ranked or listed: a column that the question names, or that `who`, `where`, `which day` ask for.
    fn key(&mut self) -> Option<Key> {
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

    fn ranked(&mut self) -> Option<Query> {
        let descending =
            self.frame.rank.extreme.map(|(largest, _)| largest).or(self.frame.rank.most).unwrap_or(true);
        let hint = self.frame.rank.extreme.map_or(Hint::None, |(_, hint)| hint);
        let limit = Some(Limit { count: self.frame.rank.top.unwrap_or(1), with_ties: true });
        // `who had the highest, and when`
        let asks_more = self.frame.asks.contains(&Word::Who) || self.named.iter().any(|column| self.is_free_text(*column));
        let asks_when = self.frame.asks.contains(&Word::When);
        if hint == Hint::Moment {
            return self.in_time(descending, limit);
        }
        if asks_when && !asks_more {
            let measure = self.measure(Some(hint))?;
            let time = self.time()?;
            self.settle();
            return Some(top_rows(self.filter.take(), time, measure, descending, limit));
        }
        if !self.frame.parted.by.is_empty() && self.frame.rank.top.is_none() {
            let measure = self.measure(Some(hint))?;
            let function = self.frame.measure.function.take().unwrap_or(if descending {
                Function::Max
            } else {
                Function::Min
            });
            return self.made(Aggregate::of(function, measure));
        }
        let is_value = self.frame.wanted.value && !asks_more
            || self.frame.wanted.what && !self.frame.rows.records && !asks_more
            || self.frame.asks.contains(&Word::HowMuch);
        let counts = self.frame.asks.contains(&Word::Count) || self.frame.rank.most.is_some();
        let key = self.key();
        let mut measure = self.take(Self::is_amount);
        if measure.is_none() && self.frame.rank.most.is_some() && !self.frame.rows.records {
            measure = self.most_of();
        }
        // `our best customer`: by all that they brought.
        if hint == Hint::Best
            && measure.is_none_or(|measure| Some(measure) == likely_amount(self.table))
            && only_fitting(self.table, hint).is_none()
            && let (Some(Key::Column(column)), Some(amount)) = (key.clone(), likely_amount(self.table))
            && !names_rows(self.table, column)
        {
            self.frame.doubt.guesses += BOLD_GUESS;
            let key = Key::Column(column);
            self.settle();
            return Some(top_groups(
                self.filter.take(),
                key,
                Aggregate::of(Function::Sum, amount),
                descending,
                limit,
            ));
        }
        if let Some(function) = self.frame.measure.function.clone() {
            let measure = measure.or_else(|| self.measure(Some(hint)))?;
            let key = key?;
            self.settle();
            return Some(top_groups(
                self.filter.take(),
                key,
                Aggregate::of(function, measure),
                descending,
                limit,
            ));
        }
        if counts || matches!(key, Some(Key::Bucket(..))) {
            let key = key?;
            let aggregate = match measure {
                Some(measure) => {
                    self.frame.doubt.guesses += GUESS;
                    self.frame.rank.adds_up_unsaid = true;
                    if let (Key::Column(column), true) =
                        (&key, matches!(&key, Key::Column(column) if names_rows(self.table, *column)))
                    {
                        let column = *column;
                        self.settle();
                        return Some(top_rows(self.filter.take(), column, measure, descending, limit));
                    }
                    Aggregate::of(Function::Sum, measure)
                }
                None => Aggregate::count(),
            };
            self.settle();
            return Some(top_groups(self.filter.take(), key, aggregate, descending, limit));
        }
        let measure = match measure {
            Some(measure) => measure,
            None => self.measure(Some(hint))?,
        };
        let descending = descending != falls_with_age(self.table, measure, hint);
        match key {
            Some(Key::Column(column)) => {
                self.frame.doubt.guesses += if names_rows(self.table, column) { 0 } else { GUESS };
                let mut query = top_rows(None, column, measure, descending, limit);
                self.show_more(&mut query, column, measure);
                self.settle();
                query.filter = self.filter.take();
                Some(query)
            }
            _ if is_value && self.frame.rank.top.is_none() => {
                let function = if descending { Function::Max } else { Function::Min };
                self.made(Aggregate::of(function, measure))
            }
            _ => {
                self.frame.doubt.guesses += GUESS;
                self.settle();
                let name = row_name(self.table, measure).or_else(|| self.name().filter(|name| *name != measure))?;
                Some(top_rows(self.filter.take(), name, measure, descending, limit))
            }
        }
    }

    /// What `who` asks for: of several columns of people, the one of which the question speaks, else the first.
    fn who(&mut self) -> Option<Vec<usize>> {
        let is_person = |column: &usize| {
            self.table.columns[*column].is_text()
                && vocabulary::names_a_person(&words::parts(&self.table.columns[*column].name))
        };
        let mut people: Vec<usize> =
            (0..self.table.columns.len()).filter(is_person).filter(|column| self.is_free(*column)).collect();
        if people.len() < 2 {
            return self.table.who_columns(self.frame);
        }
        // Vendors are firms as often.
        let is_seller = |column: &usize| {
            words::parts(&self.table.columns[*column].name).iter().any(|part| vocabulary::are_synonyms(part, "vendor"))
        };
        people.sort_by_key(is_seller);
        self.frame.doubt.guesses += GUESS;
        let roots: Vec<String> = self.spoken.iter().map(|word| words::verb_root(word)).collect();
        let is_spoken_of = |column: &&usize| {
            let parts = words::parts(&self.table.columns[**column].name);
            parts.iter().any(|part| roots.contains(&words::verb_root(part)))
        };
        people.iter().find(is_spoken_of).or(people.first()).map(|column| vec![*column])
    }

    /// `what did we spend`, `was haben wir eingenommen`: the amount that the verb speaks of.
    fn done(&mut self) -> Option<usize> {
        if !self.frame.wanted.did || self.named.iter().any(|column| self.is_free_text(*column)) {
            return None;
        }
        self.frame.doubt.guesses += GUESS;
        if let Some(column) = self.take(Self::is_amount) {
            return Some(column);
        }
        match self.frame.measure.by_verb.as_slice() {
            [column] => Some(*column),
            _ => self.spoken_of().or_else(|| self.filled_amount()),
        }
    }

    /// What records are called where nobody says by what: a name of their own, what is written over names, a person, a number.
    fn name(&self) -> Option<usize> {
        let parts = |column: usize| words::parts(&self.table.columns[column].name);
        let is_name = |column: &usize| {
            self.table.columns[*column].is_text()
                && self.is_free(*column)
                && !self.table.holds_numbered_names(*column)
        };
        let says_name = |column: &usize| {
            is_name(column) && parts(*column).iter().any(|part| NAMES.contains(&part.as_str()))
        };
        let is_person = |column: &usize| is_name(column) && vocabulary::names_a_person(&parts(*column));
        let all = || 0..self.table.columns.len();
        all()
            .find(|column| is_name(column) && names_rows(self.table, *column))
            .or_else(|| all().find(says_name))
            .or_else(|| all().find(is_person))
            .or_else(|| all().find(|column| self.table.is_unique(*column)))
    }

    /// The amount of which `the most` is said without its name: `the most milk`, `am meisten gespendet`.
    fn most_of(&mut self) -> Option<usize> {
        self.frame.doubt.guesses += GUESS;
        if let [column] = self.frame.measure.by_verb.as_slice() {
            return Some(*column);
        }
        self.spoken_of()
    }

    /// What else is asked of the rows, in the order in which it is said, before what they are ranked by.
    fn show_more(&mut self, query: &mut Query, first: usize, measure: usize) {
        let mut shown: Vec<usize> = Vec::new();
        for said in self.said {
            match said {
                Said::Column(column) if *column == first || self.named.contains(column) && *column != measure => shown.push(*column),
                Said::When => shown.extend(self.table.moment_column()),
                Said::Who => shown.extend(self.who().unwrap_or_default()),
                Said::Column(_) => {}
            }
        }
        self.named.retain(|column| !shown.contains(column));
        if !shown.contains(&first) {
            shown.insert(0, first);
        }
        shown.retain(|column| *column != measure);
        let mut seen = Vec::new();
        shown.retain(|column| !seen.contains(column) && { seen.push(*column); true });
        shown.push(measure);
        query.order[0].output = shown.len() - 1;
        query.outputs = shown.into_iter().map(Output::Column).collect();
    }

    /// The first or the last: its time, its name, or what else of it is asked for.
    fn in_time(&mut self, descending: bool, limit: Option<Limit>) -> Option<Query> {
        let is_time = |assembly: &Self, column: usize| is_in_time(assembly.table, column);
        let time = match self.take(is_time) {
            Some(column) => column,
            None => self.table.moment_or_first(&mut self.frame.doubt)?,
        };
        let mut outputs: Vec<Output> = Vec::new();
        if !self.frame.asks.contains(&Word::When) {
            while let Some(column) = self.take(Self::is_free) {
                outputs.push(Output::Column(column));
            }
            if outputs.is_empty() && self.frame.asks.contains(&Word::Who) {
                outputs.extend(self.who()?.into_iter().map(Output::Column));
            }
            if outputs.is_empty()
                && let Some(name) = row_name(self.table, time)
            {
                outputs.push(Output::Column(name));
            }
        }
        outputs.push(Output::Column(time));
        self.settle();
        let order = vec![Order { output: outputs.len() - 1, descending }];
        Some(Query { filter: self.filter.take(), outputs, order, limit, ..Query::default() })
    }

    /// Columns of the rows that match.
    fn listed(&mut self) -> Option<Query> {
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
            let is_said_of_them = asks.contains(&Word::Who) && self.filter.is_some() && self.is_amount(column);
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
                Some(column) => vec![column],
                None => (0..self.table.columns.len()).collect(),
            };
        }
        self.settle();
        let distinct = columns.len() == 1;
        let outputs = columns.into_iter().map(Output::Column).collect();
        Some(Query { filter: self.filter.take(), outputs, limit: Some(all()), distinct, ..Query::default() })
    }
}

fn all() -> Limit {
    Limit { count: MAX_LISTED, with_ties: false }
}
