//! Comparisons of a question: with a number, a time, a stretch of either.

use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime, Time};
use rust_decimal::prelude::ToPrimitive as _;

use super::frame::Parser;
use super::happenings;
use super::lexicon::Word;
use super::pieces::Meaning;
use super::shared_year::NO_YEAR_NAMED;
use super::superlatives;
use super::times::Span;
use super::tokens::Quantity;
use crate::column::Kind;
use crate::query::{Comparison, Filter, Literal, Part};

impl Parser<'_> {
    /// `after 2000` of a column of years.
    pub(super) fn year_comparison(&mut self, column: usize, word: Word, offset: usize) -> Option<Filter> {
        let next = offset + 1 + self.fillers(offset + 1);
        let is_from = self.texts[self.at + offset].eq_ignore_ascii_case("from")
            && self.word(next + 1 + self.fillers(next + 1)) != Some(Word::Until);
        if let (Meaning::Time(span), true) = (self.peek(next)?, is_from) {
            let filter = super::conditions::years_in(column, span)?;
            self.at += next + 1;
            return Some(filter);
        }
        let Meaning::Number(quantity) = self.peek(next)? else { return None };
        if !quantity.is_plain() {
            return None;
        }
        let value = Literal::Number(quantity.value);
        let comparison = match word {
            // `from 1995` is of that year, `from 1995 to 2000` begins there.
            _ if is_from => Comparison::Equal,
            Word::Before => Comparison::Less,
            Word::After => Comparison::Greater,
            Word::Since => Comparison::AtLeast,
            _ => Comparison::AtMost,
        };
        self.at += next + 1;
        Some(Filter::Compare { column, comparison, value })
    }

    /// `over 100`, `between 5 and 10`, `more than 3 items`: the column is named behind, or is the only one it can be.
    pub(super) fn free_comparison(&mut self) -> Option<Filter> {
        let Some(Meaning::Word(word)) = self.peek(0).cloned() else { return None };
        if word == Word::Between {
            if let Some(Meaning::Time(span)) = self.peek(1 + self.fillers(1)).cloned() {
                let column = self.column_of(&span)?;
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
            if let Some(Meaning::Column(column)) = self.peek(behind)
                && self.table.columns[*column].is_numeric()
                && (behind == number + 1 || self.stands_in(number, behind))
            {
                // `more than 3 orders` counts orders and compares no order's number.
                if self.table.holds_codes(*column) {
                    return None;
                }
                let column = *column;
                let comparison = self.of_age(column, comparison, 0);
                let value = self.literal(column, &quantity)?;
                self.at += behind + 1;
                let filter = Filter::Compare { column, comparison, value };
                return Some(self.in_its_currency(filter, column, &quantity));
            }
            if let Some(filter) = self.of_both(comparison, &quantity, number) {
                return Some(filter);
            }
            // `more than 3 open orders`, `more than twice` count orders.
            if self.counts_times(number) || self.records_behind(number).is_some() {
                return None;
            }
            let column = self.measure_for(&quantity)?;
            return self.compared(column, comparison, 0);
        }
        // `faster than 3:45:00`, `under 1:30`: of the time that a race took.
        if let (Word::Compare(comparison), Some(Meaning::Time(Span::Clock(_)))) =
            (word, self.peek(number).cloned())
            && let Some(column) = superlatives::time_taken(self.table)
        {
            self.frame.doubt.guesses += 3;
            return self.compared(column, comparison, 0);
        }
        // `less than the minimum stock`: of the stock.
        if let (Word::Compare(comparison), Some(Meaning::Column(other))) = (word, self.peek(number).cloned())
            && !matches!(self.peek(number + 1 + self.fillers(number + 1)), Some(Meaning::Number(_)))
            && let Some(column) = self.bounded_by(other)
        {
            self.at += number + 1;
            self.frame.doubt.guesses += 3;
            return Some(Filter::Compare { column, comparison, value: Literal::Column(other) });
        }
        // `above a salary of 138000`
        if let (Word::Compare(comparison), Some(Meaning::Column(column))) = (word, self.peek(number).cloned())
            && self.table.columns[column].is_numeric()
            && let Some(Meaning::Number(quantity)) = self.peek(number + 1 + self.fillers(number + 1)).cloned()
        {
            let comparison = self.of_age(column, comparison, 0);
            let value = self.literal(column, &quantity)?;
            self.at += number + 2 + self.fillers(number + 1);
            let filter = Filter::Compare { column, comparison, value };
            return Some(self.in_its_currency(filter, column, &quantity));
        }
        if let (Word::Between, Some(Meaning::Number(quantity))) = (word, self.peek(number).cloned()) {
            // `between the 9th and the 15th of June`
            let second = number + 2 + self.fillers(number + 2);
            if let Some(Meaning::Time(to @ (Span::MonthDay(..) | Span::Stretch { .. }))) =
                self.peek(second).cloned()
            {
                let column = self.column_of(&to)?;
                return self.between(column, 0);
            }
            // `between 1 and 2 hours`
            let column = match self.peek(second) {
                Some(Meaning::Number(to)) if quantity.is_plain() => self.measure_for(&to.clone())?,
                _ => self.measure_for(&quantity)?,
            };
            return self.between(column, 0);
        }
        None
    }

    /// `3 or more`, `2 oder weniger`: a comparison that stands behind its number.
    pub(super) fn or_more(&mut self) -> Option<Comparison> {
        let Some(Word::Compare(comparison)) = self.word(0) else { return None };
        let text = self.texts[self.at].to_lowercase();
        let is_behind = ["or ", "oder ", "und "].iter().any(|joint| text.starts_with(joint));
        is_behind.then(|| self.at += 1).map(|()| comparison)
    }

    /// `3 or more nights`
    pub(super) fn number_or_more(&mut self, quantity: &Quantity) -> Option<Filter> {
        let start = self.at;
        self.at += 1;
        let found = self.or_more().and_then(|comparison| {
            let behind = self.fillers(0);
            let column = match self.peek(behind) {
                Some(Meaning::Column(column)) if self.table.columns[*column].is_numeric() => {
                    self.at += behind + 1;
                    // `3 or more orders` counts orders.
                    Some(*column).filter(|column| !self.is_identifier(*column))?
                }
                _ => self.measure_for(quantity)?,
            };
            let value = self.literal(column, quantity)?;
            Some(self.in_its_currency(Filter::Compare { column, comparison, value }, column, quantity))
        });
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// `between 10 and 11` is of the clock where the table has times and the numbers are hours.
    pub(super) fn hours_between(&mut self) -> Option<Filter> {
        let column = self.table.clock_column()?;
        let (Meaning::Number(from), Word::And, to) = (self.peek(1)?, self.word(2)?, self.peek(3)?) else {
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
        // `between 4 and 6 o'clock`
        let (to, is_of_the_clock) = match to {
            Meaning::Number(to) => (hour(to)?, false),
            Meaning::Time(Span::Clock(to)) if to.minute() == 0 => (i64::from(to.hour()), true),
            _ => return None,
        };
        let from = hour(from)?;
        if from >= to {
            return None;
        }
        self.at += 4;
        // The numbers may as well be amounts.
        let may_be_amounts = !is_of_the_clock && !self.table.measures().is_empty();
        self.frame.doubt.guesses += if may_be_amounts { 3 } else { 0 };
        self.frame.doubt.notes.push(format!("read as from {from}:00 to before {to}:00"));
        Some(Filter::Part { column, part: Part::Hour, values: (from..to).collect() })
    }

    /// Reads a comparison whose word stands at an offset.
    pub(super) fn compared(
        &mut self,
        column: usize,
        comparison: Comparison,
        offset: usize,
    ) -> Option<Filter> {
        let next = offset + 1 + self.fillers(offset + 1);
        let comparison = self.of_age(column, comparison, offset);
        let described = &self.table.columns[column];
        match self.as_length(column, self.peek(next).cloned()?) {
            Meaning::Number(quantity) => {
                // `who rents more than one plot` counts plots, and says nothing of the rent.
                if self.counts_what_is_behind(next, &quantity) {
                    return None;
                }
                let value = self.literal(column, &quantity)?;
                self.at += next + 1;
                // `a temperature above 38 degrees`
                self.at += usize::from(self.peek(0) == Some(&Meaning::Column(column)));
                Some(self.in_its_currency(Filter::Compare { column, comparison, value }, column, &quantity))
            }
            Meaning::Time(span) if described.is_moment() => {
                self.at += next + 1;
                let (from, to) = self.stretch(column, &span)?;
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
            // `faster than 3:45:00` of a race
            Meaning::Time(Span::Clock(clock)) if described.kind == Kind::Time => {
                self.at += next + 1;
                Some(Filter::Compare { column, comparison, value: Literal::Moment(clock.to_string()) })
            }
            // `have less stock than the minimum stock`
            Meaning::Column(other) if other != column && self.are_comparable(column, other) => {
                self.at += next + 1;
                self.frame.doubt.guesses += 1;
                Some(Filter::Compare { column, comparison, value: Literal::Column(other) })
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

    /// Whether a number at an offset says how many there are of what stands right behind it: of records, or of a column that measures nothing.
    fn counts_what_is_behind(&self, offset: usize, quantity: &Quantity) -> bool {
        let is_counted = match self.peek(offset + 1) {
            Some(Meaning::Column(other)) => !self.table.columns[*other].is_numeric(),
            Some(Meaning::Noun | Meaning::Word(Word::Records)) => true,
            _ => false,
        };
        is_counted && quantity.is_plain()
    }

    pub(super) fn between(&mut self, column: usize, offset: usize) -> Option<Filter> {
        let first = offset + 1 + self.fillers(offset + 1);
        let second = first + 2 + self.fillers(first + 2);
        if self.word(first + 1) != Some(Word::And) {
            return None;
        }
        let end = |at: usize| Some(self.as_length(column, self.peek(at)?.clone()));
        // `tickets between 9 and 10 o'clock`, where no ticket's name is a time.
        let is_clock = |meaning: &Meaning| matches!(meaning, Meaning::Time(Span::Clock(_)));
        let tells_time = matches!(self.table.columns[column].kind, Kind::DateTime { .. } | Kind::Time);
        if !tells_time && (is_clock(&end(first)?) || is_clock(&end(second)?)) {
            return None;
        }
        match (end(first)?, end(second)?) {
            (Meaning::Number(mut from), Meaning::Number(to)) => {
                if from.unit.is_none() {
                    from.unit.clone_from(&to.unit);
                }
                let (least, most) = (self.literal(column, &from)?, self.literal(column, &to)?);
                self.at += second + 1;
                let filter = Filter::Between { column, from: least, to: most, includes_end: true };
                let quantity = if to.currency.is_some() { to } else { from };
                Some(self.in_its_currency(filter, column, &quantity))
            }
            (Meaning::Time(Span::Clock(from)), Meaning::Time(Span::Clock(to)))
                if from < to && from.minute() == 0 && matches!(to.minute(), 0 | 59) =>
            {
                self.at += second + 1;
                // `between 7:00 and 7:59` is of the whole hour.
                let end = i64::from(to.hour()) + i64::from(to.minute() == 59);
                Some(Filter::Part {
                    column,
                    part: Part::Hour,
                    values: (i64::from(from.hour())..end).collect(),
                })
            }
            // `between 10 pm and 6 am`
            (Meaning::Time(Span::Clock(from)), Meaning::Time(Span::Clock(to)))
                if from > to && from.minute() == 0 && to.minute() == 0 =>
            {
                self.at += second + 1;
                let night = i64::from(from.hour())..24;
                Some(Filter::Part {
                    column,
                    part: Part::Hour,
                    values: night.chain(0..i64::from(to.hour())).collect(),
                })
            }
            // `between 9:00 and 9:30`
            (Meaning::Time(Span::Clock(from)), Meaning::Time(Span::Clock(to))) if from != to => {
                self.at += second + 1;
                Some(Filter::Clock { column, from: minutes(from), to: minutes(to) })
            }
            // `between 9 and 9:30`
            (Meaning::Number(from), Meaning::Time(Span::Clock(to)))
                if from.unit.is_none()
                    && from.value.fract().is_zero()
                    && from.value.to_i64().is_some_and(|hour| (0..24).contains(&hour)) =>
            {
                self.at += second + 1;
                Some(Filter::Clock { column, from: from.value.to_i64()? * 60, to: minutes(to) })
            }
            // `between the 10th and the 20th of July`
            (Meaning::Number(from), Meaning::Time(to @ (Span::Stretch { .. } | Span::MonthDay(..))))
                if from.unit.is_none() && from.currency.is_none() && !from.percent =>
            {
                let (last, end) = self.stretch(column, &to)?;
                let day = i8::try_from(from.value.to_i64()?).ok()?;
                let is_one_day = last.date().tomorrow().is_ok_and(|next| next == end.date());
                let first = Span::MonthDay(last.month(), day);
                let filter = self
                    .first_to_last(column, &first, &to)
                    .filter(|_| is_one_day && from.value.fract().is_zero())?;
                self.at += second + 1;
                Some(filter)
            }
            (Meaning::Time(from), Meaning::Time(to)) => {
                let filter = self.first_to_last(column, &from, &to)?;
                self.at += second + 1;
                Some(filter)
            }
            _ => None,
        }
    }

    /// From the beginning of one time to the end of another.
    pub(super) fn first_to_last(&self, column: usize, from: &Span, to: &Span) -> Option<Filter> {
        let (last, to) = self.stretch(column, to)?;
        let from = match *from {
            // `between June 3 and June 5, 2026`
            Span::MonthDay(month, day) => {
                Date::new(last.year(), month, day).ok()?.to_datetime(Time::midnight())
            }
            Span::Month(month) => Date::new(last.year(), month, 1).ok()?.to_datetime(Time::midnight()),
            Span::Quarter(quarter) => {
                Date::new(last.year(), quarter * 3 - 2, 1).ok()?.to_datetime(Time::midnight())
            }
            _ => self.stretch(column, from)?.0,
        };
        let moment = |at| Literal::Moment(self.table.moment_text(column, at));
        (from < to).then(|| Filter::Between {
            column,
            from: moment(from),
            to: moment(to),
            includes_end: false,
        })
    }

    pub(super) fn time_comparison(&mut self, column: usize, offset: usize) -> Option<Filter> {
        let word = self.word(offset)?;
        let next = offset + 1 + self.fillers(offset + 1);
        // `paid after the due date`
        if let (Some(Meaning::Column(other)), Word::Before | Word::After) = (self.peek(next), word)
            && *other != column
            && self.are_comparable(column, *other)
        {
            let comparison = if word == Word::After { Comparison::Greater } else { Comparison::Less };
            let value = Literal::Column(*other);
            self.at += next + 1;
            self.frame.doubt.guesses += 1;
            return Some(Filter::Compare { column, comparison, value });
        }
        let last = next + 2 + self.fillers(next + 2);
        if word == Word::Since && self.word(next + 1) == Some(Word::Until) {
            match (self.peek(next)?.clone(), self.peek(last)?.clone()) {
                // `from 10:00 to 14:00 (both included)`
                (Meaning::Time(Span::Clock(from)), Meaning::Time(Span::Clock(to))) => {
                    let is_closed = self.texts[self.at + next..].iter().any(|text| {
                        let text = text.to_lowercase();
                        text.contains("included")
                            || text.contains("inclusive")
                            || text.contains("einschließlich")
                            || text.contains("inklusive")
                    });
                    self.at += last + 1;
                    let to = minutes(to) + i64::from(is_closed);
                    return Some(Filter::Clock { column, from: minutes(from), to });
                }
                // `vom 10. bis einschließlich 16. April`
                (Meaning::Number(from), Meaning::Time(to @ (Span::MonthDay(..) | Span::Stretch { .. })))
                    if from.unit.is_none() && from.value.fract().is_zero() =>
                {
                    let (first_day, _) = self.stretch(column, &to)?;
                    let day = i8::try_from(from.value.to_i64()?).ok()?;
                    let filter = self.first_to_last(column, &Span::MonthDay(first_day.month(), day), &to)?;
                    self.at += last + 1;
                    return Some(filter);
                }
                // `from March to April 2024`: of the same year.
                (
                    Meaning::Time(from @ (Span::Month(_) | Span::MonthDay(..) | Span::Quarter(_))),
                    Meaning::Time(to),
                ) => {
                    let filter = self.first_to_last(column, &from, &to)?;
                    self.at += last + 1;
                    return Some(filter);
                }
                _ => {}
            }
        }
        let Some(Meaning::Time(span)) = self.peek(next).cloned() else { return None };
        if let Span::Clock(clock) = span {
            let hour = i64::from(clock.hour());
            let whole = clock.minute() == 0;
            let values: Vec<i64> = match word {
                Word::Before | Word::Until if whole => (0..hour).collect(),
                // `after midnight` ends with the night.
                Word::After | Word::Since if whole && hour == 0 => (0..6).collect(),
                Word::After | Word::Since if whole => (hour..24).collect(),
                _ => {
                    let (from, to) = match word {
                        Word::Before | Word::Until => (0, minutes(clock)),
                        _ => (minutes(clock), 24 * 60),
                    };
                    self.at += next + 1;
                    return Some(Filter::Clock { column, from, to });
                }
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
        let (from, to) = self.stretch(column, &span)?;
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

    /// The column of which a time is said: the only one that the question names, else the only one there is.
    pub(super) fn column_of(&mut self, span: &Span) -> Option<usize> {
        let is_clock = matches!(span, Span::Clock(_));
        let fits = |column: usize| match self.table.columns[column].kind {
            Kind::DateTime { .. } => true,
            Kind::Time => is_clock,
            Kind::Date => !is_clock,
            _ => false,
        };
        let mut named: Vec<usize> = self
            .pieces
            .iter()
            .filter_map(|meaning| match meaning {
                Meaning::Column(column) if fits(*column) => Some(*column),
                _ => None,
            })
            .collect();
        named.dedup();
        let only = if is_clock { self.table.clock_column() } else { self.table.moment_column() };
        match (only, named.as_slice()) {
            (None, [column]) => {
                // It may be named for something else: `the due date of the loans in March`.
                self.frame.doubt.guesses += 3;
                Some(*column)
            }
            (None, []) if !is_clock => self.moment_spoken_of(),
            (None, []) => {
                self.frame.doubt.guesses += 4;
                superlatives::time_taken(self.table)
                    .or_else(|| (0..self.table.columns.len()).find(|column| fits(*column)))
            }
            // `how many days from loan to return, of books borrowed in April`
            (None, _) if !is_clock => {
                self.frame.doubt.guesses += 3;
                happenings::moment_near(self.table, self.texts, self.at)
            }
            (only, _) => only,
        }
    }

    /// From when to when. Cells that name no year are in no year that a question names; a day or a month of a question
    /// without one is of the only year that there is.
    fn stretch(&self, column: usize, span: &Span) -> Option<(DateTime, DateTime)> {
        let whole =
            |from: Date, to: Date| (from.to_datetime(Time::midnight()), to.to_datetime(Time::midnight()));
        match (span, &self.table.columns[column].kind) {
            (Span::MonthDay(month, day), Kind::Date | Kind::DateTime { .. }) => {
                let day = Date::new(self.table.only_year(column)?, *month, *day).ok()?;
                Some(whole(day, day.tomorrow().ok()?))
            }
            (Span::Month(month), Kind::Date | Kind::DateTime { .. }) => {
                let first = Date::new(self.table.only_year(column)?, *month, 1).ok()?;
                Some(whole(first, first.checked_add(1.month()).ok()?))
            }
            (Span::Quarter(quarter), Kind::Date | Kind::DateTime { .. }) => {
                let first = Date::new(self.table.only_year(column)?, quarter * 3 - 2, 1).ok()?;
                Some(whole(first, first.checked_add(3.months()).ok()?))
            }
            (_, Kind::DateTime { has_year: false, .. }) => None,
            (Span::Stretch { from, to }, Kind::Date | Kind::DateTime { .. }) => Some((*from, *to)),
            _ => None,
        }
    }

    pub(super) fn in_span(&mut self, column: usize, span: &Span) -> Option<Filter> {
        let part = |part, values| Some(Filter::Part { column, part, values });
        match span {
            Span::Stretch { .. } => {
                let (from, to) = self.stretch(column, span)?;
                Some(Filter::Between {
                    column,
                    from: Literal::Moment(self.table.moment_text(column, from)),
                    to: Literal::Moment(self.table.moment_text(column, to)),
                    includes_end: false,
                })
            }
            Span::MonthDay(month, day) => {
                self.frame.doubt.notes.push(format!("{NO_YEAR_NAMED}: the day of any year"));
                Some(Filter::And(vec![
                    Filter::Part { column, part: Part::Month, values: vec![i64::from(*month)] },
                    Filter::Part { column, part: Part::Day, values: vec![i64::from(*day)] },
                ]))
            }
            // Where a week or a beginning ends is not said.
            Span::Days(month, first, last) => {
                self.frame.doubt.notes.push(format!("read as the days from {first} to {last} of the month"));
                self.frame.doubt.guesses += 3;
                let part = |part, values| Filter::Part { column, part, values };
                let days = (i64::from(*first)..=i64::from(*last)).collect();
                Some(Filter::And(vec![part(Part::Month, vec![i64::from(*month)]), part(Part::Day, days)]))
            }
            Span::Month(month) => {
                self.frame.doubt.notes.push(format!("{NO_YEAR_NAMED}: the month of any year"));
                part(Part::Month, vec![i64::from(*month)])
            }
            Span::Quarter(quarter) => part(Part::Quarter, vec![i64::from(*quarter)]),
            // Without a year, a day has no weekday.
            Span::Weekdays(_)
                if matches!(self.table.columns[column].kind, Kind::DateTime { has_year: false, .. }) =>
            {
                None
            }
            Span::Weekdays(days) => part(Part::Weekday, days.clone()),
            // `the 2 am round`, `at 9:15`
            Span::Clock(clock) => {
                self.frame.doubt.guesses += 3;
                if clock.minute() == 0 {
                    return part(Part::Hour, vec![i64::from(clock.hour())]);
                }
                Some(Filter::Clock { column, from: minutes(*clock), to: minutes(*clock) + 1 })
            }
            Span::Doubtful => None,
        }
    }
}

/// Minutes since midnight.
fn minutes(clock: Time) -> i64 {
    i64::from(clock.hour()) * 60 + i64::from(clock.minute())
}
