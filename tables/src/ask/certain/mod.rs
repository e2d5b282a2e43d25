//! What is sure. A reading earns it: each word of the question must say, to the letter, what the query does, and the
//! query must be of a kind that such words cannot mean otherwise. Whatever is more than that is shown, and is not sure.
//!
//! The grammar finds a place for as many words as it can. This looks at question and query from outside, knows nothing of
//! how one became the other, and its list is of what is allowed (decision 0121): a wording that nobody has thought of is unsure.
//!
//! - [`phrases`]: words of questions and names
//! - [`said`]: what the words of the question say, each to the letter
//! - [`amounts`]: what the cells say against adding and comparing numbers
//! - [`rows`]: what the rows are called, and whether each is one of what they are called
//! - [`times`]: whether times are compared as the question says, and are of the column that it means
//! - [`totals`]: rows that add up others
//! - this module: whether the query is what the words say, and nothing else

mod amounts;
mod phrases;
mod rows;
mod said;
mod times;
mod totals;

use rust_decimal::Decimal;

use self::phrases::{NOT_ADDED, RANKS};
use self::said::{Mark, Said};
use super::lexicon::{Word, meaning};
use crate::column::{Kind, Unit};
use crate::query::{
    Aggregate, Bucket, Cell, Comparison, Filter, Function, Key, Literal, Outcome, Output, Part, Query, Source,
};
use crate::read::Format;
use crate::table::Table;
use crate::{vocabulary, words};

impl Table {
    /// Why a reading may not be what was meant, although each of its words found a place; `None` where question and query
    /// say the same to the letter.
    pub(super) fn doubt_of_words(&self, question: &str, query: &Query) -> Option<String> {
        let said = match Said::of(self, question, query) {
            Ok(said) => said,
            Err(word) => return Some(format!("\"{word}\" is not taken to the letter")),
        };
        if !(Check { table: self, query, said }.is_said()) {
            return Some("the words may mean something else".to_owned());
        }
        self.doubt_of_totals(query)
    }
}

/// A question's words beside the query that was made of them.
struct Check<'a> {
    table: &'a Table,
    query: &'a Query,
    said: Said,
}

impl Check<'_> {
    fn is_said(&self) -> bool {
        let Query { filter, groups, outputs, having, order, limited_in, is_counted, .. } = self.query;
        let is_plain = having.is_empty()
            && limited_in.is_empty()
            && !is_counted
            && order.len() <= 1
            && groups.len() <= 1;
        let is_missing = filter.as_ref().is_some_and(tests_for_nothing);
        is_plain
            && self.said.says(Mark::Missing) == is_missing
            && self.are_comparisons_made()
            && (!self.said.says(Mark::Per) || !groups.is_empty() || self.said.says(Mark::By))
            && (!self.said.says(Mark::Sorted) || !order.is_empty())
            && filter.as_ref().is_none_or(|filter| self.is_condition_said(filter, false))
            && self.said.negations == filter.as_ref().map_or(0, negations)
            && match (groups.first(), order.first()) {
                (None, None) => self.is_answer_said(outputs),
                (None, Some(_)) => self.is_row_ranked(outputs),
                (Some(key), _) => self.is_group_said(key, outputs),
            }
    }

    /// Numbers made of all rows, or a list of rows.
    fn is_answer_said(&self, outputs: &[Output]) -> bool {
        match outputs {
            [Output::Aggregate(aggregate)] => self.is_number_said(aggregate),
            [Output::Line] => self.said.count == 0 && self.said.is_plain(),
            _ => {
                let columns = outputs.iter().map(|output| match output {
                    Output::Column(column) => Some(*column),
                    _ => None,
                });
                let Some(columns) = columns.collect::<Option<Vec<usize>>>() else { return false };
                let is_whole = columns.len() == self.table.columns.len();
                let names_all = columns
                    .iter()
                    .all(|column| self.said.columns.contains(column) && !self.sounds_like_an_order(*column));
                // `guests with children` lists those who have some.
                let is_list = self.said.is_plain() && self.said.count == 0 && !self.said.says(Mark::Has);
                // Of a thing with several rows, conditions may hold in one or in all.
                let is_simple = self.query.filter.as_ref().is_none_or(is_one_value);
                let is_once = columns
                    .iter()
                    .all(|column| !self.table.columns[*column].is_text() || self.table.is_unique(*column));
                let is_one_row = !self.asks_for_all_of_several()
                    || columns.iter().any(|column| self.table.is_unique(*column));
                is_list && (is_whole || names_all && is_one_row && (is_once || is_simple))
            }
        }
    }

    /// Whether a name has a word that asks or compares: `last`, `total`, `since` may be a part of the name only: `Last inspection`, `Best rating given`.
    fn sounds_like_an_order(&self, column: usize) -> bool {
        let is_order = |part: &String| {
            matches!(
                meaning(part),
                Some(
                    Word::Extreme(..)
                        | Word::Most(_)
                        | Word::Sum
                        | Word::Average
                        | Word::Count
                        | Word::Top
                        | Word::Median
                        | Word::Beyond
                        | Word::Since
                        | Word::Until
                        | Word::Before
                        | Word::After
                        | Word::Compare(_)
                )
            ) || ["nächste", "nächster", "previous", "current", "aktuelle"].contains(&part.as_str())
        };
        words::parts(said::bare(&self.table.columns[column].name)).iter().any(is_order)
    }

    fn is_number_said(&self, aggregate: &Aggregate) -> bool {
        let Aggregate { function, column, only } = aggregate;
        let said = &self.said;
        if only.is_some() && *function != Function::Share {
            return false;
        }
        let is_alone = |flag: bool| flag && said.functions() == 1;
        match (function, column) {
            (Function::Count, None) => is_alone(said.count > 0) && self.counts_records(),
            (Function::CountDistinct, Some(column)) => {
                let functions = said.functions() - usize::from(said.count > 0);
                // What stands in a line of a log is parted by a guess.
                let is_log = self.table.format() == Format::Log;
                // Of numbers of records each is another one.
                let is_each = said.count == 1 && self.table.is_unique(*column);
                (said.says(Mark::Distinct) && !is_log && !self.asks_for_all_of_several() || is_each)
                    && functions == 0
                    && said.columns.contains(column)
            }
            (Function::Share, None) => {
                is_alone(said.says(Mark::Share))
                    && self.counts_records()
                    && only.as_ref().is_some_and(|only| self.is_condition_said(only, false))
                    && said.negations == only.as_ref().map_or(0, negations)
            }
            (Function::Sum, Some(column)) => {
                is_alone(said.says(Mark::Sum)) && self.is_measured(*column) && self.is_added(*column)
            }
            (Function::Average, Some(column)) => {
                is_alone(said.says(Mark::Average)) && self.is_measured(*column) && self.stands_once(*column)
            }
            (Function::Median, Some(column)) => {
                is_alone(said.says(Mark::Median)) && self.is_measured(*column)
            }
            (Function::StandardDeviation, Some(column)) => {
                is_alone(said.says(Mark::Deviation)) && self.is_measured(*column)
            }
            (Function::Percentile(percent), Some(column)) => {
                is_alone(said.percentile == Some(*percent)) && self.is_measured(*column)
            }
            (Function::Min, Some(column)) => is_alone(said.extreme == Some(false)) && self.is_ranked(*column),
            (Function::Max, Some(column)) => is_alone(said.extreme == Some(true)) && self.is_ranked(*column),
            _ => false,
        }
    }

    /// `owners with place Rome and Oslo` may be those that have both, each in a row of its own.
    fn asks_for_all_of_several(&self) -> bool {
        let mut tested = Vec::new();
        if let Some(filter) = &self.query.filter {
            push_tested(filter, &mut tested);
        }
        let is_twice = (1..tested.len()).any(|at| tested[..at].contains(&tested[at]));
        is_twice && (self.said.says(Mark::And) || !self.said.says(Mark::Or))
    }

    /// Rows are what the question counts: by the file's own word for them, or no other thing is named. A file of `devices`
    /// with a column of devices has a row for each of their readings.
    fn counts_records(&self) -> bool {
        let is_thing = |column: &usize| {
            let described = &self.table.columns[*column];
            self.table.nouns.iter().any(|noun| words::same_but_plural(noun, &words::fold(&described.name)))
                && !self.table.is_unique(*column)
        };
        let is_a_value = |noun: &String| {
            let parts = words::value_words(noun);
            let singular: Vec<String> = parts.iter().map(|part| words::singular(part)).collect();
            !self.table.values().whole(&parts).is_empty() || !self.table.values().whole(&singular).is_empty()
        };
        // Guests, members, swimmers: some rows may be the same person, or several, or somebody who has left.
        let is_person = |noun: &String| vocabulary::names_a_person(std::slice::from_ref(noun));
        let has_namesakes = (0..self.table.columns.len()).any(|column| {
            words::parts(&self.table.columns[column].name) == ["name"] && !self.table.is_unique(column)
        });
        let noun_is_clear = !has_namesakes
            && !self.table.nouns.iter().any(is_person)
            && !(0..self.table.columns.len()).any(|column| is_thing(&column))
            && !self.table.nouns.iter().any(is_a_value)
            && !self.table.repeats_its_things()
            && !self.table.stands_for_many();
        self.said.says(Mark::Lines) == (self.query.source == Source::Lines)
            && (self.said.says(Mark::Records) || self.said.says(Mark::Noun) && noun_is_clear)
    }

    /// A column of numbers that the question names, and that holds amounts.
    fn is_measured(&self, column: usize) -> bool {
        self.said.measured.contains(&column)
            && self.table.columns[column].is_numeric()
            && self.table.is_of_one_unit(column)
            && !self.table.holds_codes(column)
            && !self.sounds_like_an_order(column)
    }

    /// A column of which the highest is the one with the largest number.
    fn is_ranked(&self, column: usize) -> bool {
        let described = &self.table.columns[column];
        let parts = words::parts(&described.name);
        if described.is_moment() {
            return self.said.measured.contains(&column) && !self.sounds_like_an_order(column);
        }
        !is_scale(&described.name)
            && !self.has_few_values(column)
            && self.is_measured(column)
            && !parts.iter().any(|part| RANKS.contains(&part.as_str()))
            && (is_temperature(&described.name) || !self.has_negatives(column))
    }

    /// A column whose numbers are added up: no rates, marks or prices.
    fn is_added(&self, column: usize) -> bool {
        let described = &self.table.columns[column];
        let parts = words::parts(said::bare(&described.name));
        let is_rate = is_scale(&described.name)
            || matches!(&described.kind, Kind::Number { unit: Unit::Percent, .. })
            || described.name.contains(['/', '%', '°', 'ø', 'Ø'])
            || parts.iter().any(|part| NOT_ADDED.iter().any(|word| words::same_but_plural(part, word)));
        !is_rate && !self.is_meter(column) && !self.table.is_state(column) && self.stands_once(column)
    }

    /// Whether a number is one of its row, and none of a larger thing that has several rows.
    fn stands_once(&self, column: usize) -> bool {
        !self.table.is_repeated_number(column, self.query.filter.as_ref())
    }

    /// Whole numbers without a unit, few of which stand again and again, may be names: of halls, lines, classes.
    fn has_few_values(&self, column: usize) -> bool {
        let described = &self.table.columns[column];
        if described.scale() != Some(0) || !described.unit_label().is_empty() {
            return false;
        }
        let distinct = self.table.run(&Query::number(Aggregate::of(Function::CountDistinct, column), None));
        let distinct = match distinct.ok().as_ref().and_then(Outcome::single) {
            Some(Cell::Number(number)) => *number,
            _ => return true,
        };
        distinct * Decimal::from(3) < Decimal::from(self.table.rows)
    }

    /// Numbers that grow from row to row are readings of a meter: the last has all.
    fn is_meter(&self, column: usize) -> bool {
        const FEWEST: usize = 8;
        let query = Query { outputs: vec![Output::Column(column)], ..Query::default() };
        let Ok(found) = self.table.run(&query) else { return true };
        let numbers: Vec<Decimal> = found
            .rows
            .iter()
            .filter_map(|row| match row.first() {
                Some(Cell::Number(number)) => Some(*number),
                _ => None,
            })
            .collect();
        numbers.len() >= FEWEST && numbers.is_sorted() && numbers.first() < numbers.last()
    }

    fn has_negatives(&self, column: usize) -> bool {
        let smallest = self.table.run(&Query::number(Aggregate::of(Function::Min, column), None));
        match smallest.ok().as_ref().and_then(Outcome::single) {
            Some(Cell::Number(number)) => *number < Decimal::ZERO,
            _ => true,
        }
    }

    /// `which city has the highest price`: one row for each city, or the city is that of the one row.
    fn is_row_ranked(&self, outputs: &[Output]) -> bool {
        let (order, limit) = (&self.query.order[0], self.query.limit);
        let Some(Output::Column(measure)) = outputs.get(order.output) else { return false };
        let keys: Vec<usize> = outputs
            .iter()
            .filter_map(|output| match output {
                Output::Column(column) if column != measure => Some(*column),
                _ => None,
            })
            .collect();
        let names_one = keys.iter().any(|key| {
            self.table.is_unique(*key)
                && (self.said.columns.contains(key)
                    || self.said.says(Mark::Records)
                    || self.said.says(Mark::Noun))
        });
        let is_said = match limit {
            None => self.said.says(Mark::Sorted),
            Some(limit) if limit.count == 1 => self.said.extreme == Some(order.descending),
            Some(_) => {
                self.said.extreme == Some(order.descending)
                    || self.said.says(Mark::Top) && order.descending && self.said.says(Mark::By)
            }
        };
        let functions = self.said.functions();
        is_said && functions <= 1 && self.said.count == 0 && names_one && self.is_ranked(*measure)
    }

    /// `total amount per city`, `which customer has the most orders`
    fn is_group_said(&self, key: &Key, outputs: &[Output]) -> bool {
        let said = &self.said;
        let [Output::Key(0), Output::Aggregate(aggregate)] = outputs else { return false };
        let is_key_said = match key {
            Key::Column(column) => {
                said.columns.contains(column)
                    && !self.table.columns[*column].is_numeric()
                    && (!self.table.columns[*column].is_moment() || aggregate.function != Function::Average)
            }
            Key::Bucket(column, bucket) => {
                said.bucket == Some(*bucket)
                    && self.is_its_time(*column)
                    && aggregate.function != Function::Average
                    && !matches!(bucket, Bucket::Hour | Bucket::HourOfDay)
            }
        };
        if !is_key_said || said.says(Mark::Distinct) {
            return false;
        }
        let Some(order) = self.query.order.first() else {
            return said.says(Mark::Per)
                && said.extreme.is_none()
                && said.most.is_none()
                && self.is_number_said(aggregate);
        };
        if order.output != 1 {
            return said.says(Mark::Sorted) && self.is_number_said(aggregate);
        }
        if self.query.limit.is_none() {
            return (said.says(Mark::Sorted) || said.says(Mark::Per))
                && said.extreme.is_none()
                && self.is_number_said(aggregate);
        }
        // `most` counts records, `the highest total` says what is added up.
        let functions = said.functions();
        match (&aggregate.function, aggregate.column) {
            (Function::Count, None) => {
                let is_most = said.most == Some(order.descending) && functions == 1;
                is_most
                    && aggregate.only.is_none()
                    && self.counts_records()
                    && (said.says(Mark::Records) || said.says(Mark::Noun))
            }
            (Function::Sum, Some(column)) => {
                said.says(Mark::Sum)
                    && functions == 2
                    && said.extreme == Some(order.descending)
                    && self.is_measured(column)
                    && self.is_added(column)
            }
            (Function::Average, Some(column)) => {
                said.says(Mark::Average)
                    && functions == 2
                    && said.extreme == Some(order.descending)
                    && self.is_ranked(column)
            }
            _ => false,
        }
    }

    fn is_condition_said(&self, filter: &Filter, negated: bool) -> bool {
        let said = &self.said;
        let named = |column: &usize| said.columns.contains(column) && !self.sounds_like_an_order(*column);
        match filter {
            Filter::And(parts) => !negated && parts.iter().all(|part| self.is_condition_said(part, false)),
            Filter::Or(parts) => {
                !negated
                    && said.says(Mark::Or)
                    && times::are_alike(parts)
                    && parts.iter().all(|part| self.is_condition_said(part, false))
            }
            // Who is ranked is there.
            Filter::Not(inner) if matches!(**inner, Filter::Missing(_)) => {
                let is_key = |column: usize| self.query.groups.contains(&Key::Column(column));
                filter.column().is_some_and(is_key)
            }
            Filter::Not(inner) => {
                let Some(column) = filter.column() else { return false };
                let is_one_of_two =
                    self.table.values().distinct[column] == 2 && self.table.columns[column].missing == 0;
                !negated && (named(&column) || is_one_of_two) && self.is_condition_said(inner, true)
            }
            Filter::In { column, values } => values.iter().all(|value| match value {
                Literal::Text(text) => {
                    let is_word = said::may_be_a_word(text);
                    let is_one_columns = self.table.values().whole(&words::value_words(text)).len() == 1;
                    // What is delivered now was shipped, too, as `shipped_on` says.
                    let is_a_step = self.table.columns.iter().enumerate().any(|(other, described)| {
                        other != *column
                            && words::parts(&described.name)
                                .iter()
                                .any(|part| words::same_word(part, &words::fold(text)))
                    });
                    let stands_alone = is_one_columns && !is_word && !is_a_step;
                    said.values.contains(&words::fold(text)) && (named(column) || stands_alone)
                }
                Literal::Number(_) => named(column) && said.numbered.contains(column),
                Literal::Boolean(_) => named(column) && self.table.columns[*column].missing == 0,
                _ => false,
            }),
            Filter::Compare { column, value, comparison } => match value {
                Literal::Number(_) => {
                    let is_equal = *comparison == Comparison::Equal && said.numbered.contains(column);
                    named(column)
                        && !negated
                        && (said.says(Mark::Compares) || is_equal)
                        && self.table.is_of_one_unit(*column)
                }
                Literal::Text(text) => named(column) && said.values.contains(&words::fold(text)),
                Literal::Boolean(_) => named(column) && self.table.columns[*column].missing == 0,
                Literal::Moment(_) => !negated && self.is_time_said(*column),
                Literal::Column(_) => false,
            },
            Filter::Between { column, from: Literal::Moment(_), .. } => {
                !negated && self.is_time_said(*column)
            }
            Filter::Between { column, .. } => {
                named(column)
                    && !negated
                    && (said.says(Mark::Compares) || said.says(Mark::Hundreds))
                    && self.table.is_of_one_unit(*column)
            }
            Filter::Part { part, column, .. } => {
                // `after 5 pm` is not from 5 pm on.
                *part != Part::Hour && !negated && self.is_time_said(*column)
            }
            Filter::Text { column, .. } => named(column) && said.says(Mark::Contains) && !negated,
            Filter::Line { .. } => said.says(Mark::Contains) && !negated,
            Filter::Missing(column) => named(column) && said.says(Mark::Missing),
            Filter::Misfit(_) | Filter::Means { .. } | Filter::Clock { .. } => false,
        }
    }
}

/// `Satisfaction (1-10)`: which end is the best, the name does not say.
fn is_scale(name: &str) -> bool {
    let inner = name.split_once(['(', '[']).map_or("", |(_, inner)| inner);
    let is_number = |part: &&str| part.trim_end_matches([')', ']']).trim().parse::<u32>().is_ok();
    inner.split(['-', '–', '/']).filter(is_number).count() == 2
}

fn tests_for_nothing(filter: &Filter) -> bool {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().any(tests_for_nothing),
        Filter::Missing(_) => true,
        _ => false,
    }
}

fn is_one_value(filter: &Filter) -> bool {
    matches!(filter, Filter::In { values, .. } if values.len() == 1)
}

/// The column of each value that is asked for: a column of two values twice.
fn push_tested(filter: &Filter, tested: &mut Vec<usize>) {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().for_each(|part| push_tested(part, tested)),
        Filter::In { column, values } => tested.extend(values.iter().map(|_| *column)),
        filter => tested.extend(filter.column()),
    }
}

fn is_temperature(name: &str) -> bool {
    name.contains('°') || words::parts(name).iter().any(|part| part.starts_with("temp"))
}

/// How often a condition says that something does not hold.
fn negations(filter: &Filter) -> usize {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().map(negations).sum(),
        Filter::Not(inner) => match &**inner {
            // `has a note`
            Filter::Missing(_) => 0,
            inner => 1 + negations(inner),
        },
        Filter::Compare { comparison: Comparison::NotEqual, .. } => 1,
        _ => 0,
    }
}
