//! What follows a column's name: a value, a comparison, a time, `is missing`.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::conditions::{is, is_year, years_in};
use super::frame::Parser;
use super::happenings;
use super::lexicon::Word;
use super::pieces::Meaning;
use super::texts::text_filter;
use super::tokens::Quantity;
use crate::column::Kind;
use crate::query::{Aggregate, Comparison, Filter, Literal, Part, Query};

impl Parser<'_> {
    /// What follows a column's name: a value, a comparison, a time, `is missing`.
    #[expect(clippy::too_many_lines, reason = "one arm for each thing that may follow")]
    pub(super) fn of_column(&mut self, column: usize) -> Option<Filter> {
        let start = self.at;
        let described = &self.table.columns[column];
        let mut next = 1 + self.fillers(1);
        let negated = self.word(next) == Some(Word::Not);
        if negated {
            next += 1 + self.fillers(next + 1);
        }
        let had_verb =
            (start + 1..start + next).any(|index| matches!(self.pieces[index], Meaning::Word(Word::Verb)));
        if had_verb && self.speaks_of_another_moment(column, start + 1, start + next) {
            return None;
        }
        let filter = match self.peek(next).cloned() {
            // `transactions are missing a method` says it of the method.
            Some(Meaning::Word(Word::Missing))
                if matches!(self.peek(next + 1 + self.fillers(next + 1)), Some(Meaning::Column(_)))
                    || described.missing == 0 && self.pieces[self.at + next..].iter().any(|piece| {
                        matches!(piece, Meaning::Column(other) if self.table.columns[*other].missing > 0)
                    }) =>
            {
                None
            }
            Some(Meaning::Word(Word::Missing)) => {
                self.at += next + 1;
                // `receipts are missing` where the column says yes or no of each.
                Some(if described.missing == 0 { self.nothing_in(column) } else { Filter::Missing(column) })
            }
            // `card transactions are over 500`, `orders over 100` compare amounts, not the numbers of transactions.
            Some(Meaning::Word(Word::Compare(_) | Word::Between))
                if (had_verb || !self.texts[start].eq_ignore_ascii_case(&described.name))
                    && self.is_identifier(column) =>
            {
                None
            }
            Some(Meaning::Word(Word::Compare(_))) if self.is_preposition(next) => {
                self.value_behind(column, next)
            }
            // `paid by card`
            Some(Meaning::Word(Word::By)) => self.value_behind(column, next),
            Some(Meaning::Word(Word::Negative(is_negative))) if described.is_numeric() => {
                self.at += next + 1;
                let comparison = if is_negative { Comparison::Less } else { Comparison::Greater };
                Some(Filter::Compare { column, comparison, value: Literal::Number(Decimal::ZERO) })
            }
            Some(Meaning::Word(Word::Compare(comparison))) => self.compared(column, comparison, next),
            Some(Meaning::Word(Word::Between)) => self.between(column, next),
            Some(Meaning::Word(word @ (Word::Before | Word::After | Word::Since | Word::Until)))
                if is_year(described) =>
            {
                self.year_comparison(column, word, next)
            }
            Some(Meaning::Word(Word::Before | Word::After | Word::Since | Word::Until))
                if described.is_moment() || described.kind == Kind::Time =>
            {
                self.time_comparison(column, next)
            }
            Some(Meaning::Word(
                test @ (Word::Contains | Word::Mentions | Word::StartsWith | Word::EndsWith | Word::Matches),
            )) => {
                let (wanted, length) = self.text_at(next + 1)?;
                // `tickets mention a password`, though not in their numbers.
                if test == Word::Mentions && self.table.holds_numbered_names(column) {
                    return None;
                }
                self.at += length;
                text_filter(column, test, wanted)
            }
            Some(Meaning::Value { column: other, values, folded }) if other == column => {
                self.at += next + 1;
                Some(self.value_list(column, values, folded))
            }
            // `the numbers of the three largest orders`
            Some(Meaning::Number(_))
                if matches!(
                    self.word(next + 1 + self.fillers(next + 1)),
                    Some(Word::Extreme(..) | Word::Most(_))
                ) =>
            {
                None
            }
            // `the number of tickets in 2007` says when, not how many.
            Some(Meaning::Number(_)) if self.says_where(start + 1, start + next) => None,
            Some(Meaning::Number(quantity)) if described.is_numeric() => {
                let value = self.literal(column, &quantity)?;
                // `tickets were rated 4 or 5`: no numbers of tickets.
                let either = self.either_number(next).filter(|_| !self.is_identifier(column));
                if let Some((values, length)) = either {
                    self.at += next + length;
                    Some(Filter::In { column, values })
                } else {
                    self.at += next + 1;
                    let comparison = self.or_more().unwrap_or(Comparison::Equal);
                    Some(Filter::Compare { column, comparison, value })
                }
            }
            Some(Meaning::Time(span)) if is_year(described) => {
                self.at += next + 1;
                years_in(column, &span)
            }
            Some(Meaning::Time(span)) if described.is_moment() => {
                self.at += next + 1;
                self.in_span(column, &span)
            }
            Some(Meaning::Text(text)) if described.is_text() => {
                self.at += next + 1;
                Some(Filter::In { column, values: vec![Literal::Text(text)] })
            }
            _ => None,
        };
        if let Some(filter) = filter {
            return Some(if negated { self.negation(filter) } else { filter });
        }
        self.at = start;
        self.yes_or_no(column, next, negated, had_verb)
    }

    /// `1 or 2`, `3, 4 or 5`: plain numbers of which any may stand there, and how many pieces they take.
    fn either_number(&self, offset: usize) -> Option<(Vec<Literal>, usize)> {
        let number = |at: usize| match self.peek(offset + at)? {
            Meaning::Number(quantity) if quantity.is_plain() => Some(Literal::Number(quantity.value)),
            Meaning::Word(Word::Small(number)) => Some(Literal::Number(Decimal::from(*number))),
            _ => None,
        };
        let mut values = vec![number(0)?];
        let mut length = 1;
        while matches!(self.word(offset + length), Some(Word::Or | Word::And))
            && let Some(value) = number(length + 1)
        {
            values.push(value);
            length += 2;
        }
        (values.len() > 1).then_some((values, length))
    }

    /// `4 or 5 stars`, `mit 1 oder 2 bewertet`: any of some numbers of the column behind them.
    pub(super) fn either_of_column(&mut self) -> Option<Filter> {
        let (values, length) = self.either_number(0)?;
        let behind = length + self.fillers(length);
        let Meaning::Column(column) = *self.peek(behind)? else { return None };
        if !self.table.columns[column].is_numeric() || self.is_identifier(column) {
            return None;
        }
        self.at += behind + 1;
        self.frame.doubt.guesses += 1;
        Some(Filter::In { column, values })
    }

    /// `with only 5% VAT`, `have 3 rooms`: that number of the column behind it, and not so many rows of it.
    pub(super) fn number_of_column(&mut self, quantity: &Quantity) -> Option<Filter> {
        const BEFORE: &[&str] =
            &["with", "mit", "have", "has", "had", "having", "haben", "hat", "hatte", "hatten"];
        let is_small =
            |text: &str| matches!(text, "only" | "just" | "nur" | "exactly" | "genau" | "a" | "an");
        let says_with = self.texts[..self.at]
            .iter()
            .map(|text| text.to_lowercase())
            .rfind(|text| !is_small(text))
            .is_some_and(|text| BEFORE.contains(&text.as_str()));
        let Some(Meaning::Column(column)) = self.peek(1).cloned() else { return None };
        if !says_with || !self.table.columns[column].is_numeric() || self.is_identifier(column) {
            return None;
        }
        let value = self.literal(column, quantity)?;
        self.at += 2;
        self.frame.doubt.guesses += 1;
        Some(Filter::Compare { column, comparison: Comparison::Equal, value })
    }

    /// `before 10`, where a column tells the time of day, and none the year.
    pub(super) fn before_hour(&mut self, quantity: &Quantity) -> Option<Filter> {
        let word = self.word(0)?;
        if let Some(column) = self.only_column(is_year) {
            return self.year_comparison(column, word, 0);
        }
        let hour = quantity
            .value
            .to_i64()
            .filter(|hour| (1..24).contains(hour) && quantity.value.fract().is_zero())?;
        let column = self.table.clock_column()?;
        self.at += 2 + self.fillers(1);
        self.frame.doubt.guesses += 3;
        let values = if matches!(word, Word::Before | Word::Until) {
            (0..hour).collect()
        } else {
            (hour..24).collect()
        };
        Some(Filter::Part { column, part: Part::Hour, values })
    }

    /// `loans came back in April`: when they came back, and not when they were loaned.
    fn speaks_of_another_moment(&self, column: usize, from: usize, to: usize) -> bool {
        self.table.columns[column].is_moment()
            && happenings::moment_near(self.table, &self.texts[from..to], 0)
                .is_some_and(|other| other != column)
    }

    /// Whether one of some pieces is a word that says where or when.
    fn says_where(&self, from: usize, to: usize) -> bool {
        self.texts[from..to]
            .iter()
            .any(|text| ["in", "im", "on", "am", "for", "für"].contains(&text.to_lowercase().as_str()))
    }

    /// The value behind a word at an offset.
    fn value_behind(&mut self, column: usize, offset: usize) -> Option<Filter> {
        let next = offset + 1 + self.fillers(offset + 1);
        match self.peek(next).cloned()? {
            Meaning::Value { column: other, values, folded } if other == column => {
                self.at += next + 1;
                Some(self.value_list(column, values, folded))
            }
            _ => None,
        }
    }

    /// `remote employees`, `are active`
    fn yes_or_no(&mut self, column: usize, next: usize, negated: bool, had_verb: bool) -> Option<Filter> {
        let start = self.at;
        let Kind::Boolean { yes, no } = self.table.columns[column].kind else { return None };
        let says = |text: Option<&String>| match text.map(|text| text.to_lowercase()) {
            Some(text) if text == yes => Some(true),
            Some(text) if text == no => Some(false),
            _ => None,
        };
        if let Some(value) = says(self.texts.get(start + next)) {
            self.at = start + next + 1;
            return Some(is(column, Literal::Boolean(value != negated)));
        }
        let asked = start > 0
            && matches!(
                self.pieces[start - 1],
                Meaning::Word(Word::Per | Word::By | Word::Which | Word::Distinct)
            );
        let is_with = start > 0
            && ["with", "mit", "including", "inklusive"]
                .contains(&self.texts[start - 1].to_lowercase().as_str());
        if is_with || !asked && !negated && !had_verb || self.after_verb && !negated {
            self.at = start + 1;
            // `a delivery to Bonn` speaks of no column `delivered`.
            let text = crate::words::fold(&self.texts[start]);
            let is_named = text == crate::words::fold(&self.table.columns[column].name)
                || crate::words::parts(&self.table.columns[column].name)
                    .iter()
                    .all(|part| text.split(' ').any(|word| crate::words::same_but_plural(word, part)));
            self.frame.doubt.guesses += if is_named { 0 } else { 3 };
            return Some(is(column, Literal::Boolean(true)));
        }
        None
    }

    /// `under MIT`: a comparison's word before a value that cannot be compared.
    pub(super) fn is_preposition(&self, offset: usize) -> bool {
        let text = self.texts[self.at + offset].to_lowercase();
        matches!(text.as_str(), "under" | "unter" | "over" | "über")
            && matches!(self.peek(offset + 1 + self.fillers(offset + 1)), Some(Meaning::Value { .. }))
    }

    /// `no spare parts`: for nothing. `no passengers`: none, or nobody knows?
    pub(super) fn doubt_nothing(&mut self, nothing: &Filter, column: usize) {
        let is_zero = matches!(nothing, Filter::Compare { value: Literal::Number(_), .. });
        self.frame.doubt.guesses += if is_zero || self.holds_zeros(column) { 3 } else { 0 };
    }

    /// Whether a column of numbers has zeros among them.
    fn holds_zeros(&self, column: usize) -> bool {
        let zero = is(column, Literal::Number(Decimal::ZERO));
        let count = Query::number(Aggregate::count(), Some(zero));
        self.table.columns[column].is_numeric()
            && self.table.run(&count).is_ok_and(|outcome| outcome.matched > 0)
    }

    pub(super) fn nothing_in(&self, column: usize) -> Filter {
        match self.table.columns[column].kind {
            Kind::Boolean { .. } if self.says_yes_or_nothing(column) => Filter::Missing(column),
            Kind::Boolean { .. } => is(column, Literal::Boolean(false)),
            // `no mark in Sport`, where some cells say why.
            // `no spare parts`, where every row says for how much.
            Kind::Number { .. }
                if self.table.columns[column].missing == 0 && self.table.columns[column].misfits == 0 =>
            {
                is(column, Literal::Number(Decimal::ZERO))
            }
            Kind::Number { .. } if self.table.says_why_not(column) => {
                Filter::Or(vec![Filter::Missing(column), Filter::Misfit(column)])
            }
            _ => Filter::Missing(column),
        }
    }
}
