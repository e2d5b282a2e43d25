//! Conditions of a question: a column and a value, a comparison, a time, what is missing.

use rust_decimal::Decimal;

use super::frame::Parser;
use super::lexicon::Word;
use super::pieces::Meaning;
use super::times::Span;
use super::tokens::Quantity;
use crate::column::{Column, Kind, Unit};
use crate::query::{Aggregate, Comparison, Filter, Literal, Query, TextTest};
use crate::vocabulary;

/// Conditions in the order of the question, each with how it joins the one before.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    pub parts: Vec<Condition>,
    /// The word that stood behind the last condition.
    pub pending_or: bool,
    pending_and: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub filter: Filter,
    pub or: bool,
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

/// What is done to a value that is there.
const MEASURED: &[&str] = &[
    "measured",
    "recorded",
    "noted",
    "noted down",
    "written down",
    "filled in",
    "entered",
    "weighed",
    "taken",
    "gemessen",
    "notiert",
    "eingetragen",
    "erfasst",
];

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
            // `not from Berlin`
            if self.word(0) == Some(Word::Since)
                && matches!(self.peek(1), Some(Meaning::Column(_) | Meaning::Value { .. }))
            {
                self.at += 1;
            }
            // `do not belong to any club`
            let behind = 1 + self.fillers(1);
            if self.word(0) == Some(Word::Until) && matches!(self.peek(behind), Some(Meaning::Column(_))) {
                self.at += behind;
            }
        }
        if let Some(filter) = self.leaf() {
            // `hasn't paid the deposit` of the column `Deposit paid`
            if let (true, Some(column), Some(Meaning::Column(next))) =
                (negated, filter.column(), self.peek(self.fillers(0)))
                && column == *next
            {
                self.at += self.fillers(0) + 1;
            }
            let filter = if negated { self.negation(filter) } else { filter };
            let after_verb = self.after_verb;
            // `the best rated drama`: what stands in the place of a noun names records.
            if start > 0
                && matches!(self.pieces[start], Meaning::Value { .. })
                && match self.pieces[start - 1] {
                    Meaning::Word(Word::Extreme(..)) => true,
                    // `which city has the largest population`, where some records are a city.
                    Meaning::Word(Word::Which) => !self.frame.wanted.one,
                    _ => false,
                }
            {
                self.frame.rows.records = true;
            }
            // `the amount paid`: of the orders whose status is `paid`, or simply what was paid?
            if let (true, Some(Meaning::Column(column))) = (
                matches!(self.pieces[start], Meaning::Value { .. }),
                start.checked_sub(1).map(|before| &self.pieces[before]),
            ) && self.table.columns[*column].is_numeric()
                && crate::words::parts(&self.table.columns[*column].name)
                    .iter()
                    .any(|part| vocabulary::are_synonyms(part, &crate::words::fold(&self.texts[start])))
            {
                self.frame.doubt.guesses += 3;
            }
            self.share_year(&filter);
            self.frame.conditions.push(filter, after_verb);
            return true;
        }
        // `was the wing not measured`
        if let (true, Some(column)) = (negated, start.checked_sub(1 + self.fillers_before(start)))
            && let Meaning::Column(column) = self.pieces[column]
            && self.texts[start..self.at].iter().any(|text| MEASURED.contains(&text.to_lowercase().as_str()))
            && self.table.columns[column].missing > 0
        {
            self.frame.named.columns.retain(|other| *other != column);
            self.frame.named.asked.retain(|other| *other != column);
            self.frame.doubt.guesses += 3;
            self.frame.conditions.push(Filter::Missing(column), self.after_verb);
            return true;
        }
        let is_participle = |text: &String| {
            let text = text.to_lowercase();
            text.ends_with("ed")
                || text == "paid"
                || text.starts_with("ge") && text.ends_with('t')
                || text.starts_with("be") && text.ends_with('t')
        };
        // `have not been returned` of a column of dates: nothing stands there.
        let is_any = |at: usize| {
            ["any", "a", "an", "irgendeinem", "irgendeiner"].contains(&self.texts[at].to_lowercase().as_str())
        };
        if let (true, Some(Meaning::Column(column))) = (negated, self.peek(0))
            && self.table.columns[*column].missing > 0
            // `do not belong to any club`
            && (self.table.columns[*column].is_moment()
                || is_any(self.at - 1)
                || is_participle(&self.texts[self.at]))
        {
            self.at += 1;
            self.frame.doubt.guesses += 1;
            self.frame.conditions.push(Filter::Missing(*column), self.after_verb);
            return true;
        }
        self.at = start;
        false
    }

    /// What does not hold. Where a column says yes or nothing at all, nothing is no.
    pub(super) fn negation(&mut self, filter: Filter) -> Filter {
        if let Filter::Compare { column, comparison: Comparison::Equal, value: Literal::Boolean(true) } =
            filter
            && self.says_yes_or_nothing(column)
        {
            self.frame.doubt.guesses += 3;
            return Filter::Missing(column);
        }
        Filter::Not(Box::new(filter))
    }

    /// Whether a column of yes and no has no cell that says no, and some that say nothing.
    pub(super) fn says_yes_or_nothing(&self, column: usize) -> bool {
        let says_no = Query::number(Aggregate::count(), Some(is(column, Literal::Boolean(false))));
        matches!(self.table.columns[column].kind, Kind::Boolean { .. })
            && self.table.columns[column].missing > 0
            && self.table.run(&says_no).is_ok_and(|outcome| outcome.matched == 0)
    }

    pub(super) fn leaf(&mut self) -> Option<Filter> {
        let start = self.at;
        let found = self.of_ends();
        if found.is_some() {
            return found;
        }
        self.at = start;
        match self.peek(0)?.clone() {
            Meaning::Word(Word::Without) => {
                let next = 1 + self.fillers(1);
                match self.peek(next)?.clone() {
                    Meaning::Column(column) => {
                        self.at += next + 1;
                        let nothing = self.nothing_in(column);
                        self.doubt_nothing(&nothing, column);
                        Some(nothing)
                    }
                    // `nobody paid by card` is more than one of these words says.
                    Meaning::Value { .. }
                        if !["nobody", "no one", "niemand"]
                            .contains(&self.texts[self.at].to_lowercase().as_str()) =>
                    {
                        self.at += next;
                        let inner = self.leaf()?;
                        Some(self.negation(inner))
                    }
                    _ => None,
                }
            }
            Meaning::Word(Word::Missing) => {
                let mut next = 1 + self.fillers(1);
                // `absent from the exam`, `forgotten, the receipt`
                if matches!(self.word(next), Some(Word::Since | Word::And)) {
                    next += 1 + self.fillers(next + 1);
                }
                let Meaning::Column(column) = *self.peek(next)? else { return None };
                self.at += next + 1;
                Some(Filter::Missing(column))
            }
            // `licensed under MIT` compares nothing.
            Meaning::Word(Word::Compare(_)) if self.is_preposition(0) => {
                self.at += 1 + self.fillers(1);
                self.frame.doubt.guesses += 1;
                self.leaf()
            }
            Meaning::Word(Word::Compare(_) | Word::Between) => self.free_comparison(),
            Meaning::Word(Word::Negative(is_negative)) => {
                let column = self.signed_column()?;
                self.at += 1;
                let comparison = if is_negative { Comparison::Less } else { Comparison::Greater };
                Some(Filter::Compare { column, comparison, value: Literal::Number(Decimal::ZERO) })
            }
            Meaning::Word(Word::Before | Word::After | Word::Since | Word::Until) => {
                let of_span = match self.peek(1 + self.fillers(1)).cloned() {
                    Some(Meaning::Time(span)) => self.column_of(&span),
                    // `before 10`
                    Some(Meaning::Number(quantity)) if quantity.is_plain() => {
                        return self.before_hour(&quantity);
                    }
                    _ => self.table.moment_column(),
                };
                let Some(column) = of_span else {
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
            Meaning::InText { column, text } => {
                self.at += 1;
                Some(Filter::Text { column, test: TextTest::Word, text })
            }
            Meaning::Time(span) => self.of_time(&span),
            Meaning::Word(Word::Small(number)) => self.number_or_more(&Quantity::of(i64::from(number))),
            Meaning::Number(quantity) => self
                .either_of_column()
                .or_else(|| self.number_or_more(&quantity))
                .or_else(|| self.number_of_column(&quantity))
                .or_else(|| self.status_number(&quantity)),
            Meaning::Noun => self.numbered_record(),
            Meaning::Hundreds(digit) => {
                let column = self.only_column(vocabulary_is_status)?;
                self.at += 1;
                // `a 5xx status`, `5xx errors`
                if self.peek(0) == Some(&Meaning::Column(column)) || self.stands_error() {
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

    /// A condition on when something ended, or on two columns of a row.
    fn of_ends(&mut self) -> Option<Filter> {
        match self.peek(0)?.clone() {
            // `the difference between north and south`
            Meaning::Word(Word::Between)
                if self.frame.apart.difference.is_some()
                    && matches!(self.peek(1 + self.fillers(1)), Some(Meaning::Value { .. })) =>
            {
                self.at += 1 + self.fillers(1);
                self.leaf()
            }
            // `came back after the due date`: what was not there from the beginning.
            Meaning::Word(word @ (Word::Before | Word::After))
                if matches!(self.peek(1 + self.fillers(1)), Some(Meaning::Column(_))) =>
            {
                let Meaning::Column(other) = *self.peek(1 + self.fillers(1))? else { return None };
                let column = self.table.end_column().filter(|column| *column != other)?;
                self.at += 2 + self.fillers(1);
                self.frame.doubt.guesses += 3;
                let comparison = if word == Word::After { Comparison::Greater } else { Comparison::Less };
                (self.table.columns[other].kind == self.table.columns[column].kind)
                    .then_some(Filter::Compare { column, comparison, value: Literal::Column(other) })
            }
            Meaning::Late { end, due } => {
                self.at += 1;
                Some(Filter::Compare {
                    column: end,
                    comparison: Comparison::Greater,
                    value: Literal::Column(due),
                })
            }
            Meaning::Word(Word::Better(is_more)) => self.better(is_more),
            Meaning::Absent(column) => {
                self.at += 1;
                Some(self.nothing_in(column))
            }
            Meaning::Holds(filter) => {
                self.at += 1;
                Some(filter)
            }
            _ => None,
        }
    }

    /// `in March`, `von März bis Mai`
    fn of_time(&mut self, span: &Span) -> Option<Filter> {
        // `von März bis Mai`: the first of two ends.
        if self.word(1 + self.fillers(1)) == Some(Word::Until)
            && let Some(Meaning::Time(last)) = self.peek(2 + self.fillers(1)).cloned()
        {
            let column = self.column_of(span)?;
            let length = 3 + self.fillers(1);
            let filter = self.first_to_last(column, span, &last)?;
            self.at += length;
            return Some(filter);
        }
        let Some(column) = self.column_of(span) else {
            let column = self.only_column(is_year)?;
            self.at += 1;
            return years_in(column, span);
        };
        self.at += 1;
        self.in_span(column, span)
    }

    /// `returned 404`, `the 404 errors`
    fn status_number(&mut self, quantity: &Quantity) -> Option<Filter> {
        let is_status = quantity.value >= Decimal::from(100)
            && quantity.value < Decimal::from(600)
            && quantity.unit.as_deref().is_none_or(|unit| unit == "s");
        if !is_status || self.at == 0 {
            return None;
        }
        let column = self.only_column(vocabulary_is_status)?;
        let is_said = self.texts[self.at - 1].eq_ignore_ascii_case("returned");
        self.at += 1;
        self.at += usize::from(self.stands_error());
        self.frame.doubt.guesses += u32::from(!is_said);
        Some(is(column, Literal::Number(quantity.value)))
    }

    /// Whether a word for what a status is stands here.
    fn stands_error(&self) -> bool {
        self.texts.get(self.at).is_some_and(|text| {
            matches!(
                text.to_lowercase().as_str(),
                "error" | "errors" | "code" | "codes" | "fehler" | "fehlern"
            )
        })
    }

    /// `order 1017`: the number names the record.
    fn numbered_record(&mut self) -> Option<Filter> {
        let Meaning::Number(quantity) = self.peek(1)?.clone() else { return None };
        let column = self.record_number()?;
        if !quantity.is_plain() {
            return None;
        }
        self.at += 2;
        self.frame.rows.records = true;
        self.frame.doubt.guesses += 1;
        Some(is(column, Literal::Number(quantity.value)))
    }

    /// The only column whose numbers name the records.
    fn record_number(&self) -> Option<usize> {
        let mut found = (0..self.table.columns.len()).filter(|column| {
            let described = &self.table.columns[*column];
            described.is_numeric() && self.table.holds_codes(*column) && self.table.is_unique(*column)
        });
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The column of which `negative` is said: the one named, or the only one with amounts.
    fn signed_column(&mut self) -> Option<usize> {
        let measures = self.table.measures();
        let named: Vec<usize> =
            self.frame.named.columns.iter().copied().filter(|column| measures.contains(column)).collect();
        match (named.as_slice(), measures.as_slice()) {
            ([column], _) => Some(*column),
            ([], [column]) => {
                self.frame.doubt.guesses += 1;
                Some(*column)
            }
            _ => None,
        }
    }

    /// `less than 20 in stock`, `16 GB of RAM`: the column stands behind a small word, and nothing is said of it.
    pub(super) fn stands_in(&self, number: usize, behind: usize) -> bool {
        behind == number + 2
            && ["in", "of", "an"].contains(&self.texts[self.at + number + 1].to_lowercase().as_str())
            && !matches!(
                self.peek(behind + 1),
                Some(Meaning::Word(Word::Compare(_) | Word::Between | Word::Verb) | Meaning::Number(_))
            )
    }

    /// Whether a column's numbers name its records, though the table has amounts.
    pub(super) fn is_identifier(&self, column: usize) -> bool {
        let parts = crate::words::parts(&self.table.columns[column].name);
        let is_ordered =
            parts.iter().any(|part| matches!(part.as_str(), "year" | "jahr" | "status" | "port" | "line"));
        self.table.holds_codes(column) && !is_ordered && !self.table.measures().is_empty()
    }

    /// A value, and others of the same column behind it.
    pub(super) fn value_list(&mut self, column: usize, mut values: Vec<String>, folded: bool) -> Filter {
        let mut folded = folded;
        // The value itself has been read.
        let start = self.at.saturating_sub(1);
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
        // `Oslo as their destination`
        let behind = self.fillers(0);
        if behind > 0
            && self.texts[self.at].eq_ignore_ascii_case("as")
            && self.peek(behind) == Some(&Meaning::Column(column))
        {
            self.at += behind;
        }
        // `the Engineering department`
        if let Some(Meaning::Column(other)) = self.peek(0)
            && *other == column
        {
            self.at += 1;
        }
        if folded {
            self.frame.doubt.notes.push(format!("spellings taken as one: {}", values.join(", ")));
            self.frame.doubt.guesses += 3;
        }
        values.dedup();
        // `tagged billing` where the cell says `billing, login`.
        // `who only walk`: the cell says nothing else.
        let says_only = start.checked_sub(1).is_some_and(|before| {
            ["only", "nur", "just", "solely", "ausschließlich"]
                .contains(&self.texts[before].to_lowercase().as_str())
        });
        self.frame.doubt.guesses += if says_only { 3 } else { 0 };
        if let [value] = values.as_slice()
            && !says_only
            && self.table.values().is_one_of_several(column, value)
            && value.chars().all(char::is_alphanumeric)
        {
            self.frame.doubt.guesses += 3;
            self.frame.doubt.notes.push(format!("cells that name {value} among others count, too"));
            return Filter::Text { column, test: TextTest::Word, text: value.clone() };
        }
        Filter::In { column, values: values.into_iter().map(Literal::Text).collect() }
    }
}

pub(super) fn is(column: usize, value: Literal) -> Filter {
    Filter::Compare { column, comparison: Comparison::Equal, value }
}

/// Codes of currencies that stand in the names of columns and mean nothing else there.
pub(super) const CURRENCY_CODES: &[&str] = &["eur", "usd", "gbp", "chf", "jpy", "pln", "inr"];

pub(super) fn is_money(column: &Column) -> bool {
    match &column.kind {
        Kind::Number { unit: Unit::Currency(_) | Unit::Currencies, .. } => true,
        Kind::Number { unit: Unit::None, .. } => {
            let parts = crate::words::parts(&column.name);
            // `Rechnung (EUR)`, `fine_gbp`
            vocabulary::names_money(&parts)
                || parts.iter().any(|part| CURRENCY_CODES.contains(&part.as_str()))
        }
        _ => false,
    }
}

pub(super) fn is_year(column: &Column) -> bool {
    column.is_numeric()
        && crate::words::parts(&column.name).iter().any(|part| part == "year" || part.ends_with("jahr"))
}

fn vocabulary_is_status(column: &Column) -> bool {
    column.is_numeric()
        && crate::words::parts(&column.name).iter().any(|part| part == "status" || part == "code")
}

/// A stretch of whole years, of a column of years.
pub(super) fn years_in(column: usize, span: &Span) -> Option<Filter> {
    let Span::Stretch { from, to } = span else { return None };
    let is_new_year = |at: &jiff::civil::DateTime| {
        at.month() == 1 && at.day() == 1 && at.time() == jiff::civil::Time::midnight()
    };
    let year = |at: &jiff::civil::DateTime| Literal::Number(Decimal::from(at.year()));
    (is_new_year(from) && is_new_year(to)).then(|| Filter::Between {
        column,
        from: year(from),
        to: year(to),
        includes_end: false,
    })
}
