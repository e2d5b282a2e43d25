//! Whether what a question says of times is what the query tests.

use super::Check;
use super::phrases::NEUTRAL;
use super::said::Mark;
use crate::ask::lexicon::Word;
use crate::query::{Comparison, Filter, Literal, Output, Part};
use crate::{vocabulary, words};

/// What the conditions of a query compare.
#[derive(Debug, Default)]
struct Compared {
    /// More than, before, at least.
    ends: usize,
    /// Between two ends.
    stretches: usize,
    /// A month, a quarter, a weekday of any year.
    has_parts: bool,
}

impl Compared {
    fn add(&mut self, filter: &Filter) {
        match filter {
            Filter::And(parts) | Filter::Or(parts) => parts.iter().for_each(|part| self.add(part)),
            Filter::Not(inner) => self.add(inner),
            Filter::Compare { comparison, .. }
                if !matches!(comparison, Comparison::Equal | Comparison::NotEqual) =>
            {
                self.ends += 1;
            }
            Filter::Between { .. } => self.stretches += 1,
            Filter::Part { .. } => self.has_parts = true,
            _ => {}
        }
    }
}

impl Check<'_> {
    /// Each word that compares has its comparison: `since April` is not in April.
    pub(super) fn are_comparisons_made(&self) -> bool {
        let mut made = Compared::default();
        self.query.filter.iter().for_each(|filter| made.add(filter));
        let only = self.query.outputs.iter().flat_map(Output::aggregates);
        only.filter_map(|aggregate| aggregate.only.as_ref()).for_each(|filter| made.add(filter));
        let said = &self.said.compared;
        let times = |word: Word| said.iter().filter(|other| **other == word).count();
        let (since, until, between) = (times(Word::Since), times(Word::Until), times(Word::Between));
        if made.has_parts && since + until + times(Word::Before) + times(Word::After) > 0 {
            return false;
        }
        // `from March to April 2024` is one stretch; `since` alone is none, as `in 2024` is one, too.
        let stretches = made.stretches.saturating_sub(between);
        let until_in_stretch = until.min(stretches);
        let in_stretches = until_in_stretch + since.min(until_in_stretch);
        between <= made.stretches && said.len() - between - in_stretches <= made.ends
    }

    /// A time is of the column that the question names, or of the only one.
    pub(super) fn is_time_said(&self, column: usize) -> bool {
        self.said.says(Mark::Time) && self.is_its_time(column)
    }

    /// Whether a column tells when a record was, or the question names it. `in 2024` is not said of the date on which something
    /// ends, is due, was born or was registered.
    pub(super) fn is_its_time(&self, column: usize) -> bool {
        let moments = (0..self.table.columns.len()).filter(|column| self.table.columns[*column].is_moment());
        let parts = words::parts(super::said::bare(&self.table.columns[column].name));
        let is_neutral = |part: &String| {
            vocabulary::names_time(part) && part != "updated"
                || NEUTRAL.contains(&part.as_str())
                || self.table.nouns.iter().any(|noun| words::same_word(noun, part))
        };
        let is_the_only_one = moments.count() == 1
            && !self.sounds_like_an_order(column)
            && parts.iter().any(|part| vocabulary::names_time(part))
            && parts.iter().all(is_neutral);
        self.said.columns.contains(&column) || is_the_only_one
    }
}

/// How long a time is of which alternatives are: `March or April 2024` may share their year, and `March 2023 or 2024` their month.
#[derive(Debug, PartialEq, Eq)]
enum Grain {
    End,
    Year,
    Month,
    Day,
    OfAnyYear(Part),
}

fn grain(filter: &Filter) -> Option<Grain> {
    match filter {
        Filter::Part { part, .. } => Some(Grain::OfAnyYear(*part)),
        Filter::And(parts) => {
            let is_day = parts.iter().all(|part| matches!(part, Filter::Part { .. }));
            is_day.then_some(Grain::OfAnyYear(Part::Day))
        }
        Filter::Compare { value: Literal::Moment(_), .. } => Some(Grain::End),
        Filter::Between { from: Literal::Moment(from), to: Literal::Moment(to), .. } => {
            let both = |day: &str, at: std::ops::Range<usize>| {
                from.get(at.clone()) == Some(day) && to.get(at) == Some(day)
            };
            Some(if both("-01-01", 4..10) {
                Grain::Year
            } else if both("-01", 7..10) {
                Grain::Month
            } else {
                Grain::Day
            })
        }
        _ => None,
    }
}

/// Whether the times among some alternatives are all months, all years, all days.
pub(super) fn are_alike(alternatives: &[Filter]) -> bool {
    let grains: Vec<Grain> = alternatives.iter().filter_map(grain).collect();
    grains.windows(2).all(|two| two[0] == two[1])
}
