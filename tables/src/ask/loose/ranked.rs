//! The largest, the most, the first: of rows or of groups, with what else is asked of them.

use super::assembly::{Assembly, BOLD_GUESS, GUESS, Said};
use crate::ask::lexicon::{Hint, Word};
use crate::ask::ranking::{row_name, top_groups, top_rows};
use crate::ask::readings::{likely_amount, names_rows};
use crate::ask::superlatives::{is_in_time, is_turned, only_fitting};
use crate::query::{Aggregate, Function, Key, Limit, Order, Output, Query};
use crate::table::Table;
use crate::{vocabulary, words};

/// What is written over names of things.
const NAMES: &[&str] = &[
    "name",
    "title",
    "titel",
    "bezeichnung",
    "item",
    "product",
    "produkt",
    "artikel",
    "article",
    "pet",
    "animal",
    "vendor",
    "what",
    "description",
    "beschreibung",
    "call",
    "address",
];

impl Assembly<'_> {
    #[expect(clippy::too_many_lines, reason = "one case of what is ranked after another")]
    pub(super) fn ranked(&mut self) -> Option<Query> {
        let descending =
            self.frame.rank.extreme.map(|(largest, _)| largest).or(self.frame.rank.most).unwrap_or(true);
        let hint = self.frame.rank.extreme.map_or(Hint::None, |(_, hint)| hint);
        let limit = Some(Limit { count: self.frame.rank.top.unwrap_or(1), with_ties: true });
        // `who had the highest, and when`
        let asks_more = self.frame.asks.contains(&Word::Who)
            || self.named.iter().any(|column| self.is_free_text(*column));
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
            let descending = descending != is_turned(self.table, measure, hint);
            self.settle();
            return Some(top_groups(
                self.filter.take(),
                key,
                Aggregate::of(function, measure),
                descending,
                limit,
            ));
        }
        // `on which day did it take the longest`: the largest of each day.
        if let (Some(key @ Key::Bucket(..)), false, true) = (key.clone(), counts, hint != Hint::None)
            && let Some(measure) = measure.or_else(|| only_fitting(self.table, hint))
        {
            self.frame.doubt.guesses += GUESS;
            self.settle();
            let function = if descending { Function::Max } else { Function::Min };
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
        let descending = descending != is_turned(self.table, measure, hint);
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
                let name =
                    row_name(self.table, measure).or_else(|| self.name().filter(|name| *name != measure))?;
                Some(top_rows(self.filter.take(), name, measure, descending, limit))
            }
        }
    }

    /// What `who` asks for: of several columns of people, the one of which the question speaks, else the first.
    pub(super) fn who(&mut self) -> Option<Vec<usize>> {
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
            words::parts(&self.table.columns[*column].name).iter().any(|part| {
                vocabulary::are_synonyms(part, "vendor") || vocabulary::are_synonyms(part, "author")
            })
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
    pub(super) fn done(&mut self) -> Option<usize> {
        if !self.frame.wanted.did || self.named.iter().any(|column| self.is_free_text(*column)) {
            return None;
        }
        self.frame.doubt.guesses += GUESS;
        if let Some(column) = self.take(Self::is_amount) {
            return Some(column);
        }
        match self.frame.measure.by_verb.as_slice() {
            // `was kostet ein Brot` adds up no prices.
            [column] if vocabulary::names_unit_price(&words::parts(&self.table.columns[*column].name)) => {
                self.named.push(*column);
                None
            }
            [column] => Some(*column),
            _ => self.spoken_of().or_else(|| self.filled_amount()),
        }
    }

    /// What records are called where nobody says by what: a name of their own, what is written over names, a person, a number.
    pub(super) fn name(&self) -> Option<usize> {
        name_among(self.table, |column| self.is_free(column))
    }

    /// The amount of which `the most` is said without its name: `the most milk`, `am meisten gespendet`.
    pub(super) fn most_of(&mut self) -> Option<usize> {
        self.frame.doubt.guesses += GUESS;
        if let [column] = self.frame.measure.by_verb.as_slice() {
            return Some(*column);
        }
        self.spoken_of()
    }

    /// What else is asked of the rows, in the order in which it is said, before what they are ranked by.
    pub(super) fn show_more(&mut self, query: &mut Query, first: usize, measure: usize) {
        let mut shown: Vec<usize> = Vec::new();
        for said in self.said {
            match said {
                Said::Column(column)
                    if *column == first || self.named.contains(column) && *column != measure =>
                {
                    shown.push(*column);
                }
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
        shown.retain(|column| {
            !seen.contains(column) && {
                seen.push(*column);
                true
            }
        });
        shown.push(measure);
        query.order[0].output = shown.len() - 1;
        query.outputs = shown.into_iter().map(Output::Column).collect();
    }

    /// The first or the last: its time, its name, or what else of it is asked for.
    pub(super) fn in_time(&mut self, descending: bool, limit: Option<Limit>) -> Option<Query> {
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
}

/// What the records of a table are called, where nobody says by what.
pub(in crate::ask) fn name_of_rows(table: &Table) -> Option<usize> {
    name_among(table, |_| true)
}

fn name_among(table: &Table, is_free: impl Fn(usize) -> bool) -> Option<usize> {
    let parts = |column: usize| words::parts(&table.columns[column].name);
    let is_name = |column: &usize| {
        table.columns[*column].is_text() && is_free(*column) && !table.holds_numbered_names(*column)
    };
    let says_name =
        |column: &usize| is_name(column) && parts(*column).iter().any(|part| NAMES.contains(&part.as_str()));
    let is_person = |column: &usize| is_name(column) && vocabulary::names_a_person(&parts(*column));
    let all = || 0..table.columns.len();
    all()
        .find(|column| is_name(column) && names_rows(table, *column))
        .or_else(|| all().find(says_name))
        .or_else(|| all().find(is_person))
        .or_else(|| all().find(|column| table.is_unique(*column)))
}
