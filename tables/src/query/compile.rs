//! Queries → SQL with parameters. Values of a question never become part of the statement's text.

use std::fmt::Write as _;

use rusqlite::types::Value;

use super::ast::{
    Aggregate, Bucket, Comparison, Filter, Function, Key, Literal, Output, Part, Query, Source, TextTest,
};
use super::outcome::Heading;
use super::statement::Statement;
use super::times::{bucket_sql, part_sql};
use crate::column::{Column, Kind};
use crate::error::QueryError;
use crate::load::{LINE, LINES, MISFITS};
use crate::sql::identifier;
use crate::table::Table;

/// A query, compiled.
#[derive(Debug)]
pub(super) struct Compiled {
    pub statement: Statement,
    pub headings: Vec<Heading>,
    /// Whether the last column of each result is the line of its record.
    pub has_line: bool,
}

/// Writes SQL and collects its values.
pub(super) struct Compiler<'t> {
    table: &'t Table,
    source: Source,
    parameters: Vec<Value>,
    /// Columns whose values are one in each result: grouped by, or fixed by a condition.
    kept_apart: Vec<usize>,
}

impl<'t> Compiler<'t> {
    pub fn new(table: &'t Table, source: Source) -> Self {
        Self { table, source, parameters: Vec::new(), kept_apart: Vec::new() }
    }

    pub fn finish(self, sql: String) -> Statement {
        Statement { sql, parameters: self.parameters }
    }

    fn column(&self, index: usize) -> Result<&'t Column, QueryError> {
        self.table.columns.get(index).ok_or(QueryError::NoColumn(index))
    }

    fn name(&self, index: usize) -> Result<String, QueryError> {
        Ok(self.column(index)?.sql())
    }

    fn parameter(&mut self, value: Value) -> &'static str {
        self.parameters.push(value);
        "?"
    }

    pub fn from(&self) -> String {
        match self.source {
            Source::Records => identifier(&self.table.name),
            Source::Lines => identifier(LINES),
        }
    }

    /// The whole query.
    pub fn query(self, query: &Query) -> Result<Compiled, QueryError> {
        if !query.is_counted {
            return self.results(query);
        }
        let Compiled { statement, .. } = self.results(&Query { is_counted: false, ..query.clone() })?;
        let heading = Heading::of_aggregate(&Aggregate::count(), None);
        let sql = format!("SELECT count(*) AS {} FROM ({})", identifier(&heading.name), statement.sql);
        let statement = Statement { sql, ..statement };
        Ok(Compiled { statement, headings: vec![heading], has_line: false })
    }

    fn results(mut self, query: &Query) -> Result<Compiled, QueryError> {
        self.kept_apart = kept_apart(query);
        let (mut headings, mut selected) = (Vec::<Heading>::new(), Vec::new());
        let keys: Vec<String> = query.groups.iter().map(|key| self.key(key)).collect::<Result<_, _>>()?;
        for (index, output) in query.outputs.iter().enumerate() {
            let (sql, heading) = self.output(query, output, &keys)?;
            selected.push(format!("{sql} AS {}", identifier(&unique(&headings, &heading.name, index))));
            headings.push(Heading { name: unique(&headings, &heading.name, index), ..heading });
        }
        let has_line = !query.is_aggregate() && !query.distinct;
        if has_line {
            selected.push(match self.source {
                Source::Records => LINE.to_owned(),
                Source::Lines => format!("line AS {LINE}"),
            });
        }
        let ranked =
            query.limit.filter(|limit| limit.with_ties && !query.order.is_empty() && !query.is_aggregate());
        let order = |compiler: &Self, names: bool| -> Result<String, QueryError> {
            let mut parts = Vec::new();
            for order in &query.order {
                let heading = headings.get(order.output).ok_or(QueryError::NoColumn(order.output))?;
                let direction = if order.descending { " DESC" } else { "" };
                let target = match &query.outputs[order.output] {
                    Output::Column(column) if !names => compiler.name(*column)?,
                    _ => identifier(&heading.name),
                };
                parts.push(format!("{target}{direction}"));
            }
            Ok(parts.join(", "))
        };
        let mut sql = String::new();
        let distinct = if query.distinct { "DISTINCT " } else { "" };
        if let Some(limit) = ranked {
            // Ties with the last are no worse than it, so that a rank says who is shown.
            let by = order(&self, false)?;
            let conditions = self.conditions(query)?;
            let mut missing = Vec::new();
            for order in &query.order {
                if let Output::Column(column) = &query.outputs[order.output] {
                    missing.push(format!("{} IS NOT NULL", self.name(*column)?));
                }
            }
            let joined = join_conditions(&conditions, &missing);
            let within: Vec<String> =
                query.limited_in.iter().map(|key| self.key(key)).collect::<Result<_, _>>()?;
            let _ = write!(
                sql,
                "SELECT {} FROM (SELECT *, rank() OVER ({}ORDER BY {by}) AS _rank FROM {}{joined}) WHERE _rank <= {} ORDER BY {}_rank, {LINE}",
                selected.join(", "),
                parted_by(&within),
                self.from(),
                limit.count,
                listed(&within)
            );
            return Ok(Compiled { statement: self.finish(sql), headings, has_line });
        }
        let conditions = self.conditions(query)?;
        let _ = write!(
            sql,
            "SELECT {distinct}{} FROM {}{}",
            selected.join(", "),
            self.from(),
            join_conditions(&conditions, &[])
        );
        if !keys.is_empty() {
            let _ = write!(sql, " GROUP BY {}", keys.join(", "));
        }
        for (index, having) in query.having.iter().enumerate() {
            let aggregate = self.aggregate(&having.aggregate)?;
            let value = self.parameter(number(having.value));
            let word = if index == 0 { " HAVING" } else { " AND" };
            let _ = write!(sql, "{word} {aggregate} {} {value}", sign(having.comparison));
        }
        if let Some(limit) = query.limit.filter(|limit| limit.with_ties && !query.order.is_empty()) {
            let by = order(&self, true)?;
            let within = limiting_headings(self.table, query, &headings)?;
            let sql = format!(
                "SELECT {} FROM (SELECT *, rank() OVER ({}ORDER BY {by}) AS _rank FROM ({sql})) WHERE _rank <= {} ORDER BY {}_rank{}",
                headings.iter().map(|heading| identifier(&heading.name)).collect::<Vec<_>>().join(", "),
                parted_by(&within),
                limit.count,
                listed(&within),
                headings.first().map_or(String::new(), |heading| format!(", {}", identifier(&heading.name))),
            );
            return Ok(Compiled { statement: self.finish(sql), headings, has_line });
        }
        if !query.order.is_empty() {
            let by = order(&self, true)?;
            let _ = write!(sql, " ORDER BY {by}");
            if has_line {
                let _ = write!(sql, ", {LINE}");
            }
        } else if !keys.is_empty() {
            let _ = write!(sql, " ORDER BY {}", keys.join(", "));
        } else if has_line {
            let _ = write!(sql, " ORDER BY {LINE}");
        }
        if let Some(limit) = query.limit {
            let _ = write!(sql, " LIMIT {}", limit.count);
        }
        Ok(Compiled { statement: self.finish(sql), headings, has_line })
    }

    /// The condition of a query as SQL, empty if every row counts.
    fn conditions(&mut self, query: &Query) -> Result<String, QueryError> {
        query.filter.as_ref().map_or(Ok(String::new()), |filter| self.filter(filter))
    }

    fn key(&self, key: &Key) -> Result<String, QueryError> {
        match key {
            Key::Column(column) => {
                let name = self.name(*column)?;
                let folds = self.table.values().case_variants.get(*column).copied().unwrap_or(false);
                Ok(if folds { format!("fold({name})") } else { name })
            }
            Key::Bucket(column, bucket) => {
                let described = self.column(*column)?;
                if !(described.is_moment() || described.kind == Kind::Time && *bucket == Bucket::HourOfDay) {
                    return Err(QueryError::Unfit(format!("\"{}\" holds no dates", described.name)));
                }
                // A day without a time would be read as midnight.
                if described.kind == Kind::Date
                    && matches!(bucket, Bucket::Hour | Bucket::Minute | Bucket::HourOfDay)
                {
                    return Err(QueryError::Unfit(format!("\"{}\" holds no times of day", described.name)));
                }
                let has_year = !matches!(described.kind, Kind::DateTime { has_year: false, .. });
                if !has_year && matches!(bucket, Bucket::Year | Bucket::Week | Bucket::Weekday) {
                    return Err(QueryError::Unfit(format!("\"{}\" names no years", described.name)));
                }
                Ok(bucket_sql(&described.sql(), *bucket, &described.kind))
            }
        }
    }

    fn output(
        &mut self,
        query: &Query,
        output: &Output,
        keys: &[String],
    ) -> Result<(String, Heading), QueryError> {
        match output {
            Output::Key(index) => {
                let key = query.groups.get(*index).ok_or(QueryError::NoColumn(*index))?;
                let sql = keys[*index].clone();
                match key {
                    Key::Column(column) => {
                        let described = self.column(*column)?;
                        // The most common of the spellings stands for those that differ by case.
                        let shown = if sql.starts_with("fold(") {
                            format!("most_common({})", described.sql())
                        } else {
                            sql
                        };
                        Ok((shown, Heading::of_column(described)))
                    }
                    Key::Bucket(column, bucket) => {
                        Ok((sql, Heading::of_bucket(*bucket, bucket_name(*bucket), self.column(*column)?)))
                    }
                }
            }
            Output::Column(column) => {
                let described = self.column(*column)?;
                Ok((described.sql(), Heading::of_column(described)))
            }
            Output::Difference { of, less, is_signed } => {
                let column = of.column.map(|column| self.column(column)).transpose()?;
                let (of_sql, less_sql) = (self.aggregate(of)?, self.aggregate(less)?);
                let sql = format!("({of_sql}) - ({less_sql})");
                let sql = if *is_signed { sql } else { format!("abs({sql})") };
                Ok((sql, Heading::of_aggregate(of, column).named("difference")))
            }
            Output::Line => Ok(("text".to_owned(), Heading::plain("text"))),
            Output::Aggregate(aggregate) => {
                let sql = self.aggregate(aggregate)?;
                let column = aggregate.column.map(|column| self.column(column)).transpose()?;
                Ok((sql, Heading::of_aggregate(aggregate, column)))
            }
        }
    }

    /// An aggregate as SQL.
    pub fn aggregate(&mut self, aggregate: &Aggregate) -> Result<String, QueryError> {
        let column = aggregate.column.map(|column| self.column(column)).transpose()?;
        let name = column.map(Column::sql).unwrap_or_default();
        self.check(aggregate, column)?;
        if aggregate.function == Function::Share {
            let Some(only) = &aggregate.only else {
                return Err(QueryError::Unfit("a share needs a condition".to_owned()));
            };
            let condition = self.filter(only)?;
            return Ok(match column {
                None => format!("100.0 * count(*) FILTER (WHERE {condition}) / count(*)"),
                Some(column) => {
                    let scale = column.scale().unwrap_or(12);
                    format!(
                        "100.0 * exact_sum({name}, {scale}) FILTER (WHERE {condition}) / exact_sum({name}, {scale})"
                    )
                }
            });
        }
        let call = match &aggregate.function {
            Function::Count if column.is_none() => "count(*)".to_owned(),
            Function::Count => format!("count({name})"),
            Function::CountDistinct => {
                let folds = aggregate
                    .column
                    .is_some_and(|column| self.table.values().case_variants.get(column) == Some(&true));
                if folds {
                    format!("count(DISTINCT fold({name}))")
                } else {
                    format!("count(DISTINCT {name})")
                }
            }
            Function::Sum => match column.and_then(Column::scale) {
                Some(scale) => format!("exact_sum({name}, {scale})"),
                None => format!("sum({name})"),
            },
            Function::Average => match column.and_then(Column::scale) {
                Some(scale) => format!("exact_avg({name}, {scale})"),
                None => format!("avg({name})"),
            },
            Function::Median => format!("median({name})"),
            Function::Percentile(percent) => format!("percentile({name}, {percent})"),
            Function::Min => format!("min({name})"),
            Function::Max => format!("max({name})"),
            Function::StandardDeviation => format!("stddev({name})"),
            Function::Difference => match column.and_then(Column::scale) {
                Some(scale) => format!("round(max({name}) - min({name}), {scale})"),
                None => format!("max({name}) - min({name})"),
            },
            Function::Rate { seconds } => {
                format!("count(*) * {seconds}.0 / nullif(unixepoch(max({name})) - unixepoch(min({name})), 0)")
            }
            Function::PerValue => format!("1.0 * count({name}) / count(DISTINCT {name})"),
            Function::Share => String::new(),
        };
        match &aggregate.only {
            Some(only) => {
                let condition = self.filter(only)?;
                Ok(format!("{call} FILTER (WHERE {condition})"))
            }
            None => Ok(call),
        }
    }

    /// Whether a column can be measured so.
    fn check(&self, aggregate: &Aggregate, column: Option<&Column>) -> Result<(), QueryError> {
        let fits = match (&aggregate.function, column) {
            (Function::Count | Function::Share, None)
            | (Function::Count | Function::CountDistinct | Function::PerValue, Some(_)) => true,
            (_, None) => false,
            (Function::Min | Function::Max, Some(column)) => {
                column.is_numeric() || column.is_moment() || column.kind == Kind::Time
            }
            (Function::Rate { .. }, Some(column)) => column.is_moment(),
            (_, Some(column)) => column.is_numeric(),
        };
        if !fits {
            let name = column.map_or("nothing", |column| column.name.as_str());
            return Err(QueryError::Unfit(format!("\"{name}\" cannot be measured so")));
        }
        let adds = !matches!(
            aggregate.function,
            Function::Count | Function::CountDistinct | Function::PerValue | Function::Rate { .. }
        );
        let mixes = column
            .and_then(|column| column.currency_column)
            .is_some_and(|currency| !self.kept_apart.contains(&currency));
        if adds && mixes {
            return Err(QueryError::Unfit(
                "amounts in several currencies cannot be added or compared".to_owned(),
            ));
        }
        Ok(())
    }

    /// A condition as SQL.
    pub fn filter(&mut self, filter: &Filter) -> Result<String, QueryError> {
        Ok(match filter {
            Filter::And(filters) => self.joined(filters, " AND ")?,
            Filter::Or(filters) => self.joined(filters, " OR ")?,
            Filter::Not(inner) => format!("NOT ({})", self.filter(inner)?),
            Filter::Compare { column, comparison, value } => {
                let name = self.name(*column)?;
                let value = match value {
                    Literal::Column(other) => self.name(*other)?,
                    value => self.parameter(stored(value)).to_owned(),
                };
                format!("{name} {} {value}", sign(*comparison))
            }
            Filter::In { column, values } => {
                let name = self.name(*column)?;
                if let [value] = values.as_slice() {
                    let value = self.parameter(stored(value));
                    return Ok(format!("{name} = {value}"));
                }
                let values: Vec<&str> = values.iter().map(|value| self.parameter(stored(value))).collect();
                format!("{name} IN ({})", values.join(", "))
            }
            Filter::Between { column, from, to, includes_end } => {
                let name = self.name(*column)?;
                let from = self.parameter(stored(from));
                let to = self.parameter(stored(to));
                let sign = if *includes_end { "<=" } else { "<" };
                format!("({name} >= {from} AND {name} {sign} {to})")
            }
            Filter::Text { column, test, text } => {
                let name = self.name(*column)?;
                self.text_test(&name, *test, text)
            }
            Filter::Line { test, text } => self.text_test("text", *test, text),
            Filter::Means { lines, .. } => {
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                format!("{LINE} IN ({})", lines.join(", "))
            }
            Filter::Missing(column) => {
                let described = self.column(*column)?;
                let name = described.sql();
                if described.misfits == 0 {
                    format!("{name} IS NULL")
                } else {
                    let own = self.parameter(Value::Text(described.name.clone()));
                    format!(
                        "({name} IS NULL AND rowid NOT IN (SELECT record FROM {MISFITS} WHERE column_name = {own}))"
                    )
                }
            }
            Filter::Misfit(column) => {
                let own = self.parameter(Value::Text(self.column(*column)?.name.clone()));
                format!("rowid IN (SELECT record FROM {MISFITS} WHERE column_name = {own})")
            }
            Filter::Part { column, part, values } => {
                let described = self.column(*column)?;
                let has_part = match part {
                    Part::Hour => matches!(described.kind, Kind::DateTime { .. } | Kind::Time),
                    _ => described.is_moment(),
                };
                if !has_part {
                    return Err(QueryError::Unfit(format!(
                        "\"{}\" holds no such part of a time",
                        described.name
                    )));
                }
                let kind = described.kind.clone();
                let name = self.name(*column)?;
                let values: Vec<&str> =
                    values.iter().map(|value| self.parameter(Value::Integer(*value))).collect();
                format!("{} IN ({})", part_sql(&name, *part, &kind), values.join(", "))
            }
            Filter::Clock { column, from, to } => {
                let described = self.column(*column)?;
                let start = match described.kind {
                    Kind::DateTime { .. } => 12,
                    Kind::Time => 1,
                    _ => {
                        return Err(QueryError::Unfit(format!(
                            "\"{}\" holds no times of day",
                            described.name
                        )));
                    }
                };
                let name = self.name(*column)?;
                let minutes = format!(
                    "CAST(substr({name}, {start}, 2) AS INTEGER) * 60 + CAST(substr({name}, {}, 2) AS INTEGER)",
                    start + 3
                );
                let joint = if from <= to { "AND" } else { "OR" };
                let (from, to) = (self.parameter(Value::Integer(*from)), self.parameter(Value::Integer(*to)));
                format!("({minutes} >= {from} {joint} {minutes} < {to})")
            }
        })
    }

    fn joined(&mut self, filters: &[Filter], word: &str) -> Result<String, QueryError> {
        if filters.is_empty() {
            return Ok("1".to_owned());
        }
        let mut parts = Vec::new();
        for filter in filters {
            let inner = self.filter(filter)?;
            let wraps = filters.len() > 1 && matches!(filter, Filter::And(_) | Filter::Or(_));
            parts.push(if wraps { format!("({inner})") } else { inner });
        }
        Ok(parts.join(word))
    }

    fn text_test(&mut self, name: &str, test: TextTest, wanted: &str) -> String {
        let function = match test {
            TextTest::Contains => "has_text",
            TextTest::Word => "has_words",
            TextTest::StartsWith => "starts_with",
            TextTest::EndsWith => "ends_with",
            TextTest::Like => {
                let value = self.parameter(Value::Text(wanted.to_owned()));
                return format!("fold({name}) LIKE fold({value})");
            }
            TextTest::Regex => "matches",
        };
        let value = self.parameter(Value::Text(wanted.to_owned()));
        format!("{function}({name}, {value})")
    }
}

/// The outputs, by their names, in each group of which a limit counts.
fn limiting_headings(table: &Table, query: &Query, headings: &[Heading]) -> Result<Vec<String>, QueryError> {
    let folds = |key: &Key| matches!(key, Key::Column(column) if table.values().case_variants.get(*column) == Some(&true));
    let shown = |key: &Key| {
        let is_key =
            |output: &Output| matches!(output, Output::Key(index) if query.groups.get(*index) == Some(key));
        let heading = query.outputs.iter().position(is_key).and_then(|at| headings.get(at));
        let name = heading.map(|heading| identifier(&heading.name));
        name.map(|name| if folds(key) { format!("fold({name})") } else { name })
    };
    let unfit = || QueryError::Unfit("the best of each group are asked for, by what is no group".to_owned());
    query.limited_in.iter().map(|key| shown(key).ok_or_else(unfit)).collect()
}

fn parted_by(within: &[String]) -> String {
    if within.is_empty() { String::new() } else { format!("PARTITION BY {} ", within.join(", ")) }
}

fn listed(within: &[String]) -> String {
    within.iter().fold(String::new(), |all, one| all + one + ", ")
}

/// Columns that have one value in each result of a query.
fn kept_apart(query: &Query) -> Vec<usize> {
    let mut columns: Vec<usize> = query
        .groups
        .iter()
        .filter_map(|key| if let Key::Column(column) = key { Some(*column) } else { None })
        .collect();
    let mut pending: Vec<&Filter> = query.filter.iter().collect();
    while let Some(filter) = pending.pop() {
        match filter {
            Filter::And(filters) => pending.extend(filters),
            Filter::In { column, values } if values.len() == 1 => columns.push(*column),
            Filter::Compare { column, comparison: Comparison::Equal, .. } => columns.push(*column),
            _ => {}
        }
    }
    columns
}

fn join_conditions(conditions: &str, others: &[String]) -> String {
    let mut all: Vec<String> = Vec::new();
    if !conditions.is_empty() {
        all.push(if others.is_empty() { conditions.to_owned() } else { format!("({conditions})") });
    }
    all.extend(others.iter().cloned());
    if all.is_empty() { String::new() } else { format!(" WHERE {}", all.join(" AND ")) }
}

/// A heading that no other output has.
fn unique(headings: &[Heading], name: &str, index: usize) -> String {
    if headings.iter().any(|heading| heading.name == name) || name == "_rank" {
        format!("{name} {}", index + 1)
    } else {
        name.to_owned()
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Greater => ">",
        Comparison::Less => "<",
        Comparison::AtLeast => ">=",
        Comparison::AtMost => "<=",
    }
}

fn number(value: rust_decimal::Decimal) -> Value {
    use rust_decimal::prelude::ToPrimitive as _;
    if value.fract().is_zero()
        && let Some(whole) = value.to_i64()
    {
        return Value::Integer(whole);
    }
    // By way of the text, which gives the nearest double.
    Value::Real(value.normalize().to_string().parse().unwrap_or(f64::NAN))
}

fn stored(value: &Literal) -> Value {
    match value {
        Literal::Number(value) => number(*value),
        Literal::Text(text) | Literal::Moment(text) => Value::Text(text.clone()),
        Literal::Boolean(value) => Value::Integer(i64::from(*value)),
        // A column is no value: where one stands, it is compared by name.
        Literal::Column(_) => Value::Null,
    }
}

fn bucket_name(bucket: Bucket) -> &'static str {
    match bucket {
        Bucket::Year => "year",
        Bucket::Quarter => "quarter",
        Bucket::Month | Bucket::MonthOfYear => "month",
        Bucket::Week => "week",
        Bucket::Day => "day",
        Bucket::Hour | Bucket::HourOfDay => "hour",
        Bucket::Minute => "minute",
        Bucket::Weekday => "weekday",
    }
}
