//! A query in words: how a question was understood.

use super::ast::{
    Aggregate, Bucket, Comparison, Filter, Function, Key, Literal, Output, Part, Query, Source, TextTest,
};
use super::outcome::Outcome;
use crate::column::Kind;
use crate::table::Table;
use crate::value::moment::NO_YEAR;
use crate::value::unit::in_clock;

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Table {
    /// A query in words: `average of Salary where Department = Engineering`.
    pub fn describe(&self, query: &Query) -> String {
        let mut parts: Vec<String> = Vec::new();
        let outputs: Vec<String> = query
            .outputs
            .iter()
            .filter_map(|output| match output {
                Output::Key(_) => None,
                Output::Column(column) => Some(self.column_name(*column).to_owned()),
                Output::Line => Some("the lines".to_owned()),
                Output::Aggregate(aggregate) => Some(self.describe_aggregate(aggregate, query.source)),
                Output::Difference { .. } => Some(self.describe_difference(output, query.source)),
            })
            .collect();
        let keys: Vec<String> = query.groups.iter().map(|key| self.describe_key(key)).collect();
        let keys_are_shown = query.outputs.iter().any(|output| matches!(output, Output::Key(_)));
        let distinct = if query.distinct { "different " } else { "" };
        if outputs.is_empty() {
            parts.push(format!("the different {}", keys.join(", ")));
        } else {
            parts.push(format!("{distinct}{}", outputs.join(", ")));
            if !keys.is_empty() && keys_are_shown {
                parts.push(format!("for each {}", keys.join(", ")));
            }
        }
        if let Some(filter) = &query.filter {
            parts.push(format!("where {}", self.describe_filter(filter)));
        }
        for having in &query.having {
            let left = self.describe_aggregate(&having.aggregate, query.source);
            parts.push(format!("with {left} {} {}", sign(having.comparison), having.value.normalize()));
        }
        for order in &query.order {
            let by = match &query.outputs[order.output] {
                Output::Key(index) => {
                    query.groups.get(*index).map_or(String::new(), |key| self.describe_key(key))
                }
                Output::Column(column) => self.column_name(*column).to_owned(),
                Output::Line => "text".to_owned(),
                Output::Aggregate(aggregate) => self.describe_aggregate(aggregate, query.source),
                Output::Difference { .. } => {
                    self.describe_difference(&query.outputs[order.output], query.source)
                }
            };
            let end = if order.descending { "largest" } else { "smallest" };
            let within: Vec<String> = query.limited_in.iter().map(|key| self.describe_key(key)).collect();
            let within =
                if within.is_empty() { String::new() } else { format!(" in each {}", within.join(", ")) };
            parts.push(match query.limit {
                Some(limit) if limit.count == 1 => format!("with the {end} {by}{within}"),
                Some(limit) => format!("the {} with the {end} {by}{within}", limit.count),
                None => format!("by {by}, {end} first"),
            });
        }
        if let (Some(limit), true) = (query.limit, query.order.is_empty()) {
            parts.push(format!("the first {}", limit.count));
        }
        if query.is_counted {
            parts.insert(0, "how many results there are of:".to_owned());
        }
        parts.join(" ")
    }

    /// What a result rests on: `27 rows, 2 without a number left out`.
    pub fn describe_basis(&self, query: &Query, outcome: &Outcome) -> String {
        let noun = match query.source {
            Source::Records => {
                if outcome.matched == 1 {
                    "row"
                } else {
                    "rows"
                }
            }
            Source::Lines => {
                if outcome.matched == 1 {
                    "line"
                } else {
                    "lines"
                }
            }
        };
        let mut basis = format!("{} {noun}", outcome.matched);
        for left in &outcome.left_out {
            let word = self.columns.get(left.column).map_or("value", |column| column.kind.word());
            let name = self.column_name(left.column);
            if left.missing > 0 {
                basis.extend([format!(", {} without a {word} in {name} left out", left.missing)]);
            }
            if left.misfits > 0 {
                basis.extend([format!(
                    ", {} with something else than a {word} in {name} left out",
                    left.misfits
                )]);
            }
        }
        basis
    }

    pub(crate) fn column_name(&self, column: usize) -> &str {
        self.columns.get(column).map_or("?", |column| column.name.as_str())
    }

    fn describe_key(&self, key: &Key) -> String {
        match key {
            Key::Column(column) => self.column_name(*column).to_owned(),
            Key::Bucket(column, bucket) => {
                let word = match bucket {
                    Bucket::Year => "year",
                    Bucket::Quarter => "quarter",
                    Bucket::Month => "month",
                    Bucket::Week => "week",
                    Bucket::Day => "day",
                    Bucket::Hour => "hour",
                    Bucket::Minute => "minute",
                    Bucket::Weekday => "weekday",
                    Bucket::HourOfDay => "hour of the day",
                    Bucket::MonthOfYear => "month of any year",
                };
                format!("{word} of {}", self.column_name(*column))
            }
        }
    }

    fn describe_difference(&self, output: &Output, source: Source) -> String {
        let numbers: Vec<String> =
            output.aggregates().map(|aggregate| self.describe_aggregate(aggregate, source)).collect();
        numbers.join(" less ")
    }

    fn describe_aggregate(&self, aggregate: &Aggregate, source: Source) -> String {
        let name = aggregate.column.map_or("", |column| self.column_name(column));
        let rows = if source == Source::Lines { "lines" } else { "rows" };
        let text = match &aggregate.function {
            Function::Count if name.is_empty() => format!("number of {rows}"),
            Function::Count => format!("number of {rows} with {name}"),
            Function::CountDistinct => format!("number of different {name}"),
            Function::Sum => format!("total of {name}"),
            Function::Average => format!("average of {name}"),
            Function::Median => format!("median of {name}"),
            Function::Percentile(percent) => format!("{percent}th percentile of {name}"),
            Function::Min => format!("smallest {name}"),
            Function::Max => format!("largest {name}"),
            Function::StandardDeviation => format!("standard deviation of {name} (of a sample)"),
            Function::Difference => format!("largest less smallest {name}"),
            Function::Share => {
                let of =
                    if name.is_empty() { format!("{rows} in percent") } else { format!("{name} in percent") };
                let only = aggregate
                    .only
                    .as_ref()
                    .map_or(String::new(), |only| format!(" with {}", self.describe_filter(only)));
                return format!("share of {of}{only}");
            }
            Function::Rate { seconds } => {
                let stretch = match seconds {
                    1 => "second",
                    60 => "minute",
                    3_600 => "hour",
                    _ => "day",
                };
                format!("number of {rows} per {stretch}, from the first to the last {name}")
            }
            Function::PerValue => format!("number of {rows} per {name}, on average"),
        };
        match &aggregate.only {
            Some(only) => format!("{text} (where {})", self.describe_filter(only)),
            None => text,
        }
    }

    /// A condition in words.
    pub(crate) fn describe_filter(&self, filter: &Filter) -> String {
        match filter {
            Filter::And(filters) => self.describe_all(filters, " and "),
            Filter::Or(filters) => self.describe_all(filters, " or "),
            Filter::Not(inner) => match inner.as_ref() {
                Filter::Missing(column) => format!("{} is there", self.column_name(*column)),
                Filter::In { column, values } => {
                    format!("{} is not {}", self.column_name(*column), self.describe_values(*column, values))
                }
                inner => format!("not ({})", self.describe_filter(inner)),
            },
            Filter::Compare { column, comparison, value } => {
                format!(
                    "{} {} {}",
                    self.column_name(*column),
                    sign(*comparison),
                    self.describe_literal(*column, value)
                )
            }
            Filter::In { column, values } => {
                format!("{} = {}", self.column_name(*column), self.describe_values(*column, values))
            }
            Filter::Between { column, from, to, includes_end } => {
                let from = self.describe_literal(*column, from);
                let to = self.describe_literal(*column, to);
                let name = self.column_name(*column);
                if *includes_end {
                    format!("{name} from {from} to {to}")
                } else {
                    format!("{name} from {from} to before {to}")
                }
            }
            Filter::Text { column, test, text } => {
                format!("{} {} \"{text}\"", self.column_name(*column), test_word(*test))
            }
            Filter::Line { test, text } => format!("the line {} \"{text}\"", test_word(*test)),
            Filter::Means { column, says, .. } => format!("{} means \"{says}\"", self.column_name(*column)),
            Filter::Missing(column) => format!("{} is missing", self.column_name(*column)),
            Filter::Misfit(column) => format!("{} is of another type", self.column_name(*column)),
            Filter::Part { column, part, values } => {
                let values: Vec<String> = values.iter().map(|value| part_word(*part, *value)).collect();
                let word = match part {
                    Part::Year => "year",
                    Part::Month => "month",
                    Part::Quarter => "quarter",
                    Part::Day => "day of the month",
                    Part::Weekday => "weekday",
                    Part::Hour => "hour",
                };
                format!("{word} of {} = {}", self.column_name(*column), values.join(" or "))
            }
            Filter::Clock { column, from, to } => {
                let clock = |minutes: &i64| format!("{:02}:{:02}", minutes / 60, minutes % 60);
                format!("time of {} from {} to before {}", self.column_name(*column), clock(from), clock(to))
            }
        }
    }

    fn describe_all(&self, filters: &[Filter], word: &str) -> String {
        let parts: Vec<String> = filters
            .iter()
            .map(|filter| {
                let text = self.describe_filter(filter);
                if filters.len() > 1 && matches!(filter, Filter::And(_) | Filter::Or(_)) {
                    format!("({text})")
                } else {
                    text
                }
            })
            .collect();
        parts.join(word)
    }

    fn describe_values(&self, column: usize, values: &[Literal]) -> String {
        values.iter().map(|value| self.describe_literal(column, value)).collect::<Vec<_>>().join(" or ")
    }

    fn describe_literal(&self, column: usize, literal: &Literal) -> String {
        let described = self.columns.get(column);
        match literal {
            Literal::Number(number) => {
                let unit = described.map_or("", |column| column.unit_label());
                if let Some(shown) = in_clock(*number, unit) {
                    return shown;
                }
                let space = if unit.is_empty() || unit == "%" { "" } else { " " };
                format!("{}{space}{unit}", number.normalize())
            }
            Literal::Text(text) => text.clone(),
            Literal::Column(other) => self.column_name(*other).to_owned(),
            Literal::Moment(text) => {
                let without_year = matches!(
                    described.map(|column| &column.kind),
                    Some(Kind::DateTime { has_year: false, .. })
                );
                let prefix = format!("{NO_YEAR}-");
                text.strip_prefix(&prefix).filter(|_| without_year).unwrap_or(text).to_owned()
            }
            Literal::Boolean(value) => match described.map(|column| &column.kind) {
                Some(Kind::Boolean { yes, no }) => (if *value { *yes } else { *no }).to_owned(),
                _ => value.to_string(),
            },
        }
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "≠",
        Comparison::Greater => ">",
        Comparison::Less => "<",
        Comparison::AtLeast => "≥",
        Comparison::AtMost => "≤",
    }
}

fn test_word(test: TextTest) -> &'static str {
    match test {
        TextTest::Contains => "contains",
        TextTest::Word => "has the word",
        TextTest::StartsWith => "begins with",
        TextTest::EndsWith => "ends with",
        TextTest::Like => "is like",
        TextTest::Regex => "matches",
    }
}

pub(super) fn part_word(part: Part, value: i64) -> String {
    let index = usize::try_from(value).unwrap_or(0).wrapping_sub(1);
    match part {
        Part::Weekday => WEEKDAYS.get(index).map_or_else(|| value.to_string(), |name| (*name).to_owned()),
        Part::Month => MONTHS.get(index).map_or_else(|| value.to_string(), |name| (*name).to_owned()),
        _ => value.to_string(),
    }
}
