//! What a question says of groups and of order: `more than 8 orders`, `each of us`, `the best three`, `by salary in ascending order`.

use rust_decimal::Decimal;

use super::frame::Parser;
use super::lexicon::{Hint, Word};
use super::pieces::Meaning;
use super::readings::names_rows;
use crate::query::{Comparison, Filter};

impl Parser<'_> {
    /// `the customer that has more than 8 orders`: said of a group, where a column is asked for.
    pub(super) fn having(&mut self) -> bool {
        if self.frame.parted.having.is_some() {
            return false;
        }
        if self.having_or_more() {
            return true;
        }
        let Some(Word::Compare(comparison)) = self.word(0) else { return false };
        let number = 1 + self.fillers(1);
        let Some(value) = self.whole_number(number) else { return false };
        let counts_times = self.counts_times(number);
        // `customers who came more than twice`
        if let (true, [], [column]) =
            (counts_times, self.frame.named.asked.as_slice(), self.frame.named.columns.as_slice())
            && self.table.columns[*column].is_text()
        {
            self.frame.named.asked.append(&mut self.frame.named.columns);
            self.frame.asks.push(Word::Which);
            self.frame.doubt.guesses += 3;
        }
        if self.frame.named.asked.len() != 1 || !counts_times && self.records_behind(number).is_none() {
            return false;
        }
        self.frame.parted.having = Some((comparison, value));
        // `more than 8 open orders`: what stands between is a condition.
        self.at += number + 1;
        true
    }

    /// `which children have two or more loans`
    fn having_or_more(&mut self) -> bool {
        let Some(value) = self.whole_number(0) else { return false };
        let Some(Word::Compare(comparison)) = self.word(1) else { return false };
        let is_behind = self.texts.get(self.at + 1).is_some_and(|text| {
            let text = text.to_lowercase();
            text.starts_with("or ") || text.starts_with("oder ") || text.starts_with("und ")
        });
        if !is_behind || self.frame.named.asked.len() != 1 || self.records_behind(1).is_none() {
            return false;
        }
        self.frame.parted.having = Some((comparison, value));
        self.at += 2;
        true
    }

    /// `twice`, `three times`
    pub(super) fn counts_times(&self, number: usize) -> bool {
        let says = |at: usize, list: &[&str]| {
            self.texts.get(self.at + at).is_some_and(|text| list.contains(&text.to_lowercase().as_str()))
        };
        says(number, &["once", "twice", "einmal", "zweimal", "dreimal"])
            || says(number + 1, &["time", "times", "mal"])
    }

    /// The place of the word for records behind a number, with nothing but values between: `more than 8 open orders`.
    pub(super) fn records_behind(&self, number: usize) -> Option<usize> {
        let mut next = number + 1;
        loop {
            match self.peek(next)? {
                Meaning::Noun | Meaning::Word(Word::Records) => return Some(next),
                // `more than 3 tickets`, by the name that each of them has.
                Meaning::Column(column) if names_rows(self.table, *column) => return Some(next),
                // `over 400 at any milking` counts no milkings.
                Meaning::Word(Word::Noise) if self.is_preposition_at(next) => return None,
                Meaning::Value { .. } | Meaning::InText { .. } | Meaning::Word(Word::Noise) => next += 1,
                _ => return None,
            }
        }
    }

    fn is_preposition_at(&self, offset: usize) -> bool {
        let text = self.texts[self.at + offset].to_lowercase();
        matches!(text.as_str(), "in" | "at" | "on" | "for" | "im" | "am" | "bei" | "beim")
    }

    fn whole_number(&self, offset: usize) -> Option<Decimal> {
        match self.peek(offset)? {
            Meaning::Number(quantity) if quantity.is_plain() => Some(quantity.value),
            Meaning::Word(Word::Small(number)) => Some(Decimal::from(*number)),
            _ => None,
        }
    }

    /// `each of us`, `each person`
    pub(super) fn is_each_person(&self) -> bool {
        const PEOPLE: &[&str] = &["us", "them", "person", "people", "uns", "ihnen", "kopf", "head"];
        let next = (1..=2).filter_map(|ahead| self.texts.get(self.at + ahead));
        next.map(|text| text.to_lowercase()).any(|text| PEOPLE.contains(&text.as_str()))
            && !matches!(self.peek(1), Some(Meaning::Column(_)))
    }

    /// `the best three`
    pub(super) fn top_behind(&mut self) {
        let count = match self.peek(1) {
            Some(Meaning::Word(Word::Small(count))) => Some(*count),
            Some(Meaning::Number(quantity)) if quantity.value.scale() == 0 && quantity.unit.is_none() => {
                u32::try_from(quantity.value.mantissa()).ok().filter(|count| (1..=100).contains(count))
            }
            _ => None,
        };
        let is_best = matches!(self.word(0), Some(Word::Extreme(_, Hint::Best)));
        let is_said_of_next = match self.peek(2) {
            // `the worst three cows`
            Some(Meaning::Column(column)) => !is_best || !self.table.columns[*column].is_text(),
            Some(Meaning::Word(Word::Unit(_))) => true,
            _ => false,
        };
        if let (Some(count), None, false) = (count, self.frame.rank.top, is_said_of_next) {
            self.frame.rank.top = Some(count);
            self.frame.doubt.guesses += 1;
            self.at += 1;
        }
    }

    /// `sorted by year`, `sort the names by year in descending order`, `ordered by ascending year`.
    pub(super) fn sort(&mut self) -> bool {
        let mut next = 1 + self.fillers(1);
        let direction = |word: Option<Word>| match word {
            Some(Word::Descending) => Some(true),
            Some(Word::Ascending) => Some(false),
            _ => None,
        };
        let mut descending = direction(self.word(next));
        if descending.is_some() {
            next += 1;
            next += self.fillers(next);
        }
        let Some(Meaning::Column(column)) = self.peek(next) else { return false };
        next += 1;
        let behind = next + self.fillers(next);
        if let (None, Some(found)) = (descending, direction(self.word(behind))) {
            descending = Some(found);
            next = behind + 1;
        }
        self.frame.order.by = Some((*column, descending.unwrap_or(false)));
        self.at += next;
        true
    }

    /// The only column of numbers that a condition compares.
    fn compared_number(&self) -> Option<usize> {
        let mut compared = self.frame.conditions.parts().iter().filter_map(|part| match &part.filter {
            Filter::Compare { column, .. } | Filter::Between { column, .. }
                if self.table.columns[*column].is_numeric() =>
            {
                Some(*column)
            }
            _ => None,
        });
        let first = compared.next()?;
        compared.next().is_none().then_some(first)
    }

    /// `in descending order of age`, `in alphabetical order`: of a column named behind, or of what is listed.
    pub(super) fn in_order(&mut self, descending: bool) -> bool {
        let mut next = 1 + self.fillers(1);
        if matches!(self.word(next), Some(Word::By | Word::SortBy)) {
            next += 1;
            next += self.fillers(next);
        }
        if let Some(Meaning::Column(column)) = self.peek(next) {
            self.frame.order.by = Some((*column, descending));
            self.at += next + 1;
        } else if let (true, Some(column)) = (
            self.texts[self.at].to_lowercase().ends_with("first")
                || self.texts[self.at].to_lowercase().ends_with("zuerst"),
            self.compared_number(),
        ) {
            // `everything over 1,000, dearest first`
            self.frame.order.by = Some((column, descending));
            self.frame.doubt.guesses += 3;
            self.at += 1;
        } else {
            let text = self.texts[self.at].to_lowercase();
            self.frame.order.by_number = text.ends_with("first") || text.ends_with("zuerst");
            let is_good = text.starts_with("best");
            self.frame.order.best = (is_good || text.starts_with("worst")).then_some(is_good);
            self.frame.order.listed = Some(descending);
            self.at += 1;
        }
        true
    }
}

/// A comparison of how often something stands there.
pub(super) type Having = (Comparison, Decimal);
