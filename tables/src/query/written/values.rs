//! Values in a model's query: in the spellings and the unit of their column, and amounts of several currencies apart.

use rust_decimal::Decimal;
use serde_json::Value;

use super::Reader;
use crate::column::{Kind, Unit};
use crate::query::ast::{Filter, Key, Literal, Output, Query};
use crate::query::outcome::Cell;
use crate::value::unit::{Measure, factor, power_between};
use crate::words;

impl Reader<'_> {
    /// A value as the column holds it: a text in each of its spellings, whatever their case.
    pub(super) fn literals(&self, column: usize, value: &Value) -> Result<Vec<Literal>, String> {
        let described = &self.table.columns[column];
        if let (Kind::Text { .. }, Value::String(text)) = (&described.kind, value) {
            let hits = self.table.values().whole(&words::value_words(text));
            let spelled = hits.iter().filter(|hit| hit.column == column).flat_map(|hit| &hit.spellings);
            let same = spelled.filter(|(spelling, _)| words::fold(spelling) == words::fold(text));
            let known: Vec<Literal> = same.map(|(spelling, _)| Literal::Text(spelling.clone())).collect();
            return Ok(if known.is_empty() { vec![Literal::Text(text.clone())] } else { known });
        }
        Ok(vec![self.literal(column, value)?])
    }

    /// A value as the column holds it: `2 GB` in its unit.
    pub(super) fn literal(&self, column: usize, value: &Value) -> Result<Literal, String> {
        let described = &self.table.columns[column];
        let unfit = || format!("{value} is no value of {}", described.name);
        if described.is_numeric() {
            let in_unit =
                || if let Value::String(text) = value { in_unit(text, &described.kind) } else { None };
            return number(value).or_else(in_unit).map(Literal::Number).ok_or_else(unfit);
        }
        Ok(match (&described.kind, value) {
            (Kind::Boolean { .. }, Value::Bool(is)) => Literal::Boolean(*is),
            (Kind::Boolean { yes, .. }, Value::String(text)) => {
                Literal::Boolean(words::fold(text) == *yes || words::fold(text) == "true")
            }
            (Kind::Date | Kind::DateTime { .. } | Kind::Time, Value::String(text)) => {
                Literal::Moment(text.replace('T', " ").trim_end_matches('Z').to_owned())
            }
            (Kind::Text { .. }, Value::String(text)) => Literal::Text(text.clone()),
            (Kind::Text { .. }, Value::Number(number)) => Literal::Text(number.to_string()),
            _ => return Err(unfit()),
        })
    }

    /// Keeps amounts of several currencies apart where a query adds or compares them and says nothing of it: those of one currency,
    /// if the rows that it asks about have only one, else each by itself.
    pub(super) fn with_currencies_apart(&self, mut query: Query) -> Query {
        let measured = query.outputs.iter().flat_map(Output::aggregates);
        let measured = measured.chain(query.having.iter().map(|having| &having.aggregate));
        let currency = measured
            .filter_map(|aggregate| self.table.columns.get(aggregate.column?)?.currency_column)
            .find(|currency| !query.groups.contains(&Key::Column(*currency)));
        let Some(currency) = currency else { return query };
        let mut named = Vec::new();
        if let Some(filter) = &query.filter {
            filter.push_columns(&mut named);
        }
        if named.contains(&currency) {
            return query;
        }
        let is_there = Filter::Not(Box::new(Filter::Missing(currency)));
        let used = Query {
            filter: Filter::both(query.filter.clone(), Some(is_there)),
            groups: vec![Key::Column(currency)],
            outputs: vec![Output::Key(0)],
            ..Query::default()
        };
        let Ok(found) = self.table.run(&used) else { return query };
        if let [row] = &found.rows[..]
            && let Some(Cell::Text(only)) = row.first()
        {
            let values = vec![Literal::Text(only.clone())];
            query.filter = Filter::both(query.filter, Some(Filter::In { column: currency, values }));
        } else if query.is_aggregate() {
            query.groups.push(Key::Column(currency));
            query.outputs.insert(0, Output::Key(query.groups.len() - 1));
            for order in &mut query.order {
                order.output += 1;
            }
        }
        query
    }
}

/// `2 GB` as a number of the column's unit.
fn in_unit(text: &str, kind: &Kind) -> Option<Decimal> {
    let text = text.trim();
    let digits = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
    let (number, unit) = (text[..digits].parse::<Decimal>().ok()?, text[digits..].trim());
    let (measure, own) = match kind {
        Kind::Duration { unit, .. } => (Measure::Duration, *unit),
        Kind::Size { unit, .. } => (Measure::Size, *unit),
        Kind::Number { unit: Unit::Other(own), .. } => {
            let power = if own == unit { 0 } else { power_between(unit, own)? };
            let times = Decimal::from(10_i64.checked_pow(power.unsigned_abs())?);
            return if power < 0 { number.checked_div(times) } else { number.checked_mul(times) };
        }
        _ => return None,
    };
    number.checked_mul(factor(unit, measure)?.into())?.checked_div(factor(own, measure)?.into())
}

pub(super) fn number(value: &Value) -> Option<Decimal> {
    match value {
        Value::Number(number) => {
            number.to_string().parse().or_else(|_| Decimal::from_scientific(&number.to_string())).ok()
        }
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}
