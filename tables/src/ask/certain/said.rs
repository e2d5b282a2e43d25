//! What the words of a question say, each to the letter. One word that does not, and nothing is known of the question.

use std::collections::HashSet;

use rust_decimal::Decimal;

use super::phrases::{
    ARTICLES, EARLIEST, FEWEST, HAVING, LARGEST, LATEST, MOST, ONWARDS, PREPOSITIONS, RECORDS, SMALL,
    SMALLEST,
};
use crate::ask::lexicon::{self, Word, meaning};
use crate::ask::times::{self, Span};
use crate::ask::tokens::{self, Token, TokenKind};
use crate::query::{Bucket, Comparison, Filter, Key, Literal, Query};
use crate::read::Format;
use crate::table::Table;
use crate::value::{moment, unit};
use crate::words;

/// What is said.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Columns of the query, each by its whole name.
    pub columns: HashSet<usize>,
    /// Values of the query, whole and folded.
    pub values: HashSet<String>,
    /// What else is said.
    marks: HashSet<Mark>,
    pub count: usize,
    pub percentile: Option<u8>,
    /// The largest (true) or the smallest.
    pub extreme: Option<bool>,
    /// The most (true) or the fewest.
    pub most: Option<bool>,
    pub bucket: Option<Bucket>,
    pub negations: usize,
    /// What was said last that has a meaning of its own.
    last: Last,
    /// The columns that stand behind a superlative, a sum or an average.
    pub measured: HashSet<usize>,
    /// The columns that a number stands behind.
    pub numbered: HashSet<usize>,
    /// The words that compare, in order.
    pub compared: Vec<Word>,
}

/// What a word may say beside names and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Mark {
    Sum,
    Average,
    Median,
    Deviation,
    Share,
    Distinct,
    Top,
    /// `by` before a column.
    By,
    /// A group: `per`, `for each`, `by`.
    Per,
    Sorted,
    /// `over`, `before`, `between`.
    Compares,
    Contains,
    Missing,
    /// `5xx`
    Hundreds,
    Or,
    And,
    /// A date, a month, a year.
    Time,
    /// Rows of the table, whatever they are.
    Records,
    Lines,
    /// The file's own word for its records.
    Noun,
    /// A form of have, or `with`, or a form of be behind a noun: what follows may be a condition.
    Has,
}

/// What a word may belong to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    Function,
    Column(usize),
}

impl Said {
    /// What the words of a question say; or the first that is not said to the letter.
    pub fn of(table: &Table, question: &str, query: &Query) -> Result<Self, String> {
        let tokens = tokens::tokens(question);
        let mut said = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            match said.take(table, query, &tokens, at) {
                0 => return Err(tokens[at].text.clone()),
                length => at += length,
            }
        }
        // `which are out`: of what is not said.
        match tokens.last() {
            Some(last) if PREPOSITIONS.contains(&last.low.as_str()) => Err(last.text.clone()),
            _ => Ok(said),
        }
    }

    /// Whether a word says this.
    pub fn says(&self, mark: Mark) -> bool {
        self.marks.contains(&mark)
    }

    /// How many kinds of number are asked for.
    pub fn functions(&self) -> usize {
        let flags = [
            self.count > 0,
            self.says(Mark::Sum),
            self.says(Mark::Average),
            self.says(Mark::Median),
            self.says(Mark::Deviation),
            self.percentile.is_some(),
            self.says(Mark::Share),
            self.extreme.is_some() || self.says(Mark::Top),
            self.most.is_some(),
        ];
        flags.into_iter().filter(|is_said| *is_said).count()
    }

    /// Whether nothing but a list is asked for.
    pub fn is_plain(&self) -> bool {
        self.functions() == usize::from(self.count > 0) && !self.says(Mark::Distinct) && !self.says(Mark::Per)
    }

    /// Takes the longest phrase that begins at a token; 0 if there is none.
    fn take(&mut self, table: &Table, query: &Query, tokens: &[Token], at: usize) -> usize {
        match &tokens[at].kind {
            TokenKind::Quoted => {
                let text = words::fold(&tokens[at].text);
                let is_tested = |filter: &Filter| tests(filter, &text);
                let known = query.filter.as_ref().is_some_and(is_tested);
                self.values.insert(text);
                return usize::from(known);
            }
            TokenKind::Hundreds(_) => {
                self.marks.insert(Mark::Hundreds);
                return 1;
            }
            TokenKind::Sign => return usize::from(self.word(table, query, &tokens[at].text)),
            TokenKind::Word | TokenKind::Number(_) | TokenKind::Moment(_) => {}
        }
        let longest = tokens.len().min(at + 8);
        for end in (at + 1..=longest).rev() {
            let slice = &tokens[at..end];
            if slice.iter().any(|token| {
                !matches!(token.kind, TokenKind::Word | TokenKind::Number(_) | TokenKind::Moment(_))
            }) {
                continue;
            }
            let text: Vec<&str> = slice.iter().map(|token| token.text.as_str()).collect();
            let phrase = words::fold(&text.join(" "));
            if self.column(table, query, &phrase) || self.value(query, &phrase) {
                return end - at;
            }
            // `at the till` is no time until then, where the file has a till.
            let is_a_value = end == at + 1 && !table.values().whole(&words::value_words(&phrase)).is_empty();
            if !is_a_value && self.word(table, query, &phrase) {
                return end - at;
            }
            if let Some((span, count)) = times::span_at(tokens, at)
                && count == slice.len()
                && !matches!(span, Span::Clock(_) | Span::Doubtful)
                && query.filter.as_ref().is_some_and(is_of_time)
            {
                self.marks.insert(Mark::Time);
                self.compared.extend(direction(tokens, at, count, &span));
                return count;
            }
        }
        match &tokens[at].kind {
            TokenKind::Number(quantity) => {
                let is_limit = query.limit.is_some_and(|limit| Decimal::from(limit.count) == quantity.value);
                let is_used = is_limit || query.filter.as_ref().is_some_and(has_number);
                if let Last::Column(column) = self.last {
                    self.numbered.insert(column);
                }
                let has_unit = tokens.get(at + 1).is_some_and(|next| unit::measure_of(&next.low).is_some());
                if is_used { 1 + usize::from(has_unit) } else { 0 }
            }
            TokenKind::Word => {
                let number = lexicon::small_number(&tokens[at].low).filter(|number| *number > 1);
                let is_limit =
                    |number: i64| query.limit.is_some_and(|limit| i64::from(limit.count) == number);
                usize::from(number.is_some_and(is_limit))
            }
            _ => 0,
        }
    }

    /// A column of the query by its whole name. A name that two columns have says neither.
    fn column(&mut self, table: &Table, query: &Query, phrase: &str) -> bool {
        let called: Vec<usize> =
            (0..table.columns.len()).filter(|column| is_name(&table.columns[*column].name, phrase)).collect();
        let [column] = called.as_slice() else { return false };
        let is_used = query.columns().contains(column);
        if is_used {
            self.columns.insert(*column);
            if self.last == Last::Function {
                self.measured.insert(*column);
            }
            self.last = Last::Column(*column);
        }
        is_used
    }

    fn value(&mut self, query: &Query, phrase: &str) -> bool {
        let mut texts = Vec::new();
        if let Some(filter) = &query.filter {
            push_texts(filter, &mut texts);
        }
        for aggregate in query.outputs.iter().flat_map(crate::query::Output::aggregates) {
            if let Some(only) = &aggregate.only {
                push_texts(only, &mut texts);
            }
        }
        let spoken = words::value_words(phrase);
        let found = texts.iter().find(|text| words::value_words(text) == spoken);
        if let Some(text) = found {
            self.values.insert(words::fold(text));
        }
        found.is_some()
    }

    /// A word of the language, or of this file for its records.
    fn word(&mut self, table: &Table, query: &Query, phrase: &str) -> bool {
        if SMALL.contains(&phrase) {
            self.small_word(phrase);
            return true;
        }
        // What is called as a column is, and is not that column, may be meant as one.
        // A log is called after who wrote it, and has lines of many kinds.
        let is_log = matches!(table.format(), Format::Syslog | Format::Journal | Format::Log | Format::Lines);
        if !is_log && table.are_rows_called(phrase) {
            // A sheet of hours has a row for each stretch of them.
            let is_unit =
                unit::measure_of(phrase).is_some() || matches!(meaning(phrase), Some(Word::Unit(_)));
            self.marks.insert(Mark::Noun);
            self.last = Last::Nothing;
            return !is_unit && !is_called(table, phrase);
        }
        let is_record = match table.format() {
            Format::AccessLog => matches!(phrase, "request" | "requests" | "hits" | "anfragen"),
            Format::Syslog => matches!(phrase, "message" | "messages" | "meldungen"),
            _ => false,
        };
        if is_record || RECORDS.contains(&phrase) {
            self.marks.insert(Mark::Records);
            return !is_called(table, phrase);
        }
        // `product_reviews` are no products.
        if !is_log && table.nouns.iter().any(|noun| words::same_but_plural(noun, phrase)) {
            return false;
        }
        let listed = [(LARGEST, true), (SMALLEST, false), (LATEST, true), (EARLIEST, false)];
        if let Some((_, largest)) = listed.into_iter().find(|(phrases, _)| phrases.contains(&phrase)) {
            // Two of them are more than is understood here.
            let is_new = self.extreme.is_none();
            (self.extreme, self.last) = (Some(largest), Last::Function);
            return is_new;
        }
        for (phrases, most) in [(MOST, true), (FEWEST, false)] {
            if phrases.contains(&phrase) {
                self.most = Some(most);
                return true;
            }
        }
        let Some(word) = meaning(phrase) else { return false };
        let mark = match word {
            Word::Count
                if !matches!(
                    phrase,
                    "number" | "how often" | "how frequently" | "wie oft" | "wie häufig"
                ) =>
            {
                self.count += 1;
                return true;
            }
            Word::Sum if !matches!(phrase, "overall" | "combined") => Mark::Sum,
            Word::Average => Mark::Average,
            Word::Median => Mark::Median,
            Word::Deviation => Mark::Deviation,
            Word::Share => Mark::Share,
            Word::Distinct => Mark::Distinct,
            Word::Top => Mark::Top,
            // `average takings per film` may be one number.
            Word::Per if matches!(phrase, "per" | "pro" | "je") && self.says(Mark::Average) => return false,
            Word::Per => Mark::Per,
            Word::By => {
                self.marks.insert(Mark::Per);
                Mark::By
            }
            Word::Sorted | Word::SortBy | Word::Ascending | Word::Descending => Mark::Sorted,
            // From then on, or up to then.
            Word::Since if phrase == "as of" => return false,
            Word::Compare(_) | Word::Between | Word::Before | Word::After | Word::Since | Word::Until => {
                let is_equal = matches!(word, Word::Compare(Comparison::Equal | Comparison::NotEqual));
                self.compared.extend((!is_equal).then_some(word));
                Mark::Compares
            }
            Word::Contains | Word::StartsWith | Word::EndsWith | Word::Matches => Mark::Contains,
            Word::Without | Word::Missing => Mark::Missing,
            Word::Or => Mark::Or,
            Word::Lines => Mark::Lines,
            Word::Percentile(percent) => {
                (self.percentile, self.last) = (Some(percent), Last::Function);
                return true;
            }
            Word::Not => {
                self.negations += 1;
                return true;
            }
            Word::Unit(bucket)
                if query.groups.iter().any(|key| matches!(key, Key::Bucket(_, of) if *of == bucket)) =>
            {
                self.bucket = Some(bucket);
                return true;
            }
            Word::InTotal | Word::And | Word::Which | Word::Who | Word::When | Word::Exists => return true,
            _ => return false,
        };
        self.marks.insert(mark);
        self.last = match word {
            Word::Sum | Word::Average | Word::Median | Word::Deviation => Last::Function,
            Word::Compare(Comparison::Equal) => self.last,
            _ => Last::Nothing,
        };
        true
    }

    /// A word that joins others.
    fn small_word(&mut self, phrase: &str) {
        if matches!(phrase, "and" | "und") {
            self.marks.insert(Mark::And);
        }
        let is_verb = matches!(phrase, "is" | "are" | "was" | "were" | "ist" | "sind" | "war" | "waren");
        if matches!(self.last, Last::Column(_)) && !is_verb {
            // `tables of 4` are no table 4.
            self.last = Last::Nothing;
        }
        // `which helpers are trained`
        let is_named = self.says(Mark::Noun) || self.says(Mark::Records) || !self.columns.is_empty();
        if HAVING.contains(&phrase) || is_verb && is_named {
            self.marks.insert(Mark::Has);
        }
    }
}

/// `from April`, `to April`, `from 2024 on`: what a small word before a time compares. `from 2024` alone is of that year.
fn direction(tokens: &[Token], at: usize, count: usize, span: &Span) -> Option<Word> {
    let mut before = tokens[..at].iter().rev().map(|token| token.low.as_str());
    let goes_on = tokens.get(at + count).is_some_and(|next| ONWARDS.contains(&next.low.as_str()));
    match (before.find(|low| !ARTICLES.contains(low))?, before.next()) {
        // One word with what stands before: `up to`, `starting from`.
        (_, Some("up" | "prior" | "starting")) => None,
        ("to", _) => Some(Word::Until),
        ("from" | "von" | "vom", _) if goes_on || !matches!(span, Span::Stretch { .. }) => Some(Word::Since),
        _ => None,
    }
}

fn is_called(table: &Table, phrase: &str) -> bool {
    table.columns.iter().any(|column| is_name(&column.name, phrase))
}

/// A column's name without what stands behind it in parentheses, such as a unit.
pub(super) fn bare(name: &str) -> &str {
    let bare = name.rsplit_once(['(', '[']).map(|(bare, _)| bare);
    bare.filter(|bare| !bare.trim().is_empty()).unwrap_or(name)
}

/// Whether a phrase is a column's whole name, but for its unit and for a plural.
pub(super) fn is_name(name: &str, phrase: &str) -> bool {
    let spoken = words::parts(phrase);
    let same = |left: &String, right: &String| {
        let is_plural = |one: &String, many: &String| {
            many.strip_prefix(one.as_str())
                .is_some_and(|ending| matches!(ending, "n" | "en" | "e") && one.chars().count() > 3)
        };
        words::same_but_plural(left, right) || is_plural(left, right) || is_plural(right, left)
    };
    let is_same = |name: &str| {
        let parts = words::parts(name);
        parts.len() == spoken.len() && parts.iter().zip(&spoken).all(|(left, right)| same(left, right))
    };
    !spoken.is_empty() && (is_same(name) || is_same(bare(name)))
}

/// Whether a value may as well be a word of the language: a month, a number, `open`.
pub(super) fn may_be_a_word(value: &str) -> bool {
    moment::month(value).is_some()
        || moment::weekday(value).is_some()
        || value.chars().all(|letter| !letter.is_alphabetic())
        || !matches!(meaning(&words::fold(value)), None | Some(Word::Verb))
}

fn push_texts<'a>(filter: &'a Filter, texts: &mut Vec<&'a str>) {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().for_each(|part| push_texts(part, texts)),
        Filter::Not(inner) => push_texts(inner, texts),
        Filter::In { values, .. } => texts.extend(values.iter().filter_map(|value| match value {
            Literal::Text(text) => Some(text.as_str()),
            _ => None,
        })),
        Filter::Compare { value: Literal::Text(text), .. } => texts.push(text),
        _ => {}
    }
}

/// Whether a filter tests for a text that was quoted.
fn tests(filter: &Filter, text: &str) -> bool {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().any(|part| tests(part, text)),
        Filter::Not(inner) => tests(inner, text),
        Filter::Text { text: tested, .. } | Filter::Line { text: tested, .. } => words::fold(tested) == *text,
        Filter::In { .. } | Filter::Compare { .. } => {
            let mut texts = Vec::new();
            push_texts(filter, &mut texts);
            texts.iter().any(|value| words::fold(value) == *text)
        }
        _ => false,
    }
}

fn is_of_time(filter: &Filter) -> bool {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().any(is_of_time),
        Filter::Not(inner) => is_of_time(inner),
        Filter::Compare { value: Literal::Moment(_), .. }
        | Filter::Between { from: Literal::Moment(_), .. }
        | Filter::Part { .. } => true,
        _ => false,
    }
}

fn has_number(filter: &Filter) -> bool {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().any(has_number),
        Filter::Not(inner) => has_number(inner),
        Filter::Compare { value: Literal::Number(_), .. }
        | Filter::Between { from: Literal::Number(_), .. } => true,
        Filter::In { values, .. } => values.iter().any(|value| matches!(value, Literal::Number(_))),
        _ => false,
    }
}
