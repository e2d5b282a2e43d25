//! Conditions of a question: a column and a value, a comparison, a time, what is missing.

use jiff::civil::DateTime;
use rust_decimal::Decimal;

use super::frame::Parser;
use super::lexicon::Word;
use super::pieces::Meaning;
use super::times::Span;
use super::tokens::Quantity;
use crate::column::{Column, Kind, Unit};
use crate::query::{Comparison, Filter, Literal, Part, TextTest};
use crate::value::unit::{self, Measure};
use crate::vocabulary;

/// Conditions in the order of the question, each with how it joins the one before.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    parts: Vec<Condition>,
    /// The word that stood behind the last condition.
    pending_or: bool,
    pending_and: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub filter: Filter,
    or: bool,
    /// Said behind a verb.
    pub after_verb: bool,
}

impl Conditions {
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub fn expect_and(&mut self) {
        self.pending_and = true;
    }

    fn push(&mut self, filter: Filter, after_verb: bool) {
        let or = std::mem::take(&mut self.pending_or);
        self.pending_and = false;
        self.parts.push(Condition { filter, or, after_verb });
    }

    pub fn parts(&self) -> &[Condition] {
        &self.parts
    }

    /// The conditions as one. `None` where `or` and `and` are mixed so that either could be meant.
    #[expect(
        clippy::option_option,
        reason = "no condition, and conditions that are not clear, are two things"
    )]
    pub fn joined(parts: &[Condition]) -> Option<Option<Filter>> {
        let mut groups: Vec<Vec<Filter>> = Vec::new();
        for part in parts {
            match groups.last_mut() {
                Some(group) if part.or => group.push(part.filter.clone()),
                _ => groups.push(vec![part.filter.clone()]),
            }
        }
        if groups.len() > 1 && groups.iter().any(|group| group.len() > 1) {
            // `A or B in C`: clear only if A and B are of one column and C of another.
            let clear = groups.iter().filter(|group| group.len() > 1).all(|group| {
                let first = group[0].column();
                first.is_some() && group.iter().all(|filter| filter.column() == first)
            });
            if !clear {
                return None;
            }
        }
        let filters = groups
            .into_iter()
            .map(|mut group| if group.len() == 1 { group.remove(0) } else { Filter::Or(group) })
            .collect();
        Some(Filter::all(filters))
    }

    /// Whether a joining word has nothing behind it.
    pub fn is_open(&self) -> bool {
        self.pending_or || self.pending_and
    }
}

impl Parser<'_> {
    /// Reads a condition at the current place, if one begins here.
    pub fn condition(&mut self) -> bool {
        let start = self.at;
        if self.word(0) == Some(Word::Or) {
            if self.frame.conditions.is_empty() || self.frame.conditions.pending_or {
                return false;
            }
            self.at += 1;
            self.frame.conditions.pending_or = true;
            return true;
        }
        let mut negated = false;
        if self.word(0) == Some(Word::Not) {
            negated = true;
            self.at += 1 + self.fillers(1);
        }
        if let Some(filter) = self.leaf() {
            let filter = if negated { Filter::Not(Box::new(filter)) } else { filter };
            let after_verb = self.after_verb;
            self.frame.conditions.push(filter, after_verb);
            return true;
        }
        self.at = start;
        false
    }

    fn leaf(&mut self) -> Option<Filter> {
        match self.peek(0)?.clone() {
            Meaning::Word(Word::Without) => {
                let next = 1 + self.fillers(1);
                match self.peek(next)?.clone() {
                    Meaning::Column(column) => {
                        self.at += next + 1;
                        Some(self.nothing_in(column))
                    }
                    Meaning::Value { .. } => {
                        self.at += next;
                        let inner = self.leaf()?;
                        Some(Filter::Not(Box::new(inner)))
                    }
                    _ => None,
                }
            }
            Meaning::Word(Word::Missing) => {
                let next = 1 + self.fillers(1);
                let Meaning::Column(column) = *self.peek(next)? else { return None };
                self.at += next + 1;
                Some(Filter::Missing(column))
            }
            Meaning::Word(Word::Compare(_) | Word::Between) => self.free_comparison(),
            Meaning::Word(Word::Before | Word::After | Word::Since | Word::Until) => {
                let Some(column) = self.table.moment_column() else {
                    let column = self.only_column(is_year)?;
                    let word = self.word(0)?;
                    return self.year_comparison(column, word, 0);
                };
                self.time_comparison(column, 0)
            }
            Meaning::Word(
                test @ (Word::Contains | Word::Mentions | Word::StartsWith | Word::EndsWith | Word::Matches),
            ) => self.free_text(test),
            Meaning::Column(column) => self.of_column(column),
            Meaning::Value { column, values, folded } => {
                self.at += 1;
                Some(self.value_list(column, values, folded))
            }
            Meaning::Time(span) => {
                let column = self.table.moment_column()?;
                self.at += 1;
                self.in_span(column, &span)
            }
            // `returned 404`
            Meaning::Number(quantity)
                if quantity.value >= Decimal::from(100)
                    && quantity.value < Decimal::from(600)
                    && quantity.unit.is_none()
                    && self.at > 0
                    && self.texts[self.at - 1].eq_ignore_ascii_case("returned") =>
            {
                let column = self.only_column(vocabulary_is_status)?;
                self.at += 1;
                Some(is(column, Literal::Number(quantity.value)))
            }
            Meaning::Hundreds(digit) => {
                let column = self.only_column(vocabulary_is_status)?;
                self.at += 1;
                // `a 5xx status`
                if self.peek(0) == Some(&Meaning::Column(column)) {
                    self.at += 1;
                }
                let from = Decimal::from(u32::from(digit) * 100);
                Some(Filter::Between {
                    column,
                    from: Literal::Number(from),
                    to: Literal::Number(from + Decimal::from(100)),
                    includes_end: false,
                })
            }
            _ => None,
        }
    }

    /// `less than 20 in stock`: the column stands behind `in`, and nothing is said of it.
    fn stands_in(&self, number: usize, behind: usize) -> bool {
        behind == number + 2
            && self.texts[self.at + number + 1].eq_ignore_ascii_case("in")
            && !matches!(
                self.peek(behind + 1),
                Some(Meaning::Word(Word::Compare(_) | Word::Between | Word::Verb) | Meaning::Number(_))
            )
    }

    /// Whether a column's numbers name its records, though the table has amounts.
    fn is_identifier(&self, column: usize) -> bool {
        let parts = crate::words::parts(&self.table.columns[column].name);
        let is_ordered =
            parts.iter().any(|part| matches!(part.as_str(), "year" | "jahr" | "status" | "port" | "line"));
        vocabulary::names_codes(&parts) && !is_ordered && !self.table.measures().is_empty()
    }

    /// `after 2000` of a column of years.
    fn year_comparison(&mut self, column: usize, word: Word, offset: usize) -> Option<Filter> {
        let next = offset + 1 + self.fillers(offset + 1);
        let Meaning::Number(quantity) = self.peek(next)? else { return None };
        let value = Literal::Number(quantity.value);
        let comparison = match word {
            Word::Before => Comparison::Less,
            Word::After => Comparison::Greater,
            Word::Since => Comparison::AtLeast,
            _ => Comparison::AtMost,
        };
        self.at += next + 1;
        Some(Filter::Compare { column, comparison, value })
    }

    fn nothing_in(&self, column: usize) -> Filter {
        match self.table.columns[column].kind {
            Kind::Boolean { .. } => is(column, Literal::Boolean(false)),
            _ => Filter::Missing(column),
        }
    }

    /// What follows a column's name: a value, a comparison, a time, `is missing`.
    fn of_column(&mut self, column: usize) -> Option<Filter> {
        let start = self.at;
        let described = &self.table.columns[column];
        let mut next = 1 + self.fillers(1);
        let mut negated = false;
        if self.word(next) == Some(Word::Not) {
            negated = true;
            next += 1 + self.fillers(next + 1);
        }
        let had_verb =
            (start + 1..start + next).any(|index| matches!(self.pieces[index], Meaning::Word(Word::Verb)));
        let filter = match self.peek(next).cloned() {
            // `transactions are missing a method` says it of the method.
            Some(Meaning::Word(Word::Missing))
                if matches!(self.peek(next + 1 + self.fillers(next + 1)), Some(Meaning::Column(_))) =>
            {
                None
            }
            Some(Meaning::Word(Word::Missing)) => {
                self.at += next + 1;
                Some(Filter::Missing(column))
            }
            // `card transactions are over 500`, `orders over 100` compare amounts, not the numbers of transactions.
            Some(Meaning::Word(Word::Compare(_) | Word::Between))
                if (had_verb || !self.texts[start].eq_ignore_ascii_case(&described.name))
                    && self.is_identifier(column) =>
            {
                None
            }
            Some(Meaning::Word(Word::Compare(comparison))) => self.compared(column, comparison, next),
            Some(Meaning::Word(Word::Between)) => self.between(column, next),
            Some(Meaning::Word(word @ (Word::Before | Word::After | Word::Since | Word::Until)))
                if is_year(described) =>
            {
                self.year_comparison(column, word, next)
            }
            Some(Meaning::Word(Word::Before | Word::After | Word::Since | Word::Until))
                if described.is_moment() =>
            {
                self.time_comparison(column, next)
            }
            Some(Meaning::Word(
                test @ (Word::Contains | Word::Mentions | Word::StartsWith | Word::EndsWith | Word::Matches),
            )) => {
                let (wanted, length) = self.text_at(next + 1)?;
                self.at += length;
                text_filter(column, test, wanted)
            }
            Some(Meaning::Value { column: other, values, folded }) if other == column => {
                self.at += next + 1;
                Some(self.value_list(column, values, folded))
            }
            Some(Meaning::Number(quantity)) if described.is_numeric() => {
                let value = self.literal(column, &quantity)?;
                self.at += next + 1;
                Some(is(column, value))
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
            return Some(if negated { Filter::Not(Box::new(filter)) } else { filter });
        }
        self.at = start;
        // `remote employees`, `are active`
        if let Kind::Boolean { yes, no } = described.kind {
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
            if !asked && !negated && !had_verb || self.after_verb && !negated {
                self.at = start + 1;
                return Some(is(column, Literal::Boolean(true)));
            }
        }
        None
    }

    /// `over 100`, `between 5 and 10`, `more than 3 items`: the column is named behind, or is the only one it can be.
    fn free_comparison(&mut self) -> Option<Filter> {
        let Some(Meaning::Word(word)) = self.peek(0).cloned() else { return None };
        if word == Word::Between {
            if matches!(self.peek(1 + self.fillers(1)), Some(Meaning::Time(_))) {
                let column = self.table.moment_column()?;
                return self.between(column, 0);
            }
            let hours = self.hours_between();
            if hours.is_some() {
                return hours;
            }
        }
        let number = 1 + self.fillers(1);
        if let (Word::Compare(comparison), Some(Meaning::Number(quantity))) =
            (word, self.peek(number).cloned())
        {
            let behind = number + 1 + self.fillers(number + 1);
            // `more than 3 orders` is said of a group.
            if matches!(self.peek(behind), Some(Meaning::Noun | Meaning::Word(Word::Records)))
                && quantity.unit.is_none()
                && !self.frame.asked.is_empty()
            {
                self.frame.having = Some((comparison, quantity.value));
                self.at += behind + 1;
                return self.leaf();
            }
            if let Some(Meaning::Column(column)) = self.peek(behind)
                && self.table.columns[*column].is_numeric()
                && (behind == number + 1 || self.stands_in(number, behind))
            {
                // `more than 3 orders` counts orders and compares no order's number.
                if vocabulary::names_codes(&crate::words::parts(&self.table.columns[*column].name)) {
                    return None;
                }
                let column = *column;
                let value = self.literal(column, &quantity)?;
                self.at += behind + 1;
                return Some(Filter::Compare { column, comparison, value });
            }
            let column = self.measure_for(&quantity)?;
            return self.compared(column, comparison, 0);
        }
        if let (Word::Between, Some(Meaning::Number(quantity))) = (word, self.peek(number).cloned()) {
            let column = self.measure_for(&quantity)?;
            return self.between(column, 0);
        }
        None
    }

    /// `between 10 and 11` is of the clock where the table has times and the numbers are hours.
    fn hours_between(&mut self) -> Option<Filter> {
        let column = self
            .table
            .moment_column()
            .filter(|column| matches!(self.table.columns[*column].kind, Kind::DateTime { .. }))?;
        let (Meaning::Number(from), Word::And, Meaning::Number(to)) =
            (self.peek(1)?, self.word(2)?, self.peek(3)?)
        else {
            return None;
        };
        let hour = |quantity: &Quantity| {
            quantity
                .value
                .to_string()
                .parse::<i64>()
                .ok()
                .filter(|hour| (0..=24).contains(hour) && quantity.unit.is_none())
        };
        let (from, to) = (hour(from)?, hour(to)?);
        if from >= to {
            return None;
        }
        self.at += 4;
        // The numbers may as well be amounts.
        self.frame.guesses += if self.table.measures().is_empty() { 0 } else { 3 };
        self.frame.notes.push(format!("read as from {from}:00 to before {to}:00"));
        Some(Filter::Part { column, part: Part::Hour, values: (from..to).collect() })
    }

    /// The only column that a free number can be of: of its unit, the one asked about, or the only measure.
    fn measure_for(&mut self, quantity: &Quantity) -> Option<usize> {
        let table = self.table;
        if let Some(name) = &quantity.unit {
            let measure = unit::measure_of(name);
            let found = self.only_column(|column| match (&column.kind, measure) {
                (Kind::Duration { .. }, Some(Measure::Duration))
                | (Kind::Size { .. }, Some(Measure::Size)) => true,
                (Kind::Number { .. }, _) => {
                    column.unit_label().eq_ignore_ascii_case(name) || column_names_unit(column, name)
                }
                _ => false,
            });
            return found;
        }
        if let Some(code) = quantity.currency {
            let with = self.only_column(|column| matches!(&column.kind, Kind::Number { unit: Unit::Currency(other), .. } if *other == code));
            return with.or_else(|| self.only_column(is_money));
        }
        let is_amount = |column: &usize| table.columns[*column].is_numeric() && !self.is_identifier(*column);
        let named: Vec<usize> = self.frame.columns.iter().copied().filter(is_amount).collect();
        if let [column] = named.as_slice() {
            return Some(*column);
        }
        self.frame.guesses += 2;
        if let [column] = table.measures().as_slice() {
            Some(*column)
        } else {
            self.frame.guesses += 1;
            self.only_column(is_money)
        }
    }

    fn only_column(&self, fits: impl Fn(&Column) -> bool) -> Option<usize> {
        let mut found =
            self.table.columns.iter().enumerate().filter(|(_, column)| fits(column)).map(|(index, _)| index);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Reads a comparison whose word stands at an offset.
    fn compared(&mut self, column: usize, comparison: Comparison, offset: usize) -> Option<Filter> {
        let next = offset + 1 + self.fillers(offset + 1);
        let described = &self.table.columns[column];
        match self.peek(next).cloned()? {
            Meaning::Number(quantity) => {
                let value = self.literal(column, &quantity)?;
                self.at += next + 1;
                Some(Filter::Compare { column, comparison, value })
            }
            Meaning::Time(span) if described.is_moment() => {
                self.at += next + 1;
                let (from, to) = stretch(&span)?;
                let moment = |at| Literal::Moment(self.table.moment_text(column, at));
                Some(match comparison {
                    Comparison::Greater => {
                        Filter::Compare { column, comparison: Comparison::AtLeast, value: moment(to) }
                    }
                    Comparison::Less => {
                        Filter::Compare { column, comparison: Comparison::Less, value: moment(from) }
                    }
                    Comparison::AtLeast => {
                        Filter::Compare { column, comparison: Comparison::AtLeast, value: moment(from) }
                    }
                    Comparison::AtMost => {
                        Filter::Compare { column, comparison: Comparison::Less, value: moment(to) }
                    }
                    _ => return None,
                })
            }
            Meaning::Value { column: other, values, folded } if other == column => {
                self.at += next + 1;
                let filter = self.value_list(column, values, folded);
                match comparison {
                    Comparison::Equal => Some(filter),
                    Comparison::NotEqual => Some(Filter::Not(Box::new(filter))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn between(&mut self, column: usize, offset: usize) -> Option<Filter> {
        let first = offset + 1 + self.fillers(offset + 1);
        let second = first + 2 + self.fillers(first + 2);
        if self.word(first + 1) != Some(Word::And) {
            return None;
        }
        let (from, to, includes_end) = match (self.peek(first)?.clone(), self.peek(second)?.clone()) {
            (Meaning::Number(mut from), Meaning::Number(to)) => {
                if from.unit.is_none() {
                    from.unit.clone_from(&to.unit);
                }
                (self.literal(column, &from)?, self.literal(column, &to)?, true)
            }
            (Meaning::Time(Span::Clock(from)), Meaning::Time(Span::Clock(to)))
                if from < to && from.minute() == 0 && to.minute() == 0 =>
            {
                self.at += second + 1;
                return Some(Filter::Part {
                    column,
                    part: Part::Hour,
                    values: (i64::from(from.hour())..i64::from(to.hour())).collect(),
                });
            }
            (Meaning::Time(from), Meaning::Time(to)) => {
                let (from, to) = (stretch(&from)?.0, stretch(&to)?.1);
                (
                    Literal::Moment(self.table.moment_text(column, from)),
                    Literal::Moment(self.table.moment_text(column, to)),
                    false,
                )
            }
            _ => return None,
        };
        self.at += second + 1;
        Some(Filter::Between { column, from, to, includes_end })
    }

    fn time_comparison(&mut self, column: usize, offset: usize) -> Option<Filter> {
        let word = self.word(offset)?;
        let next = offset + 1 + self.fillers(offset + 1);
        let Some(Meaning::Time(span)) = self.peek(next).cloned() else { return None };
        if let Span::Clock(clock) = span {
            let hour = i64::from(clock.hour());
            let whole = clock.minute() == 0;
            let values: Vec<i64> = match word {
                Word::Before | Word::Until if whole => (0..hour).collect(),
                Word::After | Word::Since if whole => (hour..24).collect(),
                _ => return None,
            };
            self.at += next + 1;
            return Some(Filter::Part { column, part: Part::Hour, values });
        }
        // `from 2025` is of that year, `from March to May` begins there.
        if word == Word::Since
            && self.texts[self.at + offset].eq_ignore_ascii_case("from")
            && self.word(next + 1 + self.fillers(next + 1)) != Some(Word::Until)
        {
            self.at += next + 1;
            return self.in_span(column, &span);
        }
        let (from, to) = stretch(&span)?;
        let (comparison, at) = match word {
            Word::Before => (Comparison::Less, from),
            Word::After => (Comparison::AtLeast, to),
            Word::Since => (Comparison::AtLeast, from),
            _ => (Comparison::Less, to),
        };
        self.at += next + 1;
        Some(Filter::Compare {
            column,
            comparison,
            value: Literal::Moment(self.table.moment_text(column, at)),
        })
    }

    fn in_span(&mut self, column: usize, span: &Span) -> Option<Filter> {
        let part = |part, values| Some(Filter::Part { column, part, values });
        match span {
            Span::Stretch { from, to } => Some(Filter::Between {
                column,
                from: Literal::Moment(self.table.moment_text(column, *from)),
                to: Literal::Moment(self.table.moment_text(column, *to)),
                includes_end: false,
            }),
            Span::Month(month) => {
                self.frame.notes.push("no year was named: the month of any year".to_owned());
                part(Part::Month, vec![i64::from(*month)])
            }
            Span::Quarter(quarter) => part(Part::Quarter, vec![i64::from(*quarter)]),
            Span::Weekdays(days) => part(Part::Weekday, days.clone()),
            Span::Clock(_) | Span::Doubtful => None,
        }
    }

    /// A value, and others of the same column behind it.
    fn value_list(&mut self, column: usize, mut values: Vec<String>, folded: bool) -> Filter {
        let mut folded = folded;
        loop {
            let joins = matches!(self.word(0), Some(Word::Or | Word::And));
            let mut next = usize::from(joins);
            if joins && matches!(self.word(1), Some(Word::Or | Word::And)) {
                next = 2;
            }
            next += if next > 0 { self.fillers(next) } else { 0 };
            match self.peek(next) {
                Some(Meaning::Value { column: other, values: more, folded: also })
                    if next > 0 && *other == column =>
                {
                    values.extend(more.iter().cloned());
                    folded |= also;
                    self.at += next + 1;
                }
                _ => break,
            }
        }
        // `the Engineering department`
        if let Some(Meaning::Column(other)) = self.peek(0)
            && *other == column
        {
            self.at += 1;
        }
        if folded {
            self.frame.notes.push(format!("spellings taken as one: {}", values.join(", ")));
            self.frame.guesses += 3;
        }
        values.dedup();
        Filter::In { column, values: values.into_iter().map(Literal::Text).collect() }
    }

    fn text_at(&self, from: usize) -> Option<(String, usize)> {
        const INTRODUCTIONS: &[&str] =
            &["word", "words", "the word", "text", "the text", "term", "phrase", "wort", "begriff"];
        let is_last = |next: usize| self.at + next + 1 >= self.texts.len();
        let is_filler = |next: usize| {
            let text = self.texts.get(self.at + next).map_or("", String::as_str);
            let is_small = matches!(self.word(next), Some(Word::Noise | Word::Verb))
                && !text.chars().any(char::is_uppercase);
            !is_last(next) && (is_small || INTRODUCTIONS.contains(&text.to_lowercase().as_str()))
        };
        let mut next = from;
        while is_filler(next) {
            next += 1;
        }
        match self.peek(next)? {
            Meaning::Word(Word::Noise | Word::Verb) => {
                Some((self.texts.get(self.at + next)?.clone(), next + 1))
            }
            Meaning::Text(text) => Some((text.clone(), next + 1)),
            Meaning::Unknown
            | Meaning::Value { .. }
            | Meaning::Number(_)
            | Meaning::Column(_)
            | Meaning::Noun
            | Meaning::Hundreds(_) => Some((self.texts.get(self.at + next)?.clone(), next + 1)),
            _ => None,
        }
    }

    /// `mention MIT`: of the line, or of the only column with long texts.
    fn free_text(&mut self, test: Word) -> Option<Filter> {
        let (wanted, length) = self.text_at(1)?;
        if self.frame.lines {
            self.at += length;
            let test = if test == Word::Mentions || test == Word::Contains {
                TextTest::Word
            } else {
                text_test(test)
            };
            return Some(Filter::Line { test, text: wanted });
        }
        let column = self.only_column(|column| {
            column.is_text() && vocabulary::are_synonyms("message", &column.name.to_lowercase())
        })?;
        self.at += length;
        text_filter(column, test, wanted)
    }

    /// A number of the question in the unit of a column.
    pub fn literal(&mut self, column: usize, quantity: &Quantity) -> Option<Literal> {
        let described = &self.table.columns[column];
        if quantity.is_doubtful {
            self.frame
                .notes
                .push(format!("a number of the question was read as {}", quantity.value.normalize()));
            self.frame.guesses += 4;
        }
        let (measure, unit) = match &described.kind {
            Kind::Duration { unit, .. } => (Measure::Duration, *unit),
            Kind::Size { unit, .. } => (Measure::Size, *unit),
            Kind::Number { unit: own, .. } => {
                if quantity.percent != (*own == Unit::Percent) && quantity.percent {
                    return None;
                }
                if *own == Unit::Percent
                    && !quantity.percent
                    && quantity.value < Decimal::ONE
                    && !quantity.value.is_zero()
                {
                    self.frame
                        .notes
                        .push(format!("{} was read as percent, not as a part of one", quantity.value));
                    self.frame.guesses += 4;
                }
                let same_currency = match (quantity.currency, own) {
                    (Some(code), Unit::Currency(other)) => code == *other,
                    (Some(_), _) => is_money(described),
                    _ => true,
                };
                let same_unit = quantity.unit.as_ref().is_none_or(|unit| {
                    described.unit_label().eq_ignore_ascii_case(unit) || column_names_unit(described, unit)
                });
                return (same_currency && same_unit).then_some(Literal::Number(quantity.value));
            }
            _ => return None,
        };
        let Some(name) = &quantity.unit else {
            self.frame
                .notes
                .push(format!("no unit was named for {}: read as {unit}", quantity.value.normalize()));
            self.frame.guesses += if described.notes.is_empty() { 1 } else { 3 };
            return Some(Literal::Number(quantity.value));
        };
        let from = unit::factor(name, measure)?;
        let to = unit::factor(unit, measure)?;
        Some(Literal::Number(
            quantity.value.checked_mul(Decimal::from(from))?.checked_div(Decimal::from(to))?,
        ))
    }
}

fn is(column: usize, value: Literal) -> Filter {
    Filter::Compare { column, comparison: Comparison::Equal, value }
}

/// `latency_ms` counts milliseconds.
fn column_names_unit(column: &Column, unit: &str) -> bool {
    crate::words::parts(&column.name)
        .iter()
        .any(|part| part.eq_ignore_ascii_case(unit) || vocabulary::are_synonyms(part, unit) && part.len() < 4)
}

pub(super) fn is_money(column: &Column) -> bool {
    match &column.kind {
        Kind::Number { unit: Unit::Currency(_) | Unit::Currencies, .. } => true,
        Kind::Number { unit: Unit::None, .. } => vocabulary::names_money(&crate::words::parts(&column.name)),
        _ => false,
    }
}

pub(super) fn is_year(column: &Column) -> bool {
    column.is_numeric()
        && crate::words::parts(&column.name).iter().any(|part| part == "year" || part == "jahr")
}

fn vocabulary_is_status(column: &Column) -> bool {
    column.is_numeric()
        && crate::words::parts(&column.name).iter().any(|part| part == "status" || part == "code")
}

fn text_test(word: Word) -> TextTest {
    match word {
        Word::StartsWith => TextTest::StartsWith,
        Word::EndsWith => TextTest::EndsWith,
        Word::Matches => TextTest::Regex,
        Word::Mentions => TextTest::Word,
        _ => TextTest::Contains,
    }
}

fn text_filter(column: usize, word: Word, text: String) -> Option<Filter> {
    if word == Word::Matches && crate::query::functions::compiled(&text).is_err() {
        return None;
    }
    Some(Filter::Text { column, test: text_test(word), text })
}

fn stretch(span: &Span) -> Option<(DateTime, DateTime)> {
    match span {
        Span::Stretch { from, to } => Some((*from, *to)),
        _ => None,
    }
}
